"""Substitution matrices in the forms in which people keep them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.alignments.alphabet import PROTEIN, Alphabet
from maxmargin.alignments.ncbi import read_matrix
from maxmargin.core.input_checks import quoted

Floats = npt.NDArray[np.float64]

LARGEST = 1e9
"""Scores of letters are at most this in size, so that sums of them are exact to many digits."""


def substitution_scores(matrix: Any, alphabet: Alphabet | Sequence[Any] | None = None) -> tuple[Floats, Alphabet]:
    """A substitution matrix as an array (letters, letters), a row per letter of x, with its alphabet.

    Parameters
    ----------
    matrix : an array; a dict from pairs of letters to scores, in which a missing pair has the score of the pair turned
        round; a matrix of Biopython; the name of one that Biopython has, such as ``'BLOSUM62'``; or the ``Path`` of a
        file in the format of NCBI
    alphabet : the letters of the rows; None: those of the file, the dict or Biopython's matrix, or amino acids for an
        array
    """
    if isinstance(matrix, str):
        matrix = _named(matrix)
    elif isinstance(matrix, PathLike):
        table, names = read_matrix(matrix)
        matrix = {(a, b): table[i, j] for i, a in enumerate(names) for j, b in enumerate(names)}
    if alphabet is not None and not isinstance(alphabet, Alphabet):
        alphabet = Alphabet(alphabet)
    if isinstance(matrix, Mapping):
        letters = Alphabet.of(matrix) if alphabet is None else alphabet
        scores = _from_pairs(matrix, letters)
    elif isinstance(getattr(matrix, "alphabet", None), str | tuple | list):  # of Biopython
        own = Alphabet(matrix.alphabet)
        letters = own if alphabet is None else alphabet
        at = own.encode(list(letters.letters), "The alphabet")
        scores = np.asarray(matrix, dtype=np.float64)[np.ix_(at, at)]
    else:
        letters = PROTEIN if alphabet is None else alphabet
        try:
            scores = np.asarray(matrix, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(
                "A substitution matrix must be an array, a dict of pairs of letters, a matrix of Biopython or its "
                f"name, or the Path of a file, not {quoted(matrix)}."
            ) from None
    if scores.shape != (len(letters), len(letters)):
        raise ValueError(
            f"The matrix has shape {scores.shape}, and the alphabet {Alphabet.named(letters.letters)} has "
            f"{len(letters)} letters: give one row and one column per letter, or another alphabet."
        )
    check_scores(scores, "The matrix")
    return np.ascontiguousarray(scores), letters


def check_scores(scores: Floats, what: str) -> None:
    """Raises unless all scores are numbers of a moderate size, or -inf for what must not be aligned."""
    wrong = np.argwhere(~((np.abs(scores) <= LARGEST) | (scores == -np.inf)))
    if len(wrong):
        at = tuple(wrong[0].tolist())
        raise ValueError(f"{what} has {scores[at]} at {at}: scores must be numbers of a size up to 1e9, or -inf.")


def _from_pairs(matrix: Mapping[Any, Any], letters: Alphabet) -> Floats:
    scores = np.empty((len(letters), len(letters)))
    for row, a in enumerate(letters.letters):
        for column, b in enumerate(letters.letters):
            found = matrix.get((a, b), matrix.get((b, a)))
            if found is None:
                raise ValueError(f"The matrix has no score of the letters {quoted(a)} and {quoted(b)}.")
            scores[row, column] = found
    return scores


def _named(name: str) -> Any:
    try:
        load: Any = import_module("Bio.Align.substitution_matrices").load
    except ImportError:
        raise ImportError(
            f"The matrix {quoted(name)} is one of Biopython's, which is not installed: pip install "
            "'maxmargin[bio]', or give the scores as an array."
        ) from None
    known = load()
    if name.upper() not in known:
        raise ValueError(
            f"Biopython has no matrix {quoted(name)}; it has {', '.join(known)}. For a file give its pathlib.Path."
        )
    return load(name.upper())

"""Sequences with known alignments: protein families, and invented sequences with a homolog among decoys."""

from __future__ import annotations

import zipfile
from os import PathLike
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from maxmargin.alignments.alignment import Alignment
from maxmargin.alignments.formats import fasta_records
from maxmargin.alignments.multiple import MultipleAlignment
from maxmargin.datasets.local import data_file

LETTERS = "ABCDEFGHIJKLMNOPQRST"


class Homologs(NamedTuple):
    """Native sequences, each with its homolog and decoys, the homolog first, and the alignment with the homolog."""

    natives: list[str]
    candidates: list[list[str]]
    alignments: list[Alignment]


def load_balifam(folder: str | PathLike[str] | None = None) -> list[MultipleAlignment]:
    """59 protein families with structural reference alignments (BAliBASE 3), 22 to 471 residues per sequence.

    Reads ``balifam_alignments/balifam_ref.zip``. Lower-case columns are not reliable and count in no alignment
    (``lower=False``); sequences with a known structure have names such as ``1e7j_A``.
    """
    path = data_file("balifam_alignments/balifam_ref.zip", folder)
    families = []
    with zipfile.ZipFile(path) as archive:
        for entry in sorted(name for name in archive.namelist() if name.startswith("ref/") and name.endswith(".fa")):
            names, rows = fasta_records(archive.read(entry).decode("utf-8").splitlines(), entry)
            family = entry.removeprefix("ref/").removesuffix(".fa")
            families.append(MultipleAlignment(names, rows, lower=False, name=family))
    return families


def make_homologs(
    n: int,
    *,
    decoys: int = 10,
    length: int = 50,
    operations: int = 30,
    probabilities: tuple[float, float, float, float] = (0.2, 0.4, 0.2, 0.2),
    seed: int = 0,
) -> Homologs:
    """Sequences of 20 letters with a homolog and decoys each, as in Tsochantaridis, Joachims, Hofmann and Altun (2005).

    Letter number c = 1, ..., 20 has probability c / 210. Part of a native sequence becomes part of its homolog by a
    string of operations: match copies a letter, substitute writes letter ``(c mod 20) + 1`` for c, insert writes a
    random letter, delete leaves one out. The rest of the homolog, and the decoys, are random letters.

    Parameters
    ----------
    n : native sequences
    decoys : per native sequence
    length : of every sequence
    operations : length of the string of operations
    probabilities : of match, substitute, insert and delete
    seed : of the random numbers; same arguments, same sequences
    """
    shares = np.asarray(probabilities, dtype=np.float64)
    if n < 1 or decoys < 0 or not 1 <= operations <= length:
        raise ValueError(
            f"n must be at least 1, decoys at least 0, and operations from 1 to length, not {n}, {decoys}, "
            f"{operations} and {length}."
        )
    if shares.shape != (4,) or shares.min() < 0 or not np.isclose(shares.sum(), 1.0):
        raise ValueError(f"probabilities must be four numbers that add up to 1, not {probabilities}.")
    rng = np.random.default_rng(seed)
    natives, candidates, alignments = [], [], []
    for _ in range(n):
        native = _letters(rng, length)
        homolog, pairs = _homolog(rng, native, rng.choice(4, size=operations, p=shares))
        natives.append(_text(native))
        candidates.append([_text(homolog), *(_text(_letters(rng, length)) for _ in range(decoys))])
        alignments.append(Alignment(pairs, (length, length)))
    return Homologs(natives, candidates, alignments)


def _homolog(
    rng: np.random.Generator, native: npt.NDArray[np.int64], operations: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    read, write = operations != 2, operations != 3
    start = rng.integers(native.size - read.sum() + 1)
    place = rng.integers(native.size - write.sum() + 1)
    homolog = _letters(rng, native.size)
    both = read & write
    i, j = start + np.cumsum(read)[both] - 1, place + np.cumsum(write)[both] - 1
    homolog[j] = (native[i] + (operations[both] == 1)) % len(LETTERS)
    return homolog, np.stack([i, j], axis=1)


def _letters(rng: np.random.Generator, length: int) -> npt.NDArray[np.int64]:
    count = len(LETTERS)
    return rng.choice(count, size=length, p=np.arange(1, count + 1) / (count * (count + 1) / 2))


def _text(codes: npt.NDArray[np.int64]) -> str:
    return "".join(LETTERS[code] for code in codes.tolist())

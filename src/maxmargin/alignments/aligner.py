"""Alignments with given scores: a substitution matrix, and what gaps cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.alignments.alignment import Alignment, checked_pairs
from maxmargin.alignments.alphabet import Alphabet
from maxmargin.alignments.limits import PairLimits
from maxmargin.alignments.shape import FreeEnds, Mode, Shape, checked_shape
from maxmargin.alignments.substitution import LARGEST, check_scores, substitution_scores
from maxmargin.core.input_checks import quoted
from maxmargin.core.ranked import Ranked, checked_k
from maxmargin.fitting.training import job_count

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Pairs = npt.ArrayLike | Alignment | None


class PairProbabilities(NamedTuple):
    """Sums over all alignments of x and y, each with a probability proportional to ``exp(score / temperature)``.

    ``log_sum`` is the logarithm of the sum. ``pairs[i, j]`` is the probability that i and j are aligned, shape (m, n).
    ``gaps_x`` and ``gaps_y`` have the probability that a position is in a gap that counts, shapes (m,) and (n,).
    """

    log_sum: float
    pairs: Floats
    gaps_x: Floats
    gaps_y: Floats


@dataclass(frozen=True)
class Aligner:
    """Aligns pairs of sequences by scores that are given: a substitution matrix, and what gaps cost.

    The score of an alignment is the sum of ``matrix[a, b]`` over its pairs of letters, and ``open`` for the first and
    ``extend`` for each later position of every gap.

    Parameters
    ----------
    matrix : scores of letters, shape (letters, letters), a row per letter of x; a dict ``{(a, b): score}``, a matrix of
        Biopython, the name of one, such as ``'BLOSUM62'``, or the ``Path`` of a file in the format of NCBI
    alphabet : the letters; None: those of the matrix, or the 20 amino acids for an array
    open, extend : scores of the positions of a gap, mostly negative; equal numbers are linear gaps
    mode : ``'global'``, ``'local'`` or ``'semi-global'``
    free_ends : of semi-global alignments: ``'both'``, ``'x'`` or ``'y'``, or four truth values (x begin, x end,
        y begin, y end). Where both sequences may be free on one side, the longer of the two runs is, as in other
        programs.
    band : pairs (i, j) keep ``|i n / m - j|`` at most at this; None is no band
    n_jobs : threads of ``align_all``; None is one, -1 one per processor

    A sequence x may also be an array of position-specific scores, shape (m, letters): row i says what position i
    scores with each letter of y.
    """

    matrix: Any = "BLOSUM62"
    alphabet: Alphabet | Sequence[Any] | None = None
    open: float = -11.0
    extend: float = -1.0
    mode: Mode = "global"
    free_ends: FreeEnds = "both"
    band: int | None = None
    n_jobs: int | None = None
    _scores: Floats = field(init=False, repr=False, compare=False)
    _letters: Alphabet = field(init=False, repr=False, compare=False)
    _shape: Shape = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        scores, letters = substitution_scores(self.matrix, self.alphabet)
        for name, value in (("open", self.open), ("extend", self.extend)):
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not abs(value) <= LARGEST:
                raise ValueError(f"{name} must be a number of a size up to 1e9, not {quoted(value)}.")
        job_count(self.n_jobs)
        shape = checked_shape(self.mode, self.free_ends, self.band)
        for key, found in (("_scores", scores), ("_letters", letters), ("_shape", shape)):
            object.__setattr__(self, key, found)

    def align(self, x: Any, y: Any, *, required: Pairs = None, forbidden: Pairs = None) -> Ranked[Alignment]:
        """The best alignment of two sequences, and its score.

        Parameters
        ----------
        x, y : strings, or lists or arrays of letters; x may be position-specific scores (m, letters)
        required : pairs that the alignment must have
        forbidden : pairs that it must not have, in any order
        """
        if required is None and forbidden is None:
            return self.align_all([x], [y])[0]
        grid, lengths, limits = self._limited(x, y, 1.0, forbidden, required)
        score, pairs = grid.best()
        limits.check(score)
        return Ranked(score, Alignment(pairs, lengths))

    def align_all(self, X: Sequence[Any], Y: Sequence[Any]) -> list[Ranked[Alignment]]:
        """The best alignments of ``X[k]`` with ``Y[k]`` for all k, in ``n_jobs`` threads."""
        for name, given in (("X", X), ("Y", Y)):
            if isinstance(given, str | bytes) or not hasattr(given, "__len__"):
                raise TypeError(f"{name} must be a list of sequences, not {quoted(given)}.")
        if len(X) != len(Y):
            raise ValueError(f"There are {len(X)} sequences X and {len(Y)} sequences Y: give pairs.")
        table, left = self._rows(X)
        right = [self._letters.encode(y, f"Sequence y of pair {k}") for k, y in enumerate(Y)]
        gaps = (float(self.open), float(self.extend)) * 2
        threads = job_count(self.n_jobs)
        scores, offsets, pairs = _core.best_alignments(
            table, gaps, *_packed(left), *_packed(right), **self._shape._asdict(), threads=threads
        )
        pairs = pairs.astype(np.int64)
        pairs.setflags(write=False)
        lengths = [(len(a), len(b)) for a, b in zip(left, right)]
        return [
            Ranked(score, Alignment.trusted(pairs[begin:end], both))
            for score, (begin, end), both in zip(scores.tolist(), pairwise(offsets.tolist()), lengths)
        ]

    def score(self, x: Any, y: Any, alignment: Pairs = None) -> float:
        """The score of an alignment, or of the best one."""
        if alignment is None:
            return self.align(x, y).score
        grid, lengths, _ = self._limited(x, y)
        return grid.score(checked_pairs(alignment, lengths).astype(np.int32))

    def kbest(
        self, x: Any, y: Any, k: int = 10, *, required: Pairs = None, forbidden: Pairs = None
    ) -> list[Ranked[Alignment]]:
        """The k best alignments, best first, or all where there are fewer. See ``align``."""
        grid, lengths, limits = self._limited(x, y, 1.0, forbidden, required)
        return _ranked(grid.k_best(checked_k(k)), lengths, limits)

    def marginals(
        self, x: Any, y: Any, *, temperature: float = 1.0, required: Pairs = None, forbidden: Pairs = None
    ) -> PairProbabilities:
        """Probabilities of pairs and of gaps over all alignments.

        Parameters
        ----------
        temperature : scores are divided by it. A matrix in half bits, such as BLOSUM62, has log-odds at 2 / log(2).
        """
        grid, lengths, limits = self._limited(x, y, temperature, forbidden, required)
        log_sum, pairs, open_x, extend_x, open_y, extend_y = grid.sums()
        limits.check(log_sum)
        return PairProbabilities(log_sum, pairs.reshape(lengths), open_x + extend_x, open_y + extend_y)

    def sample(
        self,
        x: Any,
        y: Any,
        n: int = 1,
        *,
        seed: int = 0,
        temperature: float = 1.0,
        required: Pairs = None,
        forbidden: Pairs = None,
    ) -> list[Ranked[Alignment]]:
        """``n`` independent alignments at random, each with its probability (see ``marginals``), and their scores."""
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**64:
            raise ValueError(f"seed must be a whole number from 0 to 2**64 - 1, not {quoted(seed)}.")
        grid, lengths, limits = self._limited(x, y, temperature, forbidden, required)
        drawn = _ranked(grid.samples(checked_k(n, "n"), int(seed)), lengths, limits)
        return [Ranked(score * temperature, alignment) for score, alignment in drawn]

    def _limited(
        self, x: Any, y: Any, temperature: float = 1.0, forbidden: Pairs = None, required: Pairs = None
    ) -> tuple[_core.AlignmentGrid, tuple[int, int], PairLimits]:
        if isinstance(temperature, bool) or not 0 < temperature < np.inf:
            raise ValueError(f"temperature must be a positive number, not {quoted(temperature)}.")
        table, (left,) = self._rows([x])
        right = self._letters.encode(y, "Sequence y")
        match = np.ascontiguousarray(table[:, right]) / temperature
        lengths = (len(left), len(right))
        limits = PairLimits.read(forbidden, required, lengths)
        (open_x, extend_x), (open_y, extend_y) = (
            (np.full(n, self.open / temperature), np.full(n, self.extend / temperature)) for n in lengths
        )
        mode, free_ends, band = self._shape
        grid = _core.AlignmentGrid(
            match,
            left,
            open_x,
            extend_x,
            open_y,
            extend_y,
            mode,
            free_ends,
            band,
            limits.required,
            limits.forbidden,
        )
        return grid, lengths, limits

    def _rows(self, X: Sequence[Any]) -> tuple[Floats, list[Codes]]:
        """Rows of scores, those of the letters and then those of positions, and the row of each position."""
        tables, found, count = [self._scores], [], len(self._letters)
        for k, x in enumerate(X):
            name = f"Sequence x of pair {k}" if len(X) > 1 else "Sequence x"
            if isinstance(x, np.ndarray) and x.ndim == 2:
                tables.append(self._position_scores(x, name))
                found.append(np.arange(count, count + len(x), dtype=np.int32))
                count += len(x)
            else:
                found.append(self._letters.encode(x, name))
        return (tables[0] if len(tables) == 1 else np.concatenate(tables)), found

    def _position_scores(self, x: npt.NDArray[Any], name: str) -> Floats:
        if x.shape[1] != len(self._letters) or not len(x) or x.dtype.kind not in "fiu":
            raise ValueError(
                f"{name} must be letters, or position-specific scores (positions, {len(self._letters)}), a column per "
                f"letter of the alphabet, not an array of {x.dtype} of shape {x.shape}."
            )
        scores = x.astype(np.float64)
        check_scores(scores, name)
        return scores


def _packed(sequences: list[Codes]) -> tuple[Codes, npt.NDArray[np.int64]]:
    offsets = np.zeros(len(sequences) + 1, dtype=np.int64)
    np.cumsum([len(each) for each in sequences], out=offsets[1:])
    return (np.concatenate(sequences) if sequences else np.empty(0, dtype=np.int32)), offsets


def _ranked(found: tuple[Any, ...], lengths: tuple[int, int], limits: PairLimits) -> list[Ranked[Alignment]]:
    scores, offsets, pairs = found
    limits.check(scores.max(initial=-np.inf))
    listed = zip(scores.tolist(), pairwise(offsets.tolist()))
    return [Ranked(score, Alignment(pairs[begin:end], lengths)) for score, (begin, end) in listed]

"""Sequences, candidates and alignments of many examples, packed once for the native core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.alignments.alignment import checked_pairs
from maxmargin.alignments.layout import Layout
from maxmargin.alignments.limits import PairLimits
from maxmargin.alignments.shape import Shape
from maxmargin.alignments.tracks import Pool
from maxmargin.core.input_checks import quoted

Indices = npt.NDArray[np.int32]

_FAR = 2**30  # beyond the end of every sequence


@dataclass(frozen=True, eq=False)
class Given:
    """Examples as their sequences: ``x[i]`` and ``candidates[i]`` are numbers in the pool."""

    pool: Pool
    x: list[int]
    candidates: list[list[int]]

    @property
    def n(self) -> int:
        return len(self.x)

    def lengths(self, i: int, candidate: int = 0) -> tuple[int, int]:
        """Of x and a candidate of an example."""
        return self.pool.lengths[self.x[i]], self.pool.lengths[self.candidates[i][candidate]]


def read_pairs(pool: Pool, X: Sequence[Any]) -> Given:
    """Examples that are pairs of sequences."""
    x, candidates = [], []
    for i, pair in enumerate(X):
        first, second = two_of(pair, f"Example {i} must be a pair of sequences")
        x.append(pool.add(first, f"Sequence x of example {i}"))
        candidates.append([pool.add(second, f"Sequence y of example {i}")])
    return Given(pool, x, candidates)


def read_candidates(pool: Pool, X: Sequence[Any]) -> Given:
    """Examples that are a sequence and a list of candidates."""
    x, candidates = [], []
    for i, pair in enumerate(X):
        first, others = two_of(pair, f"Example {i} must be a pair: a sequence, and a list of candidates")
        if isinstance(others, str | Mapping) or not hasattr(others, "__iter__"):
            raise TypeError(f"The candidates of example {i} must be a list of sequences, not {quoted(others)}.")
        own = [pool.add(each, f"Candidate {k} of example {i}") for k, each in enumerate(others)]
        if not own:
            raise ValueError(f"Example {i} has no candidates; give it at least one.")
        x.append(pool.add(first, f"Sequence x of example {i}"))
        candidates.append(own)
    return Given(pool, x, candidates)


def two_of(given: Any, must: str) -> tuple[Any, Any]:
    """Both items of a pair; ``must`` begins the message where it is none."""
    if isinstance(given, str | Mapping) or not hasattr(given, "__len__") or not hasattr(given, "__getitem__"):
        raise TypeError(f"{must}, not {quoted(given)}.")
    if np.shape(given)[:1] != (2,) if isinstance(given, np.ndarray) else len(given) != 2:
        raise ValueError(f"{must}, not {len(given)} of them.")
    return given[0], given[1]


def read_alignments(given: Given, y: Sequence[Any]) -> list[Indices]:
    """Alignments of x and candidate 0 of each example, as index pairs."""
    return [
        checked_pairs(pairs, given.lengths(i), f"The alignment of example {i}").astype(np.int32)
        for i, pairs in enumerate(y)
    ]


class PackedAlignments:
    """Examples in the native core, ``core``, with the features of a layout."""

    def __init__(self, given: Given, layout: Layout, shape: Shape) -> None:
        self.given, self.layout, self.shape = given, layout, shape
        self.n = given.n
        self.core = _core.AlignmentSet(
            layout.n_weights,
            given.pool.starts,
            np.asarray(given.x, dtype=np.int32),
            offsets([len(own) for own in given.candidates]),
            np.asarray([each for own in given.candidates for each in own], dtype=np.int32),
            shape.mode,
            shape.free_ends,
            shape.band,
        )
        layout.fill(self.core, given.pool)

    @property
    def cells(self) -> float:
        """Cells of the grids of an example, on average."""
        lengths = self.given.pool.lengths
        total = sum(lengths[x] * lengths[y] for x, own in zip(self.given.x, self.given.candidates) for y in own)
        return total / max(1, self.n)

    @property
    def first_cells(self) -> float:
        """The same of the first candidates alone."""
        lengths = self.given.pool.lengths
        return sum(lengths[x] * lengths[own[0]] for x, own in zip(self.given.x, self.given.candidates)) / max(1, self.n)

    def targets(self, truths: Sequence[Indices], shift: int = 0) -> _core.AlignmentTargets:
        """True alignments in the core; pairs up to ``shift`` positions of y from a true one are hits."""
        joined = np.concatenate([np.zeros((0, 2), np.int32), *truths])
        first, near = offsets([len(own) for own in truths]), min(shift, _FAR)
        found = _core.AlignmentTargets(self.core, first, np.ascontiguousarray(joined, dtype=np.int32), near)
        outside = found.outside_band()
        if outside >= 0:
            raise ValueError(
                f"The alignment of example {outside} leaves the band of {self.shape.band} positions around the "
                "diagonal; use a wider band, or none."
            )
        return found

    def grid(
        self,
        weights: npt.NDArray[np.float64],
        i: int,
        candidate: int = 0,
        factor: float = 1.0,
        limits: PairLimits | None = None,
    ) -> _core.AlignmentGrid:
        """All alignments of x and a candidate of an example, or those that the limits allow."""
        match, open_x, extend_x, open_y, extend_y = self.core.scores(weights, i, candidate, factor)
        table, shape = match.reshape(self.given.lengths(i, candidate)), self.shape
        within = (None, None) if limits is None else (limits.required, limits.forbidden)
        return _core.AlignmentGrid(
            table, None, open_x, extend_x, open_y, extend_y, shape.mode, shape.free_ends, shape.band, *within
        )


def offsets(sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    """Where the items of lists of such sizes start, one after the other, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.asarray(sizes, dtype=np.int64))])

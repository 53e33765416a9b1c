"""Pairs that alignments must or must not have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.alignments.alignment import Alignment, checked_pairs
from maxmargin.core.input_checks import quoted
from maxmargin.core.problem import by_position

Indices = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PairLimits:
    """The forbidden and the required pairs of one pair of sequences, shapes (pairs, 2); None where there are none.

    ``name`` is what messages call the example, such as ``' of example 3'``.
    """

    forbidden: Indices | None
    required: Indices | None
    name: str = ""

    @classmethod
    def read(cls, forbidden: Any, required: Any, lengths: tuple[int, int], name: str = "") -> PairLimits:
        """Checks the pairs against the lengths of x and y. Required pairs may be in any order."""
        must_not = None if forbidden is None else _pairs_within(forbidden, lengths, f"forbidden{name}")
        must = None
        if required is not None:
            rows = _pairs_within(required, lengths, f"required{name}")
            must = checked_pairs(rows[np.lexsort(rows.T[::-1])], lengths, f"required{name}").astype(np.int32)
        return cls(must_not, must, name)

    def check(self, score: float) -> None:
        """Raises where no alignment is left, whose best one has this score."""
        if score == -np.inf:
            raise ValueError(
                f"forbidden and required together leave no alignment{self.name} (a score of -inf forbids, too); allow "
                "more pairs there."
            )


LimitsOf = Callable[[int], PairLimits]


def limits_of(forbidden: Any, required: Any, lengths: list[tuple[int, int]]) -> LimitsOf | None:
    """The limits of each example, from a list of pairs or None for each; None where there are no limits."""
    if forbidden is None and required is None:
        return None
    given = [_lists(name, own, len(lengths)) for name, own in (("forbidden", forbidden), ("required", required))]
    found = [
        PairLimits.read(given[0][i], given[1][i], both, f" of example {i}") for i, both in enumerate(lengths)
    ]  # all of them, so that a mistake in the last one costs no work
    return found.__getitem__


def limits_of_candidates(
    forbidden: Any, required: Any, lengths: list[list[tuple[int, int]]]
) -> list[list[PairLimits]] | None:
    """The limits of each candidate of each example, from None or a list for each example, which has None or a list of
    pairs for each candidate; None where there are no limits."""
    if forbidden is None and required is None:
        return None
    given = [_lists(name, own, len(lengths)) for name, own in (("forbidden", forbidden), ("required", required))]
    found = []
    for i, own in enumerate(lengths):
        each = [
            _lists(f"{name} of example {i}", lists[i], len(own), "candidate")
            for name, lists in zip(("forbidden", "required"), given)
        ]
        names = [f" of candidate {k} of example {i}" for k in range(len(own))]
        found.append([PairLimits.read(*four) for four in zip(*each, own, names)])
    return found


def _lists(name: str, given: Any, n: int, each: str = "example") -> Any:
    if given is None:
        return [None] * n
    lists = by_position(given, name)
    if len(lists) != n:
        raise ValueError(f"{name} has {len(lists)} lists of pairs for {n} {each}s; give a list or None per {each}.")
    return lists


def _pairs_within(pairs: Any, lengths: tuple[int, int], what: str) -> Indices:
    if isinstance(pairs, Alignment):
        pairs = checked_pairs(pairs, lengths, what)
    found = np.asarray(pairs)
    if found.size == 0:
        return np.zeros((0, 2), np.int32)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise ValueError(f"{what} must be a list of pairs (i, j) of positions, not {quoted(pairs)}.")
    outside = np.flatnonzero(((found < 0) | (found >= np.array(lengths))).any(axis=1))
    if outside.size:
        i, j = found[outside[0]].tolist()
        raise ValueError(
            f"{what} names the pair ({i}, {j}), and the sequences have positions 0 to {lengths[0] - 1} and 0 to "
            f"{lengths[1] - 1}."
        )
    return np.ascontiguousarray(found, dtype=np.int32)

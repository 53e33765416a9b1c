"""Normalised discounted cumulative gain of a ranking by graded relevance."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.groups.base import check_lengths
from maxmargin.groups.graded import GradedTarget
from maxmargin.groups.grouped import group_sums
from maxmargin.rankings.positions import CreditTarget, PositionMeasure, tied_blocks

Floats = npt.NDArray[np.float64]

GAINS = ("exponential", "linear")


@dataclass(frozen=True)
class Ndcg(PositionMeasure):
    """``sum over rows of gain(grade) / log2(1 + position)``, divided by the same of the ranking by grade.

    Parameters
    ----------
    k : positions that count; None is all of them. A group of fewer rows is counted as a whole.
    gain : ``'exponential'``, ``2^grade - 1``, or ``'linear'``, the grade itself
    """

    k: int | None = None
    gain: str = "exponential"

    ranking: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.k is not None and not _is_count(self.k):
            raise ValueError(f"k must be a whole number of at least 1, or None, not {self.k!r}.")
        if self.gain not in GAINS:
            raise ValueError(f"gain must be 'exponential' or 'linear', not {self.gain!r}.")

    @property
    def name(self) -> str:  # type: ignore[override]
        return "ndcg" if self.k is None else f"ndcg({self.k})"

    def credits(self, graded: GradedTarget, longest: int) -> CreditTarget:
        discount = discounts(longest if self.k is None else min(self.k, longest))
        gain = self.gains(graded.grades)
        ideal = np.lexsort((-gain, graded.group))
        position = np.arange(graded.n) - np.repeat(graded.offsets[:-1], np.diff(graded.offsets))
        counted = position < discount.size
        best = group_sums(
            gain[ideal] * np.where(counted, discount[np.where(counted, position, 0)], 0.0), graded.offsets
        )
        return CreditTarget(graded, gain / graded.each_row(best), np.ones(longest), discount)

    def gains(self, grades: Floats) -> Floats:
        if self.gain == "linear":
            return grades
        highest = float(grades.max(initial=0.0))
        if highest > 60.0:
            raise ValueError(
                f"The highest grade is {highest:g}, and 2^grade - 1 would drown the others; use gain='linear' or "
                "grades such as 0 to 4."
            )
        return np.exp2(grades) - 1.0

    def value(self, scores: Floats, target: CreditTarget) -> float:
        """The mean over groups. Rows that tie share the mean discount of their positions."""
        check_lengths(scores, target.n)
        offsets = target.graded.offsets
        return float(np.mean([_value(scores[a:b], target.gain[a:b], target.discount) for a, b in pairwise(offsets)]))


def discounts(k: int) -> Floats:
    """``1 / log2(1 + position)`` of the first positions."""
    return np.asarray(1.0 / np.log2(np.arange(2.0, k + 2.0)))


def _is_count(k: Any) -> bool:
    return not isinstance(k, bool) and isinstance(k, Integral) and int(k) >= 1


def _value(scores: Floats, gain: Floats, discount: Floats) -> float:
    order, starts = tied_blocks(scores)
    each = np.zeros(scores.size)
    each[: discount.size] = discount[: scores.size]
    sizes = np.diff(starts)
    shared = np.add.reduceat(each, starts[:-1]) / sizes
    return float(gain[order] @ np.repeat(shared, sizes))

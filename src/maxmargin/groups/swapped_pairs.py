"""Pairs of rows of unequal grade in the wrong order: ordinal regression and, for two grades, the ROC area.

With ``M`` pairs of rows ``i, j`` of a group with ``grade_i > grade_j``, an output says of each which of the two comes
first, ``y_ij = +1`` as in the truth or ``-1``, and

    ``Psi(y) = 1/(2M) sum over pairs of y_ij (x_i - x_j)``,    ``psi = 1/M sum over swapped pairs of (x_i - x_j)``.

The loss is the share of swapped pairs. With ``m`` of them the best output swaps the ``m`` pairs with the smallest
differences of scores, so it is known by a threshold on the difference. Pairs are never listed: those below a threshold
are counted by sorting, in ``O(n log n)`` whatever the number of grades.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.groups.base import check_lengths
from maxmargin.groups.graded import GradedTarget, graded_target
from maxmargin.groups.grouped import GroupedMeasure, Violations, group_sums

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SwappedPairs(GroupedMeasure):
    """The share of pairs of unequal grade in which the row of the higher grade has the higher score."""

    name: ClassVar[str] = "swapped_pairs"
    ranking: ClassVar[bool] = True

    def refusal(self, formulation: Formulation) -> str | None:
        """Every formulation is exact."""
        return None

    def prepare_groups(self, truth: npt.NDArray[Any], offsets: Counts, names: Sequence[str]) -> GradedTarget:
        return graded_target(truth, offsets, names, self.name)

    def search_groups(
        self, scores: Floats, target: GradedTarget, formulation: Formulation, threads: int = 1
    ) -> Violations:
        return most_violated_pairs(scores, target, formulation, threads)

    def value(self, scores: Floats, target: GradedTarget) -> float:
        """Pairs that tie count half; the mean over groups."""
        check_lengths(scores, target.n)
        pairs = _Pairs(scores, target, 1)
        zero = np.zeros(target.pairs.size)
        wrong, _ = pairs.below(zero)
        not_right, _ = pairs.below(np.nextafter(zero, np.inf))
        return float(np.mean(1.0 - 0.5 * (wrong + not_right) / target.pairs))


def most_violated_pairs(scores: Floats, target: GradedTarget, formulation: Formulation, threads: int = 1) -> Violations:
    """The pairs to swap in every group for the largest ``margin - scale * <w, psi>``."""
    pairs = _Pairs(scores, target, threads)
    if formulation.mistakes:
        gap, extra = np.full(target.pairs.size, np.nextafter(0.0, 1.0)), None
    elif (formulation.rescaling, formulation.slack) == ("margin", "linear"):
        gap, extra = np.ones(target.pairs.size), None  # a sum over pairs: each is swapped on its own
    else:
        gap, extra = pairs.best_threshold(formulation)
    number, net = pairs.below(gap, extra)
    value = pairs.value(number, group_sums(net * scores, target.offsets), formulation)
    found = (number > 0) & (formulation.mistakes | (value > 0.0))
    kept = target.each_row(found / target.pairs)
    return Violations(net * kept, np.where(found, number / target.pairs, 0.0), found)


class _Pairs:
    """The pairs of all groups at given scores, ordered by the differences of the scores."""

    def __init__(self, scores: Floats, target: GradedTarget, threads: int) -> None:
        self.scores, self.target, self.threads = scores, target, threads
        self._order = target.order(scores, threads)
        self._none = np.zeros(target.pairs.size, dtype=np.int64)

    def below(self, gap: Floats, extra: Counts | None = None) -> tuple[Counts, Floats]:
        """How many pairs of each group have a difference below its gap, and for every row in how many of them it is the
        better one, less those in which it is the worse; with ``extra`` pairs of a difference equal to the gap."""
        target = self.target
        more = self._none if extra is None else extra
        return _core.take_pairs(self.scores, target.offsets, target.rank, self._order, gap, more, self.threads)

    def sums(self, gap: Floats) -> tuple[Counts, Floats]:
        """How many pairs are below the gaps, and the sums of their differences."""
        number, net = self.below(gap)
        return number, group_sums(net * self.scores, self.target.offsets)

    def value(self, number: Counts, difference: Floats, formulation: Formulation) -> Floats:
        """``margin - scale * <w, psi>`` of outputs with so many swapped pairs and such sums of differences."""
        loss = number / self.target.pairs
        value: Floats = formulation.margin(loss) - formulation.scale(loss) * difference / self.target.pairs
        return value

    def best_threshold(self, formulation: Formulation) -> tuple[Floats, Counts]:
        """A threshold for each group, and how many pairs to swap whose difference is equal to it.

        Pairs enter in the order of their differences, and as a function of their number the value has one peak: it is
        a concave function or the exponential of one. So one more pair of difference ``d`` is of use up to some ``d``,
        which is found by halving the floating-point numbers between the extremes.
        """

        def gains(number: Counts, difference: Floats, d: Floats) -> npt.NDArray[np.bool_]:
            more = self.value(number + 1, difference + d, formulation)
            return np.asarray((number == 0) | (more > self.value(number, difference, formulation)))

        starts = self.target.offsets[:-1]
        spread = np.maximum.reduceat(self.scores, starts) - np.minimum.reduceat(self.scores, starts)
        low, high = _to_order(-spread), _to_order(np.nextafter(spread, np.inf))
        while True:  # a pair of difference `low` is of use, one of `high` or more is not
            middle = (low >> 1) + (high >> 1) + (low & high & 1)
            if (middle == low).all():
                break
            d = _from_order(middle)
            useful = gains(*self.sums(d), d)
            low, high = np.where(useful, middle, low), np.where(useful, high, middle)
        threshold = _from_order(low)
        number, difference = self.sums(threshold)
        ties = self.below(np.nextafter(threshold, np.inf))[0] - number
        first, last = self._none, ties
        while (first < last).any():  # how many of the pairs that tie at the threshold
            half = (first + last) // 2
            useful = gains(number + half, difference + half * threshold, threshold) & (first < last)
            first, last = np.where(useful, half + 1, first), np.where(useful, last, np.minimum(last, half))
        all_of_them = first == ties
        return np.where(all_of_them, np.nextafter(threshold, np.inf), threshold), np.where(all_of_them, 0, first)


def _to_order(numbers: Floats) -> Counts:
    """Whole numbers in the order of floating-point numbers, one for each."""
    bits = (np.abs(numbers)).view(np.int64)
    return np.where(numbers < 0.0, -bits, bits)


def _from_order(places: Counts) -> Floats:
    """The inverse of ``_to_order``."""
    return np.where(places < 0, -1.0, 1.0) * np.abs(places).view(np.float64)

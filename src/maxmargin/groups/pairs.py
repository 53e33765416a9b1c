"""Measures of pairs of rows: the ROC area, one minus the share of pairs in the wrong order.

``Psi(y) = (1/2PN) sum over positives i and negatives j of y_ij (x_i - x_j)``, where ``y_ij = -1`` for a swapped pair
and +1 for the others, so ``psi = (1/PN) sum over swapped pairs of (x_i - x_j)``. With ``m`` of the ``PN`` pairs swapped
the best output swaps those with the smallest differences of scores. Positives moved down by a threshold bring just
these about, so it is a ranking; sorting and counting find it without looking at a pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation
from maxmargin.groups.base import Violation, check_lengths
from maxmargin.groups.binary import BinaryTarget, Sides, binary_target

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.intp]


@dataclass(frozen=True)
class RocArea:
    """The share of pairs of a positive and a negative row in which the positive has the higher score."""

    name: ClassVar[str] = "roc_area"
    ranking: ClassVar[bool] = True

    def refusal(self, formulation: Formulation) -> str | None:
        """Every formulation is exact."""
        return None

    def prepare(self, truth: npt.NDArray[Any], where: str = "the sample") -> BinaryTarget:
        return binary_target(truth, where, self.name, negative=True)

    def search(self, scores: Floats, target: BinaryTarget, formulation: Formulation) -> Violation | None:
        check_lengths(scores, target.n)
        pairs = Pairs(scores, target)
        swapped = pairs.most_violated(formulation)
        return None if swapped is None else Violation(pairs.coefficients(swapped), int(swapped.sum()) / pairs.count)

    def unit(self, target: BinaryTarget) -> float:
        """A swapped pair costs ``1 / PN`` and has that weight in ``psi``."""
        return 1.0

    def value(self, scores: Floats, target: BinaryTarget) -> float:
        """Pairs that tie count half."""
        check_lengths(scores, target.n)
        if target.weight is not None:
            return self._weighted(scores, target, target.weight)
        pairs = Pairs(scores, target)
        below = pairs.other.size - pairs.above(pairs.own, 0.0, ties=True)  # negatives that score less
        ties = pairs.above(pairs.own, 0.0, ties=True) - pairs.above(pairs.own, 0.0)
        return float((below.sum() + 0.5 * ties.sum()) / pairs.count)

    @staticmethod
    def _weighted(scores: Floats, target: BinaryTarget, weight: Floats) -> float:
        order = np.argsort(scores[target.negatives], kind="stable")
        others = scores[target.negatives][order]
        passed = np.concatenate([[0.0], np.cumsum(weight[target.negatives][order])])
        own = scores[target.positives]
        below, up_to = (passed[np.searchsorted(others, own, side=side)] for side in ("left", "right"))
        return float(weight[target.positives] @ (0.5 * (below + up_to)) / (target.positive_count * passed[-1]))


class Pairs:
    """The scores of both sides in order. An output is ``swapped``, shape (P,): for each positive, best first, how many
    negatives stand above it, always the best of them; these numbers do not fall."""

    def __init__(self, scores: Floats, target: BinaryTarget) -> None:
        self.n = target.n
        self.sides = Sides.of(scores, target)
        self.own, self.other = scores[self.sides.positives], scores[self.sides.negatives]
        self._ascending = np.ascontiguousarray(self.other[::-1])

    @property
    def count(self) -> int:
        """All pairs."""
        return self.own.size * self.other.size

    def above(self, own: Floats, threshold: float, ties: bool = False) -> Counts:
        """For each score, how many negatives have ``own - other < threshold`` (or equal, with ``ties``)."""
        return self.other.size - np.searchsorted(self._ascending, own - threshold, side="left" if ties else "right")

    def differences(self, swapped: Counts) -> float:
        """``sum over swapped pairs of (s_i - s_j)``."""
        return float(swapped @ self.own - self.sides.negative_sums[swapped].sum())

    def coefficients(self, swapped: Counts) -> Floats:
        """Of the rows in ``psi``."""
        beaten = self.own.size - np.cumsum(np.bincount(swapped, minlength=self.other.size + 1))[: self.other.size]
        coefficients = np.zeros(self.n)
        coefficients[self.sides.positives] = swapped / self.count
        coefficients[self.sides.negatives] = -beaten / self.count
        return coefficients

    def most_violated(self, formulation: Formulation) -> Counts | None:
        """The swaps with the largest ``margin - scale * <w, psi>``; None where nothing is violated."""
        plain = (formulation.rescaling, formulation.slack) == ("margin", "linear") and not formulation.mistakes
        if plain:
            swapped = self.above(self.own, 1.0)  # a sum over pairs: each is swapped on its own
            return swapped if swapped.any() else None
        swapped = self._by_count(formulation)
        value = self._value(int(swapped.sum()), self.differences(swapped), formulation)
        return swapped if value > 0.0 or (formulation.mistakes and value >= 0.0) else None

    def _value(self, swaps: int, differences: float, formulation: Formulation) -> float:
        loss = swaps / self.count
        return float(formulation.margin(loss)) - float(formulation.scale(loss)) * differences / self.count

    def _by_count(self, formulation: Formulation) -> Counts:
        """As a function of the number of swaps the value rises to one peak: pairs enter in the order of their
        differences, and one more swap of difference ``d`` is of use up to some threshold of ``d``."""

        def gains(swaps: int, differences: float, d: float) -> bool:
            more = self._value(swaps + 1, differences + d, formulation)
            return swaps == 0 or more > self._value(swaps, differences, formulation)

        # Pairs below `low` are all of use, none from `high` on; `some` and `most` are what they swap.
        low, high = float(self.own[-1] - self.other[0]), float(self.own[0] - self.other[-1])
        some, most = np.zeros_like(self.above(self.own, low)), np.full(self.own.size, self.other.size)
        while low < (middle := 0.5 * (low + high)) < high and not np.array_equal(some, most):
            swapped = self.above(self.own, middle)
            if gains(int(swapped.sum()), self.differences(swapped), middle):
                low, some = middle, swapped
            else:
                high, most = middle, swapped
        # What is left has one difference, but for rounding: how many of those?
        swaps, differences, tied = int(some.sum()), self.differences(some), most - some
        first, last = 0, int(tied.sum())
        while first < last:
            count = (first + last) // 2
            if gains(swaps + count, differences + count * low, low):
                first = count + 1
            else:
                last = count
        worse = np.cumsum(tied[::-1])[::-1] - tied  # the lowest positives first: the order stays that of the scores
        found: Counts = some + np.clip(first - worse, 0, tied)
        return found

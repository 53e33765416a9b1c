"""Measures that give a row credit for its position in a ranking: NDCG, the reciprocal rank, average precision.

An output is a ranking. ``Psi`` is that of the swapped pairs, ``psi = 1/M sum over swapped pairs of (x_i - x_j)``, and
the loss is one minus the credit

    ``credit = sum over rows of gain(row) * weight(t) * discount(p)``        the row is t-th of its grade, at position
    p,

which is 1 for the truth. The exact search (``position_credit.hpp``): rows of one grade stand in the order of their
scores, so a ranking interleaves one sorted list per grade, and dynamic programming over the number of rows of each
grade among the first ``p`` positions finds the best. For two grades of ``P`` and ``N`` rows there are at most
``(P + 1) (N + 1)`` states, and fewer where only the first ``k`` positions have a discount.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.groups.graded import GradedTarget, graded_target
from maxmargin.groups.grouped import GroupedMeasure, Violations, group_sums
from maxmargin.groups.swapped_pairs import most_violated_pairs

Floats = npt.NDArray[np.float64]
Offsets = npt.NDArray[np.int64]

MOST_STATES = 2**26  # of one group; nine bytes each


@dataclass(frozen=True, eq=False)
class CreditTarget:
    """Graded groups and the credit of their rows: ``gain`` of shape (n,), equal for all rows of one grade of a group,
    ``weight`` by number within the grade, and ``discount`` by position, as many as there are positions with credit."""

    graded: GradedTarget
    gain: Floats
    weight: Floats
    discount: Floats

    @property
    def n(self) -> int:
        return self.graded.n

    def worst_loss(self, scores: Floats) -> Floats:
        """The loss of every group ranked by its scores, in which rows of lower grade come first where scores tie."""
        graded = self.graded
        starts = graded.each_row(graded.offsets[:-1].astype(np.float64)).astype(np.int64)
        order = np.lexsort((graded.rank, -scores, graded.group))
        position = np.arange(self.n) - starts
        ranks = graded.rank[order]
        inside = np.lexsort(
            (position, ranks, graded.group)
        )  # group by group, grade by grade, in the order of the ranking
        first = np.r_[True, (np.diff(ranks[inside]) != 0) | (np.diff(graded.group) != 0)]
        number = np.empty(self.n, dtype=np.int64)
        number[inside] = np.arange(self.n) - np.maximum.accumulate(np.where(first, np.arange(self.n), 0))
        discount = np.where(
            position < self.discount.size, self.discount[np.minimum(position, self.discount.size - 1)], 0.0
        )
        credit = group_sums(self.gain[order] * self.weight[number] * discount, graded.offsets)
        return np.maximum(0.0, 1.0 - credit)


class PositionMeasure(GroupedMeasure):
    """The search and the refusals; a subclass has a ``name`` and says what credit is (``credits``)."""

    name: str

    @abstractmethod
    def credits(self, graded: GradedTarget, longest: int) -> CreditTarget:
        """The credits of graded groups, the largest of which has ``longest`` rows."""

    def refusal(self, formulation: Formulation) -> str | None:
        if formulation.mistakes or formulation.rescaling == "none":
            return None  # which wrong ranking is the best does not depend on its loss
        if (formulation.rescaling, formulation.slack) == ("margin", "linear"):
            return None
        return (
            f"{self.name} cannot be trained with {formulation}: the most violated ranking is known for margin "
            "rescaling with linear slack and for the zero-one loss only."
        )

    def prepare_groups(self, truth: npt.NDArray[Any], offsets: Offsets, names: Sequence[str]) -> CreditTarget:
        return self.target_of(graded_target(truth, offsets, names, self.name), names)

    def target_of(self, graded: GradedTarget, names: Sequence[str]) -> CreditTarget:
        """The credits, or a complaint about a group that has too many states to search."""
        target = self.credits(graded, int(np.diff(graded.offsets).max()))
        states = np.zeros(graded.offsets.size - 1)
        keys, sizes = np.unique(graded.group * (int(graded.rank.max()) + 1) + graded.rank, return_counts=True)
        np.add.at(states, keys // (int(graded.rank.max()) + 1), np.log2(np.minimum(sizes, target.discount.size) + 1.0))
        large = np.flatnonzero(states > np.log2(MOST_STATES))
        if large.size:
            g = int(large[0])
            grades = int(graded.rank[graded.group == g].max()) + 1
            raise ValueError(
                f"The {np.diff(graded.offsets)[g]} rows of {names[g]} have {grades} different grades, too many to "
                f"search for the ranking that {self.name} violates most: use fewer grades or rows, a smaller k, or "
                "swapped_pairs."
            )
        return target

    def search_groups(
        self, scores: Floats, target: CreditTarget, formulation: Formulation, threads: int = 1
    ) -> Violations:
        graded = target.graded
        if formulation.mistakes:
            swapped, loss = most_violated_pairs(scores, graded, formulation, threads), target.worst_loss(scores)
            found = loss > 0.0
            return Violations(swapped.coefficients * graded.each_row(found.astype(np.float64)), loss, found)
        if formulation.rescaling == "none":
            swapped = most_violated_pairs(scores, graded, formulation, threads)
            return Violations(swapped.coefficients, swapped.found.astype(np.float64), swapped.found)
        credit, net = _core.most_violated_rankings(
            scores, graded.offsets, graded.rank, target.gain, target.weight, target.discount, graded.pairs, threads
        )
        coefficients = net / graded.each_row(graded.pairs)
        violations = Violations(coefficients, np.maximum(0.0, 1.0 - credit), np.ones(credit.size, dtype=bool))
        wrong = np.maximum.reduceat(net, graded.offsets[:-1]) > 0.0  # the credit of the truth is 1 but for rounding
        found = wrong & (violations.values(scores, graded.offsets, formulation) > 0.0)
        kept = found.astype(np.float64)
        return Violations(coefficients * graded.each_row(kept), violations.loss * kept, found)


def tied_blocks(scores: Floats) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Rows from the highest score to the lowest, and where in that order each block of equal scores begins, with the
    number of rows at the end."""
    order = np.argsort(-scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=np.inf))
    return order, np.append(starts, scores.size)

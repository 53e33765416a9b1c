"""Average precision of many groups: small groups are searched together, large ones one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation
from maxmargin.groups.average_precision import AveragePrecision
from maxmargin.groups.base import check_lengths
from maxmargin.groups.binary import BinaryTarget
from maxmargin.groups.graded import GradedTarget, graded_target
from maxmargin.groups.grouped import Violations
from maxmargin.rankings.positions import CreditTarget, PositionMeasure

Floats = npt.NDArray[np.float64]
Offsets = npt.NDArray[np.int64]

LARGE = 2**18  # pairs of a group from which on the search in O(n log n) is faster than one over all pairs


@dataclass(frozen=True, eq=False)
class AveragePrecisionTarget:
    """``together``: the small groups, one after the other; ``alone``: the truths of the large ones, by group."""

    graded: GradedTarget
    together: CreditTarget | None
    alone: dict[int, BinaryTarget]

    @property
    def n(self) -> int:
        return self.graded.n

    def small_rows(self) -> npt.NDArray[np.bool_]:
        """Which rows are in small groups."""
        rows = np.ones(self.n, dtype=bool)
        for g in self.alone:
            rows[self.graded.offsets[g] : self.graded.offsets[g + 1]] = False
        return rows


@dataclass(frozen=True)
class MeanAveragePrecision(PositionMeasure):
    """The mean of ``AveragePrecision`` over groups; the truth of a row is whether it is relevant."""

    name: ClassVar[str] = "average_precision"  # type: ignore[misc]
    ranking: ClassVar[bool] = True
    binary: ClassVar[bool] = True

    def credits(self, graded: GradedTarget, longest: int) -> CreditTarget:
        number = np.arange(1.0, longest + 1.0)
        relevant = np.add.reduceat(graded.rank, graded.offsets[:-1]).astype(np.float64)
        return CreditTarget(graded, graded.rank / graded.each_row(relevant), number, 1.0 / number)

    def prepare_groups(  # type: ignore[override]
        self, truth: npt.NDArray[Any], offsets: Offsets, names: Sequence[str]
    ) -> AveragePrecisionTarget:
        graded = graded_target(np.asarray(truth).astype(bool), offsets, names, self.name)
        large = graded.pairs > LARGE
        if not large.any():
            return AveragePrecisionTarget(graded, self.target_of(graded, names), {})
        alone = {int(g): BinaryTarget(graded.rank[offsets[g] : offsets[g + 1]] > 0) for g in np.flatnonzero(large)}
        target = AveragePrecisionTarget(graded, None, alone)
        if large.all():
            return target
        kept = target.small_rows()
        starts = np.concatenate([[0], np.cumsum(np.diff(offsets)[~large])]).astype(np.int64)
        small = GradedTarget(starts, graded.grades[kept], graded.rank[kept], graded.pairs[~large])
        return AveragePrecisionTarget(graded, self.target_of(small, names), alone)

    def search_groups(  # type: ignore[override]
        self, scores: Floats, target: AveragePrecisionTarget, formulation: Formulation, threads: int = 1
    ) -> Violations:
        if not target.alone:
            assert target.together is not None
            return super().search_groups(scores, target.together, formulation, threads)
        offsets, count = target.graded.offsets, target.graded.pairs.size
        coefficients, loss, found = np.zeros(target.n), np.zeros(count), np.zeros(count, dtype=bool)
        if target.together is not None:
            rows, groups = target.small_rows(), np.ones(count, dtype=bool)
            groups[list(target.alone)] = False
            small = super().search_groups(np.ascontiguousarray(scores[rows]), target.together, formulation, threads)
            coefficients[rows], loss[groups], found[groups] = small.coefficients, small.loss, small.found
        for g, truth in target.alone.items():
            part = slice(offsets[g], offsets[g + 1])
            worst = AveragePrecision().search(scores[part], truth, formulation)
            if worst is not None:
                coefficients[part], loss[g], found[g] = worst.coefficients, worst.loss, True
        return Violations(coefficients, loss, found)

    def value(self, scores: Floats, target: AveragePrecisionTarget) -> float:
        """The mean over groups, with ties as in ``AveragePrecision``."""
        check_lengths(scores, target.n)
        offsets, relevant = target.graded.offsets, target.graded.rank > 0
        own = AveragePrecision()
        return float(np.mean([own.value(scores[a:b], BinaryTarget(relevant[a:b])) for a, b in pairwise(offsets)]))

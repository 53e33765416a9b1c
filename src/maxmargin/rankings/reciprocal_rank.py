"""The reciprocal rank: one divided by the position of the first relevant row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.groups.base import check_lengths
from maxmargin.groups.graded import GradedTarget
from maxmargin.rankings.positions import CreditTarget, PositionMeasure, tied_blocks

Floats = npt.NDArray[np.float64]
Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ReciprocalRank(PositionMeasure):
    """``1 / position of the first relevant row``; its mean over queries is the MRR.

    The truth of a row is whether it is relevant. Rankings whose first row is relevant have no loss though other pairs
    may be swapped; the slack bounds the loss from above all the same.
    """

    name: ClassVar[str] = "mrr"  # type: ignore[misc]
    ranking: ClassVar[bool] = True
    binary: ClassVar[bool] = True

    def prepare_groups(self, truth: npt.NDArray[Any], offsets: Offsets, names: Sequence[str]) -> CreditTarget:
        return super().prepare_groups(np.asarray(truth).astype(bool), offsets, names)

    def credits(self, graded: GradedTarget, longest: int) -> CreditTarget:
        first_only = np.zeros(longest)
        first_only[0] = 1.0
        return CreditTarget(graded, graded.rank.astype(np.float64), first_only, 1.0 / np.arange(1.0, longest + 1.0))

    def value(self, scores: Floats, target: CreditTarget) -> float:
        """The mean over groups. Rows that tie come in any order: the expectation is taken."""
        check_lengths(scores, target.n)
        offsets, relevant = target.graded.offsets, target.graded.rank > 0
        return float(np.mean([_value(scores[a:b], relevant[a:b]) for a, b in pairwise(offsets)]))


def _value(scores: Floats, relevant: npt.NDArray[np.bool_]) -> float:
    order, starts = tied_blocks(scores)
    first = int(np.argmax(relevant[order]))
    block = int(np.searchsorted(starts, first, side="right")) - 1
    begin, end = int(starts[block]), int(starts[block + 1])
    r = int(relevant[order][begin:end].sum())
    others = end - begin - r
    ahead = np.arange(others + 1)  # irrelevant rows of the block before its first relevant one
    none_yet = np.concatenate([[1.0], np.cumprod((others - ahead[:-1]) / (others + r - ahead[:-1]))])
    return float(np.sum(none_yet * (r / (others + r - ahead)) / (begin + ahead + 1)))

"""Groups of rows that are positive or negative, and their scores in order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BinaryTarget:
    """The truth of one group: ``positive`` is a boolean array of shape (n,).

    ``weight`` is how much each row counts in the value of a measure, a whole number like so many rows; None is 1.
    Searches take rows that are repeated instead.
    """

    positive: npt.NDArray[np.bool_]
    weight: Floats | None = None

    @property
    def n(self) -> int:
        return self.positive.size

    def count(self, chosen: npt.NDArray[np.bool_]) -> float:
        """How many rows are chosen, by weight."""
        return float(np.count_nonzero(chosen)) if self.weight is None else float(self.weight[chosen].sum())

    @cached_property
    def positive_count(self) -> float:
        """The number of positive rows, by weight."""
        return self.count(self.positive)

    @cached_property
    def total(self) -> float:
        """The number of rows, by weight."""
        return float(self.n) if self.weight is None else float(self.weight.sum())

    @cached_property
    def positives(self) -> Positions:
        return np.flatnonzero(self.positive).astype(np.int64)

    @cached_property
    def negatives(self) -> Positions:
        return np.flatnonzero(~self.positive).astype(np.int64)

    @cached_property
    def signs(self) -> Floats:
        """+1 for a positive row, -1 for a negative one."""
        return np.where(self.positive, 1.0, -1.0)


def binary_target(
    truth: npt.NDArray[Any], where: str, measure: str, *, positive: bool = True, negative: bool = False
) -> BinaryTarget:
    """Checks the truth of one group, which must hold a positive (a negative) row where the measure needs one."""
    truth = np.asarray(truth)
    if truth.ndim != 1:
        raise ValueError(f"The truth of {where} has {truth.ndim} dimensions; one label per row is needed.")
    if not truth.size:
        raise ValueError(f"There are no rows in {where}; leave empty groups out.")
    target = BinaryTarget(truth.astype(bool))
    if positive and not target.positive.any():
        raise ValueError(f"There is no positive row in {where}; {measure} needs at least one in every group.")
    if negative and target.positive.all():
        raise ValueError(f"There is no negative row in {where}; {measure} needs at least one in every group.")
    return target


@dataclass(frozen=True, eq=False)
class Sides:
    """Positive and negative rows, best score first, and the sums of the best ``k`` scores of each side."""

    positives: Positions
    negatives: Positions
    positive_sums: Floats  # (P + 1,)
    negative_sums: Floats  # (N + 1,)

    @classmethod
    def of(cls, scores: Floats, target: BinaryTarget) -> Sides:
        scores = np.ascontiguousarray(scores, dtype=np.float64)
        positives, positive_sums = _core.sort_by_score(scores, target.positives)
        negatives, negative_sums = _core.sort_by_score(scores, target.negatives)
        return cls(positives, negatives, positive_sums, negative_sums)

    def flipped(self, tp: int, fp: int, n: int) -> Floats:
        """Coefficients of the labelling that calls the best ``tp`` positives and ``fp`` negatives positive:
        ``1 / n`` for a positive missed, ``-1 / n`` for a negative taken."""
        coefficients = np.zeros(n)
        coefficients[self.positives[tp:]] = 1.0 / n
        coefficients[self.negatives[:fp]] = -1.0 / n
        return coefficients

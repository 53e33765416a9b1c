"""Measures of the ``k`` rows of highest score: precision and recall at ``k``, and their break-even point.

The output calls exactly ``k`` rows positive. Where ``k`` is not the number of positives, no such output is the truth;
its place is taken by the mean of the best attainable ones, and the loss is the regret against them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.measures.base import Violation, check_lengths
from maxmargin.measures.binary import BinaryTarget, Sides, binary_target
from maxmargin.rescaling import Formulation

Floats = npt.NDArray[np.float64]


class AtK(ABC):
    """``Psi(y) = (1/2n) sum_i y_i x_i`` over the labellings with ``k`` positives."""

    ranking: ClassVar[bool] = True

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def predicted(self, target: BinaryTarget) -> int:
        """``k``."""

    @abstractmethod
    def worth(self, target: BinaryTarget) -> float:
        """What one true positive adds to the measure."""

    def refusal(self, formulation: Formulation) -> str | None:
        """Every formulation is exact."""
        return None

    def prepare(self, truth: npt.NDArray[Any], where: str = "the sample") -> BinaryTarget:
        target = binary_target(truth, where, self.name)
        k = self.predicted(target)
        if k > target.n:
            raise ValueError(f"{self.name} takes {k} rows, and {where} has {target.n}; choose a smaller k.")
        return target

    def search(self, scores: Floats, target: BinaryTarget, formulation: Formulation) -> Violation | None:
        check_lengths(scores, target.n)
        sides, k, n = Sides.of(scores, target), self.predicted(target), target.n
        P, N = sides.positives.size, sides.negatives.size
        most = min(k, P)
        tp = np.arange(max(0, k - N), most)  # those with a loss
        if not tp.size:
            return None
        losses: Floats = self.worth(target) * (most - tp).astype(np.float64)
        own = (sides.positive_sums[P] * most / P + (sides.negative_sums[N] * (k - most) / N if k > most else 0.0)) / n
        scored = (sides.positive_sums[tp] + sides.negative_sums[k - tp]) / n
        values = formulation.margin(losses) - formulation.scale(losses) * (own - scored)
        best = int(np.argmax(values))
        if formulation.mistakes:
            rival = (sides.positive_sums[most] + sides.negative_sums[k - most]) / n
            if scored[best] < rival:
                return None
        elif not values[best] > 0.0:
            return None
        coefficients = np.where(target.positive, most / P, (k - most) / N if k > most else 0.0)
        coefficients[sides.positives[: tp[best]]] -= 1.0
        coefficients[sides.negatives[: k - tp[best]]] -= 1.0
        return Violation(coefficients / n, float(losses[best]))

    def value(self, scores: Floats, target: BinaryTarget) -> float:
        """Rows that tie for the last place count with their share of positives."""
        check_lengths(scores, target.n)
        k = self.predicted(target)
        last = np.partition(scores, target.n - k)[target.n - k]
        above, tied = scores > last, scores == last
        certain = np.count_nonzero(target.positive & above)
        tp = certain + (k - np.count_nonzero(above)) * np.count_nonzero(target.positive & tied) / np.count_nonzero(tied)
        return float(self.worth(target) * tp)


def _checked(k: Any) -> None:
    if isinstance(k, bool) or not isinstance(k, Integral) or k < 1:
        raise ValueError(f"k must be a positive integer, not {k!r}.")


@dataclass(frozen=True)
class PrecisionAtK(AtK):
    """The share of positives among the ``k`` rows of highest score."""

    k: int

    def __post_init__(self) -> None:
        _checked(self.k)

    @property
    def name(self) -> str:
        return f"precision_at_k({self.k})"

    def predicted(self, target: BinaryTarget) -> int:
        return self.k

    def worth(self, target: BinaryTarget) -> float:
        return 1.0 / self.k


@dataclass(frozen=True)
class RecallAtK(AtK):
    """The share of the positives that are among the ``k`` rows of highest score."""

    k: int

    def __post_init__(self) -> None:
        _checked(self.k)

    @property
    def name(self) -> str:
        return f"recall_at_k({self.k})"

    def predicted(self, target: BinaryTarget) -> int:
        return self.k

    def worth(self, target: BinaryTarget) -> float:
        return 1.0 / target.positives.size


@dataclass(frozen=True)
class BreakEven(AtK):
    """The break-even point of precision and recall: both at ``k``, the number of positives."""

    name = "prbep"

    def predicted(self, target: BinaryTarget) -> int:
        return int(target.positives.size)

    def worth(self, target: BinaryTarget) -> float:
        return 1.0 / target.positives.size

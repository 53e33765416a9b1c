"""Measures of the ``k`` rows of highest score: precision and recall at ``k``, and their break-even point.

The output calls exactly ``k`` rows positive. Where ``k`` is not the number of positives ``P``, no such output is the
truth, and the loss is the regret against the best attainable. The place of the truth is taken by the mean of the best
attainable outputs that are nearest to the output at hand. With ``r`` true positives less than attainable,

    ``n psi = a (sum of the positives left out) - b (sum of the negatives taken)``

with ``a = r / (P - k + r), b = 1`` for ``k < P``, ``a = 1, b = r / (k - P + r)`` for ``k > P``, and ``a = b = 1`` for
``k = P``. So the slack bounds the regret of the ``k`` best rows, and a constant feature has no influence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation
from maxmargin.core.input_checks import quoted
from maxmargin.groups.base import Violation, check_lengths
from maxmargin.groups.binary import BinaryTarget, Sides, binary_target

Floats = npt.NDArray[np.float64]


class AtK(ABC):
    """``Psi(y) = (1/2n) sum_i y_i x_i`` over the labellings with ``k`` positives."""

    ranking: ClassVar[bool] = True

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def predicted(self, target: BinaryTarget) -> float:
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
            raise ValueError(f"{self.name} takes {k:g} rows, and {where} has {target.n}; choose a smaller k.")
        return target

    def search(self, scores: Floats, target: BinaryTarget, formulation: Formulation) -> Violation | None:
        check_lengths(scores, target.n)
        sides, k, n = Sides.of(scores, target), int(self.predicted(target)), target.n
        P, N = sides.positives.size, sides.negatives.size
        most = min(k, P)
        tp = np.arange(max(0, k - N), most)  # those with a loss
        if not tp.size:
            return None
        regret, taken = most - tp, k - tp
        losses: Floats = self.worth(target) * regret.astype(np.float64)
        left_out = sides.positive_sums[P] - sides.positive_sums[tp]
        a, b = regret / (P - tp), regret / taken  # one of them is 1
        lead = (a * left_out - b * sides.negative_sums[taken]) / n
        values = formulation.margin(losses) - formulation.scale(losses) * lead
        best = int(np.argmax(values))
        if formulation.mistakes:
            scored = sides.positive_sums[tp] + sides.negative_sums[taken]
            best = int(np.argmax(scored))
            if scored[best] < sides.positive_sums[most] + sides.negative_sums[k - most]:
                return None
        elif not values[best] > 0.0:
            return None
        coefficients = np.zeros(n)
        coefficients[sides.positives[tp[best] :]] = a[best] / n
        coefficients[sides.negatives[: taken[best]]] = -b[best] / n
        return Violation(coefficients, float(losses[best]))

    def unit(self, target: BinaryTarget) -> float:
        """Two rows change places in the least mistake."""
        return 0.5 * target.n * self.worth(target)

    def value(self, scores: Floats, target: BinaryTarget) -> float:
        """Rows that tie for the last place count with their share of positives."""
        check_lengths(scores, target.n)
        k = min(self.predicted(target), target.total)
        if target.weight is None:
            last = np.partition(scores, target.n - int(k))[target.n - int(k)]
        else:
            order = np.argsort(-scores, kind="stable")
            taken = np.cumsum(target.weight[order])
            last = scores[order[min(int(np.searchsorted(taken, k)), target.n - 1)]]
        above, tied = scores > last, scores == last
        share = (k - target.count(above)) / target.count(tied)
        tp = target.count(target.positive & above) + share * target.count(target.positive & tied)
        return float(self.worth(target) * tp)


def _checked(k: Any) -> None:
    if isinstance(k, bool) or not isinstance(k, Integral) or k < 1:
        raise ValueError(f"k must be a positive integer, not {quoted(k)}.")


@dataclass(frozen=True)
class PrecisionAtK(AtK):
    """The share of positives among the ``k`` rows of highest score."""

    k: int

    def __post_init__(self) -> None:
        _checked(self.k)

    @property
    def name(self) -> str:
        return f"precision_at_k({self.k})"

    def predicted(self, target: BinaryTarget) -> float:
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

    def predicted(self, target: BinaryTarget) -> float:
        return self.k

    def worth(self, target: BinaryTarget) -> float:
        return 1.0 / target.positive_count


@dataclass(frozen=True)
class BreakEven(AtK):
    """The break-even point of precision and recall: both at ``k``, the number of positives."""

    name = "prbep"

    def predicted(self, target: BinaryTarget) -> float:
        return target.positive_count

    def worth(self, target: BinaryTarget) -> float:
        return 1.0 / target.positive_count

"""Measures of a labelling: functions of the contingency table (tp, fp, fn, tn).

``Psi(y) = (1/2n) sum_i y_i x_i`` with ``y_i = +-1``, so ``psi = (1/n) sum over wrong rows of (true sign) x_i``. Every
formulation is searched exactly; see ``table_search``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation
from maxmargin.groups.base import Violation, check_lengths
from maxmargin.groups.binary import BinaryTarget, binary_target
from maxmargin.measures.table_search import Tables, search_by_name

Floats = npt.NDArray[np.float64]


class Contingency(ABC):
    """A measure of the table; ``value`` is that of predicting the rows with a score above 0 as positive."""

    ranking: ClassVar[bool] = False
    needs_negative: ClassVar[bool] = False

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def loss(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        """The loss of tables: arrays of counts (float64) of one shape, or numbers."""

    def score(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        """The measure as people quote it, larger is better; one minus the loss unless a measure says otherwise."""
        return 1.0 - self.loss(tp, fp, fn, tn)

    @abstractmethod
    def most_violated(self, tables: Tables) -> Violation | None: ...

    def search(self, scores: Floats, target: BinaryTarget, formulation: Formulation) -> Violation | None:
        check_lengths(scores, target.n)
        return self.most_violated(Tables.at(self.loss, scores, target, formulation))

    def refusal(self, formulation: Formulation) -> str | None:
        """Every formulation is exact."""
        return None

    def prepare(self, truth: npt.NDArray[Any], where: str = "the sample") -> BinaryTarget:
        return binary_target(truth, where, self.name, negative=self.needs_negative)

    def value(self, scores: Floats, target: BinaryTarget) -> float:
        check_lengths(scores, target.n)
        return self.of_prediction(scores > 0.0, target)

    def unit(self, target: BinaryTarget) -> float:
        """Of one mistake of each kind; 1 where that costs nothing."""
        P, N = float(target.positives.size), float(target.negatives.size)
        if not (P and N):
            return 1.0
        return target.n * float(self.loss(*np.array([[P - 1.0], [1.0], [1.0], [N - 1.0]]))[0]) or 1.0

    def of_prediction(self, predicted: npt.NDArray[np.bool_], target: BinaryTarget) -> float:
        """The measure of a labelling."""
        tp, P = target.count(predicted & target.positive), target.positive_count
        fp = target.count(predicted & ~target.positive)
        return float(self.score(tp, fp, P - tp, target.total - P - fp))


@dataclass(frozen=True)
class ErrorRate(Contingency):
    """The share of rows with the wrong sign; ``value`` is the accuracy. With margin rescaling and linear slack this is
    the binary support vector machine: ``n * slack = sum_i max(0, 1 - y_i s_i)``."""

    name = "error_rate"

    def loss(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return (fp + fn) / (tp + fp + fn + tn)

    def prepare(self, truth: npt.NDArray[Any], where: str = "the sample") -> BinaryTarget:
        return binary_target(truth, where, self.name, positive=False)

    def unit(self, target: BinaryTarget) -> float:
        return 1.0

    def search(self, scores: Floats, target: BinaryTarget, formulation: Formulation) -> Violation | None:
        check_lengths(scores, target.n)
        if (formulation.rescaling, formulation.slack) != ("margin", "linear") or formulation.mistakes:
            return super().search(scores, target, formulation)
        wrong = target.signs * scores < 1.0  # a sum over rows: each flips on its own
        flips = np.count_nonzero(wrong)
        return Violation(np.where(wrong, target.signs / target.n, 0.0), flips / target.n) if flips else None

    def most_violated(self, tables: Tables) -> Violation | None:
        return search_by_name(tables, "error_rate")


@dataclass(frozen=True)
class FBeta(Contingency):
    """``F_beta = (1 + beta^2) tp / ((1 + beta^2) tp + beta^2 fn + fp)``; a ``beta`` above 1 favours recall."""

    beta: float = 1.0

    def __post_init__(self) -> None:
        if not (isinstance(self.beta, int | float) and 0.0 < self.beta < float("inf")):
            raise ValueError(f"beta must be a positive number, not {self.beta!r}.")

    @property
    def name(self) -> str:
        return "f1" if self.beta == 1.0 else f"fbeta({self.beta:g})"

    def loss(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        square = self.beta**2
        return 1.0 - (1.0 + square) * tp / (square * (tp + fn) + tp + fp)

    def most_violated(self, tables: Tables) -> Violation | None:
        return search_by_name(tables, "f_beta", self.beta)


@dataclass(frozen=True)
class BalancedError(Contingency):
    """The mean of the error rates of the two classes; ``value`` is the balanced accuracy."""

    name = "balanced_error"
    needs_negative = True

    def loss(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return 0.5 * (fn / (tp + fn) + fp / (fp + tn))

    def most_violated(self, tables: Tables) -> Violation | None:
        return search_by_name(tables, "balanced_error")


@dataclass(frozen=True)
class MatthewsCorrelation(Contingency):
    """``loss = (1 - MCC) / 2``, with an MCC of 0 where every row is predicted to be of one class.

    With ``k = tp + fp`` given it is linear: ``MCC = (n tp - P k) / sqrt(P N k (n - k))``.
    """

    name = "mcc"
    needs_negative = True

    def loss(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return 0.5 * (1.0 - self.score(tp, fp, fn, tn))

    def score(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        square = (tp + fn) * (fp + tn) * (tp + fp) * (fn + tn)
        return (tp * tn - fp * fn) / np.sqrt(np.where(square > 0.0, square, 1.0))

    def most_violated(self, tables: Tables) -> Violation | None:
        return search_by_name(tables, "matthews")

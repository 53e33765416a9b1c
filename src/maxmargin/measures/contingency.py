"""Measures of a labelling: functions of the contingency table (tp, fp, fn, tn).

``Psi(y) = (1/2n) sum_i y_i x_i`` with ``y_i = +-1``, so ``psi = (1/n) sum over wrong rows of (true sign) x_i``. Among
all labellings with ``tp`` true and ``fp`` false positives the best takes the ``tp`` best positives and the ``fp`` best
negatives: two sorts and prefix sums give its score for every table, hence every formulation is searched exactly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.measures.base import Violation, check_lengths
from maxmargin.measures.binary import BinaryTarget, binary_target
from maxmargin.rescaling import Formulation

Floats = npt.NDArray[np.float64]


class Contingency(ABC):
    """A measure of the table; ``value`` is that of predicting the rows with a score above 0 as positive."""

    ranking = False
    needs_negative = False

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def loss(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        """The loss of tables, any arrays of counts of one shape (float64)."""

    def score(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        """The measure as people quote it, larger is better; one minus the loss unless a measure says otherwise."""
        return 1.0 - self.loss(tp, fp, fn, tn)

    @abstractmethod
    def search(self, scores: Floats, target: BinaryTarget, formulation: Formulation) -> Violation | None: ...

    def refusal(self, formulation: Formulation) -> str | None:
        """Every formulation is exact."""
        return None

    def prepare(self, truth: npt.NDArray[Any], where: str = "the sample") -> BinaryTarget:
        return binary_target(truth, where, self.name, negative=self.needs_negative)

    def value(self, scores: Floats, target: BinaryTarget) -> float:
        return self.of_prediction(scores > 0.0, target)

    def of_prediction(self, predicted: npt.NDArray[np.bool_], target: BinaryTarget) -> float:
        """The measure of a labelling."""
        tp = float(np.count_nonzero(predicted & target.positive))
        fp = float(np.count_nonzero(predicted)) - tp
        P = float(target.positives.size)
        return float(self.score(tp, fp, P - tp, target.n - P - fp))


@dataclass(frozen=True)
class ErrorRate(Contingency):
    """The share of rows with the wrong sign. With margin rescaling and linear slack this is the binary support vector
    machine: ``n * slack = sum_i max(0, 1 - y_i s_i)``."""

    name = "error_rate"

    def loss(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return (fp + fn) / (tp + fp + fn + tn)

    def prepare(self, truth: npt.NDArray[Any], where: str = "the sample") -> BinaryTarget:
        return binary_target(truth, where, self.name, positive=False)

    def search(self, scores: Floats, target: BinaryTarget, formulation: Formulation) -> Violation | None:
        check_lengths(scores, target.n)
        margins, n = target.signs * scores, target.n
        if (formulation.rescaling, formulation.slack) == ("margin", "linear") and not formulation.mistakes:
            wrong = margins < 1.0  # a sum over rows: each flips on its own
        else:
            wrong = self._best_count(margins, formulation)
        flips = np.count_nonzero(wrong)
        if not flips:
            return None
        return Violation(np.where(wrong, target.signs / n, 0.0), flips / n)

    def _best_count(self, margins: Floats, formulation: Formulation) -> npt.NDArray[np.bool_]:
        """The rows to flip: of all labellings with ``k`` errors the best flips the ``k`` smallest margins."""
        n = margins.size
        order = np.argsort(margins, kind="stable")
        losses = np.arange(1, n + 1) / n
        values = formulation.margin(losses) - formulation.scale(losses) * np.cumsum(margins[order]) / n
        best = int(np.argmax(values))
        wrong = np.zeros(n, dtype=bool)
        if values[best] > 0.0 or (formulation.mistakes and values[best] == 0.0):
            wrong[order[: best + 1]] = True
        return wrong

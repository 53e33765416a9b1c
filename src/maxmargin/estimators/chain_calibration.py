"""Probabilities for chain estimators whose scores were not fitted to be any."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from maxmargin.estimators.calibration import held_out_temperature
from maxmargin.estimators.chain_base import ChainEstimator
from maxmargin.sequences import pack


class CalibratedChain(ChainEstimator):
    """A chain estimator whose probabilities are a softmax of scores at a temperature that ``calibrate`` finds."""

    probabilistic: ClassVar[bool] = False
    temperature_: float
    calibrated_: bool

    def calibrate(self, X: Any, Y: Any, folds: int = 3, lengths: Any = None) -> Self:
        """Fits the temperature at which the softmax of the scores has the highest likelihood on held-out folds.

        Trains ``folds`` models, each without one part of the sequences, and asks each about the part it has not seen.
        """
        labels = self._true_labels(X, Y, lengths)
        self.temperature_ = held_out_temperature(self, X if lengths is None else pack(X, lengths), labels, folds)
        self.calibrated_ = True
        return self

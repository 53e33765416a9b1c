"""Probabilities for chain estimators whose scores were not fitted to be any."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from maxmargin.estimators.calibration import held_out_temperature
from maxmargin.estimators.chain_base import ChainEstimator
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.sequences import pack


class CalibratedChain(ChainEstimator):
    """A chain estimator whose probabilities are a softmax of scores at a temperature that ``calibrate`` finds."""

    probabilistic: ClassVar[bool] = False
    temperature_: float
    calibrated_: bool

    def calibrate(self, X: Any, Y: Any, folds: int = 3, lengths: Any = None, sample_weight: Any = None) -> Self:
        """Fits the temperature at which the softmax of the scores has the highest likelihood on held-out folds.

        Trains ``folds`` models, each without one part of the sequences, and asks each about the part it has not seen.
        ``sample_weight``, one weight for each sequence, counts in both.
        """
        labels = self._true_labels(X, Y, lengths)
        weight = check_sample_weight(sample_weight, len(labels))
        given = X if lengths is None else pack(X, lengths)
        self.temperature_ = held_out_temperature(
            self, given, labels, folds, np.ones(len(labels)) if weight is None else weight
        )
        self.calibrated_ = True
        return self

    def _costs_of(self, labels: set[Any]) -> dict[str, Any]:
        """Parameters with the costs of some of the labels, for a training set that has no others."""
        return {}

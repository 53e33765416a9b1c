"""Probabilities for chain estimators whose scores were not fitted to be any."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import KFold

from maxmargin.chains.base import ChainEstimator
from maxmargin.chains.sequences.labels import pack_labels
from maxmargin.chains.sequences.packing import pack
from maxmargin.fitting.calibration import (
    HeldOut,
    Labels,
    WithoutFold,
    best_temperature,
    check_folds,
    models_without_folds,
)
from maxmargin.oracles.bind import check_sample_weight

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.intp]


class CalibratedChain(ChainEstimator):
    """A chain estimator whose probabilities are a softmax of scores at a temperature that ``calibrate`` finds."""

    probabilistic: ClassVar[bool] = False
    temperature_: float
    calibrated_: bool

    def calibrate(self, X: Any, y: Any, *, folds: int = 3, lengths: Any = None, sample_weight: Any = None) -> Self:
        """Fits the temperature at which the softmax of the scores has the highest likelihood on held-out folds.

        Trains ``folds`` models, each without one part of the sequences, and asks each about the part it has not seen.
        ``sample_weight``, one weight for each sequence, counts in both.
        """
        labels = self._true_labels(X, y, lengths)
        weight = check_sample_weight(sample_weight, len(labels))
        given = X if lengths is None else pack(X, lengths)
        self.temperature_ = held_out_temperature(
            self, given, labels, folds, np.ones(len(labels)) if weight is None else weight
        )
        self.calibrated_ = True
        return self

    def _settings_for(self, classes: npt.NDArray[Any]) -> dict[str, Any]:
        """Parameters with the costs of some of the labels, for a training set that has no others."""
        return {}


def held_out_temperature(estimator: Any, X: Any, Y: Any, folds: int, weight: Floats) -> float:
    """The temperature T of ``softmax(F / T)`` that maximises the likelihood of labels on folds not trained on.

    ``weight`` holds one number for each sequence, which counts in training and in the likelihood; sequences of weight 0
    are left out.
    """
    used = np.flatnonzero(weight > 0.0)
    check_folds(folds, used.size, "sequences")
    classes, code = np.unique(np.concatenate([np.asarray(y) for y in Y]), return_inverse=True)
    labels = Labels(classes, code, np.repeat(np.arange(len(Y)), [len(y) for y in Y]), len(Y))
    splits = ((used[kept], used[left]) for kept, left in KFold(folds, shuffle=True, random_state=0).split(used))
    parts = [_held_out(part, weight) for part in models_without_folds(estimator, X, Y, labels, splits, weight)]
    if not parts:
        raise ValueError(
            "Every sequence has a label that the other folds lack, so that no held-out sequence has a probability; "
            "give more sequences, or more folds."
        )
    return best_temperature(parts)


def _held_out(part: WithoutFold, weight: Floats) -> HeldOut:
    model = part.model
    given = model._read(part.X, None)
    codes = pack_labels(part.Y, given.tokens, classes=model.classes_)[1]
    core, weights = model._core(given), model._native()
    scores = core.path_scores(weights, codes)

    def log_sums(temperature: float) -> Floats:
        return np.asarray(core.marginals(weights, temperature, None, None, 1)[1])

    return HeldOut(log_sums, scores, np.array([len(y) for y in part.Y]), weight[part.places])

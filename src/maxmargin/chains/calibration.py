"""Probabilities for chain estimators whose scores were not fitted to be any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils import _safe_indexing

from maxmargin.chains.base import ChainEstimator
from maxmargin.chains.sequences.labels import pack_labels
from maxmargin.chains.sequences.packing import pack
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

    def _costs_of(self, labels: set[Any]) -> dict[str, Any]:
        """Parameters with the costs of some of the labels, for a training set that has no others."""
        return {}


def held_out_temperature(estimator: Any, X: Any, Y: Any, folds: int, weight: Floats) -> float:
    """The temperature T of ``softmax(F / T)`` that maximises the likelihood of labels on folds not trained on.

    ``weight`` holds one number for each sequence, which counts in training and in the likelihood; sequences of weight 0
    are left out.
    """
    used = np.flatnonzero(weight > 0.0)
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or not 2 <= folds <= used.size:
        raise ValueError(f"folds must be a whole number from 2 to the number of sequences, {used.size}, not {folds!r}.")
    parts = []
    for kept, left in KFold(folds, shuffle=True, random_state=0).split(used):
        part = _held_out(estimator, X, Y, weight, used[kept], used[left])
        if part is not None:
            parts.append(part)
    if not parts:
        raise ValueError(
            "Every sequence has a label that the other folds lack, so that no held-out sequence has a probability; "
            "give more sequences, or more folds."
        )

    def loss(log_temperature: float) -> float:
        return sum(part.negative_log_likelihood(float(np.exp(log_temperature))) for part in parts)

    found = minimize_scalar(loss, bounds=(-7.0, 7.0), method="bounded", options={"xatol": 1e-3})
    return float(np.exp(found.x))


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Sequences that a model was not trained on: ``core`` holds them, ``scores`` are those of their labels."""

    core: Any
    weights: Floats
    scores: Floats
    sample_weight: Floats

    def negative_log_likelihood(self, temperature: float) -> float:
        log_sum = self.core.marginals(self.weights, temperature, None, None, 1)[1]
        return float(self.sample_weight @ (log_sum - self.scores / temperature))


def _held_out(estimator: Any, X: Any, Y: Any, weight: Floats, kept: Positions, left: Positions) -> HeldOut | None:
    """Those of the sequences left whose labels the kept ones have: the others have no probability at any temperature.

    None where there are none.
    """
    labels = {label for i in kept for label in np.asarray(Y[i]).tolist()}
    known = [i for i in left if labels.issuperset(np.asarray(Y[i]).tolist())]
    if not known:
        return None
    model = clone(estimator).set_params(callback=None, verbose=0, **estimator._costs_of(labels))
    model.fit(_safe_indexing(X, kept), _safe_indexing(Y, kept), sample_weight=weight[kept])
    given = model._read(_safe_indexing(X, known), None)
    codes = pack_labels(_safe_indexing(Y, known), given.tokens, classes=model.classes_)[1]
    core = model.chain_.core(given)
    return HeldOut(core, model.weights_, core.path_scores(model.weights_, codes), weight[known])

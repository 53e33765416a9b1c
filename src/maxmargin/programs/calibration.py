"""Probabilities for estimators of programs whose scores were not fitted to be any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from sklearn.model_selection import KFold

from maxmargin.core.problem import as_examples
from maxmargin.fitting.calibration import Labels, WithoutFold, check_folds, models_without_folds
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.programs.base import ProgramEstimator

Floats = npt.NDArray[np.float64]


class CalibratedProgram(ProgramEstimator):
    """An estimator whose probabilities are a softmax of scores at a temperature that ``calibrate`` finds."""

    probabilistic: ClassVar[bool] = False
    calibrated_: bool

    def calibrate(self, X: Sequence[Any], y: Sequence[Any], *, folds: int = 3, sample_weight: Any = None) -> Self:
        """Fits the temperature at which the softmax of the scores has the highest likelihood on held-out folds.

        Trains ``folds`` models, each without one part of the examples, and asks each about the part it has not seen.
        ``sample_weight``, one weight for each example, counts in both.
        """
        X, y = as_examples(X, y)
        weight = check_sample_weight(sample_weight, len(y))
        self.temperature_ = held_out_temperature(self, X, y, folds, np.ones(len(y)) if weight is None else weight)
        self.calibrated_ = True
        return self

    def _settings_for(self, classes: npt.NDArray[Any]) -> dict[str, Any]:
        return {}


def held_out_temperature(estimator: Any, X: Any, Y: Any, folds: int, weight: Floats) -> float:
    """The temperature T of ``softmax(F / T)`` that maximises the likelihood of outputs on folds not trained on.

    Examples of weight 0 are left out.
    """
    used = np.flatnonzero(weight > 0.0)
    check_folds(folds, used.size, "examples")
    alike = Labels(np.zeros(1), np.zeros(len(Y), np.int64), np.arange(len(Y)), len(Y))  # any fold has all outputs
    splits = ((used[kept], used[left]) for kept, left in KFold(folds, shuffle=True, random_state=0).split(used))
    parts = [HeldOut.of(part, weight) for part in models_without_folds(estimator, X, Y, alike, splits, weight)]

    def loss(log_temperature: float) -> float:
        return sum(part.negative_log_likelihood(float(np.exp(log_temperature))) for part in parts)

    found = minimize_scalar(loss, bounds=(-7.0, 7.0), method="bounded", options={"xatol": 1e-3})
    return float(np.exp(found.x))


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Examples that a model was not trained on: ``core`` holds them, ``scores`` are those of their outputs."""

    core: Any
    weights: Floats
    scores: Floats
    sample_weight: Floats

    @classmethod
    def of(cls, part: WithoutFold, weight: Floats) -> HeldOut:
        model = part.model
        core = model._read(part.X).programs.core
        return cls(core, model.coef_, model.decision_value(part.X, part.Y), weight[part.places])

    def negative_log_likelihood(self, temperature: float) -> float:
        log_sum = self.core.marginals(self.weights, temperature, None, None, 1)[1]
        return float(self.sample_weight @ (log_sum - self.scores / temperature))

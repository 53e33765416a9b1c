"""Probabilities for estimators of programs whose scores were not fitted to be any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import KFold

from maxmargin.core.problem import as_examples
from maxmargin.fitting.calibration import (
    HeldOut,
    Labels,
    WithoutFold,
    best_temperature,
    check_folds,
    models_without_folds,
)
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.programs.base import ProgramEstimator
from maxmargin.programs.targets import true_edges

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
    parts = [_held_out(part, weight) for part in models_without_folds(estimator, X, Y, alike, splits, weight)]
    return best_temperature(parts)


def _held_out(part: WithoutFold, weight: Floats) -> HeldOut:
    model = part.model
    given = model._read(part.X)
    programs = given.programs
    truths = true_edges(model.space, programs.topologies, given.X, part.Y)
    scores = np.array([programs.core.scores(model.coef_, i)[own].sum() for i, own in enumerate(truths)])
    pieces = np.array([own.size for own in truths])
    return HeldOut(programs.core, model.coef_, scores, pieces, weight[part.places])

"""Probabilities for estimators of programs whose scores were not fitted to be any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from maxmargin.fitting.calibration import HeldOut, WithoutFold, temperature_on_folds
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
        self.temperature_ = temperature_on_folds(self, X, y, folds, sample_weight, _held_out)
        self.calibrated_ = True
        return self

    def _settings_for(self, classes: npt.NDArray[Any]) -> dict[str, Any]:
        return {}


def _held_out(part: WithoutFold, weight: Floats) -> HeldOut:
    model = part.model
    given = model._read(part.X)
    programs = given.programs
    truths = true_edges(model.space, programs.topologies, given.X, part.Y)
    scores = np.array([programs.core.scores(model.coef_, i)[own].sum() for i, own in enumerate(truths)])
    pieces = np.array([own.size for own in truths])

    def log_sums(temperature: float) -> Floats:
        return np.asarray(programs.core.marginals(model.coef_, temperature, None, None, 1)[1])

    return HeldOut(log_sums, scores, pieces, weight[part.places])

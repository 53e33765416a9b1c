"""Probabilities for problems, whose scores were not fitted to be any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from maxmargin.core.problem import Unsupported, asked, has_power, targets_of
from maxmargin.fitting.calibration import HeldOut, WithoutFold, temperature_on_folds
from maxmargin.problems.predictions import ProblemPredictions, asks

Floats = npt.NDArray[np.float64]


class CalibratedProblem(ProblemPredictions):
    """An estimator whose probabilities are a softmax of scores at a temperature that ``calibrate`` finds."""

    @asks("log_partition")  # type: ignore[untyped-decorator]
    def calibrate(self, X: Sequence[Any], y: Sequence[Any], *, folds: int = 3, sample_weight: Any = None) -> Self:
        """Fits the temperature at which the softmax of the scores has the highest likelihood on held-out folds.

        Trains ``folds`` models, each without one part of the examples, and asks each about the part it has not seen.
        ``sample_weight``, one weight for each example, counts in both.
        """
        if has_power(self.problem, "impute"):
            raise Unsupported(
                f"{type(self.problem).__name__} has latent variables (impute): the probability of a label, a sum over "
                "the outputs that agree with it, is not known, and calibrate cannot be used."
            )
        self.temperature_ = temperature_on_folds(self, X, y, folds, sample_weight, _held_out)
        self.calibrated_ = True
        return self

    def _settings_for(self, classes: npt.NDArray[Any]) -> dict[str, Any]:
        return {}


def _held_out(part: WithoutFold, weight: Floats) -> HeldOut:
    model: ProblemPredictions = part.model
    problem = model.problem

    def log_sums(temperature: float) -> Floats:
        w = model.coef_ / temperature
        found = [asked(problem, "log_partition", int(i), x, w) for i, x in zip(part.places, part.X)]
        return np.array(found, dtype=np.float64)

    scores = model.decision_value(part.X, targets_of(problem, part.X, part.Y))
    return HeldOut(log_sums, scores, np.ones(len(scores), dtype=np.int64), weight[part.places])

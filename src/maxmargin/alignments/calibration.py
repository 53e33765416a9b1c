"""Probabilities for estimators of alignments whose scores were not fitted to be any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from maxmargin.alignments.base import AlignmentEstimator
from maxmargin.alignments.packed import read_alignments
from maxmargin.fitting.calibration import HeldOut, WithoutFold, temperature_on_folds

Floats = npt.NDArray[np.float64]


class CalibratedAlignment(AlignmentEstimator):
    """An estimator whose probabilities are a softmax of scores at a temperature that ``calibrate`` finds."""

    probabilistic: ClassVar[bool] = False
    calibrated_: bool

    def calibrate(self, X: Sequence[Any], y: Sequence[Any], *, folds: int = 3, sample_weight: Any = None) -> Self:
        """Fits the temperature at which the softmax of the scores has the highest likelihood on held-out folds.

        Trains ``folds`` models, each without one part of the examples, and asks each about the part it has not seen.
        Where the parameter ``alphabet`` is None, models have the letters of this one.
        """
        self.temperature_ = temperature_on_folds(self, X, y, folds, sample_weight, _held_out)
        self.calibrated_ = True
        return self

    def _settings_for(self, classes: npt.NDArray[Any]) -> dict[str, Any]:
        return {"alphabet": self.layout_.alphabets}


def _held_out(part: WithoutFold, weight: Floats) -> HeldOut:
    model: AlignmentEstimator = part.model
    packed = model._pack(part.X)
    truths = read_alignments(packed.given, part.Y)
    pieces = np.array([max(1, len(own)) for own in truths])

    def log_sums(temperature: float) -> Floats:
        return model._log_sums(packed, temperature)

    return HeldOut(log_sums, model._values(packed, truths), pieces, weight[part.places])

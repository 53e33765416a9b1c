"""Probabilities for estimators of alignments whose scores were not fitted to be any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import KFold

from maxmargin.alignments.base import AlignmentEstimator
from maxmargin.alignments.packed import PackedAlignments, read_alignments
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
        X, y = as_examples(X, y)
        weight = check_sample_weight(sample_weight, len(y))
        used = np.arange(len(y)) if weight is None else np.flatnonzero(weight > 0.0)
        check_folds(folds, used.size, "examples")
        alike = Labels(np.zeros(1), np.zeros(len(y), np.int64), np.arange(len(y)), len(y))  # any fold has all outputs
        splits = ((used[kept], used[left]) for kept, left in KFold(folds, shuffle=True, random_state=0).split(used))
        counts = np.ones(len(y)) if weight is None else weight
        parts = [_held_out(part, counts) for part in models_without_folds(self, X, y, alike, splits, counts)]
        self.temperature_ = best_temperature(parts)
        self.calibrated_ = True
        return self

    def _settings_for(self, classes: npt.NDArray[Any]) -> dict[str, Any]:
        return {"alphabet": self.layout_.alphabets}


@dataclass(frozen=True, eq=False)
class _LogSums:
    """What ``HeldOut`` asks of examples."""

    model: AlignmentEstimator
    packed: PackedAlignments

    def marginals(self, weights: Floats, temperature: float, *_: Any) -> tuple[None, Floats]:
        return None, self.model._log_sums(self.packed, temperature)


def _held_out(part: WithoutFold, weight: Floats) -> HeldOut:
    model: AlignmentEstimator = part.model
    packed = model._pack(part.X)
    truths = read_alignments(packed.given, part.Y)
    pieces = np.array([max(1, len(own)) for own in truths])
    return HeldOut(_LogSums(model, packed), model.coef_, model._values(packed, truths), pieces, weight[part.places])

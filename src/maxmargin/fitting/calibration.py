"""A temperature that makes scores probabilities, from held-out folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.fitting.warning import warn_caller

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.intp]


class NotCalibratedWarning(UserWarning):
    """Probabilities come from scores that were not fitted to be probabilities."""


def say_not_calibrated(estimator: Any) -> None:
    """Warns that a softmax of scores is no more than that."""
    warn_caller(
        f"These probabilities are a softmax of the scores of {type(estimator).__name__}, which were not fitted to "
        "be probabilities; call calibrate(X, y) for a temperature from held-out folds.",
        NotCalibratedWarning,
    )

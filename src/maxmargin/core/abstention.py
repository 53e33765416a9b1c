"""What is gained where a model may abstain: errors among the answers that it is surest of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AbstentionCurve:
    """What a model does that answers only where its confidence is at least a threshold; the thresholds ascend.

    Attributes
    ----------
    threshold : values of the confidence, shape (m,)
    answered : share of the predictions that are made
    error : share of these that are wrong
    precision : share of these that are right
    recall : share of all that are answered rightly
    """

    threshold: Floats
    answered: Floats
    error: Floats
    precision: Floats
    recall: Floats

    def at(self, answered: float) -> float:
        """The error where at least this share is answered."""
        if not answered <= 1.0:
            raise ValueError(f"answered is a share of all predictions, at most 1, not {answered}.")
        return float(self.error[np.flatnonzero(self.answered >= answered)[-1]])


def abstention_curve(confidence: Any, right: Any) -> AbstentionCurve:
    """The curve over all thresholds, from no abstention to the surest predictions only.

    Parameters
    ----------
    confidence : a number for each prediction, such as the probability of its label
    right : whether each prediction is right
    """
    confidence, right = np.asarray(confidence, dtype=np.float64).ravel(), np.asarray(right).ravel()
    if confidence.shape != right.shape:
        raise ValueError(
            f"There are {confidence.size} confidences and {right.size} predictions that are right or wrong; give one "
            "of each for every prediction."
        )
    if not confidence.size:
        raise ValueError("There are no predictions; give at least one.")
    if not np.isfinite(confidence).all():
        raise ValueError(f"The confidence of prediction {np.flatnonzero(~np.isfinite(confidence))[0]} is not finite.")
    if not np.isin(right, (0, 1)).all():
        raise ValueError("right must hold True or False for each prediction.")
    order = np.argsort(-confidence, kind="stable")
    sure, good = confidence[order], np.cumsum(right[order].astype(np.float64))
    last = np.flatnonzero(np.append(np.diff(sure) != 0.0, True))[::-1]  # equal confidences are answered together
    count = last + 1.0
    precision = good[last] / count
    return AbstentionCurve(sure[last], count / sure.size, 1.0 - precision, precision, good[last] / sure.size)

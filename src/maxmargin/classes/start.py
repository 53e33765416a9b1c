"""The weights of one fit of classes as a start for the next, whose examples and classes may be others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.fitting.method_choice import Candidate
from maxmargin.rows.columns import Columns
from maxmargin.rows.matrices import feature_major

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EarlierClasses:
    """What a fitted ``MulticlassSVC`` has learnt.

    Parameters
    ----------
    candidate : how it was trained
    classes : its labels
    coef, intercept : its weights, shapes (n_classes, n_features) and (n_classes,), for the features as given
    """

    candidate: Candidate
    classes: list[Any]
    coef: Floats
    intercept: Floats

    @classmethod
    def of(cls, estimator: Any) -> EarlierClasses | None:
        """None where the estimator does not go on from where it was, or has not been fitted in this process."""
        if not estimator.warm_start or not hasattr(estimator, "_candidate"):
            return None
        return cls(estimator._candidate, estimator.classes_.tolist(), estimator.coef_, estimator.intercept_)

    def weights(self, classes: list[Any], n_features: int, columns: Columns | None, constant: float) -> Floats | None:
        """Native weights for the present classes and columns, zero for new classes; None with other features."""
        if self.coef.shape[1] != n_features:
            return None
        place = {label: k for k, label in enumerate(self.classes)}
        known = [(new, place[label]) for new, label in enumerate(classes) if label in place]
        new, old = np.array(known, dtype=np.intp).reshape(-1, 2).T
        found = np.zeros((len(classes), n_features + (constant != 0.0)))
        found[new, :n_features] = self.coef[old]
        if constant:
            found[new, -1] = self.intercept[old] / constant
        if columns is not None:
            found[:, -1] += (found[:, :-1] @ columns.shift) / constant
            found[:, :-1] /= columns.factor
        return feature_major(found)

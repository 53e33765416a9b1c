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
    kernel : its kernel with reference rows, whose coefficients ``coef`` are then
    """

    candidate: Candidate
    classes: list[Any]
    coef: Floats
    intercept: Floats
    kernel: Any

    @classmethod
    def of(cls, estimator: Any) -> EarlierClasses | None:
        """None where the estimator does not go on from where it was, or has not been fitted in this process."""
        if not estimator.warm_start or not hasattr(estimator, "_candidate"):
            return None
        coef, intercept = estimator.coef_, estimator.intercept_
        return cls(estimator._candidate, estimator.classes_.tolist(), coef, intercept, estimator.kernel_)

    def weights(self, estimator: Any, columns: Columns | None) -> Floats | None:
        """Native weights for the present classes and columns of an estimator that has read its data, zero for new
        classes; None with other features."""
        coef = estimator._going_on(self.kernel, self.coef)
        if coef is None:
            return None
        classes, constant, n_features = estimator.classes_.tolist(), estimator.intercept_scaling_, coef.shape[1]
        place = {label: k for k, label in enumerate(self.classes)}
        known = [(new, place[label]) for new, label in enumerate(classes) if label in place]
        new, old = np.array(known, dtype=np.intp).reshape(-1, 2).T
        found = np.zeros((len(classes), n_features + (constant != 0.0)))
        found[new, :n_features] = coef[old]
        if constant:
            found[new, -1] = self.intercept[old] / constant
        if columns is not None:
            found[:, -1] += (found[:, :-1] @ columns.shift) / constant
            found[:, :-1] /= columns.factor
        return feature_major(found)

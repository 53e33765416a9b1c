"""The arrays of a model file back to a ``MeasureSVC``."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.estimators.measure import MeasureSVC
from maxmargin.measures import (
    AveragePrecision,
    BalancedError,
    BreakEven,
    ErrorRate,
    FBeta,
    MatthewsCorrelation,
    PrecisionAtK,
    RecallAtK,
    RocArea,
)

MEASURES: tuple[type[Any], ...] = (
    *(ErrorRate, FBeta, BalancedError, MatthewsCorrelation, BreakEven, PrecisionAtK, RecallAtK),
    *(RocArea, AveragePrecision),
)


def restored_measure(params: dict[str, Any], arrays: dict[str, Any], structure: dict[str, Any]) -> MeasureSVC:
    """A fitted estimator; what does not fit together is a ValueError."""
    model = MeasureSVC(**params)
    model.coef_, model.intercept_, model.classes_ = arrays["coef_"], arrays["intercept_"], arrays["classes_"]
    for name, array, dimensions in (("coef_", model.coef_, 2), ("intercept_", model.intercept_, 1)):
        if array.dtype != np.float64 or array.ndim != dimensions or len(array) != 1 or not np.isfinite(array).all():
            raise ValueError(f"{name} must hold finite numbers, of one class")
    if model.classes_.shape != (2,) or model.classes_[0] == model.classes_[1]:
        raise ValueError("classes_ must be two different labels")
    model.threshold_ = float(structure["threshold_"])
    model.n_features_in_ = model.coef_.shape[1]
    if "feature_names_in_" in arrays:
        model.feature_names_in_ = arrays["feature_names_in_"].astype(object)
        if model.feature_names_in_.shape != (model.n_features_in_,):
            raise ValueError("one feature name a feature is needed")
    return model

"""The arrays of a model file back to a ``MeasureSVC``."""

from __future__ import annotations

from typing import Any

from maxmargin.estimators.measure import MeasureSVC
from maxmargin.estimators.measure_choice import restore_choice
from maxmargin.io.model_parts import ModelArrays, ModelValues, values_of
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


def restored_measure(params: dict[str, Any], arrays: ModelArrays, structure: ModelValues | None) -> MeasureSVC:
    """A fitted estimator; what does not fit together is a ValueError."""
    model = MeasureSVC(**params)
    model.coef_, model.intercept_ = arrays.floats("coef_", 1, None), arrays.floats("intercept_", 1)
    model.classes_ = arrays.labels()
    if model.classes_.size != 2:
        raise ValueError("classes_ must be two different labels")
    if model.pos_label is not None and model.pos_label not in model.classes_.tolist():
        raise ValueError("pos_label must be one of classes_")
    restore_choice(model, values_of(structure))
    model.n_features_in_ = model.coef_.shape[1]
    names = arrays.feature_names(model.n_features_in_)
    if names is not None:
        model.feature_names_in_ = names
    return model

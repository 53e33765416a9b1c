"""From a validated matrix to packed rows with a constant feature, and the C that goes with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.estimators.feature_scale import FeatureScale
from maxmargin.estimators.training import positive
from maxmargin.structures.multiclass import as_rows


def packed(X: Any, copy_density: float = 0.2) -> _core.Rows:
    """Rows for training; a value that is not finite is refused by its place.

    A dense matrix with at most ``copy_density`` of its cells not zero is copied. A fifth is right for many classes;
    with weights of one column the bytes of a row count for more, and a half is.
    """
    rows = as_rows(X, 0.0, True, copy_density)
    if rows.first_bad >= 0:
        row = X[[rows.first_bad]].toarray().ravel() if sp.issparse(X) else X[rows.first_bad]
        column = int(np.argmax(np.where(np.isfinite(row), np.abs(row), np.inf)))
        raise ValueError(
            f"Input X contains NaN or infinity, or a value too large to square: row {rows.first_bad}, "
            f"column {column} is {row[column]}. Remove or impute it, or rescale the feature."
        )
    return rows


def add_constant(estimator: Any, rows: _core.Rows, scale: FeatureScale) -> float:
    """Gives the rows their constant feature and returns its value."""
    if not estimator.fit_intercept:
        return 0.0
    value = scale.constant if estimator.intercept_scaling == "scale" else float(estimator.intercept_scaling)
    rows.set_bias(value)
    return value


def chosen_c(C: Any, scale: FeatureScale) -> float:
    """The number that the parameter C stands for."""
    if isinstance(C, str):
        if C != "scale":
            raise ValueError(f"C must be a positive number or 'scale', not {C!r}.")
        return scale.regularisation
    positive("C", C)
    return float(C)

"""Matrices of features from outside: one reader for every estimator whose input is a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from maxmargin.input_checks import check_room, check_sparse

_FORM = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C"}


def read_table(estimator: Any, X: Any, **checks: Any) -> Any:
    """Rows to train with: scikit-learn's ``validate_data`` after every pointer of a sparse matrix has been checked.

    Values that are not finite are left to ``packed``, which names their place. ``checks`` are more arguments of
    ``validate_data``; with ``y`` the result is a pair.
    """
    _check(X)
    found = validate_data(estimator, X, ensure_all_finite=False, **_FORM, **checks)
    check_room(estimator.n_features_in_)
    return found


def read_new(estimator: Any, X: Any) -> Any:
    """Rows to predict for, with the columns of the training set."""
    _check(X)
    return validate_data(estimator, X, reset=False, **_FORM)


def _check(X: Any) -> None:
    if sp.issparse(X):
        check_sparse(X)

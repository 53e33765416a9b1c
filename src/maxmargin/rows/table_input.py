"""Matrices of features from outside: one reader for every estimator whose input is a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from maxmargin.core.input_checks import check_room, check_sparse
from maxmargin.rows.spectrum import Spectrum, as_texts

_FORM: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C"}


def read_table(estimator: Any, X: Any, **checks: Any) -> Any:
    """Rows to train with: scikit-learn's ``validate_data`` after every pointer of a sparse matrix has been checked.

    Values that are not finite are left to ``packed``, which names their place. ``checks`` are more arguments of
    ``validate_data``; with ``y`` the result is a pair. Strings become counts of their substrings, where the kernel is
    that of a spectrum.
    """
    X = _counted(estimator, X, learn=True)
    _check(X)
    X = _summed_up(estimator, X)
    if _is_plain(X, **checks):
        estimator.n_features_in_ = X.shape[1]
        estimator.__dict__.pop("feature_names_in_", None)
        found = (X, checks["y"]) if "y" in checks else X
    else:
        found = validate_data(estimator, X, ensure_all_finite=False, **_FORM, **checks)
    check_room(estimator.n_features_in_)
    return found


def _is_plain(X: Any, **checks: Any) -> bool:
    """Whether ``validate_data`` would find nothing to change or to say: a table of real numbers that lie row by row,
    and as many whole numbers, or names, as labels. It takes longer than many small fits."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in _FORM["dtype"] or not X.flags.c_contiguous:
        return False
    if X.shape[1] < 1 or X.shape[0] < max(1, checks.get("ensure_min_samples", 1)):
        return False
    if "y" not in checks:
        return True
    y = checks["y"]
    if type(y) is not np.ndarray or y.shape != X.shape[:1]:
        return False
    return y.dtype.kind in ("biu" if checks.get("y_numeric") else "biuU")


def read_new(estimator: Any, X: Any, y: Any = "no_validation") -> Any:
    """Rows to predict for, with the columns of the training set, or the values of a precomputed kernel with it; strings
    where it had strings. With ``y`` the result is a pair."""
    X = _counted(estimator, X, learn=False)
    _check(X)
    X = _summed_up(estimator, X)
    kernel = getattr(estimator, "kernel_", None)
    if kernel is not None and kernel.kernel.kind == "precomputed":
        shape = np.shape(X)
        if len(shape) == 2 and shape[1] != kernel.columns:
            raise ValueError(
                f"X has {shape[1]} columns; with kernel='precomputed' it holds the values of the kernel with each of "
                f"the {kernel.columns} training rows."
            )
    return validate_data(estimator, X, y, reset=False, **_FORM)


def _counted(estimator: Any, X: Any, learn: bool) -> Any:
    """Strings as rows of counts, where the kernel is that of a spectrum; a model without a fold gets them counted."""
    kernel: Any = getattr(estimator, "kernel", None)
    if not isinstance(kernel, Spectrum) or getattr(estimator, "_in_fold", False):
        return X
    texts = as_texts(X)
    if learn:
        estimator.substrings_ = kernel.learned(texts)
    return kernel.rows(texts, estimator.substrings_)


def _check(X: Any) -> None:
    if getattr(getattr(X, "dtype", None), "kind", None) == "c":
        raise ValueError("Complex data not supported: X must hold real numbers.")
    if sp.issparse(X):
        check_sparse(X)


def _summed_up(estimator: Any, X: Any) -> Any:
    """Sparse rows without entries of the same cell, for kernels: those of scikit-learn square each by itself."""
    if not sp.issparse(X) or getattr(estimator, "kernel", "linear") == "linear":
        return X
    rows = X.tocsr()
    if rows.has_canonical_format:
        return X
    rows = rows.copy() if rows is X else rows
    rows.sum_duplicates()
    return rows


def encode_labels(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """The sorted classes and the class number of every label."""
    if y.dtype.kind in "iu" and y.size:
        low, high = int(y.min()), int(y.max())
        if high - low < 2 * y.size and max(abs(low), abs(high)) < 2**62:  # a table is many times faster than sorting
            shifted = y.astype(np.int64) - low
            present = np.zeros(high - low + 1, dtype=bool)
            present[shifted] = True
            number = np.cumsum(present, dtype=np.int32) - 1
            return (np.flatnonzero(present) + low).astype(y.dtype), number[shifted].astype(np.int32)
    classes, labels = np.unique(y, return_inverse=True)
    return classes, labels.astype(np.int32)

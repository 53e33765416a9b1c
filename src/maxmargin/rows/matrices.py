"""Matrices as packed rows, and weights as the native core keeps them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.core.input_checks import check_sparse

Floats = npt.NDArray[np.float64]


def bound_rows(X: Any) -> _core.Rows:
    """A matrix, or a list of rows, packed for training; rows that are packed have been checked before."""
    if isinstance(X, _core.Rows):
        return X
    matrix = _as_matrix(X)
    rows = as_rows(matrix, 0.0, True)
    check_values(rows, matrix)
    return rows


def feature_major(coef: Floats) -> Floats:
    """(slots, columns) as native weights: one padded row a column."""
    w = np.zeros((coef.shape[1], _core.padded(len(coef))))
    w[:, : len(coef)] = coef.T
    return w.ravel()


def as_rows(X: Any, bias: float, analyse: bool, copy_density: float = 0.2) -> _core.Rows:
    """Packs a validated matrix; ``analyse`` prepares it for training (norms, non-finite values, zeros).

    ``copy_density`` is the share of non-zero cells up to which a dense matrix is copied; see ``rows/pack.hpp``.
    """
    if not sp.issparse(X):
        return _core.Rows(np.ascontiguousarray(X), bias, analyse, copy_density)
    data, indices, starts = X.data, X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64)
    if _core.repeats_columns(indices, starts, X.shape[1]):
        X = sp.csr_array((data, indices, starts), shape=X.shape, copy=True)
        X.sum_duplicates()
        data, indices, starts = X.data, X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64)
    return _core.Rows(data, indices, starts, X.shape[1], bias, analyse)


def check_values(rows: _core.Rows, X: Any) -> None:
    """Raises for the first row of ``X`` with a value that is not finite, or too large to square."""
    if rows.first_bad < 0:
        return
    row = X[[rows.first_bad]].toarray().ravel() if sp.issparse(X) else X[rows.first_bad]
    column = int(np.argmax(np.where(np.isfinite(row), np.abs(row), np.inf)))
    raise ValueError(
        f"Input X contains NaN or infinity, or a value too large to square: row {rows.first_bad}, column {column} is "
        f"{row[column]}. Remove or impute it, or rescale the feature."
    )


def _as_matrix(X: Any) -> Any:
    if sp.issparse(X):
        check_sparse(X)
        return sp.csr_array(X)
    if isinstance(X, list | tuple) and len(X) and all(sp.issparse(row) for row in X):
        for i, row in enumerate(X):
            check_sparse(row, f"X[{i}]")
        return sp.csr_array(sp.vstack(X))
    try:
        shape = np.shape(X)
    except ValueError as error:
        raise ValueError("The rows of X have different lengths; give a matrix, one row per example.") from error
    if len(shape) != 2:
        raise ValueError(f"X must be a matrix with one row per example, not of {len(shape)} dimensions.")
    return np.ascontiguousarray(
        X if isinstance(X, np.ndarray) and X.dtype == np.float32 else np.asarray(X, dtype=np.float64)
    )

"""Joint feature vectors as users give them, in the two forms that the library works with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.core.input_checks import check_sparse, check_values

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SparseVector:
    """Values at ascending indices, zero elsewhere."""

    index: npt.NDArray[np.int32]
    value: Floats


Vector: TypeAlias = Floats | SparseVector


def as_vector(given: Any, what: str) -> tuple[Vector, int]:
    """The vector and its length. ``what`` names it in a complaint, e.g. ``'joint_feature of example 3'``."""
    if sp.issparse(given):
        check_sparse(given, what)
    if _is_ready(given):
        length, values = int(given.shape[1]), given.data
        vector: Vector = SparseVector(given.indices.astype(np.int32, copy=False), values)
    elif sp.issparse(given):
        row = sp.coo_array(given)
        if row.dtype.kind not in "biuf":
            raise ValueError(f"{what} must hold real numbers, not {row.dtype}.")
        if row.ndim == 2 and 1 not in row.shape:
            raise ValueError(f"{what} must be one row or one column, not a matrix of shape {row.shape}.")
        coordinates = row.coords[-1] if row.ndim == 1 or row.shape[0] == 1 else row.coords[0]
        length = int(np.prod(row.shape))
        row_sum = sp.csr_array(
            (row.data.astype(np.float64), (np.zeros(row.nnz, np.int32), coordinates)), shape=(1, length)
        )
        row_sum.sum_duplicates()
        values = np.ascontiguousarray(row_sum.data)
        vector = SparseVector(row_sum.indices.astype(np.int32), values)
    else:
        values = _as_floats(given, what)
        if values.ndim == 2 and 1 in values.shape:
            values = values.ravel()
        if values.ndim != 1:
            raise ValueError(f"{what} must be one-dimensional, not of shape {values.shape}.")
        vector, length = values, values.size
    check_values(values, what)
    return vector, length


def _is_ready(given: Any) -> bool:
    """One CSR row of float64 with ascending indices: taken as it is."""
    row = isinstance(given, sp.csr_array) and given.ndim == 2 and given.shape[0] == 1
    return bool(row and given.dtype == np.float64 and given.has_canonical_format)


def _as_floats(given: Any, what: str) -> Floats:
    try:
        values = np.asarray(given)
        if values.dtype.kind in "biuf":
            return np.ascontiguousarray(values, dtype=np.float64)
    except ValueError as error:
        raise ValueError(f"{what} must be a vector of real numbers.") from error
    raise ValueError(f"{what} must be a vector of real numbers, not {type(given).__name__} of {values.dtype}.")


def dot(a: Vector, w: Floats) -> float:
    """``<a, w>``."""
    if isinstance(a, SparseVector):
        return float(a.value @ w[a.index])
    return float(a @ w)


def norm_square(a: Vector) -> float:
    """``|a|^2``."""
    values = a.value if isinstance(a, SparseVector) else a
    return float(values @ values)


def add_to(w: Floats, a: Vector, factor: float) -> None:
    """``w += factor * a`` in place."""
    if isinstance(a, SparseVector):
        w[a.index] += factor * a.value
    else:
        w += factor * a


def scaled_difference(a: Vector, b: Vector, factor: float) -> Vector:
    """``factor * (a - b)``: sparse if both are, or if most of it is zero."""
    if isinstance(a, SparseVector) and isinstance(b, SparseVector):
        index, where = np.unique(np.concatenate([a.index, b.index]), return_inverse=True)
        value = np.bincount(where, np.concatenate([factor * a.value, -factor * b.value]), index.size)
        value = value.astype(np.float64, copy=False)  # of no entries it counts in whole numbers
        kept = value != 0.0
        return SparseVector(index[kept], value[kept])
    length = a.size if not isinstance(a, SparseVector) else b.size  # type: ignore[union-attr]
    total = np.zeros(length)
    add_to(total, a, factor)
    add_to(total, b, -factor)
    return compact(total)


def compact(a: Floats) -> Vector:
    """A sparse vector where at most a third of the entries are not zero, else the array itself."""
    index = np.flatnonzero(a)
    if 3 * index.size > a.size:
        return a
    return SparseVector(index.astype(np.int32), a[index])


def stack(rows: Sequence[Vector], dimension: int) -> Any:
    """The vectors as rows: a CSR array if all are sparse, else a dense one."""
    if all(isinstance(row, SparseVector) for row in rows):
        sparse = [row for row in rows if isinstance(row, SparseVector)]
        offsets = np.concatenate([[0], np.cumsum([row.index.size for row in sparse])])
        index = np.concatenate([row.index for row in sparse]) if sparse else np.zeros(0, np.int32)
        value = np.concatenate([row.value for row in sparse]) if sparse else np.zeros(0)
        return sp.csr_array((value, index, offsets), shape=(len(rows), dimension))
    matrix = np.zeros((len(rows), dimension))
    for target, row in zip(matrix, rows):
        add_to(target, row, 1.0)
    return matrix

"""Inner products of all pairs of rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core

Floats = npt.NDArray[np.float64]

_DENSE = 0.1  # share of the cells from which on a product of dense matrices is faster


def inner_products(rows: _core.Rows) -> Floats:
    """``<x_i, x_j>``, shape (n, n), the constant feature included."""
    n = rows.n
    if rows.cells <= _DENSE * n * rows.columns:
        return np.asarray(rows.inner_products().reshape(n, n))
    offsets, index, value = rows.cells_of(np.arange(n, dtype=np.int32))
    dense = sp.csr_array((value, index, offsets), shape=(n, rows.columns)).toarray()
    return np.asarray(dense @ dense.T)

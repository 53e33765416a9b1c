"""How much the penalty holds the weights of a likelihood back, measured on the columns at hand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.rows.likelihood_newton import positive_inverse

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

_MOST_COLUMNS = 256
_ROWS_PER_COLUMN = 10
_FEWEST_ROWS = 500
_FEW_COLUMNS = 64  # whose products take no longer than to write the rows out
_HALF = 0.5  # curvature of the loss, in units of that of the penalty, below which a direction is held back
_NONE = 1e-9  # of the largest: a direction in which nothing varies


def share_held_back(rows: _core.Rows, labels: Codes, weight: Floats, C: float) -> float:
    """The share of the directions in the space of columns in which the penalty counts for more than the examples.

    Along a unit vector u the loss of class k curves by about ``C pi_k (1 - pi_k) sum_i s_i <u, x_i>^2``, with ``pi_k``
    the share of the class, and the penalty by 1. Where columns are much alike the sum is small for their differences,
    however many examples there are, and a C that does well for single columns keeps these differences from being
    learned. Directions in which nothing varies do not count. With more than 256 columns nothing is measured, and it is
    0; many rows are represented by a sample.
    """
    n, columns = rows.n, rows.columns
    if columns > _MOST_COLUMNS or n < 2:
        return 0.0
    step = max(1, n // max(_FEWEST_ROWS, _ROWS_PER_COLUMN * columns))
    share = np.bincount(labels, weight) / weight.sum()
    factor = C * step * float(np.mean(share * (1.0 - share)))
    products = _products(rows, weight, step)
    above = factor * products
    above.ravel()[:: columns + 1] -= _HALF
    if positive_inverse(above) is not None:  # no direction is held back: a fraction of the work of finding them
        return 0.0
    curvature = factor * np.linalg.eigvalsh(products)
    varying = curvature[curvature > _NONE * curvature[-1]]
    return float(np.count_nonzero(varying < _HALF)) / max(1, columns)


def _products(rows: _core.Rows, weight: Floats, step: int) -> Floats:
    """``sum_i s_i x_i x_i'`` over every ``step``-th row, its lower triangle at least."""
    n, columns = rows.n, rows.columns
    if step == 1 and columns <= _FEW_COLUMNS:
        return np.asarray(rows.column_products(weight)).reshape(columns, columns)
    chosen = np.arange(0, n, step, dtype=np.int32)
    offsets, index, value = rows.cells_of(chosen)
    X = np.zeros((chosen.size, columns))
    X[np.repeat(np.arange(chosen.size), np.diff(offsets)), index] = value
    X *= np.sqrt(weight[chosen])[:, None]
    return np.asarray(X.T @ X)

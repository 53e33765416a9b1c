"""Values of kernels in float32: several times as fast as float64, and exact to some 1e-6 of ``k(x, x)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.rows.kernel import Kernel

Floats = npt.NDArray[np.float64]
Rough = npt.NDArray[np.float32]

_LONGEST = 100.0  # gamma |x|^2: distances of longer rows would lose digits that show


def rough_values(kernel: Kernel, X: Any) -> Callable[[Any, Any], Rough] | None:
    """From row and column numbers, or slices, to ``K[rows][:, columns]`` in float32; None where that is not for this
    kernel or these rows.

    For ``'rbf'``, the exponents are one product of matrices: ``-gamma |a - b|^2`` is that of ``(2 gamma a, -gamma
    |a|^2, 1)`` with ``(b, 1, -gamma |b|^2)``. Columns are centred first, which changes no distance.
    """
    if kernel.kind not in ("rbf", "poly") or sp.issparse(X) or isinstance(kernel.gamma, str):
        return None
    gamma = float(kernel.gamma)
    X = np.asarray(X, dtype=np.float64)
    if kernel.kind == "rbf":
        X = X - X.mean(axis=0)
    squares = np.einsum("ij,ij->i", X, X)
    if not gamma * squares.max(initial=0.0) <= _LONGEST:
        return None
    ones = np.ones((X.shape[0], 1))
    if kernel.kind == "poly":
        left, right = np.hstack([gamma * X, kernel.coef0 * ones]), np.hstack([X, ones])
    else:
        lengths = (-gamma * squares)[:, None]
        left, right = np.hstack([2.0 * gamma * X, lengths, ones]), np.hstack([X, ones, lengths])
    first, second = left.astype(np.float32), right.astype(np.float32)
    degree = kernel.degree if kernel.kind == "poly" else None

    def values(rows: Any, columns: Any) -> Rough:
        found: Rough = first[rows] @ second[columns].T
        return np.exp(found, out=found) if degree is None else np.power(found, np.float32(degree), out=found)

    return values

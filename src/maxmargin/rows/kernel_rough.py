"""Values of kernels in float32: several times as fast as float64, and exact to some 1e-6 of ``k(x, x)``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.rows.kernel import Kernel
from maxmargin.rows.kernel_map import KernelMap

Floats = npt.NDArray[np.float64]
Rough = npt.NDArray[np.float32]

_LARGEST = 300.0  # length of a column of the factor of features, which multiplies errors of values
_PART = 2048  # rows at once
_LONGEST = 100.0  # gamma |x|^2: distances of longer rows would lose digits that show
_LARGE = 1e30  # float32 holds products of coefficients with values up to this
_SAMPLE = 200  # rows on which the variance is looked at
_ALIKE = 1e-3  # variance in the space of the kernel as a share of k(x, x): with less, rounding would show


@dataclass(frozen=True, eq=False)
class RoughValues:
    """The values of a kernel between rows and columns, each a function of one product of their factors.

    For ``'rbf'``, the exponents are such products: ``-gamma |a - b|^2`` is that of ``(2 gamma a, -gamma |a|^2, 1)``
    with ``(b, 1, -gamma |b|^2)``.
    """

    kernel: Kernel
    left: Rough
    right: Rough

    def __call__(self, rows: Any, columns: Any) -> Rough:
        """From row and column numbers, or slices, to ``K[rows][:, columns]`` in float32."""
        found: Rough = self.left[rows] @ self.right[columns].T
        return np.exp(found, out=found) if self.kernel.kind == "rbf" else np.power(found, self.kernel.degree, out=found)

    def products(self) -> _core.KernelProducts:
        """The same matrix for products with coefficients, of which no value is stored."""
        return _core.KernelProducts(self.left, self.right, self._power)

    def features(self, factor: Rough, upper: bool) -> Rough:
        """All rows times ``factor``, which may be an upper triangle; of the values few are stored at a time."""
        found = np.empty((self.left.shape[0], factor.shape[1]), dtype=np.float32)
        _core.kernel_features(self.left, self.right, self._power, factor, upper, found)
        return found

    @property
    def _power(self) -> int:
        return 0 if self.kernel.kind == "rbf" else self.kernel.degree


def rough_values(kernel: Kernel, X: Any, others: Any = None) -> RoughValues | None:
    """Values with the rows of X and the columns of ``others``, or of X itself; None where float32 is not for this
    kernel or these rows.

    Columns are centred first, which changes no distance.
    """
    if kernel.kind not in ("rbf", "poly") or sp.issparse(X) or isinstance(kernel.gamma, str):
        return None
    if kernel.kind == "poly" and kernel.degree * np.log(_LONGEST + abs(kernel.coef0)) > np.log(_LARGE):
        return None
    if _are_alike(kernel, X):
        return None
    others = X if others is None else others
    centre = X.mean(axis=0, dtype=np.float64) if kernel.kind == "rbf" else 0.0
    left, right = _factor(kernel, X, centre, False), _factor(kernel, others, centre, True)
    return None if left is None or right is None else RoughValues(kernel, left, right)


def rough_features(map: KernelMap, X: Any) -> Rough | None:
    """``map.features(X)`` in float32, exact to some 1e-4; None where it would not be."""
    if not np.linalg.norm(map.factor, axis=0).max() <= _LARGEST:
        return None
    values = rough_values(map.kernel, X, map.rows)
    if values is None:
        return None
    factor = map.factor.astype(np.float32)
    return values.features(factor, _is_upper(factor))


def _is_upper(factor: Rough) -> bool:
    return factor.shape[0] == factor.shape[1] and not np.tril(factor, -1).any()


def _are_alike(kernel: Kernel, X: Any) -> bool:
    """Whether all values of the kernel between rows are nearly the same, as far as a sample tells, so that what they
    differ by has few digits in float32."""
    some = X[np.unique(np.linspace(0, X.shape[0] - 1, min(X.shape[0], _SAMPLE)).astype(np.intp))]
    values = kernel.block(some, some)
    own = float(values.diagonal().mean())
    return own - float(values.mean()) < _ALIKE * own


def _factor(kernel: Kernel, X: Any, centre: Any, second: bool) -> Rough | None:
    """Rows as one factor of the product; None where some are so long that digits would be lost."""
    gamma, (n, columns), lengths = float(kernel.gamma), X.shape, kernel.kind == "rbf"
    found = np.empty((n, columns + 1 + lengths), dtype=np.float32)
    for start in range(0, n, _PART):
        part = slice(start, start + _PART)
        rows = np.subtract(X[part], centre, dtype=np.float64)
        longest = gamma * np.einsum("ij,ij->i", rows, rows)
        if not longest.max(initial=0.0) <= _LONGEST:
            return None
        found[part, :columns] = rows if second else (2.0 * gamma if lengths else gamma) * rows
        found[part, columns] = 1.0 if second else -longest if lengths else kernel.coef0
        if lengths:
            found[part, columns + 1] = -longest if second else 1.0
    return found

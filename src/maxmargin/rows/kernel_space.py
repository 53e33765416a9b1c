"""Weights in the space of a kernel: coefficients of training rows, and the scores that these rows have by them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.points import WeightSpace
from maxmargin.core.vectors import add_to
from maxmargin.rows.kernel_cache import KernelCache

Floats = npt.NDArray[np.float64]


class KernelSpace(WeightSpace):
    """Points ``w = sum_r sum_y beta[r, y] phi(x_r) (x) e_y``, with explicit weights beside them.

    A point is an array: the scores ``F = K beta`` of the training rows, (n, width) numbers, then ``beta`` in the same
    form, then the explicit weights. So ``<a, w>`` is ``<F of a, beta of w>`` plus the product of the explicit weights,
    and sums of points are sums of arrays. The native core reads weights as they are (``rows/kernel_patch.hpp``); the
    rows that it writes have coefficients in either place, and ``point`` makes points of them.

    Parameters
    ----------
    cache : the kernel matrix
    width : numbers per row
    dimension : of a point
    """

    def __init__(self, cache: KernelCache, width: int, dimension: int) -> None:
        self.cache, self.width, self.dimension = cache, width, dimension
        self.paired = cache.n * width

    def zero(self) -> Floats:
        return np.zeros(self.dimension)

    def has(self, w: Any) -> bool:
        """Never: the rows of another fit are other rows."""
        return False

    def copy(self, w: Floats) -> Floats:
        return np.array(w)

    def dot(self, a: Floats, w: Floats) -> float:
        paired = self.paired
        return float(a[:paired] @ w[paired : 2 * paired] + a[2 * paired :] @ w[2 * paired :])

    def combination(self, factors: Sequence[float], points: Sequence[Floats]) -> Floats:
        total = np.zeros(self.dimension)
        for factor, point in zip(factors, points):
            total += factor * point
        return total

    def point(self, a: Any) -> Floats:
        """The point of a row that the native core has written."""
        w = np.zeros(self.dimension)
        add_to(w, a, 1.0)
        w[self.paired : 2 * self.paired] += w[: self.paired]
        self.set_scores(w)
        return w

    def coefficients(self, w: Floats) -> Floats:
        """``beta``, shape (n, width)."""
        return w[self.paired : 2 * self.paired].reshape(self.cache.n, self.width)

    def explicit_part(self, w: Floats) -> Floats:
        """The weights beside the kernel."""
        return w[2 * self.paired :]

    def set_scores(self, w: Floats) -> None:
        """Computes the scores of a point anew, in place."""
        w[: self.paired] = self.cache.product(self.coefficients(w)).ravel()

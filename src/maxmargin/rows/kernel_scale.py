"""Defaults that follow the scale of the features of a kernel.

``benchmarks/defaults/studies/default_kernel.py`` chose them on held-out data.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from maxmargin.rows.feature_scale import FeatureScale

_FACTOR = 4.0
_CONSTANT = 1.0


class KernelScale(FeatureScale):
    """The scale of rows that are features of a kernel: single columns mean nothing, only lengths and products do."""

    _means: tuple[float, float] | None = None  # of k(x, x) and of k(x, x')

    @classmethod
    def of(cls, own: float, pairs: float) -> KernelScale:
        """From the mean of ``k(x, x)`` and that of ``k(x, x')`` over all pairs, where there are no features."""
        scale = cls.__new__(cls)
        scale._means = own, pairs
        return scale

    @cached_property
    def variance(self) -> float:
        """The mean of ``k(x, x)`` less the mean of ``k(x, x')`` over all pairs: the variance in the space of the
        kernel."""
        if self._means is None:
            mean, square, _ = self._moments
            self._means = float(square.sum()), float(mean @ mean)
        total, found = self._means[0], self._means[0] - self._means[1]
        return found if found > 1e-12 * total and found < np.inf else 1.0

    @property
    def constant(self) -> float:
        """The default value of the constant feature: the standard deviation."""
        return _CONSTANT * float(np.sqrt(self.variance))

    @property
    def regularisation(self) -> float:
        """``C = 4 / variance``: scaling the kernel by c divides C by c, which leaves the predictions alone."""
        return _FACTOR / self.variance

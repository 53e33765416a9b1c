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

    @cached_property
    def variance(self) -> float:
        """The mean of ``k(x, x)`` less the mean of ``k(x, x')`` over all pairs: the variance in the space of the
        kernel."""
        mean, square, _ = self._moments
        total = float(square.sum())
        found = total - float(mean @ mean)
        return found if found > 1e-12 * total and found < np.inf else 1.0

    @property
    def constant(self) -> float:
        """The default value of the constant feature: the standard deviation."""
        return _CONSTANT * float(np.sqrt(self.variance))

    @property
    def regularisation(self) -> float:
        """``C = 4 / variance``: scaling the kernel by c divides C by c, which leaves the predictions alone."""
        return _FACTOR / self.variance

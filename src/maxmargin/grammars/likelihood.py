"""The conditional likelihood of trees for the solvers of CRFs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.input_checks import check_room
from maxmargin.oracles.base import Stopped
from maxmargin.oracles.portions import PORTION

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Stop = Callable[[], bool]

_RULES = 1000.0  # operations of both passes for each way to divide a span


class TreeLikelihood:
    """``f(w) = sum_i s_i (log sum_y exp F(x_i, y; w) - F(x_i, y_i; w))``, smooth and convex."""

    convex = True
    curvature = 0.0  # not known
    invertible = False
    has_dual = False

    def __init__(
        self,
        targets: _core.TreeTargets,
        dimension: int,
        lengths: Indices,
        sample_weight: Floats | None,
        threads: int,
    ) -> None:
        self.n, self.targets, self.sample_weight, self.threads = lengths.size, targets, sample_weight, threads
        check_room(dimension)
        self.free: npt.NDArray[np.int64] = np.arange(dimension, dtype=np.int64)
        self._work = _RULES * (1.0 + lengths.astype(np.float64) ** 3 / 6.0)
        number = (np.cumsum(self._work) // (PORTION * threads)).astype(np.int64)
        self.parts = list(pairwise([0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), self.n]))

    @property
    def total_weight(self) -> float:
        return float(self.n if self.sample_weight is None else self.sample_weight.sum())

    @property
    def value_at_zero(self) -> float:
        """``f(0)``: the logarithms of the numbers of trees."""
        return self.value(np.zeros(self.free.size))

    @property
    def default_c(self) -> float:
        """``C='scale'``: ``max(5, 40 * sqrt(d / T)) / s`` with d weights and T rules in the true trees, whose features
        have the mean squared length s."""
        rules, squares = self.targets.moments(self.sample_weight)
        if not squares > 0.0:
            return 1.0
        return float(max(5.0, 40.0 * np.sqrt(self.free.size / rules)) * rules / squares)

    @property
    def work(self) -> float:
        """Additions and multiplications of one pass, roughly."""
        return float(self._work.sum())

    def native(self, w: Floats) -> Floats:
        return w

    def value(self, native: Floats, stop: Stop | None = None) -> float:
        return self._sum(native, None, stop)

    def gradient(self, w: Floats, stop: Stop | None = None) -> tuple[float, Floats]:
        found = np.zeros(self.free.size)
        return self._sum(w, found, stop), found

    def inverse_curvature(self, C: float, l2: float) -> None:
        return None

    def inverse_curvature_at(self, w: Floats, C: float, l2: float) -> None:
        return None

    def shorter(self) -> None:
        return None

    def extended(self, native: Floats) -> Floats:
        return native

    def dual(self, C: float) -> None:
        return None

    def portions(self, order: Indices) -> list[Indices]:
        return [order]

    def steepness(self) -> float:
        """The largest ``|Psi|^2`` among the true trees, or among 100 to 200 of them where there are more."""
        return self.targets.steepness()

    def _sum(self, w: Floats, gradient: Floats | None, stop: Stop | None) -> float:
        total = 0.0
        for first, last in self.parts:
            if stop is not None and stop():
                raise Stopped
            total += self.targets.likelihood(w, self.sample_weight, first, last, gradient, self.threads)
        return max(0.0, total)  # rounding may say that something is more than certain

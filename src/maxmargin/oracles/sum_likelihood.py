"""The conditional likelihood of outputs over which the native core can sum, for the solvers of CRFs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt

from maxmargin.core.input_checks import check_room
from maxmargin.oracles.base import Stopped
from maxmargin.oracles.portions import PORTION

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Stop = Callable[[], bool]


class SummedTargets(Protocol):
    """True outputs and sums over all others, as the native core has them."""

    def likelihood(
        self, w: Floats, sample_weight: Floats | None, first: int, last: int, gradient: Floats | None, threads: int, /
    ) -> float:
        """``f(w)`` over examples ``first`` to ``last - 1``; its gradient is added to ``gradient``."""
        ...

    def descend(
        self,
        v: Floats,
        factor: float,
        steps: int,
        sample_weight: Floats | None,
        order: Indices,
        first: float,
        decay: float,
        /,
    ) -> tuple[float, float]:
        """A stochastic step per example of ``order`` on ``factor * v``: what was found, and the new factor."""
        ...

    def moments(self, sample_weight: Floats | None, /) -> tuple[float, ...]:
        """The number of parts with features in true outputs, the sum of their squared lengths and, where it is not that
        of all weights, the number of columns that occur in them."""
        ...


class SumLikelihood:
    """``f(w) = sum_i s_i (log sum_y exp F(x_i, y; w) - F(x_i, y_i; w))``, smooth and convex.

    Parameters
    ----------
    targets : the true outputs, and sums over all outputs
    dimension : number of weights
    work : operations that both passes over an example need, roughly, shape (n,)
    steepness : gives the largest ``|Psi|^2`` among the true outputs, or among some of them where there are many
    sample_weight : s, shape (n,); None: 1
    threads : threads to use
    least, rare : numbers of the rule for ``C='scale'``, ``default_c``
    """

    convex = True
    curvature = 0.0  # not known
    invertible = False
    has_dual = False
    renewal = None

    def __init__(
        self,
        targets: SummedTargets,
        dimension: int,
        work: Floats,
        steepness: Callable[[], float],
        sample_weight: Floats | None,
        threads: int,
        *,
        least: float = 5.0,
        rare: float = 40.0,
    ) -> None:
        check_room(dimension)
        self._least, self._rare = least, rare
        self.n, self.targets, self.sample_weight, self.threads = work.size, targets, sample_weight, threads
        self.steepness = steepness
        self.free: npt.NDArray[np.int64] = np.arange(dimension, dtype=np.int64)
        self._work = work
        number = (np.cumsum(work) // (PORTION * threads)).astype(np.int64)
        self.parts = list(pairwise([0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), self.n]))

    @property
    def steps(self) -> SumLikelihood:
        return self

    @property
    def total_weight(self) -> float:
        return float(self.n if self.sample_weight is None else self.sample_weight.sum())

    @property
    def value_at_zero(self) -> float:
        """``f(0)``: the logarithms of the numbers of outputs."""
        return self.value(np.zeros(self.free.size))

    @property
    def default_c(self) -> float:
        """``C='scale'``: ``max(least, rare * sqrt(d / T)) / s``, by default ``max(5, 40 * sqrt(d / T)) / s``.

        d columns occur, true outputs have T parts (edges, pairs, rules) with features, and s is the mean squared length
        of these. Where columns outnumber the parts each is seen a few times only, and its weight needs a large C to
        become as large as it should.
        """
        count, squares, *occurring = self.targets.moments(self.sample_weight)
        if not squares > 0.0:
            return 1.0
        columns = occurring[0] if occurring else self.free.size
        return float(max(self._least, self._rare * np.sqrt(columns / count)) * count / squares)

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

    def descend(
        self, v: Floats, factor: float, steps: int, order: Indices, first: float, decay: float
    ) -> tuple[float, float]:
        return self.targets.descend(v, factor, steps, self.sample_weight, order, first, decay)

    def portions(self, order: Indices) -> list[Indices]:
        number = (np.cumsum(self._work[order]) // PORTION).astype(np.int64)
        return np.split(order, np.flatnonzero(np.diff(number)) + 1)

    def _sum(self, w: Floats, gradient: Floats | None, stop: Stop | None) -> float:
        total = 0.0
        for first, last in self.parts:
            if stop is not None and stop():
                raise Stopped
            total += self.targets.likelihood(w, self.sample_weight, first, last, gradient, self.threads)
        return max(0.0, total)  # rounding may say that something is more than certain

"""Newton's method for the conditional likelihood of one class per row, where there are few columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.linalg.lapack import dposv

from maxmargin.structures.class_likelihood import ClassLikelihood

Floats = npt.NDArray[np.float64]

_HALVINGS = 40
_ARMIJO = 1e-4  # of what a step promises to gain: what it must


class ClassNewton:
    """``1/2 |w|^2 + C f(w)`` at a point that it keeps, zero at first; a ``Smooth`` for ``solvers.newton.Newton``.

    Parameters
    ----------
    problem : ``f``
    start : native weights to begin at; None is zero
    stop : asked every few hundredths of a second; where it says so ``Stopped`` is raised, and the point stays
    """

    def __init__(self, problem: ClassLikelihood, C: float, start: Floats | None, stop: Callable[[], bool]) -> None:
        self._problem, self._C, self._stop = problem, C, stop
        self.weights: Floats = np.zeros((problem.n_classes, problem.columns))
        self.value = C * problem.value_at_zero
        self.bound = self.value  # no objective is below zero
        self._slope: Floats | None = None
        self._blocks: Floats | None = None
        self._start = None if start is None else problem.by_class(start)

    def assess(self) -> None:
        """The objective, the gradient and the second derivatives, unless they are known."""
        if self._start is not None:
            start, self._start = self._start, None
            value, slope, blocks = self._at(start)
            if value < self.value:
                self._move(start, value, slope, blocks)
        if self._slope is None:
            self._move(self.weights, *self._at(self.weights))

    def step(self) -> bool:
        """One step with a line search; false if none lowers the objective."""
        self.assess()
        assert self._slope is not None
        direction = self._direction()
        if direction is None:
            return False
        slope, length = float((direction * self._slope).sum()), 1.0
        for _ in range(_HALVINGS):
            there = self.weights + length * direction
            value, gradient, blocks = self._at(there)
            if value <= self.value + _ARMIJO * length * slope:
                self._move(there, value, gradient, blocks)
                return True
            length *= 0.5
        return False

    def _direction(self) -> Floats | None:
        """Solves ``H d = -g``; None where rounding has made H indefinite."""
        assert self._slope is not None
        assert self._blocks is not None
        hessian = self._problem.hessian(self._blocks, self._C, 1.0)
        # LAPACK reads columns first: the lower triangle is the upper one to it.
        _, direction, failed = dposv(hessian.T, -self._slope.ravel(), lower=0, overwrite_a=1)
        return None if failed else np.asarray(direction, dtype=np.float64).reshape(self._slope.shape)

    def _at(self, w: Floats) -> tuple[float, Floats, Floats]:
        value, gradient, blocks = self._problem.curved(w, self._stop)
        return 0.5 * float((w * w).sum()) + self._C * value, self._C * gradient + w, blocks

    def _move(self, w: Floats, value: float, slope: Floats, blocks: Floats) -> None:
        self.weights, self.value, self._slope, self._blocks = w, value, slope, blocks
        self.bound = 0.5 * float((slope * slope).sum())

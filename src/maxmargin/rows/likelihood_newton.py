"""Newton's method for conditional likelihoods that have few weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy.linalg.lapack import dpotrf, dpotrs

Floats = npt.NDArray[np.float64]
Solve = Callable[[Floats], Floats]

_HALVINGS = 40
_ARMIJO = 1e-4  # of what a step promises to gain: what it must
_VISIBLE = 1e-12  # of the objective: rounding hides smaller gains, and the gradient tells whether a step is good


class Curved(Protocol):
    """A negative log-likelihood ``f(w)`` with second derivatives, in a form that only it has to know.

    ``matrix_of`` are the weights at native ones, zero where these are None; ``inverse`` solves with the second
    derivatives of ``l2/2 |w|^2 + C f(w)``, and is None where rounding has made them indefinite.
    """

    @property
    def value_at_zero(self) -> float: ...
    def matrix_of(self, native: Floats | None) -> Floats: ...
    def curved(self, w: Floats, stop: Callable[[], bool] | None = None) -> tuple[float, Floats, Floats]: ...
    def inverse(self, blocks: Floats, C: float, l2: float) -> Solve | None: ...


def positive_inverse(matrix: Floats) -> Solve | None:
    """Solves with a matrix, from its lower triangle, which is overwritten; None where it is not positive."""
    # LAPACK reads columns first: the lower triangle is the upper one to it.
    factor, failed = dpotrf(matrix.T, lower=0, overwrite_a=1)
    return None if failed else lambda right: np.asarray(dpotrs(factor, right, lower=0)[0])


class LikelihoodNewton:
    """``l2/2 |w|^2 + C f(w)`` at a point that it keeps, zero at first; a ``Smooth`` for ``solvers.newton.Newton``.

    Parameters
    ----------
    problem : ``f``
    start : native weights to begin at; None is zero
    stop : asked every few hundredths of a second; where it says so ``Stopped`` is raised, and the point stays
    """

    def __init__(
        self, problem: Curved, C: float, start: Floats | None, stop: Callable[[], bool], l2: float = 1.0
    ) -> None:
        self._problem, self._C, self._l2, self._stop = problem, C, l2, stop
        self.weights: Floats = problem.matrix_of(None)
        self.value = C * problem.value_at_zero
        self.bound = self.value  # no objective is below zero
        self._slope: Floats | None = None
        self._blocks: Floats | None = None
        self._start = None if start is None else problem.matrix_of(start)

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
        """One step with a line search; false if none lowers the objective, or, next to the minimum, the gradient."""
        self.assess()
        assert self._slope is not None
        solve = self.inverse()
        if solve is None:
            return False
        direction = -solve(self._slope)
        slope, length = float(np.vdot(direction, self._slope)), 1.0
        if -slope <= _VISIBLE * abs(self.value):
            before, there = self.bound, self.weights + direction
            value, gradient, blocks = self._at(there)
            if 0.5 * float(np.vdot(gradient, gradient)) / self._l2 >= before:
                return False
            self._move(there, value, gradient, blocks)
            return True
        for _ in range(_HALVINGS):
            there = self.weights + length * direction
            value, gradient, blocks = self._at(there)
            if value <= self.value + _ARMIJO * length * slope:
                self._move(there, value, gradient, blocks)
                return True
            length *= 0.5
        return False

    def inverse(self) -> Solve | None:
        """Solves with the second derivatives at the point; None where they are not known, or indefinite."""
        return None if self._blocks is None else self._problem.inverse(self._blocks, self._C, self._l2)

    def _at(self, w: Floats) -> tuple[float, Floats, Floats]:
        value, gradient, blocks = self._problem.curved(w, self._stop)
        return 0.5 * self._l2 * float(np.vdot(w, w)) + self._C * value, self._C * gradient + self._l2 * w, blocks

    def _move(self, w: Floats, value: float, slope: Floats, blocks: Floats) -> None:
        self.weights, self.value, self._slope, self._blocks = w, value, slope, blocks
        self.bound = 0.5 * float(np.vdot(slope, slope)) / self._l2

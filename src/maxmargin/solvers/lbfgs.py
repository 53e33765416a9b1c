"""Limited-memory BFGS for the conditional likelihood; with an L1 penalty, orthant by orthant (Andrew and Gao)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.solvers.base import Run, Solution, Status, at_least
from maxmargin.solvers.likelihood import Likelihood
from maxmargin.solvers.monitor import Monitor

Floats = npt.NDArray[np.float64]

_PERIOD = 10  # without a bound of the gap: iterations over which the progress is looked at


@dataclass(frozen=True)
class LBFGS:
    """Minimises ``l2/2 |w|^2 + l1 |w|_1 + C f(w)`` from ``w = 0``.

    With ``l2 > 0`` the gap is at most ``|v|^2 / (2 l2)``, v the shortest subgradient, because the objective is strongly
    convex; training stops when that is at most ``C * sum(s) * tol``. Without, there is no such bound: training stops
    when ten iterations lower the objective by less than ``C * sum(s) * tol``.

    Parameters
    ----------
    memory : pairs of steps and changes of the gradient that are kept
    """

    name: ClassVar[str] = "lbfgs"

    memory: int = 10

    def __post_init__(self) -> None:
        at_least("memory", self.memory, 1)

    def __call__(self, problem: Likelihood, C: float, l1: float, l2: float, run: Run) -> Solution:
        return _Descent(self, problem, C, l1, l2, run).solve()


class _Descent:
    def __init__(self, solver: LBFGS, problem: Likelihood, C: float, l1: float, l2: float, run: Run) -> None:
        self.problem, self.C, self.l1, self.l2 = problem, C, l1, l2
        self.target = C * problem.total_weight * run.tol
        self.monitor = Monitor(run, solver.name, self.target)
        self.pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=solver.memory)
        self.w: Floats = np.zeros(problem.free.size)
        self.calls = 0
        self.objective, self.slope = self._ask(self.w)
        self.seen = [self.objective]

    def _ask(self, w: Floats) -> tuple[float, Floats]:
        """The objective, and the gradient of its smooth part."""
        value, gradient = self.problem.gradient(w)
        self.calls += self.problem.n
        smooth = 0.5 * self.l2 * float(w @ w) + self.C * value
        return smooth + self.l1 * float(np.abs(w).sum()), self.C * gradient + self.l2 * w

    def solve(self) -> Solution:
        with self.monitor:
            while not self._finished():
                if not self._step():
                    self.monitor.status = Status.STALLED
                    break
                if self.monitor.tick(
                    oracle_calls=self.calls,
                    primal=self.objective,
                    dual=None if self.bound is None else self.objective - self.bound,
                ):
                    break
        status = self.monitor.status
        assert status is not None
        return Solution(
            w=self.problem.native(self.w),
            status=status,
            primal=self.objective,
            dual=None if self.bound is None else self.objective - self.bound,
            n_iter=len(self.monitor.trace),
            oracle_calls=self.calls,
            trace=tuple(self.monitor.trace),
        )

    @property
    def bound(self) -> float | None:
        """Of the gap."""
        if self.l2 <= 0.0:
            return None
        v = self._subgradient()
        return float(v @ v) / (2.0 * self.l2)

    def _finished(self) -> bool:
        if self.bound is not None:
            if self.bound <= self.target:
                self.monitor.status = Status.CONVERGED
        elif len(self.seen) > _PERIOD and self.seen[-1 - _PERIOD] - self.seen[-1] <= self.target:
            self.monitor.status = Status.FINISHED
        return self.monitor.status is not None

    def _subgradient(self) -> Floats:
        """The shortest subgradient of the objective."""
        if self.l1 == 0.0:
            return self.slope
        at_zero = np.sign(self.slope) * np.maximum(np.abs(self.slope) - self.l1, 0.0)
        return np.where(self.w != 0.0, self.slope + self.l1 * np.sign(self.w), at_zero)

    def _step(self) -> bool:
        """One step of a line search along the direction; false if no step lowers the objective."""
        v = self._subgradient()
        direction = -self._times_inverse(v)
        if self.l1:
            direction = np.where(direction * v < 0.0, direction, 0.0)
        descent = float(direction @ v)
        if not descent < 0.0:  # the memory is of no use here
            self.pairs.clear()
            direction, descent = -v, -float(v @ v)
        orthant = np.where(self.w != 0.0, np.sign(self.w), -np.sign(v))
        length = 1.0 if self.pairs else 1.0 / max(1.0, float(np.linalg.norm(v)))
        for _ in range(40):
            w = self.w + length * direction
            if self.l1:
                w = np.where(w * orthant > 0.0, w, 0.0)
            objective, slope = self._ask(w)
            if objective <= self.objective + 1e-4 * float(v @ (w - self.w)):
                self._remember(w - self.w, slope - self.slope)
                self.w, self.objective, self.slope = w, objective, slope
                self.seen.append(objective)
                return True
            length *= 0.5 if self.pairs else 0.1
        return False

    def _remember(self, step: Floats, change: Floats) -> None:
        product = float(step @ change)
        if product > 1e-10 * float(change @ change):
            self.pairs.append((step, change, product))

    def _times_inverse(self, v: Floats) -> Floats:
        """The two loops over the remembered pairs."""
        result = v.copy()
        shares = []
        for step, change, product in reversed(self.pairs):
            share = float(step @ result) / product
            result -= share * change
            shares.append(share)
        if self.pairs:
            _, change, product = self.pairs[-1]
            result *= product / float(change @ change)
        for (step, change, product), share in zip(self.pairs, reversed(shares)):
            result += (share - float(change @ result) / product) * step
        return result

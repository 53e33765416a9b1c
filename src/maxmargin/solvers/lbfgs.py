"""Limited-memory BFGS for the conditional likelihood; with an L1 penalty, orthant by orthant (Andrew and Gao)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.oracles.base import Stopped
from maxmargin.solvers.base import Run, Solution, Status, at_least
from maxmargin.solvers.likelihood import Likelihood, Objective
from maxmargin.solvers.monitor import Monitor

Floats = npt.NDArray[np.float64]

_PERIOD = 10  # without a bound of the gap: iterations over which the progress is looked at
_ROUNDING = 1e-15  # of the objective: what a step must gain
_PATIENCE = 3  # steps in a row that gain less, after which rounding is all that is left
_VISIBLE = 1e-12  # of the objective: rounding hides smaller gains, and the gradient tells whether a step is good


@dataclass(frozen=True)
class LBFGS:
    """Minimises ``l2/2 |w|^2 + l1 |w|_1 + C f(w)`` from ``w = 0``, or from ``start`` where that is better.

    With ``l2 > 0`` the gap is at most ``|v|^2 / (2 l2)``, v the shortest subgradient, because the objective is strongly
    convex; training stops when that is small enough. A rough run stops when the next step promises to gain no more than
    may be left, which is sooner and no proof. Without, there is no such bound: training stops when ten
    iterations lower the objective by less than ``C * sum(s) * tol``. Where ``f`` is not convex both rules tell a local
    optimum, and no gap is given.

    Parameters
    ----------
    memory : pairs of steps and changes of the gradient that are kept
    """

    name: ClassVar[str] = "lbfgs"

    memory: int = 10

    def __post_init__(self) -> None:
        at_least("memory", self.memory, 1)

    def __call__(
        self,
        problem: Likelihood,
        C: float,
        l1: float,
        l2: float,
        run: Run,
        start: Floats | None = None,
        inverse: Callable[[Floats], Floats] | None = None,
    ) -> Solution:
        """``inverse`` solves with something like the second derivatives at ``start``; None is those at zero, where the
        problem has them."""
        objective = Objective(problem, C, l1, l2, run.tol)
        monitor = Monitor(run, self.name, objective.allowed(0.0))
        descent = Descent(objective, monitor, self.memory)
        descent.inverse = inverse
        if start is not None:
            descent.w = start[problem.free]
        with monitor:
            descent.advance()
        return descent.solution()


class Descent:
    """Steps from ``w``, zero unless somebody sets it; can pause and go on.

    ``floor`` is a lower bound of the objective that somebody else knows, ``history`` has (iteration, smallest bound of
    the gap so far) after every step.
    """

    def __init__(self, objective: Objective, monitor: Monitor, memory: int, floor: float = -np.inf) -> None:
        self.problem, self.C, self.l1, self.l2 = objective.problem, objective.C, objective.l1, objective.l2
        self.allowed, self.monitor, self.floor = objective.allowed, monitor, floor
        self.pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=memory)
        self.inverse: Callable[[Floats], Floats] | None = (
            None  # of something like the second derivatives, from the start on
        )
        self.scale = 1.0  # of that, by the last pair
        self.w: Floats = np.zeros(self.problem.free.size)
        self.slope: Floats = np.zeros(0)
        self.objective = np.inf  # until the first evaluation
        self.calls = self.iterations = 0
        self.seen: list[float] = []
        self.history: list[tuple[float, float]] = []

    def _ask(self, w: Floats) -> tuple[float, Floats]:
        """The objective, and the gradient of its smooth part."""
        value, gradient = self.problem.gradient(w, lambda: self.monitor.late)
        self.calls += self.problem.n
        smooth = 0.5 * self.l2 * float(w @ w) + self.C * value
        return smooth + self.l1 * float(np.abs(w).sum()), self.C * gradient + self.l2 * w

    def advance(self, most: float = np.inf, iterations: int = 0, calls: int = 0) -> None:
        """Goes on until the gap is small enough, a limit is reached, or ``most`` iterations were made.

        ``iterations`` and ``calls`` are what another solver has used up.
        """
        try:
            if not self.seen:
                self._begin()
            last = self.iterations + most
            if self._finished():
                return
            while self.iterations < last:
                if not self._step():
                    self.monitor.status = Status.STALLED
                    return
                if self.monitor.status is not None:
                    return
                self.iterations += 1
                if self.monitor.run.inspect is not None:
                    self.monitor.run.inspect(self.iterations, self.problem.native(self.w))
                if self.iterations == self.problem.renewal:
                    self._renew_inverse()
                if not self._finished() and self._exhausted():
                    self.monitor.status = Status.STALLED
                    return
                if self.bound is not None:
                    best = min(self.bound, self.history[-1][1] if self.history else np.inf)
                    self.history.append((float(self.iterations), best))
                if self.monitor.tick(
                    iteration=iterations + self.iterations,
                    oracle_calls=calls + self.calls,
                    primal=self.objective,
                    dual=self.dual,
                ):
                    return
        except Stopped:
            self.monitor.status = Status.MAX_TIME

    def _begin(self) -> None:
        """Evaluates the start, and takes zero where that is better."""
        if self.inverse is None and not self.l1:
            self.inverse = self.problem.inverse_curvature(self.C, self.l2)
        self.objective, self.slope = self._ask(self.w)
        if self.objective > self.C * self.problem.value_at_zero and self.w.any():
            self.w = np.zeros_like(self.w)
            self.objective, self.slope = self._ask(self.w)
        self.seen.append(self.objective)

    def _renew_inverse(self) -> None:
        """Starts again with second derivatives at the present ``w``, where the problem has some that cost little."""
        inverse = None if self.l1 else self.problem.inverse_curvature_at(self.w, self.C, self.l2)
        if inverse is not None:
            self.inverse, self.scale = inverse, 1.0
            self.pairs.clear()

    def solution(self) -> Solution:
        """The present ``w`` and its gap."""
        assert self.monitor.status is not None
        return Solution(
            w=self.problem.native(self.w),
            status=self.monitor.status,
            primal=self.objective if self.seen else None,
            dual=self.dual,
            n_iter=self.iterations,
            oracle_calls=self.calls,
            trace=tuple(self.monitor.trace),
        )

    @property
    def dual(self) -> float | None:
        """A lower bound of the objective."""
        return None if self.bound is None else self.objective - self.bound

    @property
    def bound(self) -> float | None:
        """Of the gap."""
        slope = self._slope_bound()
        return None if slope is None or not self.problem.convex else min(slope, self.objective - self.floor)

    def _slope_bound(self) -> float | None:
        """What bounds the gap where the objective is convex."""
        if self.l2 <= 0.0 or not self.seen:
            return None
        v = self._subgradient()
        return float(v @ v) / (2.0 * self.l2)

    def _finished(self) -> bool:
        bound = self.bound if self.problem.convex else self._slope_bound()
        if bound is not None and bound <= self.allowed(self.objective):
            self.monitor.status = Status.CONVERGED if self.problem.convex else Status.LOCAL
        elif self.bound is None and self._progress() <= self.allowed(0.0):
            self.monitor.status = Status.FINISHED if self.problem.convex else Status.LOCAL
        return self.monitor.status is not None

    def _exhausted(self) -> bool:
        """Whether the last steps gained nothing but rounding, of the objective and of the bound of the gap."""
        last, bounds = self.seen[-1 - _PATIENCE :], self.history[-1 - _PATIENCE :]
        if len(last) <= _PATIENCE or last[0] - last[-1] > _PATIENCE * _ROUNDING * abs(last[-1]):
            return False
        return len(bounds) <= _PATIENCE or bounds[-1][1] > 0.5 * bounds[0][1]

    def _progress(self) -> float:
        """By which the last iterations lowered the objective."""
        return self.seen[-1 - _PERIOD] - self.seen[-1] if len(self.seen) > _PERIOD else np.inf

    def _subgradient(self) -> Floats:
        """The shortest subgradient of the objective."""
        if self.l1 == 0.0:
            return self.slope
        at_zero = np.sign(self.slope) * np.maximum(np.abs(self.slope) - self.l1, 0.0)
        return np.where(self.w != 0.0, self.slope + self.l1 * np.sign(self.w), at_zero)

    def _step(self) -> bool:
        """One step of a line search along the direction; false if no step lowers the objective.

        Sets the status instead where the run is rough and the step promises too little.
        """
        v = self._subgradient()
        direction = -self._times_inverse(v)
        if self.l1:
            direction = np.where(direction * v < 0.0, direction, 0.0)
        descent = float(direction @ v)
        if self.monitor.run.rough and self.l2 > 0.0 and 0.0 <= -0.5 * descent <= self.allowed(self.objective):
            self.monitor.status = Status.FINISHED
            return True
        if not descent < 0.0:  # the memory is of no use here
            self.pairs.clear()
            direction, descent = -v, -float(v @ v)
        hidden = self.l1 == 0.0 and -descent <= _VISIBLE * abs(self.objective)
        orthant = np.where(self.w != 0.0, np.sign(self.w), -np.sign(v))
        length = 1.0 if self.pairs or self.inverse is not None else self._first_length(v)
        for _ in range(40):
            w = self.w + length * direction
            if self.l1:
                w = np.where(w * orthant > 0.0, w, 0.0)
            objective, slope = self._ask(w)
            if hidden and float(slope @ slope) < float(v @ v):
                return self._move(w, objective, slope)
            if objective <= self.objective + 1e-4 * float(v @ (w - self.w)):
                return self._move(w, objective, slope)
            length *= 0.5 if self.pairs else 0.1
        return False

    def _move(self, w: Floats, objective: float, slope: Floats) -> bool:
        self._remember(w - self.w, slope - self.slope)
        self.w, self.objective, self.slope = w, objective, slope
        self.seen.append(objective)
        return True

    def _first_length(self, v: Floats) -> float:
        curvature = self.problem.curvature
        return 1.0 / (self.l2 + self.C * curvature) if curvature else 1.0 / max(1.0, float(np.linalg.norm(v)))

    def _remember(self, step: Floats, change: Floats) -> None:
        product = float(step @ change)
        if product > 1e-10 * float(change @ change):
            self.pairs.append((step, change, product))
            turned = change if self.inverse is None else self.inverse(change)
            self.scale = product / float(change @ turned)

    def _times_inverse(self, v: Floats) -> Floats:
        """The two loops over the remembered pairs."""
        result = v.copy()
        shares = []
        for step, change, product in reversed(self.pairs):
            share = float(step @ result) / product
            result -= share * change
            shares.append(share)
        if self.inverse is not None:
            result = self.inverse(result)
        if self.pairs:
            result *= self.scale
        for (step, change, product), share in zip(self.pairs, reversed(shares)):
            result += (share - float(change @ result) / product) * step
        return result

"""Newton's method for smooth losses of rows, with a bound of the gap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from maxmargin.oracles.base import Stopped
from maxmargin.solvers.base import Run, Solution, Status
from maxmargin.solvers.certify import ROUNDING
from maxmargin.solvers.monitor import Monitor

Floats = npt.NDArray[np.float64]

_IDLE = 5  # steps without any gain that floating point can show, of the objective or of the gap


class Smooth(Protocol):
    """A strongly convex objective at a point that it keeps.

    ``assess`` and ``step`` may raise ``Stopped`` where the time is up; the point is then the last one assessed.
    """

    @property
    def weights(self) -> Floats: ...

    @property
    def value(self) -> float: ...

    @property
    def bound(self) -> float:
        """At least the objective minus its minimum, at the point assessed."""
        ...

    def assess(self) -> None: ...

    def step(self) -> bool: ...


@dataclass(frozen=True)
class Newton:
    """Steps from where the problem stands until the gap is at most ``target``, which may depend on the objective.

    The objective is strongly convex, so the gap is at most half the squared length of its gradient (in the norm dual
    to that of the penalty); ``dual`` is the objective minus this bound.
    """

    name: ClassVar[str] = "newton"

    def __call__(self, problem: Smooth, target: float | Callable[[float], float], n: int, run: Run) -> Solution:
        allowed = target if callable(target) else lambda _: target
        monitor, calls = Monitor(run, self.name, allowed(0.0)), 0
        idle, least, bound = 0, np.inf, np.inf  # steps without a gain, the smallest objective and bound so far
        with monitor:
            try:
                while True:
                    problem.assess()
                    calls += n
                    if problem.bound <= allowed(problem.value):
                        monitor.status = Status.CONVERGED
                    if monitor.tick(oracle_calls=calls, primal=problem.value, dual=problem.value - problem.bound):
                        break
                    gained = problem.bound < 0.5 * bound or problem.value < least - ROUNDING * abs(least)
                    idle = 0 if gained else idle + 1
                    least, bound = min(least, problem.value), min(bound, problem.bound)
                    before = problem.weights
                    if idle >= _IDLE or not problem.step() or np.array_equal(before, problem.weights):
                        monitor.status = Status.STALLED
                        break
                problem.assess()
            except Stopped:
                monitor.status = Status.MAX_TIME
        status, reached = monitor.status, problem.bound <= allowed(problem.value)
        assert status is not None
        return Solution(
            w=np.ascontiguousarray(problem.weights),
            status=Status.CONVERGED if reached and status is not Status.CALLBACK else status,
            primal=problem.value,
            dual=problem.value - problem.bound,
            n_iter=len(monitor.trace),
            oracle_calls=calls,
            trace=tuple(monitor.trace),
        )

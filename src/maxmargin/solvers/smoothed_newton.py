"""Newton's method on a smooth form of a sum of hinge losses, with the dual variables that prove how near it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.core.planes import Planes
from maxmargin.oracles.base import Oracle, Smoothed
from maxmargin.oracles.engine import DualState
from maxmargin.solvers.base import Run, Solution, Status
from maxmargin.solvers.certify import gap_target
from maxmargin.solvers.monitor import Monitor

Floats = npt.NDArray[np.float64]

_PATIENCE = 8  # steps in which the gap must halve


@dataclass(frozen=True)
class SmoothedNewton:
    """Steps until the gap of the objective as it is, not of its smooth form, is as small as the run asks for.

    Each step costs a few passes over the data, and a handful of steps is enough where the losses are many. Stops with
    ``STALLED`` where steps gain little; cutting planes go on from ``state``.
    """

    name: ClassVar[str] = "smoothed-newton"

    def __call__(
        self, problem: Smoothed, oracle: Oracle, C: float, run: Run, start: Solution | None = None
    ) -> Solution:
        goal = gap_target(oracle, C, run)
        monitor = Monitor(run, self.name)
        gaps: list[float] = []
        with monitor:
            _begin(problem, oracle, start)
            moved = True
            while True:
                monitor.target = goal.at(problem.dual, problem.dual_square)
                gaps.append(problem.primal - problem.dual)
                slow = len(gaps) > _PATIENCE and not gaps[-1] <= 0.5 * gaps[-1 - _PATIENCE]
                if gaps[-1] <= monitor.target:
                    monitor.status = Status.CONVERGED
                elif slow or not moved:
                    monitor.status = Status.STALLED
                calls = problem.passes * oracle.n
                if monitor.tick(oracle_calls=calls, planes=1, primal=problem.primal, dual=problem.dual):
                    break
                moved = problem.step(monitor.target)
        if not problem.passes:  # interrupted before it began
            problem.start()
        status = monitor.status
        assert status is not None
        a, b = problem.cut
        nobody = np.full(1, -1, dtype=np.int32)
        planes = Planes(a[None, :], np.array([b]), nobody)
        return Solution(
            w=problem.weights,
            status=status,
            primal=problem.primal,
            dual=problem.dual,
            slack=problem.slack,
            n_iter=len(monitor.trace),
            oracle_calls=problem.passes * oracle.n,
            state=DualState(nobody, np.zeros(1, dtype=np.int32), np.array([C]), planes, cuts=True),
            trace=tuple(monitor.trace),
        )


def _begin(problem: Smoothed, oracle: Oracle, start: Solution | None) -> None:
    """Goes to the point to start from, with what an earlier solution proves about the dual."""
    if start is None or not oracle.space.has(start.w):
        problem.start()
        return
    a, b = None, 0.0
    state = start.state
    if state is not None and state.cuts and state.planes is not None and state.alpha.sum() > 0.0:
        share = state.alpha / state.alpha.sum()
        a, b = np.ascontiguousarray(share @ state.planes.a, dtype=np.float64), float(share @ state.planes.b)
    problem.resume(np.ascontiguousarray(start.w), a, b)

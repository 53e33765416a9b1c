"""The loop of the solvers that prove how good their answer is: limits, trace, Ctrl-C, and the exact pass at the end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Any, Protocol

from maxmargin.core.points import Point
from maxmargin.oracles.base import Oracle, Stop, Stopped
from maxmargin.oracles.engine import DualState
from maxmargin.solvers.base import LIMITS, Infeasible, Run, Solution, Solver, Status
from maxmargin.solvers.certify import Candidate, gap_target
from maxmargin.solvers.monitor import Monitor


class DualSide(Protocol):
    """Dual variables and the weights that belong to them: an engine, or cuts."""

    @property
    def weights(self) -> Point: ...
    @property
    def dual(self) -> float: ...
    @property
    def offset(self) -> float: ...
    @property
    def plane_count(self) -> int: ...


class ExactLoop(ABC):
    """One run of an exact solver: ``init``, then ``step`` and ``finished`` in turns, then ``solution``.

    Attributes
    ----------
    goal : the gap that the run asks for
    calls, hits : examples that the oracle was asked for, and those answered from planes kept
    best : the best weights of which the slacks are known, None where no exact pass was made
    estimate : a cheap guess of the gap, None where there is none
    allowed : the gap at which the run ends
    contradiction : proof that a hard margin cannot be met
    """

    def __init__(self, solver: Solver, oracle: Oracle, C: float, run: Run) -> None:
        self.oracle, self.C, self.run = oracle, C, run
        self.space = oracle.space
        self.hard = oracle.formulation.slack == "hard"
        self.goal = gap_target(oracle, C, run)
        self.monitor = Monitor(run, solver.name, self.goal.absolute)
        self.calls = self.hits = 0
        self.best: Candidate | None = None
        self.estimate: float | None = None
        self.allowed = self.goal.absolute
        self.contradiction: Infeasible | None = None

    @property
    @abstractmethod
    def dual_side(self) -> DualSide: ...

    @abstractmethod
    def init(self, start: Solution | None) -> None:
        """Takes up what an earlier solution is good for."""

    @abstractmethod
    def step(self) -> None:
        """One iteration. May raise ``Stopped`` where the time is up."""

    @abstractmethod
    def finished(self) -> Status | None:
        """Why the run ends after this step, or None. May raise ``Stopped`` like ``step``."""

    @abstractmethod
    def certify(self, stop: Stop) -> bool:
        """Asks all examples at one ``w``, which is kept as ``best``; whether the gap is what the run asks for."""

    @abstractmethod
    def state(self) -> DualState | None: ...

    @property
    def exact(self) -> bool:
        """Whether the dual is a lower bound of the objective."""
        return self.oracle.exact

    @property
    def iteration(self) -> int | None:
        """The count that ``max_iter`` limits, where it is not that of the steps."""
        return None

    @property
    def proved(self) -> float | None:
        """The objective of what this step has proved something about."""
        return None if self.best is None else self.best.objective

    @property
    def lower_bound(self) -> float | None:
        """Of the objective, as far as this step knows."""
        return self.dual_side.dual

    def extras(self) -> dict[str, Any]:
        """Further fields of the solution."""
        return {}

    def solve(self, start: Solution | None) -> Solution:
        """Runs until the solver is done or a limit ends it."""
        with self.monitor:
            self.init(start)
            while not self._ends_after_step():
                pass
        return self.solution()

    def _ends_after_step(self) -> bool:
        try:
            self.step()
            self.monitor.status = self.finished()
        except Stopped:
            self.monitor.status = Status.MAX_TIME
        self.monitor.target = self.allowed
        return self.monitor.tick(
            iteration=self.iteration,
            oracle_calls=self.calls,
            cache_hits=self.hits,
            planes=self.dual_side.plane_count,
            primal=self.proved,
            dual=self.lower_bound,
            estimate=self.reported_estimate,
        )

    @property
    def reported_estimate(self) -> float | None:
        """What the trace says of the gap where it is not proved."""
        return self.estimate

    def solution(self) -> Solution:
        """The best weights with what is known about them."""
        state = self.state()
        if self.best is None and self.exact:
            with self.monitor, suppress(Stopped):
                if self.certify(self.monitor.closing()) and self.monitor.status in LIMITS:
                    self.monitor.status = Status.CONVERGED
        status, best, exact = self.monitor.status, self.best, self.exact
        trace = tuple(self.monitor.trace)
        assert status is not None
        return Solution(
            w=self.dual_side.weights if best is None else best.w,
            status=Status.INEXACT if status is Status.CONVERGED and not exact else status,
            primal=best.objective if best is not None and exact and self.contradiction is None else None,
            dual=self.dual_side.dual if exact else None,
            slack=None if best is None else best.slack,
            n_iter=len(trace) if self.iteration is None else self.iteration,
            oracle_calls=self.calls,
            cache_hits=self.hits,
            state=state,
            trace=trace,
            certificate=self.contradiction,
            **self.extras(),
        )

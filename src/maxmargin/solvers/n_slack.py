"""Cutting planes of the n-slack form (paper 000, algorithm 1): a working set of planes for each example."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from maxmargin._core import VisitResult, VisitSettings
from maxmargin.oracles.base import Oracle, Stopped, total_weight
from maxmargin.oracles.engine import Engine
from maxmargin.solvers.base import LIMITS, Infeasible, Run, Solution, Solver, Status, at_least, one_of
from maxmargin.solvers.certify import (
    ROUNDING,
    Candidate,
    Suspicion,
    evaluate,
    find_contradiction,
    gap_target,
    is_solved,
)
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.together import Together

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


_ROUNDS = 20  # of a hundred passes, before the oracle is asked again
_IDLE = 5  # passes, or rounds, without a gain after which nothing more is expected
_PASSES = 100  # of a round
_SETTLED = 1_000_000  # planes visited before the clock is looked at, or 1e9 multiplications


@dataclass(frozen=True)
class NSlack(Solver):
    """Adds planes that are violated by more than a threshold and re-optimises the dual over the working sets.

    Parameters
    ----------
    update : ``'all'`` re-optimises every block (variant a of the paper), ``'block'`` only the one just touched
        (variant b), which then is followed by all blocks at the end of a pass
    batch : planes added before the dual is re-optimised; 1 is the algorithm as first published, None is 100 or a tenth
        of the examples, whichever is more
    keep_idle : visits for which a plane out of use is kept
    coarse : the threshold starts at this share of the largest slack at ``w = 0`` and shrinks to what ``tol`` asks for;
        the dual is solved to a share of the threshold, so that early rounds are cheap. 0 starts at the final threshold.
    """

    name: ClassVar[str] = "n-slack"

    update: str = "all"
    batch: int | None = None
    keep_idle: int = 50
    coarse: float = 0.1

    def __post_init__(self) -> None:
        one_of("update", self.update, ("all", "block"))
        at_least("batch", 1 if self.batch is None else self.batch, 1)
        at_least("keep_idle", self.keep_idle, 0)
        at_least("coarse", self.coarse, 0)

    def __call__(self, oracle: Oracle, C: float, run: Run, start: Solution | None = None) -> Solution:
        return _WorkingSets(self, oracle, C, run).solve(start)


class _WorkingSets:
    def __init__(self, solver: NSlack, oracle: Oracle, C: float, run: Run) -> None:
        self.solver, self.oracle, self.C, self.run = solver, oracle, C, run
        self.engine: Engine = oracle.engine(C)
        self.target = gap_target(oracle, C, run)
        self.monitor = Monitor(run, solver.name, self.target.absolute)
        self.rng = check_random_state(run.random_state)
        self.threshold = self.first = 0.0
        self.batch = solver.batch if solver.batch is not None else max(100, oracle.n // 10)
        self.everyone = np.arange(oracle.n, dtype=np.int32)
        self.calls = self.hits = self.refinements = self.visited = 0
        self.suspicion = Suspicion(oracle)
        self.together = Together(oracle, C)
        self.sharp: Floats | None = None  # weights that the last move of all blocks at once has found
        self.candidate: Candidate | None = None
        self.contradiction: Infeasible | None = None
        self.added_total = 0
        self.solved = True
        self.exhausted = False  # the dual over the planes held cannot grow any more
        self.best_dual, self.idle = -np.inf, 0
        self.refused = np.inf  # the smallest estimate of the gap that proved too small
        self.violation = self.best_violation = np.inf  # of the planes held: now, and the smallest so far
        self.steepness = oracle.steepness() if oracle.capabilities.cheap else 0.0

    def solve(self, start: Solution | None) -> Solution:
        if start is not None and start.state is not None and not start.state.cuts:
            self.engine.restore(start.state)
            if self.engine.dual < 0.0:  # nothing is a better start
                self.engine = self.oracle.engine(self.C)
        with self.monitor:
            self.threshold = max(self._coarse_threshold(), self._final)
            while True:
                added = self._one_pass()
                stop = self._finished(added)
                if (
                    self.monitor.tick(
                        oracle_calls=self.calls,
                        cache_hits=self.hits,
                        planes=self.engine.plane_count,
                        primal=None if self.candidate is None else self.candidate.objective,
                        dual=self.engine.dual,
                    )
                    or stop
                ):
                    break
        return self._solution()

    def _coarse_threshold(self) -> float:
        if self.solver.coarse <= 0.0 and not self.target.relative:
            return self._final
        self.calls += self.oracle.n
        try:
            self.first = float(self.oracle.slacks(self.engine.weights, self.monitor.stop).max(initial=0.0))
        except Stopped:  # the pass that follows ends at once
            return np.inf
        return self.solver.coarse * self.first

    @property
    def _final(self) -> float:
        """The violation at which the gap is looked at; halved each time that it was too large still."""
        target = self.target.of(self.engine)
        if self.oracle.formulation.slack != "hard":
            target /= self.C * max(total_weight(self.oracle), 1e-300)
        return max(0.5 * target, 1e-3 * self.target.relative * self.first) * 0.5**self.refinements

    @property
    def _finest(self) -> float:
        """The smallest threshold that rounding leaves a meaning: ``b - <a, w>`` is no more exact, ``|w|^2`` being at
        most twice the linear part of the dual."""
        size = np.sqrt(2.0 * max(self.engine.linear, 0.0) * self.steepness)
        return 1e-15 * float((self.first or 1.0) + size)

    def _one_pass(self) -> int:
        """Asks for every example once; returns the number of planes added."""
        self.candidate = None
        order = self.rng.permutation(self.everyone)
        step = "exact" if self.solver.update == "block" else "none"
        added = 0
        while order.size and self.contradiction is None and not self.monitor.late:
            settings = VisitSettings(
                step=step,
                precision=0.5 * self.threshold,
                threshold=self.threshold,
                max_added=self.batch,
                keep_idle=self.solver.keep_idle,
                max_steps=10_000,
            )
            result = VisitResult()
            for portion in self.oracle.portions(order):
                result.merge(self.engine.visit(portion, settings))
                if self.monitor.late or result.unbounded or result.added >= self.batch:
                    break
            self._keep_time(result.visited)
            self.calls += result.visited
            added += result.added
            if result.unbounded:
                self.contradiction = find_contradiction(self.oracle, self.engine.state())
            order = order[result.visited :]
            if result.added and (self.solver.update == "all" or not order.size):
                self._optimise()
        self.added_total += added
        return added

    def _keep_time(self, visited: int) -> None:
        """An exact pass takes about as long as the visits to as many examples."""
        self.visited += visited
        self.monitor.reserve = self.oracle.n * self.monitor.seconds / max(1, self.visited)

    def _optimise(self) -> None:
        """Dual ascent over all blocks until none is violated by more than half the threshold, or for a while."""
        self.exhausted = False
        tolerance = max(0.5 * self.threshold, self._finest)
        settings = VisitSettings(precision=0.2 * tolerance, max_steps=10_000)
        left, before, since, flat = np.inf, self.engine.dual, 0, 0
        visits = self.oracle.n * self.oracle.capabilities.visit_cost if self.oracle.capabilities.cheap else 0.0
        passes = int(np.clip(_SETTLED // max(1, self.engine.plane_count, visits / 1e3), 1, _PASSES))
        for _ in range(_ROUNDS * _PASSES // passes):
            result = self.engine.settle(settings, tolerance, passes)
            since += passes
            self.hits += result.visited
            if self._contradicted(result.unbounded):
                return
            self.violation = result.violation
            self.solved = result.violation <= tolerance
            if self.solved or self.monitor.late:
                return
            self.together.spend(result.visited + result.steps, self.engine.plane_count)
            if self.together.due(self.engine) and self._move_together():
                return
            if since < _PASSES:
                continue
            since = 0
            if self._grew(before) or result.violation <= 0.9 * left:
                left, before, flat = min(left, result.violation), self.engine.dual, 0
            elif (flat := flat + 1) >= _IDLE:
                self.exhausted = True
                return

    def _contradicted(self, unbounded: bool) -> bool:
        if unbounded or self.suspicion.raised(self.engine):
            self.contradiction = find_contradiction(self.oracle, self.engine.state())
        return unbounded or self.contradiction is not None

    def _move_together(self) -> bool:
        """Moves all blocks at once; whether the dual over the planes held is solved, or has no bound."""
        moved = self.together.move(self.engine)
        if moved is None:
            return False
        self.sharp = moved.w
        if self._contradicted(False):
            return True
        share = 2.0 * (moved.gap + self.engine.dual) if self.oracle.formulation.slack == "hard" else 1.0
        self.solved = moved.gap <= 0.25 * share * self.target.of(self.engine)
        self.violation = 0.0 if self.solved else self.violation
        return self.solved

    def _grew(self, before: float) -> bool:
        """Whether the dual is more than rounding above what it was."""
        return bool(self.engine.dual - before > ROUNDING * (abs(self.engine.dual) + abs(self.engine.linear)))

    def _finished(self, added: int) -> bool:
        if self.contradiction is not None:
            self.monitor.status = Status.INFEASIBLE
            return True
        if not self.solved and not added and not self.monitor.late:
            self._optimise()
        if self._is_idle(added):
            self.monitor.status = Status.STALLED
            return True
        if self._is_close() and self._certified():
            return True
        if added or not self.solved or self.monitor.late:
            return False
        finest = self._finest
        if self.threshold > max(self._final, finest):
            self.threshold = max(0.25 * self.threshold, self._final, finest)
            return False
        if not self.oracle.exact:
            self.monitor.status = Status.INEXACT
            return True
        if self._certified():
            return True
        self.refinements += 1
        last, self.threshold = self.threshold <= 2.0 * finest, max(self._final, finest)
        before = self.engine.dual
        self._optimise()
        if self.refinements > 60 or (last and not self._grew(before)):
            self.monitor.status = Status.STALLED
            return True
        return False

    def _is_close(self) -> bool:
        """Whether the gaps that the visits of the last pass met, each at the ``w`` of its time, are small enough to ask
        all examples at one ``w``; after a failure, not before they are half as large."""
        if self.oracle.formulation.slack == "hard" or not self.oracle.exact or self.monitor.late:
            return False
        estimate = float(self.engine.gaps.sum(dtype=np.float64))
        if not estimate <= min(self.target.of(self.engine), 0.5 * self.refused):
            return False
        self.refused = estimate
        return True

    def _certified(self) -> bool:
        """Asks all examples at one ``w``; whether that ends training, with the gap wanted or without time."""
        try:
            self.candidate = self._best_candidate()
        except Stopped:
            self.monitor.status = Status.MAX_TIME
            return True
        if not is_solved(self.oracle, self.candidate, self.engine.dual, self.target.of(self.engine)):
            self.candidate = None
            return False
        self.monitor.status = Status.CONVERGED
        return True

    def _best_candidate(self) -> Candidate:
        """The present ``w``, or what the last move of all blocks has found where that is better."""
        target, stop = self.target.of(self.engine), self.monitor.closing()
        best = evaluate(self.oracle, self.C, self.engine.weights, stop)
        self.calls += self.oracle.n
        if self.sharp is not None and not is_solved(self.oracle, best, self.engine.dual, target):
            other = evaluate(self.oracle, self.C, self.sharp, stop)
            self.calls += self.oracle.n
            best = min(best, other, key=lambda candidate: candidate.primal)
        return best

    def _is_idle(self, added: int) -> bool:
        """Passes that find something to do, and do it without any gain that floating point can show: the dual gains
        with the square of the violations, so these may still fall when that cannot be seen any more."""
        fell = self.violation < 0.9 * self.best_violation
        self.best_violation = min(self.violation, self.best_violation)
        if fell or self._grew(self.best_dual) or not np.isfinite(self.best_dual):
            self.best_dual, self.idle = self.engine.dual, 0
        elif added or not self.solved:
            self.idle += 1
        return self.idle >= _IDLE or (self.exhausted and not added and not self.monitor.late)

    def _solution(self) -> Solution:
        state = self.engine.state()
        best = self.candidate
        if best is None and self.oracle.exact:
            with self.monitor, suppress(Stopped):
                best = self._best_candidate()
                if self.monitor.status in LIMITS and is_solved(
                    self.oracle, best, self.engine.dual, self.target.of(self.engine)
                ):
                    self.monitor.status = Status.CONVERGED
        status = self.monitor.status
        assert status is not None
        return Solution(
            w=self.engine.weights if best is None else best.w,
            status=status,
            primal=None if best is None or self.contradiction is not None else best.objective,
            dual=self.engine.dual if self.oracle.exact else None,
            slack=None if best is None else best.slack,
            n_iter=len(self.monitor.trace),
            oracle_calls=self.calls,
            cache_hits=self.hits,
            state=state,
            trace=tuple(self.monitor.trace),
            certificate=self.contradiction,
            details={"planes_added": self.added_total},
        )

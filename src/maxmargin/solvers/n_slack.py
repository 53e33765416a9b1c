"""Cutting planes of the n-slack form (paper 000, algorithm 1): a working set of planes for each example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from maxmargin._core import VisitResult, VisitSettings
from maxmargin.oracles.base import Oracle, Stopped, total_weight
from maxmargin.solvers.base import Run, Solution, Solver, Status, at_least, one_of
from maxmargin.solvers.block_loop import BlockLoop
from maxmargin.solvers.certify import ROUNDING

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


class _WorkingSets(BlockLoop):
    """A step asks for every example once, and re-optimises the dual after every batch of planes."""

    def __init__(self, solver: NSlack, oracle: Oracle, C: float, run: Run) -> None:
        super().__init__(solver, oracle, C, run)
        self.solver = solver
        self.rng = check_random_state(run.random_state)
        self.threshold = self.first = 0.0
        self.batch = solver.batch if solver.batch is not None else max(100, oracle.n // 10)
        self.everyone = np.arange(oracle.n, dtype=np.int32)
        self.refinements = self.visited = 0
        self.added = self.added_total = 0  # planes, in this pass and in all
        self.solved = True
        self.exhausted = False  # the dual over the planes held cannot grow any more
        self.best_dual, self.idle = -np.inf, 0
        self.refused = np.inf  # the smallest estimate of the gap that proved too small
        self.violation = self.best_violation = np.inf  # of the planes held: now, and the smallest so far
        self.steepness = oracle.steepness() if oracle.capabilities.cheap else 0.0

    def init(self, start: Solution | None) -> None:
        super().init(start)
        self.threshold = max(self._coarse_threshold(), self._final)

    def _coarse_threshold(self) -> float:
        if self.solver.coarse <= 0.0 and not self.goal.relative:
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
        target = self.goal.of(self.engine)
        if not self.hard:
            target /= self.C * max(total_weight(self.oracle), 1e-300)
        return max(0.5 * target, 1e-3 * self.goal.relative * self.first) * 0.5**self.refinements

    @property
    def _finest(self) -> float:
        """The smallest threshold that rounding leaves a meaning: ``b - <a, w>`` is no more exact, ``|w|^2`` being at
        most twice the linear part of the dual."""
        size = np.sqrt(2.0 * max(self.engine.linear, 0.0) * self.steepness)
        return 1e-15 * float((self.first or 1.0) + size)

    def step(self) -> None:
        self.best = None
        order = self.rng.permutation(self.everyone)
        step = "exact" if self.solver.update == "block" else "none"
        self.added = 0
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
            self.added += result.added
            if result.unbounded:
                self.contradicted(True)
            order = order[result.visited :]
            if result.added and (self.solver.update == "all" or not order.size):
                self._optimise()
        self.added_total += self.added
        self.allowed = self.goal.of(self.engine)

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
        costs = self.oracle.capabilities
        visits = self.oracle.n * costs.visit_cost if costs.cheap else 0.0
        passes = int(np.clip(_SETTLED // max(1, self.engine.plane_count, visits / 1e3), 1, _PASSES))
        for _ in range(_ROUNDS * _PASSES // passes):
            result = self.engine.settle(settings, tolerance, passes)
            since += passes
            self.hits += result.visited
            if self.contradicted(result.unbounded) or result.unbounded:
                return
            self.violation = result.violation
            self.solved = result.violation <= tolerance
            if self.solved or self.monitor.late:
                return
            if self.together is not None:
                self.together.spend(result.visited + result.steps, self.engine.plane_count)
                if self.together.due(self.engine) and self._solved_together():
                    return
            if since < _PASSES:
                continue
            since = 0
            if self._grew(before) or result.violation <= 0.9 * left:
                left, before, flat = min(left, result.violation), self.engine.dual, 0
            elif (flat := flat + 1) >= _IDLE:
                self.exhausted = True
                return

    def _solved_together(self) -> bool:
        """Moves all blocks at once; whether the dual over the planes held is solved, or has no bound."""
        moved = self.move_together()
        if moved is None:
            return False
        if self.contradicted():
            return True
        self.solved = self.within(moved, 0.25)
        self.violation = 0.0 if self.solved else self.violation
        return self.solved

    def _grew(self, before: float) -> bool:
        """Whether the dual is more than rounding above what it was."""
        return bool(self.engine.dual - before > ROUNDING * (abs(self.engine.dual) + abs(self.engine.linear)))

    def finished(self) -> Status | None:
        if self.contradiction is not None:
            return Status.INFEASIBLE
        if not self.solved and not self.added and not self.monitor.late:
            self._optimise()
        if self._is_idle():
            return Status.STALLED
        if self._is_close() and self._certified():
            return Status.CONVERGED
        if self.added or not self.solved or self.monitor.late:
            return None
        finest = self._finest
        if self.threshold > max(self._final, finest):
            self.threshold = max(0.25 * self.threshold, self._final, finest)
            return None
        if not self.oracle.exact:
            return Status.INEXACT
        if self._certified():
            return Status.CONVERGED
        self.refinements += 1
        last, self.threshold = self.threshold <= 2.0 * finest, max(self._final, finest)
        before = self.engine.dual
        self._optimise()
        return Status.STALLED if self.refinements > 60 or (last and not self._grew(before)) else None

    def _is_close(self) -> bool:
        """Whether the gaps that the visits of the last pass met, each at the ``w`` of its time, are small enough to ask
        all examples at one ``w``; after a failure, not before they are half as large."""
        if self.hard or not self.oracle.exact or self.monitor.late:
            return False
        estimate = float(self.engine.gaps.sum(dtype=np.float64))
        if not estimate <= min(self.goal.of(self.engine), 0.5 * self.refused):
            return False
        self.refused = estimate
        return True

    def _certified(self) -> bool:
        """Whether the gap is proved to be small enough; what proves too little is out of date after the next pass."""
        if self.certify(self.monitor.closing()):
            return True
        self.best = None
        return False

    def _is_idle(self) -> bool:
        """Passes that find something to do, and do it without any gain that floating point can show: the dual gains
        with the square of the violations, so these may still fall when that cannot be seen any more."""
        fell = self.violation < 0.9 * self.best_violation
        self.best_violation = min(self.violation, self.best_violation)
        if fell or self._grew(self.best_dual) or not np.isfinite(self.best_dual):
            self.best_dual, self.idle = self.engine.dual, 0
        elif self.added or not self.solved:
            self.idle += 1
        return self.idle >= _IDLE or (self.exhausted and not self.added and not self.monitor.late)

    def extras(self) -> dict[str, Any]:
        return {"details": {"planes_added": self.added_total}}

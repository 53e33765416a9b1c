"""Cutting planes of the 1-slack form (paper 004, algorithms 3 and 4): one slack for the whole training set."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin._core import PlaneEngine, VisitSettings
from maxmargin.core.formulation import Formulation
from maxmargin.core.planes import Planes
from maxmargin.core.vectors import dot
from maxmargin.oracles.base import Cut, DualState, Oracle, Stopped
from maxmargin.oracles.cached import CachedOracle
from maxmargin.oracles.from_problem import ProblemOracle
from maxmargin.oracles.plane_by_plane import add_plane
from maxmargin.oracles.portions import Stop
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Run, Solution, Status, at_least
from maxmargin.solvers.bounded import BoundedCuts
from maxmargin.solvers.certify import ROUNDING, Candidate, gap_target, within_rounding
from maxmargin.solvers.interior import cost_of_dual, solve_dual
from maxmargin.solvers.monitor import Monitor

Floats = npt.NDArray[np.float64]

_ONLY = np.zeros(1, dtype=np.int32)
_STEPS = 200_000  # between cuts, at most
_FEWEST_STEPS = 2_000  # that show how fast they are


@dataclass(frozen=True)
class OneSlack:
    """Adds the summed plane of all examples at the current ``w``, re-solves the small dual, repeats.

    Squared slack is summed as the planes of ``slack^2 / 2``, so both slacks have one block with cap C.

    Parameters
    ----------
    cache : planes kept per example, tried before the oracle is asked; 0 asks always
    keep_idle : rounds for which a cut out of use is kept
    line_search : move towards the new cut only, instead of solving the dual over all cuts
    damping : the oracle is asked between the solution over the cuts and the best ``w`` so far, this share of the way
        towards the latter, and at the solution itself only if that cut is of no use; 0 is the algorithm as published.
        (Measured on Covertype and MNIST: 0.9 needs a quarter of the rounds of 0.)
    """

    name: ClassVar[str] = "one-slack"

    cache: int = 10
    keep_idle: int = 50
    line_search: bool = False
    damping: float = 0.9

    def __post_init__(self) -> None:
        at_least("cache", self.cache, 0)
        at_least("keep_idle", self.keep_idle, 0)
        at_least("damping", self.damping, 0)
        if self.damping >= 1.0:
            raise ValueError(f"damping must be less than 1, not {self.damping!r}.")

    def check(self, formulation: Formulation) -> None:
        if formulation.slack == "hard":
            raise Unsupported(
                "The one-slack solver sums the slacks of all examples, and a hard margin has none: "
                "use solver='n-slack' or 'bcfw'."
            )

    def __call__(self, oracle: Oracle, C: float, run: Run, start: Solution | None = None) -> Solution:
        self.check(oracle.formulation)
        return _CuttingPlanes(self, oracle, C, run).solve(start)


class _CuttingPlanes:
    def __init__(self, solver: OneSlack, oracle: Oracle, C: float, run: Run) -> None:
        self.solver, self.C, self.run = solver, C, run
        self.cached = solver.cache > 0 and isinstance(oracle, ProblemOracle)
        self.oracle: Oracle = CachedOracle(oracle, solver.cache) if self.cached else oracle  # type: ignore[arg-type]
        self.core: PlaneEngine | BoundedCuts = (
            PlaneEngine(1, oracle.dimension, "linear", C, None)
            if oracle.bounds is None
            else BoundedCuts(oracle.dimension, C, oracle.bounds)
        )
        self.goal = gap_target(oracle, C, run)
        self.monitor = Monitor(run, solver.name, self.goal.absolute)
        self.best: Candidate | None = None
        self.gap = np.inf
        self.calls = self.hits = self.stuck = 0

    def solve(self, start: Solution | None) -> Solution:
        if start is not None and start.state is not None and start.state.cuts:
            self._restore(start.state)
            start = None
        with self.monitor:
            if start is not None and start.w.size == self.oracle.dimension:
                with suppress(Stopped):  # the first cut below is stopped as well
                    first = start.w if self.oracle.bounds is None else self.oracle.bounds.nearest(start.w)
                    self._add(self._ask(first, self.monitor.stop))
            while True:
                try:
                    cut, fresh = self._next_cut(self.monitor.stop)
                except Stopped:
                    self.monitor.status = Status.MAX_TIME
                    self._tick(None)
                    break
                primal = self.best.primal if fresh and self.best is not None else None
                finished = self._finished(fresh)
                if self._tick(primal) or finished:
                    break
                self._add(cut)
        return self._solution()

    @property
    def target(self) -> float:
        return self.goal.of(self.core)

    def _next_cut(self, stop: Stop) -> tuple[Cut, bool]:
        """A cut, and whether it is fresh: one from the planes kept will do if it closes a good part of the last gap."""
        w = self.core.weights
        if self.cached and self.best is not None:
            cut = self.oracle.cut(w, fresh=False, stop=stop)
            self.hits += self.oracle.n
            if self.C * (cut.b - dot(cut.a, w) - self.core.slack(0)) > max(self.target, 0.25 * self.gap):
                return cut, False
        if self.best is not None and self.solver.damping > 0.0:
            between = self.best.w - w
            between *= self.solver.damping
            between += w
            cut = self._ask(between, stop)
            if self.C * (cut.b - dot(cut.a, w) - self.core.slack(0)) > 0.1 * self.gap:
                return cut, True
        return self._ask(w, stop), True

    def _ask(self, w: Floats, stop: Stop) -> Cut:
        cut = self.oracle.cut(w, stop=stop)
        self.calls += self.oracle.n
        primal = 0.5 * float(w @ w) + self.C * (cut.b - dot(cut.a, w))
        if self.best is None or primal < self.best.primal:
            self.best = Candidate(np.array(w), cut.slack, primal)
        self.gap = self.best.primal - self.core.dual
        return cut

    def _finished(self, fresh: bool) -> bool:
        if not fresh or (self.gap > self.target and self.stuck < 3 and not self._exhausted()):
            return False
        if not self.oracle.exact:
            self.monitor.status = Status.INEXACT
        else:
            self.monitor.status = Status.CONVERGED if self.gap <= self.target else Status.STALLED
        return True

    def _exhausted(self) -> bool:
        """Whether the gap is no more than rounding."""
        return self.best is not None and within_rounding(self.best.primal, self.core.dual)

    def _add(self, cut: Cut) -> None:
        before = self.core.dual
        add_plane(self.core, 0, cut.a, cut.b)
        finest = 0.1 * ROUNDING * (abs(before) + self.gap)
        precision = max(0.05 * min(self.gap, abs(before) + self.gap), finest) / self.C
        unsolved = False
        if isinstance(self.core, BoundedCuts):
            self.core.solve(precision, self.solver.keep_idle)
        else:
            step = "line-search" if self.solver.line_search else "exact"
            steps, idle = self._most_steps(), self.solver.keep_idle
            settings = VisitSettings(step=step, precision=precision, max_steps=steps, keep_idle=idle)
            unsolved = self.core.visit(_ONLY, settings).steps >= steps and not self._solve_over_cuts(precision)
        gained = self.core.dual - before
        lost = unsolved and gained <= 1e-3 * self.gap  # all steps taken, and hardly anywhere
        self.stuck = self.stuck + 1 if gained <= 1e-15 * abs(before) or lost else 0

    def _most_steps(self) -> int:
        """As many as cost what solving the dual over the cuts at once does."""
        price = cost_of_dual(self.core.plane_count, self.oracle.dimension) / (4.0 * self.core.plane_count)
        return int(np.clip(price, _FEWEST_STEPS, _STEPS))

    def _solve_over_cuts(self, precision: float) -> bool:
        """Gives the cuts their best dual variables at once; whether that is precise enough."""
        before, alpha = self.core.dual, self.core.support()[2]
        answer = solve_dual(self._cuts(), "linear", np.array([self.C]))
        if answer is None:
            return False
        self.core.set_alpha(answer.alpha)
        if not self.core.dual > before:
            self.core.set_alpha(alpha)
        return bool(answer.primal - self.core.dual <= self.C * precision)

    def _cuts(self) -> Planes:
        offsets, index, value, b = self.core.planes()
        rows = sp.csr_array((value, index, offsets), shape=(b.size, self.oracle.dimension))
        return Planes(rows, b, np.zeros(b.size, dtype=np.int32), self.oracle.exact)

    def _tick(self, primal: float | None) -> bool:
        self.monitor.target = self.target
        return self.monitor.tick(
            oracle_calls=self.calls,
            cache_hits=self.hits,
            planes=self.core.plane_count,
            primal=primal,
            dual=self.core.dual,
            estimate=self.gap,
        )

    def _restore(self, state: DualState) -> None:
        planes = state.planes
        if planes is None:
            return
        rows = planes.a.toarray() if sp.issparse(planes.a) else planes.a
        alpha = [
            weight
            for row, b, weight in zip(rows, planes.b, state.alpha)
            if self.core.add_dense(0, np.ascontiguousarray(row), float(b))
        ]
        self.core.set_alpha(np.array(alpha, dtype=np.float64))

    def _solution(self) -> Solution:
        if self.best is None:
            with self.monitor, suppress(Stopped):
                self._next_cut(self.monitor.closing())
        status = self.monitor.status
        assert status is not None
        best = self.best or Candidate(np.array(self.core.weights), np.zeros(0), np.nan)
        self.core.refresh()
        example, output, alpha = self.core.support()
        planes = replace(self._cuts(), example=np.full_like(example, -1))
        return Solution(
            w=best.w,
            status=status,
            primal=best.primal if self.oracle.exact and self.best is not None else None,
            dual=self.core.dual if self.oracle.exact else None,
            slack=None if self.best is None else best.slack,
            n_iter=len(self.monitor.trace),
            oracle_calls=self.calls,
            cache_hits=self.hits,
            state=DualState(planes.example, output, alpha, planes, cuts=True),
            trace=tuple(self.monitor.trace),
        )

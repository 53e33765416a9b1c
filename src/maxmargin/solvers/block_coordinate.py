"""Block coordinate ascent with an oracle call a visit: BCFW and its multi-plane, gap-driven relatives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from maxmargin._core import VisitResult, VisitSettings
from maxmargin.oracles.base import Cut, Oracle, Stop, Stopped
from maxmargin.oracles.engine import Engine
from maxmargin.solvers.averaging import PolynomialAverage
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
from maxmargin.solvers.extrapolation import Extrapolation
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.order import SAMPLINGS, Sampler
from maxmargin.solvers.together import Together

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BlockCoordinate(Solver):
    """Visits one example after the other: asks its oracle, then improves the dual inside its block.

    Parameters
    ----------
    step : ``'exact'`` re-optimises the block over all its planes; ``'line-search'`` moves towards the new plane only,
        the step of Frank and Wolfe
    capacity : planes kept per block, the least used being merged; None keeps all that are in use
    cached_passes : passes over the planes held after every tenth of a pass with the oracle; ``'auto'`` is 10, or 0
        where asking the oracle costs no more than a cached pass
    sampling : ``'focus'`` follows each pass over all examples by passes over those whose gap is large; ``'gap'`` draws
        examples with probability proportional to their last known gap; ``'permutation'`` visits all, shuffled
    averaging : the returned ``w`` is the average of snapshots, snapshot ``t`` weighing ``t ** averaging``, where that
        is better than the last iterate; 0 switches averaging off, and so do so many features that the snapshots would
        cost more than the pass they are taken from (text)
    extrapolate : every few passes extrapolates along the recent path of the dual variables, kept if the dual improves;
        not with a ``capacity``, because merged planes have no path
    keep_idle : visits for which a plane out of use is kept; None is 20, or 0 where the oracle is cheap

    ``BlockCoordinate.plain()`` is block-coordinate Frank-Wolfe as published.
    """

    name: ClassVar[str] = "bcfw"

    step: str = "exact"
    capacity: int | None = None
    cached_passes: int | str = "auto"
    sampling: str = "focus"
    averaging: float = 8.0
    extrapolate: bool = True
    keep_idle: int | None = None

    def __post_init__(self) -> None:
        one_of("step", self.step, ("exact", "line-search"))
        one_of("sampling", self.sampling, SAMPLINGS)
        at_least("capacity", 1 if self.capacity is None else self.capacity, 1)
        if self.cached_passes != "auto":
            at_least("cached_passes", self.cached_passes, 0)
        at_least("averaging", self.averaging, 0)
        at_least("keep_idle", 0 if self.keep_idle is None else self.keep_idle, 0)

    @classmethod
    def plain(cls) -> BlockCoordinate:
        """One plane per block, line search, shuffled passes, average weighted by time; no cache."""
        return cls(
            step="line-search", capacity=1, cached_passes=0, sampling="permutation", averaging=1.0, extrapolate=False
        )

    def __call__(self, oracle: Oracle, C: float, run: Run, start: Solution | None = None) -> Solution:
        return _Ascent(self, oracle, C, run).solve(start)


_MOST_SNAPSHOTS = 80  # a pass
_CACHED_PARTS = 10  # of a pass, where cached passes follow each
_OVERSTEP = 4.0  # of the steps in a first pass: many dual variables have a long way to go to their cap
_KEPT = 20  # visits for which a plane out of use is kept where it has cost something
_FIRST_COMPARISON = 8  # passes after which float32 is compared with float64; then after twice as many each time
_COARSE = 1e-4  # relative gap down to which w may be float32 in a sweep; its rounding shows at some 1e-6


class _Ascent:
    """One run: the engine, its schedule, and what has been found so far."""

    def __init__(self, solver: BlockCoordinate, oracle: Oracle, C: float, run: Run) -> None:
        self.solver, self.oracle, self.C, self.run = solver, oracle, C, run
        self.engine: Engine = oracle.engine(C)
        self.target = gap_target(oracle, C, run)
        self.monitor = Monitor(run, solver.name, self.target.absolute)
        self.sampler = Sampler(solver.sampling, oracle.n, check_random_state(run.random_state))
        cheap = oracle.capabilities.cheap
        snapshots = oracle.n * oracle.capabilities.visit_cost / (400.0 * oracle.dimension)  # a few hundredths of a pass
        self.average = (
            PolynomialAverage(oracle.dimension, solver.averaging) if solver.averaging and snapshots > 0.1 else None
        )
        self.snapshots = int(min(max(snapshots, 1.0), _MOST_SNAPSHOTS))
        self._set_visits(solver.keep_idle if solver.keep_idle is not None else (0 if cheap else _KEPT))
        self.coarse = cheap and oracle.formulation.slack != "hard"
        self.next_comparison = _FIRST_COMPARISON
        automatic = 0 if cheap else 10
        self.cached = automatic if solver.cached_passes == "auto" else int(solver.cached_passes)
        # A plane merged from several no longer proves a contradiction between them.
        self.capacity = None if oracle.formulation.slack == "hard" else solver.capacity
        self.extrapolation = Extrapolation() if solver.extrapolate and self.capacity is None else None
        self.together = Together(oracle, C) if solver.step == "exact" and self.capacity is None else None
        self.sharp: Floats | None = None  # weights that the last move of all blocks at once has found
        self.started = False  # from somewhere else than zero
        self.visits = self.calls = self.hits = 0  # calls are visits and what proofs of the gap ask for
        self.best: Candidate | None = None
        self.contradiction: Infeasible | None = None
        self.suspicion = Suspicion(oracle)
        self.estimate, self.dual, self.allowed = np.inf, 0.0, 0.0
        self.last_gain, self.best_dual, self.best_estimate = 0, -np.inf, np.inf

    def _set_visits(self, keep_idle: int) -> None:
        self.settings, self.coarse_settings, self.first_settings = (
            VisitSettings(
                step=self.solver.step,
                relative=0.3 if self.oracle.capabilities.cheap else 0.01,
                keep_idle=keep_idle,
                max_steps=200,
                overstep=overstep,
                coarse=coarse,
            )
            for coarse, overstep in ((False, 1.0), (True, 1.0), (True, _OVERSTEP))
        )

    def solve(self, start: Solution | None) -> Solution:
        if start is not None and start.state is not None and not start.state.cuts:
            self.engine.restore(start.state)
            if self.engine.dual < 0.0:  # nothing is a better start
                self.engine = self.oracle.engine(self.C)
            self.started = True
        with self.monitor:
            while True:
                self._one_pass()
                if self.run.inspect is not None:
                    self.run.inspect(self._passes, self.engine.rough_weights)
                finished = self._finished()
                primal = self.best.objective if self.best is not None else None
                if (
                    self.monitor.tick(
                        iteration=self._passes,
                        oracle_calls=self.calls,
                        cache_hits=self.hits,
                        planes=self.engine.plane_count,
                        primal=primal,
                        dual=self.dual,
                        estimate=self.estimate,
                    )
                    or finished
                ):
                    break
        return self._solution()

    @property
    def _passes(self) -> int:
        """Visits, in units of the number of examples."""
        return max(1, self.visits // self.oracle.n)

    def _one_pass(self) -> None:
        self.best = None
        self.coarse = self.coarse and not self.estimate <= _COARSE * abs(self.dual)
        settings = self.coarse_settings if self.coarse else self.settings
        if self.coarse and self.calls == 0 and not self.started:
            settings = self.first_settings
        order, before = self.sampler.next_order(self.engine.gaps), self.visits
        for part in self._parts(order):
            result = VisitResult()
            for portion in self.oracle.portions(part):
                result.merge(self.engine.visit(portion, settings, self.capacity))
                if self.monitor.late or result.unbounded:
                    break
            self.visits += result.visited
            self.calls += result.visited
            self._keep_time()
            if result.unbounded:
                self._look_for_contradiction()
            self._cached_passes(result.violation)
            if self.average is not None:
                self.average.add(self.engine.rough_weights)
            if self.monitor.late:
                break
        if self.together is not None:
            self.together.spend(self.visits - before)
        if self.extrapolation is not None:
            self.extrapolation.after_pass(self.engine)
        self._compare_precisions()
        gaps = self.engine.gaps
        hard = self.oracle.formulation.slack == "hard"
        self.estimate = float(gaps.max() if hard else gaps.sum(dtype=np.float64))
        self.dual = self.engine.dual
        self.allowed = self.monitor.target = self.target.at(self.dual, self.engine.offset - self.dual)

    def _compare_precisions(self) -> None:
        """Ends coarse passes where float32 has lost more of the dual than the gap can be trusted with: dual variables
        that are large and cancel each other."""
        if not self.coarse or self._passes < self.next_comparison:
            return
        self.next_comparison = 2 * self._passes
        rough = self.engine.dual
        self.engine.sharpen()
        exact = self.engine.dual
        self.coarse = abs(rough - exact) <= 0.1 * abs(exact)

    def _move_together(self) -> bool:
        """Moves all blocks at once; whether the weights that come of it are proved good enough."""
        assert self.together is not None
        moved = self.together.move(self.engine)
        if moved is None:
            return False
        self.coarse, self.dual, self.sharp = False, self.engine.dual, moved.w
        if self.solver.keep_idle is None:
            self._set_visits(_KEPT)  # what is out of use now may be in use after the next move
        if self.extrapolation is not None:
            self.extrapolation = Extrapolation()
        target = self.target.at(self.dual, self.engine.offset - self.dual)
        share = 2.0 * (moved.gap + self.dual) if self.oracle.formulation.slack == "hard" else 1.0
        return moved.gap <= share * target and self.oracle.exact and self._certified(self.monitor.closing())

    def _keep_time(self) -> None:
        """An exact pass for each ``w`` that may be returned takes about as long as so many visits."""
        candidates = 1 if self.average is None else 2
        self.monitor.reserve = candidates * self.oracle.n * self.monitor.seconds / max(1, self.calls)

    def _parts(self, order: npt.NDArray[np.int32]) -> list[npt.NDArray[np.int32]]:
        """As many as snapshots are wanted, fewer of a short pass."""
        wanted = _CACHED_PARTS if self.cached else -(-self.snapshots * order.size // self.oracle.n)
        size = max(1, -(-order.size // max(1, wanted)))
        return [order[start : start + size] for start in range(0, order.size, size)]

    def _cached_passes(self, violation: float) -> None:
        if self.cached:
            self.hits += self.engine.settle(self.settings, 0.1 * violation, self.cached).visited

    def _finished(self) -> bool:
        """Looks at the gap where it may be small enough, and at signs of an infeasible hard margin."""
        if self.contradiction is not None:
            self.monitor.status = Status.INFEASIBLE
            return True
        if self.suspicion.raised(self.engine) and self._look_for_contradiction():
            self.monitor.status = Status.INFEASIBLE
            return True
        try:
            if self._crawls() and self._move_together():
                self.monitor.status = Status.CONVERGED
                return True
            if not self.estimate <= self.allowed:
                return self._stalled()
            if not self.oracle.exact:
                self.monitor.status = Status.INEXACT
                return True
            if self._certified(self.monitor.closing()):
                self.monitor.status = Status.CONVERGED
                return True
        except Stopped:
            self.monitor.status = Status.MAX_TIME
            return True
        self.sampler.start_over()
        return self._stalled()

    def _crawls(self) -> bool:
        return not self.estimate <= self.allowed and self.together is not None and self.together.due(self.engine)

    def _stalled(self) -> bool:
        """200 passes' worth of calls without any gain that floating point can show, of the dual or of the gap."""
        dual, estimate = self.dual, self.estimate
        falls = estimate < 0.999 * self.best_estimate and estimate > 0.1 * ROUNDING * abs(dual)
        gained = falls or dual > self.best_dual + 1e-15 * abs(dual)
        self.last_gain = self.calls if gained else self.last_gain
        self.best_dual, self.best_estimate = max(dual, self.best_dual), min(estimate, self.best_estimate)
        if self.calls - self.last_gain < 200 * self.oracle.n:
            return False
        self.monitor.status = Status.STALLED
        return True

    def _look_for_contradiction(self) -> bool:
        self.contradiction = find_contradiction(self.oracle, self.engine.state())
        return self.contradiction is not None

    def _certified(self, stop: Stop) -> bool:
        """Whether the average or the last iterate is proved good enough; keeps the better one."""
        self.engine.sharpen()
        dual = self.dual = self.engine.dual
        target = self.target.at(dual, self.engine.offset - dual)
        for w in self._candidates():
            candidate = evaluate(self.oracle, self.C, w, stop)
            self.calls += self.oracle.n
            if self.best is None or candidate.primal < self.best.primal:
                self.best = candidate
            if is_solved(self.oracle, candidate, dual, target):
                self.best = candidate
                return True
        return False

    def _candidates(self) -> Iterator[Floats]:
        if self.sharp is not None:
            yield self.sharp
        if self.average is not None:
            yield self.average.value
        yield self.engine.weights

    def _aggregate(self) -> Cut:
        return Cut(self.engine.weights / self.C, self.engine.offset / self.C, np.zeros(0))

    def _solution(self) -> Solution:
        state = self.engine.state()
        exact = self.oracle.exact
        best = self.best
        if best is None and exact:
            with self.monitor, suppress(Stopped):
                if self._certified(self.monitor.closing()) and self.monitor.status in LIMITS:
                    self.monitor.status = Status.CONVERGED
            best = self.best
        status = self.monitor.status
        assert status is not None
        return Solution(
            w=self.engine.weights if best is None else best.w,
            status=status,
            primal=None if best is None or self.contradiction is not None else best.objective,
            dual=self.engine.dual if exact else None,
            slack=None if best is None else best.slack,
            n_iter=self._passes,
            oracle_calls=self.calls,
            cache_hits=self.hits,
            state=state,
            trace=tuple(self.monitor.trace),
            certificate=self.contradiction,
            aggregate=self._aggregate() if status in (*LIMITS, Status.CALLBACK) else None,
        )

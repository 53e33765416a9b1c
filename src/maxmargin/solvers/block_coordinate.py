"""Block coordinate ascent with an oracle call per visit: BCFW and its multi-plane, gap-driven relatives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from maxmargin._core import VisitResult, VisitSettings
from maxmargin.core.points import Point
from maxmargin.oracles.base import Cut, Oracle
from maxmargin.solvers.averaging import PolynomialAverage
from maxmargin.solvers.base import LIMITS, Run, Solution, Solver, Status, at_least, one_of
from maxmargin.solvers.block_loop import BlockLoop
from maxmargin.solvers.certify import ROUNDING
from maxmargin.solvers.extrapolation import Extrapolation
from maxmargin.solvers.order import SAMPLINGS, Sampler


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
    keep_idle : visits for which a plane out of use is kept; None is 20, or 0 where asking the oracle costs no more

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


_MOST_SNAPSHOTS = 80  # per pass
_CACHED_PARTS = 10  # of a pass, where cached passes follow each
_OVERSTEP = 4.0  # of the steps in a first pass: many dual variables have a long way to go to their cap
_KEPT = 20  # visits for which a plane out of use is kept where it has cost something
_FIRST_COMPARISON = 8  # passes after which float32 is compared with float64; then after twice as many each time
_ALMOST = 1e-9  # of a pass: sums of costs are rounded
_COARSE = 1e-4  # relative gap down to which w may be float32 in a sweep; its rounding shows at some 1e-6


class _Ascent(BlockLoop):
    """A step visits all examples, or those whose gap is large."""

    estimate: float

    def __init__(self, solver: BlockCoordinate, oracle: Oracle, C: float, run: Run) -> None:
        super().__init__(solver, oracle, C, run)
        self.solver = solver
        self.sampler = Sampler(solver.sampling, oracle.n, check_random_state(run.random_state))
        cheap = oracle.capabilities.cheap
        snapshots = oracle.n * oracle.capabilities.visit_cost / (400.0 * oracle.dimension)  # a few hundredths of a pass
        self.average = PolynomialAverage(self.space, solver.averaging) if solver.averaging and snapshots > 0.1 else None
        self.snapshots = int(min(max(snapshots, 1.0), _MOST_SNAPSHOTS))
        cached = oracle.capabilities.cached
        self._set_visits(solver.keep_idle if solver.keep_idle is not None else (_KEPT if cached else 0))
        self.coarse = cheap and not self.hard
        self.next_comparison = _FIRST_COMPARISON
        automatic = 10 if cached else 0
        self.cached = automatic if solver.cached_passes == "auto" else int(solver.cached_passes)
        # A plane merged from several no longer proves a contradiction between them.
        self.capacity = None if self.hard else solver.capacity
        self.extrapolation = Extrapolation() if solver.extrapolate and self.capacity is None else None
        if solver.step != "exact" or self.capacity is not None:
            self.together = None
        self.moves, self.next_proof = 0, 1  # of all blocks at once
        self.visits = 0  # calls are visits and what proofs of the gap ask for
        self.work = 0.0  # of the visits, in those of examples of mean cost
        self.estimate = np.inf
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

    @property
    def iteration(self) -> int:
        """Passes: what all visits cost, in units of visits to all examples."""
        return max(1, int(self.work / self.oracle.n + _ALMOST))

    def step(self) -> None:
        self.best = None
        self.coarse = self.coarse and not self.estimate <= _COARSE * abs(self.engine.dual)
        settings = self.coarse_settings if self.coarse else self.settings
        if self.coarse and self.calls == 0 and not self.started:
            settings = self.first_settings
        order, before = self.sampler.next_order(self.engine.gaps), self.visits
        for part in self._parts(order):
            result = VisitResult()
            for portion in self.oracle.portions(part):
                seen = self.engine.visit(portion, settings, self.capacity)
                self.work += self.oracle.work_of(portion[: seen.visited])
                result.merge(seen)
                if self.monitor.late or result.unbounded:
                    break
            self.visits += result.visited
            self.calls += result.visited
            self._keep_time()
            if result.unbounded:
                self.contradicted(True)
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
        self.estimate = float(gaps.max() if self.hard else gaps.sum(dtype=np.float64))
        self.allowed = self.goal.of(self.engine)
        if self.run.inspect is not None:
            self.run.inspect(self.iteration, self.engine.rough_weights)

    def _compare_precisions(self) -> None:
        """Ends coarse passes where float32 has lost more of the dual than the gap can be trusted with: dual variables
        that are large and cancel each other."""
        if not self.coarse or self.iteration < self.next_comparison:
            return
        self.next_comparison = 2 * self.iteration
        rough = self.engine.dual
        self.engine.sharpen()
        exact = self.engine.dual
        self.coarse = abs(rough - exact) <= 0.1 * abs(exact)

    def _proved_together(self) -> bool:
        """Moves all blocks at once; whether the weights that come of it are proved good enough."""
        moved = self.move_together()
        if moved is None:
            return False
        self.coarse = False
        if self.solver.keep_idle is None:
            self._set_visits(_KEPT)  # what is out of use now may be in use after the next move
        if self.extrapolation is not None:
            self.extrapolation = Extrapolation()
        may = self.within(moved, 1.0) and self.oracle.exact and self._is_time_to_prove()
        return may and self.certify(self.monitor.closing())

    def _is_time_to_prove(self) -> bool:
        """Proofs ask all examples: after each one that failed, twice as many moves pass before the next."""
        self.moves += 1
        if self.moves < self.next_proof:
            return False
        self.next_proof *= 2
        return True

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

    def finished(self) -> Status | None:
        """Looks at the gap where it may be small enough, and at signs of an infeasible hard margin."""
        if self.contradiction is not None or self.contradicted():
            return Status.INFEASIBLE
        if self._crawls() and self._proved_together():
            return Status.CONVERGED
        if self.estimate <= self.allowed:
            if not self.oracle.exact:
                return Status.INEXACT
            if self.certify(self.monitor.closing()):
                return Status.CONVERGED
            self.sampler.start_over()
        return Status.STALLED if self._stalled() else None

    def _crawls(self) -> bool:
        return not self.estimate <= self.allowed and self.together is not None and self.together.due(self.engine)

    def _stalled(self) -> bool:
        """200 passes' worth of calls without any gain that floating point can show, of the dual or of the gap."""
        dual, estimate = self.engine.dual, self.estimate
        falls = estimate < 0.999 * self.best_estimate and estimate > 0.1 * ROUNDING * abs(dual)
        gained = falls or dual > self.best_dual + 1e-15 * abs(dual)
        self.last_gain = self.calls if gained else self.last_gain
        self.best_dual, self.best_estimate = max(dual, self.best_dual), min(estimate, self.best_estimate)
        return self.calls - self.last_gain >= 200 * self.oracle.n

    def candidates(self) -> Iterator[Point]:
        if self.sharp is not None:
            yield self.sharp
        if self.average is not None:
            yield self.average.value
        yield self.engine.weights

    def extras(self) -> dict[str, Any]:
        if self.monitor.status not in (*LIMITS, Status.CALLBACK):
            return {}
        a = self.space.scaled(self.engine.weights, 1.0 / self.C)
        return {"aggregate": Cut(a, self.engine.offset / self.C, np.zeros(0))}

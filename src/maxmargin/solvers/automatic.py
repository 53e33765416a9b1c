"""The solver behind ``solver='auto'``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from maxmargin.oracles.base import Oracle
from maxmargin.oracles.engine import DualState
from maxmargin.solvers.base import LIMITS, Record, Run, Solution, Solver, Status
from maxmargin.solvers.block_coordinate import BlockCoordinate
from maxmargin.solvers.certify import gap_target
from maxmargin.solvers.n_slack import NSlack
from maxmargin.solvers.one_slack import OneSlack
from maxmargin.solvers.progress import Progress, Turn
from maxmargin.solvers.smoothed_newton import SmoothedNewton

_FEWEST_PASSES = 8  # that show how fast coordinate ascent is
_FEWEST_CUTS = 25  # with less it is over on hardly any data
_VISIT = 2.0  # what a visit costs, in units of asking its example for a cut: w changes, too
_SMALL = 4096  # multiplications of a pass; below that, solving to rounding takes a few milliseconds
_ROUNDING = {"linear": 1e-13, "squared": 1e-9}  # relative gap that a small problem is solved to, if rounding allows
_MOST_ROUNDS = 100  # of that


@dataclass(frozen=True)
class Automatic(Solver):
    """Picks by what the problem looks like, and by what it measures on the way.

    * a hard margin: ``NSlack``;
    * pairs of rows in few columns (``smoothed`` of the oracle): ``SmoothedNewton``, and ``OneSlack`` where its steps
      gain little;
    * a single example (a loss over a whole sample), examples that are searched together (rankings), or a warm start
      from cuts: ``OneSlack``;
    * else ``BlockCoordinate``, which wins by far on most data and crawls on few, badly scaled features and on few, long
      sequences, where a handful of cuts is enough. From the fall of the gap over its last passes follows how many
      it still needs. Where that is more than twice what it has had, ``OneSlack`` gets a turn that costs as much as all
      passes so far, from the cut that the dual variables amount to; whichever of the two is expected to end first
      goes on, and they take turns of growing length as long as that changes. Counts decide, not clocks: results repeat.
      Where neither gets further in floating point, ``NSlack`` goes on: it solves the blocks more exactly.

    Where the tolerance is relative (``tol='auto'``) and a pass takes a few thousand multiplications only, ``OneSlack``
    makes up to a hundred cuts. With linear slack that is as far as rounding allows, so that the answer depends neither
    on the order of the examples nor on whether they are repeated or weighted.

    Parameters
    ----------
    patience : passes of ``BlockCoordinate`` before ``OneSlack`` goes on for good; None decides by their progress
    """

    name: ClassVar[str] = "auto"
    keeps_bounds: ClassVar[bool] = True

    patience: int | None = None

    def __call__(self, oracle: Oracle, C: float, run: Run, start: Solution | None = None) -> Solution:
        small = oracle.capabilities.pass_cost <= _SMALL
        if run.relative and not run.rough and small and oracle.exact and oracle.formulation.slack != "hard":
            exact = _to_rounding(oracle, C, run)
            if exact.status is not Status.MAX_ITER or exact.n_iter == run.max_iter:
                return exact
        return self._solve(oracle, C, run, start)

    def _solve(self, oracle: Oracle, C: float, run: Run, start: Solution | None) -> Solution:
        if oracle.formulation.slack == "hard":
            return NSlack()(oracle, C, run, start)
        smoothed = oracle.smoothed(C)
        if smoothed is not None:
            first = SmoothedNewton()(smoothed, oracle, C, run, start)
            stalled = first.status is Status.STALLED and first.n_iter != run.max_iter
            return joined(first, OneSlack()(oracle, C, rest_of(run, first), first)) if stalled else first
        if (
            oracle.n == 1
            or oracle.capabilities.joint
            or oracle.bounds is not None
            or (start is not None and start.state is not None and start.state.cuts)
        ):
            return OneSlack()(oracle, C, run, start)
        return _Turns(self.patience, oracle, C, run).solve(start)


def _to_rounding(oracle: Oracle, C: float, run: Run) -> Solution:
    """Cutting planes as far as rounding allows, from a smoothed solution where there is one; converged where the gap is
    what ``run`` asks for."""
    smoothed = oracle.smoothed(C)
    if smoothed is None:
        return _cut_to_rounding(oracle, C, run, run, None)
    first = SmoothedNewton()(smoothed, oracle, C, run)
    if first.status not in (Status.CONVERGED, Status.STALLED) or first.n_iter == run.max_iter:
        return first
    return joined(first, _cut_to_rounding(oracle, C, run, rest_of(run, first), first))


def _cut_to_rounding(oracle: Oracle, C: float, run: Run, rest: Run, start: Solution | None) -> Solution:
    """``rest`` is what the limits of ``run`` leave."""
    most = _MOST_ROUNDS if rest.max_iter is None else min(rest.max_iter, _MOST_ROUNDS)
    finest = replace(rest, relative=_ROUNDING[oracle.formulation.slack], max_iter=most)
    exact = OneSlack()(oracle, C, finest, start)
    if exact.status not in LIMITS or exact.gap is None or exact.dual is None:
        return exact
    target = gap_target(oracle, C, run).at(exact.dual, 0.5 * oracle.space.square(exact.w))
    return replace(exact, status=Status.CONVERGED) if exact.gap <= target else exact


class _Turns:
    """Coordinate ascent and cuts in turns, each from where it was left."""

    def __init__(self, patience: int | None, oracle: Oracle, C: float, run: Run) -> None:
        self.patience, self.oracle, self.C, self.run = patience, oracle, C, run
        self.total: Solution | None = None  # of all turns so far
        self.ascent, self.cuts = Progress(), Progress()

    def solve(self, start: Solution | None) -> Solution:
        blocks, cuts = start, None
        while True:
            blocks, turn = self._ascend(blocks)
            if self._ended(turn):
                return self._after_stall(blocks) if self._stalled(blocks) else self._sum
            cuts, turn = self._cut(_as_one_cut(blocks, self.C) if cuts is None else cuts)
            if self._ended(turn):
                ended = self._after_stall(blocks) if self._stalled(cuts) else self._sum
                return replace(ended, blocks=blocks.state) if ended.state is not None and ended.state.cuts else ended

    def _ended(self, turn: Turn) -> bool:
        """Whether more than a turn is over; a limit may be reached just then."""
        total = self._sum
        if not turn.over or total.status is not Status.CALLBACK:
            return True
        if total.n_iter == self.run.max_iter:
            self.total = replace(total, status=Status.MAX_ITER)
        elif self.run.max_time is not None and total.trace[-1].seconds >= self.run.max_time:
            self.total = replace(total, status=Status.MAX_TIME)
        return self._sum.status is not Status.CALLBACK

    @property
    def _sum(self) -> Solution:
        assert self.total is not None
        return self.total

    def _ascend(self, start: Solution | None) -> tuple[Solution, Turn]:
        """Passes of coordinate ascent until it has converged, or until cuts are worth a try."""
        if self.patience is not None:
            turn = Turn(self.ascent, lambda: self.ascent.done >= self.patience)  # type: ignore[operator]
        else:
            turn = Turn(self.ascent, self._crawls)
        return self._run(BlockCoordinate(), start, turn), turn

    def _crawls(self) -> bool:
        done = self.ascent.done
        if not self.oracle.space.explicit:  # a cut of all examples has coefficients everywhere, and costs a pass
            return False
        if done < max(_FEWEST_PASSES, 2.0 * self.ascent.last_check):
            return False
        self.ascent.last_check = done
        needed = self.ascent.needed
        return needed > 2.0 * done and _VISIT * needed > _FEWEST_CUTS * self._price_of_cuts(_FEWEST_CUTS)

    def _cut(self, start: Solution) -> tuple[Solution, Turn]:
        """Rounds of cutting planes, at first as many as cost what the passes so far have cost."""
        turn = Turn(self.cuts, self._gives_up if self.patience is None else lambda: False)
        self.cuts.last_check = self.cuts.done
        return self._run(OneSlack(), start, turn), turn

    def _gives_up(self) -> bool:
        """Whether coordinate ascent is expected to end first."""
        cuts = self.cuts
        price = self._price_of_cuts(cuts.done)
        budget = max(_VISIT * self.ascent.done / price, _FEWEST_CUTS)
        if cuts.done - cuts.last_check < budget:
            return False
        cuts.last_check = cuts.done - 0.5 * budget  # the next look follows soon
        return price * cuts.needed > _VISIT * self.ascent.needed

    def _price_of_cuts(self, count: float) -> float:
        """What a round costs where ``count`` cuts are held, in units of asking all examples."""
        return 1.0 + 4.0 * count * self.oracle.dimension / max(self.oracle.n * self.oracle.capabilities.visit_cost, 1.0)

    def _run(self, solver: BlockCoordinate | OneSlack, start: Solution | None, turn: Turn) -> Solution:
        run = self.run if self.total is None else rest_of(self.run, self.total)
        solution = solver(self.oracle, self.C, replace(run, callback=turn.watching(run.callback)), start)
        self.total = solution if self.total is None else joined(self.total, solution)
        return solution

    def _stalled(self, solution: Solution) -> bool:
        return solution.status is Status.STALLED and self._sum.n_iter != self.run.max_iter

    def _after_stall(self, blocks: Solution) -> Solution:
        total = self._sum
        return joined(total, NSlack()(self.oracle, self.C, rest_of(self.run, total), blocks))


def rest_of(run: Run, first: Solution) -> Run:
    """What the limits leave after the first part."""
    return replace(
        run,
        callback=None if run.callback is None else lambda record: run.callback(_later(record, first)),  # type: ignore[misc]
        max_iter=None if run.max_iter is None else run.max_iter - first.n_iter,
        max_time=None if run.max_time is None else max(0.0, run.max_time - first.trace[-1].seconds),
    )


def _as_one_cut(first: Solution, C: float) -> Solution:
    """The dual variables of all examples as those of one cut, of weight C."""
    cut = first.aggregate
    assert cut is not None
    nobody, number = np.full(1, -1, dtype=np.int32), np.zeros(1, dtype=np.int32)
    return replace(first, state=DualState(nobody, number, np.array([C]), cuts=True, handles=[(cut.a, cut.b)]))


def joined(first: Solution, second: Solution) -> Solution:
    """The second solution with the history of both."""
    return replace(
        second,
        n_iter=first.n_iter + second.n_iter,
        oracle_calls=first.oracle_calls + second.oracle_calls,
        cache_hits=first.cache_hits + second.cache_hits,
        trace=first.trace + tuple(_later(record, first) for record in second.trace),
    )


def _later(record: Record, first: Solution) -> Record:
    """A record of the second part, counted from the beginning of the first."""
    return replace(
        record,
        iteration=record.iteration + first.n_iter,
        seconds=record.seconds + first.trace[-1].seconds,
        oracle_calls=record.oracle_calls + first.oracle_calls,
        cache_hits=record.cache_hits + first.cache_hits,
    )

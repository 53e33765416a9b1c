"""Cutting planes of the 1-slack form (paper 004, algorithms 3 and 4): one slack for the whole training set."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from maxmargin.core.formulation import Formulation
from maxmargin.core.points import Point
from maxmargin.oracles.base import Cut, Oracle, Stop, Stopped
from maxmargin.oracles.engine import DualState
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Run, Solution, Solver, Status, at_least, one_of, whole_number
from maxmargin.solvers.bounded import BoundedCuts
from maxmargin.solvers.certify import ROUNDING, Candidate, evaluate, within_rounding
from maxmargin.solvers.cuts import CutProducts, CutRows, Cuts
from maxmargin.solvers.loop import ExactLoop
from maxmargin.solvers.sampled_cuts import SAMPLINGS, SampledCuts

_KEPT = 0.1  # of the gap at the oracle's last answer: what is left of it before the oracle is asked again
_KEPT_ALLOWED = 0.3  # the same, of the gap that ends training
_MOST_LOOKS = 500  # at the planes kept, between two questions
_LEAST_PRICE = 0.1  # of a question, where its price is known: what looks before it may cost
_MORE_PRICE = 10.0  # times the share of examples whose last answer was among the planes kept: what they may cost more


@dataclass(frozen=True)
class OneSlack(Solver):
    """Adds the summed plane of all examples at the current ``w``, re-solves the small dual, repeats.

    Squared slack is summed as the planes of ``slack^2 / 2``, so both slacks have one block with cap C.

    Parameters
    ----------
    cache : planes kept per example; the dual is solved over cuts of these before the oracle is asked again, where that
        costs much more, the longer the more of its answers are among them. 0 asks always
    keep_idle : cuts that are added before one out of use is dropped
    line_search : move towards the new cut only, instead of solving the dual over all cuts
    damping : the oracle is asked between the solution over the cuts and the best ``w`` so far, this share of the way
        towards the latter, and at the solution itself only if that cut is of no use; 0 is the algorithm as published.
        (Measured on Covertype and MNIST: 0.9 needs a quarter of the rounds of 0.)
    sample : examples that each cut is made of, drawn at random (``sampled_cuts.py``); None is all of them. There is no
        lower bound then, so no gap: the status is ``INEXACT``, and the objective comes from an exact pass at the end.
        Planes are not kept
    sampling : how they are drawn: by ``'slack'``, for which every cut asks all examples, or ``'uniform'``, which asks
        those drawn only
    """

    name: ClassVar[str] = "one-slack"
    keeps_bounds: ClassVar[bool] = True

    cache: int = 10
    keep_idle: int = 50
    line_search: bool = False
    damping: float = 0.9
    sample: int | None = None
    sampling: str = "slack"

    def __post_init__(self) -> None:
        one_of("sampling", self.sampling, SAMPLINGS)
        if self.sample is not None:
            whole_number("sample", self.sample, 1, ", or None for all examples")
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


@dataclass(eq=False)
class _Source:
    """Where cuts come from, the oracle or the planes kept, and the best ``w`` by its answers."""

    cut: Callable[[Point, Stop], Cut]
    best: Candidate | None = None


class _CuttingPlanes(ExactLoop):
    """A step adds the oracle's last cut to the small dual, then cuts of planes kept while they gain enough, and asks
    again."""

    estimate: float

    def __init__(self, solver: OneSlack, oracle: Oracle, C: float, run: Run) -> None:
        super().__init__(solver, oracle, C, run)
        self.solver = solver
        self.sampled = _samples(solver, oracle, run)
        if self.sampled is not None:
            self.space = self.sampled.space
        kept = oracle.keeping(solver.cache) if solver.cache > 0 and self.sampled is None else None
        asked = oracle if kept is None else kept
        self.asked = _Source(asked.cut if self.sampled is None else self.sampled.cut)
        self.kept = None if kept is None else _Source(kept.best_cut)
        self.planes = kept
        self.cuts = self._no_cuts()
        self.estimate = np.inf
        self.found: Cut | None = None
        self.fresh = False  # the oracle has answered in this step
        self.stuck = self.added = 0

    def _no_cuts(self) -> Cuts:
        """The dual over cuts in the form that the weights allow."""
        oracle, keep_idle = self.oracle, self.solver.keep_idle
        if oracle.bounds is not None:
            return BoundedCuts(oracle.dimension, self.C, oracle.bounds, keep_idle)
        if self.space.explicit:
            return CutRows(oracle.dimension, self.C, "line-search" if self.solver.line_search else "exact", keep_idle)
        if self.solver.line_search:
            raise Unsupported("A line search over cuts needs weights that are arrays; use line_search=False.")
        return CutProducts(self.space, self.C, keep_idle)

    @property
    def dual_side(self) -> Cuts:
        return self.cuts

    def init(self, start: Solution | None) -> None:
        if start is not None and start.state is not None and start.state.cuts and self.sampled is None:
            self.cuts.restore(start.state)
        elif start is not None and self.space.has(start.w):
            with suppress(Stopped):  # the first cut is stopped as well
                first = start.w if self.oracle.bounds is None else self.oracle.bounds.nearest(start.w)
                self._add(self._answer(self.asked, first, self.monitor.stop), self.estimate)

    def step(self) -> None:
        if self.found is not None:
            self._add(self.found, self.estimate)
        self.fresh = False
        self.allowed = self.goal.of(self.cuts)
        self.found = self._next_cut(self.monitor.stop)
        self.fresh = True

    @property
    def proved(self) -> float | None:
        return super().proved if self.fresh and self.sampled is None else None

    def _next_cut(self, stop: Stop) -> Cut:
        """The oracle's next cut, at the best ``w`` that the planes kept lead to if they get there at a good price."""
        kept = self.kept
        if kept is None or self.planes is None or kept.best is None:
            return self._cut(self.asked, stop)
        spent, most = 0.0, self._price_of_looks(self.planes.known)
        for _ in range(_MOST_LOOKS):
            gap = self._gap(kept)
            if gap <= max(_KEPT * self._gap(self.asked), _KEPT_ALLOWED * self.goal.of(self.cuts)):
                return self._answer(self.asked, kept.best.w, stop)
            spent += self.planes.price + self.cuts.effort
            if spent > most:
                return self._cut(self.asked, stop)
            self._add(self._cut(kept, stop), gap)
            if self.stuck:
                break
        return self._answer(self.asked, self.cuts.weights, stop)

    def _price_of_looks(self, known: float) -> float:
        """Multiplications that looks before a question may take, infinite where nobody knows what that takes.

        They pay where the oracle finds planes again: the outputs of short sentences recur, those of long sequences
        hardly ever do.
        """
        costs = self.oracle.capabilities
        return (_LEAST_PRICE + _MORE_PRICE * known) * costs.pass_cost if costs.cheap else np.inf

    def _gap(self, source: _Source) -> float:
        """Between the best objective by the answers of a source and the dual."""
        return np.inf if source.best is None else source.best.primal - self.cuts.dual

    def _cut(self, source: _Source, stop: Stop) -> Cut:
        """A cut between the solution over the cuts and the best ``w``, or at the solution if that one is of no use."""
        w = self.cuts.weights
        if source.best is not None and self.solver.damping > 0.0:
            between = self.space.toward(self.space.copy(w), source.best.w, self.solver.damping)
            cut = self._answer(source, between, stop)
            if self.C * (cut.b - self.space.dot(cut.a, w) - self.cuts.slack) > 0.1 * self._gap(source):
                return cut
        return self._answer(source, w, stop)

    def _answer(self, source: _Source, w: Point, stop: Stop) -> Cut:
        cut = source.cut(w, stop)
        primal = 0.5 * self.space.square(w) + self.C * (cut.b - self.space.dot(cut.a, w))
        if source.best is None or primal < source.best.primal:
            source.best = Candidate(self.space.copy(w), cut.slack, primal)
        if source is self.kept:
            self.hits += self.oracle.n
            return cut
        self.calls = self.calls + self.oracle.n if self.sampled is None else self.sampled.asked
        self.best, self.estimate = source.best, self._gap(source)
        if self.kept is not None:
            self.kept.best = source.best  # of the planes kept none is higher than the oracle's
        return cut

    def finished(self) -> Status | None:
        if not self.fresh or (self.estimate > self.allowed and self.stuck < 3 and not self._exhausted()):
            return None
        if self.sampled is not None and self.sampled.is_estimate and not self._confirmed():
            return None
        if not self.exact:
            return Status.INEXACT
        return Status.CONVERGED if self.estimate <= self.allowed else Status.STALLED

    def _confirmed(self) -> bool:
        """Whether a new sample finds the best ``w`` as good as that which made it the best, and may have been lucky."""
        assert self.best is not None
        w, self.asked.best = self.best.w, None
        self.found = self._answer(self.asked, w, self.monitor.stop)
        return self.estimate <= self.allowed

    def _exhausted(self) -> bool:
        """Whether the gap is no more than rounding."""
        return self.best is not None and within_rounding(self.best.primal, self.cuts.dual)

    def _add(self, cut: Cut, gap: float) -> None:
        """Takes a cut in and solves the dual to a small share of a gap."""
        before = self.cuts.dual
        self.cuts.add(cut.a, cut.b)
        finest = 0.1 * ROUNDING * (abs(before) + self.estimate)
        precision = max(0.05 * min(gap, abs(before) + gap), finest) / self.C
        solved = self.cuts.solve(precision)
        self.added += 1
        gained = self.cuts.dual - before
        lost = not solved and gained <= 1e-3 * gap  # all steps taken, and hardly anywhere
        self.stuck = self.stuck + 1 if gained <= 1e-15 * abs(before) or lost else 0

    def certify(self, stop: Stop) -> bool:
        self._next_cut(stop)
        return self.estimate <= self.allowed

    @property
    def reported_estimate(self) -> float | None:
        """None of sampled cuts: what they say of the gap may be far from it."""
        return self.estimate if self.sampled is None else None

    @property
    def exact(self) -> bool:
        return self.sampled is None and super().exact

    @property
    def lower_bound(self) -> float | None:
        return super().lower_bound if self.sampled is None else None

    def state(self) -> DualState | None:
        """None of sampled cuts, which hold on average only."""
        return self.cuts.state(self.exact) if self.sampled is None else None

    def solution(self) -> Solution:
        """After sampled cuts the objective is known from a pass over all examples."""
        found = super().solution()
        if self.sampled is None:
            return found
        found = replace(found, w=self.sampled.whole(found.w), slack=None)
        with self.monitor, suppress(Stopped):
            last = evaluate(self.oracle, self.C, found.w, self.monitor.closing())
            primal = last.primal if self.oracle.exact else None
            found = replace(found, primal=primal, slack=last.slack, oracle_calls=found.oracle_calls + self.oracle.n)
        return found

    def extras(self) -> dict[str, Any]:
        details: dict[str, Any] = {"cuts_added": self.added}
        if self.sampled is not None:
            details["sampled_objective"] = self.cuts.dual
        return {"details": details}


def _samples(solver: OneSlack, oracle: Oracle, run: Run) -> SampledCuts | None:
    """Where cuts of samples come from; None where a sample has all examples."""
    if solver.sample is None or solver.sample >= oracle.n:
        return None
    return SampledCuts(oracle, solver.sample, solver.sampling, check_random_state(run.random_state))

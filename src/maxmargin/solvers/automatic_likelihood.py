"""The solver behind ``solver='auto'`` of conditional likelihood."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.solvers.base import Run, Solution, Status
from maxmargin.solvers.dual_likelihood import Ascent, DualLikelihood
from maxmargin.solvers.lbfgs import LBFGS, Descent
from maxmargin.solvers.likelihood import Likelihood, Objective
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.stochastic import Walk

Floats = npt.NDArray[np.float64]

_TRIAL = 30  # iterations of L-BFGS that are worth a try: what it needs for easy problems
_INVERTED = 10  # the same where it knows the second derivatives at zero, of problems that are easy then
_ROUGH = 10.0  # times the tolerance: for weights that are a start only
_MANY = 30  # examples per weight
_LONG_MEMORY = 20
_WALKED = 300  # examples from which on stochastic steps come first: with fewer L-BFGS alone needed no more passes
_FALL = 0.1  # of the objective in a pass of stochastic steps: where it is less, L-BFGS goes on
_VECTORS = 8.0  # a number of a vector costs as much as so many additions: vectors of weights come from memory


@dataclass(frozen=True)
class AutomaticLikelihood:
    """Starts with dual ascent, watches how fast its gap falls, and changes to L-BFGS where that promises to end sooner.

    Dual ascent makes progress with every sequence: it wins where there are many short ones, and features by the
    thousand. L-BFGS makes progress once a pass, which is best where sequences are few or long. After every round the
    passes that dual ascent still needs are extrapolated from the fall of its gap. If they cost more than a trial of
    L-BFGS, that goes on from the ``w`` found so far, for the time that was predicted; if it has not converged then,
    dual ascent goes on where it was, and so on in turns, each twice as long as the one before. What both know counts:
    the certificate is made of the best objective and the best lower bound. Only counts of passes and of arithmetic
    decide, no clock, so the same data give the same result. Where there are very many examples for each weight, few
    steps of L-BFGS are enough as a rule: it then has the first turn. It also has that where transitions between many
    labels are most of the work: it starts from the weights of tokens without transitions, which cost a fraction.

    Where dual ascent is not available (an L1 penalty, higher order, pair features) it is ``LBFGS`` alone; transitions
    of higher order start from the weights that those of order 1 have, which cost a fraction to find. Programs,
    alignments and trees start from those of stochastic steps (``StochasticGradient``) where there are 300 examples or
    more: passes of them as long as each lowers the objective by a tenth, then L-BFGS, which can prove a gap.
    """

    name: ClassVar[str] = "auto"

    def __call__(
        self, problem: Likelihood, C: float, l1: float, l2: float, run: Run, start: Floats | None = None
    ) -> Solution:
        if l1 or not l2 > 0.0 or not problem.has_dual:
            if l1 or start is not None:
                return LBFGS()(problem, C, l1, l2, run, start)
            if problem.steps is not None and l2 > 0.0 and problem.n >= _WALKED:
                return self._walked(problem, C, l2, run)
            shorter = problem.shorter()
            if shorter is None:
                return LBFGS()(problem, C, l1, l2, run)
            return self._from(shorter, problem, C, l2, run)
        return _Turns(Objective(problem, C, l1, l2, run.tol), run, start).solve(problem.shorter())

    def _from(self, shorter: Likelihood, problem: Likelihood, C: float, l2: float, run: Run) -> Solution:
        objective = Objective(problem, C, 0.0, l2, run.tol)
        monitor = Monitor(run, self.name, objective.allowed(0.0))
        descent = Descent(objective, monitor, _memory(problem))
        with monitor:
            if _start_from(shorter, descent, run):
                descent.advance()
        return descent.solution()

    def _walked(self, problem: Likelihood, C: float, l2: float, run: Run) -> Solution:
        objective = Objective(problem, C, 0.0, l2, run.tol)
        monitor = Monitor(run, self.name, objective.allowed(0.0))
        walk = Walk(objective, monitor)
        descent = Descent(objective, monitor, _memory(problem))
        with monitor:
            while monitor.status is None and walk.falling(_FALL):
                walk.advance()
            if monitor.status is None:
                descent.w = walk.w
                descent.advance(np.inf, walk.passes, walk.visits)
        if not descent.seen:
            return walk.solution()
        found = descent.solution()
        return replace(found, n_iter=walk.passes + found.n_iter, oracle_calls=walk.visits + found.oracle_calls)


def _start_from(shorter: Likelihood, descent: Descent, run: Run) -> bool:
    """Lets L-BFGS start from the weights of an easier problem, found roughly; false if that was interrupted."""
    rough = replace(run, tol=_ROUGH * run.tol, callback=None, verbose=0, inspect=None)
    first = AutomaticLikelihood()(shorter, descent.C, 0.0, descent.l2, rough)
    problem = descent.problem
    descent.w, descent.calls = problem.extended(first.w), first.oracle_calls * problem.n // shorter.n
    if first.status is Status.INTERRUPTED:
        descent.monitor.status = first.status
    return descent.monitor.status is None


class _Turns:
    """One run, in which the two solvers share the limits and the trace."""

    def __init__(self, objective: Objective, run: Run, start: Floats | None) -> None:
        self.objective = objective
        self.monitor: Monitor = Monitor(run, AutomaticLikelihood.name, objective.allowed(0.0))
        self.start = start
        problem = objective.problem
        memory = _memory(problem)
        self.descent = Descent(objective, self.monitor, memory)
        self.price = 1.0 + _vectors(problem, memory) / problem.work  # of an iteration of L-BFGS, in passes
        self.stay = (
            _INVERTED if problem.invertible else _TRIAL
        ) * self.price  # passes that dual ascent may still need before L-BFGS is tried

    @cached_property
    def ascent(self) -> Ascent:
        """Made when it has its first turn: its dual variables are many."""
        return Ascent(self.objective, self.monitor, DualLikelihood().sampling)

    def solve(self, shorter: Likelihood | None) -> Solution:
        """``shorter`` is an easier problem to start from, where there is one that costs little."""
        problem = self.objective.problem
        with self.monitor:
            if shorter is not None or problem.n > _MANY * problem.free.size:
                if self.start is not None:
                    self.descent.w = self.start[problem.free]
                if self.start is not None or shorter is None or _start_from(shorter, self.descent, self.monitor.run):
                    self.descent.advance(_TRIAL)
            while self.monitor.status is None:
                self.ascent.advance(self._slow, self.descent.iterations, self.descent.calls)
                if self.monitor.status is None:
                    self._descend()
                self.stay *= 2.0
        return self._solution()

    def _slow(self) -> bool:
        return self._passes_left() > self.stay

    def _passes_left(self) -> float:
        """Of dual ascent."""
        done, estimate = self.ascent.history[-1]
        return _left(self.ascent.history, self.objective.allowed(self.ascent.dual + estimate)) if done >= 3.0 else 0.0

    def _descend(self) -> None:
        """L-BFGS for as long as dual ascent would need, at least for a trial, and on while it promises to end first."""
        descent, passes = self.descent, self._passes_left()
        descent.floor = max(descent.floor, self.ascent.dual)
        if not descent.seen:
            first = self.ascent.weights() if self.start is None else self.start
            descent.w = first[self.objective.problem.free]
        most, left = max(passes / self.price, self.stay / self.price, _TRIAL), 0.0
        while self.monitor.status is None and left <= passes:
            descent.advance(most, int(self.ascent.passes), self.ascent.calls)
            left = self.price * _left(descent.history, self.objective.allowed(descent.objective))
            most = _TRIAL

    def _solution(self) -> Solution:
        """The better of the two ``w``, with the better of the two lower bounds."""
        descent = self.descent
        if "ascent" not in vars(self):
            return descent.solution()
        ascent = self.ascent
        if not descent.seen or ascent.trusted:
            return ascent.solution()
        found, other = descent.solution(), ascent.solution() if np.isfinite(ascent.primal) else None
        assert found.primal is not None
        if other is not None and other.primal is not None and other.primal < found.primal:
            found = other
        duals = [dual for dual in (descent.dual, ascent.dual) if dual is not None]
        assert found.primal is not None
        solved = found.primal - max(duals) <= self.objective.allowed(found.primal)
        return replace(
            found,
            status=Status.CONVERGED if solved else found.status,
            dual=max(duals),
            n_iter=max(1, int(ascent.passes) + descent.iterations),
            oracle_calls=ascent.calls + descent.calls,
        )


def _vectors(problem: Likelihood, memory: int) -> float:
    """What the vectors of an iteration of L-BFGS cost."""
    return (4.0 * memory + 10.0) * _VECTORS * problem.free.size


def _memory(problem: Likelihood) -> int:
    """Pairs that L-BFGS keeps: many where their vectors cost less than a pass, because it then needs fewer passes."""
    return _LONG_MEMORY if _vectors(problem, _LONG_MEMORY) <= problem.work else LBFGS().memory


def _left(history: list[tuple[float, float]], allowed: float) -> float:
    """Rounds until the gap is small enough if it goes on to fall as it did in the second half of (rounds, gap)."""
    if not history:  # ended where it began
        return 0.0
    done, gap = history[-1]
    if gap <= allowed:
        return 0.0
    before, earlier = next(item for item in history if item[0] >= 0.5 * done)
    fall = np.log(earlier / gap) / (done - before) if done > before else 0.0
    return float(np.log(gap / allowed) / fall) if fall > 0.0 else np.inf

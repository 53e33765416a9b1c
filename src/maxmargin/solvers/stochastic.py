"""Stochastic gradient descent for the conditional likelihood: a step per example."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from maxmargin.core.points import Explicit
from maxmargin.oracles.base import Stopped
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.averaging import PolynomialAverage
from maxmargin.solvers.base import Run, Solution, Status, at_least
from maxmargin.solvers.likelihood import Likelihood, Objective
from maxmargin.solvers.monitor import Monitor

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_SNAPSHOTS = 10  # of the weights in a pass, for their average
_LATE = 2.0  # power of the average: its last third dominates
_SAMPLE, _FEWEST, _MOST = 0.05, 100, 1000  # share of the examples that a first step is chosen on, and bounds of it
_TRIALS = 20
_PROOF = 0.1  # of the time spent: what the exact pass at the end may take after a limit was reached


@dataclass(frozen=True)
class StochasticGradient:
    """Minimises ``l2/2 |w|^2 + C f(w)`` by steps along the gradients of single examples, in shuffled passes.

    Step t has the length ``first / (1 + first * decay * t)`` with ``decay = l2 / (C n)``. ``first`` does best on
    a sample of the examples: the later half of them, each before its own step, becomes most likely. The penalty is a
    factor of all weights, so that a step costs what the features of its example cost. The answer of a pass is an
    average of its weights in which later ones count more. Exact passes at the end compare that of the last one, which
    is ahead while the objective falls, with the average over all passes, which is ahead once steps go back and forth.
    They tell the objective and, since that is strongly convex, a bound of the gap, ``|gradient|^2 / (2 l2)``; there is
    neither where time is up and that would take long.

    Parameters
    ----------
    passes : over the examples (``max_iter`` may stop it before)
    """

    name: ClassVar[str] = "sgd"

    passes: int = 20

    def __post_init__(self) -> None:
        at_least("passes", self.passes, 1)

    def __call__(
        self, problem: Likelihood, C: float, l1: float, l2: float, run: Run, start: Floats | None = None
    ) -> Solution:
        if l1 or not l2 > 0.0:
            raise Unsupported("Stochastic gradient steps need an L2 penalty and no L1: use solver='lbfgs'.")
        if problem.steps is None:
            raise Unsupported(
                "Stochastic gradient steps are for the likelihood of programs, alignments and trees: use "
                "solver='lbfgs' with this model."
            )
        objective = Objective(problem, C, l1, l2, run.tol)
        monitor = Monitor(run, self.name, objective.allowed(0.0))
        walk = Walk(objective, monitor, start)
        with monitor:
            while monitor.status is None and walk.passes < self.passes:
                walk.advance()
        return walk.solution()


class Walk:
    """Passes of stochastic steps from ``start``, or from zero; can pause after each.

    Attributes
    ----------
    w : the average of the last pass
    average : of the averages of all passes, later ones counting more
    history : of every pass the objective, with each example at the weights that it met
    passes, visits : whole passes, and all steps with those of trials
    """

    def __init__(self, objective: Objective, monitor: Monitor, start: Floats | None = None) -> None:
        problem = objective.problem
        assert problem.steps is not None
        self.objective, self.problem, self.monitor, self.own = objective, problem, monitor, problem.steps
        self.decay = objective.l2 / (objective.C * problem.n)
        self.rng = check_random_state(monitor.run.random_state)
        self.space = Explicit(problem.free.size)
        self.w: Floats = np.zeros(problem.free.size) if start is None else start.astype(np.float64)
        self.v = self.w.copy()
        self.average = PolynomialAverage(self.space, _LATE)
        self.first = 0.0
        self.steps = self.passes = self.visits = 0
        self.history: list[float] = []

    def advance(self) -> None:
        """One more pass, the first after a choice of step lengths; sets the status of the monitor at its limits."""
        with suppress(Stopped):
            if not self.first:
                self.first = self._first_length()
            self._walk_through(self._shuffled())
            self.passes += 1
        if self.monitor.late:
            self.monitor.status = Status.MAX_TIME
        self.monitor.tick(iteration=max(1, self.passes), oracle_calls=self.visits)

    def falling(self, share: float) -> bool:
        """Whether the last pass lowered the objective by more than this share; true where nothing is known yet."""
        return len(self.history) < 2 or self.history[-2] - self.history[-1] > share * abs(self.history[-1])

    def _shuffled(self) -> Indices:
        return np.asarray(self.rng.permutation(self.problem.n), dtype=np.int32)

    def _walk_through(self, order: Indices) -> None:
        """The steps of a pass and the average of its weights, which is thrown away where an unfinished pass is not the
        first."""
        total, average = 0.0, PolynomialAverage(self.space, _LATE)
        for piece in np.array_split(order, min(_SNAPSHOTS, order.size)):
            value, late = self._visit(self.v, self.first, self.steps, piece)
            total, self.steps = total + value, self.steps + piece.size
            average.add(self.v)
            if late:
                if not self.history:
                    self.w = np.asarray(average.value)
                raise Stopped
        self.w = np.asarray(average.value)
        self.average.add(self.w)
        self.history.append(self.objective.C * total + 0.5 * self.objective.l2 * float(self.w @ self.w))

    def _visit(self, v: Floats, first: float, steps: int, order: Indices) -> tuple[float, bool]:
        """Steps on ``v``: the sum of what was found, and whether time is up."""
        total, factor, late = 0.0, 1.0, False
        for portion in self.problem.portions(order):
            value, factor = self.own.descend(v, factor, steps, portion, first, self.decay)
            total, steps, self.visits = total + value, steps + portion.size, self.visits + portion.size
            if late := self.monitor.late:
                break
        v *= factor
        return total, late

    def _first_length(self) -> float:
        """Of the steps: four times as long until that does worse on a sample, then half and twice the best one."""
        n = self.problem.n
        sample = self._shuffled()[: min(n, max(_FEWEST, min(_MOST, int(_SAMPLE * n))))]
        found: dict[float, float] = {}

        def attempt(length: float) -> float:
            if length not in found:
                found[length] = self._trial(sample, length)
            return found[length]

        length = 1.0 / max(self.own.steepness(), 1e-300)
        for _ in range(_TRIALS):
            if not attempt(4.0 * length) < attempt(length):
                break
            length *= 4.0
        best = min(found, key=lambda each: found[each])
        return min((0.5 * best, best, 2.0 * best), key=attempt)

    def _trial(self, sample: Indices, length: float) -> float:
        """How unlikely the later half of a sample is, each example before its step; infinity where that overflows."""
        v = self.w.copy()
        half = sample.size // 2
        _, late = self._visit(v, length, 0, sample[:half])
        value, later = self._visit(v, length, half, sample[half:])
        if late or later:
            raise Stopped
        return value if np.isfinite(value) else np.inf

    def solution(self) -> Solution:
        """The better one of the averages of the last pass and of all, with a gap where that takes little time."""
        primal, dual = self._proof(self.w)
        if primal is not None and self.passes > 1:
            other = np.asarray(self.average.value)
            again = self._proof(other)
            if again[0] is not None and again[0] < primal:
                self.w, (primal, dual) = other, again
        if primal is not None and dual is not None and primal - dual <= self.objective.allowed(primal):
            self.monitor.status = Status.CONVERGED
        return Solution(
            w=self.problem.native(self.w),
            status=self.monitor.status or Status.FINISHED,
            primal=primal,
            dual=dual,
            n_iter=max(1, self.passes),
            oracle_calls=self.visits,
            trace=tuple(self.monitor.trace),
            details={"first_step": self.first},
        )

    def _proof(self, w: Floats) -> tuple[float | None, float | None]:
        """The objective and a lower bound of the optimum; neither where time is up."""
        try:
            value, gradient = self.problem.gradient(w, self._deadline())
        except Stopped:
            return None, None
        self.visits += self.problem.n
        C, l2 = self.objective.C, self.objective.l2
        v = C * gradient + l2 * w
        primal = 0.5 * l2 * float(w @ w) + C * value
        return primal, primal - float(v @ v) / (2.0 * l2)

    def _deadline(self) -> Callable[[], bool] | None:
        if self.monitor.status in (None, Status.MAX_ITER):
            return self.monitor.stop
        end = self.monitor.seconds * (1.0 + _PROOF) + 0.1
        return lambda: self.monitor.seconds > end

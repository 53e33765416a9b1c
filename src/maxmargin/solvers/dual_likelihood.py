"""Dual ascent for the conditional likelihood: stochastic speed with a certified gap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from maxmargin.oracles.base import Stopped
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Run, Solution, Status, one_of
from maxmargin.solvers.likelihood import Likelihood, Objective
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.order import SAMPLINGS, Sampler

Floats = npt.NDArray[np.float64]

_FINEST = 1e-6  # of the primal: below this the float32 marginals show
_PROOF = 0.1  # of the time spent: what the last exact pass may take after a limit was reached


@dataclass(frozen=True)
class DualLikelihood:
    """Visits one sequence after the other and moves its distribution towards that at the present ``w``.

    See ``chains/dual.hpp`` for the step. Needs an L2 penalty and no L1, and classes, or chains of order 1 without
    pair features.

    Parameters
    ----------
    sampling : as in ``BlockCoordinate``
    """

    name: ClassVar[str] = "dual"

    sampling: str = "focus"

    def __post_init__(self) -> None:
        one_of("sampling", self.sampling, SAMPLINGS)

    def __call__(
        self, problem: Likelihood, C: float, l1: float, l2: float, run: Run, start: Floats | None = None
    ) -> Solution:
        if l1 or not l2 > 0.0:
            raise Unsupported("Dual ascent needs an L2 penalty and no L1: use solver='lbfgs'.")
        if not problem.has_dual:
            raise Unsupported(
                "Dual ascent is for classes, and for chains of order 1 without pair features whose examples give the "
                "label of every token: use solver='lbfgs' with this model."
            )
        objective = Objective(problem, C, l1, l2, run.tol)
        monitor = Monitor(run, self.name, objective.allowed(0.0))
        ascent = Ascent(objective, monitor, self.sampling)
        with monitor:
            ascent.advance()
        return ascent.solution()


class Ascent:
    """Dual ascent on ``1/2 |w|^2 + C / l2 f(w)``, which is the objective over l2; can pause and go on.

    Attributes
    ----------
    dual : lower bound of the objective
    primal : objective of the present ``w``, or infinity where no exact pass was made
    history : (passes, estimate of the gap) after every round
    trusted : whether a trial ended because the estimate of its gap is small, without a proof
    """

    def __init__(self, objective: Objective, monitor: Monitor, sampling: str) -> None:
        self.objective, self.problem, self.l2 = objective, objective.problem, objective.l2
        self.C = objective.C / objective.l2
        self.monitor = monitor
        self.engine: Any = self.problem.dual(self.C)
        self.sampler = Sampler(sampling, self.problem.n, check_random_state(monitor.run.random_state))
        self.visits = self.proofs = 0  # proofs of the gap, each a pass
        self.primal, self.dual, self.trusted = np.inf, 0.0, False
        self.history: list[tuple[float, float]] = []

    @property
    def passes(self) -> float:
        """Visits, in units of the number of sequences."""
        return self.visits / self.problem.n

    @property
    def calls(self) -> int:
        return self.visits + self.proofs * self.problem.n

    def advance(self, pause: Callable[[], bool] = lambda: False, iterations: int = 0, calls: int = 0) -> None:
        """Goes on until the gap is small enough, a limit is reached, or ``pause`` says so after a round.

        ``iterations`` and ``calls`` are what another solver has used up.
        """
        while True:
            self._visit(self.sampler.next_order(self.engine.gaps))
            self.dual, self.primal = self.l2 * self.engine.dual, np.inf
            estimate = self.l2 * float(self.engine.gaps.sum(dtype=np.float64))
            self.history.append((self.passes, estimate))
            if self.monitor.run.inspect is not None:
                self.monitor.run.inspect(int(self.passes), self.weights())
            finished = estimate <= self.objective.allowed(self.dual + estimate) and self._finished()
            ended = self.monitor.tick(
                iteration=iterations + max(1, int(self.passes)),
                oracle_calls=calls + self.calls,
                primal=self.primal if np.isfinite(self.primal) else None,
                dual=self.dual,
                estimate=estimate,
            )
            if ended or finished or pause():
                return

    def weights(self) -> Floats:
        """The present ``w`` in native layout; as exact as the visits left it."""
        return np.asarray(self.engine.coarse_weights, dtype=np.float64)

    def solution(self) -> Solution:
        """The present ``w``, with a gap where that takes little time."""
        known = np.isfinite(self.primal) or (not self.trusted and self._prove())
        if known and self.primal - self.dual <= self.objective.allowed(self.primal):
            self.monitor.status = Status.CONVERGED
        assert self.monitor.status is not None
        return Solution(
            w=self.engine.weights if known else self.weights(),
            status=self.monitor.status,
            primal=self.primal if known else None,
            dual=self.dual if known else None,
            n_iter=max(1, int(self.passes)),
            oracle_calls=self.calls,
            trace=tuple(self.monitor.trace),
        )

    def certify(self, stop: Callable[[], bool] | None = None) -> None:
        """Primal and dual of the present ``w`` from one exact pass."""
        self.engine.sharpen()
        w = self.engine.weights
        self.dual = self.l2 * self.engine.dual
        self.primal = self.l2 * (0.5 * float(w @ w) + self.C * self.problem.value(w, stop))
        self.proofs += 1

    def _visit(self, order: npt.NDArray[np.int32]) -> None:
        for portion in self.problem.portions(order):
            self.visits += self.engine.visit(portion)
            if self.monitor.late:
                return

    def _finished(self) -> bool:
        """Whether the gap is small enough, or as small as it can become; trials take the estimate for it."""
        if self.monitor.run.rough:
            self.monitor.status = Status.CONVERGED
            self.trusted = True
            return True
        try:
            self.certify(lambda: self.monitor.late)
        except Stopped:
            return False
        self.sampler.start_over()
        gap, allowed = self.primal - self.dual, self.objective.allowed(self.primal)
        if gap <= allowed:
            self.monitor.status = Status.CONVERGED
        elif allowed < _FINEST * self.primal and gap <= 10 * _FINEST * self.primal:
            self.monitor.status = Status.STALLED
        return self.monitor.status is not None

    def _prove(self) -> bool:
        """Tries to know the gap in a time that is short beside what was spent already."""
        deadline = self.monitor.seconds * (1.0 + _PROOF) + 0.1
        try:
            self.certify(lambda: self.monitor.seconds > deadline)
        except Stopped:
            return False
        return True

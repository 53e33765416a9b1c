"""Dual ascent for the conditional likelihood: stochastic speed with a certified gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Run, Solution, Status, one_of
from maxmargin.solvers.likelihood import Likelihood
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.order import SAMPLINGS, Sampler

Floats = npt.NDArray[np.float64]

_FINEST = 1e-6  # of the primal: below this the float32 marginals show


@dataclass(frozen=True)
class DualLikelihood:
    """Visits one sequence after the other and moves its distribution towards that at the present ``w``.

    See ``chain_dual.hpp`` for the step. Needs an L2 penalty and no L1; chains of order 1 without pair features.

    Parameters
    ----------
    sampling : as in ``BlockCoordinate``
    """

    name: ClassVar[str] = "dual"

    sampling: str = "focus"

    def __post_init__(self) -> None:
        one_of("sampling", self.sampling, SAMPLINGS)

    def __call__(self, problem: Likelihood, C: float, l1: float, l2: float, run: Run) -> Solution:
        if l1 or not l2 > 0.0:
            raise Unsupported("Dual ascent needs an L2 penalty and no L1: use solver='lbfgs'.")
        if not problem.has_dual:
            raise Unsupported(
                "Dual ascent is for chains of order 1 without pair features: use solver='lbfgs' with this model."
            )
        return _Ascent(self, problem, C, l2, run).solve()


class _Ascent:
    """One run on ``1/2 |w|^2 + C / l2 f(w)``, which is the objective over l2."""

    def __init__(self, solver: DualLikelihood, problem: Likelihood, C: float, l2: float, run: Run) -> None:
        self.problem, self.C, self.l2 = problem, C / l2, l2
        self.target = self.C * problem.total_weight * run.tol
        self.monitor = Monitor(run, solver.name, l2 * self.target)
        self.engine: Any = problem.dual(self.C)
        self.sampler = Sampler(solver.sampling, problem.n, check_random_state(run.random_state))
        self.visits = self.proofs = 0  # proofs of the gap, each a pass
        self.primal = np.inf  # until an exact pass
        self.dual = 0.0

    def solve(self) -> Solution:
        with self.monitor:
            while True:
                self.visits += self.engine.visit(self.sampler.next_order(self.engine.gaps))
                self.dual, self.primal = self.engine.dual, np.inf
                estimate = float(self.engine.gaps.sum(dtype=np.float64))
                finished = estimate <= self.target and self._finished()
                if (
                    self.monitor.tick(
                        iteration=self._passes,
                        oracle_calls=self.visits + self.proofs * self.problem.n,
                        primal=self.l2 * self.primal if np.isfinite(self.primal) else None,
                        dual=self.l2 * self.dual,
                        estimate=self.l2 * estimate,
                    )
                    or finished
                ):
                    break
        if not np.isfinite(self.primal) and self._certified_gap() <= self.target:
            self.monitor.status = Status.CONVERGED
        status = self.monitor.status
        assert status is not None
        return Solution(
            w=self.engine.weights,
            status=status,
            primal=self.l2 * self.primal,
            dual=self.l2 * self.dual,
            n_iter=self._passes,
            oracle_calls=self.visits + self.proofs * self.problem.n,
            trace=tuple(self.monitor.trace),
        )

    @property
    def _passes(self) -> int:
        """Visits, in units of the number of sequences."""
        return max(1, self.visits // self.problem.n)

    def _finished(self) -> bool:
        """Whether the gap is small enough, or as small as it can become."""
        gap = self._certified_gap()
        self.sampler.start_over()
        if gap <= self.target:
            self.monitor.status = Status.CONVERGED
        elif self.target < _FINEST * self.primal and gap <= 10 * _FINEST * self.primal:
            self.monitor.status = Status.STALLED
        return self.monitor.status is not None

    def _certified_gap(self) -> float:
        """The gap of the present ``w`` from one exact pass."""
        self.engine.sharpen()
        w = self.engine.weights
        self.dual = self.engine.dual
        self.primal = 0.5 * float(w @ w) + self.C * self.problem.value(w)
        self.proofs += 1
        return self.primal - self.dual

"""Training where the truth is known in part: the concave-convex procedure around any solver."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from maxmargin.core.formulation import Formulation
from maxmargin.oracles.base import Oracle
from maxmargin.solvers.automatic import joined, rest_of
from maxmargin.solvers.base import Record, Run, Solution, Solver, Status, at_least
from maxmargin.solvers.certify import Candidate, evaluate, gap_target

_GOES_ON = (Status.CONVERGED, Status.FINISHED, Status.STALLED, Status.INEXACT)
_LITTLE = 0.01  # of what tol allows: a round that lowers the objective by less is the last


@dataclass(frozen=True)
class ConcaveConvex(Solver):
    """Minimises ``1/2 |w|^2 + C sum_i s_i (max_y [loss_i(y) + F(x_i, y)] - max_h F(x_i, h))`` over completions h.

    Each round fixes the best completions at the present ``w`` and trains as if they were the truth. That problem is
    convex, lies above the objective and touches it there, so that the objective falls from round to round, to a local
    minimum: ``primal`` is exact, and there is no dual. ``details['rounds']`` counts.

    Parameters
    ----------
    solver : trains in each round, from the dual variables of the round before
    rounds : at most
    """

    name: ClassVar[str] = "concave-convex"

    solver: Solver
    rounds: int = 50

    def __post_init__(self) -> None:
        at_least("rounds", self.rounds, 1)

    def check(self, formulation: Formulation) -> None:
        self.solver.check(formulation)

    def __call__(self, oracle: Oracle, C: float, run: Run, start: Solution | None = None) -> Solution:
        if not oracle.capabilities.partial:
            raise TypeError(f"{type(oracle).__name__} has no completions; train with the solver itself.")
        goal = gap_target(oracle, C, run)
        history: Solution | None = None
        best: Candidate | None = None
        status, rounds = Status.MAX_ITER, 0
        while rounds < self.rounds:
            rest = run if history is None else rest_of(run, history)
            if rest.max_iter is not None and rest.max_iter < 1:
                break
            found = self.solver(oracle, C, rest, start)
            rounds += 1
            history = found if history is None else joined(history, found)
            after = oracle.completed(found.w)
            candidate = evaluate(oracle if after is None else after, C, found.w)
            fell = np.inf if best is None else best.primal - candidate.primal
            if fell > 0.0:
                best = candidate
            if found.status not in _GOES_ON:
                status = found.status
                break
            target = goal.at(found.dual or 0.0, 0.5 * oracle.space.square(found.w))
            if after is None or fell <= _LITTLE * target:
                status = Status.LOCAL
                break
            oracle, start = after, _kept(found)
        assert history is not None
        assert best is not None
        return replace(
            history,
            w=best.w,
            status=status,
            primal=best.primal,
            dual=None,
            slack=best.slack,
            state=None,
            aggregate=None,
            blocks=None,
            trace=tuple(_without_dual(record) for record in history.trace),
            details={**history.details, "rounds": rounds},
        )


def _kept(found: Solution) -> Solution | None:
    """The dual variables, if they belong to outputs, from which planes are made anew; rows belong to the old truths."""
    return found if found.state is not None and found.state.handles is not None and not found.state.cuts else None


def _without_dual(record: Record) -> Record:
    """What bounds the problem of one round bounds nothing else."""
    return replace(record, dual=None, estimate=None)

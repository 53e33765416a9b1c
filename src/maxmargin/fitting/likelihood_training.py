"""What estimators that maximise a likelihood share: solvers by name, and the warning of one that did not converge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from maxmargin.fitting.warning import warn_caller
from maxmargin.solvers.automatic_likelihood import AutomaticLikelihood
from maxmargin.solvers.base import Solution, Status
from maxmargin.solvers.dual_likelihood import DualLikelihood
from maxmargin.solvers.lbfgs import LBFGS
from maxmargin.solvers.likelihood import LikelihoodSolver, Objective

LIKELIHOOD_SOLVERS: dict[str, Callable[[], LikelihoodSolver]] = {
    "auto": AutomaticLikelihood,
    "dual": DualLikelihood,
    "lbfgs": LBFGS,
}


def likelihood_solver(solver: Any) -> LikelihoodSolver:
    """The solver for a name or a configured object."""
    if not isinstance(solver, str):
        if not callable(solver) or isinstance(solver, type):
            raise TypeError(f"solver must be a name or a solver object, not {type(solver).__name__}.")
        chosen: LikelihoodSolver = solver
        return chosen
    if solver not in LIKELIHOOD_SOLVERS:
        raise ValueError(f"solver must be 'auto', 'dual', 'lbfgs' or a solver object, not {solver!r}.")
    return LIKELIHOOD_SOLVERS[solver]()


def warn_unfinished(solution: Solution, objective: Objective, solver: str) -> None:
    """Warns where training stopped before it was done."""
    if solution.status in (Status.CONVERGED, Status.FINISHED, Status.LOCAL):
        return
    text = solution.status.message
    if solution.primal is not None and solution.gap is not None:
        text += f" The gap is {solution.gap:.4g}, and tol allows {objective.allowed(solution.primal):.4g};"
    else:
        text += " The gap is not known;"
    text += " raise the limit or loosen tol."
    if solver == DualLikelihood.name:
        text += " solver='auto' changes to L-BFGS where dual ascent is slow."
    warn_caller(text, ConvergenceWarning)

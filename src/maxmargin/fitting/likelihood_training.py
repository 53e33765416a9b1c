"""The training of estimators that maximise a likelihood: solvers by name, and the end that all trainings have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.fitting.training import concluded
from maxmargin.solvers.automatic_likelihood import AutomaticLikelihood
from maxmargin.solvers.base import Run, Solution
from maxmargin.solvers.dual_likelihood import DualLikelihood
from maxmargin.solvers.lbfgs import LBFGS
from maxmargin.solvers.likelihood import Likelihood, LikelihoodSolver, Objective
from maxmargin.solvers.stochastic import StochasticGradient

Floats = npt.NDArray[np.float64]

LIKELIHOOD_SOLVERS: dict[str, Callable[[], LikelihoodSolver]] = {
    "auto": AutomaticLikelihood,
    "dual": DualLikelihood,
    "lbfgs": LBFGS,
    "sgd": StochasticGradient,
}


def likelihood_solver(solver: Any) -> LikelihoodSolver:
    """The solver for a name or a configured object."""
    chosen: LikelihoodSolver = LIKELIHOOD_SOLVERS[solver]() if isinstance(solver, str) else solver
    return chosen


def train_likelihood(
    solver: Any,
    problem: Likelihood,
    objective: Objective,
    run: Run,
    start: Floats | None = None,
    newton: Callable[[], Solution] | None = None,
) -> Solution:
    """Minimises the objective and warns where that did not converge, unless the run is ``rough``.

    ``newton``, where there is one, takes the place of ``solver='auto'``.
    """
    used = likelihood_solver(solver)
    if newton is not None and isinstance(solver, str) and solver == "auto":
        solution = newton()
    else:
        solution = used(problem, objective.C, objective.l1, objective.l2, run, start)
    return concluded_likelihood(solution, used.name, objective, trial=run.rough)


def concluded_likelihood(solution: Solution, solver: str, objective: Objective, trial: bool = False) -> Solution:
    """``concluded`` of a likelihood that a solver of this name has maximised."""
    allowed = np.nan if solution.primal is None else objective.allowed(solution.primal)
    hint = " solver='auto' changes to L-BFGS where dual ascent is slow." if solver == DualLikelihood.name else ""
    return concluded(solution, solver, objective.problem.n, objective.C, allowed, hint=hint, trial=trial)

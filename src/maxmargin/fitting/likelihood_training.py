"""The training of estimators that maximise a likelihood: solvers by name, and the end that all trainings have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.fitting.regularisation import resolved_c
from maxmargin.fitting.training import concluded, run_of
from maxmargin.oracles.sum_likelihood import SumLikelihood
from maxmargin.solvers.automatic_likelihood import AutomaticLikelihood
from maxmargin.solvers.base import Run, Solution
from maxmargin.solvers.certify import check_product
from maxmargin.solvers.dual_likelihood import DualLikelihood
from maxmargin.solvers.lbfgs import LBFGS
from maxmargin.solvers.likelihood import Likelihood, LikelihoodSolver, Objective
from maxmargin.solvers.stochastic import StochasticGradient

Floats = npt.NDArray[np.float64]

_SUM_TOL = 1e-3  # what tol='auto' stands for where likelihoods are sums over dynamic programs

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


def train_sum_likelihood(estimator: Any, problem: SumLikelihood, before: Floats | None) -> Solution:
    """Trains a CRF over outputs of dynamic programs by the parameters of its estimator.

    ``before`` are the weights of the fit before, to start from where their number is right.
    """
    C = resolved_c(estimator.C, lambda: problem.default_c)
    check_product(C, problem.total_weight, problem.n, problem.steepness)
    run = run_of(estimator, slack="linear")
    run = replace(run, tol=_SUM_TOL if isinstance(estimator.tol, str) else run.tol, relative=0.0)
    start = before if before is not None and before.size == problem.free.size else None
    objective = Objective(problem, C, float(estimator.l1), float(estimator.l2), run.tol)
    return train_likelihood(estimator.solver, problem, objective, run, start)


def concluded_likelihood(
    solution: Solution, solver: str, objective: Objective, trial: bool = False, hint: str = ""
) -> Solution:
    """``concluded`` of a likelihood that a solver of this name has maximised."""
    allowed = np.nan if solution.primal is None else objective.allowed(solution.primal)
    hint += " solver='auto' changes to L-BFGS where dual ascent is slow." if solver == DualLikelihood.name else ""
    return concluded(solution, solver, objective.problem.n, objective.C, allowed, hint=hint, trial=trial)

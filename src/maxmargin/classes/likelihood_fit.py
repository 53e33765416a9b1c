"""The conditional likelihood of classes: how exactly it is maximised, and by which solver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from maxmargin.classes.sampled_start import sampled_start
from maxmargin.classes.shared_likelihood import SharedLikelihood
from maxmargin.fitting.likelihood_training import likelihood_solver
from maxmargin.fitting.method_choice import Deadline
from maxmargin.rows.class_likelihood import ClassLikelihood
from maxmargin.rows.likelihood_newton import LikelihoodNewton
from maxmargin.solvers.base import LIMITS, Run, Solution, Status
from maxmargin.solvers.lbfgs import LBFGS
from maxmargin.solvers.likelihood import Objective
from maxmargin.solvers.newton import Newton

_TOL = 1e-3  # of tol="auto": the gap per example and C, where examples are many
_MANY_EXAMPLES = 40_000  # with fewer the tolerance is smaller in proportion, so that seeds agree
_LEAST = 0.1  # of that tolerance
_SMALL = 1e5  # additions of a pass; below that, solving to rounding takes a few milliseconds
_ROUNDING = 1e-20
_TRIAL = 10.0  # times the tolerance, for a fit that is only compared with others


def maximise_likelihood(
    problem: ClassLikelihood | SharedLikelihood, C: float, solver: str, tol: float | str, run: Run
) -> Solution:
    """Minimises ``1/2 |w|^2 + C f(w)``.

    With ``tol='auto'`` to ``likelihood_tolerance``, and problems that are small as far as rounding allows, so that
    the answer depends neither on the order of the examples nor on whether they are repeated or weighted.
    """
    wanted = likelihood_tolerance(tol, problem.total_weight)
    exact = tol == "auto" and solver == "auto" and problem.work <= _SMALL and not run.rough
    run = replace(run, tol=_ROUNDING if exact else _TRIAL * wanted if run.rough else wanted, relative=0.0)
    if solver == "auto" and isinstance(problem, ClassLikelihood) and problem.few_weights:
        found = _by_second_derivatives(problem, C, run, Deadline(run.max_time))
    elif exact:
        found = LBFGS()(problem, C, 0.0, 1.0, run, problem.start)
    else:
        return likelihood_solver(solver)(problem, C, 0.0, 1.0, run, problem.start)
    if found.primal is None or found.gap is None:  # not a single pass was made within the time
        return found
    enough = found.gap <= Objective(problem, C, 0.0, 1.0, wanted).allowed(found.primal)
    return replace(found, status=Status.CONVERGED) if enough and found.status in LIMITS else found


def _by_second_derivatives(problem: ClassLikelihood, C: float, run: Run, late: Deadline) -> Solution:
    """Newton's method; with very many examples from the weights of a sample, and with more than two classes by L-BFGS
    with its second derivatives, which a pass over all examples takes several times as long to sum up."""
    begin = sampled_start(problem, C, run, late)
    if begin is not None and begin.inverse is not None and problem.n_classes > 2:
        return LBFGS()(problem, C, 0.0, 1.0, late.cut(run), begin.w, begin.inverse)
    at = LikelihoodNewton(problem, C, problem.start if begin is None else begin.w, late)
    found = Newton()(at, run.tol * C * problem.total_weight, problem.n, late.cut(run))
    return replace(found, w=problem.native(np.ascontiguousarray(found.w.T).ravel()))


def likelihood_tolerance(tol: float | str, total: float) -> float:
    """``tol='auto'`` as a number: the gap per example and C, for examples whose weights sum up to ``total``."""
    return _TOL * min(1.0, max(_LEAST, total / _MANY_EXAMPLES)) if tol == "auto" else float(tol)

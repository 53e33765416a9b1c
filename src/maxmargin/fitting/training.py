"""What every estimator's ``fit`` does between its own packing and unpacking."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from maxmargin.core.formulation import Formulation
from maxmargin.core.input_checks import positive
from maxmargin.fitting.warm_start import TrainedOn, carried_over
from maxmargin.fitting.warning import warn_caller
from maxmargin.oracles.base import Oracle
from maxmargin.oracles.bind import bind
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Run, Solution, Solver, Status
from maxmargin.solvers.certify import check_budget, check_order, gap_target
from maxmargin.solvers.choose import bound_formulation, check_bounds, choose_solver
from maxmargin.solvers.concave_convex import ConcaveConvex

Floats = npt.NDArray[np.float64]


RELATIVE_GAP = 0.1  # of tol="auto": see docs/defaults.md for what it was chosen by


def tolerance(tol: Any, slack: str, relative: float = RELATIVE_GAP) -> tuple[float, float]:
    """``tol`` in units of the loss, and the gap allowed relative to ``1/2 |w|^2`` (``Target``); one of them is 0.

    ``relative`` is what ``'auto'`` stands for.
    """
    if isinstance(tol, str) and tol == "auto":
        return (1e-3, 0.0) if slack == "hard" else (0.0, relative)
    if isinstance(tol, str):
        raise ValueError(f"tol must be a positive number or 'auto', not {tol!r}.")
    positive("tol", tol)
    return float(tol), 0.0


def check_probability(name: str, value: Any) -> None:
    """Raises unless ``value`` is a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 <= float(value) <= 1.0:
        raise ValueError(f"{name} is a probability between 0 and 1, not {value!r}.")


def job_count(n_jobs: Any) -> int:
    """Threads or processes to use: None is 1, -1 all cores."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0 or n_jobs < -1:
        raise ValueError(f"n_jobs must be None, -1 or a positive integer, not {n_jobs!r}.")
    return (os.cpu_count() or 1) if n_jobs == -1 else int(n_jobs)


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Where a fit is refused, the estimator stays what it was: fitted before, or not at all."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def check_settings(estimator: Any, C: Any, slack: str | None = None) -> None:
    """Raises for invalid settings of training, those that every estimator has."""
    positive("C", C)
    tolerance(estimator.tol, estimator.slack if slack is None else slack)
    positive("max_iter", estimator.max_iter, optional=True)
    if estimator.max_iter is not None and not isinstance(estimator.max_iter, Integral):
        raise ValueError(f"max_iter must be an integer, not {estimator.max_iter!r}.")
    positive("max_time", estimator.max_time, optional=True)
    if (
        not isinstance(estimator.random_state, int) or not 0 <= estimator.random_state < 2**32
    ):  # made only to be checked
        check_random_state(estimator.random_state)
    intercept = getattr(estimator, "fit_intercept", True)
    if not isinstance(intercept, bool | np.bool_):
        raise ValueError(f"fit_intercept must be True or False, not {intercept!r}.")


def run_of(estimator: Any, relative: float = RELATIVE_GAP, slack: str | None = None) -> Run:
    """The limits and observers that an estimator's parameters ask for; ``relative`` as in ``tolerance``.

    ``slack`` is that of the estimator where it is None.
    """
    tol, relative = tolerance(estimator.tol, estimator.slack if slack is None else slack, relative)
    return Run(
        tol=tol,
        max_iter=None if estimator.max_iter is None else int(estimator.max_iter),
        max_time=estimator.max_time,
        random_state=estimator.random_state,
        verbose=estimator.verbose,
        callback=estimator.callback,
        relative=relative,
    )


def train(
    estimator: Any,
    problem: Any,
    X: Any,
    Y: Any,
    n: int,
    C: float,
    sample_weight: Floats | None,
    approximate: bool = False,
    zero_one: bool = False,
    names: Sequence[str] | None = None,
    relative: float = RELATIVE_GAP,
    slack: str | None = None,
    run: Run | None = None,
    trial: bool = False,
) -> Solution:
    """Binds the problem, runs the estimator's solver, and warns where it did not converge.

    ``zero_one`` replaces the problem's loss by 1 for every output but the truth. ``names`` are what messages call
    the examples; None is their numbers. ``relative`` is what ``tol='auto'`` stands for, as in ``tolerance``. ``slack``
    and ``run`` are those of the estimator where they are None. A ``trial`` neither starts from an earlier solution nor
    warns.
    """
    slack = estimator.slack if slack is None else slack
    check_settings(estimator, C, slack)
    formulation = Formulation("none" if zero_one else estimator.rescaling, slack)
    solver = choose_solver(estimator.solver, formulation)
    oracle = bind(
        problem,
        X,
        Y,
        bound_formulation(solver, formulation),
        sample_weight=sample_weight,
        approximate=approximate,
        n_jobs=job_count(estimator.n_jobs),
    )
    check_bounds(solver, oracle, type(problem).__name__)
    if oracle.capabilities.partial:
        if oracle.formulation.mistakes:
            raise Unsupported("The perceptron does not choose latent variables; use solver='auto'.")
        solver = ConcaveConvex(solver)
    run = run_of(estimator, relative, slack) if run is None else run
    keeps = estimator.warm_start and not trial
    trained_on = TrainedOn.of(oracle, getattr(estimator, "classes_", None)) if keeps else None
    previous = getattr(estimator, "solution_", None)
    start = None if trained_on is None else carried_over(previous, trained_on, oracle)
    check_budget(oracle, float(C))
    solution, checks = _checked(solver, oracle, float(C), run, start)
    if not oracle.exact:
        solution = _without_proof(solution)
    details = {**solution.details, "solver": solver.name, "n": n, "trained_on": trained_on, "checks": checks}
    solution = replace(solution, details=details)
    target = gap_target(oracle, float(C), run).at(solution.dual or 0.0, 0.5 * float(solution.w @ solution.w))
    hard = oracle.formulation.slack == "hard" and solution.primal is not None
    if not trial:
        warn_stopped(solution, 2.0 * target * solution.primal if hard else target, names)  # type: ignore[operator]
    return solution


def _checked(solver: Solver, oracle: Oracle, C: float, run: Run, start: Solution | None) -> tuple[Solution, int]:
    """The solution, and the number of questions that were asked to see whether it can be trusted."""
    checks = oracle.try_out()
    begin = time.perf_counter()
    solution: Solution = solver(oracle, C, run, start)
    check_order(oracle, solution)
    if oracle.exact and solution.primal is not None and solution.status is not Status.INTERRUPTED:
        checks += oracle.try_result(solution.w, solution.slack, time.perf_counter() - begin)
    return solution, checks


def _without_proof(solution: Solution) -> Solution:
    """A search may give up on the way, after a solver has looked; then nothing is claimed that is not known."""
    status = Status.INEXACT if solution.status is Status.CONVERGED else solution.status
    return replace(solution, primal=None, dual=None, slack=None, status=status)


def warn_stopped(solution: Solution, target: float, names: Sequence[str] | None = None) -> None:
    """Warns where training stopped before it was done."""
    stopped = (Status.MAX_ITER, Status.MAX_TIME, Status.STALLED, Status.INTERRUPTED, Status.CALLBACK, Status.INFEASIBLE)
    if solution.status not in stopped:
        return
    text = solution.status.message
    if solution.certificate is not None:
        examples = solution.certificate.examples
        first = [str(i) if names is None else names[i] for i in examples[:5]]
        named = ", ".join(first) + (f" and {len(examples) - 5} more" if len(examples) > 5 else "")
        text += f" They are those of {'example ' if names is None else ''}{named}; use slack='linear'."
    elif solution.gap is not None:
        text += f" The gap is {solution.gap:.4g}, and tol allows {target:.4g}; raise the limit or loosen tol."
    warn_caller(text, ConvergenceWarning)

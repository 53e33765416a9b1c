"""What every estimator's ``fit`` does between its own packing and unpacking."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from maxmargin.core.formulation import Formulation
from maxmargin.fitting.regularisation import plane_c, resolved_c
from maxmargin.fitting.warm_start import TrainedOn, carried_over
from maxmargin.fitting.warning import warn_caller
from maxmargin.oracles.base import Oracle
from maxmargin.oracles.bind import bind
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import LIMITS, Run, Solution, Solver, Status
from maxmargin.solvers.certify import check_budget, check_order, evaluate, gap_target
from maxmargin.solvers.choose import bound_formulation, check_bounds, choose_solver
from maxmargin.solvers.concave_convex import ConcaveConvex
from maxmargin.solvers.newton import Newton, Smooth
from maxmargin.solvers.online import Perceptron

Floats = npt.NDArray[np.float64]


_MEASURING = 0.25  # of max_time, that finding C may take
RELATIVE_GAP = 0.1  # of tol="auto": see docs/defaults.md for what it was chosen by
_TRIAL_PASSES = 40  # of margins that are only compared
_TRUSTED = 0.25  # of the objective: by which that of sampled cuts may differ from it


def tolerance(tol: Any, slack: str, relative: float = RELATIVE_GAP) -> tuple[float, float]:
    """``tol`` in units of the loss, and the gap allowed relative to ``1/2 |w|^2`` (``Target``); one of them is 0.

    ``relative`` is what ``'auto'`` stands for.
    """
    if isinstance(tol, str):
        return (1e-3, 0.0) if slack == "hard" else (0.0, relative)
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


def without_loss(solver: Any) -> bool:
    """Whether a solver, given by name or as an object, looks at mistakes only."""
    return bool(getattr(solver, "name", solver) == Perceptron.name)


def refuse_loss(solver: Any, purpose: str | None, instead: str = "") -> None:
    """Raises where a solver without a loss is asked for a ``purpose`` that needs one, such as ``"with costs"``; None
    needs none. ``instead`` is what the message ends with."""
    if purpose is not None and without_loss(solver):
        raise Unsupported(f"The perceptron has no loss, so it cannot train {purpose}; choose another solver{instead}.")


def run_of(estimator: Any, relative: float = RELATIVE_GAP, slack: str | None = None) -> Run:
    """The limits and observers that an estimator's parameters ask for, as far as it has them; ``relative`` as in
    ``tolerance``.

    ``slack`` is that of the estimator where it is None.
    """
    slack = getattr(estimator, "slack", "linear") if slack is None else slack
    tol, relative = tolerance(getattr(estimator, "tol", "auto"), slack, relative)
    most = getattr(estimator, "max_iter", None)
    return Run(
        tol=tol,
        max_iter=None if most is None else int(most),
        max_time=estimator.max_time,
        random_state=estimator.random_state,
        verbose=estimator.verbose,
        callback=estimator.callback,
        relative=relative,
    )


def as_trial(run: Run, passes: int = _TRIAL_PASSES) -> Run:
    """The run of margins that are only compared with others: silent, not as far as rounding allows, in few passes.

    What has not converged by then is judged as it is: its mistakes hardly change any more.
    """
    most = passes if run.max_iter is None else min(run.max_iter, passes)
    return replace(run, verbose=0, callback=None, rough=True, max_iter=most)


def train(
    estimator: Any,
    problem: Any,
    X: Any,
    Y: Any,
    n: int,
    C: float | str,
    sample_weight: Floats | None,
    *,
    approximate: bool = False,
    formulation: Formulation | None = None,
    solver: Any = None,
    names: Sequence[str] | None = None,
    run: Run | None = None,
    trial: bool = False,
    wrapped: Callable[[Oracle], Oracle] | None = None,
    remedy: str = "try another loss, rescaling or method",
) -> Solution:
    """Binds the problem, runs a solver on it, and warns where that did not converge.

    ``formulation``, ``solver`` and ``run`` are those of the estimator's parameters where they are None. A ``C`` of
    ``'scale'`` is measured on planes of the problem, and the number is ``details["C"]`` of the solution. ``names`` are
    what messages call the examples; None is their numbers. A ``trial`` neither starts from an earlier solution nor
    warns. ``wrapped`` makes another oracle of the one that is bound. ``remedy`` ends the warning that ``w = 0`` is
    as good as what was found.
    """
    if formulation is None:
        formulation = Formulation(estimator.rescaling, estimator.slack)
    solver = choose_solver(estimator.solver if solver is None else solver, formulation)
    oracle = bind(
        problem,
        X,
        Y,
        bound_formulation(solver, formulation),
        sample_weight=sample_weight,
        approximate=approximate,
        n_jobs=job_count(estimator.n_jobs),
    )
    oracle = oracle if wrapped is None else wrapped(oracle)
    check_bounds(solver, oracle, type(problem).__name__)
    if oracle.capabilities.partial:
        if oracle.formulation.mistakes:
            raise Unsupported("The perceptron does not choose latent variables; use solver='auto'.")
        solver = ConcaveConvex(solver)
    run = run_of(estimator, slack=formulation.slack) if run is None else run
    keeps = getattr(estimator, "warm_start", False) and not trial
    trained_on = TrainedOn.of(oracle, getattr(estimator, "classes_", None)) if keeps else None
    previous = getattr(estimator, "solution_", None)
    start = None if trained_on is None else carried_over(previous, trained_on, oracle)
    begin, limit = time.perf_counter(), run.max_time
    C = resolved_c(C, lambda: plane_c(oracle, None if limit is None else _MEASURING * limit))
    if limit is not None:
        run = replace(run, max_time=max(0.0, limit - (time.perf_counter() - begin)))
    check_budget(oracle, C)
    solution, checks = _checked(solver, oracle, C, run, start)
    if not oracle.exact:
        solution = _without_proof(solution)
    allowed = gap_target(oracle, C, run).at(solution.dual or 0.0, 0.5 * oracle.space.square(solution.w))
    if oracle.formulation.slack == "hard" and solution.primal is not None:
        allowed *= 2.0 * solution.primal
    details = {"trained_on": trained_on, "checks": checks}
    told = allowed if solver.has_gap else None
    solution = concluded(solution, solver.name, n, C, told, names=names, trial=trial, details=details)
    if not trial and oracle.exact and formulation.slack != "hard":
        _say_if_zero_is_as_good(solution, oracle, C, remedy)
    return solution


def train_smooth(fit: Smooth, C: float, allowed: float, n: int, run: Run) -> Solution:
    """Newton's method on a smooth loss of ``n`` rows until the gap is at most ``allowed``; warns where that fails.

    ``C`` is that of the problem, which ``fit`` knows.
    """
    return concluded(Newton()(fit, allowed, n, run), Newton.name, n, C, allowed)


def concluded(
    solution: Solution,
    solver: str,
    n: int,
    C: float,
    allowed: float | None,
    *,
    names: Sequence[str] | None = None,
    hint: str = "",
    trial: bool = False,
    details: Mapping[str, Any] = MappingProxyType({}),
) -> Solution:
    """What every training ends with: the solution, with the name of the solver, the number of examples and C in its
    ``details``, and unless it was a ``trial`` a ConvergenceWarning where it stopped before it was done.

    ``allowed`` is the gap that ``tol`` allows, None for a solver that has no gap; ``hint`` ends the warning.
    """
    solution = replace(solution, details={**solution.details, "solver": solver, "n": n, "C": C, **details})
    if not trial and solution.status in _STOPPED:
        warn_caller(_why_stopped(solution, allowed, names) + hint, ConvergenceWarning)
    sampled, primal = solution.details.get("sampled_objective"), solution.primal
    if not trial and sampled is not None and primal is not None and abs(primal - sampled) > _TRUSTED * primal:
        warn_caller(
            f"The objective is {primal:.6g}, and sampled cuts put the optimum at {sampled:.6g}: the samples are too "
            "small for the weights to be trusted. Raise sample.",
            ConvergenceWarning,
        )
    return solution


def _checked(solver: Solver, oracle: Oracle, C: float, run: Run, start: Solution | None) -> tuple[Solution, int]:
    """The solution, and the number of questions that were asked to see whether it can be trusted."""
    checks = oracle.try_out()
    begin = time.perf_counter()
    solution: Solution = check_order(oracle, solver(oracle, C, run, start))
    if oracle.exact and solution.primal is not None and solution.status is not Status.INTERRUPTED:
        checks += oracle.try_result(solution.w, solution.slack, time.perf_counter() - begin)
    return solution, checks


def _say_if_zero_is_as_good(solution: Solution, oracle: Oracle, C: float, remedy: str) -> None:
    """Warns where ``w = 0`` has the same objective, to a thousandth. That is looked at only where ``1/2 |w|^2`` is at
    most the gap, since the optimum can be at 0 only there: it costs a pass over the examples."""
    if solution.status is not Status.CONVERGED or not solution.primal or solution.gap is None:
        return
    if 0.5 * oracle.space.square(solution.w) > solution.gap:
        return
    at_zero = evaluate(oracle, C, oracle.space.zero()).objective
    if at_zero is not None and solution.primal >= (1.0 - _AS_GOOD) * at_zero:
        warn_caller(
            "The weights found bound the loss no better than weights of 0 do, with which all outputs score the same "
            f"(objectives {solution.primal:.6g} and {at_zero:.6g}), so that predictions may be worth little. Raise "
            f"C; if that does not help, {remedy}.",
            UserWarning,
        )


def _without_proof(solution: Solution) -> Solution:
    """A search may give up on the way, after a solver has looked; then nothing is claimed that is not known."""
    status = Status.INEXACT if solution.status is Status.CONVERGED else solution.status
    return replace(solution, primal=None, dual=None, slack=None, status=status)


_AS_GOOD = 1e-3  # of the objective: what weights have to gain over 0
_STOPPED = (*LIMITS, Status.INTERRUPTED, Status.CALLBACK, Status.INFEASIBLE)


def _why_stopped(solution: Solution, allowed: float | None, names: Sequence[str] | None) -> str:
    text = solution.status.message
    if solution.certificate is not None:
        examples = solution.certificate.examples
        first = [str(i) if names is None else names[i] for i in examples[:5]]
        named = ", ".join(first) + (f" and {len(examples) - 5} more" if len(examples) > 5 else "")
        return f"{text} They are those of {'example ' if names is None else ''}{named}; use slack='linear'."
    if solution.status in (Status.CALLBACK, Status.INTERRUPTED):
        return text if solution.gap is None else f"{text} The gap is {solution.gap:.4g}."
    if allowed is None:
        return f"{text} Not all passes were made; raise the limit or ask for fewer passes."
    gap = "not known" if solution.gap is None else f"{solution.gap:.4g}, and tol allows {allowed:.4g}"
    return f"{text} The gap is {gap}; raise the limit or loosen tol."

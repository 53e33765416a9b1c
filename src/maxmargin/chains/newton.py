"""The likelihood of label sequences that have few weights, by second derivatives of all tokens or of a sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

import numpy as np
import numpy.typing as npt

from maxmargin.chains.curvature import ChainCurvature
from maxmargin.chains.likelihood import ChainLikelihood
from maxmargin.rows.likelihood_newton import LikelihoodNewton, Solve
from maxmargin.solvers.base import Record, Run, Solution, Status
from maxmargin.solvers.lbfgs import LBFGS
from maxmargin.solvers.likelihood import Objective
from maxmargin.solvers.newton import Newton

Floats = npt.NDArray[np.float64]

_PER_WEIGHT, _SHARE = 20.0, 0.1  # tokens of a sample: so many for each weight, and at least this share of all
_WHOLE = 0.5  # share of the tokens from which on a sample saves nothing
_ROUGH = 1000.0  # times the tolerance, for a sample: it then converges quadratically, and the rest differs more
_STEPS = 6.0  # of Newton's method, as a rule
_SAVED = 30.0  # passes that it saves other solvers, as a rule
_MEMORY = 20  # pairs that L-BFGS keeps
_TOKEN = 400.0  # additions: what a token costs whatever it has
_CUBE = 24.0  # a third of the arithmetic of a factorisation, which is some eight times faster than that of a pass


def few_weights(problem: ChainLikelihood, objective: Objective) -> bool:
    """Whether Newton's method is likely to be the fastest."""
    if not problem.plain or objective.l1 or not objective.l2 > 0.0 or problem.chain.n_labels < 2:
        return False
    curvature, tokens = ChainCurvature(problem), problem.tokens.tokens
    steps = _STEPS * (_sampled(curvature) * (curvature.work / tokens + _TOKEN) + curvature.order**3 / _CUBE)
    return steps <= _SAVED * (problem.work + _TOKEN * tokens)


def newton_solution(problem: ChainLikelihood, objective: Objective, run: Run, start: Floats | None) -> Solution:
    """Newton's method on all tokens where they are few. Else on a sample, whose optimum and second derivatives there
    L-BFGS then starts with: they are so much like those of all tokens that it needs few passes.

    Iterations, which the callback sees and ``n_iter`` counts, are passes over all tokens; ``oracle_calls`` counts the
    sample as well.
    """
    begin, curvature = perf_counter(), ChainCurvature(problem)
    late = lambda: run.max_time is not None and perf_counter() - begin >= run.max_time  # noqa: E731
    size = _sampled(curvature)
    if size < problem.tokens.tokens:
        problem.solve, first = _of_sample(problem.sample(size), objective, run, start, late)
        if first.status is Status.INTERRUPTED:
            return replace(first, primal=None, dual=None, n_iter=0, trace=())
        first = replace(first, n_iter=0, trace=())
    else:
        at = LikelihoodNewton(curvature, objective.C, start, late, objective.l2)
        found = Newton()(at, objective.allowed, problem.n, run)
        first = replace(found, w=curvature.native(found.w))
        if first.status is not Status.STALLED:
            return first
    rest = _rest_of(run, first, perf_counter() - begin)
    solution = LBFGS(_MEMORY)(problem, objective.C, 0.0, objective.l2, rest, first.w)
    return replace(
        solution,
        n_iter=first.n_iter + solution.n_iter,
        oracle_calls=first.oracle_calls + solution.oracle_calls,
        trace=first.trace + tuple(_moved(record, first) for record in solution.trace),
    )


def _rest_of(run: Run, first: Solution, seconds: float) -> Run:
    """The run after a first part of it, whose callback counts on."""
    tell = run.callback
    return replace(
        run,
        max_iter=None if run.max_iter is None else max(1, run.max_iter - first.n_iter),
        max_time=None if run.max_time is None else max(1e-3, run.max_time - seconds),
        callback=None if tell is None else lambda record: tell(_moved(record, first)),
    )


def _moved(record: Record, first: Solution) -> Record:
    calls = record.oracle_calls + first.oracle_calls
    return replace(record, iteration=record.iteration + first.n_iter, oracle_calls=calls)


def _of_sample(
    sample: ChainLikelihood, objective: Objective, run: Run, start: Floats | None, late: Callable[[], bool]
) -> tuple[Solve | None, Solution]:
    """What solves with the second derivatives at the start or, where there is none, at the optimum of the sample, and
    the solution there; its numbers are those of the sample."""
    curvature, rough = ChainCurvature(sample), replace(run, callback=None, verbose=0)
    at = LikelihoodNewton(curvature, objective.C, start, late, objective.l2)
    own = Objective(sample, objective.C, 0.0, objective.l2, np.inf if start is not None else _ROUGH * objective.tol)
    found = Newton()(at, own.allowed, sample.n, rough)
    return at.inverse(), replace(found, w=curvature.native(found.w))


def _sampled(curvature: ChainCurvature) -> float:
    """Tokens of a sample, or all where that would be no saving."""
    tokens = float(curvature.problem.tokens.tokens)
    size = max(_PER_WEIGHT * curvature.order, _SHARE * tokens)
    return size if size < _WHOLE * tokens else tokens

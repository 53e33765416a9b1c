"""Training on a sample first, where the examples are many for the number of weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maxmargin.rows.class_likelihood import ClassLikelihood
from maxmargin.rows.likelihood_newton import LikelihoodNewton, Solve
from maxmargin.rows.sampled_likelihood import by_columns
from maxmargin.solvers.base import Run
from maxmargin.solvers.newton import Newton

Floats = npt.NDArray[np.float64]

_PER_WEIGHT = 100  # rows of a sample; with 20 or 50, rare columns and rare classes cost passes over all rows
_SAVED = 4  # times as many rows, from which on a sample pays
_PIECES = 64  # that are evenly spread: rows often lie in the order of their classes
_ROUGH = 10.0  # times the gap that is wanted


@dataclass(frozen=True, eq=False)
class SampledStart:
    """Native weights that the sample would have, and a solver with the second derivatives there, for L-BFGS."""

    w: Floats
    inverse: Solve | None


def sampled_start(problem: ClassLikelihood, C: float, run: Run, late: Callable[[], bool]) -> SampledStart | None:
    """Trains on a sample of the examples, roughly; None where they are too few for that to pay."""
    size = _PER_WEIGHT * problem.n_classes * problem.columns
    sample = problem.sampled(size, _PIECES) if problem.n >= _SAVED * size else None
    if sample is None:
        return None
    at = LikelihoodNewton(sample, C, problem.start, late)
    quiet = Run(max_iter=run.max_iter, max_time=run.max_time)
    found = Newton()(at, _ROUGH * run.tol * C * problem.total_weight, sample.size, quiet)
    solve = at.inverse()
    w = problem.native(np.ascontiguousarray(found.w.T).ravel())
    return SampledStart(w, None if solve is None else by_columns(solve, problem.n_classes))

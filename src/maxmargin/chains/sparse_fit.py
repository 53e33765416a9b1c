"""Conditional likelihood with a sparse greedy kernel: coordinates are chosen, then all of them optimised together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.chains.data import ChainData
from maxmargin.chains.likelihood import ChainLikelihood
from maxmargin.chains.sparse_likelihood import CoordinateLikelihood, ScoredTokens
from maxmargin.chains.sparse_selection import Selection, SupportColumns
from maxmargin.fitting.likelihood_training import concluded_likelihood
from maxmargin.fitting.method_choice import Deadline
from maxmargin.rows.kernel_rows import KernelRows
from maxmargin.solvers.base import Run, Solution, Status
from maxmargin.solvers.lbfgs import LBFGS
from maxmargin.solvers.likelihood import Objective

Floats = npt.NDArray[np.float64]

COEFFICIENTS = "coefficients"  # of all training tokens, shape (n, labels), in the details of the solution
_CHOOSING = 0.5  # of max_time, that the choice of coordinates may take


def maximise_sparse_likelihood(
    estimator: Any, data: ChainData, base: ChainLikelihood, C: float, l2: float, run: Run
) -> Solution:
    """Minimises ``l2/2 (|f|^2 + |beside|^2) - C * sum_i s_i log p(y_i | x_i)`` over some coordinates of the kernel.

    ``w`` of the solution gives training tokens, which have one feature each, the scores of ``f``; its details have the
    coefficients.
    """
    kernel, asked = estimator.kernel_, estimator.rank
    assert isinstance(kernel, KernelRows)
    late = Deadline(run.max_time)
    problem, start, cut_off = _chosen(data, base, kernel, asked, C, l2, run)
    objective = Objective(problem, C, 0.0, l2, run.tol)
    solver = LBFGS()
    solution = solver(problem, C, 0.0, l2, late.cut(run), start)
    coefficients = np.zeros((kernel.width, base.chain.n_labels))
    coefficients[problem.rows] = problem.coefficients(solution.w)
    if cut_off and solution.status is Status.CONVERGED:
        solution = replace(solution, status=Status.MAX_TIME)
    hint = f" The choice of coordinates, which has half of the time, ended with {problem.count:,}." if cut_off else ""
    solution = concluded_likelihood(solution, solver.name, objective, trial=run.rough, hint=hint)
    native = problem.tokens.native(problem.scores(solution.w), problem.beside(solution.w))
    return replace(solution, w=native, details={**solution.details, COEFFICIENTS: coefficients})


def _chosen(
    data: ChainData, base: ChainLikelihood, kernel: KernelRows, asked: Any, C: float, l2: float, run: Run
) -> tuple[CoordinateLikelihood, Floats, bool]:
    """The likelihood over the coordinates chosen, the weights that the choice has left, and whether the limit of time
    cut it off."""
    tokens, cache = data.given.tokens, kernel.cache
    owner = tokens.indices.astype(np.intp)  # the number of each token among all
    scored = ScoredTokens(base, np.sqrt(np.maximum(cache.diagonal, 0.0)))
    labels = np.full(cache.n, -1, dtype=np.int32)
    labels[owner] = data.codes
    weight = np.zeros(cache.n)
    weight[owner] = data.token_weight
    counts = np.ones(len(tokens), dtype=bool) if data.weight is None else data.weight > 0.0
    sequences = [part for part, used in zip(np.split(owner, tokens.offsets[1:-1]), counts) if used]
    candidates = np.sort(np.concatenate(sequences))
    selection = Selection(scored, cache, labels, weight, sequences, C, l2)
    columns: Any
    cut_off = False
    if asked.takes_all:
        rows, columns = candidates, _all_columns(kernel, candidates)
        selection.chosen[rows] = True
    else:
        most = min(candidates.size, max(1, round(asked.share * candidates.size * base.chain.n_labels)))
        support = SupportColumns(cache.n, most, kernel.kernel.cache, cache.dtype == np.float32)
        half = Deadline(None if run.max_time is None else _CHOOSING * run.max_time)
        cut_off = selection.run(asked, support, run, half)
        rows, columns = support.rows, support.values
    problem = CoordinateLikelihood(scored, rows, columns, selection.chosen, None)
    return problem, problem.weights(selection.coefficients[rows], selection.beside), cut_off


def _all_columns(kernel: KernelRows, rows: npt.NDArray[np.intp]) -> Floats:
    wanted = 8 * rows.size * kernel.width
    if wanted > kernel.kernel.cache:
        raise ValueError(
            f"All coordinates of {rows.size} tokens need {wanted:,} bytes, and cache allows {kernel.kernel.cache:,}: "
            f"give Kernel(..., cache={wanted}), or a smaller share of SparseGreedy."
        )
    return kernel.kernel.block(kernel.X[rows], kernel.kernel.reference(kernel.X, np.arange(kernel.width)))

"""The training of conditional likelihood on label sequences, for all chain estimators that do it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.chains.data import ChainData
from maxmargin.chains.likelihood import ChainLikelihood
from maxmargin.chains.newton import few_weights, newton_solution
from maxmargin.chains.scale import TokenScale
from maxmargin.chains.sequences.partial import PartialLabels
from maxmargin.chains.sparse_fit import maximise_sparse_likelihood
from maxmargin.chains.sparse_greedy import SparseGreedy
from maxmargin.chains.start import Distributions, EarlierChain
from maxmargin.core.problem import Unsupported
from maxmargin.fitting.likelihood_training import train_likelihood
from maxmargin.fitting.training import job_count, run_of
from maxmargin.solvers.base import Run, Solution
from maxmargin.solvers.certify import check_product
from maxmargin.solvers.likelihood import Objective

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Penalties:
    """What ``ChainCRF`` can ask for; see there."""

    l1: float = 0.0
    l2: float = 1.0
    observed: bool = False
    label_offset: Floats | None = None


PLAIN = Penalties()


def likelihood_run(estimator: Any, scale: TokenScale) -> Run:
    """The limits and observers that an estimator's parameters ask for; the tolerance is that of the likelihood."""
    run = run_of(estimator, slack="linear")
    return replace(run, tol=scale.likelihood_tol if isinstance(estimator.tol, str) else run.tol, relative=0.0)


def maximise_chain_likelihood(
    estimator: Any,
    data: ChainData,
    C: float,
    run: Run,
    earlier: EarlierChain | None = None,
    penalties: Penalties = PLAIN,
) -> Solution:
    """Minimises ``l2/2 |w|^2 + l1 |w|_1 - C * sum_i s_i log p(y_i | x_i)``, and warns where that did not converge.

    With ``warm_start`` the estimator keeps the dual variables. A ``rough`` run is a trial: it neither warns nor leaves
    anything behind.
    """
    if isinstance(estimator.rank, SparseGreedy):
        _check_sparse(data, penalties)
    lengths, classes = data.given.tokens.lengths, estimator.classes_.tolist()
    kept = None if earlier is None else earlier.distributions
    problem = _likelihood(estimator, data, penalties, None if kept is None else kept.start(lengths, classes))
    check_product(C, problem.total_weight, problem.n, problem.steepness)
    if isinstance(estimator.rank, SparseGreedy):
        return maximise_sparse_likelihood(estimator, data, problem, C, penalties.l2, run)
    objective = Objective(problem, C, penalties.l1, penalties.l2, run.tol)
    start = None if earlier is None else earlier.weights(estimator, data.columns)
    newton = partial(newton_solution, problem, objective, run, start) if few_weights(problem, objective) else None
    solution = train_likelihood(estimator.solver, problem, objective, run, start, newton)
    if estimator.warm_start and not run.rough:
        estimator._distributions = Distributions.of(problem, lengths, classes)
    return solution


def _check_sparse(data: ChainData, penalties: Penalties) -> None:
    """Raises for what a kernel with few coordinates cannot be trained with."""
    if isinstance(data.labels, PartialLabels):
        raise Unsupported("SparseGreedy learns from tokens whose labels are known; leave it out where some are not.")
    if penalties.observed:
        raise Unsupported("observed=True is about single features, and coordinates of a kernel are none; leave it out.")


def _likelihood(estimator: Any, data: ChainData, penalties: Penalties, distributions: Any) -> ChainLikelihood:
    partial = data.labels if isinstance(data.labels, PartialLabels) else None
    if penalties.observed and partial is not None:
        raise ValueError("observed=True needs the label of every token; leave it out where labels are not known.")
    if penalties.label_offset is not None and penalties.label_offset.ndim == 2 and partial is not None:
        raise Unsupported("margin needs the true label of every token; leave it out where labels are not known.")
    return ChainLikelihood(
        data.chain,
        data.given,
        data.codes,
        data.weight,
        job_count(estimator.n_jobs),
        penalties.observed,
        label_offset=penalties.label_offset,
        allowed=None if partial is None else partial.allowed,
        distributions=distributions,
    )

"""Where training begins on sequences whose labels are known in part."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.sequences.partial import PartialLabels
from maxmargin.core.formulation import Formulation
from maxmargin.fitting.training import job_count, tolerance
from maxmargin.oracles.bind import bind
from maxmargin.solvers.automatic import Automatic
from maxmargin.solvers.base import Run
from maxmargin.solvers.choose import bound_formulation, choose_solver

Floats = npt.NDArray[np.float64]


def first_completion(
    estimator: Any, chain: Chain, X: ChainInput, labels: PartialLabels, C: float, weight: Floats | None
) -> PartialLabels:
    """The best completion at weights that are trained on what is known: each run of known tokens as a sequence.

    Where no token has one label only, a completion drawn at random from the labels that are allowed.
    """
    formulation = Formulation("none" if estimator.loss == "zero-one" else estimator.rescaling, estimator.slack)
    solver = choose_solver(estimator.solver, formulation)
    chain.bind(X, labels, bound_formulation(solver, formulation))  # refuses what cannot be trained in the end
    tol, relative = tolerance(estimator.tol, estimator.slack)
    run = Run(tol, estimator.max_iter, estimator.max_time, estimator.random_state, relative=relative)
    threads = job_count(estimator.n_jobs)
    known = np.flatnonzero(labels.known)
    if not known.size:
        rng = check_random_state(estimator.random_state)
        codes = np.argmax(labels.allowed * rng.random_sample(labels.allowed.shape), axis=1)
        return replace(labels, codes=codes.astype(np.int32))
    runs, owner = known_runs(X, known)
    pieces = ChainInput(X.tokens.regrouped(known, runs), None if X.pairs is None else X.pairs.regrouped(known, runs))
    inner = replace(chain, ends=False)  # a run is cut anywhere, so that its ends tell nothing of those of sequences
    oracle = bind(
        inner,
        pieces,
        labels.codes[known],
        Formulation(),
        sample_weight=None if weight is None else np.ascontiguousarray(weight[owner]),
        n_jobs=threads,
    )
    w = Automatic()(oracle, C, run).w
    codes, _, _ = chain.core(X).decode(w, 1, labels.allowed, None, threads)
    return replace(labels, codes=codes)


def known_runs(X: ChainInput, known: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
    """The offsets of the runs of consecutive known tokens among those tokens, and the sequence of each run."""
    owner = np.searchsorted(X.tokens.offsets, known, side="right") - 1
    begins = np.flatnonzero(np.concatenate([[True], (np.diff(known) > 1) | (np.diff(owner) > 0)]))
    return np.append(begins, known.size).astype(np.int64), owner[begins]

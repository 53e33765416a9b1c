"""Conditional random fields for label sequences."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.chains.base import ChainEstimator
from maxmargin.chains.class_weights import read_class_weight
from maxmargin.chains.data import ChainData
from maxmargin.chains.likelihood_fit import Penalties, likelihood_run, maximise_chain_likelihood
from maxmargin.chains.scale import chosen_chain_c
from maxmargin.chains.start import EarlierChain
from maxmargin.fitting.saved import saved
from maxmargin.fitting.training import all_or_nothing, check_settings, job_count
from maxmargin.solvers.base import Record

Floats = npt.NDArray[np.float64]


@saved
class ChainCRF(ChainEstimator):
    """Linear-chain conditional random field: ``p(y | x) = exp F(x, y; w) / sum_y' exp F(x, y'; w)``.

    Minimises ``l2/2 |w|^2 + l1 |w|_1 - C * sum_i s_i log p(y_i | x_i)``. With ``C = 1``, ``l2 = 2 * c2``, ``l1 = c1``
    this is the objective of CRFsuite (with ``ends=False``, ``fit_intercept=False``, ``observed=True``).

    Parameters
    ----------
    C : weight of the negative log-likelihood; ``'scale'`` brings features to a common size before training
        (``ChainColumns``) and is ``max(5, 40 * sqrt(d / T), 100 * k / T)`` over the mean squared length of a token's
        features then, with d features and k labels that occur in T tokens
    l1, l2 : penalties; ``l1 > 0`` sets weights to exactly zero
    observed : only weights of features and label tuples that occur together in training may differ from zero
    order, eta, ends, window, templates, min_count, hashing : as in ChainSVC
    class_weight : dict of label to positive weight, or ``'balanced'`` as in ChainSVC; a label of weight m is predicted
        as if it were m times as frequent: training maximises the likelihood of ``exp F(x, y) / prod_t m[y_t]``, so that
        ``exp F`` itself, by which labels are predicted, multiplies the probability of a labelling by the weights of its
        labels
    solver : ``'dual'`` (dual ascent, one sequence at a time), ``'lbfgs'`` (with orthants where there is an L1 penalty),
        or ``'auto'``: starts with dual ascent where it can be used (l1 = 0, l2 > 0, order 1) and changes to lbfgs,
        from the weights found so far, where the gap falls too slowly, as with few or long sequences; few weights have
        second derivatives, of all tokens or of a sample
    fit_intercept : as in ChainSVC
    tol : training stops when the objective is known to within ``tol`` times ``C * sum(s)`` or times itself, whichever
        is larger; ``'auto'`` is 6e-3, or less where fewer than 150,000 tokens have another label than the most
        frequent one
    max_iter, max_time : as in StructuralSVM
    n_jobs : threads for lbfgs and prediction; -1 is all cores
    warm_start : whether ``fit`` starts from the weights of the fit before; labels and attributes are recognised by
        name, columns of numbers by their place
    random_state, callback, verbose : as in StructuralSVM

    Attributes
    ----------
    C_, solution_ : of the problem that was solved; with ``C='scale'`` it is that in the features of common size
    decode_ : how ``predict`` finds labels: ``'marginal'`` where the most probable label of each token is clearly wrong
        less often on training tokens than the best labelling; else, or with ``class_weight``, ``'viterbi'``
    classes_, coef_, n_iter_, n_features_in_, chain_
    """

    def __init__(
        self,
        C: float | str = "scale",
        *,
        l1: float = 0.0,
        l2: float = 1.0,
        observed: bool = False,
        order: int = 1,
        eta: float = 1.0,
        ends: bool = True,
        window: int = 0,
        templates: Any = None,
        min_count: int = 1,
        hashing: int | None = None,
        class_weight: Any = None,
        solver: Any = "auto",
        fit_intercept: bool = True,
        tol: float | str = "auto",
        max_iter: int | None = 1000,
        max_time: float | None = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        random_state: Any = 0,
        callback: Callable[[Record], Any] | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.l1 = l1
        self.l2 = l2
        self.observed = observed
        self.order = order
        self.eta = eta
        self.ends = ends
        self.window = window
        self.templates = templates
        self.min_count = min_count
        self.hashing = hashing
        self.class_weight = class_weight
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    def fit(self, X: Any, y: Any, *, lengths: Any = None, sample_weight: Any = None) -> ChainCRF:
        """Learns from sequences and the labels of their tokens, in any form that ``ChainSVC.fit`` takes.

        A token may have None, where nothing is known of its label, or a set of the labels that it may have. Training
        then maximises the probability of what is known, the sum over the labellings that are allowed. That is not
        convex: the answer is a local optimum (status ``LOCAL``), found by L-BFGS from zero, and has no gap.
        """
        check_settings(self, 1.0 if isinstance(self.C, str) else self.C, "linear")
        for name in ("l1", "l2"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 <= float(value) < np.inf:
                raise ValueError(f"{name} must be a number of at least 0, not {value!r}.")
        with all_or_nothing(self):
            earlier = EarlierChain.of(self)
            data = ChainData.read(self, X, y, lengths, sample_weight)
            self.C_ = chosen_chain_c(self.C, data.scale.likelihood_c)
            self.solution_ = maximise_chain_likelihood(
                self,
                data,
                self.C_,
                likelihood_run(self, data.scale),
                earlier,
                Penalties(float(self.l1), float(self.l2), self.observed, self._class_weights(data.counts)),
            )
            plain = self.class_weight is None
            self.decode_ = data.best_decoding(self.solution_.w, job_count(self.n_jobs)) if plain else "viterbi"
            self.weights_ = data.columns.restore(self.chain_, self.solution_.w)
            self.n_iter_ = self.solution_.n_iter
            self.temperature_ = 1.0
        return self

    def _class_weights(self, counts: Floats) -> Floats | None:
        given = self.class_weight
        return None if given is None else read_class_weight(given, self.classes_, counts, zero=False)

"""Conditional random fields for label sequences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.chains.base import CHAIN, ChainEstimator
from maxmargin.chains.class_weights import read_class_weight
from maxmargin.chains.data import ChainData
from maxmargin.chains.decoding import DecodingChoice
from maxmargin.chains.kernel_tokens import with_emissions
from maxmargin.chains.likelihood_fit import Penalties, likelihood_run, maximise_chain_likelihood
from maxmargin.chains.sparse_fit import COEFFICIENTS
from maxmargin.chains.sparse_greedy import SparseGreedy
from maxmargin.chains.start import EarlierChain
from maxmargin.fitting.estimator import saved
from maxmargin.fitting.kernels import KERNEL
from maxmargin.fitting.method_choice import Deadline
from maxmargin.fitting.parameters import ANYTHING, LIKELIHOOD, NOT_NEGATIVE, TRAINING, Allowed, Kind
from maxmargin.fitting.regularisation import resolved_c
from maxmargin.fitting.training import job_count
from maxmargin.oracles.search import Unsupported
from maxmargin.rows.costs import in_order
from maxmargin.solvers.base import Record

Floats = npt.NDArray[np.float64]


@saved
@dataclass(eq=False, repr=False)
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
    cost : ``cost[i, j]``, what a token labelled ``classes_[j]`` costs where ``classes_[i]`` is true; None is 1 for all.
        ``predict`` then gives each token the label of least expected cost
    margin : how much more than likely the truth is to be: training maximises the likelihood of
        ``exp(F(x, y) + margin * cost(y_i, y))`` at the truth, so that labellings that cost more are pushed further
        down (softmax margin); scores are then no longer those of the most likely model
    order, eta, ends, window, templates, min_count, hashing, kernel, rank : as in ChainSVC; a kernel has no ``l1``. A
        ``SparseGreedy`` as ``rank`` gives few tokens coefficients, each for few labels, and is trained by L-BFGS
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
        less often than the best labelling on training tokens or, if these are few, on held-out folds; else, or with
        ``class_weight``, ``'viterbi'``; with ``cost`` ``'marginal'``
    support_ : with a kernel the training tokens that scores are made of and their coefficients, a list of
        ``SupportToken``; None where reference tokens are no training tokens (``'k-means'``, ``'fourier'``)
    classes_, coef_, kernel_, n_iter_, n_features_in_, chain_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {
        **TRAINING,
        **LIKELIHOOD,
        **CHAIN,
        **KERNEL,
        "rank": (*KERNEL["rank"], Kind("a SparseGreedy", lambda value: isinstance(value, SparseGreedy))),
        "l1": (NOT_NEGATIVE,),
        "l2": (NOT_NEGATIVE,),
        "observed": (bool,),
        "class_weight": ANYTHING,
        "cost": ANYTHING,
        "margin": (NOT_NEGATIVE,),
    }

    C: float | str = "scale"
    _: KW_ONLY
    l1: float = 0.0
    l2: float = 1.0
    observed: bool = False
    cost: Any = None
    margin: float = 0.0
    order: int = 1
    eta: float = 1.0
    ends: bool = True
    window: int = 0
    templates: Any = None
    min_count: int = 1
    hashing: int | None = None
    kernel: Any = "linear"
    rank: Any = None
    class_weight: Any = None
    solver: Any = "auto"
    fit_intercept: bool = True
    tol: float | str = "auto"
    max_iter: int | None = 1000
    max_time: float | None = None
    n_jobs: int | None = None
    warm_start: bool = False
    random_state: Any = 0
    callback: Callable[[Record], Any] | None = None
    verbose: int = 0

    def fit(self, X: Any, y: Any, *, lengths: Any = None, sample_weight: Any = None) -> ChainCRF:
        """Learns from sequences and the labels of their tokens, in any form that ``ChainSVC.fit`` takes.

        A token may have None, where nothing is known of its label, or a set of the labels that it may have. Training
        then maximises the probability of what is known, the sum over the labellings that are allowed. That is not
        convex: the answer is a local optimum (status ``LOCAL``), found by L-BFGS from zero, and has no gap.
        """
        with self._fitting():
            if self.l1 and not self._is_explicit:
                raise Unsupported("l1 picks single features, and those of a kernel have no meaning; use l1=0.")
            earlier = EarlierChain.of(self)
            data = ChainData.read(self, X, y, lengths, sample_weight, lambda _: in_order(self.cost, self.classes_))
            run, late = likelihood_run(self, data.scale), Deadline(self.max_time)
            penalties = Penalties(float(self.l1), float(self.l2), self.observed, self._label_offset(data.counts))
            C = resolved_c(self.C, lambda: data.scale.likelihood_c)
            train = partial(maximise_chain_likelihood, self, C=C, penalties=penalties)
            self._keep(train(data=data, run=run, earlier=earlier))
            choice = DecodingChoice(
                data, lambda part, run: train(data=part, run=run), run, late, job_count(self.n_jobs)
            )
            self.decode_ = self._decoding(choice)
            self._conclude(data.columns.restore(self.chain_, self._coefficients()))
            self.temperature_ = 1.0
        return self

    def _decoding(self, choice: DecodingChoice) -> str:
        if self.cost is not None:
            return "marginal"
        return choice.best(self.solution_) if self.class_weight is None else "viterbi"

    def _coefficients(self) -> Floats:
        """The weights found; with a sparse kernel those of tokens are their coefficients."""
        w: Floats = self.solution_.w
        if not isinstance(self.rank, SparseGreedy):
            return w
        found = self.solution_.details.pop(COEFFICIENTS)
        return with_emissions(self.chain_, w, found)[1]

    def _label_offset(self, counts: Floats) -> Floats | None:
        """What is added to the scores of labels in training only; see ``ChainLikelihood``."""
        given = self.class_weight
        weights = None if given is None else -np.log(read_class_weight(given, self.classes_, counts, zero=False))
        if not self.margin:
            return weights
        costs = float(self.margin) * self.chain_.costs
        return costs if weights is None else costs + weights

"""Conditional random fields of alignments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from maxmargin.alignments.base import GRID, AlignmentEstimator
from maxmargin.alignments.likelihood import alignment_likelihood
from maxmargin.alignments.packed import read_alignments
from maxmargin.core.problem import as_examples
from maxmargin.fitting.estimator import saved
from maxmargin.fitting.likelihood_training import train_sum_likelihood
from maxmargin.fitting.parameters import NOT_NEGATIVE, SOLVER, TRAINING, Allowed
from maxmargin.fitting.training import job_count
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.solvers.base import Record


@saved
@dataclass(eq=False, repr=False)
class AlignmentCRF(AlignmentEstimator):
    """Pair CRF: ``p(y | x) = exp F(x, y; w) / sum_y' exp F(x, y'; w)`` over all alignments of a pair of sequences.

    ``F(x, y; w)`` is the score of an alignment, as in AlignmentSVM. Minimises
    ``l2/2 |w|^2 + l1 |w|_1 - C * sum_i s_i log p(y_i | x_i)``.

    Parameters
    ----------
    C : weight of the negative log-likelihood; ``'scale'`` is ``max(1.5, 12 * sqrt(d / T))`` over the mean squared
        length of the features of a true pair, with d weights and T true pairs
    l1, l2 : penalties; ``l1 > 0`` sets weights to exactly zero
    features, alphabet, mode, free_ends, band : as in AlignmentSVM
    solver : ``'sgd'``, a stochastic step per example; ``'lbfgs'`` (with orthants where there is an L1 penalty); or
        ``'auto'``, which is the first and then the second where there are 300 examples or more, else the second
    tol : training stops when the objective is known to within ``tol`` times ``C * sum(s)`` or times itself, whichever
        is larger; ``'auto'`` is 1e-3
    max_iter, max_time : as in StructuralSVM
    n_jobs : threads for training and prediction; -1 is all cores
    warm_start : whether ``fit`` starts from the weights of the fit before
    random_state, callback, verbose : as in StructuralSVM

    Attributes
    ----------
    coef_ : weights, by the numbers that ``layout_`` gives them
    layout_ : features, alphabets, and which weight belongs to what
    C_, solution_, n_iter_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {
        **TRAINING,
        **GRID,
        "solver": ("auto", "lbfgs", "sgd", SOLVER),
        "l1": (NOT_NEGATIVE,),
        "l2": (NOT_NEGATIVE,),
    }
    probabilistic: ClassVar[bool] = True

    C: float | str = "scale"
    _: KW_ONLY
    l1: float = 0.0
    l2: float = 1.0
    features: Any = None
    alphabet: Any = None
    mode: str = "global"
    free_ends: Any = "both"
    band: int | None = None
    solver: Any = "auto"
    tol: float | str = "auto"
    max_iter: int | None = 1000
    max_time: float | None = None
    n_jobs: int | None = None
    warm_start: bool = False
    random_state: Any = 0
    callback: Callable[[Record], Any] | None = None
    verbose: int = 0

    def fit(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> AlignmentCRF:
        """Learns from pairs of sequences ``X`` and their alignments ``y``, two lists of one length."""
        with self._fitting():
            X, y = as_examples(X, y)
            weight = check_sample_weight(sample_weight, len(y))
            packed = self._pack_training(X)
            targets = packed.targets(read_alignments(packed.given, y))
            problem = alignment_likelihood(packed, targets, weight, job_count(self.n_jobs))
            before = getattr(self, "coef_", None) if self.warm_start else None
            self._keep(train_sum_likelihood(self, problem, before))
            self.coef_, self.layout_ = self.solution_.w, packed.layout
            self.temperature_ = 1.0
        return self

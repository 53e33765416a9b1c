"""Structural support vector machines for label sequences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.chains.base import CHAIN
from maxmargin.chains.calibration import CalibratedChain
from maxmargin.chains.class_weights import read_class_weight
from maxmargin.chains.data import ChainData
from maxmargin.chains.start import EarlierChain
from maxmargin.chains.training import ChainTraining, why_margins
from maxmargin.fitting.estimator import saved
from maxmargin.fitting.kernels import KERNEL
from maxmargin.fitting.method_choice import Candidate, Deadline
from maxmargin.fitting.parameters import ANYTHING, MARGINS_OR_LIKELIHOOD, TRAINING, Allowed
from maxmargin.fitting.training import refuse_loss
from maxmargin.rows.costs import in_order
from maxmargin.solvers.base import Record

Floats = npt.NDArray[np.float64]


@saved
@dataclass(eq=False, repr=False)
class ChainSVC(CalibratedChain):
    """Large-margin label sequence learning (SVM-HMM).

    Minimises ``1/2 |w|^2 + C * sum_i s_i * risk_i`` over sequences i with ``F(x, y; w)`` as in ``Chain``; for margin
    rescaling and linear slack ``risk_i = max_y loss(y_i, y) - F(x_i, y_i) + F(x_i, y)``.

    Parameters
    ----------
    C : weight of the sum of the risks of sequences; ``'scale'`` brings features to a common size before training
        (``ChainColumns``) and is 2 over the mean squared length of a token's features then, or for the likelihood what
        it is in ``ChainCRF``, a quarter of that or 4 times as much
    method : ``'structural'`` trains with margins, ``'likelihood'`` maximises the conditional likelihood as ``ChainCRF``
        does, and ``'auto'`` chooses: the likelihood where features do not outnumber tokens, and where margins err on
        more than 5 % of the training tokens that guessing the most frequent label would err on; else margins. A number
        for ``C``, ``loss``, ``cost``, ``class_weight``, ``rescaling``, ``slack``, a ``solver`` of margins and labels
        known in part ask for margins, and ``solver='dual'`` or ``'lbfgs'`` for the likelihood. With ``warm_start`` the
        method stays
    loss : ``'hamming'`` counts wrong tokens; ``'zero-one'`` is 1 for a sequence with any mistake
    cost : ``cost[i, j]``, the loss of a token labelled ``classes_[j]`` where ``classes_[i]`` is true; None is 1 for all
    order : previous labels that a transition looks at, 1 to 3
    eta : factor on the features of transitions
    ends : whether the first and the last label have weights of their own
    window : each token also gets the features of so many tokens before and after it
    templates, min_count, hashing : of the ``SequenceVectorizer`` for tokens that are text
    kernel, rank : as in MulticlassSVC, between tokens: of the features of a token, with those of its window. Weights of
        transitions, ends, pairs and the constant are explicit
    class_weight : dict of label to weight, or ``'balanced'``, ``tokens / (labels * tokens of the label)``; multiplies
        the loss of tokens whose true label it is
    rescaling, slack, solver : as in StructuralSVM
    fit_intercept : adds a constant feature to every token
    tol : as in StructuralSVM; a number is in units of the loss of a sequence, ``'auto'`` allows a gap of 0.35 times
        ``1/2 |w|^2``, or less where fewer than 150,000 tokens have another label than the most frequent one
    max_iter, max_time : as in StructuralSVM
    n_jobs : threads for one-slack training and prediction; -1 is all cores
    warm_start, random_state, callback, verbose : as in StructuralSVM

    Attributes
    ----------
    classes_ : labels, shape (n_labels,)
    coef_ : weights in the layout of ``Chain``, for the features as they are; with a kernel those of features are
        coefficients of the reference tokens of ``kernel_``
    method_ : ``'structural'`` or ``'likelihood'``, whichever was trained
    decode_ : how ``predict`` finds labels: ``'marginal'`` where a likelihood was trained and the most probable label of
        each token is clearly wrong less often than the best labelling on training tokens or, if these are few, on
        held-out folds; else ``'viterbi'``
    C_, solution_ : of the problem that was solved; with ``C='scale'`` it is that in the features of common size
    kernel_ : None, or the kernel with its reference tokens
    support_ : with a kernel the training tokens that scores are made of and their coefficients, a list of
        ``SupportToken``; None where reference tokens are no training tokens
    n_iter_, n_features_in_, chain_, temperature_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {
        **TRAINING,
        **MARGINS_OR_LIKELIHOOD,
        **CHAIN,
        **KERNEL,
        "loss": ("hamming", "zero-one"),
        "cost": ANYTHING,
        "class_weight": ANYTHING,
    }

    C: float | str = "scale"
    _: KW_ONLY
    method: str = "auto"
    loss: str = "hamming"
    cost: Any = None
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
    rescaling: str = "margin"
    slack: str = "linear"
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

    def fit(self, X: Any, y: Any, *, lengths: Any = None, sample_weight: Any = None) -> ChainSVC:
        """Learns from sequences and the label of every token.

        Parameters
        ----------
        X : a list of matrices, one per sequence; ``Sequences``; one matrix of all tokens with ``lengths``; or lists of
            tokens that are text, see ``SequenceVectorizer``
        y : a list of the labels of each sequence, or the labels of all tokens one after the other. A token may have
            None where nothing is known, or a set of the labels that it may have: then the loss counts labels that are
            not allowed, and training finds a local optimum (status LOCAL, see ``ConcaveConvex``)
        sample_weight : one weight for each sequence
        """
        with self._fitting():
            goes_on = self.warm_start and hasattr(self, "method_")
            earlier = EarlierChain.of(self) if goes_on and self.method_ == "likelihood" else None
            kept = self.__dict__.pop("_candidate", Candidate(self.method_, 1.0)) if goes_on else None
            data = ChainData.read(self, X, y, lengths, sample_weight, self._cost)
            training, late = ChainTraining(self, data, earlier, kept), Deadline(self.max_time)
            trained = training.run()
            self.method_, self._candidate = trained.candidate.method, trained.candidate
            self._keep(trained.solution)
            likely = self.method_ == "likelihood"
            self.decode_ = training.best_decoding(trained, late) if likely else "viterbi"
            self._conclude(data.columns.restore(self.chain_, self.solution_.w))
            self.temperature_, self.calibrated_ = 1.0, likely
        return self

    @property
    def _wants_rows(self) -> bool | None:
        """Margins are trained over rows; a likelihood needs features, and is the default as long as these fit."""
        margins = self.method == "structural" or why_margins(self) is not None or not isinstance(self.C, str)
        if self.method != "likelihood" and margins:
            return True
        return False if self.method == "auto" and self.solver == "auto" else None

    def _cost(self, counts: Floats) -> Any:
        if self.loss == "zero-one" and (self.cost is not None or self.class_weight is not None):
            raise ValueError("loss='zero-one' looks at whole sequences; leave cost and class_weight out.")
        has_costs = self.cost is not None or self.class_weight is not None
        refuse_loss(self.solver, "with costs" if has_costs else None)
        if self.class_weight is None:
            return in_order(self.cost, self.classes_)
        weight = read_class_weight(self.class_weight, self.classes_, counts, zero=True)
        cost = 1.0 - np.eye(weight.size) if self.cost is None else self._cost_matrix()
        return weight[:, None] * cost

    def _cost_matrix(self) -> npt.NDArray[np.float64]:
        return np.asarray(in_order(self.cost, self.classes_), dtype=np.float64)

    def _settings_for(self, classes: npt.NDArray[Any]) -> dict[str, Any]:
        labels = set(classes.tolist())
        kept = [label in labels for label in self.classes_.tolist()]
        weights = self.class_weight
        return {
            "method": self.method_,
            "cost": None if self.cost is None else self._cost_matrix()[np.ix_(kept, kept)],
            "class_weight": {y: weights[y] for y in weights if y in labels} if isinstance(weights, dict) else weights,
        }

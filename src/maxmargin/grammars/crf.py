"""Conditional random fields that parse sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from maxmargin.core.problem import as_examples
from maxmargin.fitting.estimator import saved
from maxmargin.fitting.likelihood_training import train_sum_likelihood
from maxmargin.fitting.parameters import ANYTHING, NOT_NEGATIVE, SOLVER, TRAINING, Allowed
from maxmargin.fitting.training import job_count
from maxmargin.grammars.base import GRAMMAR
from maxmargin.grammars.grammar import Grammar
from maxmargin.grammars.learned import LearnedGrammar
from maxmargin.grammars.likelihood import tree_likelihood
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.solvers.base import Record


@saved
@dataclass(eq=False, repr=False)
class GrammarCRF(LearnedGrammar):
    """Weighted grammar by conditional likelihood: ``p(y | x) = exp F(x, y; w) / sum_y' exp F(x, y'; w)``.

    ``F(x, y; w)`` is the sum of the weights of the rules of the tree y, and of their features. Minimises
    ``l2/2 |w|^2 + l1 |w|_1 - C * sum_i s_i log p(y_i | x_i)``, with sums over all trees (inside and outside).

    Parameters
    ----------
    C : weight of the negative log-likelihood; ``'scale'`` is ``max(1.5, 6 * sqrt(d / T))`` over the mean squared length
        of the features of a rule, with d weights and T rules in the true trees
    l1, l2 : penalties; ``l1 > 0`` sets weights to exactly zero
    features : of a rule with its span, as in GrammarSVM
    prior : ``'pcfg'`` gives a tree one more feature, the logarithm of its probability by the counts of rules
        (``PCFG``), with a weight of its own, so that rules too rare to learn their weights differ; None: no such one
    grammar : the grammar whose weights are learned; None is that of the trees, with the next five parameters
    horizontal, vertical, input, chains, rare : as in ``Grammar.from_treebank``
    beam : for prediction, as in GrammarSVM; training takes all trees
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
    grammar_, features_
    prior_ : the logarithms of the probabilities of the rules, or None
    coef_ : weights, those of the rules first, then that of the prior
    C_, solution_, n_iter_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {
        **TRAINING,
        **GRAMMAR,
        "solver": ("auto", "lbfgs", "sgd", SOLVER),
        "features": ANYTHING,
        "prior": (None, "pcfg"),
        "l1": (NOT_NEGATIVE,),
        "l2": (NOT_NEGATIVE,),
    }

    C: float | str = "scale"
    _: KW_ONLY
    l1: float = 0.0
    l2: float = 1.0
    features: Sequence[str] = ()
    prior: str | None = None
    grammar: Grammar | None = None
    horizontal: int | None = None
    vertical: int = 1
    input: str = "tags"
    chains: str | int = "seen"
    rare: int = 1
    beam: float | None = None
    solver: Any = "auto"
    tol: float | str = "auto"
    max_iter: int | None = 1000
    max_time: float | None = None
    n_jobs: int | None = None
    warm_start: bool = False
    random_state: Any = 0
    callback: Callable[[Record], Any] | None = None
    verbose: int = 0

    def fit(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> GrammarCRF:
        """Learns from sentences ``X`` and their trees ``y``, two sequences of one length."""
        with self._fitting():
            X, y = as_examples(X, y)
            weight = check_sample_weight(sample_weight, len(y))
            before = getattr(self, "coef_", None) if self.warm_start else None
            sentences, structure = self._structure(X, y, weight)
            size = structure.sentences.weight_count
            lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int32)
            problem = tree_likelihood(structure.targets(), size, lengths, weight, job_count(self.n_jobs))
            self._keep(train_sum_likelihood(self, problem, before))
            self.coef_, self.temperature_ = self.solution_.w, 1.0
        return self

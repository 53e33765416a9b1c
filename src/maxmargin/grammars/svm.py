"""Structural support vector machines that parse sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from maxmargin.core.formulation import Formulation
from maxmargin.core.problem import as_examples
from maxmargin.fitting.estimator import saved
from maxmargin.fitting.parameters import ANYTHING, MARGINS, TRAINING, Allowed
from maxmargin.fitting.training import train
from maxmargin.grammars.base import GRAMMAR
from maxmargin.grammars.grammar import Grammar
from maxmargin.grammars.learned import CalibratedGrammar
from maxmargin.grammars.loss import LOSSES
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.solvers.base import Record


@saved
@dataclass(eq=False, repr=False)
class GrammarSVM(CalibratedGrammar):
    """Large-margin learning of a weighted context-free grammar.

    Minimises ``1/2 |w|^2 + C * sum_i s_i * risk_i``, where ``F(x, y; w)`` is the sum of the weights of the rules of the
    tree y, and of their features; for margin rescaling and linear slack
    ``risk_i = max_y loss(y_i, y) - F(x_i, y_i) + F(x_i, y)``.

    Parameters
    ----------
    C : weight of the sum of the risks; ``'scale'`` is measured on the most violated trees of some sentences at
        ``w = 0`` (``plane_c``)
    loss : ``'f1'`` is ``1 - F1`` of the labelled brackets, ``'hamming'`` the number of brackets that only one of the
        two trees has, ``'zero-one'`` 1 for every tree but the true one. A search for ``'f1'`` takes the time of several
        charts, and more where weights are near 0, as at the beginning; for ``'hamming'`` it takes that of one with
        margin rescaling and linear slack, else that of several. Where searches would need more than 2 GiB in all
        threads they give up (``INEXACT``)
    features : of a rule with its span, beside the rule itself: some of ``'first'``, ``'last'``, ``'before'``,
        ``'after'``, ``'split'`` and ``'length'`` (``maxmargin.grammars.span_features``)
    prior : ``'pcfg'`` gives a tree one more feature, the logarithm of its probability by the counts of rules
        (``PCFG``), with a weight of its own, so that rules too rare to learn their weights differ; None: no such one
    grammar : the grammar whose weights are learned; None is that of the trees, with the next five parameters
    horizontal, vertical, input, chains, rare : as in ``Grammar.from_treebank``
    beam : leaves out of a span what is worth less than its best by more than this: faster, and the best tree
        can be lost; a sentence all of whose trees were is parsed again without it. None leaves nothing out
    rescaling, slack, solver : as in StructuralSVM
    tol, max_iter, max_time : as in StructuralSVM
    n_jobs : threads for one-slack training and prediction; -1 is all cores
    warm_start, random_state, callback, verbose : as in StructuralSVM

    Attributes
    ----------
    grammar_, features_
    prior_ : the logarithms of the probabilities of the rules, or None
    coef_ : weights, those of the rules first, then that of the prior
    C_, solution_, n_iter_, temperature_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {
        **TRAINING,
        **MARGINS,
        **GRAMMAR,
        "features": ANYTHING,
        "prior": (None, "pcfg"),
        "loss": LOSSES,
    }

    C: float | str = "scale"
    _: KW_ONLY
    loss: str = "f1"
    features: Sequence[str] = ()
    prior: str | None = None
    grammar: Grammar | None = None
    horizontal: int | None = None
    vertical: int = 1
    input: str = "tags"
    chains: str | int = "seen"
    rare: int = 1
    beam: float | None = None
    rescaling: str = "margin"
    slack: str = "linear"
    solver: Any = "auto"
    tol: float | str = "auto"
    max_iter: int | None = 1000
    max_time: float | None = None
    n_jobs: int | None = None
    warm_start: bool = False
    random_state: Any = 0
    callback: Callable[[Record], Any] | None = None
    verbose: int = 0

    def fit(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> GrammarSVM:
        """Learns from sentences ``X`` and their trees ``y``, two sequences of one length."""
        with self._fitting():
            X, y = as_examples(X, y)
            weight = check_sample_weight(sample_weight, len(y))
            sentences, structure = self._structure(X, y, weight, self.loss)
            formulation = Formulation(self.rescaling, self.slack)
            self._keep(train(self, structure, sentences, y, len(y), self.C, weight, formulation=formulation))
            self.coef_ = self.solution_.w
            self.temperature_, self.calibrated_ = 1.0, False
        return self

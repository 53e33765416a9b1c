"""Probabilistic context-free grammars by maximum likelihood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin.fitting.estimator import saved
from maxmargin.fitting.parameters import Allowed
from maxmargin.grammars.base import GRAMMAR, GrammarEstimator
from maxmargin.grammars.grammar import Grammar
from maxmargin.grammars.probabilities import log_probabilities, rule_counts
from maxmargin.grammars.rule_text import read_rules, rule_table
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.solvers.base import Solution, Status

Floats = npt.NDArray[np.float64]


@saved
@dataclass(eq=False, repr=False)
class PCFG(GrammarEstimator):
    """Probabilistic context-free grammar: a baseline that is trained in one pass over a treebank.

    ``P(x, y)`` is the product of ``P(A -> b) = n(A -> b) / n(A)`` over the rules of the tree y, n(.) being counts in
    the treebank; ``F(x, y)`` is its logarithm. With tags as input words have no part in it. How likely a word is that
    was never seen is in ``maxmargin.grammars.probabilities``.

    Parameters
    ----------
    grammar : the grammar to estimate; None is that of the trees, with the next five parameters
    horizontal, vertical, input, chains, rare : as in ``Grammar.from_treebank``
    beam : leaves out of a span what is worth less than its best by more than this: faster, and the best tree
        can be lost; a sentence all of whose trees were is parsed again without it. None leaves nothing out
    n_jobs : threads for prediction; -1 is all cores

    Attributes
    ----------
    grammar_, coef_ (the logarithms of probabilities, one per rule), solution_, n_iter_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = GRAMMAR

    _: KW_ONLY
    grammar: Grammar | None = None
    horizontal: int | None = None
    vertical: int = 1
    input: str = "tags"
    chains: str | int = "seen"
    rare: int = 1
    beam: float | None = None
    n_jobs: int | None = None

    def fit(self, X: Sequence[Any], y: Sequence[Any], *, sample_weight: Any = None) -> PCFG:
        """Counts rules in the trees ``y`` of the sentences ``X``; ``sample_weight`` multiplies the counts of a tree."""
        with self._fitting():
            grammar, sentences, derivations = self._learn(X, y)
            weight = check_sample_weight(sample_weight, len(sentences))
            self._set(grammar, log_probabilities(grammar, rule_counts(grammar, derivations, weight)), len(sentences))
        return self

    @classmethod
    def from_text(cls, text: str, *, chains: int = 8) -> PCFG:
        """A fitted parser of the rules and probabilities in a text: ``NP -> DT NN [0.6] | NP PP [0.4]``.

        As in ``Grammar.from_text``; every alternative must have a probability, and those of a symbol must add up to 1.
        """
        rules = read_rules(text)
        table, tags = rule_table(rules, chains)
        grammar = Grammar.from_table(table, False, tags, 0, None, 1)
        totals: dict[str, float] = {}
        for rule in rules:
            if rule.probability is None:
                raise ValueError(f"Line {rule.line} has a rule of {rule.parent!r} and no probability, such as [0.5].")
            totals[rule.parent] = totals.get(rule.parent, 0.0) + rule.probability
        for symbol, total in totals.items():
            if abs(total - 1.0) > 1e-6:
                raise ValueError(f"The probabilities of {symbol!r} add up to {total:.6g}, not to 1.")
        counts, rules = np.zeros(grammar.n_rules), [rule for rule in rules if not rule.is_loop]
        for rule in rules:
            counts[grammar.rule(rule.applications[0])] += rule.probability or 0.0
        weights = log_probabilities(grammar, counts)
        for rule in rules:
            own = grammar.rule(rule.applications[0])
            weights[own] = np.log(counts[own])  # as written: with a loop left out the others do not add up to 1
            for between in rule.applications[1:]:
                weights[grammar.rule(between)] = 0.0
        model = cls(grammar=grammar)
        model._set(grammar, weights, 0)
        return model

    def _set(self, grammar: Grammar, weights: Floats, n: int) -> None:
        self.grammar_, self.coef_, self.temperature_ = grammar, weights, 1.0
        self._keep(Solution(weights, Status.FINISHED, None, None, 1, n))

    def _restore(self, arrays: Any, structure: Any) -> None:
        super()._restore(arrays, structure)
        if self.coef_.size != self.grammar_.n_rules:
            raise ValueError(f"the grammar has {self.grammar_.n_rules} rules and {self.coef_.size} weights")

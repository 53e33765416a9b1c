"""The weights of rules that make the trees of a treebank most likely."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from maxmargin.grammars.grammar import Grammar
from maxmargin.grammars.lexicon import Ints

Floats = npt.NDArray[np.float64]


def rule_counts(grammar: Grammar, derivations: Sequence[Ints], sample_weight: Floats | None = None) -> Floats:
    """How often each rule is used, float64 (n_rules,); ``sample_weight`` has one number per tree."""
    weight = np.ones(len(derivations)) if sample_weight is None else sample_weight
    rules = np.concatenate([np.empty(0, dtype=np.int32), *(rows[:, 0] for rows in derivations)])
    counts: Floats = np.zeros(grammar.n_rules)
    np.add.at(counts, rules, np.repeat(weight, [len(rows) for rows in derivations]))
    return counts


def rule_parents(grammar: Grammar) -> Ints:
    """The symbol on the left of each rule, int32 (n_rules,)."""
    return np.concatenate([grammar.binary[:, 0], grammar.unary[:, 0], grammar.lexical[:, 0]])


def log_probabilities(grammar: Grammar, counts: Floats) -> Floats:
    """``log(n(A -> b) / n(A))`` for every rule, float64 (n_rules,): the maximum of the likelihood of the trees.

    Rules that were never used have no finite weight there and get that of half a use. So do the rules of the last
    terminal, unknown words, to which the uses of the tag with rare words are added: ``log((r + 1/2) / (n(A) + 1/2))``.
    """
    parents = rule_parents(grammar)
    totals = np.bincount(parents, counts, len(grammar.symbols))
    first = len(grammar.binary) + len(grammar.unary)
    used = counts.copy()
    if len(grammar.lexical):
        symbols, terminals = grammar.lexical.T
        rare = (terminals >= len(grammar.lexicon.known)) & (terminals < grammar.lexicon.unknown)
        of_tag = np.bincount(symbols[rare], counts[first:][rare], len(grammar.symbols))
        unknown = terminals == grammar.lexicon.unknown
        used[first:][unknown] += of_tag[symbols[unknown]]
    half = np.where(counts > 0.0, 0.0, 0.5)
    weights: Floats = np.log(used + half) - np.log(totals[parents] + half)
    return weights

"""A small treebank, and every plane of it: all trees of every sentence listed, without the charts of the library."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np

from chart_cases import GrammarCase
from maxmargin.grammars import Grammar, Tree
from reference import EveryPlane, plane_of

TREES = [
    "(S (NP (N Ann)) (VP (V saw) (NP (D the) (N man))))",
    "(S (NP (N Ann)) (VP (V saw) (NP (NP (D the) (N man)) (PP (P with) (NP (N Bob))))))",
    "(S (NP (D the) (N man)) (VP (VP (V ran)) (PP (P in) (NP (D the) (N park)))))",
    "(S (VP (V met) (NP (N Ann))))",
    "(S (NP (NP (N Bob)) (PP (P in) (NP (N park)))) (VP (V met) (NP (D the) (N man))))",
]


def make() -> tuple[list[list[tuple[str, str]]], list[Tree]]:
    """Sentences with their tags, and their trees."""
    trees = [Tree.from_text(text) for text in TREES]
    return [tree.tokens() for tree in trees], trees


@cache
def grammar() -> Grammar:
    return Grammar.from_treebank(make()[1], chains=3)


def case_of(own: Grammar, sentence: Any) -> GrammarCase:
    """A sentence of a grammar of tags, for listing its trees."""
    lexicon = own.lexicon
    entries = [
        (int(symbol), terminal)
        for terminal in range(len(lexicon.offsets) - 1)
        for symbol in lexicon.symbols[lexicon.offsets[terminal] : lexicon.offsets[terminal + 1]]
    ]
    rows = [tuple(row) for row in own.binary.tolist()], [tuple(row) for row in own.unary.tolist()]
    terminals, words = len(lexicon.offsets) - 1, own.numbers(sentence).tolist()
    assert own.start == 0
    return GrammarCase(
        len(own.symbols), *rows, entries, terminals, list(own.chains), own.rule_brackets.tolist(), words, True
    )


def loss_of(loss: str, case: GrammarCase, truth: tuple, tree: tuple) -> float:
    if loss == "zero-one":
        return 1.0
    true, guessed = Counter(case.brackets(truth)), Counter(case.brackets(tree))
    hits, total = (true & guessed).total(), true.total() + guessed.total()
    return float(total - 2 * hits) if loss == "hamming" else 1.0 - 2.0 * hits / total


def every_plane(loss: str, rescaling: str, slack: str) -> EveryPlane:
    """All planes of the treebank."""
    X, trees = make()
    rows, heights, example = [], [], []
    for i, (x, tree) in enumerate(zip(X, trees)):
        case = case_of(grammar(), x)
        truth = tuple(map(tuple, grammar().rules_of(tree, x).tolist()))
        listed = case.trees()
        assert truth in listed
        for other in listed:
            if other != truth:
                psi = case.features(truth) - case.features(other)
                a, b = plane_of(psi, loss_of(loss, case, truth, other), rescaling, slack)
                rows.append(a), heights.append(b), example.append(i)
    return EveryPlane(np.array(rows), np.array(heights), np.array(example), len(X), slack)

"""Trees of most expected right brackets less expected wrong ones, against all trees of short sentences."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from maxmargin.grammars import PCFG, Tree
from tree_cases import trees

MOST = 300


def brackets(tree):
    return Counter(span for node, span in zip(tree.nodes(), tree.spans(), strict=True) if not node.is_tag)


def every_tree(model, sentence):
    """The trees of a sentence with their probabilities."""
    ranked = model.predict_kbest([sentence], MOST)[0]
    p = np.exp([score for score, _ in ranked])
    return list(zip([tree for _, tree in ranked], p / p.sum(), strict=True))


def worths(every):
    """Of each tree its expected right brackets less its expected wrong ones, counted one by one."""
    counts = [(brackets(tree), p) for tree, p in every]
    return {
        tree: sum(p * (2 * (own & other).total() - own.total()) for other, p in counts)
        for (tree, _), (own, _) in zip(every, counts, strict=True)
    }


@pytest.mark.parametrize("copies", [(3, 2, 2), (5, 4, 4), (4, 3, 0), (1, 1, 5), (9, 1, 1)])
def test_the_second_of_two_equal_brackets_is_worth_how_often_there_are_two(copies):
    forms = ["(S (A (A (X x))) (B b))", "(S (X x) (B b))", "(S (A (X x)) (B b))"]
    y = [Tree.from_text(form) for form, count in zip(forms, copies, strict=True) for _ in range(count)]
    model = PCFG().fit([tree.tokens() for tree in y], y)
    sentence = y[0].tokens()
    every = every_tree(model, sentence)
    worth = worths(every)
    assert worth[model.predict([sentence], decode="risk")[0]] == pytest.approx(max(worth.values()))
    expected = sum(p * brackets(tree)["A", 0, 1] for tree, p in every)
    assert model.predict_marginals([sentence])[0]["A", 0, 1] == pytest.approx(expected)


@settings(max_examples=60)
@given(st.lists(trees(5), min_size=2, max_size=6), st.sampled_from([1, 2]), st.sampled_from(["seen", 2]))
def test_no_tree_of_a_sentence_has_less_risk(y, vertical, chains):
    X = [tree.tokens() for tree in y]
    model = PCFG(vertical=vertical, chains=chains, horizontal=1).fit(X, y)
    for sentence, found in zip(X, model.predict(X, decode="risk"), strict=True):
        every = every_tree(model, sentence)
        assume(len(every) < MOST)
        worth = worths(every)
        assert worth[found] == pytest.approx(max(worth.values()), abs=1e-9)

"""Lists of the best trees: different ones, in the order of their best derivations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin.datasets import make_treebank
from maxmargin.grammars import PCFG, Grammar, Tree
from tree_cases import trees


def with_other_tags(tree, tags):
    """The tree with its tags replaced, from left to right."""
    waiting = iter(tags)

    def walk(node):
        return Tree(next(waiting), node.children) if node.is_tag else Tree(node.label, [*map(walk, node.children)])

    return walk(tree)


def test_a_tree_is_listed_once_where_a_tag_is_unknown():
    """The list against those of every tag that the unknown one may be."""
    y = make_treebank(80)
    model = PCFG(horizontal=1).fit([tree.tokens() for tree in y], y)
    known = model.grammar_.lexicon.known
    for tree in y[:10]:
        sentence = [*tree.tokens()]
        place = len(sentence) // 2
        sentence[place] = (sentence[place][0], "NEW")
        best: dict[Tree, float] = {}
        for tag in known:
            guess = [*sentence]
            guess[place] = (sentence[place][0], tag)
            for score, found in model.predict_kbest([guess], 30)[0]:
                seen = with_other_tags(found, [tag for _, tag in sentence])
                best[seen] = max(best.get(seen, -np.inf), score)
        expected = sorted(best.values(), reverse=True)[:15]
        ranked = model.predict_kbest([sentence], 15)[0]
        assert len({each.output for each in ranked}) == len(ranked)
        assert [each.score for each in ranked] == pytest.approx(expected)
        assert [best[each.output] for each in ranked] == pytest.approx(expected)


def test_a_sentence_of_unknown_tags_has_a_list_in_reasonable_time():
    y = make_treebank(80)
    model = PCFG(horizontal=1).fit([tree.tokens() for tree in y], y)
    with pytest.warns(UserWarning, match="none of the tags"):
        ranked = model.predict_kbest([["?"] * 12], 5)[0]
    assert 1 <= len({each.output for each in ranked}) == len(ranked) <= 5


@settings(max_examples=60)
@given(st.lists(trees(6), min_size=1, max_size=5), st.sampled_from([1, 2, 3]))
def test_trees_of_known_tags_have_one_derivation(y, vertical):
    X = [tree.tokens() for tree in y]
    model = PCFG(vertical=vertical, horizontal=1).fit(X, y)
    for sentence in X:
        _, core = model._read([sentence])
        every = core.kbest(model.coef_, 200, None, False, 1)
        different = core.kbest(model.coef_, 200, None, True, 1)
        assert every[2].tolist() == different[2].tolist()
        assert len({each.output for each in model.predict_kbest([sentence], 200)[0]}) == len(different[2])


def test_a_root_that_is_a_tag_too_has_a_symbol_of_its_own_where_labels_know_what_is_above():
    y = [Tree.from_text(text) for text in ("(S (A a) (X (S (B b) (B b))))", "(S (A a) (X (S s)))", "(S (B b) (B b))")]
    grammar = Grammar.from_treebank(y, vertical=2)
    assert grammar.wrapped
    assert [grammar.tree(grammar.rules_of(tree), tree.tokens()) for tree in y] == y
    model = PCFG(vertical=2).fit([tree.tokens() for tree in y], y)
    _, core = model._read([y[0].tokens()])
    assert len(core.kbest(model.coef_, 10, None, False, 1)[2]) == 1  # not another one by the rules of the root below X
    assert not Grammar.from_treebank(y, vertical=1).wrapped
    assert not Grammar.from_treebank(["(S (A a) (X (C c)))"], vertical=2).wrapped

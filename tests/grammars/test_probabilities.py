"""Maximum likelihood: the same probabilities as NLTK, and the same probability of whole trees."""

import nltk
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from nltk.tree import Tree as NltkTree

from maxmargin.grammars import Grammar, Tree
from maxmargin.grammars.probabilities import log_probabilities, rule_counts, rule_parents
from tree_cases import treebank, trees


def weights(grammar, bank, sample_weight=None):
    return log_probabilities(grammar, rule_counts(grammar, [grammar.rules_of(tree) for tree in bank], sample_weight))


@given(
    st.lists(trees(plain=True), min_size=1, max_size=4), st.sampled_from([None, 0, 1, 2]), st.sampled_from([1, 2, 3])
)
def test_probabilities_are_those_of_nltk(bank, horizontal, vertical):
    grammar = Grammar.from_treebank(bank, horizontal=horizontal, vertical=vertical, input="words", rare=0)
    productions = []
    for tree in bank:
        other = NltkTree.fromstring(str(Tree("TOP", [tree]) if grammar.wrapped else tree))
        other.chomsky_normal_form(horzMarkov=horizontal, vertMarkov=vertical - 1)
        productions += other.productions()
    start = nltk.Nonterminal(str(grammar.symbols[grammar.start]))
    theirs = {
        str(nltk.Production(p.lhs(), p.rhs())): p.prob() for p in nltk.induce_pcfg(start, productions).productions()
    }
    ours = {grammar.rule_name(rule): weight for rule, weight in enumerate(weights(grammar, bank))}
    assert {name: pytest.approx(np.exp(weight)) for name, weight in ours.items() if "<unknown>" not in name} == theirs


@given(st.lists(trees(plain=True), min_size=1, max_size=4))
def test_without_markovisation_a_node_has_the_share_of_its_rule(bank):
    """The product over the binary rules of a node with many children is the share of the whole rule."""
    grammar = Grammar.from_treebank(bank)
    own = weights(grammar, bank)
    top = nltk.Nonterminal("TOP")
    plain = [NltkTree.fromstring(str(Tree("TOP", [tree]) if grammar.wrapped else tree)) for tree in bank]
    assume(any(not tree.is_tag for tree in bank))
    productions = [p for tree in plain for p in tree.productions() if p.is_nonlexical()]
    shares = {(p.lhs(), p.rhs()): p.prob() for p in nltk.induce_pcfg(top, productions).productions()}
    for tree, theirs in zip(bank, plain, strict=True):
        expected = sum(np.log(shares[p.lhs(), p.rhs()]) for p in theirs.productions() if p.is_nonlexical())
        assert own[grammar.rules_of(tree)[:, 0]].sum() == pytest.approx(expected)


def test_weights_of_trees_are_repetitions():
    bank = treebank()
    grammar = Grammar.from_treebank(bank, horizontal=1)
    twice = weights(grammar, [bank[0], *bank])
    np.testing.assert_allclose(weights(grammar, bank, np.array([2.0, 1.0, 1.0, 1.0, 1.0])), twice)


def test_unknown_words_are_as_likely_as_rare_ones():
    bank = treebank()
    grammar = Grammar.from_treebank(bank, input="words")
    own = weights(grammar, bank)
    assert np.isfinite(own).all()
    by_name = {grammar.rule_name(rule): weight for rule, weight in enumerate(own)}
    assert by_name["VBZ -> '<unknown>'"] == pytest.approx(np.log(3.5 / 3.5))  # three uses, all of them rare
    assert by_name["DT -> '<unknown>'"] == pytest.approx(np.log(0.5 / 4.5))
    sums = np.bincount(rule_parents(grammar), np.exp(own) * ["<unknown>" not in name for name in by_name])
    np.testing.assert_allclose(sums[sums > 0], 1.0)

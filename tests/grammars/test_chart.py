"""Charts against all trees of short sentences, listed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chart_cases import GrammarCase, ambiguous_case, grammar_cases, split_trees
from maxmargin.programs import Topology, queries

CASES = grammar_cases() | grammar_cases(features=True) | grammar_cases(whole=True)


@settings(max_examples=150)
@given(CASES)
def test_the_best_tree_is_the_best_of_all(case):
    trees = case.trees()
    (found,) = split_trees(case.sentences().best(case.weights, None, 1))
    if not trees:
        assert not found
        return
    ((tree, score),) = found
    assert tree in set(trees)
    assert score == pytest.approx(case.scores(trees).max(), rel=1e-12, abs=1e-12)
    assert case.features(tree) @ case.weights == pytest.approx(score, rel=1e-12, abs=1e-12)


@settings(max_examples=100)
@given(CASES, st.integers(1, 30))
def test_k_best_are_the_first_of_all_trees_by_score(case, k):
    trees = case.trees()
    (found,) = split_trees(case.sentences().kbest(case.weights, k, None, False, 1))
    expected = np.sort(case.scores(trees))[::-1][:k]
    np.testing.assert_allclose([score for _, score in found], expected, rtol=1e-12, atol=1e-12)
    assert len({tree for tree, _ in found}) == len(found)
    assert {tree for tree, _ in found} <= set(trees)


@settings(max_examples=100)
@given(CASES, st.integers(1, 30))
def test_k_different_trees_have_the_scores_of_their_best_derivations(case, k):
    """What can be seen of a tree are its brackets and what its words are; the cases have at most 2,000 derivations."""
    best: dict[object, float] = {}
    trees = case.trees()
    assume(len(trees) <= 100 * k)
    for tree, score in zip(trees, case.scores(trees), strict=True):
        words = [row for row in tree if row[0] >= len(case.binary) + len(case.unary)]
        shape = (*case.brackets(tree), *words)
        best[shape] = max(best.get(shape, -np.inf), score)
    (found,) = split_trees(case.sentences().kbest(case.weights, k, None, True, 1))
    expected = np.sort(list(best.values()))[::-1][:k]
    np.testing.assert_allclose([score for _, score in found], expected, rtol=1e-12, atol=1e-12)


@settings(max_examples=50)
@given(CASES)
def test_samples_are_trees_with_their_scores_and_the_same_for_the_same_seed(case):
    trees = case.trees()
    (found,) = split_trees(case.sentences().samples(case.weights, 1.0, 20, 7, 1))
    assert {tree for tree, _ in found} <= set(trees)
    assert len(found) == (20 if trees else 0)
    for tree, score in found:
        assert case.features(tree) @ case.weights == pytest.approx(score, rel=1e-11, abs=1e-11)
    again = split_trees(case.sentences(3).samples(case.weights, 1.0, 20, 7, 2))
    assert again[0] == found


def test_samples_have_the_probabilities_of_their_trees():
    case = ambiguous_case()
    trees = case.trees()
    p = np.exp(case.scores(trees) / 2.0)
    p /= p.sum()
    (found,) = split_trees(case.sentences().samples(case.weights, 2.0, 20_000, 3, 1))
    counts = np.zeros(len(trees))
    for tree, _ in found:
        counts[trees.index(tree)] += 1
    np.testing.assert_allclose(counts / 20_000, p, atol=5 * np.sqrt(0.25 / 20_000))


@settings(max_examples=100)
@given(CASES)
def test_the_same_grammar_as_an_explicit_program_has_the_same_answers(case):
    topology, scores = explicit_program(case)
    (found,) = split_trees(case.sentences().kbest(case.weights, 5, None, False, 1))
    if topology is None:
        assert not found
        return
    expected = [answer.score for answer in queries.k_best(topology, scores, 5)]
    np.testing.assert_allclose([score for _, score in found], expected, rtol=1e-12, atol=1e-12)


def test_threads_and_many_sentences_have_the_answers_of_one():
    case = ambiguous_case()
    alone = split_trees(case.sentences().best(case.weights, None, 1))[0]
    assert split_trees(case.sentences(7).best(case.weights, None, 3)) == [alone] * 7


@pytest.mark.parametrize("words", [[0, 1], [0, 1, 2], [0, 1, 1]])
def test_many_pairs_with_one_left_child_and_many_parents_of_one_pair(words):
    """More right children than bits of a word, more parents than a pair has; the last sentence has no tree."""
    rights, parents, last = range(2, 82), range(82, 88), 88
    binary = [(0, 1, right) for right in rights]
    binary += [(parent, 1, right) for parent in parents for right in rights[::9]]
    binary += [(0, parent, last) for parent in parents]
    lexical = [(1, 0), *((right, 1) for right in rights), (last, 2)]
    case = GrammarCase(89, binary, [], lexical, 3, [], [-1] * len(binary), words, True)
    case.weights = np.random.default_rng(0).normal(size=len(binary))
    trees = case.trees()
    assert len(trees) == {2: 80, 3: 54 if words[-1] == 2 else 0}[len(words)]
    (found,) = split_trees(case.sentences().kbest(case.weights, 100, None, False, 1))
    assert {tree for tree, _ in found} == set(trees)
    np.testing.assert_allclose([score for _, score in found], np.sort(case.scores(trees))[::-1], rtol=1e-12)


@given(CASES)
def test_a_wide_beam_changes_nothing_and_a_narrow_one_says_what_it_left_out(case):
    sentences = case.sentences()
    whole = sentences.best(case.weights, None, 1)
    wide = sentences.best(case.weights, 1e9, 1)
    assert split_trees(whole) == split_trees(wide)
    assert not wide[4]
    narrow = sentences.best(case.weights, 0.0, 1)
    (best,), (found,) = split_trees(whole), split_trees(narrow)
    if not narrow[4]:
        assert [score for _, score in found] == [score for _, score in best]
    for _, score in found:
        assert score <= best[0][1] + 1e-9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"binary": [(0, 0, 9)]}, "symbol that is not there"),
        ({"chains": [(5,)]}, "not unary"),
        ({"chains": [()]}, "no rules"),
        ({"unary": [(0, 1), (0, 1)], "chains": [(0, 1)], "bracket": [-1] * 6}, "do not follow"),
        ({"bracket": [0]}, "one bracket per rule"),
    ],
)
def test_arrays_that_are_no_grammar_are_refused(change, message):
    given_case = ambiguous_case()
    for name, value in change.items():
        setattr(given_case, name, value)
    with pytest.raises(ValueError, match=message):
        given_case.rules()


def test_an_empty_sentence_and_an_unknown_terminal_are_refused():
    case = ambiguous_case()
    case.words = []
    with pytest.raises(ValueError, match="no words"):
        case.sentences()
    case.words = [9]
    with pytest.raises(ValueError, match="terminal that is not there"):
        case.sentences()


def explicit_program(case: GrammarCase) -> tuple[Topology | None, np.ndarray]:
    """The grammar and its sentence as cells and edges, written down from the definition."""
    trees = case.trees()
    if not trees:
        return None, np.zeros(0)
    n, S = len(case.words), case.symbols
    spans = [(i, i + length) for length in range(1, n + 1) for i in range(n - length + 1)]
    cell = {span: 2 * S * number for number, span in enumerate(spans)}
    offsets, symbols, rules = case.entries()
    edges: list[tuple[int, int, int, float]] = []

    def score(*rows):
        return float(case.features(tuple(rows)) @ case.weights)

    for i, j in spans:
        at = cell[i, j]
        if j == i + 1:
            for entry in range(offsets[case.words[i]], offsets[case.words[i] + 1]):
                own = () if rules[entry] < 0 else ((rules[entry], i, -1, j),)
                edges.append((at + symbols[entry], -1, -1, score(*own)))
        for rule, (parent, left, right) in enumerate(case.binary):
            for k in range(i + 1, j):
                tails = cell[i, k] + S + left, cell[k, j] + S + right
                edges.append((at + parent, *tails, score((rule, i, k, j))))
        for symbol in range(S):
            edges.append((at + S + symbol, at + symbol, -1, 0.0))
            edges.append((at + symbol, -1, -1, -np.inf))  # a program must reach every cell
        for chain in case.chains:
            rows = [(len(case.binary) + rule, i, -1, j) for rule in chain]
            top, bottom = case.unary[chain[0]][0], case.unary[chain[-1]][1]
            edges.append((at + S + top, at + bottom, -1, score(*rows)))
    head, a, b, scores = zip(*edges)
    topology = Topology(head, np.stack([a, b], axis=1), cells=2 * S * len(spans), goal=cell[0, n] + S)
    return topology, np.array(scores)

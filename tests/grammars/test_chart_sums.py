"""Sums over all trees of short sentences against the trees listed."""

from __future__ import annotations

from collections import Counter
from math import lgamma

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chart_cases import GrammarCase, ambiguous_case, grammar_cases

CASES = grammar_cases() | grammar_cases(features=True)


def all_brackets(case, trees):
    """Whether each tree (row) has each bracket: spans, and a column for the first with a label, the second, ..."""
    n = len(case.words)
    labels = case.sentences().bracket_columns.tolist()
    table = np.zeros((len(trees), n * (n + 1) // 2, len(labels)))
    for row, tree in enumerate(trees):
        for (label, i, j), count in Counter(case.brackets(tree)).items():
            columns = [column for column, own in enumerate(labels) if own == label]
            table[row, j * (j - 1) // 2 + j - 1 - i, columns[:count]] = 1
            assert count <= len(columns)
    return table


def test_brackets_that_repeat_have_columns_of_their_own():
    """A chain makes label 0 twice, above a binary rule with the same label; above a word there is no such rule."""
    case = GrammarCase(
        2, [(0, 1, 1)], [(0, 0), (0, 1)], [(1, 0)], 1, [(0,), (1,), (0, 0), (0, 1)], [0, 0, 0], [0, 0], True
    )
    assert case.sentences().bracket_columns.tolist() == [0, 0, 0]
    counts = [Counter(case.brackets(tree))[0, 0, 2] for tree in case.trees()]
    assert sorted({*counts}) == [1, 2, 3]


@settings(max_examples=150)
@given(CASES, st.sampled_from([0.5, 1.0, 30.0, 700.0]))
def test_partition_and_brackets_are_the_sums_over_all_trees(case, size):
    trees = case.trees()
    log_sums, brackets, _ = case.sentences().sums(size * case.weights, 2.0, 1)
    if not trees:
        assert log_sums.tolist() == [-np.inf]
        return
    scores = size * case.scores(trees) / 2.0
    parts = np.exp(scores - scores.max())
    assert log_sums[0] == pytest.approx(scores.max() + np.log(parts.sum()), rel=1e-11, abs=1e-10)
    p = parts / parts.sum()
    expected = np.tensordot(p, all_brackets(case, trees), axes=1)
    np.testing.assert_allclose(brackets, expected.ravel(), rtol=1e-9, atol=1e-9)


@settings(max_examples=50)
@given(grammar_cases(features=True), st.integers(0, 1000))
def test_numbers_that_are_too_large_are_noticed(case, pick):
    """One rule that dwarfs all others takes the numbers out of range, and the answer stays right."""
    trees = case.trees()
    case.weights[pick % case.n_rules] = -900.0
    log_sums, _, _ = case.sentences().sums(case.weights, 1.0, 1)
    if trees:
        scores = case.scores(trees)
        expected = scores.max() + np.log(np.exp(scores - scores.max()).sum())
        assert log_sums[0] == pytest.approx(expected, rel=1e-11)


def test_sums_in_logarithms_are_taken_where_they_must_be():
    case = ambiguous_case()
    case.weights = np.array([700.0, 200.0, 100.0, 800.0, 650.0])
    log_sums, _, listed = case.sentences().sums(case.weights, 1.0, 1)
    scores = case.scores(case.trees())
    assert listed == 1
    assert log_sums[0] == pytest.approx(scores.max() + np.log(np.exp(scores - scores.max()).sum()), rel=1e-11)
    assert case.sentences().sums(case.weights / 700.0, 1.0, 1)[2] == 0


@pytest.mark.parametrize("n", [3, 4, 5, 62, 63, 64, 65, 130])
def test_there_are_as_many_binary_trees_as_catalan_says(n):
    """Sentences longer than a word of bits has places."""
    case = GrammarCase(1, [(0, 0, 0)], [], [(0, 0)], 1, [], [0, -1], [0] * n, False)
    log_sums, brackets, listed = case.sentences().sums(np.zeros(2), 1.0, 1)
    assert log_sums[0] == pytest.approx(lgamma(2 * n - 1) - lgamma(n) - lgamma(n + 1), rel=1e-10)
    assert brackets.sum() == pytest.approx(n - 1)
    assert listed == 0
    first, rules, scores, *_ = case.sentences().best(np.array([2.0, 0.5]), None, 1)
    assert scores[0] == pytest.approx(2.0 * (n - 1) + 0.5 * n)
    assert (first.tolist(), rules.shape) == ([0, 2 * n - 1], (2 * n - 1, 4))


@given(CASES)
def test_the_tree_of_least_risk_has_the_best_sum_of_what_its_brackets_are_worth(case):
    trees = case.trees()
    n = len(case.words)
    worth = np.random.default_rng(n).normal(size=(n * (n + 1) // 2, case.sentences().bracket_columns.size))
    found = case.sentences().best_by(worth, 1)
    if not trees:
        assert found[2].size == 0
        return
    expected = (all_brackets(case, trees) * worth).sum(axis=(1, 2)).max()
    assert found[2][0] == pytest.approx(expected, rel=1e-12, abs=1e-12)

"""The most violated trees, in every formulation, and the likelihood, against all trees of short sentences."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chart_cases import GrammarCase, ambiguous_case, grammar_cases
from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.grammars.loss import bound_loss, bracket_loss
from maxmargin.grammars.oracle import TreeOracle
from reference import FORMULATIONS

CASES = grammar_cases() | grammar_cases(features=True) | grammar_cases(whole=True)


def targets_of(case: GrammarCase, truth: tuple) -> tuple[_core.Sentences, _core.TreeTargets]:
    sentences = case.sentences()
    rows = np.array(truth, dtype=np.int32).reshape(-1, 4)
    return sentences, _core.TreeTargets(sentences, np.array([0, len(rows)]), rows)


def oracle_of(case: GrammarCase, truth: tuple, loss: str, rescaling: str, slack: str, beam=None) -> TreeOracle:
    sentences, targets = targets_of(case, truth)
    bound = bound_loss(loss, sentences, targets, Formulation(rescaling, slack))
    return TreeOracle(sentences, np.array([len(case.words)], dtype=np.int32), bound, None, 1, beam)


def loss_of(case: GrammarCase, loss: str, truth: tuple, tree: tuple) -> float:
    """By its definition, from multisets of brackets."""
    true, guessed = Counter(case.brackets(truth)), Counter(case.brackets(tree))
    hits = float((true & guessed).total())
    return float(bracket_loss(loss, *map(np.array, (hits, float(guessed.total()), float(true.total())))))


@settings(max_examples=150)
@given(CASES, st.sampled_from(FORMULATIONS), st.sampled_from(["f1", "hamming"]), st.integers(0, 10**6))
def test_the_most_violated_tree_is_that_of_all_trees(case, formulation, loss, pick):
    trees = case.trees()
    assume(len(trees) > 1)
    truth = trees[pick % len(trees)]
    rule = Formulation(*formulation)
    oracle = oracle_of(case, truth, loss, *formulation)
    own = case.features(truth)
    expected = 0.0
    for tree in trees:
        if tree == truth:
            continue
        size = loss_of(case, loss, truth, tree)
        margin, scale = float(rule.margin(size)), float(rule.scale(size))
        expected = max(expected, margin - scale * float((own - case.features(tree)) @ case.weights))
    slack, outputs = oracle.worst(case.weights, np.zeros(1, np.int32))
    assert slack[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    plane = oracle.planes(case.weights, np.zeros(1, np.int32))
    if expected > 1e-9:
        found = float(plane.b[0] - (plane.a @ case.weights)[0])
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
        tree = tuple(map(tuple, outputs[1:].reshape(-1, 4).tolist()))
        assert tree in {tuple(sorted(each)) for each in trees}
        b = float(rule.margin(loss_of(case, loss, truth, tree)))
        assert plane.b[0] == pytest.approx(b, abs=1e-12)


@settings(max_examples=60)
@given(CASES, st.integers(0, 10**6))
def test_likelihood_and_its_gradient_are_those_of_all_trees(case, pick):
    trees = case.trees()
    assume(trees)
    truth = trees[pick % len(trees)]
    _, targets = targets_of(case, truth)
    gradient = np.zeros(case.weights.size)
    value = targets.likelihood(case.weights, None, 0, 1, gradient, 1)
    scores, features = case.scores(trees), np.array([case.features(tree) for tree in trees])
    parts = np.exp(scores - scores.max())
    log_sum = scores.max() + np.log(parts.sum())
    assert value == pytest.approx(log_sum - case.features(truth) @ case.weights, rel=1e-9, abs=1e-9)
    expected = parts / parts.sum() @ features - case.features(truth)
    np.testing.assert_allclose(gradient, expected, rtol=1e-8, atol=1e-8)
    assert targets.scores(case.weights)[0] == pytest.approx(case.features(truth) @ case.weights, abs=1e-9)


def test_a_beam_is_marked_inexact():
    case = ambiguous_case()
    truth = case.trees()[3]
    assert oracle_of(case, truth, "hamming", "margin", "linear").exact
    assert not oracle_of(case, truth, "hamming", "margin", "linear", beam=0.1).exact


def test_a_bracket_that_is_there_twice_is_right_only_as_often_as_it_is_true():
    """S above S, both with the label 0, over both words; the truth has it once."""
    case = GrammarCase(3, [(1, 2, 2), (0, 2, 2)], [(0, 1)], [(2, 0)], 1, [(0,)], [0, 0, 0], [0, 0], True)
    case.weights = np.zeros(3)
    twice, once = sorted(case.trees(), key=len, reverse=True)
    assert (case.brackets(twice), case.brackets(once)) == ([(0, 0, 2)] * 2, [(0, 0, 2)])
    _, targets = targets_of(case, once)
    rows = np.array(twice, dtype=np.int32)
    assert targets.counts(np.array([0, len(rows)]), rows).tolist() == [1, 2, 0]
    for loss, expected in (("hamming", 1.0), ("f1", 1.0 - 2.0 / 3.0)):
        slack, _ = oracle_of(case, once, loss, "margin", "linear").worst(case.weights, np.zeros(1, np.int32))
        assert slack[0] == pytest.approx(expected)


def test_rules_that_are_no_tree_are_refused():
    case = ambiguous_case()
    tree = case.trees()[0]
    for wrong in (tree[1:], (*tree, tree[0]), ((99, 0, 1, 4), *tree[1:])):
        with pytest.raises(ValueError, match="example 0 do not derive"):
            targets_of(case, wrong)


@pytest.mark.parametrize("formulation", FORMULATIONS, ids="-".join)
@pytest.mark.parametrize("size", [0.01, 0.1, 1.0])
def test_the_most_violated_tree_of_five_words_is_that_of_all_trees(formulation, size):
    """Long enough for bounds by prices of hits and guesses to leave something open."""
    case, rule = ambiguous_case(), Formulation(*formulation)
    case.words = [0] * 5
    trees, rng = case.trees(), np.random.default_rng(3)
    features = np.array([case.features(tree) for tree in trees])
    for pick in rng.integers(len(trees), size=5):
        truth, case.weights = trees[pick], size * rng.standard_normal(case.weights.size)
        losses = np.array([loss_of(case, "f1", truth, tree) for tree in trees])
        worth = rule.margin(losses) - rule.scale(losses) * ((features[pick] - features) @ case.weights)
        worth[pick] = 0.0
        slack, _ = oracle_of(case, truth, "f1", *formulation).worst(case.weights, np.zeros(1, np.int32))
        assert slack[0] == pytest.approx(worth.max(), rel=1e-9, abs=1e-9)

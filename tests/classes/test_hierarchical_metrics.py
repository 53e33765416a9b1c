"""Scores in a taxonomy, against sets of ancestors spelt out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.base import BaseEstimator
from sklearn.metrics import make_scorer

from dotted_names import PAIRS, above
from maxmargin.metrics import (
    hierarchical_f1,
    hierarchical_precision,
    hierarchical_recall,
    hierarchical_score,
    tree_loss,
)


@given(pairs=PAIRS)
@settings(max_examples=100)
def test_precision_and_recall_over_ancestors(pairs):
    truths, answers = zip(*pairs)
    right = sum(len(above(t) & above(a)) for t, a in pairs)
    precision, recall = right / sum(len(above(a)) for a in answers), right / sum(len(above(t)) for t in truths)
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    score = hierarchical_score(truths, answers, ".")
    assert score[:3] == pytest.approx((precision, recall, f1))
    assert score.support == sum(len(above(t)) for t in truths)
    assert hierarchical_precision(truths, answers, ".") == score.precision
    assert hierarchical_recall(truths, answers, ".") == score.recall
    assert hierarchical_f1(truths, answers, ".") == score.f1


def test_tree_loss_by_hand():
    edges = [("root", "a"), ("root", "b"), ("a", "c"), ("a", "d"), ("b", "e")]
    truths, answers = np.array(["c", "c", "c", "a"]), ["c", "d", "e", "c"]
    assert tree_loss(truths, answers, edges) == (0 + 1 + 2 + 1) / 4
    assert tree_loss(truths, answers, edges, loss="path") == (0 + 2 + 4 + 1) / 4
    assert tree_loss(truths, answers, edges, loss="zero-one") == 3 / 4
    assert tree_loss(truths, answers, edges, sample_weight=[1, 0, 1, 0]) == 1.0
    with pytest.raises(ValueError, match="'z' is not a node"):
        tree_loss(["z"], ["c"], edges)
    with pytest.raises(ValueError, match="no labels"):
        tree_loss([], [], edges)


def test_the_root_alone_scores_nothing():
    assert hierarchical_score(["root"], ["root"], [("root", "a")]) == (0.0, 0.0, 0.0, 0)
    assert hierarchical_score(["b"], ["a"], [("a", "b"), ("c", "d")]).precision == 1.0  # two roots: both count


def test_as_a_scorer():
    class Constant(BaseEstimator):
        def predict(self, X):
            return ["a.b"] * len(X)

    score = make_scorer(tree_loss, taxonomy=".", greater_is_better=False)
    assert score(Constant(), np.zeros((2, 1)), ["a.b", "a.c"]) == -0.5

"""Mutual information of labels and the tree of Chow and Liu."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from maxmargin import MultilabelSVC
from maxmargin.labels.pairs import choose_pairs, mutual_information, search_method, tree_of


def label_matrix(seed, n, labels):
    rng = np.random.default_rng(seed)
    return (rng.random((n, labels)) < rng.random(labels)).astype(int) ^ (rng.random((n, 1)) < 0.3)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 40), labels=st.integers(1, 5))
@settings(max_examples=50)
def test_mutual_information(seed, n, labels):
    """Without smoothing that of scikit-learn; with it that of the labels with one example more of each state."""
    Y = label_matrix(seed, n, labels)
    plain, smooth = mutual_information(Y, smoothing=1e-12), mutual_information(Y)
    for j, k in itertools.combinations(range(labels), 2):
        assert plain[j, k] == pytest.approx(mutual_info_score(Y[:, j], Y[:, k]), abs=1e-8)
        more = np.r_[Y[:, [j, k]], [[0, 0], [0, 1], [1, 0], [1, 1]]]
        assert smooth[j, k] == pytest.approx(mutual_info_score(more[:, 0], more[:, 1]), abs=1e-10)
    np.testing.assert_allclose(smooth, smooth.T, atol=1e-14)


@given(seed=st.integers(0, 10**6), labels=st.integers(2, 5))
@settings(max_examples=30)
def test_sample_weights_are_repetition(seed, labels):
    Y = label_matrix(seed, 20, labels)
    times = np.random.default_rng(seed).integers(0, 4, 20)
    np.testing.assert_allclose(
        mutual_information(Y, times.astype(float)), mutual_information(np.repeat(Y, times, axis=0)), atol=1e-12
    )


@given(seed=st.integers(0, 10**6), labels=st.integers(2, 5))
@settings(max_examples=40)
def test_the_tree_is_the_best_of_all_spanning_trees(seed, labels):
    information = np.triu(np.random.default_rng(seed).random((labels, labels)), 1)
    information += information.T
    pairs = tree_of(information)
    assert search_method(labels, pairs) == "forest"
    every = list(itertools.combinations(range(labels), 2))
    best = max(
        sum(information[edge] for edge in edges)
        for edges in itertools.combinations(every, labels - 1)
        if search_method(labels, np.array(edges, dtype=np.int32)) == "forest"
    )
    assert len(pairs) == labels - 1
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert information[pairs[:, 0], pairs[:, 1]].sum() == pytest.approx(best)


def test_a_label_that_never_varies_is_tied_to_somebody():
    Y = np.c_[label_matrix(0, 30, 3), np.zeros(30, int)]
    pairs = choose_pairs("tree", Y, np.arange(4))
    assert len(pairs) == 3
    assert 3 in pairs


def test_named_pairs_keep_their_order():
    names = np.array(["a", "b", "c"], dtype=object)
    np.testing.assert_array_equal(choose_pairs([("c", "a"), ("b", "c")], np.zeros((2, 3)), names), [[0, 2], [1, 2]])
    assert choose_pairs([], np.zeros((2, 3)), names).shape == (0, 2)
    assert choose_pairs("full", np.zeros((2, 3)), names).tolist() == [[0, 1], [0, 2], [1, 2]]
    assert choose_pairs("full", np.zeros((2, 1)), names[:1]).shape == (0, 2)


def test_many_labels_that_are_predicted_one_by_one_have_no_pairs():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 5))
    Y = (X @ rng.standard_normal((5, 17)) + rng.standard_normal((80, 17)) > 0.5).astype(int)
    for labels, asked, pairs in (
        (17, {}, 0),
        (16, {}, 15),
        (8, {}, 28),
        (17, {"loss": "f1"}, 16),
        (17, {"loss": "zero-one"}, 16),
        (17, {"method": "structural"}, 16),
        (17, {"slack": "squared"}, 16),
        (17, {"interactions": "tree"}, 16),
    ):
        assert len(MultilabelSVC(**asked).fit(X, Y[:, :labels]).pairs_) == pairs

"""ChainPerceptron against a plain loop over the examples."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from maxmargin import ChainPerceptron, load
from maxmargin.chains.features import tagging_templates
from maxmargin.datasets import make_sentences


def joint_feature(x, y, k, order):
    """Psi without ends: emissions with a constant feature, then n-grams of 2 to ``order + 1`` labels."""
    length, d = x.shape
    emissions = np.zeros((d + 1, k))
    for t in range(length):
        emissions[:d, y[t]] += x[t]
        emissions[d, y[t]] += 1.0
    parts = [emissions.ravel(), np.zeros(2 * k)]
    for size in range(1, order + 1):
        n_grams = np.zeros((k,) * (size + 1))
        for t in range(size, length):
            n_grams[tuple(y[t - size : t + 1])] += 1.0
        parts.append(n_grams.ravel())
    return np.concatenate(parts)


def plain_perceptron(X, Y, k, order, passes, seed, weights):
    """The same updates, with all labellings listed; the average is over the states after each example."""
    rng = np.random.RandomState(seed)
    w = np.zeros(joint_feature(X[0], Y[0], k, order).size)
    total, snapshots = np.zeros_like(w), 0
    for _ in range(passes):
        mistakes = 0
        for i in rng.permutation(len(X)):
            labellings = list(product(range(k), repeat=len(X[i])))
            scores = [w @ joint_feature(X[i], y, k, order) for y in labellings]
            best = labellings[int(np.argmax(scores))]
            if best != tuple(Y[i]):
                mistakes += 1
                w = w + weights[i] * (joint_feature(X[i], Y[i], k, order) - joint_feature(X[i], best, k, order))
            total, snapshots = total + w, snapshots + 1
        if not mistakes:
            break
    return total / snapshots, w


@given(st.integers(0, 10_000), st.integers(1, 3), st.booleans())
@settings(max_examples=15)
def test_equal_to_the_plain_loop(seed, order, weighted):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 5, size=8)
    X = [rng.standard_normal((length, 3)) for length in lengths]
    Y = [rng.integers(3, size=length).tolist() for length in lengths]
    Y[0][0], Y[1][0], Y[2][0] = 0, 1, 2
    weights = rng.uniform(0.5, 2.0, size=8) if weighted else np.ones(8)
    model = ChainPerceptron(passes=4, order=order, ends=False, random_state=seed)
    model.fit(X, Y, sample_weight=weights if weighted else None)
    # At w = 0 all labellings tie; both ways of searching then take label 0 everywhere.
    expected, _ = plain_perceptron(X, Y, 3, order, 4, seed, weights)
    np.testing.assert_allclose(model.coef_, expected, atol=1e-9)


def test_separable_data_end_early():
    X = [np.eye(2), np.eye(2)[::-1]]
    model = ChainPerceptron(passes=50).fit(X, [[0, 1], [1, 0]])
    assert model.n_iter_ < 50
    assert model.solution_.details["separated"]
    assert model.score(X, [[0, 1], [1, 0]]) == 1.0


def test_words_calibration_and_clone():
    X, Y = make_sentences(120, seed=2)
    model = ChainPerceptron(passes=5, templates=tagging_templates()).fit(X, Y)
    assert model.score(X, Y) > 0.95
    with pytest.warns(UserWarning, match="call calibrate"):
        model.predict_marginals(X[:2])
    model.calibrate(X, Y)
    assert model.temperature_ != 1.0
    assert model.predict_marginals(X[:1])[0].sum(axis=1) == pytest.approx(1.0)
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize("passes", [0, 2.5, "a", True])
def test_passes_are_whole(passes):
    with pytest.raises(ValueError, match="passes must be a whole number of at least 1"):
        ChainPerceptron(passes=passes).fit([np.eye(2)], [[0, 1]])


def test_a_refused_fit_leaves_the_model():
    X, Y = [np.eye(2), np.eye(2)[:1]], [["a", "b"], ["a"]]
    model = ChainPerceptron(passes=3).fit(X, Y)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit([np.eye(3)], [["x", "y", "z"]], sample_weight=[-1.0])
    np.testing.assert_array_equal(model.coef_, before)
    assert model.score(X, Y) == 1.0


def test_a_batch_without_tokens_changes_nothing(tmp_path):
    X, Y = make_sentences(40, seed=2)
    model = ChainPerceptron(templates=tagging_templates()).fit(X, Y)
    model.save(tmp_path / "model.mm")
    for own in (model, load(tmp_path / "model.mm")):
        before = own.weights_.copy()
        own.partial_fit([[]], [[]])
        np.testing.assert_array_equal(own.weights_, before)
    again = model.partial_fit(X, Y).weights_.copy()
    np.testing.assert_array_equal(model.partial_fit([[]], [[]]).weights_, again)

"""ChainHMM against counting by hand and against the list of all labellings."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from maxmargin import ChainHMM
from maxmargin.chains.features import tagging_templates
from maxmargin.datasets import make_sentences


class CountedModel:
    """Log-probabilities straight from the formulas, with dictionaries of counts and no arrays."""

    def __init__(self, X, Y, n_labels, order, alpha, ends, weights):
        self.k, self.d, self.order, self.alpha, self.ends = n_labels, len(X[0][0]), order, alpha, ends
        self.first, self.last, self.label = Counter(), Counter(), Counter()
        self.n_grams, self.histories, self.emitted, self.total = Counter(), Counter(), Counter(), 0.0
        for x, y, weight in zip(X, Y, weights):
            self.total += weight
            self.first[y[0]] += weight
            self.last[y[-1]] += weight
            for t, label in enumerate(y):
                self.label[label] += weight
                for j, value in enumerate(x[t]):
                    self.emitted[j, label] += weight * value
                for size in range(1, min(order, t) + 1):
                    history = tuple(y[t - size : t])
                    self.n_grams[(*history, label)] += weight
                    self.histories[history] += weight

    def end(self, label):
        return (self.last[label] + self.alpha) / (self.label[label] + 2 * self.alpha) if self.ends else 0.0

    def next(self, history, label):
        share = (self.n_grams[(*history, label)] + self.alpha) / (self.histories[history] + self.alpha * self.k)
        return (1.0 - self.end(history[-1])) * share

    def emission(self, j, label):
        mass = sum(self.emitted[i, label] for i in range(self.d))
        return (self.emitted[j, label] + self.alpha) / (mass + self.alpha * self.d)

    def log_joint(self, x, y):
        found = 0.0
        if self.ends:
            found = log((self.first[y[0]] + self.alpha) / (self.total + self.alpha * self.k)) + log(self.end(y[-1]))
        for t, label in enumerate(y):
            if t:
                found += log(self.next(tuple(y[max(0, t - self.order) : t]), label))
            found += sum(value * log(self.emission(j, label)) for j, value in enumerate(x[t]))
        return found


@st.composite
def tiny_data(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    k = draw(st.integers(2, 3))
    lengths = rng.integers(1, 6, size=draw(st.integers(3, 6)))
    X = [rng.integers(0, 3, size=(length, 3)).astype(float) for length in lengths]
    Y = [rng.integers(k, size=length) for length in lengths]
    Y[0][0] = k - 1
    return X, [y.tolist() for y in Y], rng.integers(0, 3, size=len(X)) + 0.5


@given(
    tiny_data(), st.integers(1, 3), st.sampled_from([0.1, 1.0, 2.5]), st.booleans(), st.booleans(), st.integers(0, 9)
)
@settings(max_examples=40)
def test_joint_and_conditional_probabilities(data, order, alpha, ends, weighted, seed):
    X, Y, weights = data
    model = ChainHMM(alpha=alpha, order=order, ends=ends).fit(X, Y, sample_weight=weights if weighted else None)
    classes = model.classes_.tolist()
    plain = CountedModel(
        X,
        [[classes.index(label) for label in y] for y in Y],
        len(classes),
        order,
        alpha,
        ends,
        weights if weighted else [1.0] * len(X),
    )
    x = np.random.default_rng(seed).integers(0, 3, size=(4, 3)).astype(float)
    labellings = list(product(range(len(classes)), repeat=4))
    expected = np.array([plain.log_joint(x, y) for y in labellings])
    found = model.decision_value([x] * len(labellings), [[classes[code] for code in y] for y in labellings])
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
    posterior = np.exp(expected - expected.max()) / np.exp(expected - expected.max()).sum()
    marginals = np.zeros((4, len(classes)))
    for y, probability in zip(labellings, posterior):
        marginals[np.arange(4), y] += probability
    np.testing.assert_allclose(model.predict_marginals([x])[0], marginals, atol=1e-10)
    assert model.predict_confidence([x])[0] == pytest.approx(posterior.max())
    ranked = model.predict_kbest([x], 3)[0]
    np.testing.assert_allclose([labels.score for labels in ranked], np.sort(expected)[::-1][:3])


def test_label_sequences_of_all_lengths_have_total_probability_one():
    """With ends the labels are a distribution over sequences of any length: short ones hold nearly all of it."""
    Y = [[0, 1], [1], [0, 0], [1, 0]]
    model = ChainHMM(alpha=0.5, order=2).fit([np.ones((len(y), 1)) for y in Y], Y)
    total = 0.0
    for length in range(1, 13):
        labellings = list(product(range(2), repeat=length))
        x = np.zeros((length, 1))  # no features: what is left is the probability of the labels
        total += np.exp(model.decision_value([x] * len(labellings), labellings)).sum()
    assert total == pytest.approx(1.0, abs=0.01)
    assert total < 1.0


def test_words_as_features():
    X, Y = make_sentences(150, seed=1)
    X_test, Y_test = make_sentences(40, seed=1)
    model = ChainHMM(alpha=0.1, order=2, templates=tagging_templates()).fit(X, Y)
    assert model.score(X_test, Y_test) > 0.8
    assert [{type(label) for label in labels} for labels in model.predict(X_test[:2])] == [{str}, {str}]
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(model, "calibrate")


def test_weights_of_a_hand_made_corpus():
    model = ChainHMM(alpha=1.0).fit([np.eye(2), np.eye(2)[:1]], [["a", "b"], ["a"]])
    emissions = np.exp(model.coef_.reshape(-1, 2)[:2])
    np.testing.assert_allclose(emissions, [[3 / 4, 1 / 3], [1 / 4, 2 / 3]])
    start, end, after_a, after_b = np.exp(model.coef_.reshape(-1, 2)[2:])
    np.testing.assert_allclose(start, [3 / 4, 1 / 4])
    np.testing.assert_allclose(end, [2 / 4, 2 / 3])
    np.testing.assert_allclose(after_a, [1 / 2 * 1 / 3, 1 / 2 * 2 / 3])
    np.testing.assert_allclose(after_b, [1 / 3 * 1 / 2, 1 / 3 * 1 / 2])
    assert exp(model.decision_value([np.eye(2)], [["a", "b"]])[0]) == pytest.approx(
        3 / 4 * 3 / 4 * (1 / 2 * 2 / 3) * 2 / 3 * 2 / 3
    )


def test_negative_values_are_refused_in_training_and_prediction():
    X, Y = [np.eye(2), np.eye(2)], [[0, 1], [1, 1]]
    bad = [np.eye(2), np.array([[1.0, 0.0], [0.5, -2.0]])]
    with pytest.raises(ValueError, match=r"Sequence 1, token 1: feature 1 is -2; .*not negative"):
        ChainHMM().fit(bad, Y)
    with pytest.raises(ValueError, match="Sequence 1, token 1: feature 1 is -2"):
        ChainHMM().fit(X, Y).predict(bad)


@pytest.mark.parametrize("alpha", [0.0, -1.0, np.inf, "much", True])
def test_alpha_is_positive(alpha):
    with pytest.raises(ValueError, match="alpha must be a positive number"):
        ChainHMM(alpha=alpha).fit([np.eye(2)], [[0, 1]])


def test_pair_features_are_refused():
    with pytest.raises(ValueError, match="no features of pairs of labels"):
        ChainHMM(templates="U00:%x[0,0]\nB01:%x[0,0]\n").fit([["a", "b"]], [[0, 1]])


def test_a_refused_fit_leaves_the_model():
    X, Y = [np.eye(2), np.eye(2)[:1]], [["a", "b"], ["a"]]
    model = ChainHMM(alpha=1.0).fit(X, Y)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit([np.eye(3)], [["x", "y", "z"]], sample_weight=[-1.0])
    np.testing.assert_array_equal(model.coef_, before)
    assert model.score(X, Y) == 1.0

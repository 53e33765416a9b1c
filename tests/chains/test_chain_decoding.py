"""``decode_``: whether ``predict`` gives the best labelling or the most probable label of each token."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import maxmargin
from maxmargin import ChainCRF, ChainSVC


def faint(n=30, length=60, seed=0):
    """Labels that last, and features that hardly tell them: the best labelling is often one label throughout."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for _ in range(n):
        y = np.cumsum(rng.random(length) < 0.1) % 3
        Y.append(y)
        X.append(np.eye(3)[y] + 2.5 * rng.standard_normal((length, 3)))
    return X, Y


def clear(n=30, length=8, seed=0):
    rng = np.random.default_rng(seed)
    Y = [rng.integers(0, 3, length) for _ in range(n)]
    return [np.eye(3)[y] + 0.1 * rng.standard_normal((length, 3)) for y in Y], Y


@pytest.mark.parametrize("estimator", [ChainSVC, ChainCRF])
def test_tokens_by_themselves_where_that_makes_fewer_mistakes(estimator, tmp_path):
    X, Y = faint()
    model = estimator().fit(X, Y)
    assert model.decode_ == "marginal"
    X_test, Y_test = faint(seed=1)
    chosen = model.predict(X_test)
    for one, other in zip(chosen, model.predict(X_test, decode="marginal")):
        np.testing.assert_array_equal(one, other)
    right = np.concatenate(chosen) == np.concatenate(Y_test)
    assert right.mean() == model.score(X_test, Y_test)
    assert right.mean() > np.mean(np.concatenate(model.predict(X_test, decode="viterbi")) == np.concatenate(Y_test))
    weighted = estimator().fit(X, Y, sample_weight=np.ones(len(X)))
    assert weighted.decode_ == "marginal"
    model.save(tmp_path / "model")
    assert maxmargin.load(tmp_path / "model").decode_ == "marginal"


def spelt(n, seed, labels=30, words=100, length=20):
    """Many labels, few sequences: a likelihood that has all training tokens right knows little of others."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng(5)
    follow, said = fixed.dirichlet(np.full(labels, 0.2), labels), fixed.dirichlet(np.full(words, 0.1), labels)
    X, Y = [], []
    for _ in range(n):
        y = [int(rng.integers(labels))]
        for _ in range(length - 1):
            y.append(int(rng.choice(labels, p=follow[y[-1]])))
        heard = [int(rng.choice(words, p=said[label])) for label in y]
        X.append(
            [[f"{place}: {heard[t + place]}" for place in (-1, 0, 1) if 0 <= t + place < length] for t in range(length)]
        )
        Y.append(y)
    return X, Y


@pytest.mark.parametrize("estimator", [ChainSVC, ChainCRF])
def test_held_out_sequences_decide_where_training_tokens_cannot(estimator):
    X, Y = spelt(25, 0)
    model = estimator(method="likelihood").fit(X, Y) if estimator is ChainSVC else estimator().fit(X, Y)
    for decode in ("viterbi", "marginal"):
        assert np.mean(np.concatenate(model.predict(X, decode=decode)) == np.concatenate(Y)) > 0.98
    assert model.decode_ == "marginal"
    X_test, Y_test = spelt(100, 1)
    right = {
        decode: np.mean(np.concatenate(model.predict(X_test, decode=decode)) == np.concatenate(Y_test))
        for decode in ("viterbi", "marginal")
    }
    assert right["marginal"] > right["viterbi"] + 0.01
    with pytest.warns(ConvergenceWarning, match="max_time"):
        hurried = estimator(max_time=1e-6).fit(X, Y)
    assert hurried.decode_ == "viterbi", "There is no time for folds."


def test_confidence_and_expected_loss_are_of_what_is_predicted():
    X, Y = faint()
    model = ChainCRF().fit(X, Y)
    short = [x[:4] for x in X]
    predicted = model.predict(short)
    scores = model.decision_value(short, predicted)
    best = model.predict_kbest(short, 81)
    total = [np.logaddexp.reduce([one.score for one in ranked]) for ranked in best]
    np.testing.assert_allclose(model.predict_confidence(short), np.exp(scores - total), rtol=1e-9)
    surest = np.exp([ranked[0].score for ranked in best] - np.array(total))
    np.testing.assert_allclose(model.predict_confidence(short, decode="viterbi"), surest, rtol=1e-9)
    probability = model.predict_marginals(short)
    wanted = [sum(1.0 - p[t, label] for t, label in enumerate(y)) for p, y in zip(probability, predicted)]
    np.testing.assert_allclose(model.expected_loss(short), wanted, rtol=1e-9)


@pytest.mark.parametrize("others", ["kept", "free"])
def test_what_is_explained_is_what_was_predicted(others):
    X, Y = faint()
    model = ChainCRF().fit(X, Y)
    assert model.decode_ == "marginal"
    predicted = model.predict(X[:20])
    assert any((one != other).any() for one, other in zip(predicted, model.predict(X[:20], decode="viterbi")))
    for x, labels in zip(X[:20], predicted):
        found = model.explain(x, 1, others=others)
        np.testing.assert_array_equal(found.labels, labels)
        assert (found.label, found.runner_up) == (labels[1], found.runner_up_labels[1])
        scores = model.decision_value([x, x], [found.labels, found.runner_up_labels])
        assert found.difference == pytest.approx(scores[0] - scores[1], abs=1e-9)
        assert sum(part.amount for part in found.contributions) == pytest.approx(found.difference, abs=1e-9)


def test_the_best_labelling_otherwise():
    X, Y = clear()
    model = ChainCRF().fit(X, Y)
    assert model.decode_ == "viterbi"
    X, Y = faint()
    assert ChainSVC(method="structural").fit(X, Y).decode_ == "viterbi"
    assert ChainCRF(class_weight={0: 2.0}).fit(X, Y).decode_ == "viterbi"
    some = [[None, *y[1:].tolist()] for y in Y]
    assert ChainCRF().fit(X, some).decode_ == "viterbi"
    model = ChainCRF().fit(X, Y)
    steps = np.ones((3, 3), dtype=bool)
    steps[0, 1] = False
    with_steps = model.predict(X, steps=steps)
    for one, other in zip(with_steps, model.predict(X, steps=steps, decode="viterbi")):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="decode must be"):
        model.predict(X, decode="best")

"""ChainCRF with weights of labels and with labels known in part, against enumerated labellings and scikit-learn."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from maxmargin import ChainCRF, Unsupported
from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.likelihood import ChainLikelihood
from maxmargin.chains.sequences import pack
from maxmargin.solvers.base import Status

RNG = np.random.default_rng(5)
X = [np.round(RNG.standard_normal((length, 4)), 2) for length in (1, 2, 3, 4, 3, 2, 4, 1)]
Y = [RNG.integers(0, 3, len(x)) for x in X]
SAMPLE = np.array([1.0, 0.0, 2.0, 0.5, 1.0, 1.0, 3.0, 1.0])
WEIGHT = np.array([1.0, 5.0, 0.3])
PARTIAL = [[int(y) if t % 2 == i % 2 else None for t, y in enumerate(labels)] for i, labels in enumerate(Y)]
PARTIAL[3][0], PARTIAL[4], PARTIAL[6][2] = {0, 2}, [{0, 1}, 2, {1, 2}], {1}


def allowed_by(known):
    everything = {0, 1, 2}
    return [[everything if e is None else e if isinstance(e, set) else {e} for e in entries] for entries in known]


def enumerated(chain, known, sample, weight):
    """Loss and gradient from all labellings: log of the sum of all, less that of those that are allowed."""
    cases = []
    for x, possible, s in zip(X, allowed_by(known), sample):
        outputs = list(product(range(3), repeat=len(x)))
        features = np.array([chain.joint_feature(x, y).toarray().ravel() for y in outputs])
        offset = np.array([-np.log(weight[list(y)]).sum() for y in outputs])
        inside = np.array([all(label in labels for label, labels in zip(y, possible)) for y in outputs])
        cases.append((features, offset, inside, s))

    def loss(w):
        total, gradient = 0.0, np.zeros(w.size)
        for features, offset, inside, s in cases:
            scores = features @ w + offset
            every, some = np.logaddexp.reduce(scores), np.logaddexp.reduce(scores[inside])
            total += s * (every - some)
            gradient += s * (np.exp(scores - every) @ features - np.exp(scores[inside] - some) @ features[inside])
        return total, gradient

    return loss


def mask(known):
    return np.array([[label in e for label in range(3)] for entries in allowed_by(known) for e in entries], np.uint8)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("known", [None, PARTIAL])
@pytest.mark.parametrize("weight", [np.ones(3), WEIGHT])
def test_value_and_gradient(order, known, weight):
    chain = Chain(n_labels=3, n_features=4, order=order, eta=0.7, constant=1.0)
    codes = np.concatenate(Y).astype(np.int32)
    allowed = None if known is None else mask(known)
    if allowed is not None:
        codes = allowed.argmax(axis=1).astype(np.int32)
    offset = -np.log(weight)
    problem = ChainLikelihood(chain, ChainInput(pack(X)), codes, SAMPLE, 1, False, label_offset=offset, allowed=allowed)
    loss = enumerated(chain, [y.tolist() for y in Y] if known is None else known, SAMPLE, weight)
    w = np.random.default_rng(order).standard_normal(problem.free.size)
    value, gradient = problem.gradient(w)
    assert value == pytest.approx(loss(w)[0], rel=1e-9)
    np.testing.assert_allclose(gradient, loss(w)[1], atol=1e-8)
    assert problem.value_at_zero == pytest.approx(loss(np.zeros_like(w))[0], rel=1e-9)


@pytest.mark.parametrize("solver", ["dual", "lbfgs", "auto"])
def test_optimum_with_weights_of_labels(solver):
    weights = {0: 1.0, 1: 5.0, 2: 0.3}
    model = ChainCRF(C=1.5, class_weight=weights, solver=solver, tol=1e-6).fit(X, Y, sample_weight=SAMPLE)
    loss = enumerated(model.chain_, [y.tolist() for y in Y], SAMPLE, WEIGHT)

    def objective(w):
        value, gradient = loss(w)
        return 1.5 * value + 0.5 * w @ w, 1.5 * gradient + w

    best = minimize(objective, np.zeros(model.coef_.size), jac=True)
    found = model.solution_
    assert found.status is Status.CONVERGED
    assert found.primal == pytest.approx(objective(model.coef_)[0], rel=1e-7)
    assert found.primal == pytest.approx(best.fun, rel=1e-4)
    assert found.dual <= best.fun * (1 + 1e-6)


def test_balanced_weights():
    counts = np.bincount(np.concatenate(Y), np.repeat(SAMPLE, [len(y) for y in Y]), 3)
    weights = {label: counts.sum() / (3 * count) for label, count in enumerate(counts)}
    found = ChainCRF(C=1.5, class_weight="balanced").fit(X, Y, sample_weight=SAMPLE)
    np.testing.assert_allclose(
        found.coef_, ChainCRF(C=1.5, class_weight=weights).fit(X, Y, sample_weight=SAMPLE).coef_, atol=1e-9
    )


def test_single_tokens_with_weights_are_a_weighted_logistic_regression():
    """Where the model is right and data are many, both multiply the odds of a class by its weight."""
    rng = np.random.default_rng(0)
    features = rng.standard_normal((5_000, 2))
    labels = (rng.random(5_000) < 1.0 / (1.0 + np.exp(2.0 - features @ [1.0, -0.5]))).astype(int)
    judge = LogisticRegression(class_weight={1: 4.0}).fit(features, labels)
    model = ChainCRF(C=100.0, ends=False, class_weight={1: 4.0}).fit([x[None] for x in features], labels)
    chance = np.concatenate(model.predict_marginals([x[None] for x in features[:500]]))[:, 1]
    np.testing.assert_allclose(chance, judge.predict_proba(features[:500])[:, 1], atol=0.04)
    plain = ChainCRF(C=100.0, ends=False).fit([x[None] for x in features], labels)
    share = [np.mean(np.concatenate(m.predict([x[None] for x in features])) == 1) for m in (plain, model)]
    assert share[1] > share[0] + 0.1


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ({1: 0.0}, "positive finite"),
        ({9: 1.0}, "not a label"),
        ([1.0], "must be a dict"),
        ({1: "a"}, "positive finite"),
    ],
)
def test_refused_weights(weights, words):
    with pytest.raises(ValueError, match=words):
        ChainCRF(class_weight=weights).fit(X, Y)


@pytest.mark.parametrize("order", [1, 2])
def test_partly_known_labels_reach_a_local_optimum(order):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ChainCRF(C=0.5, order=order, tol=1e-8).fit(X, PARTIAL)
    found = model.solution_
    assert found.status is Status.LOCAL
    assert found.gap is None
    assert found.dual is None
    loss = enumerated(model.chain_, PARTIAL, np.ones(len(X)), np.ones(3))

    def objective(w):
        value, gradient = loss(w)
        return 0.5 * value + 0.5 * w @ w, 0.5 * gradient + w

    value, slope = objective(model.coef_)
    assert found.primal == pytest.approx(value, rel=1e-9)
    assert np.abs(slope).max() < 1e-2
    near = minimize(objective, model.coef_, jac=True, options={"gtol": 1e-8})
    np.testing.assert_allclose(model.coef_, near.x, atol=2e-3)
    assert value < objective(np.zeros(model.coef_.size))[0]


def test_labels_known_in_full_by_sets_are_labels():
    sets = [[{int(label)} for label in y] for y in Y]
    np.testing.assert_array_equal(ChainCRF().fit(X, sets).coef_, ChainCRF().fit(X, Y).coef_)


def test_a_third_of_the_labels_teaches_most_of_it():
    rng = np.random.default_rng(1)
    many = [rng.standard_normal((12, 5)) for _ in range(80)]
    means = rng.standard_normal((5, 3)) * 2.0
    truth = [np.argmax(x @ means, axis=1) for x in many]
    half = [[int(y) if rng.random() < 0.3 else None for y in labels] for labels in truth]
    model = ChainCRF(C=5.0).fit(many[:60], half[:60])
    assert model.score(many[60:], truth[60:]) > 0.9


@pytest.mark.parametrize(
    ("options", "words"), [({"solver": "dual"}, "label of every token"), ({"observed": True}, "label of every token")]
)
def test_what_needs_every_label(options, words):
    with pytest.raises((Unsupported, ValueError), match=words):
        ChainCRF(**options).fit(X, PARTIAL)

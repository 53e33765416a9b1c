"""MulticlassSVC: what it minimises, and every kind of input that it takes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from maxmargin import MulticlassSVC, Status

COST = np.array([[0.0, 1.0, 4.0], [0.5, 0.0, 1.0], [2.0, 0.0, 0.0]])  # not symmetric; 2 mistaken for 1 is free


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    return rng.standard_normal((60, 4)) + np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])[y], y


def brute_objective(W, X, y, C, cost, rescaling, slack, weight=1.0):
    """The sum over every class of every example, written down anew. ``W`` has one row per class."""
    scores = X @ W.T
    psi = scores[np.arange(len(y)), y][:, None] - scores
    delta = cost[y] if slack == "linear" else np.sqrt(cost[y])
    other = np.arange(W.shape[0]) != y[:, None]
    violation = {"margin": delta - psi, "slack": delta * (1.0 - psi), "none": 1.0 - psi}[rescaling]
    slacks = np.maximum(0.0, np.where(other, violation, 0.0).max(axis=1))
    risk = slacks if slack == "linear" else 0.5 * slacks**2
    return 0.5 * np.sum(W**2) + C * np.sum(weight * risk)


@pytest.mark.parametrize("solver", ["bcfw", "n-slack", "one-slack"])
@pytest.mark.parametrize("slack", ["linear", "squared"])
@pytest.mark.parametrize("rescaling", ["margin", "slack", "none"])
def test_cost_matrix_against_brute_force(blobs, rescaling, slack, solver):
    X, y = blobs
    C = 0.3
    model = MulticlassSVC(
        C=C, cost=COST, decision="score", rescaling=rescaling, slack=slack, solver=solver, fit_intercept=False, tol=1e-6
    ).fit(X, y)
    reached = brute_objective(model.coef_, X, y, C, COST, rescaling, slack)
    assert model.solution_.primal == pytest.approx(reached, rel=1e-9)
    assert -1e-9 <= model.solution_.gap <= C * len(y) * 1e-6 * (1 + 1e-9)
    # the dual is a lower bound that no other weights may beat, and a general optimiser cannot do better
    start = model.coef_ + 0.05 * np.random.default_rng(1).standard_normal(model.coef_.shape)
    rival = minimize(
        lambda w: brute_objective(w.reshape(3, -1), X, y, C, COST, rescaling, slack), start.ravel(), method="Powell"
    )
    assert model.solution_.dual <= rival.fun + 1e-9
    assert rival.fun == pytest.approx(reached, rel=0.05)


def test_costly_mistakes_are_avoided(blobs):
    X, y = blobs
    plain = MulticlassSVC(C=1.0).fit(X, y)
    cost = np.ones((3, 3)) - np.eye(3)
    cost[0, 1:] = 50.0
    careful = MulticlassSVC(C=1.0, cost=cost, rescaling="slack").fit(X, y)
    missed = [np.sum(model.predict(X[y == 0]) != 0) for model in (plain, careful)]
    assert missed[1] == 0 < missed[0]


def test_zero_one_cost_is_the_default(blobs):
    X, y = blobs
    first = MulticlassSVC(C=0.1, slack="linear").fit(X, y)
    second = MulticlassSVC(C=0.1, slack="linear", cost=(1 - np.eye(3, dtype=int)).tolist()).fit(X, y)
    np.testing.assert_allclose(first.coef_, second.coef_, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("solver", ["bcfw", "n-slack", "one-slack", "subgradient"])
@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_sample_weight_enters_the_objective(blobs, solver, slack):
    X, y = blobs
    weight = np.random.default_rng(2).random(60) * (np.arange(60) % 3 > 0)
    model = MulticlassSVC(C=0.5, solver=solver, slack=slack, fit_intercept=False, tol=1e-4)
    reached = brute_objective(
        model.fit(X, y, sample_weight=weight).coef_, X, y, 0.5, 1 - np.eye(3), "margin", slack, weight
    )
    assert model.solution_.primal == pytest.approx(reached, rel=1e-9)
    best = MulticlassSVC(C=0.5, slack=slack, fit_intercept=False, tol=1e-7).fit(X, y, sample_weight=weight)
    assert reached <= best.solution_.primal * (1.05 if solver == "subgradient" else 1.002)


@pytest.mark.parametrize("slack", ["linear", "squared"])
@pytest.mark.parametrize("C", [0.1, "scale"])
def test_sample_weight_is_repetition(blobs, slack, C):
    X, y = blobs
    times = np.random.default_rng(3).integers(0, 4, 60)
    weighted = MulticlassSVC(C=C, slack=slack, tol=1e-8, max_iter=None).fit(X, y, sample_weight=times)
    repeated = MulticlassSVC(C=C, slack=slack, tol=1e-8, max_iter=None).fit(
        np.repeat(X, times, axis=0), np.repeat(y, times)
    )
    assert pytest.approx(repeated.C_) == weighted.C_
    assert weighted.solution_.primal == pytest.approx(repeated.solution_.primal, rel=1e-6)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-3)


def test_class_weight_is_sample_weight(blobs):
    X, y = blobs
    names = np.array(["ape", "bee", "cat"])[y]
    by_class = MulticlassSVC(C=0.1, class_weight={"ape": 3.0, "bee": 1.0, "cat": 0.5}, tol=1e-6).fit(X, names)
    by_sample = MulticlassSVC(C=0.1, tol=1e-6).fit(X, names, sample_weight=np.array([3.0, 1.0, 0.5])[y])
    np.testing.assert_allclose(by_class.coef_, by_sample.coef_, rtol=1e-12)
    both = MulticlassSVC(C=0.1, class_weight={"ape": 3.0}, tol=1e-6).fit(
        X, names, sample_weight=[1.0, 1.0, 0.5] @ np.eye(3)[y].T
    )
    np.testing.assert_allclose(both.coef_, by_sample.coef_, rtol=1e-12)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"zebra": 2}, "class_weight names the class 'zebra', which is none of the classes of y"),
        ({"ape": "much"}, "class_weight must map classes to numbers"),
        ("even", "class_weight must map classes to numbers, or be 'balanced'"),
    ],
)
def test_bad_class_weight(blobs, weights, message):
    X, y = blobs
    with pytest.raises(ValueError, match=message):
        MulticlassSVC(class_weight=weights).fit(X, np.array(["ape", "bee", "cat"])[y])


def test_balanced_class_weight(blobs):
    X, y = blobs
    kept = np.flatnonzero((y != 0) | (np.arange(60) % 4 == 0))
    X, y = X[kept], y[kept]
    weight = (len(y) / (3 * np.bincount(y)))[y]
    balanced = MulticlassSVC(C=0.1, class_weight="balanced", tol=1e-6).fit(X, y)
    np.testing.assert_allclose(balanced.coef_, MulticlassSVC(C=0.1, tol=1e-6).fit(X, y, sample_weight=weight).coef_)


LABELS = {
    "int": np.array([7, -2, 30]),
    "far apart": np.array([-(10**15), 0, 10**15]),
    "int8": np.array([-100, 0, 100], dtype=np.int8),
    "uint64": np.array([0, 3, 2**64 - 1], dtype=np.uint64),
    "high uint64": np.array([2**64 - 9, 2**64 - 5, 2**64 - 1], dtype=np.uint64),
    "float": np.array([1.0, -3.0, 2.0]),
    "str": np.array(["wolf", "ant", "béé"]),
    "object": np.array(["wolf", "ant", "b"], dtype=object),
    "bytes": np.array([b"wolf", b"ant", b"b"]),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_kind(blobs, kind):
    X, y = blobs
    X, y = np.tile(X, (4, 1)), np.tile(y, 4)
    labels = LABELS[kind]
    names = labels[y]
    if kind == "bytes":
        with pytest.raises(TypeError, match="bytes"):  # scikit-learn's own refusal, with the remedy in it
            MulticlassSVC(C=0.1).fit(X, names)
        return
    model = MulticlassSVC(C=0.1, fit_intercept=False, tol=1e-6).fit(X, names)
    np.testing.assert_array_equal(model.classes_, np.sort(labels))
    assert model.classes_.dtype == labels.dtype
    answers = model.predict(X)
    assert answers.dtype == labels.dtype
    plain = MulticlassSVC(C=0.1, fit_intercept=False, tol=1e-6).fit(X, y)
    order = np.argsort(labels)
    np.testing.assert_allclose(model.coef_, plain.coef_[order], atol=2e-3)
    assert np.mean(answers == labels[plain.predict(X)]) > 0.99
    assert model.score(X, names) > 0.5


def test_boolean_labels(blobs):
    X, y = blobs
    model = MulticlassSVC(C=1.0).fit(X, y == 0)
    assert model.classes_.tolist() == [False, True]
    assert model.predict(X).dtype == bool
    np.testing.assert_array_equal(model.decision_function(X) > 0.0, model.predict(X))


def test_lists_and_series_as_labels(blobs):
    X, y = blobs
    names = [f"class {k}" for k in y]
    expected = MulticlassSVC(C=0.1).fit(X, names).predict(X)
    for given in (tuple(names), pd.Series(names, index=np.arange(60)[::-1]), pd.Series(names, dtype="category")):
        np.testing.assert_array_equal(MulticlassSVC(C=0.1).fit(X, given).predict(X), expected)


def test_label_set_of_one_dimension_only(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match=r"1d array|multilabel"):
        MulticlassSVC().fit(X, np.eye(3)[y])
    with pytest.raises(ValueError, match="continuous"):
        MulticlassSVC().fit(X, y + 0.5)


def test_decision_function_shapes(blobs):
    X, y = blobs
    three = MulticlassSVC(C=0.1).fit(X, y)
    assert three.decision_function(X).shape == (60, 3)
    assert three.decision_function(X[:1]).shape == (1, 3)
    np.testing.assert_allclose(three.decision_function(X), X @ three.coef_.T + three.intercept_, atol=1e-12)
    np.testing.assert_array_equal(three.classes_[np.argmax(three.decision_function(X), axis=1)], three.predict(X))
    two = MulticlassSVC(C=0.1).fit(X, y > 0)
    assert two.decision_function(X).shape == (60,)
    assert two.coef_.shape == (2, 4)
    scores = X @ two.coef_.T + two.intercept_
    np.testing.assert_allclose(two.decision_function(X), scores[:, 1] - scores[:, 0], atol=1e-12)


def test_the_best_classes(blobs):
    X, y = blobs
    model = MulticlassSVC(C=0.1).fit(X, np.array(["a", "b", "c"])[y])
    best = model.predict_kbest(X, 3)
    top = np.array([[entry.output for entry in few] for few in best])
    np.testing.assert_array_equal(top[:, 0], model.predict(X))
    assert all(sorted(row) == ["a", "b", "c"] for row in top)
    scores = np.take_along_axis(model.decision_function(X), np.searchsorted(model.classes_, top), axis=1)
    assert (np.diff(scores, axis=1) <= 0.0).all()
    np.testing.assert_array_equal([[entry.score for entry in few] for few in best], scores)
    assert model.predict_kbest(X, 2) == [few[:2] for few in best]
    assert model.predict_kbest(X, 9) == best
    assert {len(few) for few in MulticlassSVC(C=0.1).fit(X, y > 0).predict_kbest(X, 1)} == {1}
    for k in (0, 1.5, -1, True):
        with pytest.raises(ValueError, match=f"k must be a positive integer, not {k}"):
            model.predict_kbest(X, k)


def test_intercept_is_a_constant_feature(blobs):
    X, y = blobs
    model = MulticlassSVC(C=0.1, intercept_scaling=2.5, tol=1e-8).fit(X, y)
    with_column = MulticlassSVC(C=0.1, fit_intercept=False, tol=1e-8).fit(np.c_[X, np.full(60, 2.5)], y)
    assert model.solution_.primal == pytest.approx(with_column.solution_.primal, rel=1e-6)
    np.testing.assert_allclose(model.intercept_, 2.5 * with_column.coef_[:, -1], atol=1e-3)
    assert model.coef_.shape == (3, 4)
    np.testing.assert_array_equal(MulticlassSVC(C=0.1, fit_intercept=False).fit(X, y).intercept_, np.zeros(3))


def test_one_feature_and_many_classes():
    X = np.repeat(np.arange(7.0), 3)[:, None]
    y = X.ravel().astype(int)
    model = MulticlassSVC(C=1.0, tol=1e-4).fit(X, y)
    assert model.coef_.shape == (7, 1)
    assert model.decision_function(X).shape == (21, 7)
    rng = np.random.default_rng(4)
    means = rng.standard_normal((40, 6)) * 4
    y = np.repeat(np.arange(40), 4)
    many = MulticlassSVC(C=1.0, tol=1e-3).fit(means[y] + 0.1 * rng.standard_normal((160, 6)), y)
    assert many.score(means, np.arange(40)) > 0.9


def test_one_example_a_class():
    X = np.eye(5)
    model = MulticlassSVC(C=10.0, slack="linear", fit_intercept=False, tol=1e-8).fit(X, np.arange(5))
    assert model.score(X, np.arange(5)) == 1.0
    # the hard-margin solution of this set: every margin is exactly 1
    np.testing.assert_allclose(model.coef_, np.eye(5) - 0.2, atol=1e-4)


@pytest.mark.parametrize("solver", ["bcfw", "n-slack", "one-slack", "subgradient", "perceptron"])
def test_same_seed_same_bits(solver):
    X, y = load_iris(return_X_y=True)
    first, second, other = (
        MulticlassSVC(C=0.01, solver=solver, random_state=seed, tol=0.01).fit(X, y) for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first.coef_, second.coef_)
    np.testing.assert_array_equal(first.intercept_, second.intercept_)
    assert first.n_iter_ == second.n_iter_
    if solver != "one-slack":  # which draws nothing
        assert not np.array_equal(first.coef_, other.coef_)


@pytest.mark.parametrize("solver", ["bcfw", "one-slack"])
def test_threads_do_not_change_the_answer(blobs, solver):
    X, y = blobs
    X, y = np.tile(X, (50, 1)) + 0.1 * np.random.default_rng(5).standard_normal((3000, 4)), np.tile(y, 50)
    one = MulticlassSVC(C=0.001, solver=solver, tol=1e-5).fit(X, y)
    three = MulticlassSVC(C=0.001, solver=solver, tol=1e-5, n_jobs=3).fit(X, y)
    assert three.solution_.primal == pytest.approx(one.solution_.primal, rel=1e-4)
    np.testing.assert_array_equal(one.set_params(n_jobs=3).predict(X), one.set_params(n_jobs=-1).predict(X))


@pytest.mark.parametrize("solver", ["auto", "n-slack", "bcfw"])
def test_hard_margin(solver):
    X = np.array([[2.0, 0.0], [3.0, 1.0], [0.0, 2.0], [-1.0, 3.0], [-2.0, -2.0]])
    y = np.array([0, 0, 1, 1, 2])
    model = MulticlassSVC(slack="hard", solver=solver, fit_intercept=False, tol=1e-4).fit(X, y)
    scores = model.decision_function(X)
    margin = scores[np.arange(5), y][:, None] - np.where(np.arange(3) == y[:, None], -np.inf, scores)
    assert margin.min() == pytest.approx(1.0, abs=1e-3)
    soft = MulticlassSVC(C=1e3, slack="linear", fit_intercept=False, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.coef_, soft.coef_, atol=1e-2)
    assert soft.solution_.slack.max() < 1e-4


@pytest.mark.parametrize("solver", ["n-slack", "bcfw"])
def test_hard_margin_without_solution(solver):
    X, y = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), [0, 1, 2]
    with pytest.warns(ConvergenceWarning, match=r"no solution.*example 0, 1; .*slack='linear'"):
        model = MulticlassSVC(slack="hard", solver=solver).fit(X, y)
    assert model.solution_.status is Status.INFEASIBLE

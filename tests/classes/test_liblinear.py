"""LIBLINEAR, through LinearSVC(multi_class="crammer_singer"), as an independent judge of objective and weights."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, make_blobs
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from maxmargin import MulticlassSVC

SETS = ["iris", "digits", "sparse"]


def data(name):
    if name == "iris":
        X, y = load_iris(return_X_y=True)
        return StandardScaler().fit_transform(X), y
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return X[:600] / 16.0, y[:600]
    rng = np.random.default_rng(0)
    X = sp.random_array((300, 400), density=0.03, rng=rng, format="csr", data_sampler=rng.standard_normal)
    y = np.argmax(X @ rng.standard_normal((400, 5)) + 0.3 * rng.standard_normal((300, 5)), axis=1)
    return X, y


def liblinear(X, y, C, **options):
    """Fits LinearSVC to a tight tolerance; newer versions of scikit-learn announce changes that do not matter here."""
    judge = LinearSVC(C=C, multi_class="crammer_singer", tol=1e-9, max_iter=200_000, random_state=0, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return judge.fit(X, y)


def objective(coef, bias, X, y, C, weight=None):
    """``1/2 |w|^2 + C sum_i s_i max_k ([k != y_i] + <w_k - w_{y_i}, x_i>)``; ``bias`` is the weight of the constant."""
    scores = X @ coef.T + bias["intercept"]
    rows = np.arange(len(y))
    slack = (scores - scores[rows, y][:, None] + 1.0 - (np.arange(coef.shape[0]) == y[:, None])).max(axis=1)
    risk = slack.sum() if weight is None else slack @ weight
    return 0.5 * np.sum(coef**2) + 0.5 * np.sum(bias["weight"] ** 2) + C * risk


def parts(model, scaling):
    """Intercepts as they are added to scores and as they are regularised."""
    intercept = np.broadcast_to(model.intercept_, model.coef_.shape[:1])
    return {"intercept": intercept, "weight": intercept / scaling if scaling else np.zeros_like(intercept)}


def relative_tol(share, expected, C, n):
    """The ``tol`` at which the gap is a given share of the objective."""
    return share * expected / (C * n)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(("solver", "scaling"), [("bcfw", None), ("bcfw", 1.0), ("bcfw", 3.0), ("n-slack", 1.0)])
def test_objective_and_weights(name, solver, scaling):
    X, y = data(name)
    C = 0.1
    options = {"fit_intercept": scaling is not None, "intercept_scaling": scaling or 1.0}
    judge = liblinear(X, y, C, **options)
    expected = objective(judge.coef_, parts(judge, scaling), X, y, C)
    ours = MulticlassSVC(
        C=C, slack="linear", solver=solver, tol=relative_tol(1e-8, expected, C, len(y)), **options
    ).fit(X, y)
    reached = objective(ours.coef_, parts(ours, scaling), X, y, C)
    assert reached == pytest.approx(expected, rel=1e-6)
    assert ours.solution_.primal == pytest.approx(reached, rel=1e-9)
    assert ours.solution_.dual <= expected
    assert_same_weights(ours, judge)


def assert_same_weights(ours, judge):
    """To 1e-4 of their norm."""
    theirs = np.c_[judge.coef_, np.broadcast_to(judge.intercept_, len(judge.coef_))]
    assert np.linalg.norm(np.c_[ours.coef_, ours.intercept_] - theirs) <= 1e-4 * np.linalg.norm(theirs)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("scaling", [None, 1.0])
def test_objective_of_one_slack(name, scaling):
    X, y = data(name)
    C = 0.1
    judge = liblinear(X, y, C, fit_intercept=scaling is not None)
    expected = objective(judge.coef_, parts(judge, scaling), X, y, C)
    tol = relative_tol(5e-5, expected, C, len(y))
    options = {"fit_intercept": scaling is not None, "intercept_scaling": scaling or 1.0}
    ours = MulticlassSVC(C=C, slack="linear", solver="one-slack", tol=tol, **options).fit(X, y)
    reached = objective(ours.coef_, parts(ours, scaling), X, y, C)
    assert expected * (1.0 - 1e-8) <= reached <= expected * (1.0 + 1e-4)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("C", [1e-3, 10.0])
def test_small_and_large_c(name, C):
    X, y = data(name)
    judge = liblinear(X, y, C, fit_intercept=False)
    expected = objective(judge.coef_, parts(judge, None), X, y, C)
    ours = MulticlassSVC(C=C, slack="linear", fit_intercept=False, tol=relative_tol(1e-5, expected, C, len(y))).fit(
        X, y
    )
    assert objective(ours.coef_, parts(ours, None), X, y, C) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("name", ["iris", "sparse"])
def test_sample_weight_is_repetition(name):
    X, y = data(name)
    times = np.random.default_rng(1).integers(0, 4, len(y))
    repeated = np.repeat(np.arange(len(y)), times)
    judge = liblinear(X[repeated], y[repeated], 0.1, fit_intercept=False)
    ours = MulticlassSVC(C=0.1, slack="linear", fit_intercept=False, tol=1e-9).fit(X, y, sample_weight=times)
    expected = objective(judge.coef_, parts(judge, None), X[repeated], y[repeated], 0.1)
    assert objective(ours.coef_, parts(ours, None), X, y, 0.1, times) == pytest.approx(expected, rel=1e-4)
    assert ours.solution_.primal == pytest.approx(expected, rel=1e-4)
    assert_same_weights(ours, judge)


@pytest.mark.parametrize("centers", [2, 3])
def test_class_weights_without_intercept(centers):
    """The data of scikit-learn's check_class_weight_classifiers, where a model without intercept has to disagree."""
    X, y = make_blobs(centers=centers, random_state=0, cluster_std=20)
    weights = {0: 1000, **dict.fromkeys(range(1, centers), 0.0001)}
    judge = liblinear(X[:50], y[:50], 1e-3, fit_intercept=False, class_weight=weights)
    ours = MulticlassSVC(C=1e-3, slack="linear", fit_intercept=False, class_weight=weights, tol=1e-5).fit(
        X[:50], y[:50]
    )
    assert np.mean((ours.predict(X) == 0) == (judge.predict(X) == 0)) > 0.97
    assert 0.4 < np.mean(ours.predict(X) == 0) < 0.87
    coef = (
        judge.coef_ if centers > 2 else np.r_[-judge.coef_, judge.coef_] / 2
    )  # of two classes it keeps the difference
    bias = {"intercept": np.zeros(centers), "weight": np.zeros(centers)}
    expected = objective(coef, bias, X[:50], y[:50], 1e-3, np.where(y[:50] == 0, 1000, 0.0001))
    assert ours.solution_.primal == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_two_classes_are_the_binary_hinge(slack):
    """With w_1 = -w_0 = v / 2 the margin is <v, x> and |w|^2 is |v|^2 / 2: C for the classes is 2 C for the hinge.

    Our squared slack is multiplied by 1/2, the squared hinge of LIBLINEAR is not.
    """
    X, y = load_iris(return_X_y=True)
    X, y = StandardScaler().fit_transform(X[y > 0]), y[y > 0] - 1
    C = 0.05
    ours = MulticlassSVC(C=C, slack=slack, fit_intercept=False, tol=1e-9).fit(X, y)
    loss, binary = ("hinge", 2 * C) if slack == "linear" else ("squared_hinge", C)
    judge = LinearSVC(C=binary, loss=loss, dual=True, fit_intercept=False, tol=1e-10, max_iter=10**6).fit(X, y)
    np.testing.assert_allclose(ours.coef_[0], -ours.coef_[1], atol=1e-6)
    np.testing.assert_allclose(2 * ours.coef_[1], judge.coef_[0], rtol=1e-3, atol=1e-4)
    hinge = np.maximum(0.0, 1.0 - (2.0 * y - 1.0) * (X @ judge.coef_[0]))
    risk = hinge.sum() if slack == "linear" else 0.5 * (hinge**2).sum()
    assert ours.solution_.primal == pytest.approx(0.25 * np.sum(judge.coef_**2) + C * risk, rel=1e-4)
    np.testing.assert_allclose(ours.decision_function(X), judge.decision_function(X), atol=1e-3)

"""Optima with kernels against a general QP solver and against scikit-learn's SVC."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.svm import SVC

from kernel_cases import classes, rows
from maxmargin import Kernel, LowRank, MeasureSVC, MulticlassSVC
from maxmargin.datasets import MissingDataError, load_mnist, load_uci_letter
from reference import FORMULATIONS, multiclass_planes, solve

COST = np.array([[0.0, 1.0, 2.0], [0.5, 0.0, 1.0], [2.0, 0.25, 0.0]])


def factor(values):
    """Rows whose inner products are the values of a kernel."""
    eigenvalues, vectors = np.linalg.eigh(values)
    kept = eigenvalues > 1e-13 * eigenvalues[-1]
    return vectors[:, kept] * np.sqrt(eigenvalues[kept])


@pytest.mark.parametrize(("rescaling", "slack"), FORMULATIONS)
@pytest.mark.parametrize("costs", [False, True])
def test_the_optimum_is_that_of_a_general_solver(rescaling, slack, costs):
    X, gamma = rows(n=40), 0.7
    y, cost = classes(X), COST if costs else 1.0 - np.eye(3)
    best = solve(multiclass_planes(factor(rbf_kernel(X, gamma=gamma)), y, cost, rescaling, slack), 2.0)
    model = MulticlassSVC(
        2.0,
        method="structural",
        cost=cost,
        decision="score",
        kernel=Kernel("rbf", gamma=gamma),
        rescaling=rescaling,
        slack=slack,
        fit_intercept=False,
        tol=1e-8,
        max_iter=20_000,
    ).fit(X, y)
    assert model.solution_.primal == pytest.approx(best.value, rel=1e-6)


@pytest.mark.parametrize("solver", ["one-slack", "n-slack", "bcfw"])
def test_solvers_reach_the_optimum_with_a_kernel(solver):
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    kernel = Kernel("poly", gamma=0.1, degree=2)
    values = polynomial_kernel(X, gamma=0.1, degree=2, coef0=1.0)
    best = solve(multiclass_planes(factor(values), y, 1.0 - np.eye(3), "margin", "linear"), 1.0)
    model = MulticlassSVC(1.0, kernel=kernel, solver=solver, slack="linear", fit_intercept=False, tol=1e-7)
    assert model.fit(X, y).solution_.primal == pytest.approx(best.value, rel=1e-5)


@pytest.fixture(scope="module")
def two_digits():
    X, y = load_digits(return_X_y=True)
    chosen = np.isin(y, (3, 8))
    return X[chosen][:240], y[chosen][:240]


def without_intercept(kernel, X, y, C):
    """SVC on all rows and their mirror images, for which the intercept is 0: scores of rows, and the objective."""
    values = kernel.block(X, X)
    both = np.block([[values, -values], [-values, values]])
    fitted = SVC(C=C / 2.0, kernel="precomputed", tol=1e-8).fit(both, np.concatenate([y, -y]))
    assert fitted.intercept_[0] == pytest.approx(0.0, abs=1e-6)
    scores = fitted.decision_function(both[: len(X)])
    dual = fitted.dual_coef_[0]
    square = float(dual @ both[np.ix_(fitted.support_, fitted.support_)] @ dual)
    return scores, square / 2.0 + C * np.maximum(0.0, 1.0 - y * scores).sum()


@pytest.mark.parametrize("kernel", [Kernel("rbf", gamma=0.002), Kernel("poly", gamma=0.001)], ids=["rbf", "poly"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_two_classes_are_those_of_svc(two_digits, kernel, C):
    X, y = two_digits
    sign = np.where(y == 8, 1.0, -1.0)
    scores, objective = without_intercept(kernel, X, sign, C)
    measure = MeasureSVC(
        "error_rate", C, method="structural", kernel=kernel, fit_intercept=False, threshold_for=None, tol=1e-9
    ).fit(X, y)
    assert measure.solution_.primal == pytest.approx(objective, rel=2e-4)  # SVC stops there
    np.testing.assert_allclose(measure.decision_function(X), scores, atol=1e-3)
    # Crammer and Singer's two weight vectors are u and -u: half the objective of one vector 2 u with twice the C.
    crammer_singer = MulticlassSVC(
        C / 2.0, slack="linear", method="structural", kernel=kernel, fit_intercept=False, tol=1e-9
    ).fit(X, y)
    assert 2.0 * crammer_singer.solution_.primal == pytest.approx(measure.solution_.primal, rel=1e-6)
    np.testing.assert_allclose(crammer_singer.decision_function(X), scores, atol=1e-3)


def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16.0, y


def letter():
    X, y = load_uci_letter("train")
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def mnist():
    X, y = load_mnist("train")
    return X[:8000].reshape(8000, -1) / 255.0, np.asarray(y)[:8000]


SETS = [
    pytest.param(digits, 60, (3, 8), 0.02, id="digits"),
    pytest.param(letter, 60, ("O", "Q"), 0.06, marks=pytest.mark.slow, id="letter"),
    pytest.param(mnist, 60, (3, 8), 0.02, marks=pytest.mark.slow, id="MNIST"),
]


def read(load):
    try:
        return load()
    except MissingDataError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(("load", "n", "pair", "gamma"), SETS)
@pytest.mark.parametrize("by_rows", [False, True], ids=["factor", "rows"])
def test_many_classes_of_real_data_are_those_of_a_general_solver(load, n, pair, gamma, by_rows):
    X, y = read(load)
    some = np.random.default_rng(0).permutation(len(X))[:n]
    X, labels = X[some], np.unique(y[some], return_inverse=True)[1]
    cost = 1.0 - np.eye(labels.max() + 1)
    best = solve(multiclass_planes(factor(rbf_kernel(X, gamma=gamma)), labels, cost, "margin", "linear"), 5.0)
    kernel = Kernel("rbf", gamma=gamma, cache=4 * n * n if by_rows else 2**30)
    model = MulticlassSVC(5.0, slack="linear", method="structural", kernel=kernel, fit_intercept=False, tol=1e-8)
    assert model.fit(X, labels).solution_.primal == pytest.approx(best.value, rel=1e-6)


@pytest.mark.parametrize(("load", "n", "pair", "gamma"), SETS)
def test_two_classes_of_real_data_are_those_of_svc(load, n, pair, gamma):
    X, y = read(load)
    chosen = np.isin(y, pair)
    X, sign = X[chosen], np.where(y[chosen] == pair[1], 1.0, -1.0)
    kernel = Kernel("rbf", gamma=gamma)
    scores, objective = without_intercept(kernel, X, sign, 5.0)
    model = MulticlassSVC(2.5, slack="linear", method="structural", kernel=kernel, fit_intercept=False, tol=1e-6)
    assert 2.0 * model.fit(X, sign).solution_.primal == pytest.approx(objective, rel=1e-4)
    np.testing.assert_allclose(model.decision_function(X), scores, atol=2e-2)


def test_rank_falls_to_the_exact_error():
    X, y = load_digits(return_X_y=True)
    train, test = np.arange(0, 1797, 2), np.arange(1, 1797, 2)
    kernel = Kernel("rbf", gamma=0.001)

    def error(rank):
        model = MulticlassSVC(10.0, method="structural", kernel=kernel, rank=rank).fit(X[train], y[train])
        return 1.0 - model.score(X[test], y[test])

    exact = error(None)
    errors = [error(LowRank(k)) for k in (10, 40, 160, 640)]
    assert errors[0] > errors[1] > errors[2]
    assert abs(errors[3] - exact) < 0.01
    assert exact < 0.03

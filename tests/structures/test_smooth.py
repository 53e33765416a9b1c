"""Newton's method for smooth losses of rows, beside scipy and beside fits that leave rows out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from maxmargin.estimators.feature_scale import packed
from maxmargin.structures.smooth import LOSSES, SmoothRows


def problem(n, d, seed, weighted=True):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * rng.uniform(0.5, 2.0, d)
    positive = X[:, 0] + rng.logistic(size=n) > 0.3
    positive[:2] = True, False
    weight = rng.integers(0, 3, n).astype(float) if weighted else None
    if weight is not None:
        weight[:2] = 1.0
    rows = SmoothRows(packed(X), positive, weight, rng.uniform(0.5, 2.0, d), 0.0)
    return X, np.where(positive, 1.0, -1.0), np.ones(n) if weight is None else weight, rows


def losses(kind, z):
    return np.logaddexp(0.0, -z) if kind == "logistic" else 0.5 * np.maximum(0.0, 1.0 - z) ** 2


def slopes(kind, z):
    return -1.0 / (1.0 + np.exp(z)) if kind == "logistic" else -np.maximum(0.0, 1.0 - z)


@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize(("n", "d"), [(7, 1), (130, 2), (128, 3), (300, 6), (257, 11), (400, 63), (90, 80)])
def test_the_minimum_is_that_of_scipy(kind, n, d):
    """The Hessian is formed in tiles of 2 x 4 columns and blocks of 128 rows; beyond 64 columns it is not formed."""
    X, y, weight, rows = problem(n, d, n + d)
    members = np.arange(n, dtype=np.int32)
    fit = rows.fit(kind, 0.7, members)
    for C in (5.0, 0.7):  # another C at the same point
        fit.change(kind, C)
        fit.run(0.0 if d <= 64 else 1e-13, 60)
    fit.assess()

    def objective(w):
        z = y * (X @ w)
        value = 0.5 * rows.penalty @ w**2 + 0.7 * weight @ losses(kind, z)
        return value, rows.penalty * w + 0.7 * X.T @ (weight * y * slopes(kind, z))

    best = minimize(objective, np.zeros(d), jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10})
    assert fit.value == pytest.approx(best.fun, rel=1e-9)
    assert fit.value - fit.bound <= best.fun * (1 + 1e-9)
    np.testing.assert_allclose(fit.weights, best.x, atol=1e-4)


@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("d", [5, 80])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_folds_are_those_of_fits_without_them(kind, d, weighted):
    """With a C as much larger as the other rows are fewer, by weight."""
    _, _, weight, rows = problem(600, d, 1, weighted=weighted)
    members = np.arange(600, dtype=np.int32)
    offsets = np.array([0, 200, 450, 600])
    fit = rows.fit(kind, 0.05, members)
    fit.run(1e-10, 50)
    scores = fit.fold_scores(offsets, 1e-10, 1)
    for begin, end in itertools.pairwise(offsets):
        kept = np.r_[members[:begin], members[end:]]
        others = rows.fit(kind, 0.05 * weight.sum() / weight[kept].sum(), kept)
        others.run(1e-10, 50)
        expected = rows.rows.products(np.ascontiguousarray(others.weights), members[begin:end], 1)
        np.testing.assert_allclose(scores[begin:end], expected, atol=0.02 if d <= 64 else 1e-4)


def test_weights_of_another_loss_are_stretched_before_the_first_step():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 90)) * (rng.random((300, 90)) < 0.2)
    positive = X[:, :3].sum(axis=1) + 0.3 * rng.standard_normal(300) > 0.5
    problem = SmoothRows(packed(X), positive, None, np.ones(90), 0.0)
    everyone = np.arange(300, dtype=np.int32)
    first, cold = problem.fit("squared_hinge", 1.0, everyone), problem.fit("logistic", 1.0, everyone)
    first.run(1e-6, 50)
    first.change("logistic", 1.0)
    assert first.run(1e-6, 50) <= cold.run(1e-6, 50)
    first.assess()
    cold.assess()
    assert first.value == pytest.approx(cold.value, abs=1e-4)

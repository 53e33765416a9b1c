"""Newton's method for smooth losses of rows, beside scipy and beside fits that leave rows out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from maxmargin.rows.feature_scale import packed
from maxmargin.rows.smooth import LOSSES, SmoothRows


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
    """The Hessian is formed in tiles of 2 or 4 x 4 columns and blocks of 128 rows, with up to 64 columns."""
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
def test_many_rows_are_turned_in_each_pass(kind):
    """Beyond some two million numbers columns are not kept; the same rows twice with half of C are one problem."""
    n, d = 33_000, 40
    X = np.random.default_rng(0).standard_normal((n, d))
    positive = X[:, 0] > np.random.default_rng(1).logistic(size=n)
    fits = [
        SmoothRows(packed(np.tile(X, (times, 1))), np.tile(positive, times), None, np.ones(d), 0.0).fit(
            kind, 0.01 / times, np.arange(n * times, dtype=np.int32)
        )
        for times in (1, 2)
    ]
    for fit in fits:
        fit.run(1e-9, 60)
    np.testing.assert_allclose(fits[0].weights, fits[1].weights, atol=1e-6)


def test_the_distance_to_another_c_is_that_of_the_weights():
    _, _, _, rows = problem(400, 6, 0, weighted=False)
    fit = rows.fit("logistic", 1.0, np.arange(400, dtype=np.int32))
    fit.run(0.0, 60)
    assert fit.distance(1.0) < 1e-12
    here = fit.weights
    fit.change("logistic", 1.1)
    told = fit.distance(1.1)
    fit.assess()
    before = fit.value
    fit.run(0.0, 60)
    fit.assess()
    assert np.abs(fit.weights - here).max() > 0.0
    assert told == pytest.approx((before - fit.value) / (1.1 * 6 / 2), rel=0.01)


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


def rare_words(seed, n=300, d=90):
    """Sparse rows with a large constant feature, few of them positive."""
    rng = np.random.default_rng(seed)
    X = np.abs(rng.standard_normal((n, d))) * (rng.random((n, d)) < 0.2)
    positive = X[:, :3].sum(axis=1) + 0.3 * rng.standard_normal(n) > 1.2
    rows = packed(X)
    rows.set_bias(30.0)
    return SmoothRows(rows, positive, None, np.ones(d + 1), 30.0)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("folds", [3, 5, 9])
def test_folds_of_sparse_rows_go_from_loss_to_loss_and_from_c_to_c(folds, threads):
    """All at once, eight of them side by side at most; a path of them ends where fits from the beginning do."""
    rows, everyone = rare_words(1), np.arange(300, dtype=np.int32)
    offsets = np.linspace(0, 300, folds + 1).astype(np.int64)
    path = rows.fit("squared_hinge", 0.1, everyone)
    for kind, C in [("squared_hinge", 0.1), ("squared_hinge", 0.8), ("logistic", 0.8), ("logistic", 0.1)]:
        path.change(kind, C)
        scores = path.fold_scores(offsets, 1e-9, threads)
        cold = rows.fit(kind, C, everyone).fold_scores(offsets, 1e-9, 1)
        np.testing.assert_allclose(scores, cold, atol=1e-3)


@pytest.mark.parametrize("kind", LOSSES)
def test_the_bound_is_near_the_gap_however_large_the_constant_feature_is(kind):
    """A small error of the offset, which the gradient alone takes for a large gap."""
    rows, everyone = rare_words(2), np.arange(300, dtype=np.int32)
    best = rows.fit(kind, 1.0, everyone)
    best.run(1e-13, 60)
    best.assess()
    fit = rows.fit(kind, 1.0, everyone)
    for _ in range(8):
        fit.assess()
        gap = fit.value - best.value
        assert gap <= fit.bound + 1e-9
        if gap < 0.1 * best.value:
            assert fit.bound <= 0.5 * best.value
        fit.step()
    assert gap < 0.1 * best.value

"""The likelihood of classes against scikit-learn's logistic regression and against differences of its own value."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import check_grad
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from maxmargin import _core
from maxmargin.rows.class_likelihood import ClassLikelihood
from maxmargin.rows.feature_scale import packed
from maxmargin.solvers.automatic_likelihood import AutomaticLikelihood
from maxmargin.solvers.base import Run, Status
from maxmargin.solvers.dual_likelihood import DualLikelihood
from maxmargin.solvers.lbfgs import LBFGS


def _data(n=120, d=6, k=4, seed=0, sparse=False):
    X, y = make_classification(n, d, n_informative=4, n_redundant=0, n_classes=k, flip_y=0.2, random_state=seed)
    X = np.where(np.abs(X) > 0.7, X, 0.0) if sparse else X
    return (sp.csr_array(X) if sparse else X), y.astype(np.int32)


def _likelihood(X, y, weight=None, threads=1):
    rows = packed(X)
    rows.set_bias(1.0)
    return ClassLikelihood(rows, y, int(y.max()) + 1, weight, threads)


def _coef(w, k):
    return w.reshape(-1, _core.padded(k))[:, :k].T


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_the_gradient_is_that_of_the_value(sparse, threads):
    X, y = _data(40, sparse=sparse)
    weight = np.random.default_rng(1).uniform(0.0, 2.0, y.size)
    problem = _likelihood(X, y, weight, threads)
    w = np.random.default_rng(2).standard_normal(problem.free.size)

    def value(v):
        return problem.value(problem.native(v))

    error = check_grad(value, lambda v: problem.gradient(v)[1], w)
    assert error < 1e-4
    assert value(np.zeros(w.size)) == pytest.approx(problem.value_at_zero)


@pytest.mark.parametrize("solver", [DualLikelihood(), LBFGS(), AutomaticLikelihood()])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_optimum_is_that_of_scikit_learn(solver, sparse, k):
    X, y = _data(150, d=8, k=k, sparse=sparse)
    weight = np.random.default_rng(3).uniform(0.2, 2.0, y.size)
    problem = _likelihood(X, y, weight)
    found = solver(problem, 0.3, 0.0, 1.0, Run(tol=1e-6, max_iter=5000))
    assert found.status is Status.CONVERGED
    assert -1e-9 * found.primal <= found.gap <= 1e-6 * max(0.3 * weight.sum(), found.primal)
    constant = np.ones((y.size, 1))
    Z = sp.hstack([X, constant]).tocsr() if sparse else np.hstack([X, constant])
    # Two classes have one vector of weights there, the difference: half its squared length is ours twice.
    C = 0.6 if k == 2 else 0.3
    other = LogisticRegression(C=C, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(Z, y, weight)
    coef = _coef(found.w, k)
    ours = coef[1] - coef[0] if k == 2 else coef - coef.mean(axis=0)
    theirs = other.coef_[0] if k == 2 else other.coef_ - other.coef_.mean(axis=0)
    np.testing.assert_allclose(ours, theirs, atol=2e-3)


def test_examples_of_weight_zero_change_nothing():
    X, y = _data(80)
    weight = (np.arange(80) % 3 > 0).astype(np.float64)
    kept = weight > 0.0
    some = LBFGS()(_likelihood(X[kept], y[kept]), 1.0, 0.0, 1.0, Run(tol=1e-10))
    all_ = LBFGS()(_likelihood(X, y, weight), 1.0, 0.0, 1.0, Run(tol=1e-10))
    np.testing.assert_allclose(some.w, all_.w, atol=1e-4)
    dual = DualLikelihood()(_likelihood(X, y, weight), 1.0, 0.0, 1.0, Run(tol=1e-6, max_iter=1000))
    assert dual.primal == pytest.approx(all_.primal, rel=1e-5)


def test_the_dual_never_exceeds_the_optimum():
    X, y = _data(60, d=5, k=3)
    problem = _likelihood(X, y)
    best = LBFGS()(problem, 2.0, 0.0, 1.0, Run(tol=1e-12)).primal
    engine = problem.dual(2.0)
    order = np.arange(60, dtype=np.int32)
    for _ in range(50):
        engine.visit(order)
        assert engine.dual <= best * (1.0 + 1e-6)
        engine.sharpen()
        assert engine.dual <= best * (1.0 + 1e-6)
    assert engine.dual > 0.98 * best


def test_limits_are_kept_inside_a_pass():
    X, y = _data(3000, d=8, k=3)
    problem = _likelihood(X, y)
    problem._most = 10
    ended = LBFGS()(problem, 1.0, 0.0, 1.0, Run(tol=1e-10, max_time=1e-9))
    assert ended.status is Status.MAX_TIME


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_products_of_columns_are_those_of_numpy(sparse, weighted):
    X, y = _data(300, d=20, sparse=sparse)
    rows = packed(X)
    rows.set_bias(2.0)
    weight = np.random.default_rng(0).uniform(0.0, 2.0, y.size) if weighted else None
    full = np.hstack([X.toarray() if sparse else X, np.full((y.size, 1), 2.0)])
    wanted = np.tril(full.T @ (full if weight is None else full * weight[:, None]))
    np.testing.assert_allclose(rows.column_products(weight).reshape(21, 21), wanted, atol=1e-10)


def test_second_derivatives_at_zero_are_those_that_lbfgs_starts_with():
    X, y = _data(300, k=3)
    problem = _likelihood(X, y)
    assert problem.invertible
    inverse = problem.inverse_curvature(0.7, 1.0)
    _, _, blocks = problem.curved(np.zeros((3, problem.columns)))
    hessian = 0.7 * problem.hessian(blocks)
    hessian = np.tril(hessian) + np.tril(hessian, -1).T + np.eye(len(hessian))
    v = np.random.default_rng(0).standard_normal((3, problem.columns))
    v -= v.mean(axis=0)  # adding a vector to the weights of all classes changes no probability
    product = (hessian @ v.ravel()).reshape(v.shape)
    np.testing.assert_allclose(inverse(product.T.ravel()).reshape(-1, 3).T, v, atol=1e-9)


def test_a_matrix_of_products_is_not_made_where_it_costs_more_than_it_saves():
    few, y = _data(40, d=60)
    assert not _likelihood(few, y).invertible
    assert _likelihood(few, y).inverse_curvature(1.0, 1.0) is None


@pytest.mark.parametrize("k", [2, 3])
def test_second_derivatives_of_a_sample_are_like_those_of_all_rows(k):
    X, y = _data(6000, d=8, k=k)
    problem = _likelihood(X, y)
    w, v = np.random.default_rng(5).standard_normal((2, problem.free.size))
    C, step = 0.3, 1e-5
    inverse = problem.inverse_curvature_at(w, C, 1.0)
    change = (problem.gradient(w + step * v)[1] - problem.gradient(w - step * v)[1]) / (2.0 * step)
    assert np.linalg.norm(inverse(v + C * change) - v) < 0.3 * np.linalg.norm(v)
    whole = _likelihood(X[:900], y[:900])  # the sample is all there is
    change = (whole.gradient(w + step * v)[1] - whole.gradient(w - step * v)[1]) / (2.0 * step)
    np.testing.assert_allclose(whole.inverse_curvature_at(w, C, 1.0)(v + C * change), v, atol=1e-5)
    assert (
        _likelihood(np.zeros((20, 70)), np.arange(20, dtype=np.int32) % 2).inverse_curvature_at(np.zeros(142), C, 1.0)
        is None
    )

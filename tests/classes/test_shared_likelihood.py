"""The likelihood of classes that share the weights of nodes, against SciPy and against differences of its own value."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from scipy.special import logsumexp

from maxmargin.classes.output_maps import MatrixFeatures, TreeFeatures
from maxmargin.classes.shared_likelihood import SharedLikelihood
from maxmargin.rows.feature_scale import packed
from maxmargin.solvers.base import Run, Status
from maxmargin.solvers.lbfgs import LBFGS

TREE = TreeFeatures(
    np.array([-1, 0, 0, 1, 1, 2, 2], dtype=np.int32),
    np.array([0.0, 0.5, 0.5, 1.0, 1.0, 1.0, 2.0]),
    np.array([3, 4, 5, 6, 1], dtype=np.int32),
)


def _problem(features, n=60, seed=0, weight=None, like=None):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, 4)), rng.integers(features.n_classes, size=n).astype(np.int32)
    rows = packed(X)
    rows.set_bias(1.0)
    return SharedLikelihood(rows, y, features, weight, 1, like), np.c_[X, np.ones(n)], y


def _large():
    return MatrixFeatures(
        np.random.default_rng(7).standard_normal((300, 300)) * (np.arange(300) % 7 == 0) + np.eye(300)
    )


@pytest.mark.parametrize("features", [TREE, _large()])
def test_the_gradient_is_that_of_the_value(features):
    problem = _problem(features, weight=np.random.default_rng(1).uniform(0.0, 2.0, 60))[0]
    w = np.random.default_rng(2).standard_normal(problem.free.size)
    if features is TREE:
        error = check_grad(lambda v: problem.value(problem.native(v)), lambda v: problem.gradient(v)[1], w)
        assert error < 1e-4
    along, step = np.random.default_rng(3).standard_normal(w.size), 1e-6
    ahead, behind = (problem.gradient(w + sign * step * along)[0] for sign in (1.0, -1.0))
    assert problem.gradient(w)[1] @ along == pytest.approx((ahead - behind) / (2.0 * step), rel=1e-5)
    native = problem.gradient(problem.native(w))
    np.testing.assert_allclose(native[1], problem.native(problem.gradient(w)[1]))
    assert problem.value(np.zeros(problem.native(w).size)) == pytest.approx(problem.value_at_zero)


@pytest.mark.parametrize("share", [False, True])
def test_the_optimum_is_that_of_a_general_solver(share):
    weight, C = np.random.default_rng(1).uniform(0.2, 2.0, 60), 0.7
    like = _problem(TREE)[0] if share else None
    problem, X, y = _problem(TREE, weight=weight, like=like)
    assert problem.inverse_curvature(C, 1.0) is not None
    full = TREE.matrix.toarray()

    def objective(v):
        scores = X @ v.reshape(X.shape[1], -1) @ full.T
        return 0.5 * v @ v + C * weight @ (logsumexp(scores, axis=1) - scores[np.arange(y.size), y])

    expected = minimize(objective, np.zeros(X.shape[1] * 7), method="BFGS", options={"gtol": 1e-6}).fun
    found = LBFGS()(problem, C, 0.0, 1.0, Run(tol=1e-8, max_iter=500))
    assert found.status is Status.CONVERGED
    assert found.primal == pytest.approx(expected, rel=1e-6)
    assert found.dual <= expected * (1.0 + 1e-9)
    rough = LBFGS()(problem, C, 0.0, 1.0, Run(tol=1e-3, max_iter=500, rough=True))
    assert rough.status in (Status.FINISHED, Status.CONVERGED)
    assert rough.n_iter < found.n_iter
    assert rough.primal <= expected + 2e-3 * C * weight.sum()


def test_the_inverse_is_that_of_the_second_derivatives_at_zero():
    problem, _, _ = _problem(TREE)
    inverse, w = problem.inverse_curvature(0.5, 1.0), np.zeros(problem.free.size)
    v = np.random.default_rng(4).standard_normal(w.size)
    step = 1e-5
    change = (problem.gradient(step * v)[1] - problem.gradient(-step * v)[1]) / (2.0 * step)
    np.testing.assert_allclose(inverse(v + 0.5 * change), v, rtol=1e-5, atol=1e-7)


def test_the_inverse_elsewhere_is_that_of_the_second_derivatives_where_rows_are_alike():
    weight, rng = np.random.default_rng(6).uniform(0.2, 2.0, 60), np.random.default_rng(5)
    problem, _, _ = _problem(TREE, weight=weight)
    constant = np.zeros((problem.columns, problem.nodes))
    constant[-1] = rng.standard_normal(problem.nodes)
    w, v, step = constant.ravel(), rng.standard_normal(constant.size), 1e-5
    change = (problem.gradient(w + step * v)[1] - problem.gradient(w - step * v)[1]) / (2.0 * step)
    inverse = problem.inverse_curvature_at(w, 0.5, 1.0)
    np.testing.assert_allclose(inverse(v + 0.5 * change), v, rtol=1e-4, atol=1e-6)


def test_the_inverse_elsewhere_is_symmetric_and_positive():
    rng = np.random.default_rng(5)
    problem, _, _ = _problem(TREE)
    u, v, w = rng.standard_normal((3, problem.free.size))
    inverse = problem.inverse_curvature_at(w, 0.5, 1.0)
    assert v @ inverse(v) > 0.0
    assert u @ inverse(v) == pytest.approx(v @ inverse(u))


def test_where_the_optimum_is_far_from_zero_a_renewal_saves_iterations():
    rng, means = np.random.default_rng(0), np.random.default_rng(1).standard_normal((5, 8))
    y = rng.integers(5, size=400).astype(np.int32)
    rows = packed(means[y] + 0.7 * rng.standard_normal((400, 8)))
    found = []
    for renewal in (12, 1000):
        problem = SharedLikelihood(rows, y, TREE, None, 1)
        problem.renewal = renewal
        found.append(LBFGS()(problem, 30.0, 0.0, 1.0, Run(tol=1e-8, max_iter=500)))
    assert found[0].primal == pytest.approx(found[1].primal, rel=1e-6)
    assert found[0].n_iter < found[1].n_iter

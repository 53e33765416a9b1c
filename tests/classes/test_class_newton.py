"""Newton's method for the likelihood of classes, against differences of the gradient and against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import approx_fprime
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from maxmargin import MulticlassSVC
from maxmargin.rows.class_likelihood import ClassLikelihood
from maxmargin.rows.feature_scale import packed
from maxmargin.rows.likelihood_newton import LikelihoodNewton
from maxmargin.solvers.base import Run, Status
from maxmargin.solvers.newton import Newton


def _data(k, sparse, n=300, d=5):
    X, y = make_classification(n, d, n_informative=4, n_redundant=0, n_classes=k, flip_y=0.2, random_state=k)
    X = np.where(np.abs(X) > 0.7, X, 0.0) if sparse else X
    weight = np.random.default_rng(k).uniform(0.0, 2.0, n)
    return (sp.csr_array(X) if sparse else X), y.astype(np.int32), weight


def _problem(X, y, weight=None, threads=1):
    rows = packed(X)
    rows.set_bias(1.0)
    return ClassLikelihood(rows, y, int(y.max()) + 1, weight, threads)


def _never():
    return False


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("threads", [1, 2])
def test_second_derivatives_are_differences_of_the_gradient(k, sparse, threads):
    X, y, weight = _data(k, sparse)
    problem = _problem(X, y, weight, threads)
    w = 0.3 * np.random.default_rng(1).standard_normal((k, problem.columns))
    value, gradient, blocks = problem.curved(w)
    native, slope = problem.gradient(w.T.ravel())
    assert value == pytest.approx(native)
    np.testing.assert_allclose(gradient.T.ravel(), slope, rtol=1e-9, atol=1e-9)
    lower = problem.hessian(blocks)
    whole = np.tril(lower) + np.tril(lower, -1).T
    wanted = approx_fprime(w.ravel(), lambda v: problem.curved(v.reshape(w.shape))[1].ravel(), 1e-6)
    np.testing.assert_allclose(whole, wanted, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_the_optimum_is_that_of_scikit_learn(k, sparse, C):
    X, y, weight = _data(k, sparse)
    problem = _problem(X, y, weight)
    found = Newton()(LikelihoodNewton(problem, C, None, _never), 1e-12 * C, problem.n, Run(max_iter=200))
    assert found.status is Status.CONVERGED
    constant = np.ones((y.size, 1))
    full = sp.csr_array(sp.hstack([X, constant])) if sparse else np.hstack([X, constant])
    peer = LogisticRegression(C=C, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(full, y, sample_weight=weight)
    scores = (full @ found.w.T).T
    if k == 2:  # one weight vector is penalised there, two half as long here
        peer = LogisticRegression(C=2 * C, fit_intercept=False, tol=1e-10, max_iter=10_000)
        peer.fit(full, y, sample_weight=weight)
        np.testing.assert_allclose(scores[1] - scores[0], full @ peer.coef_[0], rtol=1e-3, atol=1e-3)
    else:
        wanted = full @ peer.coef_.T
        np.testing.assert_allclose(scores - scores[0], wanted.T - wanted.T[0], rtol=1e-3, atol=2e-3)


def test_a_start_is_used_where_it_is_better_than_zero():
    X, y, _ = _data(3, False)
    problem = _problem(X, y)
    cold = Newton()(LikelihoodNewton(problem, 1.0, None, _never), 1e-9, problem.n, Run())
    near = problem.native(np.ascontiguousarray(cold.w.T).ravel())
    assert Newton()(LikelihoodNewton(problem, 1.0, near, _never), 1e-9, problem.n, Run()).n_iter == 1
    far = Newton()(LikelihoodNewton(problem, 1.0, -50.0 * near, _never), 1e-9, problem.n, Run())
    assert far.primal == pytest.approx(cold.primal)


def test_training_ends_when_the_time_is_up_and_claims_nothing_false():
    X, y, _ = _data(3, False)
    problem = _problem(X, y)
    best = Newton()(LikelihoodNewton(problem, 1.0, None, _never), 1e-12, problem.n, Run()).primal
    for passes in range(4):
        left = iter([False] * passes)
        late = LikelihoodNewton(problem, 1.0, None, lambda left=left: next(left, True))
        found = Newton()(late, 1e-12, problem.n, Run())
        assert found.status is Status.MAX_TIME
        assert found.dual <= best <= found.primal


def test_few_weights_decide_for_newton():
    X, y, _ = _data(3, False)
    assert _problem(X, y).few_weights
    wide = np.random.default_rng(0).standard_normal((60, 200))
    assert not _problem(wide, np.arange(60, dtype=np.int32) % 3).few_weights


@pytest.mark.parametrize("k", [2, 3])
def test_classes_told_apart_by_enough_examples_take_the_larger_c(k):
    X, y, _ = _data(k, False, n=400)
    X = X + 6.0 * np.eye(k, X.shape[1])[y]  # far apart
    model = MulticlassSVC().fit(X, y)
    plain = MulticlassSVC(method="likelihood").fit(X, y)
    assert model.method_ == "likelihood"
    assert np.isclose(model.C_, 8.0 * plain.C_)
    assert model.solution_.status is Status.CONVERGED
    assert MulticlassSVC(C=model.C_, method="likelihood").fit(X, y).coef_ == pytest.approx(model.coef_, rel=1e-4)

"""Likelihoods of very many examples, which start from a sample: the same optimum, whatever the sample misses."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from maxmargin import MulticlassSVC
from maxmargin.classes.sampled_start import sampled_start
from maxmargin.rows.class_likelihood import ClassLikelihood
from maxmargin.rows.feature_scale import packed
from maxmargin.solvers.base import Run, Status


def table(kind, classes, n=12_000):
    rng = np.random.default_rng([classes, len(kind)])
    X = rng.standard_normal((n, 4))
    y = (X @ rng.standard_normal((4, classes)) + rng.gumbel(size=(n, classes))).argmax(axis=1)
    weight = np.ones(n)
    if kind == "sorted":
        order = np.argsort(y, kind="stable")
        X, y = X[order], y[order]
    elif kind == "a rare column":
        X[:, 3] = 0.0
        X[5:8, 3] = 30.0
    elif kind == "a rare class":
        y[y == classes - 1] = 0
        y[100:103] = classes - 1
    elif kind == "weights":
        weight = rng.integers(0, 4, n).astype(float)
    return X, y, weight


def objective(model, X, y, weight):
    """Over all weights, the constant feature among them, in the layout of ``coef_`` and a last column."""
    rows = np.c_[X, np.full(len(X), model.intercept_scaling_)]

    def value(w):
        scores = rows @ w.reshape(model.classes_.size, -1).T
        loss = logsumexp(scores, axis=1) - scores[np.arange(len(y)), y]
        slope = np.exp(scores - logsumexp(scores, axis=1)[:, None])
        slope[np.arange(len(y)), y] -= 1.0
        gradient = w + model.C_ * ((weight[:, None] * slope).T @ rows).ravel()
        return 0.5 * w @ w + model.C_ * float(weight @ loss), gradient

    return value


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", ["plain", "sorted", "a rare column", "a rare class", "weights"])
def test_the_optimum_is_that_of_a_general_solver(kind, classes):
    X, y, weight = table(kind, classes)
    model = MulticlassSVC(C=0.3, method="likelihood", tol=1e-6, intercept_scaling=1.0).fit(X, y, sample_weight=weight)
    value = objective(model, X, y, weight)
    best = minimize(value, np.zeros(classes * 5), jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-6})
    solution = model.solution_
    assert solution.status is Status.CONVERGED
    assert solution.primal == pytest.approx(best.fun, rel=1e-6)
    assert solution.dual <= best.fun * (1.0 + 1e-12)


def test_few_examples_have_no_sample():
    X, y, _ = table("plain", 3)
    for n, sampled in ((4000, False), (12_000, True)):
        problem = ClassLikelihood(packed(X[:n]), y[:n].astype(np.int32), 3, None, 1)
        found = sampled_start(problem, 1.0, Run(), lambda: False)
        assert (found is not None) == sampled
    assert found is not None
    assert np.abs(found.w).max() > 0.1


def test_a_sample_without_weight_is_none():
    X, y, weight = table("plain", 3)
    weight[:] = 0.0
    weight[150] = 1.0
    problem = ClassLikelihood(packed(X), y.astype(np.int32), 3, weight, 1)
    assert problem.sampled(640, 64) is None
    model = MulticlassSVC(method="likelihood").fit(
        X, y, sample_weight=np.where(np.arange(len(y)) % 150 > 140, 1.0, 0.0)
    )
    assert model.solution_.status is Status.CONVERGED


@pytest.mark.parametrize("seconds", [1e-9, 1e-3, 1e-2])
@pytest.mark.parametrize("n", [300, 12_000, 200_000])
def test_limits_of_time_end_in_a_warning_whatever_was_reached(n, seconds):
    X, y, _ = table("plain", 3, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MulticlassSVC(max_time=seconds).fit(X, y)
        wide = MulticlassSVC(max_time=seconds).fit(np.random.default_rng(0).random((40, 30)), np.arange(40) % 3)
    for found in (model, wide):
        assert found.solution_.status in (Status.MAX_TIME, Status.CONVERGED)
        assert np.isfinite(found.coef_).all()

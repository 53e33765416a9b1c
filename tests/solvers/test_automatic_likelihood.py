"""``solver='auto'`` of ChainCRF: it takes the method that gets ahead, and keeps limits within a pass."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from maxmargin import ChainCRF
from maxmargin.chains import likelihood as chain_likelihood
from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.sequences import pack
from maxmargin.oracles.base import Stopped
from maxmargin.solvers.automatic_likelihood import AutomaticLikelihood
from maxmargin.solvers.base import Status


def runs(n, length, seed=0, features=6, labels=3):
    """Labels that stay for some tokens, and features that tell them with much noise."""
    rng = np.random.default_rng(seed)
    means = rng.standard_normal((labels, features))
    X, Y = [], []
    for _ in range(n):
        change, fresh = rng.random(length) < 0.2, rng.integers(0, labels, length)
        y = fresh[np.maximum.accumulate(np.where(change, np.arange(length), 0))]
        X.append(means[y] + 1.5 * rng.standard_normal((length, features)))
        Y.append(y)
    return X, Y


def changed(solution):
    """Whether both methods took part: only records of dual ascent have an estimate."""
    kinds = {record.estimate is None for record in solution.trace}
    return kinds == {True, False}


def sparse(n, length, seed=1):
    rng = np.random.default_rng(seed)
    X = [rng.random((length, 300)) < 0.02 for _ in range(n)]
    weight = rng.standard_normal((300, 4)) * 3.0
    return [x.astype(float) for x in X], [np.argmax(x @ weight, axis=1) for x in X]


@pytest.mark.parametrize(("n", "length"), [(1, 3000), (8, 400)])
def test_few_long_sequences_change_to_lbfgs(n, length):
    X, Y = runs(n, length)
    model = ChainCRF(solver=AutomaticLikelihood()).fit(X, Y)
    found = model.solution_
    assert found.status is Status.CONVERGED
    assert changed(found)
    assert found.n_iter < 80
    exact = ChainCRF(solver="lbfgs", tol=1e-7).fit(X, Y).solution_
    assert found.dual <= exact.primal <= found.primal * (1 + 1e-9)
    assert found.gap <= 1e-3 * max(model.C_ * n, found.primal)
    assert [record.iteration for record in found.trace] == sorted(record.iteration for record in found.trace)


def test_many_short_sequences_stay_with_dual_ascent():
    X, Y = sparse(300, 6)
    model = ChainCRF().fit(X, Y)
    found = model.solution_
    assert found.status is Status.CONVERGED
    assert not changed(found)
    assert found.primal == ChainCRF(solver="dual").fit(X, Y).solution_.primal


def test_many_labels_start_from_tokens_without_transitions():
    X, Y = runs(30, 20, features=20, labels=70)
    weight = np.random.default_rng(0).integers(1, 3, 30).astype(np.float64)
    for options in ({}, {"sample_weight": weight}):
        found = ChainCRF(tol=1e-4).fit(X, Y, **options).solution_
        assert found.status is Status.CONVERGED
        assert all(record.estimate is None for record in found.trace)  # L-BFGS alone
        plain = ChainCRF(tol=1e-4, solver="lbfgs").fit(X, Y, **options).solution_
        assert found.n_iter < plain.n_iter
        assert found.primal - found.gap <= plain.primal
        assert plain.primal - plain.gap <= found.primal
    model = ChainCRF(warm_start=True, tol=1e-4).fit(X, Y)
    assert model.fit(X, Y).n_iter_ <= 1
    for settings in ({"class_weight": {0: 2.0}}, {"observed": True}):  # tokens without transitions have none of that
        assert ChainCRF(**settings).fit(X, Y).solution_.status is Status.CONVERGED


def test_dual_ascent_on_long_sequences_is_exact():
    """Beyond some length the change of w is summed up instead of multiplied out token by token."""
    X, Y = runs(40, 150, features=3)
    dual = ChainCRF(C=0.01, solver="dual", tol=1e-4).fit(X, Y).solution_
    assert dual.status is Status.CONVERGED
    lbfgs = ChainCRF(C=0.01, solver="lbfgs", tol=1e-6).fit(X, Y).solution_
    assert dual.dual <= lbfgs.primal <= dual.primal * (1 + 1e-9)


def test_the_same_result_every_time():
    X, Y = runs(8, 400)
    first, second = (ChainCRF().fit(X, Y).coef_ for _ in range(2))
    np.testing.assert_array_equal(first, second)


def likelihood(X, Y, portion, monkeypatch):
    monkeypatch.setattr(chain_likelihood, "PORTION", portion)
    given = ChainInput(pack(X))
    chain = Chain(n_labels=3, n_features=X[0].shape[1])
    return chain_likelihood.ChainLikelihood(chain, given, np.concatenate(Y).astype(np.int32), None, 1, False)


def test_portions_give_the_same_sum(monkeypatch):
    X, Y = runs(9, 20)
    w = np.random.default_rng(3).standard_normal(33)
    value, gradient = likelihood(X, Y, 1e9, monkeypatch).gradient(w)
    piecewise = likelihood(X, Y, 2500.0, monkeypatch)
    assert len(piecewise.portions(np.arange(9, dtype=np.int32))) > 4
    again, other = piecewise.gradient(w)
    assert again == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(other, gradient, rtol=1e-9, atol=1e-9)
    best = minimize(
        lambda v: (piecewise.gradient(v)[0] + 0.5 * v @ v, piecewise.gradient(v)[1] + v), np.zeros(33), jac=True
    )
    found = ChainCRF(C=1.0, fit_intercept=False, tol=1e-8).fit(X, Y).solution_
    assert found.primal == pytest.approx(best.fun, rel=1e-6)


def test_an_evaluation_stops_between_sequences(monkeypatch):
    X, Y = runs(9, 20)
    problem = likelihood(X, Y, 1.0, monkeypatch)
    asked = []
    with pytest.raises(Stopped):
        problem.gradient(np.zeros(33), lambda: asked.append(None) is None and len(asked) > 4)
    assert len(asked) == 5


@pytest.mark.parametrize("solver", ["auto", "dual", "lbfgs"])
def test_the_time_is_kept_inside_a_pass(solver, monkeypatch):
    """A pass over this data takes longer than the limit."""
    monkeypatch.setattr(chain_likelihood, "PORTION", 1e6)
    X, Y = runs(400, 500, features=40, labels=8)
    given = ChainCRF(solver=solver, max_time=0.02)
    packed = pack(X)
    begin = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="raise the limit"):
        given.fit(packed, Y)
    assert given.solution_.status is Status.MAX_TIME
    assert given.solution_.trace == () or given.solution_.trace[-1].seconds < 1.0
    assert time.perf_counter() - begin < 30.0
    assert np.isfinite(given.coef_).all()


def test_a_limit_of_dual_ascent_names_the_remedy():
    X, Y = runs(2, 300)
    with pytest.warns(ConvergenceWarning, match="solver='auto' changes to L-BFGS"):
        ChainCRF(solver="dual", max_iter=5).fit(X, Y)


@pytest.mark.parametrize("order", [2, 3])
def test_higher_orders_start_from_order_1(order):
    """The start does not change the optimum, and saves passes."""
    X, Y = sparse(120, 8)
    auto = ChainCRF(C=1.0, order=order, tol=1e-5).fit(X, Y).solution_
    plain = ChainCRF(C=1.0, order=order, tol=1e-5, solver="lbfgs").fit(X, Y).solution_
    assert auto.status is Status.CONVERGED
    assert auto.primal == pytest.approx(plain.primal, rel=1e-4)
    assert auto.dual <= plain.primal * (1 + 1e-9)
    assert auto.trace[0].primal < plain.trace[0].primal
    assert auto.n_iter < plain.n_iter


def test_weights_of_order_1_are_the_first_of_order_2():
    X, Y = runs(6, 20)
    codes = np.concatenate(Y).astype(np.int32)
    chain = Chain(n_labels=3, n_features=6, order=2)
    problem = chain_likelihood.ChainLikelihood(chain, ChainInput(pack(X)), codes, None, 1, False)
    shorter = problem.shorter()
    assert shorter.shorter() is None
    w = np.random.default_rng(0).standard_normal(shorter.free.size)
    assert problem.gradient(problem.extended(shorter.native(w)))[0] == pytest.approx(shorter.gradient(w)[0], rel=1e-12)

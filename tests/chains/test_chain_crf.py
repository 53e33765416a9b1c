"""ChainCRF: optima against a general optimiser over enumerated labellings, and what the two solvers promise."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from maxmargin import ChainCRF, Unsupported
from maxmargin.solvers.lbfgs import LBFGS


def sample(n=12, labels=3, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = [np.round(rng.standard_normal((length, d)), 2) for length in rng.integers(1, 5, n)]
    return X, [rng.integers(0, labels, len(x)) for x in X]


X, Y = sample()
WEIGHT = np.array([1.0, 0.0, 2.0, 0.5] * 3)
RARE = [(x > 1.2).astype(float) for x in sample(d=12)[0]]  # features that do not meet every label
RARE_Y = sample(d=12)[1]


def enumerated(model, X, Y, weight):
    """Value and gradient of the objective from the joint features of all labellings."""
    chain, cases = model.chain_, []
    for x, y, s in zip(X, Y, weight):
        outputs = list(chain.outputs(x))
        features = np.array([chain.joint_feature(x, z).toarray().ravel() for z in outputs])
        cases.append((features, outputs.index(tuple(y.tolist())), s))

    def objective(w):
        value, gradient = 0.5 * model.l2 * w @ w, model.l2 * w
        for features, truth, s in cases:
            scores = features @ w
            log_sum = np.logaddexp.reduce(scores)
            value += model.C * s * (log_sum - scores[truth])
            gradient = gradient + model.C * s * (np.exp(scores - log_sum) @ features - features[truth])
        return value, gradient

    return objective


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize(("solver", "order"), [("dual", 1), ("auto", 1), ("lbfgs", 1), ("lbfgs", 2)])
def test_optimum_of_a_general_optimiser(solver, order, weight):
    model = ChainCRF(C=2.0, l2=0.7, order=order, eta=0.8, solver=solver, tol=1e-5).fit(X, Y, sample_weight=weight)
    objective = enumerated(model, X, Y, np.ones(len(X)) if weight is None else weight)
    best = minimize(
        objective, np.zeros(model.coef_.size), jac=True, method="L-BFGS-B", options={"gtol": 1e-10, "ftol": 0}
    )
    solution = model.solution_
    assert solution.primal == pytest.approx(objective(model.coef_)[0], rel=1e-9)
    assert solution.dual <= best.fun * (1 + 1e-6)
    assert best.fun - 1e-6 <= solution.primal <= best.fun + solution.gap + 1e-6
    total = len(X) if weight is None else weight.sum()
    assert solution.gap <= 1e-5 * max(2.0 * total, solution.primal) * (1 + 1e-6)
    np.testing.assert_allclose(model.coef_, best.x, atol=2e-2)


@pytest.mark.parametrize("solver", ["dual", "lbfgs"])
def test_observed_weights_only(solver):
    model = ChainCRF(observed=True, solver=solver, tol=1e-4).fit(RARE, RARE_Y)
    seen = np.zeros(model.coef_.size, dtype=bool)
    for x, y in zip(RARE, RARE_Y):
        seen |= model.chain_.joint_feature(x, tuple(y.tolist())).toarray().ravel() != 0.0
    assert (~seen).sum() > 5
    assert not model.coef_[~seen].any()
    assert model.coef_[seen].any()
    free = ChainCRF(solver=solver, tol=1e-4).fit(RARE, RARE_Y)
    assert model.solution_.primal > free.solution_.primal


def test_both_solvers_agree_on_observed_weights():
    dual = ChainCRF(observed=True, solver="dual", tol=1e-5).fit(RARE, RARE_Y).solution_
    lbfgs = ChainCRF(observed=True, solver="lbfgs", tol=1e-5).fit(RARE, RARE_Y).solution_
    assert dual.primal == pytest.approx(lbfgs.primal, rel=1e-4)
    assert max(dual.dual, lbfgs.dual) <= min(dual.primal, lbfgs.primal) * (1 + 1e-6)


@pytest.mark.parametrize("l2", [0.0, 0.5])
def test_l1_meets_its_optimality_conditions(l2):
    """-C gradient of the loss is l1 sign(w) + l2 w where w is not zero, and at most l1 elsewhere."""
    model = ChainCRF(C=1.0, l1=0.5, l2=l2, tol=1e-9, max_iter=5000).fit(X, Y)
    w = model.coef_
    smooth = clone(model).set_params(l2=0.0)
    smooth.chain_ = model.chain_
    slope = enumerated(smooth, X, Y, np.ones(len(X)))(w)[1] + l2 * w
    assert (w == 0.0).sum() > 5
    np.testing.assert_allclose(slope[w != 0.0], -0.5 * np.sign(w[w != 0.0]), atol=5e-3)
    assert np.abs(slope[w == 0.0]).max() <= 0.5 + 5e-3


def test_sample_weight_is_repetition():
    times = np.array([1, 2, 0, 3] * 3)
    weighted = ChainCRF(tol=1e-6).fit(X, Y, sample_weight=times.astype(float))
    kept = np.repeat(np.arange(12), times)
    repeated = ChainCRF(tol=1e-6).fit([X[i] for i in kept], [Y[i] for i in kept])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=5e-3)


def test_probabilities_need_no_calibration():
    model = ChainCRF().fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        marginals = model.predict_marginals(X)
        confidence = model.predict_confidence(X)
    assert all(np.allclose(part.sum(axis=1), 1.0) for part in marginals)
    assert ((confidence > 0.0) & (confidence <= 1.0)).all()


def test_grid_search():
    search = GridSearchCV(ChainCRF(), {"C": [0.1, 1.0]}, cv=2).fit(X, Y)
    assert search.best_params_["C"] in (0.1, 1.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"solver": "dual", "order": 2}, "order 1"),
        ({"solver": "dual", "l1": 1.0}, "no L1"),
        ({"solver": "dual", "l2": 0.0}, "L2 penalty"),
        ({"solver": "newton"}, "solver must be"),
        ({"l1": -1.0}, "l1 must be"),
        ({"C": 0.0}, "C must be"),
        ({"tol": -1.0}, "tol must be"),
    ],
)
def test_refusals(options, words):
    with pytest.raises((ValueError, Unsupported), match=words):
        ChainCRF(**options).fit(X, Y)


def test_a_refused_fit_leaves_the_model():
    model = ChainCRF().fit(X, Y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit(X, Y, sample_weight=[1.0])
    assert all((a == b).all() for a, b in zip(model.predict(X), before))


@pytest.mark.parametrize("solver", ["dual", "lbfgs"])
def test_a_limit_is_said(solver):
    with pytest.warns(ConvergenceWarning, match="The gap is"):
        model = ChainCRF(solver=solver, max_iter=1, tol=1e-6).fit(X, Y)
    assert model.solution_.gap > 0.0


def test_a_solver_object():
    model = ChainCRF(solver=LBFGS(memory=3)).fit(X, Y)
    assert model.solution_.status.name == "CONVERGED"

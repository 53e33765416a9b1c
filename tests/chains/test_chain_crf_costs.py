"""ChainCRF with costs of mistakes: in the likelihood (softmax margin), and in what is predicted."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

import maxmargin as mm
from maxmargin import ChainCRF, Kernel, SparseGreedy, Unsupported
from maxmargin.solvers.base import Status

RNG = np.random.default_rng(5)
X = [np.round(RNG.standard_normal((length, 3)), 2) for length in (1, 2, 3, 4, 3, 2, 4, 1)]
Y = [RNG.integers(0, 3, len(x)).tolist() for x in X]
COST = np.array([[0.0, 2.0, 0.5], [1.0, 0.0, 1.5], [0.3, 4.0, 0.0]])
WEIGHTS = {0: 1.0, 1: 5.0, 2: 0.3}
C = 1.5


def enumerated(chain, cost, weight):
    """The objective and its gradient from all labellings."""
    cases = []
    for x, truth in zip(X, Y):
        outputs = list(product(range(3), repeat=len(x)))
        features = np.array([chain.joint_feature(x, y).toarray().ravel() for y in outputs])
        offset = np.array([sum(cost[a, b] - np.log(weight[b]) for a, b in zip(truth, y)) for y in outputs])
        cases.append((features, offset, outputs.index(tuple(truth))))

    def objective(w):
        total, gradient = 0.5 * w @ w, w.copy()
        for features, offset, truth in cases:
            scores = features @ w + offset
            total += C * (np.logaddexp.reduce(scores) - scores[truth])
            gradient += C * (np.exp(scores - np.logaddexp.reduce(scores)) @ features - features[truth])
        return total, gradient

    return objective


@pytest.mark.parametrize("solver", ["dual", "lbfgs", "auto"])
@pytest.mark.parametrize("cost", [None, COST])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_the_optimum_of_the_softmax_margin(solver, cost, weights):
    model = ChainCRF(C, margin=0.7, cost=cost, class_weight=weights, solver=solver, tol=1e-7).fit(X, Y)
    costs = 0.7 * (1.0 - np.eye(3) if cost is None else cost)
    objective = enumerated(model.chain_, costs, np.array(list((weights or dict.fromkeys(range(3), 1.0)).values())))
    best = minimize(objective, np.zeros(model.coef_.size), jac=True, options={"gtol": 1e-7})
    found = model.solution_
    assert found.status is Status.CONVERGED
    assert found.primal == pytest.approx(objective(model.coef_)[0], rel=1e-7)
    assert found.dual - 1e-6 <= best.fun <= found.primal + 1e-6
    assert found.primal == pytest.approx(best.fun, rel=1e-5)


def test_no_margin_is_the_likelihood():
    plain, with_costs = ChainCRF(C, tol=1e-6).fit(X, Y), ChainCRF(C, cost=COST, tol=1e-6).fit(X, Y)
    np.testing.assert_allclose(with_costs.coef_, plain.coef_, atol=1e-6)


def test_a_margin_widens_the_gap_to_expensive_mistakes():
    """Without a regulariser to speak of, a label that costs more is made less probable by that."""
    plain, wide = (ChainCRF(C, margin=margin, cost=COST, tol=1e-6).fit(X, Y) for margin in (0.0, 2.0))
    scores = [np.concatenate(model.predict_marginals(X)) for model in (plain, wide)]
    truth = np.concatenate(Y)
    expected = [(probability * COST[truth]).sum() for probability in scores]
    assert expected[1] < 0.9 * expected[0]


def test_predictions_have_the_least_expected_cost(tmp_path):
    model = ChainCRF(C, cost=COST).fit(X, Y)
    assert model.decode_ == "marginal"
    for probability, labels in zip(model.predict_marginals(X), model.predict(X)):
        np.testing.assert_array_equal(labels, (probability @ COST).argmin(axis=1))
    model.save(tmp_path / "model")
    loaded = mm.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.cost, COST)
    np.testing.assert_array_equal(np.concatenate(loaded.predict(X)), np.concatenate(model.predict(X)))
    assert model.expected_loss(X).sum() <= ChainCRF(C).fit(X, Y).expected_loss(X).sum() * COST.max()


def test_kernels_have_margins():
    kernel = Kernel("rbf", gamma=0.5)
    options = {"kernel": kernel, "margin": 0.5, "cost": COST, "tol": 1e-8}
    dense, sparse = (ChainCRF(C, rank=rank, **options).fit(X, Y) for rank in (None, SparseGreedy(1.0)))
    assert sparse.solution_.primal == pytest.approx(dense.solution_.primal, rel=1e-6)


class TestBadInput:
    def test_a_negative_margin(self):
        with pytest.raises(ValueError, match="margin must be a number of at least 0"):
            ChainCRF(margin=-1.0).fit(X, Y)

    def test_costs_of_another_shape(self):
        with pytest.raises(ValueError, match="cost"):
            ChainCRF(cost=np.ones((2, 2))).fit(X, Y)

    def test_labels_known_in_part(self):
        with pytest.raises(Unsupported, match="margin needs the true label of every token"):
            ChainCRF(margin=1.0).fit(X, [Y[0], [None, Y[1][1]], *Y[2:]])


def test_costs_decide_with_weights_of_labels_too():
    model = ChainCRF(C, cost=COST, class_weight=WEIGHTS).fit(X, Y)
    for probability, labels in zip(model.predict_marginals(X), model.predict(X)):
        np.testing.assert_array_equal(labels, model.classes_[(probability @ COST).argmin(axis=1)])

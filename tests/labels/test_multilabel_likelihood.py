"""MultilabelSVC by the likelihood: the optimum, probabilities and decisions beside sums over all label vectors."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression

import maxmargin
from maxmargin import MultilabelSVC, _core
from maxmargin.labels import training
from maxmargin.labels.loss import label_losses
from maxmargin.oracles.search import Unsupported
from maxmargin.rows.matrices import as_rows

K = 4
EVERY = np.array(list(product((0, 1), repeat=K)))
rng = np.random.default_rng(3)
X = rng.standard_normal((150, 6))
Y = (X @ rng.standard_normal((6, K)) + X[:, :1] + rng.logistic(size=(150, K)) > 0.5).astype(int)
Y[:, 1] |= Y[:, 0]
CHAIN = [(0, 1), (1, 2), (2, 3)]
INTERACTIONS = ["independent", "tree", "full", CHAIN, [(1, 3)]]


def totals(model, X):
    """``F`` of all label vectors, shape (n, 2^K)."""
    both = EVERY[:, model.pairs_[:, 0]] * EVERY[:, model.pairs_[:, 1]]
    return (X @ model.coef_.T + model.intercept_) @ EVERY.T + both @ model.interaction_


def chances(model, X):
    every = totals(model, X)
    return np.exp(every - logsumexp(every, axis=1, keepdims=True))


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("interactions", INTERACTIONS)
def test_nothing_else_has_a_lower_objective(interactions, constant):
    model = MultilabelSVC(0.7, method="likelihood", interactions=interactions, fit_intercept=constant, tol=1e-9)
    weight = rng.uniform(0.0, 2.0, len(X)).round(1)
    model.fit(X, Y, sample_weight=weight)
    rows = np.c_[X, np.full(len(X), model.intercept_scaling_)] if constant else X
    both = model.interaction_scaling_ * EVERY[:, model.pairs_[:, 0]] * EVERY[:, model.pairs_[:, 1]]
    own = Y @ (2 ** np.arange(K)[::-1])

    def objective(w):
        coef, pairs = w[: K * rows.shape[1]].reshape(K, -1), w[K * rows.shape[1] :]
        every = rows @ coef.T @ EVERY.T + both @ pairs
        norm = logsumexp(every, axis=1)
        p = np.exp(every - norm[:, None])
        p[np.arange(len(X)), own] -= 1.0
        p *= 0.7 * weight[:, None]
        slope = np.r_[((p @ EVERY).T @ rows).ravel(), p.sum(axis=0) @ both]
        return 0.5 * w @ w + 0.7 * weight @ (norm - every[np.arange(len(X)), own]), w + slope

    start = np.zeros(K * rows.shape[1] + len(model.pairs_))
    best = minimize(
        objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-14, "gtol": 1e-9}
    )
    assert model.solution_.status.name == "CONVERGED"
    assert model.solution_.dual <= best.fun * (1 + 1e-9)
    assert model.solution_.primal == pytest.approx(best.fun, rel=1e-8)
    coef = best.x[: K * rows.shape[1]].reshape(K, -1)[:, :6]
    np.testing.assert_allclose(model.coef_, coef, atol=1e-4)


@pytest.mark.parametrize("factor", [1.0, 100.0, 1e4])
@pytest.mark.parametrize("interactions", INTERACTIONS)
def test_the_likelihood_of_scores_of_any_size(interactions, factor):
    """Scores within and beyond what odds can hold, of some rows only or of all."""
    model = MultilabelSVC(0.7, method="likelihood", interactions=interactions, fit_intercept=False).fit(X, Y)
    structure = model._structure()
    coef, pairs = factor * model.coef_, factor * model.interaction_ / structure.eta
    fit = _core.LabelFit(structure.core(as_rows(X, 0.0, True), Y.astype(np.uint8)), None, 0.7, 1)
    fit.start(structure.from_coef(coef, pairs))
    fit.assess()
    every = factor * totals(model, X)
    missed = logsumexp(every, axis=1) - every[np.arange(len(X)), Y @ (2 ** np.arange(K)[::-1])]
    expected = 0.5 * ((coef**2).sum() + (pairs**2).sum()) + 0.7 * missed.sum()
    assert fit.value == pytest.approx(expected, rel=1e-9)


def test_independent_labels_are_logistic_regressions():
    model = MultilabelSVC(0.3, method="likelihood", interactions="independent", fit_intercept=False, tol=1e-9).fit(X, Y)
    for k in range(K):
        peer = LogisticRegression(C=0.3, fit_intercept=False, tol=1e-8).fit(X, Y[:, k])
        np.testing.assert_allclose(model.coef_[k], peer.coef_[0], atol=1e-4)
        np.testing.assert_allclose(model.predict_proba(X)[:, k], peer.predict_proba(X)[:, 1], atol=1e-4)


@pytest.mark.parametrize("factor", [1.0, 30.0, 1000.0])
@pytest.mark.parametrize("interactions", INTERACTIONS)
def test_probabilities_and_decisions_are_those_of_all_vectors(interactions, factor):
    """``factor`` takes scores beyond what exponentials can hold."""
    model = MultilabelSVC(0.5, method="likelihood", interactions=interactions).fit(X, Y)
    for name in ("coef_", "intercept_", "interaction_"):
        setattr(model, name, factor * getattr(model, name))
    p = chances(model, X)
    np.testing.assert_allclose(model.predict_proba(X), p @ EVERY, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), p @ EVERY > 0.5)
    np.testing.assert_array_equal(model.decision_function(X) > 0, p @ EVERY > 0.5)
    np.testing.assert_array_equal(model.set_params(loss="zero-one").predict(X), EVERY[p.argmax(axis=1)])
    np.testing.assert_array_equal(model.decision_function(X) > 0, EVERY[p.argmax(axis=1)] == 1)
    costs = np.ones((K, 2))
    f1 = np.array([[1.0 - label_losses("f1", costs, y, z) for z in EVERY] for y in EVERY])
    expected = p @ f1
    found, leads = model.set_params(loss="f1").predict(X), model.decision_function(X)
    places = found @ (2 ** np.arange(K)[::-1])
    np.testing.assert_allclose(expected[np.arange(len(X)), places], expected.max(axis=1), atol=1e-9)
    for k in range(K):
        on = EVERY[:, k] == 1
        np.testing.assert_allclose(leads[:, k], expected[:, on].max(axis=1) - expected[:, ~on].max(axis=1), atol=1e-9)


def test_class_weights_decide_by_the_expected_cost():
    costs = {0: {0: 1.0, 1: 4.0}, 2: {0: 3.0, 1: 1.0}, 3: {0: 0.0, 1: 1.0}}
    model = MultilabelSVC(0.5, method="likelihood", class_weight=costs).fit(X, Y)
    plain = MultilabelSVC(0.5, method="likelihood").fit(X, Y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    p = plain.predict_proba(X)
    for k, (added, missed) in enumerate([(1, 4), (1, 1), (3, 1), (0, 1)]):
        np.testing.assert_array_equal(model.predict(X)[:, k], p[:, k] * missed > (1 - p[:, k]) * added)


@pytest.mark.parametrize("interactions", ["tree", "full"])
def test_weights_are_repetition_and_threads_change_nothing(interactions):
    times = rng.integers(0, 3, len(X))
    repeated = np.repeat(np.arange(len(X)), times)
    options = {"method": "likelihood", "interactions": interactions, "interaction_scaling": 1.0, "tol": 1e-10}
    options["intercept_scaling"] = 1.0
    weighted = MultilabelSVC(0.4, **options).fit(X, Y, sample_weight=times)
    plain = MultilabelSVC(0.4, **options, n_jobs=3).fit(X[repeated], Y[repeated])
    np.testing.assert_allclose(weighted.coef_, plain.coef_, atol=1e-6)
    np.testing.assert_allclose(weighted.interaction_, plain.interaction_, atol=1e-6)
    np.testing.assert_array_equal(plain.predict(X), plain.set_params(n_jobs=1).predict(X))


def test_many_columns_and_offsets():
    """Conjugate gradients with another preconditioner, and columns far from zero."""
    wide = np.c_[X + 100.0, 0.1 * rng.standard_normal((len(X), 100))]
    for data in (X + 1000.0, wide):
        model = MultilabelSVC(0.1, method="likelihood", tol=1e-6).fit(data, Y)
        assert model.solution_.status.name == "CONVERGED"
        assert model.n_iter_ < 30


@pytest.mark.parametrize("loss", ["hamming", "f1", "zero-one"])
def test_model_files_and_warm_starts(tmp_path, loss):
    weights = {1: {0: 2.0, 1: 1.0}} if loss == "hamming" else None
    model = MultilabelSVC(0.2, method="likelihood", loss=loss, class_weight=weights, warm_start=True, tol=1e-7)
    model.fit(X, Y).save(tmp_path / "model.zip")
    again = maxmargin.load(tmp_path / "model.zip")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    cold, coef = model.n_iter_, model.coef_
    assert model.fit(X, Y).n_iter_ < cold
    np.testing.assert_allclose(model.coef_, coef, atol=1e-4)


def test_the_better_way_is_chosen_on_held_out_examples():
    """Many columns: labels that are certain want a margin, labels that are a matter of chance do not."""
    wide = (rng.random((200, 400)) < 0.05).astype(float)
    certain = (wide[:, :9].reshape(200, 3, 3).sum(axis=2) > 0).astype(int)
    model = MultilabelSVC().fit(wide, certain)
    losses = {(way.method, way.C): way.loss for way in model.ways_}
    assert losses[model.method_, model.C_] == min(losses.values())
    assert not hasattr(MultilabelSVC(method="structural").fit(wide, certain), "predict_proba")
    chance = (rng.random((200, 3)) < 0.4).astype(int)
    assert MultilabelSVC().fit(wide, chance).method_ == "likelihood"
    few = MultilabelSVC().fit(X, Y)
    assert (few.method_, few.ways_) == ("likelihood", ())
    assert [way.C for way in MultilabelSVC(0.3).fit(wide, chance).ways_] == [0.3]


def test_what_belongs_to_one_method_is_refused_by_the_other():
    with pytest.raises(ValueError, match="method must be one of 'auto', 'likelihood', 'structural', not 'best'"):
        MultilabelSVC(method="best").fit(X, Y)
    for name, value in {
        "slack": "squared",
        "rescaling": "slack",
        "solver": "n-slack",
        "label_weight": [1, 2, 1, 1],
    }.items():
        with pytest.raises(ValueError, match=f"{name}=.* is for method='structural'"):
            MultilabelSVC(method="likelihood", **{name: value}).fit(X, Y)
        assert MultilabelSVC(**{name: value}).fit(X, Y).method_ == "structural"
    with pytest.raises(Unsupported, match="one class per example"):
        MultilabelSVC(method="likelihood").fit(X, Y[:, 0])
    many = np.tile(Y[:40], (1, 5))
    with pytest.raises(Unsupported, match="use interactions='tree'"):
        MultilabelSVC(method="likelihood", interactions="full").fit(X[:40], many)
    assert MultilabelSVC(0.01, interactions="full").fit(X[:40], many).method_ == "structural"


def test_margins_that_crawl_are_compared_after_a_few_passes(monkeypatch):
    """Labels that are all but certain, so that margins are compared with the likelihood."""
    limits = []
    plain = training.choose_solver

    def spied(*given):
        solver = plain(*given)
        return lambda oracle, C, run: limits.append(run.max_iter) or solver(oracle, C, run)

    monkeypatch.setattr(training, "choose_solver", spied)
    wide = (np.random.default_rng(2).random((200, 400)) < 0.05).astype(float)
    MultilabelSVC().fit(wide, (wide[:, :9].reshape(200, 3, 3).sum(axis=2) > 0).astype(int))
    assert limits
    assert max(limits) <= 30

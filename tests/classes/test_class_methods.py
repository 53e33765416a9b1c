"""Margins or likelihood: where each is chosen, that the choice does not depend on accidents, and what it is worth."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.ensemble import StackingClassifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from maxmargin import MulticlassSVC, load
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Status


@pytest.fixture(scope="module")
def overlapping():
    """Six classes none of which reaches a probability of one half in most places."""
    X, y = make_classification(3000, 30, n_informative=8, n_classes=6, flip_y=0.2, random_state=0)
    return train_test_split(X, y, random_state=0)


@pytest.mark.parametrize("seed", range(12))
def test_few_examples_are_solved_to_rounding(seed):
    """Beyond what the objective can show: repetition and weights then give the same scores to nine digits."""
    rng = np.random.default_rng(seed)
    n, columns, classes = rng.integers((8, 20, 2), (40, 60, 5))
    X, y, times = rng.random((n, columns)), rng.integers(0, classes, n), rng.integers(0, 4, n)
    y[:classes], times[:classes] = range(classes), 1
    order, again = rng.permutation(n), rng.permutation(int(times.sum()))
    weighted = MulticlassSVC(method="likelihood").fit(X[order], y[order], sample_weight=times[order])
    repeated = MulticlassSVC(method="likelihood").fit(X.repeat(times, axis=0)[again], y.repeat(times)[again])
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=0.0, atol=1e-9)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return train_test_split(X, y, random_state=0)


def test_classes_that_overlap_are_learnt_as_well_as_by_logistic_regression(overlapping):
    X, X_test, y, y_test = overlapping
    model = MulticlassSVC().fit(X, y)
    assert model.method_ == "likelihood"
    assert model.slack_ is None
    peer = LogisticRegression(max_iter=1000).fit(X, y)
    assert model.score(X_test, y_test) > peer.score(X_test, y_test) - 0.01
    with pytest.warns(UserWarning, match="bound the loss no better than weights of 0"):
        margin = MulticlassSVC(slack="linear").fit(X, y)
    assert model.score(X_test, y_test) > margin.score(X_test, y_test) + 0.05
    assert log_loss(y_test, model.predict_proba(X_test)) < 1.01 * log_loss(y_test, peer.predict_proba(X_test))


def test_where_classes_are_apart_folds_decide(digits):
    X, X_test, y, y_test = digits
    default = MulticlassSVC().fit(X, y)
    assert default.score(X_test, y_test) > 0.95
    named = MulticlassSVC(C=default.C_, method=default.method_).fit(X, y)
    assert default.solution_.primal == pytest.approx(named.solution_.primal, rel=1e-6)
    assert default.solution_.status is Status.CONVERGED
    assert default.solution_.gap >= 0.0


def test_the_order_and_the_repetition_of_examples_do_not_decide(digits):
    X, _, y, _ = digits
    X, y = X[:300], y[:300]
    first = MulticlassSVC().fit(X, y)
    order = np.random.default_rng(0).permutation(300)
    times = np.random.default_rng(1).integers(1, 3, 300)
    assert pytest.approx(first.C_) == MulticlassSVC().fit(X[order], y[order]).C_
    weighted = MulticlassSVC().fit(X, y, sample_weight=times.astype(np.float64))
    repeated = MulticlassSVC().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert (weighted.method_, weighted.C_) == (repeated.method_, pytest.approx(repeated.C_))


@pytest.mark.parametrize(
    "options",
    [
        {"slack": "linear"},
        {"rescaling": "slack"},
        {"solver": "one-slack"},
        {"output_features": np.eye(3)},
        {"cost": 1.0 - np.eye(3)},
    ],
)
def test_what_only_margins_have(options):
    X, y = load_iris(return_X_y=True)
    assert MulticlassSVC(C=0.1, **options).fit(X, y).method_ == "structural"
    with pytest.raises(Unsupported, match="method='likelihood' cannot be had with"):
        MulticlassSVC(method="likelihood", **options).fit(X, y)


def test_slack_is_squared_for_the_zero_one_loss():
    X, y = load_iris(return_X_y=True)
    assert MulticlassSVC(C=0.1, method="structural").fit(X, y).slack_ == "squared"
    assert MulticlassSVC(C=0.1, cost=1.0 - np.eye(3)).fit(X, y).slack_ == "linear"
    assert MulticlassSVC(C=0.1, solver="perceptron").fit(X, y).slack_ == "linear"


@pytest.mark.parametrize("method", ["auto", "structural", "likelihood"])
def test_probabilities_agree_with_predictions(digits, method):
    X, X_test, y, y_test = digits
    model = MulticlassSVC(method=method).fit(X, y)
    if method == "structural":
        model.calibrate(X, y)
    probability = model.predict_proba(X_test)
    assert log_loss(y_test, probability) < 0.3
    if method != "structural":
        np.testing.assert_array_equal(model.classes_[probability.argmax(axis=1)], model.predict(X_test))


@pytest.mark.parametrize("solver", ["auto", "dual", "lbfgs"])
def test_solvers_of_the_likelihood(solver):
    X, y = load_iris(return_X_y=True)
    model = MulticlassSVC(C=0.5, method="likelihood", solver=solver, intercept_scaling=1.0, tol=1e-6, max_iter=5000)
    model.fit(X, y)
    scores = X @ model.coef_.T + model.intercept_
    value = 0.5 * (np.sum(model.coef_**2) + np.sum(model.intercept_**2))
    value += 0.5 * (np.logaddexp.reduce(scores, axis=1) - scores[np.arange(150), y]).sum()
    assert model.solution_.primal == pytest.approx(value, rel=1e-9)
    assert model.solution_.gap <= 1e-6 * max(75.0, value)


@pytest.mark.parametrize("solver", ["dual", "lbfgs"])
def test_a_solver_of_the_likelihood_asks_for_it(digits, solver):
    X, _, y, _ = digits
    assert MulticlassSVC(solver=solver).fit(X, y).method_ == "likelihood"


def test_a_wrong_solver_is_named(digits):
    X, _, y, _ = digits
    with pytest.raises(ValueError, match="solver must be one of"):
        MulticlassSVC(solver="newton").fit(X, y)


def test_limits_of_time_hold_for_all_trials_together(digits):
    X, _, y, _ = digits
    with pytest.warns(ConvergenceWarning, match="max_time"):
        model = MulticlassSVC(max_time=1e-6).fit(X, y)
    assert model.solution_.status is Status.MAX_TIME
    assert np.isfinite(model.predict(X)).all()


def test_a_callback_ends_the_search_for_a_method(digits):
    X, _, y, _ = digits
    with pytest.warns(ConvergenceWarning, match="callback"):
        model = MulticlassSVC(callback=lambda record: True).fit(X, y)
    assert model.solution_.status is Status.CALLBACK


def test_a_wrong_method_is_named():
    with pytest.raises(ValueError, match="method must be one of 'auto', 'likelihood', 'structural', not 'hinge'"):
        MulticlassSVC(method="hinge").fit(*load_iris(return_X_y=True))


@pytest.mark.parametrize("factor", [1e-100, 1e-30, 1e-4, 1e8, 1e60])
def test_the_likelihood_does_not_depend_on_the_scale_of_the_features(overlapping, factor):
    X, _, y, _ = overlapping
    X, y = X[:500], y[:500]
    expected = MulticlassSVC(method="likelihood").fit(X, y).decision_function(X)
    found = MulticlassSVC(method="likelihood").fit(factor * X, y).decision_function(factor * X)
    assert np.abs(found - expected).max() < 0.1 * np.abs(expected).max()


def test_a_c_too_large_for_the_likelihood_is_refused(overlapping):
    X, _, y, _ = overlapping
    with pytest.raises(ValueError, match="C is 1e\\+300, too large for floating point with 2250 examples"):
        MulticlassSVC(C=1e300).fit(X, y)


@pytest.mark.parametrize("solver", ["auto", "lbfgs"])
def test_a_warm_start_goes_on_from_the_weights(overlapping, solver):
    X, _, y, _ = overlapping
    X = X * np.r_[np.ones(29), 1e3] + 5.0  # columns are brought together, and weights with them
    settings = {"method": "likelihood", "solver": solver, "tol": 1e-4}
    model = MulticlassSVC(warm_start=True, **settings).fit(X, y)
    first = model.n_iter_
    assert model.fit(X, y).n_iter_ <= max(2, first // 3)
    more = MulticlassSVC(warm_start=True, **settings).fit(X[:2000], y[:2000]).fit(X, y)
    cold = MulticlassSVC(**settings).fit(X, y)
    assert more.solution_.primal == pytest.approx(cold.solution_.primal, rel=2e-4)


def test_a_warm_start_keeps_the_method_and_takes_other_classes(digits):
    X, _, y, _ = digits
    names = np.array(list("abcdefghij"))[y]
    model = MulticlassSVC(warm_start=True).fit(X[y > 2], names[y > 2])
    method = model.method_
    model.fit(X[y < 8], names[y < 8])
    assert model.method_ == method
    assert model.classes_.tolist() == list("abcdefgh")
    assert model.score(X[y < 8], names[y < 8]) > 0.95
    assert model.fit(X[:, :40], names).score(X[:, :40], names) > 0.9


def test_features_that_hang_together_get_a_larger_c():
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal((300, 10))
    X = (hidden * np.r_[np.full(3, 0.1), np.ones(7)]) @ rng.standard_normal((10, 800))  # what counts is the small part
    y = (hidden[:, :3] + 0.1 * rng.standard_normal((300, 3))).argmax(axis=1)
    model = MulticlassSVC().fit(X[:150], y[:150])
    rule = MulticlassSVC(method="likelihood").fit(X[:150], y[:150])
    assert (60.0 if model.method_ == "likelihood" else 20.0) * rule.C_ <= model.C_  # margins need less
    assert model.score(X[150:], y[150:]) > rule.score(X[150:], y[150:]) + 0.3


def test_few_rows_in_many_columns_get_nearly_hard_margins():
    """The large directions of the rows say nothing about the class, so that only a large C finds those that do."""
    gains, hard = [], 0
    for seed in range(4, 8):
        rng = np.random.default_rng(seed)
        hidden, mixing = rng.standard_normal((900, 20)), rng.standard_normal((20, 600))
        X = (hidden * 0.8 ** np.arange(20)) @ mixing + 0.3 * rng.standard_normal((900, 600))
        y = (hidden[:, 7:] @ rng.standard_normal((13, 3))).argmax(axis=1)
        model = MulticlassSVC().fit(X[:100], y[:100])
        usual = MulticlassSVC(method="structural").fit(X[:100], y[:100])
        gains.append(model.score(X[100:], y[100:]) - usual.score(X[100:], y[100:]))
        hard += model.method_ == "structural" and model.C_ > 20.0 * usual.C_
    assert hard >= 3
    assert np.mean(gains) > 0.05
    assert min(gains) > 0.0


def test_wide_dense_rows_are_not_written_out_for_a_few_passes(monkeypatch):
    def move(self, engine):
        raise AssertionError("writing the planes out costs more than all passes")

    monkeypatch.setattr("maxmargin.solvers.together.Together.move", move)
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((100, 5000)), rng.integers(0, 5, 100)
    assert MulticlassSVC(method="structural").fit(X, y).solution_.status is Status.CONVERGED


def test_probabilities_are_promised_before_a_fit(digits):
    X, _, y, _ = digits
    assert hasattr(MulticlassSVC(), "predict_proba")
    with pytest.raises(NotFittedError):
        MulticlassSVC().predict_proba(X)
    for options in ({"method": "structural"}, {"slack": "linear"}, {"rescaling": "slack"}, {"solver": "one-slack"}):
        assert not hasattr(MulticlassSVC(**options), "predict_proba")
    model = MulticlassSVC().fit(X[:200], y[:200])
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    stack = StackingClassifier([("a", MulticlassSVC()), ("b", LogisticRegression(max_iter=1000))], cv=2)
    assert stack.fit(X[:200] / 16.0, y[:200] % 2).stack_method_ == ["predict_proba", "predict_proba"]


def test_loaded_models_know_their_constant_feature(digits, tmp_path):
    X, _, y, _ = digits
    model = MulticlassSVC().fit(X[:200], y[:200])
    model.save(tmp_path / "model.mm")
    assert load(tmp_path / "model.mm").intercept_scaling_ == model.intercept_scaling_

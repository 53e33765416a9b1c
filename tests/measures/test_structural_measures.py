"""MeasureSVC by the papers' bound: what it minimises, against LIBLINEAR and all labellings; groups, thresholds."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import metrics
from sklearn.base import clone
from sklearn.svm import LinearSVC

from brute_force import wrong_outputs
from maxmargin import MeasureSVC, NSlack, Status
from maxmargin.measures import FBeta
from reference import EveryPlane, solve

Structural = partial(MeasureSVC, method="structural")

MEASURES = (
    "error_rate",
    "f1",
    "fbeta(2)",
    "balanced_error",
    "mcc",
    "prbep",
    "precision_at_k(5)",
    "recall_at_k(30)",
    "roc_area",
    "average_precision",
)


def rare(n: int = 300, share: float = 0.1, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of which a share is positive, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6))
    scores = X @ np.array([2.0, -1.0, 0.5, 0.0, 0.0, 0.0]) + rng.standard_normal(n)
    return X, scores > np.quantile(scores, 1.0 - share)


def hinge_objective(X, y, w, constant, C, weight=1.0):
    scores = np.asarray(X @ w[: X.shape[1]]) + constant
    return w @ w / 2 + C * np.sum(weight * np.maximum(0.0, 1.0 - np.where(y, 1, -1) * scores))


@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["dense", "csr", "float32"])
def test_error_rate_is_the_hinge_loss_of_liblinear(kind, weighted, C):
    X, y = rare(200, 0.4)
    X = {"dense": X, "csr": sp.csr_array(X), "float32": X.astype(np.float32)}[kind]
    weight = np.random.default_rng(1).random(200) + 0.1 if weighted else None
    ours = Structural("error_rate", C, intercept_scaling=1.0, tol=1e-7).fit(X, y, sample_weight=weight)
    peer = LinearSVC(loss="hinge", C=C, tol=1e-10, max_iter=1_000_000, random_state=0).fit(X, y, sample_weight=weight)
    assert ours.solution_.status is Status.CONVERGED
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=2e-3)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=2e-3)
    best = hinge_objective(
        X, y, np.append(peer.coef_[0], peer.intercept_), peer.intercept_[0], C, 1.0 if weight is None else weight
    )
    assert ours.solution_.primal == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("solver", ["auto", "one-slack", "n-slack", "bcfw"])
def test_error_rate_has_one_optimum_by_rows_and_by_samples(solver):
    """Slack rescaling and groups go by samples; margin rescaling with linear slack does not depend on groups."""
    X, y = rare(60, 0.3)
    groups = np.arange(60) % 4
    one = Structural("error_rate", 0.1, tol=1e-6, solver=solver).fit(X, y)
    many = Structural("error_rate", 0.1, tol=1e-6, solver=solver).fit(X, y, groups=groups)
    as_function = Structural(lambda tp, fp, fn, tn: (fp + fn) / (tp + fp + fn + tn), 0.1, tol=1e-6, solver=solver)
    as_function.fit(X, y, groups=groups)
    assert many.solution_.primal == pytest.approx(one.solution_.primal, rel=1e-4)
    assert as_function.solution_.primal == pytest.approx(one.solution_.primal, rel=1e-4)
    np.testing.assert_allclose(as_function.coef_, one.coef_, atol=0.02)


@pytest.mark.parametrize("name", ["f1", "prbep", "roc_area", "average_precision"])
def test_the_objective_is_that_of_the_docstring(name):
    """``1/2 |w|^2 + C n max over outputs``, all of them listed; the weight of the one slack is ``n C``."""
    X, y = rare(7, 0.4, seed=3)
    model = Structural(name, 0.5, fit_intercept=False, threshold_for=None, tol=1e-8, max_iter=5000).fit(X, y)
    w = model.coef_[0]
    worst = max(0.0, *(output.loss - output.coefficients @ (X @ w) for output in wrong_outputs(y, name)))
    assert model.solution_.primal == pytest.approx(w @ w / 2 + 0.5 * 7 * worst)


def test_the_weights_of_the_paper_are_half_of_ours_and_its_c_is_a_quarter_of_n_times_ours():
    """Joachims, Hofmann, Yue and Yu (2009): ``Psi = (1/n) sum_i y_i x_i`` and C times the one slack."""
    X, y = rare(7, 0.4, seed=3)
    C = 0.8
    outputs = wrong_outputs(y, "f1")
    rows = np.array([2.0 * output.coefficients @ X for output in outputs])  # their Psi is twice ours
    losses = np.array([output.loss for output in outputs])
    paper = solve(EveryPlane(rows, losses, np.zeros(losses.size, dtype=int), 1, "linear"), 7 * C / 4)
    ours = Structural("f1", C, fit_intercept=False, tol=1e-9, max_iter=5000).fit(X, y)
    np.testing.assert_allclose(paper.w, ours.coef_[0] / 2, atol=1e-3)
    assert ours.solution_.primal == pytest.approx(4 * paper.value, rel=1e-6)


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_learns_and_its_score_is_the_measure(measure):
    X, y = rare()
    model = Structural(measure, 1.0).fit(X[:200], y[:200])
    assert model.solution_.status is Status.CONVERGED
    assert metrics.roc_auc_score(y[200:], model.decision_function(X[200:])) > 0.85
    peer = {
        "error_rate": lambda: metrics.accuracy_score(y[200:], model.predict(X[200:])),
        "f1": lambda: metrics.f1_score(y[200:], model.predict(X[200:])),
        "fbeta(2)": lambda: metrics.fbeta_score(y[200:], model.predict(X[200:]), beta=2),
        "balanced_error": lambda: metrics.balanced_accuracy_score(y[200:], model.predict(X[200:])),
        "mcc": lambda: metrics.matthews_corrcoef(y[200:], model.predict(X[200:])),
        "roc_area": lambda: metrics.roc_auc_score(y[200:], model.decision_function(X[200:])),
        "average_precision": lambda: metrics.average_precision_score(y[200:], model.decision_function(X[200:])),
    }
    if measure in peer:
        assert model.score(X[200:], y[200:]) == pytest.approx(peer[measure]())


def test_training_for_f1_finds_the_rare_class_that_the_error_rate_leaves_out():
    X, y = rare(1000, 0.03, seed=1)
    f1 = Structural("f1").fit(X, y)
    error = Structural("error_rate", 0.001).fit(X, y)
    assert metrics.f1_score(y, f1.predict(X)) > 0.5
    assert metrics.f1_score(y, error.predict(X), zero_division=0) < 0.1


def test_weighted_positives_find_a_rare_class_that_is_hard_to_tell():
    X, y = rare(2000, 0.03, seed=2)
    X = X + 0.8 * np.random.default_rng(3).standard_normal(X.shape)
    with pytest.warns(UserWarning, match=r"bound the loss no better.*use method='auto', which does not"):
        Structural("f1").fit(X, y)
    for measure in ("f1", "prbep"):
        weighted = Structural(measure, class_weight={True: 3}, threshold_for="f1").fit(X, y)
        assert metrics.f1_score(y, weighted.predict(X)) > 0.3


@pytest.mark.parametrize("measure", ["f1", "mcc", "prbep", "roc_area", "average_precision"])
def test_a_weight_of_positives_is_a_number_of_repetitions(measure):
    X, y = rare(120, 0.2)
    times = np.where(y == 1, 3, 1)
    given = Structural(measure, 0.1, threshold_for=None, tol=1e-6)
    weighted = clone(given).set_params(class_weight={True: 3}).fit(X, y)
    repeated = clone(given).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.solution_.primal == pytest.approx(repeated.solution_.primal, rel=1e-5)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=0.05, atol=1e-3)
    both = clone(weighted).fit(X, y, sample_weight=np.where(y == 1, 2, 1))
    six = clone(weighted).set_params(class_weight={True: 6}).fit(X, y)
    np.testing.assert_array_equal(both.coef_, six.coef_)


def test_a_weight_of_positives_counts_in_the_threshold_too():
    X, y = rare(300, 0.1)
    model = Structural("f1", class_weight={True: 8}, threshold_for="f1").fit(X, y)
    scores, weight = model.decision_function(X), np.where(y, 8, 1)
    best = max(metrics.f1_score(y, scores > cut, sample_weight=weight) for cut in scores)
    assert metrics.f1_score(y, model.predict(X), sample_weight=weight) >= best


def test_for_the_error_rate_any_weight_of_positives_will_do():
    X, y = rare(120, 0.2)
    ours = Structural("error_rate", 0.1, class_weight={True: 2.5}, tol=1e-7, intercept_scaling=1.0).fit(X, y)
    theirs = LinearSVC(loss="hinge", C=0.1, class_weight={1: 2.5}, tol=1e-8, max_iter=100000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


def test_objects_and_functions_are_measures_too():
    X, y = rare(100, 0.3)
    named = Structural("fbeta(2)", 0.1).fit(X, y)
    np.testing.assert_array_equal(Structural(FBeta(2.0), 0.1).fit(X, y).coef_, named.coef_)

    def jaccard_loss(tp, fp, fn, tn):
        return 1.0 - tp / (tp + fp + fn)

    model = Structural(jaccard_loss, 0.1).fit(X, y)
    assert model.score(X, y) == pytest.approx(metrics.jaccard_score(y, model.predict(X)))
    assert model.score(X, y) > 0.6


@pytest.mark.parametrize("measure", ["roc_area", "prbep", "average_precision"])
def test_the_threshold_of_a_ranking_is_set_for_f1_unless_another_measure_is_asked_for(measure):
    X, y = rare()
    X = X + 3.0  # so that the scores are nowhere near 0
    model = Structural(measure, 1.0).fit(X, y)
    raw = Structural(measure, 1.0, threshold_for=None).fit(X, y)
    np.testing.assert_array_equal(model.coef_, raw.coef_)
    assert raw.threshold_ == 0.0
    assert model.intercept_[0] == raw.intercept_[0] - model.threshold_
    scores = raw.decision_function(X)
    best = max(metrics.f1_score(y, scores > cut) for cut in np.append(scores, scores.min() - 1))
    assert metrics.f1_score(y, model.predict(X)) == pytest.approx(best)
    balanced = Structural(measure, 1.0, threshold_for="balanced_error").fit(X, y)
    best = max(metrics.balanced_accuracy_score(y, scores > cut) for cut in np.append(scores, scores.min() - 1))
    assert metrics.balanced_accuracy_score(y, balanced.predict(X)) == pytest.approx(best)
    assert model.score(X, y) == raw.score(X, y)  # which no threshold changes


def test_the_threshold_of_labellings_is_zero_unless_asked_for():
    X, y = rare()
    model = Structural("error_rate", 0.01).fit(X, y)
    moved = Structural("error_rate", 0.01, threshold_for="f1").fit(X, y)
    assert model.threshold_ == 0.0
    assert metrics.f1_score(y, moved.predict(X)) > metrics.f1_score(y, model.predict(X), zero_division=0)


@pytest.mark.parametrize("measure", ["f1", "roc_area", "error_rate"])
def test_pos_label_says_which_label_is_rare(measure):
    X, y = rare()
    second = Structural(measure, 1.0).fit(X, np.where(y, "z", "a"))
    first = Structural(measure, 1.0, pos_label="a").fit(X, np.where(y, "a", "z"))
    assert first.classes_.tolist() == second.classes_.tolist() == ["a", "z"]
    np.testing.assert_array_equal(first.coef_, -second.coef_)
    np.testing.assert_array_equal(first.decision_function(X), -second.decision_function(X))
    np.testing.assert_array_equal(first.predict(X) == "a", second.predict(X) == "z")
    assert first.score(X, np.where(y, "a", "z")) == second.score(X, np.where(y, "z", "a"))


def test_groups_are_measured_one_by_one():
    X, y = rare(40, 0.4)
    groups = np.repeat(["a", "b", "c", "d"], 10)
    model = Structural("f1", 0.2, fit_intercept=False, tol=1e-7).fit(X, y, groups=groups)
    w = model.coef_[0]
    total = w @ w / 2
    for name in "abcd":
        inside = groups == name
        outputs = wrong_outputs(y[inside], "f1")
        scores = X[inside] @ w
        total += 0.2 * 10 * max(0.0, *(output.loss - output.coefficients @ scores for output in outputs))
    assert model.solution_.primal == pytest.approx(total)
    each = [metrics.f1_score(y[groups == name], model.predict(X[groups == name])) for name in "abcd"]
    assert model.score(X, y, groups=groups) == pytest.approx(np.mean(each))
    mixed = np.random.default_rng(0).permutation(40)
    other = Structural("f1", 0.2, fit_intercept=False, tol=1e-7).fit(X[mixed], y[mixed], groups=groups[mixed])
    assert other.solution_.primal == pytest.approx(model.solution_.primal, rel=1e-5)


@pytest.mark.parametrize("measure", ["f1", "roc_area", "prbep"])
def test_weights_are_repetitions(measure):
    X, y = rare(60, 0.3)
    times = np.random.default_rng(2).integers(0, 4, 60)
    groups = np.arange(60) % 2
    for given in (None, groups):
        weighted = Structural(measure, 0.3, intercept_scaling=1.0, tol=1e-8).fit(
            X, y, groups=given, sample_weight=times
        )
        copied = Structural(measure, 0.3, intercept_scaling=1.0, tol=1e-8).fit(
            np.repeat(X, times, axis=0), np.repeat(y, times), groups=None if given is None else np.repeat(given, times)
        )
        assert weighted.solution_.primal == pytest.approx(copied.solution_.primal, rel=1e-6)
        np.testing.assert_allclose(weighted.coef_, copied.coef_, atol=1e-3)
        assert weighted.threshold_ == pytest.approx(copied.threshold_, abs=1e-3)


def test_default_c_grows_with_the_margin_of_the_least_mistake():
    X, y = rare()
    base = Structural("error_rate").fit(X, y).C_
    P = y.sum()
    assert pytest.approx(base * 300 / P) == Structural("f1").fit(X, y).C_
    assert base == Structural("roc_area").fit(X, y).C_
    halves = np.arange(300) % 2
    units = [150 / y[halves == g].sum() for g in range(2)]
    assert pytest.approx(base * np.mean(units)) == Structural("f1").fit(X, y, groups=halves).C_
    assert base == Structural("f1", C=base).fit(X, y).C_


def test_default_c_does_not_depend_on_the_scale_of_the_features():
    X, y = rare()
    model, scaled = Structural(tol=1e-6).fit(X, y), Structural(tol=1e-6, intercept_scaling=1000.0).fit(1000.0 * X, y)
    plain = Structural(tol=1e-6, intercept_scaling=1.0).fit(X, y)
    assert pytest.approx(model.C_ / 1e6) == scaled.C_
    np.testing.assert_array_equal(scaled.predict(1000.0 * X), plain.predict(X))


def test_warm_start_goes_on_from_the_cuts_of_the_same_data():
    X, y = rare()
    model = Structural("f1", 1.0, warm_start=True, tol=1e-2).fit(X, y)
    rounds = model.n_iter_
    model.set_params(tol=1e-4).fit(X, y)
    cold = Structural("f1", 1.0, tol=1e-4).fit(X, y)
    assert model.solution_.primal == pytest.approx(cold.solution_.primal, rel=1e-2)
    assert model.n_iter_ < cold.n_iter_ + rounds
    assert model.set_params(solver=NSlack(), tol=1e-4).fit(X, y).solution_.status is Status.CONVERGED


def test_threads_do_not_change_the_optimum():
    X, y = rare(400)
    for measure in ("f1", "error_rate", "roc_area"):
        one, two = (Structural(measure, 1.0, tol=1e-4, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
        assert one.solution_.primal == pytest.approx(two.solution_.primal, abs=400 * 2e-4)


@pytest.mark.parametrize("measure", ["f1", "prbep", "roc_area"])
def test_a_badly_scaled_feature_needs_no_more_cuts(measure):
    X, y = rare(200, 0.15)
    X[:, 3] *= 1e4
    assert Structural(measure, tol=1e-3).fit(X, y).n_iter_ < 60

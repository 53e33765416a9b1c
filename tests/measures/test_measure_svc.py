"""MeasureSVC at its defaults: what it minimises, what it chooses by, and that it never collapses."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.svm import LinearSVC

from maxmargin import MeasureSVC, Status
from maxmargin.measures.folds import folds_of_groups, folds_of_rows

MEASURES = (
    *("error_rate", "f1", "fbeta(2)", "balanced_error", "mcc", "prbep", "precision_at_k(20)", "recall_at_k(60)"),
    *("roc_area", "average_precision"),
)


def noisy(n: int = 3000, share: float = 0.02, seed: int = 0, d: int = 20, test: int | None = None):
    """Rows of which few are positive, with classes that overlap; as many again to test on, or another number."""
    rng, total = np.random.default_rng(seed), n + (n if test is None else test)
    X = rng.standard_normal((total, d))
    scores = X[:, :5] @ np.array([1.0, -0.8, 0.6, 0.4, -0.2]) / 1.5 + 0.5 * rng.standard_normal(total)
    y = scores > np.quantile(scores, 1.0 - share)
    return X[:n], y[:n], X[n:], y[n:]


def jaccard_loss(tp, fp, fn, tn):
    return 1.0 - tp / (tp + fp + fn)


def test_noisy_rare_classes_do_not_end_in_no_weights():
    """The bound of the structural form has its minimum at 0 here; the peer has a threshold from held-out scores."""
    ours, theirs, first = [], [], []
    for seed in range(3):
        X, y, X_test, y_test = noisy(5000, 0.01, seed, test=40_000)
        ours.append(metrics.f1_score(y_test, MeasureSVC("f1").fit(X, y).predict(X_test)))
        held_out = cross_val_predict(LogisticRegression(), X, y, cv=5, method="decision_function")
        cuts = np.sort(held_out)[-500:]
        cut = cuts[np.argmax([metrics.f1_score(y, held_out > at) for at in cuts])]
        peer = LogisticRegression().fit(X, y).decision_function(X_test)
        theirs.append(metrics.f1_score(y_test, peer > cut))
        best = np.mean(y_test[np.argsort(-peer)[:20]])
        first.append(MeasureSVC("precision_at_k(20)").fit(X, y).score(X_test, y_test) - best)
    assert min(np.subtract(ours, theirs)) > -0.03
    assert np.mean(ours) > np.mean(theirs) - 0.005
    assert min(first) > -0.11


@pytest.mark.parametrize("measure", [*MEASURES, jaccard_loss])
def test_every_measure_is_learnt_and_scored_as_elsewhere(measure):
    X, y, X_test, y_test = noisy()
    model = MeasureSVC(measure).fit(X, y)
    assert model.solution_.status is Status.CONVERGED
    assert metrics.roc_auc_score(y_test, model.decision_function(X_test)) > 0.93
    assert model.value_ == max(candidate.value for candidate in model.candidates_)
    peer = {
        "error_rate": lambda: metrics.accuracy_score(y_test, model.predict(X_test)),
        "f1": lambda: metrics.f1_score(y_test, model.predict(X_test)),
        "fbeta(2)": lambda: metrics.fbeta_score(y_test, model.predict(X_test), beta=2),
        "balanced_error": lambda: metrics.balanced_accuracy_score(y_test, model.predict(X_test)),
        "mcc": lambda: metrics.matthews_corrcoef(y_test, model.predict(X_test)),
        "roc_area": lambda: metrics.roc_auc_score(y_test, model.decision_function(X_test)),
        "average_precision": lambda: metrics.average_precision_score(y_test, model.decision_function(X_test)),
        jaccard_loss: lambda: metrics.jaccard_score(y_test, model.predict(X_test)),
    }
    if measure in peer:
        assert model.score(X_test, y_test) == pytest.approx(peer[measure]())


@pytest.mark.parametrize("d", [8, 150])  # few columns: Hessians are formed; many: conjugate gradients
@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_minimised_is_what_others_minimise(d, weighted):
    X, y, _, _ = noisy(600, 0.2, d=d)
    weight = np.random.default_rng(1).random(600) + 0.1 if weighted else None
    model = MeasureSVC("roc_area", 0.3, intercept_scaling=1000.0, tol=1e-10).fit(X, y, sample_weight=weight)
    assert model.solution_.gap <= 1e-7 * model.solution_.primal
    constant = model.intercept_[0] + model.threshold_
    if model.loss_ == "logistic":
        peer = LogisticRegression(C=0.3, tol=1e-10, max_iter=10_000).fit(X, y, sample_weight=weight)
    else:
        peer = LinearSVC(C=0.15, intercept_scaling=1000.0, dual=False, tol=1e-10, max_iter=10_000)
        peer.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)
    assert constant == pytest.approx(peer.intercept_[0], abs=1e-3)
    z = np.where(y, 1, -1) * (X @ model.coef_[0] + constant)
    loss = np.logaddexp(0.0, -z) if model.loss_ == "logistic" else 0.5 * np.maximum(0.0, 1.0 - z) ** 2
    total = 0.5 * float(model.coef_[0] @ model.coef_[0]) + 0.5 * (constant / 1000.0) ** 2
    total += 0.3 * float(loss.sum() if weight is None else weight @ loss)
    assert model.solution_.primal == pytest.approx(total)


def test_the_best_candidate_is_trained_on_all_rows():
    X, y, _, _ = noisy()
    model = MeasureSVC("f1").fit(X, y)
    chosen = max(model.candidates_, key=lambda candidate: candidate.value)
    assert (model.loss_, model.C_, model.value_) == (chosen.loss, chosen.C, chosen.value)
    assert {candidate.loss for candidate in model.candidates_} == {"logistic", "squared_hinge"}
    assert len({candidate.C for candidate in model.candidates_}) > 2
    fixed = MeasureSVC("f1", C=0.5).fit(X, y)
    assert {candidate.C for candidate in fixed.candidates_} == {0.5}


def test_the_balanced_error_may_be_served_by_balanced_classes():
    """Heavy tails, of which the class feels little: no linear rule is right, and the weights of the classes matter."""
    rng = np.random.default_rng(3)
    X = rng.standard_t(1.5, size=(600, 4))
    worth = np.tanh(X) @ [2.0, 1.5, -1.0, 0.5] + 0.5 * rng.logistic(size=600)
    y = (worth > np.quantile(worth, 0.92)).astype(int)
    model = MeasureSVC("balanced_error", C=0.5, tol=1e-9).fit(X, y)
    chosen = max(model.candidates_, key=lambda candidate: candidate.value)
    assert chosen.balanced
    assert model.loss_ == "squared_hinge"
    assert not model.candidates_[0].balanced
    peer = LinearSVC(C=0.25, class_weight="balanced", tol=1e-8, max_iter=100_000, intercept_scaling=30, dual=False)
    np.testing.assert_allclose(model.coef_, peer.fit(X, y).coef_, rtol=1e-3)
    assert not any(candidate.balanced for candidate in MeasureSVC("f1").fit(X, y).candidates_)


def test_values_of_candidates_are_honest():
    """On labels that have nothing to do with the rows no model does better than chance, whatever its C."""
    rng = np.random.default_rng(0)
    for d in (10, 150):
        X, y = rng.standard_normal((300, d)), rng.random(300) < 0.3
        model = MeasureSVC("roc_area").fit(X, y)
        assert all(candidate.value < 0.6 for candidate in model.candidates_)


@pytest.mark.parametrize("measure", ["f1", "roc_area", "precision_at_k(20)", "mcc"])
@pytest.mark.parametrize("positives", [1, 2, 3, 5])
def test_very_few_positives(measure, positives):
    rng = np.random.default_rng(positives)
    X = rng.standard_normal((200, 6))
    y = np.zeros(200, dtype=bool)
    y[np.argsort(-X[:, 0])[:positives]] = True
    model = MeasureSVC(measure).fit(X, y)
    assert metrics.roc_auc_score(y, model.decision_function(X)) > 0.9
    assert 1 <= model.predict(X).sum() <= 40
    assert (model.value_ is None) == (positives == 1)


@pytest.mark.parametrize("measure", ["f1", "prbep", "error_rate"])
def test_the_scale_of_the_features_makes_no_difference(measure):
    X, y, X_test, _ = noisy(1000, 0.1)
    plain = MeasureSVC(measure).fit(X, y)
    for factor in (1e-4, 1e6):
        scaled = MeasureSVC(measure).fit(factor * X, y)
        np.testing.assert_array_equal(scaled.predict(factor * X_test), plain.predict(X_test))
    columns = 10.0 ** np.random.default_rng(0).integers(-4, 9, X.shape[1])
    uneven = MeasureSVC(measure).fit(columns * X, y)
    assert np.mean(uneven.predict(columns * X_test) == plain.predict(X_test)) > 0.98
    moved = MeasureSVC(measure).fit(X + 1000.0, y)
    assert np.mean(moved.predict(X_test + 1000.0) == plain.predict(X_test)) > 0.98


@pytest.mark.parametrize("measure", ["f1", "prbep", "precision_at_k(20)", "roc_area", "average_precision", "mcc"])
@pytest.mark.parametrize("grouped", [False, True])
def test_weights_are_repetitions_and_the_order_of_rows_does_not_matter(measure, grouped):
    X, y, X_test, _ = noisy(400, 0.2, d=6)
    times = np.random.default_rng(2).integers(0, 4, 400)
    groups = np.arange(400) % 7 if grouped else None
    weighted = MeasureSVC(measure).fit(X, y, groups=groups, sample_weight=times)
    order = np.random.default_rng(3).permutation(int(times.sum()))
    copies = np.repeat(np.arange(400), times)[order]
    copied = MeasureSVC(measure).fit(X[copies], y[copies], groups=None if groups is None else groups[copies])
    assert copied.value_ == pytest.approx(weighted.value_)
    np.testing.assert_allclose(
        copied.decision_function(X_test), weighted.decision_function(X_test), rtol=1e-6, atol=1e-8
    )


def test_weights_need_not_be_whole():
    X, y, _, _ = noisy(400, 0.2)
    weight = np.random.default_rng(0).random(400)
    for measure in MEASURES:
        once, twice = (MeasureSVC(measure).fit(X, y, sample_weight=w) for w in (weight, 2.0 * weight))
        assert 0.0 < once.value_ <= 1.0
        if "at_k" not in measure:  # k is a number of rows
            assert twice.candidates_[0].value == pytest.approx(once.candidates_[0].value, abs=0.05)


def test_weights_of_classes_count_in_training_and_in_the_measure():
    X, y, _, _ = noisy(1000, 0.2)
    plain = MeasureSVC("error_rate").fit(X, y)
    heavy = MeasureSVC("error_rate", class_weight={True: 10}).fit(X, y)
    same = MeasureSVC("error_rate").fit(X, y, sample_weight=np.where(y, 10.0, 1.0))
    np.testing.assert_array_equal(heavy.coef_, same.coef_)
    assert heavy.predict(X).sum() > 1.5 * plain.predict(X).sum()
    balanced = MeasureSVC("error_rate", class_weight="balanced").fit(X, y)
    assert metrics.recall_score(y, balanced.predict(X)) > metrics.recall_score(y, plain.predict(X)) + 0.1
    assert MeasureSVC("f1", class_weight="balanced", method="structural").fit(X, y).coef_.any()


def test_thresholds_come_from_held_out_scores():
    """In 150 columns the training scores of 300 rows are far apart, and their best threshold is none for other rows."""
    X, y, X_test, y_test = noisy(300, 0.3, d=150)
    model = MeasureSVC("balanced_error").fit(X, y)
    assert metrics.balanced_accuracy_score(y_test, model.predict(X_test)) > 0.62
    raw = MeasureSVC("balanced_error", threshold_for=None).fit(X, y)
    assert raw.threshold_ == 0.0
    for measure in ("roc_area", "f1"):
        moved = MeasureSVC(measure, threshold_for="fbeta(0.2)").fit(X, y)
        assert moved.predict(X_test).sum() < MeasureSVC(measure).fit(X, y).predict(X_test).sum()


def test_groups_are_measured_one_by_one_and_stay_together():
    X, y, X_test, y_test = noisy(600, 0.3)
    groups = np.arange(600) % 8
    for measure in ("f1", "roc_area"):
        model = MeasureSVC(measure).fit(X, y, groups=groups)
        each = [MeasureSVC.score(model, X_test[groups == g], y_test[groups == g]) for g in range(8)]
        assert model.score(X_test, y_test, groups=groups) == pytest.approx(np.mean(each))
        assert np.mean(each) > 0.6
    members = [np.flatnonzero(groups == g).astype(np.int32) for g in range(8)]
    folds = folds_of_groups(X[:, 0], members, None, 5, 10_000)
    assert all(len(set(folds.fold[folds.group == g])) == 1 for g in range(8))
    assert MeasureSVC("f1").fit(X, y, groups=np.zeros(600)).value_ is not None  # one group is all rows


def test_folds_of_rows_divide_both_classes_evenly():
    keys = np.random.default_rng(0).random(1000)
    positive = np.arange(1000) % 50 == 0
    folds = folds_of_rows(keys, positive, np.ones(1000, dtype=bool), 5, 10_000)
    assert sorted(folds.members.tolist()) == list(range(1000))
    assert np.bincount(folds.fold[positive[folds.members]]).tolist() == [4] * 5
    assert np.diff(folds.offsets).tolist() == [200] * 5
    part = folds_of_rows(keys, positive, np.ones(1000, dtype=bool), 5, 300)
    assert 200 <= part.members.size <= 300
    assert folds_of_rows(np.zeros(1000), positive, np.ones(1000, dtype=bool), 5, 300) is None


def test_large_samples_are_compared_on_a_part_of_their_rows():
    X, y, X_test, y_test = noisy(50_000, 0.01, d=6)
    model = MeasureSVC("f1").fit(X, y)
    assert model.solution_.details["n"] == 50_000
    scores = model.decision_function(X_test)
    best = max(metrics.f1_score(y_test, scores > cut) for cut in np.linspace(-2, 2, 81))
    assert metrics.f1_score(y_test, model.predict(X_test)) > best - 0.02


def test_threads_and_sparse_rows_do_not_change_the_choice():
    X, y, _, _ = noisy(500, 0.1, d=80)
    X[np.abs(X) < 1.0] = 0.0
    one = MeasureSVC("f1").fit(sp.csr_array(X), y)
    two = MeasureSVC("f1", n_jobs=2).fit(sp.csr_array(X), y)
    np.testing.assert_array_equal(one.coef_, two.coef_)
    dense = MeasureSVC("f1").fit(X, y)
    assert dense.candidates_[0].value == pytest.approx(one.candidates_[0].value, abs=0.01)


def test_time_limits_and_callbacks():
    X, y, _, _ = noisy(2000, 0.1)
    model = MeasureSVC("f1", max_time=1e-9)
    with pytest.warns(UserWarning, match="max_time"):
        model.fit(X, y)
    assert len(model.candidates_) <= 2
    records = []
    MeasureSVC("f1", callback=records.append).fit(X, y)
    assert records
    assert records[-1].primal >= records[-1].dual


def test_a_warm_start_begins_its_path_where_the_last_ended():
    X, y, _, _ = noisy()
    model = MeasureSVC("f1", warm_start=True).fit(X, y)
    first, chosen = model.candidates_, model.C_
    model.fit(X, y)
    assert chosen == model.candidates_[0].C
    assert model.value_ >= max(candidate.value for candidate in first) - 1e-3
    assert MeasureSVC("f1", warm_start=True, C=0.5).fit(X, y).fit(X, y).C_ == 0.5


def test_many_rows_of_both_classes_need_no_path_of_c():
    X, y, _, _ = noisy(3000, 0.3, 0)
    assert len({candidate.C for candidate in MeasureSVC("f1").fit(X, y).candidates_}) == 1
    assert len({candidate.C for candidate in MeasureSVC("f1").fit(X[:300], y[:300]).candidates_}) > 1


def test_columns_far_from_zero_cost_neither_time_nor_accuracy():
    """More columns than second derivatives are formed for, each a thousand times its spread away from zero."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((1500, 100))
    y = (X[:, :5].sum(axis=1) + rng.standard_normal(1500) > 2.5).astype(int)
    moved = 1000.0 + X * rng.choice([0.3, 1.0], 100)
    near = moved - 1000.0
    plain = MeasureSVC("balanced_error").fit(near, y)
    far = MeasureSVC("balanced_error").fit(moved, y)  # a warning would be an error here
    assert far.solution_.n_iter <= plain.solution_.n_iter + 10
    assert far.score(moved, y) == pytest.approx(plain.score(near, y), abs=0.02)

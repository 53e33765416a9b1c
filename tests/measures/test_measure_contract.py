"""MeasureSVC with scikit-learn's tools, in model files, and what it says about bad input."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
import sklearn.metrics
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import MeasureSVC, ModelFileError, OneSlack, Unsupported, load
from maxmargin.fitting.models import save_model
from maxmargin.measures import FBeta, PrecisionAtK


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 5))
    return X, X @ np.array([2.0, -1.0, 0.5, 0.0, 0.0]) + 0.5 * rng.standard_normal(150) > 1.5


def test_in_a_pipeline_and_a_grid_search(data):
    X, y = data
    pipeline = make_pipeline(StandardScaler(), MeasureSVC())
    grid = {"measuresvc__C": [1e-6, 1.0], "measuresvc__measure": ["f1", "roc_area", FBeta(0.5)]}
    search = GridSearchCV(pipeline, grid, cv=3, scoring="f1").fit(X, y)
    assert search.best_params_["measuresvc__C"] == 1.0
    assert search.best_score_ > 0.7
    assert search.predict(X).shape == y.shape


def test_cross_validation_with_groups(data):
    X, y = data
    with sklearn.config_context(enable_metadata_routing=True):
        model = MeasureSVC("f1", 1.0).set_fit_request(groups=True).set_score_request(groups=True)
        scores = cross_val_score(model, X, y, cv=GroupKFold(5), params={"groups": np.arange(150) % 5})
    assert scores.shape == (5,)
    assert scores.mean() > 0.7


def test_one_against_the_rest(data):
    X, _ = data
    labels = np.argmax(X[:, :3], axis=1)
    model = OneVsRestClassifier(MeasureSVC("f1", 1.0)).fit(X, labels)
    assert np.mean(model.predict(X) == labels) > 0.9


def test_data_frames_and_sparse_matrices(data):
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = MeasureSVC("f1", 1.0).fit(frame, pd.Series(y))
    assert model.feature_names_in_.tolist() == list("abcde")
    plain = MeasureSVC("f1", 1.0).fit(X, y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    for kind in (sp.csr_array, sp.csr_matrix, sp.csc_array):
        sparse = MeasureSVC("f1", 1.0).fit(kind(X), y)
        assert sparse.solution_.primal == pytest.approx(plain.solution_.primal, rel=1e-9)
        np.testing.assert_array_equal(sparse.predict(kind(X)), sparse.predict(X))


def test_clone_and_pickle(data):
    X, y = data
    model = MeasureSVC(
        PrecisionAtK(3), 0.5, method="structural", solver=OneSlack(damping=0.0), threshold_for="mcc"
    ).fit(X, y)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "coef_")
    for same in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(same.decision_function(X), model.decision_function(X))
        assert same.solution_.gap == model.solution_.gap


@pytest.mark.parametrize(
    "model",
    [
        MeasureSVC(),
        MeasureSVC("error_rate", 0.1, fit_intercept=False),
        MeasureSVC("roc_area", threshold_for="balanced_error", pos_label=False),
        MeasureSVC(PrecisionAtK(3), method="structural", solver=OneSlack(cache=3), threshold_for=FBeta(2.0)),
        MeasureSVC("prbep", method="structural", rescaling="slack", slack="squared"),
    ],
    ids=lambda model: str(model.measure),
)
def test_model_files_are_bit_equal(tmp_path, data, model):
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = clone(model).fit(frame, y)
    model.save(tmp_path / "a.mm")
    twin = load(tmp_path / "a.mm")
    assert twin.get_params() == model.get_params()
    np.testing.assert_array_equal(twin.decision_function(frame), model.decision_function(frame))
    np.testing.assert_array_equal(twin.predict(frame), model.predict(frame))
    assert twin.score(frame, y) == model.score(frame, y)
    assert (twin.threshold_, twin.C_, twin.n_iter_) == (model.threshold_, model.C_, model.n_iter_)
    assert (twin.loss_, twin.value_, twin.candidates_) == (model.loss_, model.value_, model.candidates_)
    assert twin.feature_names_in_.tolist() == list("abcde")
    assert twin.solution_.gap == model.solution_.gap


def test_model_files_of_other_labels(tmp_path, data):
    X, y = data
    model = MeasureSVC("f1", pos_label="ja").fit(X, np.where(y, "ja", "nein"))
    model.save(tmp_path / "a.mm")
    np.testing.assert_array_equal(load(tmp_path / "a.mm").predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("coef_", np.zeros((2, 5))),
        ("coef_", np.full((1, 5), np.nan)),
        ("intercept_", np.zeros(2)),
        ("classes_", np.array([0, 1, 2])),
        ("classes_", np.array([1, 1])),
    ],
)
def test_a_model_file_whose_parts_do_not_fit_is_refused(tmp_path, data, name, value):
    model = MeasureSVC("f1", 1.0).fit(*data)
    arrays = {"coef_": model.coef_, "intercept_": model.intercept_, "classes_": model.classes_}
    structure = {"threshold_": 0.0, "loss_": "logistic", "value_": None, "candidates_": []}
    save_model(tmp_path / "a.mm", model, {**arrays, name: value}, structure=structure)
    with pytest.raises(ModelFileError, match="its parts do not fit together"):
        load(tmp_path / "a.mm")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("loss_", "cubic"),
        ("value_", "high"),
        ("threshold_", "low"),
        ("candidates_", [{"loss": "logistic", "C": -1.0, "standardised": False, "value": 0.5}]),
        ("candidates_", [{"loss": "logistic"}]),
        ("candidates_", [3]),
    ],
)
def test_a_model_file_with_an_impossible_choice_is_refused(tmp_path, data, name, value):
    model = MeasureSVC("f1", 1.0).fit(*data)
    arrays = {"coef_": model.coef_, "intercept_": model.intercept_, "classes_": model.classes_}
    structure = {"threshold_": 0.0, "loss_": "logistic", "value_": None, "candidates_": []}
    save_model(tmp_path / "a.mm", model, arrays, structure={**structure, name: value})
    with pytest.raises(ModelFileError, match="its parts do not fit together"):
        load(tmp_path / "a.mm")


def test_a_function_is_not_saved(tmp_path, data):
    model = MeasureSVC(lambda tp, fp, fn, tn: (fp + fn) / (tp + fp + fn + tn), 1.0).fit(*data)
    with pytest.raises(ValueError, match="The parameter measure is a function"):
        model.save(tmp_path / "a.mm")


ROWS = np.arange(12.0).reshape(6, 2)
TRUTH = np.array([0, 1, 0, 1, 1, 0])


@pytest.mark.parametrize(
    ("model", "y", "groups", "sentence"),
    [
        (MeasureSVC(), np.zeros(6, dtype=int), None, "y has one class only, 0"),
        (
            MeasureSVC(),
            np.arange(6),
            None,
            "with the labels 0, 1, 2, 3, 4, ...; sklearn.multiclass.OneVsRestClassifier",
        ),
        (MeasureSVC(), np.linspace(0, 1, 6), None, "Unknown label type: continuous"),
        (MeasureSVC(pos_label=7), TRUTH, None, "pos_label is 7, and the labels in y are [0, 1]; it must be one."),
        (MeasureSVC("f2"), TRUTH, None, "There is no measure 'f2'"),
        (MeasureSVC("precision_at_k(7)"), TRUTH, None, "takes 7 rows, and the sample has 6; choose a smaller k."),
        (MeasureSVC("recall_at_k(3)"), TRUTH, [0, 0, 0, 0, 1, 1], "takes 3 rows, and group 1 has 2"),
        (MeasureSVC("f1"), TRUTH, list("abcccb"), "There is no positive row in group a; f1 needs at least one"),
        (MeasureSVC("roc_area"), TRUTH, [0, 0, 0, 0, 1, 2], "There is no negative row in group 1"),
        (MeasureSVC("f1"), TRUTH, [0, 1], "The size of group 0 is 0; leave groups without rows out"),
        (MeasureSVC(lambda a, b, c, d: a / (a + b)), TRUTH, None, "is 1 at the truth of the sample, tp=3, fp=0, fn=0"),
        (MeasureSVC(threshold_for="roc_area"), TRUTH, None, "threshold_for='roc_area' does not depend on a threshold"),
        (MeasureSVC(class_weight={1: -1.0}), TRUTH, None, "class_weight must hold finite weights of at least 0"),
        (MeasureSVC(class_weight={2: 1.0}), TRUTH, None, "class_weight names the class 2"),
        (MeasureSVC(class_weight={1: 0.0}), TRUTH, None, "The weights leave one class only"),
        (
            MeasureSVC("prbep", method="structural", class_weight={1: 2.5}),
            TRUTH,
            None,
            "The weight of row 1 is 2.5; for prbep with method='structural' a weight is a number of repetitions",
        ),
        (MeasureSVC(method="best"), TRUTH, None, "method must be one of 'auto', 'structural', not 'best'."),
        (MeasureSVC(solver="bcfw"), TRUTH, None, "solver='bcfw' is for method='structural'; name that method"),
        (MeasureSVC(rescaling="slack"), TRUTH, None, "rescaling='slack' is for method='structural'"),
        (MeasureSVC(C="large"), TRUTH, None, "C must be a positive number or 'scale', not 'large'."),
        (MeasureSVC(C=-1.0), TRUTH, None, "C must be a positive number"),
        (MeasureSVC(intercept_scaling=0.0), TRUTH, None, "intercept_scaling must be a positive number"),
    ],
)
def test_bad_input_is_one_sentence(model, y, groups, sentence):
    model = clone(model)
    with pytest.raises(ValueError) as refused:
        model.fit(ROWS, y, groups=groups)
    assert sentence in str(refused.value)
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        ([1, 1, 0.5, 1, 1, 1], "The weight of row 2 is 0.5; for f1 with method='structural' a weight is a number of"),
        ([1, 0, 1, 0, 0, 1], "sample_weight leaves one class only"),
        ([1e10, 1, 1, 1, 1, 1], "add up to 1e+10 rows, more than 2^31"),
        ([1, 1], "sample_weight"),
    ],
)
def test_bad_weights(weight, sentence):
    with pytest.raises(ValueError) as refused:
        MeasureSVC("f1", method="structural").fit(ROWS, TRUTH, sample_weight=weight)
    assert sentence in str(refused.value)


def test_values_that_are_not_finite_are_named_by_their_place():
    X = ROWS.copy()
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="row 3, column 1 is nan"):
        MeasureSVC().fit(X, TRUTH)


def test_the_perceptron_trains_for_the_error_rate_only(data):
    structural = MeasureSVC("error_rate", method="structural", solver="perceptron")
    assert structural.fit(*data).score(*data) > 0.9
    with pytest.raises(Unsupported, match="The perceptron has no loss, so it cannot train for f1"):
        structural.set_params(measure="f1").fit(*data)


def test_average_precision_refuses_slack_rescaling(data):
    with pytest.raises(Unsupported, match="average_precision cannot be trained with"):
        MeasureSVC("average_precision", method="structural", rescaling="slack").fit(*data)


def test_a_failed_fit_leaves_the_model_as_it_was(data):
    X, y = data
    model = MeasureSVC("f1", 1.0).fit(X, y)
    before = model.coef_
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X[:, :2], np.ones(150))
    assert model.coef_ is before
    assert model.n_features_in_ == 5


def test_a_run_that_stops_early_says_so(data):
    with pytest.warns(ConvergenceWarning, match="tol allows"):
        model = MeasureSVC("f1", 1.0, method="structural", max_iter=2, tol=1e-9).fit(*data)
    assert model.n_iter_ == 2
    with pytest.warns(ConvergenceWarning, match="tol allows"):
        model = MeasureSVC("f1", 1.0, max_iter=1, tol=1e-12).fit(*data)
    assert model.n_iter_ == 1


def test_scoring_rows_and_labels_that_do_not_match(data):
    model = MeasureSVC("f1", 1.0).fit(*data)
    with pytest.raises(ValueError, match=r"X has 150 rows and y has shape \(3,\)"):
        model.score(data[0], [0, 1, 0])


def test_labels_that_the_model_does_not_know_are_no_negatives(data):
    X, y = data
    model = MeasureSVC("f1", 1.0).fit(X, y.astype(int))
    for other in (np.where(y, 1, 99), np.where(y, 1.0, np.nan), y.astype(int).astype(str)):
        with pytest.raises(ValueError, match=r"The label of row [0-9]+ is .*, and the model knows \[0, 1\]"):
            model.score(X, other)


def test_groups_may_be_sizes_and_must_be_named_alike(data):
    X, y = data
    sizes, names = [50, 60, 40], np.repeat(["c", "a", "b"], [50, 60, 40])
    by_size = MeasureSVC("f1", 1.0, tol=1e-5).fit(X, y, groups=sizes)
    by_name = MeasureSVC("f1", 1.0, tol=1e-5).fit(X, y, groups=names)
    np.testing.assert_array_equal(by_size.coef_, by_name.coef_)
    assert by_size.score(X, y, groups=sizes) == by_name.score(X, y, groups=names)
    with pytest.raises(ValueError, match="names of several types"):
        MeasureSVC().fit(X, y, groups=np.array([1, "a", 2] * 50, dtype=object))
    with pytest.raises(ValueError, match="The group of row 0 is nan"):
        MeasureSVC().fit(X, y, groups=np.full(150, np.nan))


def test_a_function_of_labels_is_no_measure():
    for function in (sklearn.metrics.f1_score, lambda truth, answer: 0.0):
        with pytest.raises(ValueError, match="does not take the four counts"):
            MeasureSVC(function).fit(ROWS, TRUTH)
    with pytest.raises(ValueError, match="threshold_for must be a name, a measure object or a function"):
        MeasureSVC(threshold_for=0.3).fit(ROWS, TRUTH)

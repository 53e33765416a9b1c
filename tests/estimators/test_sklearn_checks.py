"""MulticlassSVC and TaxonomySVC keep scikit-learn's contract, with no expected failures."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import BlockCoordinate, MulticlassSVC, TaxonomySVC

CONFIGURATIONS = [
    MulticlassSVC(),
    MulticlassSVC(slack="squared"),
    MulticlassSVC(rescaling="slack", slack="linear", solver="one-slack"),
    MulticlassSVC(fit_intercept=False),
    MulticlassSVC(kernel="rbf"),
    MulticlassSVC(kernel="rbf", slack="linear"),
    TaxonomySVC(kernel="rbf", method="structural"),
    TaxonomySVC(),
    TaxonomySVC(loss="zero-one", slack="squared"),
    TaxonomySVC(loss="path", rescaling="slack", solver="one-slack"),
]


@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learn_check(estimator, check):
    if "sample_weight_equivalence" in str(check) and (estimator.solver != "auto" or estimator.slack == "squared"):
        # It compares to 1e-7, and distance goes like the root of the gap; small problems are solved to rounding anyway.
        C = 0.01 if estimator.solver == "one-slack" else 0.1
        estimator = clone(estimator).set_params(tol=1e-13, C=C)
    if "check_class_weight_classifiers" in str(check) and not estimator.fit_intercept:
        pytest.skip("through the origin no weights can give nine points of ten to one class; see test_liblinear")
    check(estimator)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_is_a_classifier():
    assert is_classifier(MulticlassSVC())


def test_in_a_pipeline(iris):
    X, y = iris
    model = make_pipeline(StandardScaler(), MulticlassSVC(C=0.1)).fit(X, y)
    assert model.score(X, y) > 0.93
    assert model.decision_function(X).shape == (150, 3)


def test_in_a_text_pipeline():
    texts = ["red apple", "green apple", "fast car", "slow car", "blue sky", "grey sky"]
    y = ["fruit", "fruit", "road", "road", "air", "air"]
    model = make_pipeline(CountVectorizer(), MulticlassSVC(C=10.0)).fit(texts, y)
    assert model.predict(["yellow apple", "red car", "sky"]).tolist() == ["fruit", "road", "air"]


def test_grid_search_finds_the_better_c(iris):
    X, y = iris
    search = GridSearchCV(MulticlassSVC(), {"C": [1e-6, 0.1], "slack": ["linear", "squared"]}, cv=3).fit(X, y)
    assert search.best_params_["C"] == 0.1
    assert search.best_score_ > 0.9


def test_grid_search_passes_sample_weight(iris):
    X, y = iris
    kept = (y != 2).astype(float)
    search = GridSearchCV(MulticlassSVC(), {"C": [1.0]}, cv=3).fit(X, y, sample_weight=kept)
    assert set(search.predict(X[y != 2])) == {0, 1}
    assert set(search.predict(X)) == {0, 1}  # nothing was learned from the examples of weight 0


def test_cross_val_score(iris):
    scores = cross_val_score(MulticlassSVC(), *iris, cv=5)
    assert scores.shape == (5,)
    assert scores.min() > 0.85


def test_inside_other_estimators(iris):
    X, y = iris
    assert OneVsRestClassifier(MulticlassSVC(C=0.1)).fit(X, y).score(X, y) > 0.6
    assert CalibratedClassifierCV(MulticlassSVC(C=0.1), cv=3).fit(X, y).predict_proba(X).shape == (150, 3)


def test_clone_copies_parameters_only(iris):
    solver = BlockCoordinate(capacity=3)
    cost = np.ones((3, 3)) - np.eye(3)
    model = MulticlassSVC(
        C=0.5, cost=cost, decision="score", solver=solver, class_weight={0: 2.0, 1: 1.0, 2: 1.0}, tol=0.01
    ).fit(*iris)
    twin = clone(model)
    assert not hasattr(twin, "coef_")
    mine, other = model.get_params(), twin.get_params()
    np.testing.assert_array_equal(mine.pop("cost"), other.pop("cost"))
    assert mine == other


def test_set_params(iris):
    model = MulticlassSVC(C=1e-7).set_params(C=0.1, slack="squared").fit(*iris)
    assert model.C_ == 0.1
    assert model.solution_.primal == pytest.approx(MulticlassSVC(C=0.1, slack="squared").fit(*iris).solution_.primal)


@pytest.mark.parametrize("solver", ["one-slack", "n-slack", "bcfw", "subgradient", "perceptron"])
def test_pickle_and_deepcopy(iris, solver):
    X, y = iris
    model = MulticlassSVC(C=0.01, solver=solver, tol=0.01).fit(X, y)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(twin.decision_function(X), model.decision_function(X))
        assert twin.solution_.primal == model.solution_.primal
        assert twin.solution_.gap == model.solution_.gap
        assert twin.solution_.status is model.solution_.status


@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_fit_mutates_nothing_that_it_was_given(iris, slack):
    X, y = iris
    X, y = X.copy(), y.copy()
    cost, weights, sample_weight = (1.0 - np.eye(3)) * 2.0, {0: 1.0, 1: 2.0, 2: 1.0}, np.linspace(0.0, 1.0, 150)
    sparse = sp.csr_array(X)
    sparse.data[3] = 0.0
    given = [X, y, cost, sample_weight, sparse.data, sparse.indices, sparse.indptr]
    before = [array.copy() for array in given]
    model = MulticlassSVC(C=0.01, cost=cost, decision="score", class_weight=weights, slack=slack)
    params = model.get_params()
    model.fit(X, y, sample_weight=sample_weight)
    model.predict(X)
    model.fit(sparse, y, sample_weight=sample_weight)
    model.predict(sparse)
    for array, old in zip(given, before):
        np.testing.assert_array_equal(array, old)
    assert weights == {0: 1.0, 1: 2.0, 2: 1.0}
    assert all(model.get_params()[name] is value for name, value in params.items())


def test_unsorted_input_is_left_as_it_was(iris):
    X = sp.csr_matrix((np.array([1.0, 2.0, 3.0, 4.0]), np.array([1, 0, 1, 1]), np.array([0, 2, 4])), shape=(2, 2))
    before = X.indices.copy(), X.data.copy()
    MulticlassSVC(C=1.0).fit(X, [0, 1]).predict(X)
    np.testing.assert_array_equal(X.indices, before[0])
    np.testing.assert_array_equal(X.data, before[1])
    assert X.nnz == 4


def test_refit_forgets_the_first_fit(iris):
    X, y = iris
    model = MulticlassSVC(C=0.1).fit(X[:100, :2], y[:100])
    model.fit(X, y)
    assert model.coef_.shape == (3, 4)
    assert model.n_features_in_ == 4
    np.testing.assert_array_equal(model.coef_, MulticlassSVC(C=0.1).fit(X, y).coef_)

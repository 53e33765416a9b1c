"""MultilabelSVC keeps scikit-learn's contract: its checks, pipelines, searches, clones and pickles."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_multilabel_classification
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import BlockCoordinate, MultilabelSVC

CONFIGURATIONS = [
    MultilabelSVC(),
    MultilabelSVC(interactions="independent", slack="squared"),
    MultilabelSVC(loss="f1", rescaling="slack", interactions="full"),
]


@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learn_check(estimator, check):
    if "sample_weight_equivalence" in str(check) and estimator.slack == "squared":
        # It compares to 1e-7, and distance goes like the root of the gap; small problems are solved to rounding anyway.
        estimator = clone(estimator).set_params(tol=1e-14, C=0.1)
    check(estimator)


@pytest.fixture(scope="module")
def data():
    X, Y = make_multilabel_classification(200, 10, n_classes=4, n_labels=2, random_state=0)
    return StandardScaler().fit_transform(X), Y


def test_is_a_classifier():
    assert is_classifier(MultilabelSVC())


def test_in_a_pipeline(data):
    X, Y = data
    model = make_pipeline(StandardScaler(), MultilabelSVC(C=0.1, interactions="tree", tol=1e-3)).fit(X, Y)
    assert model.score(X, Y) > 0.4
    assert model.decision_function(X).shape == Y.shape


def test_grid_search(data):
    X, Y = data
    grid = {"C": [1e-6, 0.1], "interactions": ["independent", "tree"], "loss": ["hamming", "f1"]}
    for scoring in (None, "f1_micro"):
        search = GridSearchCV(MultilabelSVC(), grid, cv=3, scoring=scoring).fit(X, Y)
        assert search.best_params_["C"] == 0.1
        assert search.predict(X).shape == Y.shape


def test_cross_val_score_with_weights(data):
    X, Y = data
    assert cross_val_score(MultilabelSVC(C=0.1), X, Y, cv=4, scoring="average_precision").min() > 0.6
    assert cross_val_score(MultilabelSVC(C=0.1), X, Y, cv=4).min() > 0.2
    weight = np.ones(len(X))
    scores = cross_val_score(MultilabelSVC(C=0.1), X, Y, cv=4, params={"sample_weight": weight})
    np.testing.assert_array_equal(scores, cross_val_score(MultilabelSVC(C=0.1), X, Y, cv=4))


def test_clone_copies_parameters_only(data):
    model = MultilabelSVC(C=0.5, interactions=[(0, 1)], label_weight={0: 2.0}, solver=BlockCoordinate(capacity=3))
    twin = clone(model.fit(*data))
    assert not hasattr(twin, "coef_")
    assert model.get_params() == twin.get_params()


@pytest.mark.parametrize("solver", ["one-slack", "n-slack", "bcfw", "subgradient", "perceptron"])
@pytest.mark.parametrize("interactions", ["independent", "full"])
def test_pickle_and_deepcopy(data, solver, interactions):
    X, Y = data
    model = MultilabelSVC(C=0.01, interactions=interactions, solver=solver, tol=0.01).fit(X, Y)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(twin.decision_function(X), model.decision_function(X))
        assert twin.solution_.gap == model.solution_.gap


def test_fit_mutates_nothing_that_it_was_given(data):
    X, Y = data[0].copy(), data[1].copy()
    weight, pairs, costs = np.linspace(0.0, 1.0, 200), [(0, 1), (1, 3)], {0: 2.0}
    sparse = sp.csr_array(X)
    given = [X, Y, weight, sparse.data, sparse.indices]
    before = [array.copy() for array in given]
    model = MultilabelSVC(C=0.01, interactions=pairs, label_weight=costs)
    model.fit(X, Y, sample_weight=weight).predict(X)
    model.fit(sparse, sp.csr_array(Y), sample_weight=weight).predict(sparse)
    for array, old in zip(given, before):
        np.testing.assert_array_equal(array, old)
    assert (pairs, costs) == ([(0, 1), (1, 3)], {0: 2.0})


def test_refit_forgets_the_first_fit(data):
    X, Y = data
    model = MultilabelSVC(C=0.1).fit(X[:, :2], Y[:, :2])
    model.fit(X, Y)
    assert model.coef_.shape == (4, 10)
    assert model.interaction_.shape == (6,)
    np.testing.assert_array_equal(model.coef_, MultilabelSVC(C=0.1).fit(X, Y).coef_)


def test_a_refused_fit_leaves_the_model_as_it_was(data):
    X, Y = data
    model = MultilabelSVC(C=0.1).fit(X, Y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="must match"):
        model.fit(X[:, :3], Y[:5])
    np.testing.assert_array_equal(model.predict(X), before)

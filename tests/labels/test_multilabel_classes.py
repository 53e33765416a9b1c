"""MultilabelSVC with one class per example: one against the rest, and the best label vector with one label set."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.exceptions import DataConversionWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import maxmargin
from maxmargin import MultilabelSVC, Unsupported

X, NUMBERS = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X)
NAMES = np.array(["setosa", "versicolor", "virginica"])[NUMBERS]


def test_independent_labels_are_one_against_the_rest():
    rival = OneVsRestClassifier(LinearSVC(C=0.1, loss="hinge", tol=1e-10, max_iter=10**6)).fit(X, NAMES)
    own = MultilabelSVC(0.1, interactions="independent", intercept_scaling=1.0, tol=1e-10).fit(X, NAMES)
    assert own.classes_.tolist() == rival.classes_.tolist()
    np.testing.assert_allclose(own.decision_function(X), rival.decision_function(X), atol=1e-4)
    np.testing.assert_array_equal(own.predict(X), rival.predict(X))
    assert own.score(X, NAMES) == rival.score(X, NAMES)


def test_two_classes_are_one_label():
    two = NUMBERS > 0
    rival = LinearSVC(C=0.1, loss="hinge", tol=1e-10, max_iter=10**6).fit(X[two], NAMES[two])
    own = MultilabelSVC(0.1, intercept_scaling=1.0, tol=1e-10).fit(X[two], NAMES[two])
    assert (own.coef_.shape, own.pairs_.shape, own.classes_.size) == ((1, 4), (0, 2), 2)
    np.testing.assert_allclose(own.decision_function(X), rival.decision_function(X), atol=1e-4)
    np.testing.assert_array_equal(own.predict(X), rival.predict(X))


@pytest.mark.parametrize("interactions", ["independent", "tree", "full"])
def test_the_same_machine_as_for_vectors_with_one_label_set(interactions):
    vectors = np.eye(3, dtype=int)[NUMBERS]
    by_class = MultilabelSVC(0.1, interactions=interactions).fit(X, NUMBERS)
    by_vector = MultilabelSVC(0.1, interactions=interactions, method="structural").fit(X, vectors)
    np.testing.assert_array_equal(by_class.coef_, by_vector.coef_)
    np.testing.assert_array_equal(by_class.interaction_, by_vector.interaction_)
    sure = by_vector.predict(X).sum(axis=1) == 1  # else the best label vector has none or two labels
    np.testing.assert_array_equal(by_class.predict(X)[sure], by_vector.predict(X)[sure].argmax(axis=1))
    np.testing.assert_array_equal(by_class.predict(X), by_class.predict(sp.csr_array(X)))
    assert by_class.score(X, NUMBERS) > 0.85


def test_a_single_column_of_classes_is_flattened_with_a_warning():
    with pytest.warns(DataConversionWarning, match="column-vector"):
        model = MultilabelSVC(0.1).fit(X, NUMBERS[:, None])
    assert model.predict(X).shape == (150,)
    vectors = MultilabelSVC(0.1).fit(X, (NUMBERS > 0)[:, None])
    assert vectors.predict(X).shape == (150, 1)


@pytest.mark.parametrize("names", [NAMES, NAMES[50:], NUMBERS])
def test_model_files(tmp_path, names):
    model = MultilabelSVC(0.1).fit(X[-names.size :], names)
    model.save(tmp_path / "m")
    loaded = maxmargin.load(tmp_path / "m")
    assert loaded.single_
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


def test_what_has_no_meaning_is_refused():
    model = MultilabelSVC(0.1).fit(X, NAMES)
    with pytest.raises(Unsupported, match="one class per example, and predict_sets is for label vectors"):
        model.predict_sets(X)
    with pytest.raises(Unsupported, match="one class per example, and predict_kbest is for label vectors"):
        model.predict_kbest(X, 2)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        MultilabelSVC().fit(X, X[:, 0])

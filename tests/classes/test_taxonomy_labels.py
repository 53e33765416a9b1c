"""TaxonomySVC: labels that spell out their nodes, and what ``score`` is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

import maxmargin
from maxmargin import MulticlassSVC, TaxonomySVC
from maxmargin.datasets import make_taxonomy
from maxmargin.metrics import tree_loss


@pytest.fixture(scope="module")
def texts():
    X, y = make_taxonomy(200, branching=(2, 3, 2), n_features=60, n_words=25, topic_words=4, seed=1)
    return X, y


@pytest.mark.parametrize("separator", ["/", "|", " -> ", "."])
def test_names_make_the_tree_without_being_asked(texts, separator):
    X, y = texts
    names = np.array([label.replace(".", separator) for label in y])
    found = TaxonomySVC().fit(X, names)
    asked = TaxonomySVC(taxonomy=separator).fit(X, names)
    assert found.separator_ == separator
    assert found.taxonomy_ == asked.taxonomy_
    np.testing.assert_array_equal(found.predict(X), asked.predict(X))
    flat = TaxonomySVC(taxonomy=None).fit(X, names)
    assert flat.separator_ is None
    assert flat.taxonomy_.heights.max() == 1


def test_a_part_called_root_is_no_obstacle(texts):
    X, y = texts
    model = TaxonomySVC().fit(X, np.array([f"root/{label.replace('.', '/')}" for label in y]))
    assert model.taxonomy_.nodes[0] == "(root)"


@pytest.mark.parametrize("form", ["str", "int", "object", "frame", "list"])
def test_columns_are_levels(texts, form, tmp_path):
    X, y = texts
    table = np.array([label.split(".") for label in y])
    y_rows = {
        "str": table,
        "int": table.astype(int),
        "object": table.astype(object),
        "frame": pd.DataFrame(table, columns=["top", "middle", "low"]),
        "list": table.tolist(),
    }[form]
    model = TaxonomySVC(0.5).fit(X, y_rows)
    by_name = TaxonomySVC(0.5, taxonomy=".").fit(X, y)
    answers = model.predict(X)
    assert answers.shape == (200, 3)
    assert answers.dtype.kind == {"str": "U", "int": "i"}.get(form, "O")
    np.testing.assert_array_equal([".".join(map(str, row)) for row in answers], by_name.predict(X))
    assert [few[0].output for few in model.predict_kbest(X, 2)] == answers.tolist()
    assert model.score(X, y_rows) == pytest.approx(-tree_loss(y_rows, answers)) == by_name.score(X, y)
    model.calibrate(X, y_rows, folds=2)
    higher = model.predict(X, until=1.0)
    assert higher.shape == (200, 3)
    model.save(tmp_path / "m.mm")
    loaded = maxmargin.load(tmp_path / "m.mm")
    np.testing.assert_array_equal(loaded.predict(X), answers)
    np.testing.assert_array_equal(loaded.predict(X, until=1.0), higher)
    assert loaded.score(X, y_rows) == model.score(X, y_rows)
    np.testing.assert_array_equal(loaded.fit(X, y_rows).predict(X), answers)


def test_labels_that_end_above_the_lowest_level(texts):
    X, y = texts
    rows = np.array([label.split(".") for label in y], dtype=object)
    rows[::3, 2] = None
    model = TaxonomySVC(method="structural").fit(X, rows)
    answers = model.predict(X)
    assert {None} < set(answers[:, 2])
    assert not any(value is None for value in answers[:, :2].ravel())
    assert np.mean((answers == rows).all(axis=1)) > 0.7


def test_columns_are_a_taxonomy_themselves(texts):
    X, y = texts
    rows = np.array([label.split(".") for label in y])
    with pytest.raises(ValueError, match="y has 3 columns, one per level, which are a taxonomy themselves; leave"):
        TaxonomySVC(taxonomy=[("root", "0")]).fit(X, rows)
    model = TaxonomySVC().fit(X, rows)
    with pytest.raises(ValueError, match="There are 199 true and 200 predicted labels"):
        model.score(X, rows[1:])


def test_columns_in_searches(texts):
    X, y = texts
    rows = np.array([label.split(".") for label in y])
    search = GridSearchCV(TaxonomySVC(), {"C": [1e-4, 1.0]}, cv=2).fit(X, rows)
    assert search.best_params_["C"] == 1.0
    assert -1.5 < search.best_score_ < 0.0


def test_score_is_the_loss_trained_with(texts):
    X, y = texts
    for loss in ("height", "path"):
        model = TaxonomySVC(0.01, taxonomy=".", loss=loss).fit(X[:100], y[:100])
        assert model.score(X, y) == -tree_loss(y, model.predict(X), ".", loss=loss) < -0.01
        weight = np.arange(200.0)
        weighed = tree_loss(y, model.predict(X), ".", loss=loss, sample_weight=weight)
        assert model.score(X, y, sample_weight=weight) == pytest.approx(-weighed)
    plain = TaxonomySVC(0.01, taxonomy=".", loss="zero-one").fit(X[:100], y[:100])
    assert plain.score(X, y) == pytest.approx(np.mean(plain.predict(X) == y))
    flat = TaxonomySVC(0.01, taxonomy=None).fit(X, y)
    assert flat.score(X, y) == pytest.approx(np.mean(flat.predict(X) == y))
    edges = plain.taxonomy_.edges()
    explicit = TaxonomySVC(0.01, taxonomy=edges).fit(X[:100], y[:100])
    assert explicit.score(X, y) == -tree_loss(y, explicit.predict(X), edges)
    assert explicit.score(X, y) == -tree_loss(y, explicit.predict(X), explicit)


def test_score_by_a_matrix(texts):
    X, y = texts
    k = np.unique(y).size
    cost = np.abs(np.subtract.outer(np.arange(float(k)), np.arange(float(k))))
    model = TaxonomySVC(0.01, taxonomy=".", loss=cost).fit(X, y)
    answers = model.predict(X)
    expected = np.mean(cost[np.searchsorted(model.classes_, y), np.searchsorted(model.classes_, answers)])
    assert model.score(X, y) == pytest.approx(-expected)
    with pytest.raises(ValueError, match="'new' is no class of the training data"):
        model.score(X[:1], ["new"])


def test_folds_may_lack_a_class(texts):
    """The loss of an answer is the same in every fold, whatever classes its training part had."""
    X, y = texts
    deep = np.array([f"{label}.extra" if i < 3 else label for i, label in enumerate(y)])
    scores = cross_val_score(TaxonomySVC(taxonomy="."), X, deep, cv=[(np.arange(3, 200), np.arange(3))])
    model = TaxonomySVC(taxonomy=".").fit(X[3:], deep[3:])
    assert scores[0] == -tree_loss(deep[:3], model.predict(X[:3]), ".") <= -1.0


def test_flat_labels_stay_flat(texts):
    X, y = texts
    codes = np.unique(y, return_inverse=True)[1]
    model = TaxonomySVC(0.5, tol=1e-6).fit(X, codes)
    flat = MulticlassSVC(0.5, slack="linear", tol=1e-6).fit(X, codes)
    assert model.solution_.primal == pytest.approx(flat.solution_.primal, rel=1e-4)

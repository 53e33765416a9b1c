"""Rows of many columns in a basis of their own: same inner products, same choices, fewer cells."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification

from maxmargin import MulticlassSVC
from maxmargin.rows import turned_rows as module
from maxmargin.rows.feature_scale import packed
from maxmargin.rows.turned_rows import turned_rows


def inner_products(rows) -> np.ndarray:
    offsets, index, value = rows.cells_of(np.arange(rows.n, dtype=np.int32))
    matrix = sp.csr_array((value, index, offsets), shape=(rows.n, rows.columns)).toarray()
    return matrix @ matrix.T


def wide(kind: str) -> object:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 400))
    if kind == "rank 5":
        return X[:, :5] @ rng.normal(size=(5, 400))
    if kind == "repeated rows":
        return np.repeat(X[:10], 3, axis=0)
    if kind == "sparse":
        return sp.random_array((30, 5000), density=0.05, rng=rng, format="csr")
    return X.astype(np.float32) if kind == "float32" else X


@pytest.mark.parametrize("kind", ["dense", "float32", "rank 5", "repeated rows", "sparse"])
@pytest.mark.parametrize("constant", [0.0, 2.5])
def test_inner_products_are_those_of_the_rows(kind, constant):
    rows = packed(wide(kind))
    rows.set_bias(constant)
    turned = turned_rows(rows)
    assert turned.columns <= 30 < rows.columns
    expected = inner_products(rows)
    np.testing.assert_allclose(inner_products(turned), expected, atol=1e-9 * expected.max())
    if kind == "rank 5":
        assert turned.columns == 5 + (constant > 0.0)


def test_rows_stay_as_they_are_where_little_is_saved():
    narrow, empty = packed(np.ones((30, 20))), packed(np.zeros((5, 400)))
    assert turned_rows(narrow) is narrow
    assert turned_rows(empty) is empty


@pytest.mark.parametrize("as_matrix", [np.asarray, sp.csr_array])
def test_the_choice_of_a_method_does_not_depend_on_it(monkeypatch, as_matrix):
    X, y = make_classification(120, 600, n_informative=40, n_classes=3, random_state=1)
    X = as_matrix(X)
    quick = MulticlassSVC().fit(X, y)
    monkeypatch.setattr(module, "_MOST_ROWS", 0)
    plain = MulticlassSVC().fit(X, y)
    assert (quick.method_, quick.slack_) == (plain.method_, plain.slack_)
    assert np.isclose(quick.C_, plain.C_)
    np.testing.assert_allclose(quick.coef_, plain.coef_, atol=1e-12)
    np.testing.assert_allclose(quick.predict_proba(X), plain.predict_proba(X), atol=0.02)

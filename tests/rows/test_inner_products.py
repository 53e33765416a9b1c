"""Inner products of all pairs of rows, and scores of some of them, in every form of rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.rows.feature_scale import packed
from maxmargin.rows.inner_products import inner_products
from maxmargin.rows.matrices import feature_major

FORMS = {
    "dense": lambda X: X + 3.0,
    "masked": lambda X: np.where(np.abs(X) > 0.2, X, 0.0),
    "single": lambda X: (X + 3.0).astype(np.float32),
    "sparse": lambda X: sp.csr_array(np.where(np.abs(X) > 1.8, X, 0.0)),
    "copied": lambda X: np.where(np.abs(X) > 1.8, X, 0.0),
    "coded": lambda X: np.where(np.abs(X) > 1.8, np.round(X), 0.0),
}


def sample(form):
    X = FORMS[form](np.random.default_rng(0).standard_normal((40, 300)))
    return X, np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)


@pytest.mark.parametrize("bias", [0.0, 0.5])
@pytest.mark.parametrize("form", FORMS)
def test_products_are_those_of_numpy(form, bias):
    X, full = sample(form)
    rows = packed(X)
    rows.set_bias(bias)
    expected = full @ full.T + bias**2
    np.testing.assert_allclose(rows.inner_products().reshape(40, 40), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(inner_products(rows), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("form", FORMS)
def test_scores_of_some_rows_are_those_of_all(form, threads):
    X, full = sample(form)
    rows, coef = packed(X), np.random.default_rng(1).standard_normal((5, 300))
    some = np.array([39, 0, 7, 7], dtype=np.int32)
    expected = full @ coef.T
    found = rows.scores(feature_major(coef), 5, threads, some).reshape(-1, 5)
    np.testing.assert_allclose(found, expected[some], rtol=1e-9, atol=1e-9)
    parents, ones = np.array([-1, 0, 0, 1, 1], dtype=np.int32), np.ones(5)
    tree = _core.OutputMap.tree(parents, ones, np.array([2, 3, 4], dtype=np.int32))
    above = np.array([[1, 0, 1, 0, 0], [1, 1, 0, 1, 0], [1, 1, 0, 0, 1]])
    found = tree.scores(rows, feature_major(coef), threads, some).reshape(-1, 3)
    np.testing.assert_allclose(found, (expected @ above.T)[some], rtol=1e-9, atol=1e-9)
    assert rows.scores(feature_major(coef), 5, threads, some[:0]).size == 0


def test_numbers_that_are_no_rows_are_refused():
    rows = packed(np.eye(3) + 1.0)
    with pytest.raises(IndexError, match="no such example"):
        rows.scores(np.zeros(12), 2, 1, np.array([3], dtype=np.int32))

"""Columns far from zero or of another size are brought together before training; the model is one for X as it is."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification

from maxmargin import MeasureSVC, MulticlassSVC, MultilabelSVC, TaxonomySVC
from maxmargin.rows.columns import Columns, near_columns
from maxmargin.rows.feature_scale import FeatureScale
from maxmargin.rows.matrices import as_rows


def columns_of(X, weight=None):
    return Columns.of(FeatureScale(as_rows(X, 0.0, True), weight), X.dtype)


def sample(n=150, d=6, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    return rng.standard_normal((n, d)) + rng.standard_normal((classes, d))[y], y


def test_columns_alike_are_left_alone():
    X, _ = sample()
    assert columns_of(X) is None
    assert columns_of(1e-4 * X) is None
    text = sp.random_array((200, 50), density=0.05, rng=np.random.default_rng(1), format="csr")
    assert columns_of(text) is None


def test_filled_columns_are_centred_and_get_one_size():
    X, _ = sample()
    given = X * [1.0, 1e6, 1e-3, 1.0, 1.0, 1.0] + [0.0, 0.0, 0.0, 1000.0, 0.0, 0.0]
    moved = columns_of(given).apply(given)
    np.testing.assert_allclose(moved[:, [0, 4, 5]], X[:, [0, 4, 5]])
    np.testing.assert_allclose(moved[:, 3].mean(), 0.0, atol=1e-9)
    sizes = np.abs(moved).mean(axis=0)
    assert sizes.max() < 2.1 * sizes.min()


def test_rare_columns_keep_their_size_within_a_factor_of_three():
    rng = np.random.default_rng(2)
    words = (rng.random((400, 40)) < 0.1) * 1.0
    words[:, 0] *= 2.5
    words[:, 1] *= 100.0
    words[:, 2] *= 0.01
    factor = columns_of(sp.csr_array(words)).factor
    assert (factor[[0, *range(3, 40)]] == 1.0).all()
    np.testing.assert_allclose(words[:, 1].max() * factor[1], 3.0)
    np.testing.assert_allclose(words[:, 2].max() * factor[2], 1.0 / 3.0)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.sampled_from([np.float64, np.float32]), st.booleans())
def test_sparse_and_dense_are_changed_alike(seed, dtype, weighted):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 8)) * np.exp(3 * rng.standard_normal(8)) + rng.standard_normal(8) * 20
    X[rng.random(X.shape) < rng.random(8)] = 0.0
    X = X.astype(dtype)
    weight = rng.integers(1, 4, 30).astype(float) if weighted else None
    dense, sparse = columns_of(X, weight), columns_of(sp.csr_array(X), weight)
    assert (dense is None) == (sparse is None)
    if dense is not None:
        moved = sparse.apply(sp.csr_array(X))
        assert moved.dtype == X.dtype
        assert moved.nnz <= 2 * np.count_nonzero(X) + 1
        np.testing.assert_allclose(moved.toarray(), dense.apply(X), rtol=1e-5, atol=1e-5)
    if weighted and dense is not None:
        repeated = columns_of(np.repeat(X, weight.astype(int), axis=0))
        np.testing.assert_allclose(repeated.factor, dense.factor, rtol=1e-4)
        np.testing.assert_allclose(repeated.shift, dense.shift, rtol=1e-4)


def test_sparse_rows_in_any_order_with_repeated_cells_and_spare_room_are_changed_as_dense_ones():
    data = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 99.0])
    X = sp.csr_array((data, np.array([2, 0, 2, 1, 0, 0]), np.array([0, 3, 3, 5])), shape=(3, 3))
    columns = Columns(np.array([0.0, 0.0, 3.0]), np.array([2.0, 0.5, 10.0]))
    np.testing.assert_array_equal(columns.apply(X).toarray(), (X.toarray() - columns.shift) * columns.factor)


@pytest.mark.parametrize("make", [MulticlassSVC, partial(TaxonomySVC, method="structural")])
def test_the_model_is_that_of_the_changed_columns(make):
    X, y = sample()
    X = X * [1.0, 1e6, 1.0, 1e-3, 1.0, 1.0] + [0.0, 0.0, 1000.0, 0.0, 0.0, 0.0]
    moved = columns_of(X).apply(X)
    model = make(tol=1e-8).fit(X, y)
    same = make(C=model.C_, intercept_scaling=model.intercept_scaling_, tol=1e-8).fit(moved, y)
    np.testing.assert_allclose(model.decision_function(X), same.decision_function(moved), atol=1e-6)
    assert model.solution_.primal == pytest.approx(same.solution_.primal)


@pytest.mark.parametrize("factor", [1e-4, 1e-2, 1e3, 1e8])
def test_the_scale_of_all_features_does_not_matter(factor):
    X, y = sample(400, 8, 4)
    model = MulticlassSVC(tol=1e-6).fit(X, y)
    scaled = MulticlassSVC(tol=1e-6).fit(factor * X, y)
    np.testing.assert_allclose(scaled.decision_function(factor * X), model.decision_function(X), atol=1e-2)
    assert scaled.n_iter_ < 2 * model.n_iter_ + 10


@pytest.mark.parametrize("method", ["likelihood", "structural"])
@pytest.mark.parametrize("moved", ["offset", "column", "offsets and columns"])
def test_offsets_and_large_columns_cost_neither_time_nor_accuracy(moved, method):
    X, y = sample(600, 8, 4, seed=3)
    rng = np.random.default_rng(4)
    given = {
        "offset": X + 1000.0,
        "column": X * np.where(np.arange(8) == 2, 1e6, 1.0),
        "offsets and columns": X * 10.0 ** rng.uniform(-4, 6, 8) + 10.0 ** rng.uniform(-2, 3, 8),
    }[moved]
    model, other = (MulticlassSVC(method=method).fit(rows[:300], y[:300]) for rows in (X, given))
    assert other.score(given[300:], y[300:]) > model.score(X[300:], y[300:]) - 0.02
    assert other.n_iter_ < 2 * model.n_iter_ + 10


@pytest.mark.parametrize("options", [{"intercept_scaling": 1.0}, {"fit_intercept": False}])
def test_a_number_as_intercept_scaling_or_no_intercept_leaves_the_columns_alone(options):
    X, y = sample()
    X = X * [1.0, 30.0, 1.0, 1.0, 1.0, 1.0] + 3.0
    model = MulticlassSVC(0.1, slack="linear", tol=1e-8, **options).fit(X, y)
    objective = 0.5 * ((model.coef_**2).sum() + (model.intercept_**2).sum())
    scores = X @ model.coef_.T + model.intercept_
    own = scores[np.arange(len(y)), y]
    objective += 0.1 * (scores + (np.arange(3) != y[:, None]) - own[:, None]).max(axis=1).sum()
    assert objective == pytest.approx(model.solution_.primal)


@pytest.mark.parametrize("unlike", [1e-12, 1e-9, 1e9])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("label_sets", [False, True])
def test_columns_of_another_unit_do_not_make_c_too_large(unlike, form, label_sets):
    """The measures and label vectors are those of the columns in one unit."""
    X, y = make_classification(400, 8, n_informative=6, random_state=1)
    Y, make = (np.c_[y, 1 - y], MultilabelSVC) if label_sets else (y, MeasureSVC)
    unit = np.array([unlike] * 6 + [1.0] * 2)
    model, same = make().fit(form(X * unit), Y), make().fit(form(X), Y)
    assert abs(model.score(form(X * unit), Y) - same.score(form(X), Y)) < 0.02
    assert np.isfinite(model.coef_).all()
    going_on = make(warm_start=True).fit(form(X * unit), Y).fit(form(X * unit), Y) if label_sets else model
    assert abs(going_on.score(form(X * unit), Y) - model.score(form(X * unit), Y)) < 0.01


def test_columns_that_differ_less_stay_as_they_are():
    X = np.random.default_rng(0).standard_normal((50, 4)) * [1e-5, 1.0, 1.0, 1e5]
    rows = as_rows(X, 0.0, True)
    assert near_columns(X, rows, None) == (rows, None)
    moved = X * [1e-3, 1.0, 1.0, 1.0] + [0.0, 0.0, 7.0, 0.0]
    found = near_columns(moved, as_rows(moved, 0.0, True), None)[1]
    assert (found.factor != 1.0).tolist() == [True, False, False, False]
    assert (found.shift != 0.0).tolist() == [False, False, True, False]

"""MulticlassSVC gives one answer for one matrix, however it is stored."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from maxmargin import MulticlassSVC
from maxmargin.rows.matrices import as_rows


def make(density=1.0, n=80, d=12, seed=0):
    """Small integers, so that every dtype holds them exactly."""
    rng = np.random.default_rng(seed)
    X = rng.integers(1, 5, (n, d)) * (rng.random((n, d)) < density).astype(float)
    X *= np.where(rng.random((n, d)) < 0.3, -1.0, 1.0)
    y = np.argmax(X @ rng.standard_normal((d, 4)) + rng.standard_normal((n, 4)), axis=1)
    return X, y


def fit(X, y, **options):
    return MulticlassSVC(C=0.02, slack="linear", tol=1e-6, **options).fit(X, y)


def shuffled(X):
    """CSR with the indices of every row in descending order."""
    X = sp.csr_array(X)
    order = np.concatenate([np.arange(b, a, -1) - 1 for a, b in zip(X.indptr, X.indptr[1:])])
    return sp.csr_array((X.data[order], X.indices[order], X.indptr), shape=X.shape)


def duplicated(X):
    """COO in which every cell is the sum of two entries."""
    X = sp.coo_array(X)
    row, column = X.coords
    data = np.concatenate([0.25 * X.data, 0.75 * X.data])
    return sp.coo_array((data, (np.tile(row, 2), np.tile(column, 2))), shape=X.shape)


def duplicated_csr(X):
    """CSR with every entry twice in a row of the matrix, unsorted."""
    X = sp.csr_array(X)
    parts = [np.tile(np.arange(a, b), 2) for a, b in zip(X.indptr, X.indptr[1:])]
    order = np.concatenate(parts)
    return sp.csr_array((0.5 * X.data[order], X.indices[order], 2 * X.indptr), shape=X.shape)


def long_indices(X):
    X = sp.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def explicit_zeros(X):
    full = sp.csr_array(np.ones_like(X))
    full.data = X.ravel().copy()
    return full


def strided(X):
    wide = np.full((2 * X.shape[0], 3 * X.shape[1]), np.nan)
    wide[::2, ::3] = X
    return wide[::2, ::3]


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


FORMS = {
    "fortran": np.asfortranarray,
    "strided": strided,
    "read-only": read_only,
    "list": lambda X: X.tolist(),
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "big-endian": lambda X: X.astype(">f8"),
    "int64": lambda X: X.astype(np.int64),
    "int8": lambda X: X.astype(np.int8),
    "csr_array": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "csc_matrix": sp.csc_matrix,
    "coo_array": sp.coo_array,
    "lil": sp.lil_array,
    "csr float32": lambda X: sp.csr_array(X.astype(np.float32)),
    "csr int": lambda X: sp.csr_array(X.astype(np.int32)),
    "unsorted csr": shuffled,
    "coo with duplicates": duplicated,
    "csr with duplicates": duplicated_csr,
    "csr with int64 indices": long_indices,
    "csr with explicit zeros": explicit_zeros,
    "data frame": pd.DataFrame,
    "data frame of ints": lambda X: pd.DataFrame(X.astype(int)),
    "sparse data frame": lambda X: pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(X)),
}


@pytest.mark.parametrize("density", [1.0, 0.4, 0.1])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_model(form, density):
    X, y = make(density)
    expected = fit(X, y)
    given = FORMS[form](X)
    if isinstance(given, pd.DataFrame):
        given.columns = [f"f{j}" for j in range(X.shape[1])]
    model = fit(given, y)
    assert model.solution_.primal == pytest.approx(expected.solution_.primal, rel=1e-5)
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=2e-3)
    scores = model.decision_function(given)
    np.testing.assert_allclose(scores, X @ model.coef_.T + model.intercept_, atol=1e-12)
    assert scores.dtype == model.coef_.dtype == np.float64
    assert model.n_features_in_ == X.shape[1]


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("solver", ["bcfw", "n-slack", "one-slack"])
@pytest.mark.parametrize(
    ("kind", "density"), [("dense", 0.9), ("masked", 0.4), ("coded", 0.1), ("narrow", 0.1), ("sparse", 0.1)]
)
def test_every_packed_kind_reaches_the_optimum(kind, density, solver, intercept, single):
    """Rows are kept dense, with a mask of their zeros, or by their non-zeros; the objective is recomputed from X."""
    X, y = make(density, n=120, d=70, seed=1)
    if kind == "narrow":  # a thousand different values
        X *= 1.0 + np.arange(X.size).reshape(X.shape) / 2**14
    given = X.astype(np.float32) if single else X
    given = sp.csr_array(given) if kind == "sparse" else given
    assert as_rows(given, 0.0, True).kind == kind
    options = {
        "C": 0.01,
        "slack": "linear",
        "solver": solver,
        "fit_intercept": intercept,
        "intercept_scaling": 1.0,
        "tol": 1e-4,
    }
    model = MulticlassSVC(**options).fit(given, y)
    scores = X @ model.coef_.T + model.intercept_
    slack = (scores - scores[np.arange(120), y][:, None] + (np.arange(4) != y[:, None])).max(axis=1)
    objective = 0.5 * np.sum(model.coef_**2) + 0.5 * np.sum(model.intercept_**2) + 0.01 * slack.sum()
    assert model.solution_.primal == pytest.approx(objective, rel=1e-9)
    assert model.solution_.gap <= 0.01 * 120 * 1e-4 * (1 + 1e-9)
    np.testing.assert_array_equal(model.predict(sp.csc_array(X)), model.classes_[np.argmax(scores, axis=1)])


@pytest.mark.parametrize("form", [sp.csr_array, shuffled, duplicated_csr, long_indices, explicit_zeros])
def test_packed_norms_and_rows(form):
    X, _ = make(0.4)
    rows = as_rows(form(X), 1.5, True)
    np.testing.assert_allclose(rows.squared_norms, np.sum(X**2, axis=1) + 1.5**2, rtol=1e-12)
    offsets, columns, values = rows.cells_of(np.arange(len(X), dtype=np.int32))
    packed = sp.csr_array((values, columns, offsets), shape=(len(X), rows.columns)).toarray()
    np.testing.assert_allclose(packed, np.c_[X, np.full(len(X), 1.5)], rtol=1e-12)


def test_dense_first_rows_then_zeros():
    """The number of zeros is guessed from some rows; a wrong guess must not change the answer."""
    rng = np.random.default_rng(2)
    X = np.zeros((1024, 20))
    X[1::2] = rng.standard_normal((512, 20))  # every row that a stride of 2 looks at is empty, or none is
    y = np.argmax(X @ rng.standard_normal((20, 3)), axis=1)
    for rows in (X, np.roll(X, 1, axis=0)):
        labels = y if rows is X else np.roll(y, 1)
        dense, sparse = fit(rows, labels), fit(sp.csr_array(rows), labels)
        assert dense.solution_.primal == pytest.approx(sparse.solution_.primal, rel=1e-4)


@pytest.mark.parametrize("width", [1, 63, 64, 65, 129])
def test_masks_of_every_width(width):
    X, y = make(0.4, n=60, d=width, seed=width)
    y = y if len(set(y)) > 1 else np.arange(60) % 2
    dense, sparse = fit(X, y), fit(sp.csr_array(X), y)
    assert dense.solution_.primal == pytest.approx(sparse.solution_.primal, rel=1e-4)


def test_wide_rows():
    """More columns than two bytes can count."""
    X = np.zeros((6, 70_000), dtype=np.float32)
    X[np.arange(6), [0, 1, 65_535, 65_536, 69_999, 69_998]] = 1.0
    y = np.array([0, 0, 1, 1, 2, 2])
    dense = MulticlassSVC(C=1.0, slack="linear", tol=1e-6, fit_intercept=False).fit(X, y)
    sparse = MulticlassSVC(C=1.0, slack="linear", tol=1e-6, fit_intercept=False).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=1e-3)
    np.testing.assert_array_equal(dense.predict(X), y)
    np.testing.assert_array_equal(sparse.predict(X), y)


def test_feature_names():
    X, y = make()
    names = [f"f{j}" for j in range(12)]
    frame = pd.DataFrame(X, columns=names)
    model = fit(frame, y)
    assert model.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(model.predict(frame), fit(X, y).predict(X))
    with pytest.raises(ValueError, match=r"(?s)feature names.*f0"):
        model.predict(frame.rename(columns={"f0": "other"}))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[names[::-1]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
    assert not hasattr(fit(X, y), "feature_names_in_")


def test_wrong_number_of_features():
    X, y = make()
    model = fit(X, y)
    for given in (X[:, :5], sp.csr_array(X[:, :5]), np.c_[X, X]):
        with pytest.raises(ValueError, match=r"expecting 12 features"):
            model.predict(given)


def test_empty_rows_and_constant_columns():
    X, y = make(0.3)
    X[::5] = 0.0
    X[:, 3] = 1.0
    X[:, 4] = 0.0
    dense, sparse = fit(X, y), fit(sp.csr_array(X), y)
    assert dense.solution_.primal == pytest.approx(sparse.solution_.primal, rel=1e-5)
    np.testing.assert_array_equal(dense.coef_[:, 4], 0.0)

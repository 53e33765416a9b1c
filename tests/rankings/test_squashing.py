"""Columns with heavy tails: squashed where held-out pairs say so, left alone elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import maxmargin
from maxmargin import RankingSVM
from maxmargin.rankings.squashing import Squashing, heavy_columns


def queries(worth, seed=0, n_queries=60, size=15, d=6):
    """Documents of heavy tails whose grades follow ``worth`` of the columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_t(2.0, size=(n_queries * size, d))
    value = worth(X) @ np.linspace(-1.0, 1.5, d) + 0.3 * rng.standard_normal(len(X))
    grades = (value.reshape(-1, size).argsort(axis=1).argsort(axis=1) >= 2 * size // 3).astype(int).ravel()
    return X, grades, np.repeat(np.arange(n_queries), size)


def test_documents_of_heavy_tails_are_squashed_if_their_worth_saturates():
    X, y, groups = queries(np.tanh)
    X_test, y_test, groups_test = queries(np.tanh, seed=1)
    model, plain = RankingSVM().fit(X, y, groups=groups), RankingSVM(squash=None).fit(X, y, groups=groups)
    assert model.squashing_ is not None
    assert plain.squashing_ is None
    assert model.score(X_test, y_test, groups=groups_test) > plain.score(X_test, y_test, groups=groups_test) + 0.05


def test_documents_of_heavy_tails_are_left_alone_if_their_worth_is_linear():
    X, y, groups = queries(lambda X: X)
    model, plain = RankingSVM().fit(X, y, groups=groups), RankingSVM(squash=None).fit(X, y, groups=groups)
    assert model.squashing_ is None
    np.testing.assert_array_equal(model.coef_, plain.coef_)


def test_scores_are_those_of_the_squashed_columns():
    X, y, groups = queries(np.tanh)
    X[:, 0] = np.random.default_rng(5).standard_normal(len(X))
    model = RankingSVM(squash="asinh").fit(X, y, groups=groups)
    columns = model.squashing_.columns
    assert 0 not in columns
    expected = X.copy()
    for column in columns:
        centre = np.median(X[:, column])
        spread = 1.4826 * np.median(np.abs(X[:, column] - centre))
        expected[:, column] = np.arcsinh((X[:, column] - centre) / spread)
    np.testing.assert_allclose(model.predict(X), expected @ model.coef_)
    np.testing.assert_allclose(model.predict(sp.csr_array(X)), model.predict(X))


@pytest.mark.parametrize("factor", [1e-6, 1e8])
def test_the_unit_of_a_column_does_not_matter(factor):
    X, y, groups = queries(np.tanh)
    scores = RankingSVM().fit(X, y, groups=groups).predict(X)
    np.testing.assert_allclose(RankingSVM().fit(X * factor, y, groups=groups).predict(X * factor), scores, atol=1e-3)


def test_a_number_for_c_and_sparse_rows_leave_columns_alone():
    X, y, groups = queries(np.tanh)
    assert RankingSVM(C=1.0).fit(X, y, groups=groups).squashing_ is None
    assert RankingSVM().fit(sp.csr_array(X), y, groups=groups).squashing_ is None


def test_other_words_are_refused():
    X, y, groups = queries(np.tanh)
    with pytest.raises(ValueError, match="squash must be 'auto', 'asinh', 'tanh' or None, not 'log'"):
        RankingSVM(squash="log").fit(X, y, groups=groups)


def test_model_files_keep_it(tmp_path):
    X, y, groups = queries(np.tanh)
    model = RankingSVM().fit(X, y, groups=groups)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(maxmargin.load(tmp_path / "model").predict(X), model.predict(X))


def test_heavy_columns_are_those_beyond_laplace():
    rng = np.random.default_rng(0)
    X = np.stack([rng.standard_normal(3000), rng.standard_t(2.0, 3000), np.ones(3000), rng.random(3000)], axis=1)
    assert heavy_columns(X).tolist() == [1]


def test_values_far_beyond_all_others_stay_finite():
    squashing = Squashing("asinh", np.array([0]), np.array([0.0]), np.array([1e-200]))
    assert np.isfinite(squashing.apply(np.array([[1e200], [-1e200]]))).all()

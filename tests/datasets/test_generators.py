"""Generators: same seed, same data; other seed, other data; shapes and contents as documented."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import MulticlassSVC
from maxmargin.datasets import make_chain, make_documents, make_multiclass, make_ranking


def _dense(X):
    return X.toarray() if sp.issparse(X) else X


@pytest.mark.parametrize("density", [1.0, 0.05])
def test_multiclass_is_deterministic(density):
    X, y = make_multiclass(60, 40, 3, density=density, seed=4)
    again, y_again = make_multiclass(60, 40, 3, density=density, seed=4)
    other, _ = make_multiclass(60, 40, 3, density=density, seed=5)
    assert X.shape == (60, 40)
    assert set(y) == {0, 1, 2}
    assert np.array_equal(_dense(X), _dense(again))
    assert np.array_equal(y, y_again)
    assert not np.array_equal(_dense(X), _dense(other))


def test_sparse_rows_have_the_density_and_canonical_form():
    X, _ = make_multiclass(50, 200, 4, density=0.05)
    assert sp.issparse(X)
    assert X.has_canonical_format
    assert np.diff(X.indptr).max() <= 10
    assert (X.data > 0).all()
    assert X.indices.dtype == X.indptr.dtype == np.int32, "scikit-learn's solvers take no others."


@pytest.mark.parametrize("density", [1.0, 0.05])
def test_multiclass_can_be_learnt(density):
    X, y = make_multiclass(400, 100, 3, density=density, noise=0.5)
    model = MulticlassSVC().fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > 0.6


@pytest.mark.parametrize("density", [0.0, 1.5])
def test_a_density_that_makes_no_sense_is_refused(density):
    with pytest.raises(ValueError, match="density must be above 0 and at most 1"):
        make_multiclass(5, 5, 2, density=density)


def test_chain_is_deterministic():
    X, Y = make_chain(20, seed=1)
    again, Y_again = make_chain(20, seed=1)
    other, _ = make_chain(20, seed=2)
    assert all(map(np.array_equal, X, again))
    assert all(map(np.array_equal, Y, Y_again))
    assert not all(map(np.array_equal, X, other))


def test_chain_has_the_lengths_and_labels_asked_for():
    X, Y = make_chain(200, n_labels=5, n_features=7, lengths=(2, 4))
    assert {len(y) for y in Y} == {2, 3, 4}
    assert all(x.shape == (len(y), 7) for x, y in zip(X, Y, strict=True))
    assert set(np.concatenate(Y)) == set(range(5))


def test_loyal_chains_follow_one_successor():
    _, Y = make_chain(30, n_labels=4, loyalty=1.0)
    followers = {a: {int(y[t + 1]) for y in Y for t in range(len(y) - 1) if y[t] == a} for a in range(4)}
    assert all(len(after) == 1 for after in followers.values())


def test_documents_are_deterministic_rows_of_unit_length():
    X, y = make_documents(200, 500, positive=0.2, seed=3)
    again, y_again = make_documents(200, 500, positive=0.2, seed=3)
    other, _ = make_documents(200, 500, positive=0.2, seed=4)
    assert X.shape == (200, 500)
    assert X.indices.dtype == X.indptr.dtype == np.int32
    assert X.has_canonical_format
    assert np.sqrt(X.multiply(X).sum(axis=1)) == pytest.approx(np.ones(200))
    assert 0.1 < y.mean() < 0.3
    assert (again != X).nnz == 0
    assert np.array_equal(y, y_again)
    assert (other != X).nnz > 0


def test_documents_can_be_learnt():
    X, y = make_documents(1500, 2000, noise=0.0)
    model = MulticlassSVC().fit(X[:1000], y[:1000])
    assert model.score(X[1000:], y[1000:]) > 0.75


def test_a_share_of_positives_that_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="positive must be between 0 and 1"):
        make_documents(5, 5, positive=1.0)


def test_rankings():
    X, y, queries = make_ranking(50, documents=(4, 9), n_features=3, grades=4, seed=1)
    again, other = make_ranking(50, documents=(4, 9), n_features=3, grades=4, seed=1), make_ranking(50, n_features=3)
    assert all(np.array_equal(a, b) for a, b in zip((X, y, queries), again))
    assert other[0].shape != X.shape
    sizes = np.bincount(queries)
    assert (sizes.min(), sizes.max(), sizes.size) == (4, 9, 50)
    assert set(y) == {0, 1, 2, 3}
    for query in range(50):
        assert len(set(y[queries == query])) > 1
    assert not np.array_equal(make_ranking(50, documents=(4, 9), n_features=3, grades=4, noise=0.0, seed=1)[1], y)
    with pytest.raises(ValueError, match="documents at least 2 and ascending"):
        make_ranking(5, documents=(1, 3))

"""Data with classes in a tree: the generator, and the reader of ImCLEF07A on tiny files in its format."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from maxmargin import MulticlassSVC
from maxmargin.datasets import MissingDataError, load_imclef07a, make_taxonomy

HEAD = "@RELATION x\n\n@ATTRIBUTE a numeric\n@ATTRIBUTE b numeric\n@ATTRIBUTE class hierarchical 1,1/2,2\n\n@DATA\n"


def write(folder, name, text):
    (folder / "hierarchical").mkdir(exist_ok=True)
    path = folder / "hierarchical" / f"ImCLEF07A_{name}.arff.gz"
    path.write_bytes(gzip.compress(text.encode()))


def test_texts_are_deterministic_rows_of_unit_length():
    X, y = make_taxonomy(50, branching=(2, 3), n_features=80, n_words=12, seed=3)
    again, labels = make_taxonomy(50, branching=(2, 3), n_features=80, n_words=12, seed=3)
    assert (again != X).nnz == 0
    np.testing.assert_array_equal(y, labels)
    assert X.shape == (50, 80)
    assert X.has_canonical_format
    assert X.indptr.dtype == X.indices.dtype == np.int32
    np.testing.assert_allclose(X.multiply(X).sum(axis=1), 1.0)
    names, counts = np.unique(y, return_counts=True)
    assert names.tolist() == ["0.0", "0.1", "0.2", "1.0", "1.1", "1.2"]
    assert counts.max() - counts.min() <= 1


def test_neighbours_in_the_tree_have_words_in_common():
    X, y = make_taxonomy(400, branching=(2, 2), n_features=400, noise=0.2)
    products = (X @ X.T).toarray()
    same, near, far = (products[y == "0.0"][:, y == other].mean() for other in ("0.0", "0.1", "1.0"))
    assert same > near > far
    assert MulticlassSVC().fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.95


@pytest.mark.parametrize(
    "options", [{"branching": ()}, {"branching": (2, 0)}, {"n_words": 0}, {"topic_words": 2000}, {"noise": 1.0}]
)
def test_what_makes_no_texts_is_refused(options):
    with pytest.raises(ValueError, match="at least"):
        make_taxonomy(5, **options)


def test_imclef07a_takes_the_lowest_node(tmp_path):
    write(tmp_path, "Train", HEAD + "1,2,1@1/2\n3,4.5,2\n")
    write(tmp_path, "Test", HEAD + "% remark\n5,6,1/2@1\n")
    X, y = load_imclef07a("train", tmp_path)
    np.testing.assert_array_equal(X, [[1.0, 2.0], [3.0, 4.5]])
    assert y.tolist() == ["1/2", "2"]
    X, y = load_imclef07a("all", tmp_path)
    assert X.shape == (3, 2)
    assert y.tolist() == ["1/2", "2", "1/2"]


def test_imclef07a_says_what_is_wrong(tmp_path):
    with pytest.raises(ValueError, match="split must be"):
        load_imclef07a("dev", tmp_path)
    with pytest.raises(MissingDataError, match=r"ImCLEF07A_Train\.arff\.gz"):
        load_imclef07a("train", tmp_path)
    write(tmp_path, "Train", HEAD)
    with pytest.raises(ValueError, match="holds no rows"):
        load_imclef07a("train", tmp_path)
    write(tmp_path, "Train", HEAD + "1,2,1\n1,1\n")
    with pytest.raises(ValueError, match=r"Row 1 of .* has 2 columns, and row 0 has 3"):
        load_imclef07a("train", tmp_path)

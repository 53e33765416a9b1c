"""Joint feature vectors: every form that users give, and the arithmetic on the two that are kept."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from maxmargin.core.vectors import SparseVector, add_to, as_vector, dot, scaled_difference, stack

QUICK = settings(max_examples=25)
NUMBERS = st.floats(-100.0, 100.0, allow_subnormal=False).map(lambda v: round(v, 3))
LENGTH = 7
DENSE = hnp.arrays(np.float64, LENGTH, elements=NUMBERS)
ZEROS = hnp.arrays(np.float64, LENGTH, elements=st.one_of(st.just(0.0), NUMBERS))


def densify(vector, length=LENGTH):
    if isinstance(vector, SparseVector):
        full = np.zeros(length)
        full[vector.index] = vector.value
        return full
    return vector


def sparse(row):
    return as_vector(sp.csr_array(row[None, :]), "row")[0]


FORMS = {
    "list": lambda row: row.tolist(),
    "tuple": lambda row: tuple(row),
    "array": lambda row: row,
    "float32": lambda row: row.astype(np.float32),
    "row": lambda row: row[None, :],
    "column": lambda row: row[:, None],
    "strided": lambda row: np.repeat(row, 3)[::3],
    "csr": lambda row: sp.csr_array(row[None, :]),
    "csr, unsorted": lambda row: sp.csr_array(
        (row[::-1], np.arange(row.size)[::-1], [0, row.size]), shape=(1, row.size)
    ),
    "csr with duplicates": lambda row: sp.csr_array(
        (np.repeat(row / 2, 2), np.repeat(np.arange(row.size), 2), [0, 2 * row.size]), shape=(1, row.size)
    ),
    "csr column": lambda row: sp.csr_array(row[:, None]),
    "csc matrix": lambda row: sp.csc_matrix(row[None, :]),
    "csc column": lambda row: sp.csc_matrix(row[:, None]),
    "coo, one dimension": lambda row: sp.coo_array(row),
    "csr, one dimension": lambda row: sp.csr_array(row),
    "lil": lambda row: sp.lil_array(row[None, :]),
    "dok": lambda row: sp.dok_array(row[None, :]),
    "coo with duplicates": lambda row: sp.coo_array(
        (np.tile(row / 2, 2), (np.zeros(2 * row.size, int), np.tile(np.arange(row.size)[::-1], 2)[::-1])),
        shape=(1, row.size),
    ),
}


@pytest.mark.parametrize("form", FORMS)
@given(row=ZEROS)
@QUICK
def test_every_form_is_read(form, row):
    if form == "float32":
        row = row.astype(np.float32).astype(np.float64)
    vector, length = as_vector(FORMS[form](row), "row")
    assert length == LENGTH
    np.testing.assert_array_equal(densify(vector), row)
    if isinstance(vector, SparseVector):
        assert vector.index.dtype == np.int32
        assert (np.diff(vector.index) > 0).all()
    else:
        assert vector.flags.c_contiguous
    assert (vector.value if isinstance(vector, SparseVector) else vector).dtype == np.float64


@pytest.mark.parametrize("given_", [[1, 2, 3], [True, False], np.arange(3, dtype=np.int8), sp.csr_array([[1, 0, 2]])])
def test_whole_numbers_become_floats(given_):
    vector, _ = as_vector(given_, "row")
    assert (vector.value if isinstance(vector, SparseVector) else vector).dtype == np.float64


def test_one_cell_and_nothing():
    assert as_vector([[3.0]], "row")[1] == 1
    assert as_vector(sp.csr_array([[3.0]]), "row")[1] == 1
    vector, length = as_vector(sp.csr_array((1, 5)), "row")
    assert (length, vector.index.size) == (5, 0)


BAD = {
    "two rows": (np.ones((2, 3)), "one-dimensional"),
    "three axes": (np.ones((1, 1, 3)), "one-dimensional"),
    "two sparse rows": (sp.csr_array(np.ones((2, 3))), r"one row or one column.*\(2, 3\)"),
    "NaN": ([1.0, np.nan], "NaN"),
    "infinite": ([1.0, -np.inf], "infinite"),
    "sparse NaN": (sp.csr_array([[0.0, np.nan]]), "NaN"),
    "text": (["a", "b"], ""),
    "ragged": ([[1.0], [1.0, 2.0]], ""),
    "complex": ([1j, 0.0], ""),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_vectors_are_named(case):
    vector, words = BAD[case]
    with pytest.raises((TypeError, ValueError), match=rf"joint_feature of example 3.*{words}"):
        as_vector(vector, "joint_feature of example 3")


@given(a=ZEROS, w=DENSE)
@QUICK
def test_dot(a, w):
    assert dot(a, w) == pytest.approx(a @ w, abs=1e-9)
    assert dot(sparse(a), w) == pytest.approx(a @ w, abs=1e-9)
    assert isinstance(dot(sparse(a), w), float)


@given(a=ZEROS, w=DENSE, factor=NUMBERS)
@QUICK
def test_add_to(a, w, factor):
    for vector in (a, sparse(a)):
        target = w.copy()
        add_to(target, vector, factor)
        np.testing.assert_allclose(target, w + factor * a, atol=1e-9)


@given(a=ZEROS, b=ZEROS, factor=NUMBERS)
@QUICK
def test_scaled_difference(a, b, factor):
    expected = factor * a - factor * b
    for left in (a, sparse(a)):
        for right in (b, sparse(b)):
            before = densify(left).copy(), densify(right).copy()
            result = scaled_difference(left, right, factor)
            np.testing.assert_allclose(densify(result), expected, atol=1e-9)
            np.testing.assert_array_equal(densify(left), before[0])
            np.testing.assert_array_equal(densify(right), before[1])
    result = scaled_difference(sparse(a), sparse(b), factor)
    assert isinstance(result, SparseVector)  # sparse stays sparse
    assert result.index.dtype == np.int32
    assert (np.diff(result.index) > 0).all()
    assert (result.value != 0.0).all()


@given(rows=st.lists(ZEROS, max_size=5), dense=st.sets(st.integers(0, 4)))
@QUICK
def test_stack(rows, dense):
    vectors = [row if k in dense else sparse(row) for k, row in enumerate(rows)]
    matrix = stack(vectors, LENGTH)
    assert matrix.shape == (len(rows), LENGTH)
    assert sp.issparse(matrix) == (not any(k in dense for k in range(len(rows))))
    full = matrix.toarray() if sp.issparse(matrix) else matrix
    np.testing.assert_array_equal(full, np.array(rows).reshape(len(rows), LENGTH))


def test_the_difference_of_two_empty_vectors_is_one_of_floats():
    nothing, _ = as_vector(sp.csr_array((1, 5)), "nothing")
    difference = scaled_difference(nothing, nothing, 2.0)
    assert (difference.index.size, difference.value.dtype) == (0, np.float64)

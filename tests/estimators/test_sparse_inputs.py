"""Sparse matrices with wrong pointers or indices, and numbers too large to square: a sentence from every estimator."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from estimator_cases import CASES, CLASSES, LENGTHS, D, matrix
from maxmargin import MulticlassSVC
from maxmargin.chains.sequences import pack
from maxmargin.core.input_checks import check_sparse


def with_indices(change, dtype=np.int32):
    X = matrix()
    X.indices, X.indptr = X.indices.astype(dtype), X.indptr.astype(dtype)
    change(X)
    return X


def set_index(value):
    def change(X):
        X.indices[7] = value

    return change


def set_pointer(at, value):
    def change(X):
        X.indptr[at] = value

    return change


def short(X):
    X.indices = X.indices[:-3].copy()


DAMAGED = {
    "a negative index": with_indices(set_index(-1)),
    "an index too large": with_indices(set_index(D)),
    "an index far too large": with_indices(set_index(2**31 - 1)),
    "an index beyond 32 bits": with_indices(set_index(2**32 + 1), np.int64),
    "a negative index of 64 bits": with_indices(set_index(-(2**40)), np.int64),
    "a pointer that goes down": with_indices(set_pointer(5, 0)),
    "a last pointer too large": with_indices(set_pointer(-1, 10**6)),
    "a first pointer that is not zero": with_indices(set_pointer(0, 1)),
    "a negative pointer": with_indices(set_pointer(3, -4)),
    "fewer indices than values": with_indices(short),
}


OF_NUMBERS = [name for name, case in CASES.items() if not case.texts]


@pytest.mark.parametrize("case", DAMAGED)
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_training_refuses_damaged_matrices(name, case):
    with pytest.raises(ValueError, match="is damaged: "):
        CASES[name].fit(DAMAGED[case])


@pytest.mark.parametrize("name", [name for name in OF_NUMBERS if name != "StructuralSVM"])
def test_prediction_refuses_damaged_matrices(name):
    model = CASES[name].fitted()
    for X in DAMAGED.values():
        with pytest.raises(ValueError, match="is damaged: "):
            CASES[name].predict(model, X)


@pytest.mark.parametrize("form", ["csc", "coo", "bsr", "lil"])
def test_other_formats_are_checked_before_they_are_converted(form):
    X = matrix().asformat(form)
    check_sparse(X)
    if form == "coo":
        X.coords[1][3] = D
    elif form == "lil":
        X.rows[3][0] = D
    else:
        X.indices[3] = max(X.shape)
    with pytest.raises(ValueError, match=r"X is damaged: .* has an entry in (row|column)"):
        MulticlassSVC().fit(X, CLASSES)


def test_the_message_names_the_row():
    X = matrix()
    X.indices[X.indptr[5]] = D
    with pytest.raises(ValueError, match="row 5 has an entry in column 6, and columns are numbered from 0 to 5"):
        check_sparse(X)


def test_too_many_columns():
    X = sp.csr_array((np.ones(2), np.array([0, 2**31]), np.array([0, 1, 2])), shape=(2, 2**31 + 1))
    with pytest.raises(ValueError, match="at most 2147483647 rows and columns"):
        MulticlassSVC().fit(X, [0, 1])


def test_flags_that_lie_do_not_matter():
    """SciPy remembers whether columns ascend; whoever changes them later is found out."""
    X = matrix()
    assert X.has_canonical_format
    first = X.indices[: X.indptr[1]].copy()
    X.indices[: X.indptr[1]] = first[::-1]
    X.data[: X.indptr[1]] = X.data[: X.indptr[1]][::-1].copy()
    one, other = MulticlassSVC(C=0.1).fit(X, CLASSES), MulticlassSVC(C=0.1).fit(matrix(), CLASSES)
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-10)  # the order of a sum may change its last digit


@pytest.mark.parametrize("case", DAMAGED)
def test_sequences(case):
    with pytest.raises(ValueError, match="is damaged"):
        pack(DAMAGED[case], LENGTHS)
    with pytest.raises(ValueError, match="Sequence 1 is damaged"):
        pack([matrix(), DAMAGED[case]])


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("value", [1e101, 1e160, 1e200, 1e308])
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_numbers_too_large_to_square(name, value, dense):
    X = CASES[name].matrix()
    X.data[3] = value
    if dense:
        X = [sp.csr_array(row[None]) for row in X.toarray()] if name == "StructuralSVM" else X.toarray()
    with pytest.raises(ValueError, match=r"too large to square|from 0 to 1e\+100"):
        CASES[name].fit(X)


def test_a_column_beyond_memory_is_a_sentence():
    """In a process of its own, with little memory."""
    program = """
import resource, numpy as np, scipy.sparse as sp
from maxmargin import MulticlassSVC, RankingSVM, ChainSVC, MeasureSVC, MultilabelSVC, StructuralSVM
from estimator_cases import Sign
width = 2**31 - 1
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
X = sp.csr_array((np.ones(4), np.array([0, 1, 0, width - 1]), np.arange(5)), shape=(4, width))
for model in (MulticlassSVC(), RankingSVM(), MeasureSVC("f1"), MultilabelSVC(), ChainSVC(), MulticlassSVC(C=1.0),
              StructuralSVM(Sign())):
    try:
        if isinstance(model, ChainSVC):
            model.fit([X], [list("abab")])
        else:
            model.fit(X, np.eye(2)[[0, 1, 0, 1]] if isinstance(model, MultilabelSVC) else [-1, 1, -1, 1])
    except MemoryError as error:
        assert "weights, which take" in str(error), error
        print("sentence")
"""
    here = Path(__file__).parents[1] / "support"
    answer = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, cwd=here)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.split() == ["sentence"] * 7

"""Sparse matrices with wrong pointers or indices, and numbers too large to square: a sentence from every estimator."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import (
    ChainCRF,
    ChainPerceptron,
    ChainSVC,
    DiversityRanker,
    MeasureSVC,
    MulticlassSVC,
    MultilabelSVC,
    RankingSVM,
    StructuralSVM,
    TaxonomySVC,
)
from maxmargin.input_checks import check_sparse
from maxmargin.sequences import pack

N, D = 40, 6


def matrix():
    """A sparse matrix with a value in each row."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.6)
    X[:, 0] = rng.standard_normal(N)
    return sp.csr_array(X)


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


class Sign:
    """Two outputs, -1 and 1, for a row of features."""

    def joint_feature(self, x, y):
        return x * float(y)

    def loss(self, y_true, y):
        return float(y_true != y)

    def argmax(self, x, w, y_true=None):
        return max((-1, 1), key=lambda y: float((x @ w)[0]) * y + (0.0 if y_true is None else self.loss(y_true, y)))


Y = np.arange(N) % 2
CLASSES = np.array(["a.b", "a.c", "d.e", "d.f"])[np.arange(N) % 4]
LENGTHS = [N // 4] * 4
FITS = {
    "multiclass": (MulticlassSVC(), lambda model, X: model.fit(X, CLASSES)),
    "taxonomy": (TaxonomySVC(taxonomy="."), lambda model, X: model.fit(X, CLASSES)),
    "multilabel": (MultilabelSVC(), lambda model, X: model.fit(X, np.c_[Y, 1 - Y, np.arange(N) % 3 == 0])),
    "measure": (MeasureSVC("f1"), lambda model, X: model.fit(X, Y)),
    "ranking": (RankingSVM(), lambda model, X: model.fit(X, np.arange(N) % 3, [N // 4] * 4)),
    "chain svm": (ChainSVC(), lambda model, X: model.fit(X, CLASSES, lengths=LENGTHS)),
    "chain crf": (ChainCRF(), lambda model, X: model.fit(X, CLASSES, lengths=LENGTHS)),
    "chain perceptron": (ChainPerceptron(), lambda model, X: model.fit(X, CLASSES, lengths=LENGTHS)),
    "structural": (StructuralSVM(Sign()), lambda model, X: model.fit(X, 2 * Y - 1)),
    "diversity": (DiversityRanker(2), lambda model, X: model.fit([X], [[{int(k)} for k in np.arange(N) % 5]])),
}
PREDICTS = {
    name: (lambda model, X: model.predict(X, lengths=LENGTHS)) if name.startswith("chain") else None for name in FITS
}


def fitted(name):
    model, fit = FITS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(model, abs(matrix()) if name == "diversity" else matrix())


def predict(name, model, X):
    return PREDICTS[name](model, X) if PREDICTS[name] else model.predict([X] if name == "diversity" else X)


@pytest.mark.parametrize("case", DAMAGED)
@pytest.mark.parametrize("name", FITS)
def test_training_refuses_damaged_matrices(name, case):
    model, fit = FITS[name]
    with pytest.raises(ValueError, match="is damaged: "):
        fit(model, DAMAGED[case])


@pytest.mark.parametrize("name", [name for name in FITS if name != "structural"])
def test_prediction_refuses_damaged_matrices(name):
    model = fitted(name)
    for X in DAMAGED.values():
        with pytest.raises(ValueError, match="is damaged: "):
            predict(name, model, X)


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
@pytest.mark.parametrize("name", FITS)
def test_numbers_too_large_to_square(name, value, dense):
    X = matrix()
    X.data[3] = value
    if dense:
        X = X.toarray()
        if name == "structural":
            X = [sp.csr_array(row[None]) for row in X]
    elif name == "diversity":
        X = abs(X)
    if name == "diversity" and dense:
        X = abs(X)
    model, fit = FITS[name]
    with pytest.raises(ValueError, match=r"too large to square|from 0 to 1e\+100"):
        fit(model, X)


def test_a_column_beyond_memory_is_a_sentence():
    """In a process of its own, with little memory."""
    program = """
import resource, numpy as np, scipy.sparse as sp
from maxmargin import MulticlassSVC, RankingSVM, ChainSVC, MeasureSVC, MultilabelSVC
width = 2**31 - 1
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
X = sp.csr_array((np.ones(4), np.array([0, 1, 0, width - 1]), np.arange(5)), shape=(4, width))
for model in (MulticlassSVC(), RankingSVM(), MeasureSVC("f1"), MultilabelSVC(), ChainSVC(), MulticlassSVC(C=1.0)):
    try:
        if isinstance(model, ChainSVC):
            model.fit([X], [list("abab")])
        else:
            model.fit(X, np.eye(2)[[0, 1, 0, 1]] if isinstance(model, MultilabelSVC) else [0, 1, 0, 1])
    except MemoryError as error:
        assert "weights, which take" in str(error), error
        print("sentence")
"""
    answer = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.split() == ["sentence"] * 6

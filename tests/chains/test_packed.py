"""The packed form of sequences: equal to the matrices it came from, whatever part of it is asked for."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV

from maxmargin import Sequences
from maxmargin.chains.sequences import pack, widen

QUICK = settings(max_examples=60)

CELLS = st.sampled_from([0.0, 0.0, 0.0, 1.0, 1.0, -2.5, 0.1])


@st.composite
def matrices(draw, cells=CELLS):
    width = draw(st.integers(0, 6))
    lengths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    return [draw(hnp.arrays(np.float64, (length, width), elements=cells)) for length in lengths]


def assert_same(packed, expected):
    assert len(packed) == len(expected)
    assert packed.lengths.tolist() == [len(item) for item in expected]
    assert packed.tokens == sum(map(len, expected))
    for one, other in zip(packed, expected, strict=True):
        assert isinstance(one, sp.csr_array)
        assert np.array_equal(one.toarray(), other)
    assert np.array_equal(packed.matrix().toarray(), np.vstack(expected))


def assert_equal(one, other):
    assert one.n_features == other.n_features
    for name in ("offsets", "indptr", "indices", "values"):
        first, second = getattr(one, name), getattr(other, name)
        assert (first is None) == (second is None)
        if first is not None:
            assert first.dtype == second.dtype
            assert np.array_equal(first, second)


@QUICK
@given(matrices())
def test_every_form_packs_to_the_same(X):
    packed = pack(X)
    assert_same(packed, X)
    assert packed.offsets.dtype == packed.indptr.dtype == np.int64
    assert packed.indices.dtype == np.int32
    assert packed.n_features == X[0].shape[1]
    lengths = [len(item) for item in X]
    boxed = np.empty(len(X), dtype=object)
    boxed[:] = X
    for other in (
        pack(tuple(X)),
        pack(boxed),
        pack([sp.csr_array(item) for item in X]),
        pack([sp.coo_array(item) if i % 2 else item for i, item in enumerate(X)]),
        pack(np.vstack(X), lengths),
        pack(sp.csc_array(np.vstack(X)), np.array(lengths)),
        pickle.loads(pickle.dumps(packed)),
    ):
        assert_equal(other, packed)
    assert pack(packed) is packed


@QUICK
@given(matrices(), st.data())
def test_parts_are_the_same_parts_of_the_list(X, data):
    packed = pack(X)
    n = len(X)
    picked = data.draw(st.lists(st.integers(-n, n - 1), min_size=1, max_size=8))
    assert_same(packed[picked], [X[i] for i in picked])
    assert_same(packed[np.array(picked)], [X[i] for i in picked])
    start = data.draw(st.integers(0, n - 1))
    assert_same(packed[start:], X[start:])
    assert_same(packed[::-1], X[::-1])
    mask = np.arange(n) >= start
    assert_same(packed[mask], X[start:])
    assert_same(packed[mask.tolist()], X[start:])
    assert np.array_equal(packed[-1].toarray(), X[-1])


def test_long_input_is_packed_in_several_pieces():
    rng = np.random.default_rng(0)
    X = [(rng.random((n, 700)) < 0.1) * rng.random((n, 700)) for n in rng.integers(1, 250, size=20)]
    assert_same(pack(X), X)
    assert_same(pack(np.vstack(X), [len(x) for x in X]), X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint16, bool])
def test_ones_take_no_values(dtype):
    X = [np.eye(3, dtype=dtype), np.ones((1, 3), dtype=dtype)]
    assert pack(X).values is None
    assert pack([sp.csr_array(x) for x in X]).values is None
    assert_same(pack(X), X)


@pytest.mark.parametrize(
    ("dtype", "stored"),
    [(np.float64, np.float64), (np.float32, np.float32), (np.float16, np.float32), (np.int64, np.float64)],
)
def test_precision_is_kept(dtype, stored):
    assert pack([2 * np.eye(3, dtype=dtype)]).values.dtype == stored
    assert pack([2 * np.eye(3, dtype=dtype), np.eye(3)]).values.dtype == np.float64


def test_sparse_input_is_put_in_order_and_left_alone():
    messy = sp.csr_array((np.array([1.0, 2.0, 3.0, 0.0]), np.array([2, 0, 2, 1]), np.array([0, 4])), shape=(1, 3))
    packed = pack([messy])
    assert packed.indices.tolist() == [0, 2]
    assert packed.values.tolist() == [2.0, 4.0]
    assert messy.indices.tolist() == [2, 0, 2, 1]


def test_three_dimensions_are_sequences_of_one_length():
    X = np.arange(24.0).reshape(2, 3, 4)
    assert_same(pack(X), list(X))


def test_lists_of_lists_are_matrices():
    assert_same(pack([[[1, 0], [0, 2]], [[3, 3]]]), [np.array([[1, 0], [0, 2]]), np.array([[3, 3]])])


def test_scikit_learn_splits_packed_sequences_without_unpacking():
    class CountsTokens(BaseEstimator):
        def __init__(self, factor=1):
            self.factor = factor

        def fit(self, X, y):
            assert isinstance(X, Sequences)
            assert len(X) == len(y)
            return self

        def score(self, X, y):
            assert isinstance(X, Sequences)
            return self.factor * X.tokens

    X = pack([np.ones((n, 2)) for n in (1, 2, 3, 4)])
    search = GridSearchCV(CountsTokens(), {"factor": [1, 2]}, cv=2).fit(X, [0, 1, 0, 1])
    assert search.best_params_ == {"factor": 2}
    assert search.best_score_ == 10


def test_it_says_what_it_is():
    assert repr(pack([np.eye(3)])) == "<Sequences: 1 sequences, 3 tokens, 3 features, 3 values (all 1)>"
    assert "float64" in repr(pack([2 * np.eye(3)]))


def test_the_place_of_a_token():
    packed = pack([np.ones((2, 1)), np.ones((3, 1))])
    assert [packed.place(t) for t in range(5)] == [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]


NAN = [np.eye(2), np.array([[1.0, 2.0], [3.0, np.nan]])]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), r"There are no sequences; give at least one\."),
        (([[], []],), "All sequences are empty; give at least one token"),
        (([np.eye(2), np.eye(3)],), "Sequence 1 has 3 columns, those before it have 2"),
        (([np.eye(2), np.ones(3)],), "Sequence 1 has 1 dimensions; give a matrix, one row per token"),
        ((NAN,), "Sequence 1, token 1: column 1 is nan; replace it by a finite number"),
        (([sp.csr_array(x) for x in NAN],), "Sequence 1, token 1: column 1 is nan"),
        (([np.array([[np.inf]])],), "Sequence 0, token 0: column 0 is inf"),
        (([[["a"], ["b"]]],), "Sequence 0 holds text, not numbers; turn tokens into numbers with SequenceVectorizer"),
        (([[{"a": 1}]],), "Sequence 0 holds objects, not numbers"),
        (([[[1, 2], [3]]],), "Sequence 0 is not a matrix: its rows differ in length"),
        (([sp.csr_array(np.array([[1j]]))],), "X holds values of dtype complex128; give real numbers"),
        ((np.eye(3),), "X is one matrix of 3 rows; pass lengths= to say how many"),
        ((sp.csr_array(np.eye(3)),), "X is one matrix of 3 rows; pass lengths="),
        ((np.ones(3),), "X is an array of 1 dimensions; give a list of matrices"),
        ((7,), "X must be a list of matrices, one per sequence, not int"),
        (("text",), "X must be a list of matrices, one per sequence, not str"),
        ((np.eye(3), [1, 1]), "lengths add up to 2, but X has 3 rows"),
        (([], [0]), "All sequences are empty; give at least one token"),
        ((np.eye(3), [4, -1]), "Sequence 1 has the length -1"),
        ((np.eye(3), [1.5, 1.5]), "lengths must be a list of whole numbers"),
        ((np.eye(3), []), "lengths must be a list of whole numbers"),
        ((np.ones(3), [1, 2]), "X has 1 dimensions; give a matrix"),
        ((pack([np.eye(3)]), [3]), "X is packed already and has its own lengths"),
    ],
)
def test_complaints(arguments, message):
    with pytest.raises(ValueError, match=message):
        pack(*arguments)


@pytest.mark.parametrize(
    ("arguments", "lengths"),
    [
        (([np.eye(2), np.ones((0, 2)), np.eye(2)],), [2, 0, 2]),
        (([[], np.eye(2), np.zeros(0)],), [0, 2, 0]),
        (([[], sp.csr_array(np.eye(2))],), [0, 2]),
        (([np.ones((0, 2))],), [0]),
        ((np.eye(2), [0, 2, 0]), [0, 2, 0]),
        ((np.ones((0, 2)), [0, 0]), [0, 0]),
    ],
)
def test_sequences_may_be_empty(arguments, lengths):
    found = pack(*arguments)
    assert (found.lengths.tolist(), found.n_features) == (lengths, 2)
    tokens = np.concatenate([np.eye(2)] * (sum(lengths) // 2) or [np.zeros((0, 2))])
    np.testing.assert_array_equal(found.matrix().toarray(), tokens)
    assert [found[i].shape[0] for i in range(len(found))] == lengths
    assert found[::-1].lengths.tolist() == lengths[::-1]
    assert widen(found, 1).lengths.tolist() == lengths


def test_the_width_of_nothing_is_told():
    assert pack([[], []], if_empty=3).n_features == pack([], [0], if_empty=3).n_features == 3
    assert pack([[], np.eye(2)], if_empty=3).n_features == 2


def test_an_expected_width_is_checked():
    assert pack([np.eye(3)], n_features=3).n_features == 3
    for X in ([np.eye(3)], pack([np.eye(3)])):
        with pytest.raises(ValueError, match="X has 3 features, but 4 are expected"):
            pack(X, n_features=4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": np.array([0, 5], np.int32)}, "Sequence 1, token 0: column 5 is outside the 3 features"),
        ({"indices": np.array([-1, 1], np.int32)}, "Sequence 0, token 0: column -1 is outside"),
        ({"indices": np.array([0, 1])}, "indices have dtype int64; make it int32"),
        ({"indptr": np.array([0, 2, 2])}, "Sequence 0, token 0: column 1 follows a column not below it"),
        ({"indptr": np.array([0, 2, 1])}, "indptr must go up from 0 to 2, the number of entries; it ends with 1"),
        ({"offsets": np.array([0, 3])}, "offsets must go up from 0 to 2, the number of tokens; it ends with 3"),
        ({"offsets": np.array([0.0, 2.0])}, "offsets must be an int64 array of one dimension"),
        ({"values": np.array([1.0])}, r"values have dtype float64 and shape \(1,\); give float32 or float64 of shape"),
        ({"values": np.array([1, 2])}, "values have dtype int64"),
    ],
)
def test_a_wrong_part_is_refused_at_once(change, message):
    good = Sequences(np.array([0, 1, 2]), np.array([0, 1, 2]), np.array([1, 1], np.int32), np.array([2.0, 3.0]), 3)
    with pytest.raises(ValueError, match=message):
        replace(good, **change)


def test_a_sequence_that_is_not_there():
    packed = pack([np.eye(2)])
    for key in (1, -2):
        with pytest.raises(IndexError, match="There is no sequence"):
            packed[key]
    with pytest.raises(ValueError, match="There are no sequences"):
        packed[1:]


def test_frames_of_several_kinds_of_numbers_are_those_of_floats():
    rng = np.random.default_rng(0)
    frames = [pd.DataFrame({"a": rng.standard_normal(n), "b": rng.random(n) < 0.5, "c": range(n)}) for n in (3, 1, 5)]
    expected = pack([frame.astype(float).to_numpy() for frame in frames])
    nullable = [frame.astype({"a": "Float64", "b": "boolean", "c": "Int64"}) for frame in frames]
    objects = [frame.to_numpy(dtype=object) for frame in frames]
    for given_frames in (frames, nullable, objects):
        found = pack(given_frames)
        for name in ("offsets", "indptr", "indices", "values"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    with pytest.raises(ValueError, match="Sequence 1 holds objects, not numbers"):
        pack([frames[0], frames[1].assign(b="x")])
    missing = nullable[0].mask(nullable[0]["c"] == 1)
    with pytest.raises(ValueError, match="Sequence 0, token 1: column 0 is nan"):
        pack([missing])

"""The greedy choice: as plain greedy, within 1 - 1/e of the best, exact where documents share nothing."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import _core
from maxmargin.diversity.cover import Cover, greedy

FLOATS = st.floats(-4, 4, allow_nan=False).map(lambda value: round(value, 3))


@st.composite
def covers(draw, lowest=-4.0, most_documents=7):
    n, items = draw(st.integers(1, most_documents)), draw(st.integers(1, 8))
    there = np.array(draw(st.lists(st.lists(st.booleans(), min_size=items, max_size=items), min_size=n, max_size=n)))
    values = st.floats(lowest, 4, allow_nan=False, allow_subnormal=False)
    benefit = np.array(draw(st.lists(values, min_size=items, max_size=items)))
    return there, benefit


def plain_greedy(there, benefit, k):
    """Looks at every document every time; sums run over the items in order."""
    covered, chosen = np.zeros(there.shape[1], bool), []
    for _ in range(k):
        gains = []
        for d in range(len(there)):
            gain = 0.0
            for j in np.flatnonzero(there[d] & ~covered):
                gain += benefit[j]
            gains.append(-np.inf if d in chosen else gain)
        chosen.append(int(np.argmax(gains)))
        covered |= there[chosen[-1]]
    return chosen


def value(there, benefit, chosen):
    return float(benefit[there[list(chosen)].any(axis=0)].sum())


@settings(max_examples=300)
@given(covers(), st.data())
def test_lazy_greedy_is_plain_greedy_whatever_the_signs(case, data):
    there, benefit = case
    k = data.draw(st.integers(1, len(there)))
    assert greedy(k, Cover.of(sp.csr_array(there)), benefit).tolist() == plain_greedy(there, benefit, k)


@settings(max_examples=200)
@given(covers(), st.data())
def test_two_covers_count_like_one(case, data):
    there, benefit = case
    cut = data.draw(st.integers(0, benefit.size))
    k = data.draw(st.integers(1, len(there)))
    words, topics = Cover.of(sp.csr_array(there[:, :cut])), Cover.of(sp.csr_array(there[:, cut:]))
    found = greedy(k, words, benefit[:cut], topics, benefit[cut:])
    assert found.tolist() == plain_greedy(there, benefit, k)


@settings(max_examples=300)
@given(covers(lowest=0.0), st.data())
def test_the_bound_of_the_greedy_method(case, data):
    there, benefit = case
    k = data.draw(st.integers(1, len(there)))
    found = value(there, benefit, greedy(k, Cover.of(sp.csr_array(there)), benefit))
    best = max(value(there, benefit, subset) for subset in combinations(range(len(there)), k))
    assert best * (1 - 1 / np.e) - 1e-12 <= found <= best + 1e-12


@settings(max_examples=200)
@given(st.lists(st.lists(FLOATS, max_size=3), min_size=1, max_size=7), st.data())
def test_documents_that_share_nothing_are_chosen_exactly(benefits, data):
    """A modular benefit: the k largest sums, negative ones too."""
    k = data.draw(st.integers(1, len(benefits)))
    sizes = [len(each) for each in benefits]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    cover = Cover(offsets, np.arange(offsets[-1], dtype=np.int32), int(offsets[-1]))
    found = greedy(k, cover, np.array([value for each in benefits for value in each], dtype=float))
    sums = np.array([sum(each) for each in benefits])
    assert np.allclose(sums[found], np.sort(sums)[::-1][:k])


@settings(max_examples=100)
@given(covers())
def test_a_shorter_choice_is_the_beginning_of_a_longer_one(case):
    there, benefit = case
    cover = Cover.of(sp.csr_array(there))
    everything = greedy(len(there), cover, benefit)
    assert sorted(everything.tolist()) == list(range(len(there)))
    for k in range(1, len(there)):
        assert greedy(k, cover, benefit).tolist() == everything[:k].tolist()


def test_ties_go_to_the_first_and_few_documents_are_looked_at_twice():
    there = np.eye(6, dtype=bool)
    assert greedy(6, Cover.of(sp.csr_array(there)), np.ones(6)).tolist() == [0, 1, 2, 3, 4, 5]
    assert greedy(3, Cover.of(sp.csr_array(there[::-1])), np.zeros(6)).tolist() == [0, 1, 2]
    rng = np.random.default_rng(0)
    many = Cover.of(sp.random_array((1000, 5000), density=0.005, random_state=0, format="csr"))
    _, gains, looks = _core.choose_greedily(many.offsets, many.items, rng.random(5000), 50)
    assert (np.diff(gains) <= 0.0).all()
    assert looks < 1000 + 50 * 100  # looking at everything would take 50,000


def test_what_is_covered():
    cover = Cover.of(sp.csr_array(np.array([[1, 0, 1], [0, 0, 1], [0, 0, 0]])))
    assert cover.n_documents == 3
    assert cover.covered([1]).tolist() == [False, False, True]
    assert cover.covered([0, 1]).tolist() == [True, False, True]
    assert cover.covered([]).tolist() == [False, False, False]
    stored_zero = sp.csr_array((np.array([0.0, 1.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    assert Cover.of(stored_zero).covered([0]).tolist() == [False, True]


@pytest.mark.parametrize(
    ("offsets", "items", "benefit", "message"),
    [
        ([0, 1], [5], [1.0], "every item"),
        ([0, 1], [-1], [1.0], "every item"),
        ([0, 2], [0], [1.0], "end with the number"),
        ([1, 1], [0], [1.0], "begin with 0"),
        ([0, 1, 0, 1], [0], [1.0], "must not fall"),
        ([], [], [], "begin with 0"),
        ([0, 1], [0], [np.nan], "finite"),
    ],
)
def test_native_complaints(offsets, items, benefit, message):
    arrays = np.array(offsets, np.int64), np.array(items, np.int32), np.array(benefit, float)
    with pytest.raises(ValueError, match=message):
        _core.choose_greedily(*arrays, 1)
    one = np.array([0, 0], np.int64), np.zeros(0, np.int32), np.zeros(0)
    two = np.array([0, 0, 0], np.int64), np.zeros(0, np.int32), np.zeros(0)
    with pytest.raises(ValueError, match="same number of documents"):
        _core.choose_greedily(*one, 1, *two)
    with pytest.raises(TypeError):
        _core.choose_greedily(np.array([0, 0], np.int32), *one[1:], 1)

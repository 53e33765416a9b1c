"""The joint feature map against its formula, word by word; levels and thresholds as users give them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import _core
from maxmargin.diversity.candidates import Candidates
from maxmargin.diversity.levels import Level, checked_levels, checked_shares
from maxmargin.diversity.words import WordFeatures, common_words, cover_words
from reference import dense


@st.composite
def sets(draw):
    """Candidates with two fields, a feature map, and the counts as plain arrays."""
    n, words = draw(st.integers(1, 5)), draw(st.integers(1, 7))
    table = st.lists(st.lists(st.integers(0, 3), min_size=words, max_size=words), min_size=n, max_size=n)
    text, title = np.array(draw(table), float), np.array(draw(table), float)
    levels = draw(
        st.lists(st.sampled_from([Level("text", 1), Level("text", 2), Level("title", 1)]), unique=True, min_size=1)
    )
    shares = tuple(sorted(draw(st.sets(st.sampled_from([0.1, 0.3, 0.5, 0.8, 1.0])))))
    names = np.array([f"w{j}" for j in range(words)], dtype=object)
    known = draw(st.sets(st.sampled_from([f"w{j}" for j in range(8)])))
    vocabulary = {word: k for k, word in enumerate(sorted(known))}
    fields = {"text": sp.csr_array(text), "title": sp.csr_array(title)}
    features = WordFeatures(tuple(levels), shares, vocabulary, 7.0)
    return Candidates(fields, None, n, names), features, {"text": text, "title": title}


def plain_psi(features, counts, names, y):
    """The formula of the docstring, in loops."""
    n, words = counts["text"].shape
    share = {level: (counts[level.field] >= level.least).mean(axis=0) for level in features.levels}
    blocks = []
    for covered in features.levels:
        block = np.zeros(features.width)
        for v in range(words):
            if any(counts[covered.field][d, v] >= covered.least for d in y):
                phi = [1.0]
                for level in features.levels:
                    phi += [float(share[level][v] >= r - 1e-12) for r in features.shares]
                block += phi
        blocks.append(block)
    first = features.levels[0]
    own = np.zeros(len(features.vocabulary))
    for v, name in enumerate(names):
        if name in features.vocabulary and any(counts[first.field][d, v] >= first.least for d in y):
            own[features.vocabulary[name]] = features.own_weight * share[first][v] * (1.0 - share[first][v])
    words_a_document = (counts[first.field] >= first.least).sum() / n
    scale = 1.0 / words_a_document if words_a_document else n
    return scale * np.concatenate([*blocks, own])


@settings(max_examples=200)
@given(sets(), st.data())
def test_the_joint_features_are_those_of_the_formula(case, data):
    candidates, features, counts = case
    cover = cover_words(candidates, features)
    y = data.draw(st.lists(st.integers(0, candidates.n - 1), unique=True))
    expected = plain_psi(features, counts, candidates.names, y)
    assert features.length == expected.size == len(features.names())
    assert np.allclose(dense(cover.psi(y)), expected, rtol=1e-12)
    w = np.random.default_rng(0).standard_normal(features.length)
    benefit = cover.benefit(w)
    assert benefit[cover.cover.covered(y)].sum() == pytest.approx(float(expected @ w), abs=1e-9)


def test_words_that_are_alike_are_one_item():
    counts = np.array([[1, 1, 1, 0, 2], [0, 0, 0, 1, 2]], float)
    candidates = Candidates({"text": sp.csr_array(counts)}, None, 2, np.array(list("abcde"), dtype=object))
    plain = cover_words(candidates, WordFeatures((Level("text", 1),), (0.6,)))
    assert sorted(plain.count.tolist()) == [1.0, 1.0, 3.0]
    known = cover_words(candidates, WordFeatures((Level("text", 1),), (0.6,), {"b": 0}))
    assert sorted(known.count.tolist()) == [1.0, 1.0, 1.0, 2.0]
    assert sorted(known.own.tolist()) == [-1, -1, -1, 0]


def test_items_are_one_where_documents_and_numbers_agree():
    rng = np.random.default_rng(0)
    n, m = 9, 400
    there = rng.random((n, m)) < 0.25
    there[0, ~there.any(axis=0)] = True
    one, other = rng.integers(0, 3, m), rng.integers(-1, 2, m)
    document, item = map(np.ascontiguousarray, np.nonzero(there))
    first, count, ends, groups = _core.group_items(document, item, one, other, n)
    known: dict[tuple[object, ...], list[int]] = {}
    for j in range(m):
        known.setdefault((*there[:, j], one[j], other[j]), []).append(j)
    assert first.tolist() == [items[0] for items in known.values()]
    assert count.tolist() == [len(items) for items in known.values()]
    np.testing.assert_array_equal(np.split(groups, ends[1:-1])[3], np.flatnonzero(there[3, first]))
    with pytest.raises(IndexError, match="no such document"):
        _core.group_items(document, item, one, other, n - 1)
    with pytest.raises(IndexError, match="no such item"):
        _core.group_items(document, item, one[:-1], other[:-1], n)


def test_common_words_are_those_of_enough_sets():
    def candidates(*names):
        return Candidates({"text": sp.csr_array(np.ones((2, len(names))))}, None, 2, np.array(names, dtype=object))

    sets = [candidates("b", "a"), candidates("a", "c"), candidates("a", "b")]
    assert common_words(sets, Level("text", 1), 2) == {"a": 0, "b": 1}
    assert common_words(sets, Level("text", 1), 3) == {"a": 0}
    assert common_words(sets, Level("text", 2), 1) == {}
    nameless = Candidates({"text": sp.csr_array(np.ones((2, 3)))}, None, 2)
    assert common_words([nameless], Level("text", 1), 1) == {}


def test_names_tell_level_and_threshold():
    features = WordFeatures((Level("text", 1), Level("title", 1)), (0.25,), {"fox": 0})
    assert features.names() == [
        "text>=1: any word",
        "text>=1: text>=1 in 0.25 of documents",
        "text>=1: title>=1 in 0.25 of documents",
        "title>=1: any word",
        "title>=1: text>=1 in 0.25 of documents",
        "title>=1: title>=1 in 0.25 of documents",
        "text>=1: fox",
    ]


def test_levels_as_users_give_them():
    assert checked_levels(None, ["title", "text"]) == (
        Level("title", 1),
        Level("text", 1),
        Level("text", 2),
        Level("text", 3),
    )
    assert checked_levels(None, ["body"]) == (Level("body", 1), Level("body", 2), Level("body", 3))
    assert checked_levels((3, 1, 1), ["a", "b"]) == (Level("a", 1), Level("a", 3), Level("b", 1), Level("b", 3))
    assert checked_levels(2, ["a"]) == (Level("a", 2),)
    assert checked_levels({"b": 0.5}, ["a", "b"]) == (Level("b", 0.5),)
    assert checked_shares([0.5, 0.1, 0.5]) == (0.1, 0.5)
    assert checked_shares(()) == ()


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ({"anchor": (1,)}, "names the field 'anchor', which the candidate sets do not have; they have 'text', 'title'"),
        ({"text": (0,)}, "levels of the field 'text' hold 0; a level is a least count above 0"),
        ((1, -2), "levels of the field 'text' hold -2"),
        ((True,), "levels of the field 'text' hold True"),
        ("1", "must be numbers such as"),
        ({"text": None}, "must be numbers such as"),
        ((), "levels is empty"),
        ({}, "levels is empty"),
    ],
)
def test_complaints_about_levels(levels, message):
    with pytest.raises(ValueError, match=message):
        checked_levels(levels, ["text", "title"])


@pytest.mark.parametrize("shares", [(-0.1,), (0,), (1.5,), (True,), ("a",), (float("nan"),), 0.5, "0.5", None])
def test_complaints_about_importance(shares):
    with pytest.raises(ValueError, match="importance"):
        checked_shares(shares)

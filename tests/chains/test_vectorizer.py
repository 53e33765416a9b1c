"""The vectoriser: equal to scikit-learn's DictVectorizer and to plain Python, and clear about what it cannot read."""

import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction import DictVectorizer
from sklearn.pipeline import make_pipeline

from maxmargin import Sequences, SequenceVectorizer, _core
from maxmargin.chains.features import Templates, chunking_templates, window
from plain_features import as_counters, numbered, tutorial_attributes

QUICK = settings(max_examples=60)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
FEW = st.sampled_from(["a", "b", "ab", "\u00e9", "\U0001f600x", "", "=", "a longer attribute, of more than two words"])


def sequences_of(tokens, **sizes):
    return st.lists(st.lists(tokens, min_size=1, max_size=4), min_size=1, **sizes)


LISTS = sequences_of(st.lists(st.one_of(TEXT, FEW), max_size=6), max_size=6)


@QUICK
@given(LISTS, LISTS)
def test_lists_of_strings_equal_plain_python(X, other):
    vectorizer = SequenceVectorizer()
    packed = vectorizer.fit_transform(X)
    names, expected = numbered(X)
    assert vectorizer.get_feature_names_out().tolist() == names
    assert packed.n_features == vectorizer.n_features_out_ == len(names)
    assert as_counters(packed, names) == expected
    assert (packed.values is None) == all(value == 1 for s in expected for token in s for value in token.values())
    known = set(names)
    only_known = [[[a for a in token if a in known] for token in s] for s in other]
    assert as_counters(vectorizer.transform(other), names) == numbered(only_known)[1]


@QUICK
@given(LISTS, st.integers(1, 4))
def test_rare_attributes_are_dropped(X, min_count):
    names, expected = numbered(X)
    count = Counter(name for s in expected for token in s for name in token)
    kept = [name for name in names if count[name] >= min_count]
    vectorizer = SequenceVectorizer(min_count=min_count)
    if not kept and min_count > 1:
        with pytest.raises(ValueError, match=f"No attribute occurs in min_count={min_count} tokens; lower min_count"):
            vectorizer.fit(X)
        return
    packed = vectorizer.fit_transform(X)
    assert vectorizer.get_feature_names_out().tolist() == kept
    expected = [[Counter({a: v for a, v in token.items() if a in kept}) for token in s] for s in expected]
    assert as_counters(packed, kept) == expected
    assert as_counters(vectorizer.transform(X), kept) == expected


VALUES = st.one_of(st.floats(-4, 4, width=32), st.booleans(), st.integers(-3, 3), TEXT, st.lists(FEW, max_size=3))


@QUICK
@given(sequences_of(st.dictionaries(st.one_of(TEXT, FEW), VALUES, max_size=5), max_size=5))
def test_dicts_equal_the_dict_vectorizer(X):
    """Up to the order of the columns, and the columns of nothing but zeros, which we do not make."""
    theirs = DictVectorizer()
    tokens = [token for s in X for token in s]
    expected = theirs.fit_transform(tokens).toarray()
    by_name = {name: expected[:, j] for j, name in enumerate(theirs.feature_names_)}
    vectorizer = SequenceVectorizer()
    ours = vectorizer.fit_transform(X).matrix().toarray()
    names = vectorizer.get_feature_names_out().tolist()
    for j, name in enumerate(names):
        assert np.allclose(ours[:, j], by_name.pop(name))
    assert all(not column.any() for column in by_name.values())


def test_columns_are_in_order_of_first_sight_and_sets_are_sorted():
    vectorizer = SequenceVectorizer().fit([[("z", "a"), {"b": 2, "a": 1}], [{"d", "c", "e"}, {"tags": {"y", "x"}}]])
    assert vectorizer.get_feature_names_out().tolist() == ["z", "a", "b", "c", "d", "e", "tags=x", "tags=y"]


def test_values_of_a_dict():
    token = {
        "n": np.float32(0.5),
        "i": np.int64(3),
        "yes": True,
        "no": np.False_,
        "zero": 0,
        "s": "t",
        "many": ("u", "u"),
    }
    vectorizer = SequenceVectorizer()
    packed = vectorizer.fit_transform([[token]])
    assert as_counters(packed, vectorizer.get_feature_names_out()) == [
        [Counter({"n": 0.5, "i": 3, "yes": 1, "s=t": 1, "many=u": 2})]
    ]


def test_precision_of_the_values():
    X = [[{"a": 0.1}], [["a"]]]
    assert SequenceVectorizer().fit_transform(X).values.dtype == np.float64
    packed = SequenceVectorizer(dtype=np.float32).fit_transform(X)
    assert packed.values.tolist() == [np.float32(0.1), 1.0]
    assert SequenceVectorizer(dtype="float32").fit_transform([[["a"]]]).values is None


def test_any_iterable_will_do():
    X = [[["a", "b"], ["c"]], [["a"]]]
    expected = SequenceVectorizer().fit_transform(X)
    for form in (
        tuple(tuple(tuple(token) for token in s) for s in X),
        ([np.array(token) for token in s] for s in X),
        np.array([[["a", "b"], ["c", "c"]], [["a", "a"], ["a", "a"]]]),
    ):
        packed = SequenceVectorizer().fit_transform(form)
        assert set(packed.indices) == set(expected.indices)
        assert len(packed) == len(expected)


@QUICK
@given(LISTS)
def test_hashing_needs_no_fit_data_and_adds_up(X):
    vectorizer = SequenceVectorizer(hashing=64)
    packed = vectorizer.fit_transform(X)
    assert packed.n_features == 64
    again = SequenceVectorizer(hashing=64).fit([[["other"]]]).transform(X)
    assert np.array_equal(packed.matrix().toarray(), again.matrix().toarray())
    totals = packed.matrix().sum(axis=1)
    assert totals.tolist() == [len(token) for s in X for token in s]


def test_hashed_columns_are_the_same_everywhere():
    """Part of a model: these numbers may not change."""
    packed = SequenceVectorizer(hashing=2**20).fit_transform(
        [[["a"], ["ab"], ["w[0]=dog"], ["\u00e9t\u00e9, in Paris"]]]
    )
    assert packed.indices.tolist() == HASHED


HASHED = [964329, 410790, 780419, 480475]


def test_hashes_spread():
    names = [f"w[{i % 5 - 2}]={i // 5}" for i in range(20000)]
    packed = SequenceVectorizer(hashing=2**16).fit_transform([[[name] for name in names]])
    filled = len(np.unique(packed.indices))
    assert filled == pytest.approx(65536 * (1 - np.exp(-20000 / 65536)), rel=0.02)


def test_templates_and_the_same_attributes_as_strings_hash_alike():
    X = [[("the", "DT"), ("dog", "NN")], [("barks", "VB")]]
    strings = [tutorial_attributes(s) for s in X]
    one = SequenceVectorizer(templates=chunking_templates(), hashing=2**12).fit_transform(X)
    other = SequenceVectorizer(hashing=2**12).fit_transform(strings)
    assert np.array_equal(one.matrix().toarray(), other.matrix().toarray())


def test_many_attributes_grow_the_dictionary():
    X = [[[f"attribute number {i}", f"{i % 7}"] for i in range(start, 30000, 3)] for start in range(3)]
    vectorizer = SequenceVectorizer()
    packed = vectorizer.fit_transform(X)
    names, expected = numbered(X)
    assert vectorizer.get_feature_names_out().tolist() == names
    assert packed.matrix().sum() == sum(len(token) for s in expected for token in s)
    assert as_counters(packed[0:1], names) == expected[:1]


def test_scikit_learn_contract():
    vectorizer = SequenceVectorizer(templates=window(0, [0]), min_count=2, dtype=np.float32)
    copy = clone(vectorizer)
    assert copy.get_params() == vectorizer.get_params()
    assert isinstance(copy.set_params(min_count=1).fit_transform([["a", "b"]]), Sequences)
    with pytest.raises(NotFittedError):
        vectorizer.transform([["a"]])
    with pytest.raises(NotFittedError):
        vectorizer.get_feature_names_out()
    pipeline = make_pipeline(SequenceVectorizer())
    assert pipeline.fit_transform([[["a"]]], [["y"]]).n_features == 1
    assert pipeline.get_feature_names_out().tolist() == ["a"]


@pytest.mark.parametrize(
    "options", [{}, {"hashing": 16}, {"templates": chunking_templates()}, {"templates": "U:%X[-1,0]\nB"}]
)
def test_pickling(options):
    X = [[("a", "b"), ("c", "\u00e9")]]
    vectorizer = SequenceVectorizer(**options).fit(X)
    again = pickle.loads(pickle.dumps(vectorizer))
    other = [[("c", "b"), ("a", "new")]]
    assert np.array_equal(again.transform(other).matrix().toarray(), vectorizer.transform(other).matrix().toarray())
    assert again.get_params() == vectorizer.get_params()
    if "hashing" not in options:
        assert again.get_feature_names_out().tolist() == vectorizer.get_feature_names_out().tolist()


def test_a_damaged_state_is_refused():
    hashed, characters, ends = _core.Attributes(0).__getstate__()
    assert (hashed, characters, len(ends)) == (0, b"", 0)
    for bad, message in (
        ((0, b"ab", np.array([1])), "do not use up the characters"),
        ((0, b"ab", np.array([2, 1])), "descend"),
        ((0, b"aa", np.array([1, 2])), "two strings are equal"),
        ((3, b"", np.array([], np.int64)), "must be a power of two"),
    ):
        with pytest.raises(ValueError, match=message):
            _core.Attributes.__new__(_core.Attributes).__setstate__(bad)


def test_a_failed_fit_leaves_the_old_one():
    vectorizer = SequenceVectorizer().fit([[["a"]]])
    with pytest.raises(ValueError, match="Sequence 1, token 0"):
        vectorizer.fit([[["b"]], [[1]]])
    assert vectorizer.get_feature_names_out().tolist() == ["a"]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([], "There are no sequences; give at least one"),
        ([[], []], "All sequences are empty; give at least one token to learn from"),
        ([[["a"]], None], "Sequence 1: a sequence must be a list of tokens, not NoneType"),
        (
            [["the", "dog"]],
            "Sequence 0, token 0: the token 'the' is a string; give a list of its attributes, or pass templates=",
        ),
        ([[["a"], 3]], "Sequence 0, token 1: a token must be a list of strings or a dict, not int"),
        ([[["a", 3]]], "Sequence 0, token 0: the attribute 3 is not a string; give strings, or a dict of names"),
        ([[{3: "a"}]], "Sequence 0, token 0: the name 3 is not a string"),
        (
            [[{"a": None}]],
            "Sequence 0, token 0: the attribute 'a' has a value of type NoneType; give a number, a string",
        ),
        ([[{"a": {"b": 1}}]], "the attribute 'a' has a value of type dict"),
        ([[{"a": ["b", 1]}]], "the attribute 'a' holds 1, which is not a string"),
        ([[{"a": float("nan")}]], "Sequence 0, token 0: the attribute 'a' is nan; replace it by a finite number"),
        ([[["a"], {"b": -np.inf}]], "Sequence 0, token 1: the attribute 'b' is .*inf.*; replace it"),
        ([[["\ud800"]]], "holds half of a pair of surrogates, which is no character; decode the text again"),
        ([[["x" * 500, 3]]], "the attribute 3 is"),
        ("text", "X must be a list of sequences, each a list of tokens, not str"),
        (3, "X must be a list of sequences, each a list of tokens, not int"),
    ],
)
def test_complaints(X, message):
    with pytest.raises(ValueError, match=message) as caught:
        SequenceVectorizer().fit(X)
    assert str(caught.value).endswith(".")


def test_long_values_are_cut_in_complaints():
    with pytest.raises(ValueError, match="is a string") as caught:
        SequenceVectorizer().fit([["x" * 500]])
    assert len(str(caught.value)) < 250


def test_packed_sequences_are_refused():
    packed = SequenceVectorizer().fit_transform([[["a"]]])
    with pytest.raises(ValueError, match="X must be a list of sequences, each a list of tokens, not Sequences"):
        SequenceVectorizer().fit(packed)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_count": 0}, "min_count must be a whole number of at least 1, not 0"),
        ({"min_count": 1.5}, "min_count must be a whole number of at least 1, not 1.5"),
        ({"hashing": 1000}, "hashing must be a power of two from 2 to 1073741824, or None, not 1000"),
        ({"hashing": 2**31}, "hashing must be a power of two"),
        ({"hashing": 2.0}, "hashing must be a power of two"),
        ({"hashing": 64, "min_count": 2}, "min_count needs a dictionary; set hashing=None or min_count=1"),
        ({"dtype": int}, "dtype must be float64 or float32"),
        ({"templates": 3}, "templates must be Templates, .chunking., .tagging., .entities., or a text in the syntax"),
    ],
)
def test_parameters_are_checked_in_fit(options, message):
    vectorizer = SequenceVectorizer(**options)
    with pytest.raises(ValueError, match=message):
        vectorizer.fit([[["a"]]])


def test_what_hashing_and_missing_templates_cannot_do():
    hashed = SequenceVectorizer(hashing=16).fit([[["a"]]])
    with pytest.raises(ValueError, match="Hashed attributes have no names; use a dictionary, hashing=None"):
        hashed.get_feature_names_out()
    for vectorizer in (hashed, SequenceVectorizer(templates=Templates()).fit([["a"]])):
        with pytest.raises(ValueError, match="There are no templates for pairs of labels"):
            vectorizer.transform_pairs([["a"]])

"""Labels of packed sequences as numbers: agree with scikit-learn's encoder, and name what does not fit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import LabelEncoder

from maxmargin.chains.sequences import pack, pack_labels

QUICK = settings(max_examples=60)


def of_lengths(*lengths):
    return pack([np.ones((length, 1)) for length in lengths])


X = of_lengths(2, 1)


@QUICK
@given(
    st.one_of(
        st.lists(st.lists(st.integers(-5, 5), min_size=1), min_size=1),
        st.lists(
            st.lists(
                st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=3), min_size=1
            ),
            min_size=1,
        ),
        st.lists(st.lists(st.booleans(), min_size=1), min_size=1),
    )
)
def test_equal_to_the_label_encoder_in_every_form(Y):
    flat = np.array([label for y in Y for label in y])
    encoder = LabelEncoder().fit(flat)
    packed = of_lengths(*map(len, Y))
    for form in (Y, [np.array(y) for y in Y], [tuple(y) for y in Y], flat, flat.tolist()):
        classes, codes = pack_labels(form, packed)
        assert classes.dtype == encoder.classes_.dtype or classes.dtype.kind == "U"
        assert classes.tolist() == encoder.classes_.tolist()
        assert codes.dtype == np.int32
        assert np.array_equal(codes, encoder.transform(flat))
        again, same = pack_labels(form, packed, classes=classes)
        assert again is classes
        assert np.array_equal(same, codes)


def test_a_final_nul_is_kept():
    classes, codes = pack_labels([["a", "a\0"], ["a"]], X)
    assert classes.tolist() == ["a", "a\0"]
    assert codes.tolist() == [0, 1, 0]


def test_tuples_can_be_labels():
    classes, codes = pack_labels([[("B", 1), ("A", 2)], [("A", 2)]], X)
    assert classes.tolist() == [("A", 2), ("B", 1)]
    assert codes.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("Y", "message"),
    [
        ([["a", "b"]], "y has the labels of 1 sequences, but X has 2"),
        ([["a", "b"], ["a", "c"]], "Sequence 1 has 1 tokens but 2 labels; give each token one label"),
        ([["a"], ["a"]], "Sequence 0 has 2 tokens but 1 labels"),
        ([["a", "b"], "c"], "The labels of sequence 1 are not a list; give a label for each of its 1 tokens"),
        ([[1, 2], 3], "The labels of sequence 1 are not a list"),
        ([[1, 2], np.eye(1)], "The labels of sequence 1 are not a list"),
        (["a", "b"], "y has 2 labels for 3 tokens in 2 sequences; give each token one label"),
        (np.array([1, 2]), "y has 2 labels for 3 tokens in 2 sequences"),
        ([["a", 1], ["b"]], "The labels cannot be sorted, they are of the kinds int, str; use one kind"),
        ([["a", None], ["b"]], "Sequence 0, token 1 has the label None; give every token a label"),
        ([[1.0, 2.0], [float("nan")]], "Sequence 1, token 0 has the label nan; give every token a label"),
        ([np.array([1.0, np.nan]), np.array([1.0])], "Sequence 0, token 1 has the label nan"),
        ([[["a"], ["b"]], [["c"]]], r"The labels cannot be compared \(.*\); use numbers or strings"),
        ("abc", "y must be a list of the labels of each sequence, not str"),
        (None, "y must be a list of the labels of each sequence, not NoneType"),
    ],
)
def test_complaints(Y, message):
    with pytest.raises(ValueError, match=message):
        pack_labels(Y, X)


@pytest.mark.parametrize("Y", [[["a", "b"], ["z"]], np.array(["a", "b", "z"])])
def test_a_label_outside_the_known_classes_is_named(Y):
    with pytest.raises(ValueError, match="Sequence 1, token 0 has the label 'z', which is not one of the 2 known"):
        pack_labels(Y, X, classes=np.array(["a", "b"]))

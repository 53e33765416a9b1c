"""The text format of CRFsuite: round trips, escapes, weights, complaints with file and line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import SequenceVectorizer
from maxmargin.chains.formats.crfsuite import iter_crfsuite, read_crfsuite, write_crfsuite

QUICK = settings(max_examples=60)

NAME = st.text(st.characters(exclude_characters="\t\r\n\ufeff", exclude_categories=["Cs"]), max_size=6)
LABEL = NAME.filter(bool)
TOKEN = st.one_of(
    st.lists(NAME, max_size=4),
    st.dictionaries(NAME, st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=4),
)


@QUICK
@given(st.lists(st.lists(st.tuples(TOKEN, LABEL), min_size=1, max_size=4), min_size=1, max_size=4))
def test_round_trip(tmp_path_factory, pairs):
    X, Y = [[token for token, _ in s] for s in pairs], [[label for _, label in s] for s in pairs]
    path = tmp_path_factory.mktemp("crfsuite") / "data.txt.gz"
    write_crfsuite(path, X, Y)
    assert read_crfsuite(path) == (X, Y)
    assert list(iter_crfsuite(path)) == list(zip(X, Y, strict=True))


def write(path, text):
    path.write_bytes(text.encode())
    return path


def test_weights_and_escapes(tmp_path):
    path = write(tmp_path / "a.txt", "B\tw=a\\:b\tc\\\\d\n\n\nI\\:x\tw=c\tw=c\nO\tlength:2.5\tlength\tw=d:1e-1\nO\n")
    X, Y = read_crfsuite(path)
    assert X == [[["w=a:b", "c\\d"]], [["w=c", "w=c"], {"length": 3.5, "w=d": 0.1}, []]]
    assert Y == [["B"], ["I:x", "O", "O"]]
    packed = SequenceVectorizer().fit_transform(X)
    assert packed.matrix().toarray().tolist() == [
        [1, 1, 0, 0, 0],
        [0, 0, 2, 0, 0],
        [0, 0, 0, 3.5, 0.1],
        [0, 0, 0, 0, 0],
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("B\tw:x", r"line 2: the weight 'x' of the attribute 'w' is not a number; write a colon of a name as '\\:'\."),
        ("B\tw:", "line 2: the weight '' of the attribute 'w' is not a number"),
        ("B\tw:1:2", "line 2: the weight '1:2' of the attribute 'w' is not a number"),
        ("B\tw:nan", "line 2: the weight of the attribute 'w' is nan; give a finite number"),
        ("B\tw\\", r"line 2: 'w\\\\' ends with a backslash; write it as two"),
        ("B:1\tw", r"line 2: the label 'B:1' holds a colon; write it as 'B\\\\:1'"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, line, message):
    with pytest.raises(ValueError, match=rf"a\.txt, {message}") as caught:
        read_crfsuite(write(tmp_path / "a.txt", f"B\tok\n{line}\n"))
    assert str(caught.value).endswith(".")


def test_an_empty_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"a\.txt holds no sequences; each line must be a label and attributes"):
        read_crfsuite(write(tmp_path / "a.txt", "\n"))


@pytest.mark.parametrize(
    ("X", "Y", "message"),
    [
        ([[["a"]]], [["x", "y"]], "Sequence 0 has 1 tokens and 2 labels; give each token one label"),
        ([[]], [[]], "Sequence 0 has 0 tokens and 0 labels"),
        ([[["a\tb"]]], [["x"]], "Sequence 0, token 0: .* holds a tab or the end of a line"),
        ([[["a"]]], [["x\n"]], "Sequence 0, token 0: .* holds a tab or the end of a line"),
        ([[["a"]]], [[""]], "Sequence 0, token 0: the label '' cannot be written"),
        ([["ab"]], [["x"]], "Sequence 0, token 0 is a string; give a list of its attributes"),
        ([[{"a": float("inf")}]], [["x"]], "Sequence 0, token 0: the weight of 'a' is inf; give a finite number"),
        ([[{"a": "b"}]], [["x"]], "Sequence 0, token 0: the weight of 'a' is 'b'; give a finite number"),
    ],
)
def test_what_a_file_cannot_hold_is_refused(tmp_path, X, Y, message):
    with pytest.raises(ValueError, match=message):
        write_crfsuite(tmp_path / "a.txt", X, Y)


def test_fields_divided_by_blanks(tmp_path):
    path = write(tmp_path / "a.txt", "O\nB-NP w=the p=DT\n")
    with pytest.raises(
        ValueError, match=r"a\.txt, line 2 has blanks, but no line of the file has a tab; divide label and"
    ):
        read_crfsuite(path)
    assert read_crfsuite(write(tmp_path / "b.txt", "a label\tx\n")) == ([[["x"]]], [["a label"]])
    assert read_crfsuite(write(tmp_path / "b.txt", "A\nB\n")) == ([[[], []]], [["A", "B"]])

"""Columns of text: round trips, streaming, and complaints with file and line."""

import gzip
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin.chains.formats.conll import iter_conll, read_conll, split_labels, write_conll

QUICK = settings(max_examples=60)

FIELD = st.text(st.characters(exclude_characters=" \t\r\n", exclude_categories=["Cs"]), min_size=1, max_size=5).filter(
    lambda text: not text.startswith("\ufeff")
)


@st.composite
def sequences(draw, field=FIELD):
    token = st.tuples(*[field] * draw(st.integers(1, 3)))
    return draw(st.lists(st.lists(token, min_size=1, max_size=4), min_size=1, max_size=4))


@pytest.mark.parametrize(("suffix", "separator"), [("", " "), (".gz", "\t")])
@QUICK
@given(data=st.data())
def test_round_trip(tmp_path_factory, suffix, separator, data):
    field = FIELD if separator == " " else FIELD.map(lambda text: text + " " + text)
    X = data.draw(sequences(field))
    path = tmp_path_factory.mktemp("conll") / f"data.txt{suffix}"
    write_conll(path, X, separator=separator)
    assert read_conll(path, separator=None if separator == " " else separator) == X


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def test_blanks_tabs_comments_and_the_end_of_the_file(tmp_path):
    path = write(tmp_path / "a.txt", "\n\n# note\nThe  DT\tB \r\n # # O\n\n \t\n\ndog\u00a0s NN B")
    assert read_conll(path, comment="# n") == [[("The", "DT", "B"), ("#", "#", "O")], [("dog\u00a0s", "NN", "B")]]


def test_other_encodings_and_byte_order_marks(tmp_path):
    path = write(tmp_path / "a.txt", "\u00e9t\u00e9 N\n", "latin-1")
    assert read_conll(path, encoding="latin-1") == [[("\u00e9t\u00e9", "N")]]
    with pytest.raises(ValueError, match=r"a\.txt, line 1 is not utf-8 text \(.*\); convert it, or pass"):
        read_conll(path)
    assert read_conll(write(tmp_path / "b.txt", "\ufeffa b\n")) == [[("a", "b")]]


def test_the_file_is_read_as_sequences_are_taken(tmp_path):
    path = write(tmp_path / "a.txt", "a b\n\nc d\n\ne\n")
    assert list(islice(iter_conll(path), 2)) == [[("a", "b")], [("c", "d")]]
    with pytest.raises(ValueError, match=r"a\.txt, line 5 has 1 column, the lines before have 2; give every token"):
        list(iter_conll(path))


def test_labels_are_one_of_the_columns():
    sequences = [[("The", "DT", "B"), ("dog", "NN", "I")]]
    assert split_labels(sequences) == ([[("The", "DT"), ("dog", "NN")]], [["B", "I"]])
    assert split_labels(sequences, 0) == ([[("DT", "B"), ("NN", "I")]], [["The", "dog"]])
    with pytest.raises(ValueError, match="Sequence 0 has 3 columns and no column 3; columns count from 0"):
        split_labels(sequences, 3)


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_file_is_named(tmp_path, text):
    with pytest.raises(ValueError, match=r"a\.txt holds no sequences; each line must be a token"):
        read_conll(write(tmp_path / "a.txt", text))


def test_a_damaged_archive_is_named(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"a b\n")[:-4])
    with pytest.raises(ValueError, match=r"a\.txt\.gz is not a whole gzip file"):
        read_conll(path)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[("a", "b")], []], "Sequence 1 is empty; leave it out"),
        ([[("a", "b"), ("c",)]], "Sequence 0, token 1 has 1 columns; give every token the same columns"),
        ([[("a", "b c")]], "Sequence 0, token 0: column 1 is 'b c', which the file cannot hold"),
        ([[("", "b")]], "Sequence 0, token 0: column 0 is '', which the file cannot hold"),
        ([["ab"]], "Sequence 0, token 0 is a string; give a tuple of columns"),
        ([[("\ufeffa", "b")]], "Sequence 0, token 0 starts with a byte order mark"),
    ],
)
def test_what_a_file_cannot_hold_is_refused(tmp_path, X, message):
    with pytest.raises(ValueError, match=message):
        write_conll(tmp_path / "a.txt", X)


def test_a_comment_that_was_taken_for_a_token(tmp_path):
    path = tmp_path / "a.txt"
    for text in ("# text = a b c\na A\n", "a A\n# text = a b c\n"):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"line 2 has .* leave comments out: a line that starts with # is a token"):
            read_conll(path)
        assert read_conll(path, comment="#") == [[("a", "A")]]


def test_lines_between_documents_are_no_tokens(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("-DOCSTART- -X- O\n\na A x\nb B y\n-DOCSTART- -X- O\nc C z\n")
    lines: list[int] = []
    assert read_conll(path, lines=lines) == [[("a", "A", "x"), ("b", "B", "y")], [("c", "C", "z")]]
    assert lines == [3, 4, 6]
    with pytest.raises(ValueError, match=r"Sequence 0, token 1 starts with -DOCSTART-"):
        write_conll(path, [[("a", "A"), ("-DOCSTART-", "B")]])

"""The text format of SVM-HMM: round trips, agreement with scikit-learn's reader, complaints with file and line."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.datasets import load_svmlight_file

from maxmargin.chains.formats.svmhmm import read_svmhmm, write_svmhmm
from maxmargin.chains.sequences import pack

QUICK = settings(max_examples=60)

CELLS = st.one_of(st.just(0.0), st.just(1.0), st.floats(allow_nan=False, allow_infinity=False))


@pytest.mark.parametrize("suffix", ["", ".gz"])
@QUICK
@given(data=st.data())
def test_round_trip(tmp_path_factory, suffix, data):
    width = data.draw(st.integers(1, 4))
    lengths = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    X = [data.draw(hnp.arrays(np.float64, (n, width), elements=CELLS)) for n in lengths]
    Y = [data.draw(hnp.arrays(np.int64, n, elements=st.integers(-(2**62), 2**62))) for n in lengths]
    path = tmp_path_factory.mktemp("svmhmm") / f"data.dat{suffix}"
    write_svmhmm(path, X, Y)
    found = read_svmhmm(path, n_features=width)
    assert [y.tolist() for y in found.Y] == [y.tolist() for y in Y]
    assert np.array_equal(found.X.matrix().toarray(), np.vstack(X))
    assert found.X.lengths.tolist() == lengths
    assert (found.X.values is None) == (pack(X).values is None)


@QUICK
@given(
    st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False).map(repr),
            st.from_regex(r"\A[-+]?[0-9]{1,20}(\.[0-9]{0,20})?([eE][-+]?[0-9]{1,2})?\Z"),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_numbers_are_read_as_python_reads_them(tmp_path_factory, numbers):
    path = tmp_path_factory.mktemp("svmhmm") / "data.dat"
    path.write_text("1 qid:1 " + " ".join(f"{i + 1}:{number}" for i, number in enumerate(numbers)))
    found = read_svmhmm(path, n_features=len(numbers)).X.matrix().toarray()[0]
    assert found.tolist() == [float(number) for number in numbers]


def write(path, text):
    path.write_bytes(text.encode())
    return path


def test_the_format(tmp_path):
    text = "# head\n2 qid:1 1:1 3:0.5 # the\r\n\n+1 qid:1\t2:1#dog\n\n  3 qid:7 5:-2e1\n3 qid:7"
    path = write(tmp_path / "a.dat", text)
    found = read_svmhmm(path)
    assert found.X.matrix().toarray().tolist() == [[1, 0, 0.5, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, -20], [0] * 5]
    assert [y.tolist() for y in found.Y] == [[2, 1], [3, 3]]
    assert found.lines.tolist() == [2, 4, 6, 7]
    X, y, _ = load_svmlight_file(str(path), query_id=True, zero_based=False)
    assert np.array_equal(X.toarray(), found.X.matrix().toarray())
    assert y.tolist() == np.concatenate(found.Y).tolist()


def test_features_beyond_those_asked_for_are_dropped_and_counted(tmp_path):
    path = write(tmp_path / "a.dat", "1 qid:1 1:2 9:1\n1 qid:2 9:3 10:1\n")
    found = read_svmhmm(path, n_features=3)
    assert found.X.matrix().toarray().tolist() == [[2, 0, 0], [0, 0, 0]]
    assert found.ignored_features == 2
    assert read_svmhmm(path, n_features=20).X.n_features == 20


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("qid:1 1:1", "there is no tag before 'qid:1'; put the tag of the token"),
        ("NN qid:1 1:1", "the tag 'NN' is not a whole number; number the tags"),
        ("1.5 qid:1 1:1", "the tag '1.5' is not a whole number"),
        ("1 1:1", "the tag is not followed by qid:NUMBER"),
        ("1", "the tag is not followed by qid:NUMBER"),
        ("1 qid:x 1:1", "'qid:x' does not number a sequence; write for example qid:1"),
        ("1 qid:1 a:1", "'a:1' is not an index:value pair"),
        ("1 qid:1 1", "'1' is not an index:value pair"),
        ("1 qid:1 1:", "'1:' is not an index:value pair"),
        ("1 qid:1 1:x", "'1:x' is not an index:value pair"),
        ("1 qid:1 0:1", "the index 0 is too small, indices start at 1"),
        ("1 qid:1 2:1 2:1", "the index 2 follows 2; sort the indices and give each once"),
        ("1 qid:1 3:1 2:1", "the index 2 follows 3; sort the indices"),
        ("1 qid:1 3000000000:1", "the index 3000000000 is too large"),
        ("1 qid:1 1:nan", "feature 1 is nan; replace it by a finite number"),
        ("1 qid:1 1:-inf", "feature 1 is -inf; replace it by a finite number"),
        ("1 qid:1 1:1e999", "feature 1 is inf; replace it by a finite number"),
        ("99999999999999999999 qid:1", "a number is too large or is not written plainly"),
        ("1 qid:1 1:1_0", "a number is too large or is not written plainly"),
        ("1 qid:0 1:1", "qid:0 follows qid:1; put the tokens of a sequence together"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, line, message):
    path = write(tmp_path / "a.dat", f"# head\n1 qid:1 1:1\n\n{line}\n1 qid:2\n")
    with pytest.raises(ValueError, match=rf"a\.dat, line 4: {message}") as caught:
        read_svmhmm(path)
    assert str(caught.value).endswith(".")


@QUICK
@given(st.text(alphabet="01 \t\nqid:.-+e#", max_size=40))
def test_whatever_is_in_the_file_the_answer_is_data_or_a_sentence(tmp_path_factory, text):
    path = write(tmp_path_factory.mktemp("svmhmm") / "a.dat", f"1 qid:1 1:1\n{text}")
    complaint = ""
    try:
        assert read_svmhmm(path).X.tokens >= 1
    except ValueError as error:
        complaint = str(error)
    assert not complaint or (complaint.startswith(f"{path}, line ") and complaint.endswith("."))


def test_an_empty_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"a\.dat holds no sequences; each line must be TAG qid:NUMBER"):
        read_svmhmm(write(tmp_path / "a.dat", "# nothing\n"))


def test_tags_that_are_words_cannot_be_written(tmp_path):
    with pytest.raises(ValueError, match=r"The tags are \['B', 'I'\], \.\.\.; number them"):
        write_svmhmm(tmp_path / "a.dat", [np.eye(2)], [["B", "I"]])

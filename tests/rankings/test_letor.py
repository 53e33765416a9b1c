"""Files of rankings: round trips, agreement with scikit-learn's reader, complaints with file and line."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.datasets import load_svmlight_file

from maxmargin.rankings.letor import read_letor, write_letor

LETOR = """\
2 qid:10 1:0.5 3:1.000000 #docid = GX008-86-4444840 inc = 1 prob = 0.086622
0 qid:10 2:0.25 4:0 # docid = b

1 qid:7 1:-2e-1
0 qid:10
"""


def write(path, text):
    path.write_text(text)
    return path


def test_the_format(tmp_path):
    found = read_letor(write(tmp_path / "a.letor", LETOR))
    assert found.grades.tolist() == [2, 0, 1, 0]
    assert found.queries.tolist() == [10, 10, 7, 10]
    assert found.lines.tolist() == [1, 2, 4, 5]
    assert found.X.toarray().tolist() == [[0.5, 0.0, 1.0], [0.0, 0.25, 0.0], [-0.2, 0.0, 0.0], [0.0, 0.0, 0.0]]
    X, y, queries = load_svmlight_file(str(tmp_path / "a.letor"), query_id=True)
    assert y.tolist() == found.grades.tolist()
    assert queries.tolist() == found.queries.tolist()
    assert np.array_equal(X.toarray()[:, :3], found.X.toarray())


def test_a_fixed_number_of_features(tmp_path):
    path = write(tmp_path / "a.letor", LETOR)
    few, many = read_letor(path, n_features=2), read_letor(path, n_features=6)
    assert few.X.shape == (4, 2)
    assert few.ignored_features == 1
    assert many.X.shape == (4, 6)
    assert many.ignored_features == 0


@pytest.mark.parametrize("suffix", ["", ".gz"])
@settings(max_examples=40)
@given(data=st.data())
def test_round_trip(tmp_path_factory, suffix, data):
    n, width = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4))
    cells = st.one_of(st.just(0.0), st.floats(allow_nan=False, allow_infinity=False))
    X = data.draw(hnp.arrays(np.float64, (n, width), elements=cells))
    grades = data.draw(hnp.arrays(np.int64, n, elements=st.integers(0, 5)))
    queries = data.draw(hnp.arrays(np.int64, n, elements=st.integers(0, 10**9)))
    path = tmp_path_factory.mktemp("letor") / f"data.letor{suffix}"
    write_letor(path, sp.csr_array(X) if n % 2 else X, grades, queries)
    found = read_letor(path, n_features=width)
    assert np.array_equal(found.X.toarray(), X)
    assert np.array_equal(found.grades, grades)
    assert np.array_equal(found.queries, queries)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no documents; each line must be GRADE qid:NUMBER index:value"),
        ("1 qid:1 1:1\n1:0.5 2:1\n", "line 2: there is no grade before '1:0.5'; put the grade of the document, or 0"),
        ("good qid:1 1:1\n", "line 1: the grade 'good' is not a whole number; number the grades 0, 1, 2"),
        ("0.5 qid:1 1:1\n", "line 1: the grade '0.5' is not a whole number"),
        ("-1 qid:1 1:1\n", "line 1: the grade -1 is negative; grades start at 0"),
        ("1 1:1\n", "line 1: the grade is not followed by qid:NUMBER; say to which query the document belongs"),
        ("1 qid:a 1:1\n", "line 1: 'qid:a' does not number a query; write for example qid:1"),
        ("1 qid:1 1:x\n", "line 1: '1:x' is not an index:value pair"),
        ("1 qid:1 0:1\n", "line 1: the index 0 is too small, indices start at 1"),
        ("1 qid:1 2:1 1:1\n", "line 1: the index 1 follows 2; sort the indices"),
        ("1 qid:1 1:inf\n", "line 1: feature 1 is inf; replace it by a finite number"),
        ("1 qid:1 99999999999:1\n", "line 1: the index 99999999999 is too large"),
    ],
)
def test_faults(tmp_path, text, message):
    with pytest.raises(ValueError, match="bad") as complaint:
        read_letor(write(tmp_path / "bad.letor", text))
    assert message in str(complaint.value)


@pytest.mark.parametrize(
    ("grades", "queries", "message"),
    [
        ([1, 2], [1], r"queries has shape \(1,\); one for each of the 2 rows is needed"),
        ([1, 0.5], [1, 1], "grades must be whole numbers of at least 0"),
        ([1, 2], ["a", "b"], "queries must be whole numbers of at least 0"),
        ([1, -2], [1, 1], "grades must be whole numbers of at least 0"),
    ],
)
def test_what_cannot_be_written(tmp_path, grades, queries, message):
    with pytest.raises(ValueError, match=message):
        write_letor(tmp_path / "a.letor", np.eye(2), grades, queries)

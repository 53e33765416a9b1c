"""Readers of labelled data: right values, and one sentence with file, line and remedy for everything wrong."""

import gzip
from codecs import BOM_UTF8

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

from maxmargin.classes.cost_file import read_cost
from maxmargin.io.labelled import shortened
from maxmargin.io.read import format_of, read_data
from maxmargin.rankings.letor import read_letor


@pytest.fixture
def write(tmp_path):
    def write_file(name, text):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write_file


def complaint(path, **options):
    with pytest.raises(ValueError) as caught:
        read_data(path, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    return text


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.svm", "svmlight"),
        ("a.libsvm.gz", "svmlight"),
        ("A.CSV", "csv"),
        ("a.tsv", "tsv"),
        ("a.tab.gz", "tsv"),
        ("a.conll", "conll"),
        ("a.bio.gz", "conll"),
        ("a.crfsuite", "crfsuite"),
        ("a.svmhmm", "svmhmm"),
        ("a.letor.gz", "letor"),
    ],
)
def test_format_from_name(name, format):
    assert format_of(name) == format


def test_format_given_or_unknown():
    assert format_of("a.csv", "tsv") == "tsv"
    with pytest.raises(ValueError, match=r"a\.dat cannot be inferred from its name .* name the format: svmlight, csv"):
        format_of("a.dat")
    with pytest.raises(ValueError, match=r"must be one of svmlight, csv, .*, svmhmm, letor, brackets, not 'arff'"):
        format_of("a.csv", "arff")


# --- svmlight ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_svmlight_round_trip(tmp_path, suffix):
    X = sp.random(20, 7, density=0.4, format="csr", random_state=0)
    y = np.arange(20) % 3 - 1
    path = tmp_path / f"data.svm{suffix}"
    with (gzip.open if suffix else open)(path, "wb") as file:
        dump_svmlight_file(X, y, file, zero_based=False)
    data = read_data(path, n_features=7)
    assert np.allclose(data.X.toarray(), X.toarray())
    assert np.array_equal(data.labels, y)
    assert data.labels.dtype == np.int64
    assert list(data.lines) == list(range(1, 21))


def test_svmlight_comments_query_ids_and_blank_lines(write):
    data = read_data(write("a.svm", "# head\n\n2 qid:7 1:0.5 3:2 # note\n  \n-1 2:1e-1\n"))
    assert data.X.toarray().tolist() == [[0.5, 0.0, 2.0], [0.0, 0.1, 0.0]]
    assert data.labels.tolist() == [2, -1]
    assert list(data.lines) == [3, 5]


def test_svmlight_fixed_number_of_features(write):
    path = write("a.svm", "1 1:1 4:4\n2 2:2 4:1 9:9\n")
    wide = read_data(path, n_features=12)
    assert wide.X.shape == (2, 12)
    assert wide.ignored_features == 0
    narrow = read_data(path, n_features=2)
    assert narrow.X.toarray().tolist() == [[1.0, 0.0], [0.0, 2.0]]
    assert narrow.ignored_features == 2


def test_svmlight_zero_based_is_never_guessed(write):
    path = write("a.svm", "1 0:5 2:7\n")
    assert read_data(path, zero_based=True).X.toarray().tolist() == [[5.0, 0.0, 7.0]]
    assert "line 1: the index 0 is too small, indices start at 1; if this file counts from 0" in complaint(path)
    assert read_data(write("b.svm", "1 1:5\n"), zero_based=True).X.shape == (1, 2)


def test_svmlight_labels_may_be_ignored(write):
    path = write("a.svm", "0.5 1:1\n")
    assert read_data(path, labelled=False).labels is None
    assert "line 1: the label 0.5 is not a whole number" in complaint(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no examples"),
        ("# only a comment\n", "holds no examples"),
        ("1 1:1\n\ncat 1:1\n", "line 3: the label 'cat' is not a number"),
        ("1 1:1\n1:1 2:2\n", "line 2: there is no label before '1:1'"),
        ("1,2 1:1\n", "line 1: '1,2' is more than one label"),
        ("1 1:1\n2 1:x\n", "line 2: '1:x' is not an index:value pair"),
        ("1 1:1\n2 word\n", "line 2: 'word' is not an index:value pair"),
        ("1 a:1\n", "line 1: 'a:1' is not an index:value pair"),
        ("1 -4:1\n", "line 1: the index -4 is too small"),
        ("1 2:1 2:1\n", "line 1: the index 2 follows 2; sort"),
        ("1 3:1 2:1\n", "line 1: the index 2 follows 3; sort"),
        ("1 99999999999:1\n", "line 1: the index 99999999999 is too large"),
        ("1 1:1\n# note\n2 1:1 3:nan\n", "line 3: feature 3 is nan"),
        ("1 1:1\n2 1:inf\n", "line 2: feature 1 is inf"),
        ("nan 1:1\n", "line 1: the label nan is not a whole number"),
        (b"\x00\xff\xfe 1:1\n", "line 1: the label"),
    ],
)
def test_svmlight_complaints(write, text, message):
    path = write("bad.svm", text)
    told = complaint(path)
    assert message in told
    assert str(path) in told


def test_svmlight_has_no_label_column(write):
    assert "leave label_column out" in complaint(write("a.svm", "1 1:1\n"), label_column="y")


# --- tables -----------------------------------------------------------------------------------------------------------


def test_table_with_words_as_labels(write):
    data = read_data(write("a.csv", '\ufeffwidth, height ,kind\n1,2.5,cat\n\n-3,1e2,"dog, big"\n'))
    assert data.X.tolist() == [[1.0, 2.5], [-3.0, 100.0]]
    assert data.labels.tolist() == ["cat", "dog, big"]
    assert data.feature_names == ("width", "height")
    assert list(data.lines) == [2, 4]


def test_tsv_gz_and_label_column(tmp_path):
    path = tmp_path / "a.tsv.gz"
    with gzip.open(path, "wt") as file:
        file.write("kind\ta\tb\n1\t2\t3\n0\t4\t5\n")
    data = read_data(path, label_column="kind")
    assert data.X.tolist() == [[2.0, 3.0], [4.0, 5.0]]
    assert data.labels.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["3", "-1"], [3, -1]),
        (["3.0", "2"], [3, 2]),
        (["007", "1"], ["007", "1"]),
        (["0", "00"], ["0", "00"]),
        (["1.5", "2"], ["1.5", "2"]),
        (["1", "x"], ["1", "x"]),
        (["nan", "1"], ["nan", "1"]),
    ],
)
def test_table_labels_are_numbers_only_if_all_are_whole(write, labels, expected):
    path = write("a.csv", "a,y\n" + "".join(f"1,{label}\n" for label in labels))
    assert read_data(path).labels.tolist() == expected
    assert read_data(path, text_labels=True).labels.tolist() == labels


def test_table_label_must_be_a_number_where_the_model_has_numbers(write):
    path = write("a.csv", "a,y\n1,0\n1,x\n")
    assert "line 3: the label 'x' is not a number" in complaint(path, text_labels=False)


def test_table_features_by_name(write):
    path = write("a.csv", "y,b,extra,a\ncat,2,oops,1\n")
    data = read_data(path, feature_names=["a", "b"], label_column="y")
    assert data.X.tolist() == [[1.0, 2.0]]
    assert data.labels.tolist() == ["cat"]
    assert read_data(path, feature_names=["a", "b"], labelled=False).labels is None
    assert "name it with label_column" in complaint(path, feature_names=["a", "b"])
    assert "lacks columns that the model was trained with: c" in complaint(
        path, feature_names=["a", "c"], labelled=False
    )
    assert "'a' is a feature of the model" in complaint(path, feature_names=["a", "b"], label_column="a")
    only = write("b.csv", "y,a\ncat,1\n")
    assert read_data(only, feature_names=["a"]).labels.tolist() == ["cat"]
    assert "no column beside the features" in complaint(only, feature_names=["y", "a"])


def test_table_without_labels(write):
    bare, full = write("bare.csv", "a,b\n1,2\n"), write("full.csv", "a,b,y\n1,2,cat\n")
    for path in (bare, full):
        data = read_data(path, n_features=2, labelled=False)
        assert data.X.tolist() == [[1.0, 2.0]]
        assert data.labels is None
        with pytest.raises(ValueError, match="has no labels"):
            _ = data.targets
    assert "has 2 columns of features, but the model was trained with 5" in complaint(full, n_features=5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; its first row must name the columns"),
        ("a,y\n", "holds no examples below its header"),
        ("1,2\n3,4\n", "line 1: the first row holds only numbers"),
        ("0.5,2,cat\n1.5,4,dog\n", "line 1: the first row holds numbers and 'cat', so it looks like an example"),
        ("a,,y\n", "line 1: column 2 has no name"),
        ("a,a,y\n", "line 1: the column 'a' is there twice"),
        ("y\n1\n", "has only one column"),
        ("a;y\n1;2\n", "has only one column"),
        ("a,b,y\n1,2,0\n1,2\n", "line 3: there are 2 fields where the header has 3 columns"),
        ("a,b,y\n1,2,0\n\n1,red,0\n", "line 4: the column 'b' holds 'red', which is not a number"),
        ("a,b,y\n1,,0\n", "line 2: the column 'b' is empty"),
        ("a,b,y\n1,nan,0\n", "line 2: the column 'b' is nan"),
        ("a,b,y\n1,2,0\n-inf,2,0\n", "line 3: the column 'a' is -inf"),
        ("a,y\n1,0\n1,\n", "line 3: the label is empty"),
        ('a,y\n1,"0"x\n', "line 2: "),
        (b"a,y\n1,\xff\xfe\n", "is not UTF-8 text"),
    ],
)
def test_table_complaints(write, text, message):
    path = write("bad.csv", text)
    told = complaint(path)
    assert message in told
    assert str(path) in told


def test_table_complaints_about_options(write):
    path = write("a.csv", "a,b\n1,2\n")
    assert "has no column 'z' for the labels; its columns are a, b" in complaint(path, label_column="z")
    assert "leave zero_based out" in complaint(path, zero_based=True)


@pytest.mark.parametrize("name", ["a.csv.gz", "a.svm.gz"])
@pytest.mark.parametrize(
    "content", [b"not gzip", gzip.compress(b"a,y\n" + b"1,0\n" * 1000, mtime=0)[:-9]], ids=["noise", "cut short"]
)
def test_damaged_gzip(write, name, content):
    assert "is not a whole gzip file" in complaint(write(name, content))


def test_unknown_label_names_its_line(write):
    data = read_data(write("a.csv", "a,y\n1,cat\n\n2,cow\n"))
    data.check_known(np.array(["cat", "cow"]))
    with pytest.raises(ValueError, match=r"line 4: the label 'cow' is not a class of the model \(cat, dog\)"):
        data.check_known(np.array(["cat", "dog"]))


# --- cost matrices ----------------------------------------------------------------------------------------------------


def test_cost_matrix(write):
    classes = np.array(["a", "b"])
    expected = [[0.0, 2.0], [1.0, 0.0]]
    assert read_cost(write("c.csv", "0,2\n1,0\n"), classes).tolist() == expected
    assert read_cost(write("named.csv", ",b,a\nb,0,1\na,2,0\n"), classes).tolist() == expected
    assert read_cost(write("numbers.csv", ",7,3\n7,0,1\n3,2,0\n"), np.array([3, 7])).tolist() == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("0,1\n", "has 1 rows of costs for 2 classes"),
        ("0,1\n1\n", "line 2: there are 1 costs for 2 classes"),
        ("0,1\n1,x\n", "line 2: cost 2 is 'x'"),
        (",a,c\na,0,1\nc,1,0\n", "names the classes a, c on the left, but there are a, b"),
        (b"\xff\xfe", "is not a csv file of numbers"),
    ],
)
def test_cost_matrix_complaints(write, text, message):
    with pytest.raises(ValueError) as caught:
        read_cost(write("c.csv", text), np.array(["a", "b"]))
    assert message in str(caught.value)


def test_names_in_messages_stay_on_one_line():
    assert shortened(["a\nb", "c" * 50]) == "a b, " + "c" * 37 + "..."


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize(
    ("name", "text"), [("data.svmlight", "1 1:0.5\n2 2:1\n"), ("data.letor", "1 qid:1 1:0.5\n0 qid:1 2:1\n")]
)
def test_a_byte_order_mark_is_no_part_of_the_first_number(tmp_path, name, text, ending):
    found = []
    for mark in (b"", BOM_UTF8):
        path = tmp_path / (name + ending)
        content = mark + text.encode()
        path.write_bytes(gzip.compress(content) if ending else content)
        read = read_letor(path) if name == "data.letor" else read_data(path)
        found.append((read.X.toarray().tolist(), (read.grades if name == "data.letor" else read.labels).tolist()))
    assert found[0] == found[1]
    assert len(found[0][1]) == 2

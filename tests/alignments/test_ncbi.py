"""Matrices in the format of NCBI: Biopython and parasail read what we write."""

from __future__ import annotations

import numpy as np
import parasail
import pytest
from Bio.Align import substitution_matrices
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from maxmargin.alignments import read_matrix, write_matrix

LETTERS = "ACDE"


@given(arrays(np.float64, (4, 4), elements=st.floats(-50, 50, width=32)), st.booleans())
def test_biopython_and_parasail_read_it(tmp_path_factory, matrix, whole):
    path = tmp_path_factory.mktemp("ncbi") / "learned.txt"
    factor = write_matrix(path, matrix, LETTERS, whole=whole, largest=60, gaps=(-2.0, -0.5))
    biggest = np.abs(matrix).max()
    assert factor == (60 / biggest if whole and biggest else 1.0)
    expected = np.round(matrix * factor) if whole else matrix
    found, letters = read_matrix(path)
    assert letters == LETTERS
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    with open(path) as file:
        theirs = substitution_matrices.read(file)
    assert "".join(theirs.alphabet) == LETTERS
    np.testing.assert_allclose(np.array(theirs), expected, rtol=1e-5)
    if whole:
        read = parasail.Matrix(str(path))
        assert np.array_equal(read.matrix[:4, :4], expected)


def test_parasail_scores_with_it(tmp_path):
    path = tmp_path / "learned.txt"
    write_matrix(path, np.array([[4.0, -2.0, 1.0], [-1.0, 4.0, -3.0], [2.0, -3.0, 4.0]]), "ACD", largest=4)
    matrix = parasail.Matrix(str(path))
    assert parasail.nw_scan_16("CA", "AA", 20, 20, matrix).score == -2 + 4  # its second sequence takes the rows
    assert parasail.nw_scan_16("AA", "CA", 20, 20, matrix).score == -1 + 4


def test_biopythons_own_matrices_are_read(tmp_path):
    blosum = substitution_matrices.load("BLOSUM62")
    path = tmp_path / "blosum62"
    path.write_text(str(blosum))
    found, letters = read_matrix(path)
    assert letters == blosum.alphabet
    assert np.array_equal(found, np.array(blosum))


def test_the_gap_scores_are_in_the_header(tmp_path):
    path = tmp_path / "learned.txt"
    write_matrix(path, [[2.0]], "A", largest=10, gaps=(-3.0, -0.5))
    assert path.read_text().splitlines()[:2] == [
        "# Scores multiplied by 5",
        "# Gaps: -15 for the first position, -2 for each later one",
    ]


@pytest.mark.parametrize(
    ("matrix", "letters", "message"),
    [
        ([[1.0]], "AC", r"shape \(2, 2\), not \(1, 1\)"),
        ([[np.nan]], "A", "a finite number"),
        (np.eye(2), "AA", "different single characters"),
        (np.eye(2), ["A", "CC"], "different single characters, not 'CC'"),
        (np.eye(2), "A#", "different single characters, not '#'"),
    ],
)
def test_what_cannot_be_written_is_a_sentence(tmp_path, matrix, letters, message):
    with pytest.raises(ValueError, match=message):
        write_matrix(tmp_path / "matrix", matrix, letters)
    with pytest.raises(ValueError, match="largest must be at least 1"):
        write_matrix(tmp_path / "matrix", [[1.0]], "A", largest=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has 0 rows of scores and names 0 letters"),
        (" A C\nA 1 2\n", "has 1 rows of scores and names 2 letters"),
        (" A C\nC 1 2\n", "line 2 must have the letter 'A' and 2 numbers"),
        (" A C\nA 1\n", "line 2 must have the letter 'A' and 2 numbers"),
        (" A\nA one\n", "no number: 'A one'"),
        (" A\nA 1\nC 1\n", "line 3 is one too many"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(tmp_path, text, message):
    path = tmp_path / "matrix"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_matrix(path)

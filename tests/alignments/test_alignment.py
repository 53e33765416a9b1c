"""The forms of an alignment against each other, and against Biopython."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from Bio.Align import Alignment as BioAlignment
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.alignments import DNA, PROTEIN, Alignment, Alphabet
from maxmargin.alignments.alignment import checked_pairs


@st.composite
def alignments(draw, most=9):
    m, n = draw(st.integers(1, most)), draw(st.integers(1, most))
    size = draw(st.integers(0, min(m, n)))
    i = sorted(draw(st.permutations(range(m)))[:size])
    j = sorted(draw(st.permutations(range(n)))[:size])
    x = draw(st.text("ACGT", min_size=m, max_size=m))
    y = draw(st.text("ACGT", min_size=n, max_size=n))
    return x, y, Alignment(np.array([i, j]).T.reshape(-1, 2), (m, n))


@given(alignments())
def test_every_form_comes_back(case):
    x, y, alignment = case
    rows = alignment.gapped(x, y)
    assert (rows[0].replace("-", ""), rows[1].replace("-", "")) == (x, y)
    assert Alignment.from_gapped(*rows) == alignment
    assert Alignment.from_gapped(list(rows[0]), [None if a == "-" else a for a in rows[1]]) == alignment
    lengths = alignment.lengths
    assert Alignment.from_cigar(alignment.cigar()) == alignment
    assert Alignment.from_cigar(alignment.cigar(x, y), lengths) == alignment
    assert Alignment.from_cigar(alignment.cigar(clip=True), lengths, start=(0, alignment.start[1])) == alignment
    assert Alignment.from_pairs(list(alignment), *lengths) == alignment
    assert Alignment.from_pairs(alignment, *lengths) == alignment
    assert alignment.swapped().swapped() == alignment
    assert alignment.identity(x, y) == pytest.approx(np.mean([x[i] == y[j] for i, j in alignment] or [0]))
    assert [(i, j) for i, j in enumerate(alignment.partners().tolist()) if j >= 0] == list(alignment)
    assert pickle.loads(pickle.dumps(alignment)) == copy.deepcopy(alignment) == alignment
    assert hash(copy.deepcopy(alignment)) == hash(alignment)


@given(alignments())
def test_biopython_reads_the_rows(case):
    x, y, alignment = case
    rows = alignment.gapped(x, y)
    sequences, coordinates = BioAlignment.parse_printed_alignment([row.encode() for row in rows])
    assert [bytes(sequence).decode() for sequence in sequences] == [x, y]
    theirs = BioAlignment([x, y], coordinates)
    assert (theirs[0], theirs[1]) == rows
    indices = theirs.indices
    assert list(alignment) == [(int(i), int(j)) for i, j in indices.T if i >= 0 and j >= 0]
    assert np.array_equal(indices.T, alignment.columns())


def test_ends_may_be_left_out():
    alignment = Alignment([[2, 1], [4, 2]], (6, 5))
    assert alignment.gapped("ABCDEF", "uvwxy") == ("AB-CDEF--", "--uv-w-xy")
    assert alignment.gapped("ABCDEF", "uvwxy", ends=False) == ("CDE", "v-w")
    assert alignment.gapped([1, 2, 3, 4, 5, 6], "uvwxy", gap=None, ends=False) == ([3, 4, 5], ["v", None, "w"])
    assert alignment.cigar() == "2I1D1M1I1M1I2D"
    assert alignment.cigar(clip=True) == "2S1M1I1M1S"
    assert Alignment([], (3, 2)).gapped("ABC", "uv", ends=False) == ("", "")
    assert Alignment([], (3, 2)).cigar(clip=True) == "3S"
    assert Alignment.from_cigar("1H2S1M2P1N1M", start=(0, 3)) == Alignment([[2, 3], [3, 5]], (4, 6))
    assert Alignment.from_cigar("*", (2, 2)) == Alignment(np.empty((0, 2), dtype=int), (2, 2))


def test_rows_of_a_multiple_alignment_have_columns_of_gaps():
    assert Alignment.from_gapped("A.-CD", "-.xyz") == Alignment([[1, 1], [2, 2]], (3, 3))


def test_the_pictures():
    alignment = Alignment.from_gapped("ACD-EF", "ACWWE-")
    x, y = "ACDEF", "ACWWE"
    assert alignment.text(x, y).splitlines() == ["x 1 ACD-EF 5", "    ||. |", "y 1 ACWWE- 5"]
    scored = alignment.text(x, y, scores=np.arange(25.0).reshape(5, 5), width=3).splitlines()
    assert scored == ["x 1 ACD 3", "    ||:", "y 1 ACW 3", "", "x 4 -EF 5", "     |", "y 4 WE- 5"]
    page = alignment.html("<CDEF", y, scores=[1.0, 2.0, -2.0, 0.0], width=4)
    assert page.count("<span") == 8
    assert "&lt;" in page
    assert 'rgba(218,54,51,0.80)" title="-2"' in page
    assert "rgba(46,160,67,0.80)" in alignment.html(x, y)
    with pytest.raises(ValueError, match=r"Scores must have shape \(4,\), one per pair, or \(5, 5\).*not \(3,\)"):
        alignment.html(x, y, scores=[1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="width must be a positive integer"):
        alignment.text(x, y, width=0)


@pytest.mark.parametrize(
    ("pairs", "lengths", "message"),
    [
        ([[0, 1], [1, 1]], (3, 3), r"goes backwards: pair 1 is \(1, 1\) after \(0, 1\)"),
        ([[2, 0], [1, 1]], (3, 3), r"goes backwards: pair 1 is \(1, 1\) after \(2, 0\)"),
        ([[0, 3]], (3, 3), r"goes past the end: pair 0 is \(0, 3\).*0 to 2 and 0 to 2"),
        ([[-1, 0]], (3, 3), r"goes past the end: pair 0"),
        ([[0.0, 1.0]], (3, 3), r"whole numbers.*float64 of shape \(1, 2\)"),
        ([0, 1], (3, 3), r"rows \(i, j\).*shape \(2,\)"),
        ("AC-", (3, 3), r"Alignment\.from_gapped"),
        ([], (0, 3), "empty sequence x"),
        ([], (3, 0), "empty sequence y"),
    ],
)
def test_what_is_no_alignment_is_a_sentence(pairs, lengths, message):
    with pytest.raises(ValueError, match=message):
        Alignment(pairs, lengths)
    with pytest.raises(ValueError, match="The alignment of example 3 "):
        checked_pairs(pairs, lengths, "The alignment of example 3")


def test_other_errors_are_sentences():
    alignment = Alignment([[0, 0]], (2, 2))
    with pytest.raises(ValueError, match="lengths 2 and 2, and these have the lengths 2 and 3"):
        checked_pairs(alignment, (2, 3))
    with pytest.raises(ValueError, match=r"lengths 2 and 3, and the alignment is .* lengths 2 and 2; give the two"):
        alignment.gapped("AC", "ACG")
    with pytest.raises(ValueError, match="same length, not 2 and 3"):
        Alignment.from_gapped("AC", "A-C")
    with pytest.raises(ValueError, match="empty sequence y"):
        Alignment.from_gapped("AC", "--")
    with pytest.raises(ValueError, match="The CIGAR '3M2Q' must be"):
        Alignment.from_cigar("3M2Q")
    with pytest.raises(ValueError, match="goes to position 3 of x and 3 of y, and the lengths are 3 and 2"):
        Alignment.from_cigar("3M", (3, 2))


@given(st.text("ACGT", min_size=1), st.integers(0, 3))
def test_letters_become_numbers(text, extra):
    codes = DNA.encode(text)
    assert DNA.decode(codes) == text
    assert np.array_equal(DNA.encode(list(text)), codes)
    assert np.array_equal(DNA.encode(np.array(list(text))), codes)
    numbers = Alphabet.of([[30, 10], [20]])
    assert numbers.letters == (10, 20, 30)
    assert numbers.decode(numbers.encode(np.array([20, 10]))) == [20, 10]
    assert Alphabet("ACX", unknown="X").encode("A?é" + "C" * extra).tolist() == [0, 2, 2] + [1] * extra


@pytest.mark.parametrize(
    ("sequence", "message"),
    [
        ("ACB", r"Sequence y of example 4 has the letter 'B' at position 2.*alphabet 'ARNDC.*unknown="),
        ("aC", r"'a' at position 0.*capital letters only"),
        ("A-C", r"'-' at position 1.*take the gaps out"),
        (["A", "?"], r"'\?' at position 1"),
        ("Aé", r"'é' at position 1"),
        ("", "is empty"),
        ([], "is empty"),
    ],
)
def test_a_letter_outside_the_alphabet_is_a_sentence(sequence, message):
    with pytest.raises(ValueError, match=message):
        PROTEIN.encode(sequence, "Sequence y of example 4")


def test_alphabets_are_checked():
    with pytest.raises(ValueError, match="the letter 'A' twice"):
        Alphabet("ABA")
    with pytest.raises(ValueError, match="at least one letter"):
        Alphabet("")
    with pytest.raises(ValueError, match=r"unknown must be a letter of the alphabet 'AB', not 'X'"):
        Alphabet("AB", unknown="X")
    assert Alphabet("AB") == Alphabet(["A", "B"])
    assert len({Alphabet("AB"), Alphabet("AB"), Alphabet("AB", unknown="A")}) == 2

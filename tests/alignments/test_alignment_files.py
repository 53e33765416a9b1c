"""Files of alignments: what is written comes back, and Biopython reads the same."""

from __future__ import annotations

import gzip
import sys

import pytest
from Bio import Align, AlignIO
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.alignments import Alignment, MultipleAlignment, read_alignments, read_fasta, write_alignments
from maxmargin.alignments.formats import with_insertions

FAMILY = MultipleAlignment(["a", "b/1-4", "c"], ["AC-DEf", "A-.DE-", "-CWW--"])


@pytest.mark.parametrize("ending", [".fa", ".fasta.gz", ".sto", ".aln"])
def test_what_is_written_comes_back(tmp_path, ending):
    path = tmp_path / f"family{ending}"
    write_alignments(path, [FAMILY])
    (found,) = read_alignments(path, lower=True)
    rows = FAMILY.rows if "fa" in ending else tuple(row.replace(".", "-") for row in FAMILY.rows)
    assert (found.names, tuple(row.replace(".", "-") for row in found.rows)) == (
        FAMILY.names,
        tuple(row.replace(".", "-") for row in rows),
    )
    assert found.sequences == ("ACDEF", "ADE", "CWW")
    assert found.alignment(0, 1) == Alignment([[0, 0], [2, 1], [3, 2]], (5, 3))


def test_stockholm_has_many_and_marks_insertions(tmp_path):
    path = tmp_path / "families.sto"
    other = MultipleAlignment(["p", "q"], ["ACd", "AWd"])
    write_alignments(path, [FAMILY, other])
    first, second = read_alignments(path)
    assert len(first) == 3
    assert list(second.alignment(0, 1)) == [(0, 0), (1, 1)]
    assert list(second.alignment(0, 1, lower=True)) == [(0, 0), (1, 1), (2, 2)]


def test_biopython_reads_our_files(tmp_path):
    for ending, kind in ((".sto", "stockholm"), (".aln", "clustal"), (".fa", "fasta")):
        path = tmp_path / f"family{ending}"
        write_alignments(path, [FAMILY])
        theirs = AlignIO.read(path, kind)
        assert [record.id for record in theirs] == list(FAMILY.names)


@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(
            st.lists(st.tuples(st.text("ac", max_size=2), st.sampled_from("AC-")), min_size=n, max_size=n),
            min_size=1,
            max_size=4,
        )
    ),
    st.text("g", max_size=2),
)
def test_a3m_columns_are_what_biopython_makes_of_a2m(tmp_path_factory, rows, end):
    """The rows with dots are A2M, which Biopython reads with the same columns."""
    texts = ["A" + "".join(inserted + letter for inserted, letter in row) + end for row in rows]
    texts[0] = texts[0].replace("-", "A")  # the query, whose letters are the columns
    written = with_insertions(texts)
    assert len({len(row) for row in written}) == 1
    assert [row.replace(".", "") for row in written] == texts
    path = tmp_path_factory.mktemp("a3m") / "family.a3m"
    path.write_text("".join(f">s{number}\n{text}\n" for number, text in enumerate(texts)))
    (found,) = read_alignments(path)
    assert list(found.rows) == written
    write_alignments(path, [found])
    assert read_fasta(path)[1] == texts
    a2m = path.with_suffix(".a2m")
    a2m.write_text("".join(f">s{number}\n{row}\n" for number, row in enumerate(written)))
    theirs = Align.read(a2m, "a2m")
    states = theirs.column_annotations["state"]
    indices = theirs.indices
    for b in range(1, len(texts)):
        pairs = [
            (int(i), int(j)) for i, j, state in zip(indices[0], indices[b], states) if state == "D" and min(i, j) >= 0
        ]
        assert list(found.alignment(0, b)) == pairs


def test_pairs_are_drawn():
    assert FAMILY.pairs() == FAMILY.pairs(3) == [(0, 1), (0, 2), (1, 2)]
    assert FAMILY.pairs(2, seed=1) == FAMILY.pairs(2, seed=1)
    assert len(set(FAMILY.pairs(2))) == 2


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.fa", "ACGT\n", r"line 1: a FASTA file begins with '>'"),
        ("a.fa", ">a\n>b\nAC\n", "the record 'a' is empty"),
        ("a.fa", "", "has no records"),
        ("a.fa", ">a\nAC\n>b\nA\n", "rows of different lengths: 'a' has 2 columns and 'b' has 1"),
        ("a.fa", ">a\nAC\n>b\n--\n", "no letters in row 'b'"),
        ("a.a3m", ">a\nAC\n>b\nAcc\n", r"row 1 has 1 columns \(capital letters and '-'\), and the first row has 2"),
        ("a.sto", "nonsense\n", "no stockholm file that Biopython reads"),
        ("a.aln", "nonsense\n", "no clustal file that Biopython reads"),
        ("a.sto", "", "has no alignments"),
        ("a.xyz", "", "cannot be inferred from the name"),
    ],
)
def test_bad_files_are_sentences(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_alignments(path)


def test_other_errors_are_sentences(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="must be one of fasta, a3m, stockholm, clustal, not 'phylip'"):
        read_alignments(tmp_path / "a.fa", format="phylip")
    with pytest.raises(ValueError, match="holds one alignment, not 2"):
        write_alignments(tmp_path / "a.fa", [FAMILY, FAMILY])
    with pytest.raises(ValueError, match="2 names and 1 rows"):
        MultipleAlignment(["a", "b"], ["AC"])
    monkeypatch.setitem(sys.modules, "Bio", None)
    path = tmp_path / "a.sto.gz"
    with gzip.open(path, "wt") as file:
        file.write("# STOCKHOLM 1.0\n//\n")
    with pytest.raises(ValueError, match=r"Biopython: pip install 'maxmargin\[bio\]'"):
        read_alignments(path)

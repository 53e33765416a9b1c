"""Files of sequences and of alignments: FASTA and A3M, and through Biopython Stockholm and Clustal."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from os import PathLike, fspath
from typing import Any

from maxmargin.alignments.multiple import MultipleAlignment
from maxmargin.core.input_checks import quoted
from maxmargin.io.text import numbered_lines, text_writer

ALIGNMENT_FORMATS = ("fasta", "a3m", "stockholm", "clustal")
_ENDINGS = {
    ".fa": "fasta",
    ".fasta": "fasta",
    ".faa": "fasta",
    ".fna": "fasta",
    ".afa": "fasta",
    ".a3m": "a3m",
    ".sto": "stockholm",
    ".stk": "stockholm",
    ".stockholm": "stockholm",
    ".aln": "clustal",
    ".clustal": "clustal",
}
Path = str | PathLike[str]


def alignment_format(path: Path, format: str | None = None) -> str:
    """The format asked for, else the one that the file name says (before ``.gz``)."""
    name = fspath(path).lower().removesuffix(".gz")
    found = next((known for ending, known in _ENDINGS.items() if name.endswith(ending)), None)
    if (found if format is None else format) not in ALIGNMENT_FORMATS:
        raise ValueError(
            f"The format of {fspath(path)} must be one of {', '.join(ALIGNMENT_FORMATS)}"
            + (
                f" and cannot be inferred from the name (known endings: {', '.join(_ENDINGS)})."
                if format is None
                else f", not {quoted(format)}."
            )
        )
    return str(format or found)


def read_fasta(path: Path) -> tuple[list[str], list[str]]:
    """The names (up to the first space) and the letters of all records, gaps and case as they are."""
    return fasta_records((line for _, line in numbered_lines(path, "utf-8")), fspath(path))


def read_alignments(path: Path, *, format: str | None = None, lower: bool | None = None) -> list[MultipleAlignment]:
    """All alignments in a file: one in FASTA, A3M and Clustal, any number in Stockholm.

    Stockholm and Clustal are read by Biopython (``pip install 'maxmargin[bio]'``).

    Parameters
    ----------
    path : the file, gzipped or not
    format : ``'fasta'``, ``'a3m'``, ``'stockholm'`` or ``'clustal'``; None infers it from the file name
    lower : whether lower-case letters are aligned; None takes True for FASTA and Clustal, False for A3M and Stockholm
    """
    kind = alignment_format(path, format)
    aligned = kind in ("fasta", "clustal") if lower is None else lower
    if kind in ("fasta", "a3m"):
        names, rows = read_fasta(path)
        if not rows:
            raise ValueError(f"{fspath(path)} has no records: a FASTA file has lines that begin with '>'.")
        written = rows if kind == "fasta" else with_insertions(rows, fspath(path))
        return [MultipleAlignment(names, written, lower=aligned, name=fspath(path))]
    reader, text = _biopython(kind), "\n".join(line for _, line in numbered_lines(path, "utf-8"))
    try:
        found = list(reader.parse(io.StringIO(text), kind))
    except ValueError as error:
        raise ValueError(f"{fspath(path)} is no {kind} file that Biopython reads: {error}") from error
    if not found:
        raise ValueError(f"{fspath(path)} has no alignments.")
    return [
        MultipleAlignment(
            [record.id for record in one],
            [str(record.seq) for record in one],
            lower=aligned,
            name=fspath(path) if len(found) == 1 else f"Alignment {number} of {fspath(path)}",
        )
        for number, one in enumerate(found)
    ]


def write_alignments(path: Path, alignments: Sequence[MultipleAlignment], *, format: str | None = None) -> None:
    """Writes alignments: one in FASTA, A3M or Clustal, any number in Stockholm; rows stay as they are.

    A3M takes the columns of capital letters and of ``-`` as columns, all else as insertions.

    Parameters
    ----------
    path : the file; it is overwritten
    alignments : what to write
    format : as in ``read_alignments``
    """
    kind = alignment_format(path, format)
    if kind != "stockholm" and len(alignments) != 1:
        raise ValueError(f"A {kind} file holds one alignment, not {len(alignments)}; write Stockholm, or more files.")
    if kind in ("fasta", "a3m"):
        (one,) = alignments
        rows = one.rows if kind == "fasta" else [row.replace(".", "") for row in one.rows]
        text = "".join(f">{name}\n{row}\n" for name, row in zip(one.names, rows))
    else:
        buffer = io.StringIO()
        _biopython(kind).write([_records(one) for one in alignments], buffer, kind)
        text = buffer.getvalue()
    with text_writer(path) as file:
        file.write(text)


def with_insertions(rows: Sequence[str], name: str = "The alignment") -> list[str]:
    """Rows of A3M as rows of one length: gaps are written where other rows have insertions (lower-case letters)."""
    parts = [_between(row) for row in rows]
    for number, part in enumerate(parts):
        if len(part) != len(parts[0]):
            raise ValueError(
                f"{name} is no A3M: row {number} has {len(part) - 1} columns (capital letters and '-'), and the first "
                f"row has {len(parts[0]) - 1}."
            )
    widths = [max(map(len, inserted)) for inserted in zip(*([text for text, _ in part] for part in parts))]
    return ["".join(text.ljust(width, ".") + match for (text, match), width in zip(part, widths)) for part in parts]


def _between(row: str) -> list[tuple[str, str]]:
    """(insertion, column) pairs; the last column is empty."""
    found, inserted = [], ""
    for letter in row.replace(".", ""):
        if letter.islower():
            inserted += letter
        else:
            found.append((inserted, letter))
            inserted = ""
    return [*found, (inserted, "")]


def fasta_records(lines: Iterable[str], path: str) -> tuple[list[str], list[str]]:
    """Names and letters of the records in lines of FASTA; ``path`` begins the messages."""
    """The records of FASTA lines; ``path`` names the file in messages."""
    names: list[str] = []
    parts: list[list[str]] = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text.startswith(">"):
            names.append((text[1:].split(maxsplit=1) or [""])[0])
            parts.append([])
        elif text and not text.startswith(";") and not (text.startswith("#") and not parts):
            if not parts:
                raise ValueError(f"{path}, line {number}: a FASTA file begins with '>', not with {quoted(text, 30)}.")
            parts[-1].append("".join(text.split()))
    rows = ["".join(part) for part in parts]
    empty = next((at for at, row in enumerate(rows) if not row), None)
    if empty is not None:
        raise ValueError(f"{path}: the record {quoted(names[empty])} is empty; leave it out.")
    return names, rows


def _biopython(kind: str) -> Any:
    try:
        from Bio import AlignIO
    except ImportError as error:
        raise ValueError(
            f"{kind.capitalize()} files are read and written by Biopython: pip install 'maxmargin[bio]'."
        ) from error
    return AlignIO


def _records(alignment: MultipleAlignment) -> Any:
    from Bio import Align
    from Bio.Seq import Seq
    from Bio.SeqRecord import SeqRecord

    make: Any = Align.MultipleSeqAlignment
    return make([SeqRecord(Seq(row), id=name, description="") for name, row in zip(alignment.names, alignment.rows)])

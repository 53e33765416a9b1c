"""Columns of text, one token per line, with a blank line between sequences: the format of the CoNLL shared tasks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike, fspath
from typing import TypeAlias

from maxmargin.core.input_checks import quoted
from maxmargin.io.text import numbered_lines, starts_with_mark, text_writer

Token: TypeAlias = tuple[str, ...]

_DOCUMENT = "-DOCSTART-"  # begins the line that CoNLL-2003 has before each document
_BLANKS = re.compile(r"[ \t]+")


def iter_conll(
    path: str | PathLike[str],
    *,
    separator: str | None = None,
    comment: str | None = None,
    encoding: str = "utf-8",
    lines: list[int] | None = None,
) -> Iterator[list[Token]]:
    """Sequences of tokens one after the other, each token the tuple of its columns; the file is read as they are taken.
    Lines that start with ``-DOCSTART-`` count as blank.

    Parameters
    ----------
    path : the file; through gzip if its name ends in ``.gz``
    separator : what divides columns; None for any number of blanks and tabs (other white space belongs to the words)
    comment : lines that start with this are skipped; None for none, since ``#`` is also a word
    encoding : of the file, one in which lines end with the byte 10
    lines : a list to which the line of each token is appended, counted from 1
    """
    numbered = numbered_lines(path, encoding)
    return parse_conll(fspath(path), numbered, separator=separator, comment=comment, token_lines=lines)


def parse_conll(
    name: str,
    lines: Iterable[tuple[int, str]],
    *,
    separator: str | None = None,
    comment: str | None = None,
    token_lines: list[int] | None = None,
) -> Iterator[list[Token]]:
    """The same from numbered lines without their ends; ``name`` stands for the file in complaints.

    The number of each token's line is appended to ``token_lines``.
    """
    sequence: list[Token] = []
    columns, first = 0, ""
    for number, line in lines:
        if comment is not None and line.startswith(comment):
            continue
        if not line.strip(" \t") or line.startswith(_DOCUMENT):
            if sequence:
                yield sequence
                sequence = []
            continue
        token = _split(line, separator)
        if not columns:
            columns, first = len(token), line
        if len(token) != columns:
            count = "1 column" if len(token) == 1 else f"{len(token)} columns"
            raise ValueError(
                f"{name}, line {number} has {count}, the lines before have {columns}; give every token the same columns"
                f"{_about_comments(line, first)}."
            )
        sequence.append(token)
        if token_lines is not None:
            token_lines.append(number)
    if sequence:
        yield sequence
    if not columns:
        raise ValueError(f"{name} holds no sequences; each line must be a token, with blank lines between sequences.")


def read_conll(
    path: str | PathLike[str],
    *,
    separator: str | None = None,
    comment: str | None = None,
    encoding: str = "utf-8",
    lines: list[int] | None = None,
) -> list[list[Token]]:
    """All sequences of a file; see ``iter_conll``."""
    return list(iter_conll(path, separator=separator, comment=comment, encoding=encoding, lines=lines))


def split_labels(sequences: Iterable[list[Token]], column: int = -1) -> tuple[list[list[Token]], list[list[str]]]:
    """Tokens without one of their columns, the last by default, and that column."""
    X: list[list[Token]] = []
    Y: list[list[str]] = []
    for i, sequence in enumerate(sequences):
        width = len(sequence[0]) if sequence else 1
        if not -width <= column < width:
            raise ValueError(f"Sequence {i} has {width} columns and no column {column}; columns count from 0.")
        place = column % width
        X.append([token[:place] + token[place + 1 :] for token in sequence])
        Y.append([token[place] for token in sequence])
    return X, Y


def write_conll(
    path: str | PathLike[str],
    sequences: Iterable[Iterable[Sequence[str]]],
    *,
    separator: str = " ",
    encoding: str = "utf-8",
) -> None:
    """Writes sequences so that ``read_conll`` gives them back; with ``separator='\\t'``, pass it there too."""
    with text_writer(path, encoding) as file:
        for i, sequence in enumerate(sequences):
            width = 0
            for t, token in enumerate(sequence):
                _check(i, t, token, separator, width)
                width = len(token)
                file.write(separator.join(token) + "\n")
            if not width:
                raise ValueError(f"Sequence {i} is empty; leave it out, or give it at least one token.")
            file.write("\n")


def _about_comments(*lines: str) -> str:
    """Where the fault may be that a comment was taken for a token."""
    if not any(line.startswith("#") for line in lines):
        return ""
    return (
        ", and leave comments out: a line that starts with # is a token unless comment='#' is passed (--comment on "
        "the command line)"
    )


def _split(line: str, separator: str | None) -> Token:
    if separator is not None:
        return tuple(line.split(separator))
    if "\t" not in line and "  " not in line:
        return tuple(line.strip(" ").split(" "))
    return tuple(_BLANKS.split(line.strip(" \t")))


def _check(i: int, t: int, token: Sequence[str], separator: str, width: int) -> None:
    if isinstance(token, str):
        raise ValueError(f"Sequence {i}, token {t} is a string; give a tuple of columns.")
    if not token or (width and len(token) != width):
        raise ValueError(f"Sequence {i}, token {t} has {len(token)} columns; give every token the same columns.")
    for column, text in enumerate(token):
        forbidden = " \t\r\n" if separator == " " else separator + "\r\n"
        if not text or any(character in text for character in forbidden):
            raise ValueError(
                f"Sequence {i}, token {t}: column {column} is {quoted(text)}, which the file cannot hold; "
                "give text without white space, or another separator."
            )
    if token[0].startswith(_DOCUMENT):
        raise ValueError(f"Sequence {i}, token {t} starts with {_DOCUMENT}, which begins a document; leave it out.")
    if i == 0 and t == 0 and starts_with_mark(token[0]):
        raise ValueError(f"Sequence 0, token 0 starts with a byte order mark: {quoted(token[0])}; remove it.")

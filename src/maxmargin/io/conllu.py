"""CoNLL-U, the format of Universal Dependencies: a line per word, ten columns with tabs between, blank lines between
sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath

import numpy as np
import numpy.typing as npt

from maxmargin.core.input_checks import quoted
from maxmargin.io.text import numbered_lines

_COLUMNS = 10
_LEFT_OUT = re.compile(r"\d+-\d+|\d+\.\d+")  # the form of contracted words, and words that were not said


@dataclass(frozen=True, eq=False)
class Sentence:
    """The words of a sentence, and what is known of each: empty strings where the file has an underscore.

    ``heads[d - 1]`` is the number of the word above word ``d``, 0 for the root; None where the file has no heads.
    """

    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    heads: npt.NDArray[np.int32] | None
    relations: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.words)


def read_conllu(path: str | PathLike[str], *, encoding: str = "utf-8") -> list[Sentence]:
    """All sentences of a file, which may be a gzip archive; see ``iter_conllu``."""
    return list(iter_conllu(path, encoding=encoding))


def iter_conllu(path: str | PathLike[str], *, encoding: str = "utf-8") -> Iterator[Sentence]:
    """The sentences of a file, one after the other.

    Comments, the lines of contracted words (1-2) and of empty nodes (8.1) are left out: trees are over the words that
    are numbered 1, 2, ... Raises a ValueError with the number of the line where a line is not of the format, or a head
    is not a word of the sentence.
    """
    name = fspath(path)
    rows: list[tuple[int, list[str]]] = []
    empty = True
    for number, line in numbered_lines(path, encoding):
        if line.startswith("#"):
            continue
        if line.strip():
            empty = False
            columns = line.split("\t")
            if len(columns) != _COLUMNS:
                raise ValueError(
                    f"{name}, line {number} has {len(columns)} columns; CoNLL-U has {_COLUMNS}, with tabs between."
                )
            if _LEFT_OUT.fullmatch(columns[0]):
                continue
            if columns[0] != str(len(rows) + 1):
                raise ValueError(
                    f"{name}, line {number} is for word {quoted(columns[0])}; the next word has number {len(rows) + 1}."
                )
            rows.append((number, columns))
        elif rows:
            yield _sentence(name, rows)
            rows = []
    if rows:
        yield _sentence(name, rows)
    if empty:
        raise ValueError(f"{name} holds no sentences; each line must be a word, with blank lines between sentences.")


def _sentence(name: str, rows: list[tuple[int, list[str]]]) -> Sentence:
    columns = list(zip(*(columns for _, columns in rows)))
    words, lemmas, upos, xpos, relations = (_texts(columns[k], k == 1) for k in (1, 2, 3, 4, 7))
    return Sentence(words, lemmas, upos, xpos, _heads(name, rows), relations)


def _texts(column: Iterable[str], is_word: bool) -> tuple[str, ...]:
    return tuple(text if is_word or text != "_" else "" for text in column)


def _heads(name: str, rows: list[tuple[int, list[str]]]) -> npt.NDArray[np.int32] | None:
    given = [columns[6] for _, columns in rows]
    if all(head == "_" for head in given):
        return None
    for number, columns in rows:
        head = columns[6]
        if not (head.isascii() and head.isdigit() and len(head) < 9 and int(head) <= len(rows)) or head == columns[0]:
            raise ValueError(
                f"{name}, line {number} has the head {quoted(head)}; it must be 0 or another word of the sentence, up "
                f"to {len(rows)}."
            )
    return np.array([int(head) for head in given], dtype=np.int32)

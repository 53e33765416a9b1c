"""Lines of text files, with their numbers; files whose names end in ``.gz`` are gzip archives."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from typing import TextIO

from maxmargin.io.labelled import open_data

_BYTE_ORDER_MARK = "\ufeff"


def numbered_lines(path: str | PathLike[str], encoding: str) -> Iterator[tuple[int, str]]:
    """Lines without their ends, counted from 1; a byte order mark is dropped, a fault of encoding is a sentence."""
    name = fspath(path)
    with open_data(name) as file:
        for number, raw in enumerate(file, 1):
            try:
                line = raw.decode(encoding)
            except UnicodeDecodeError as error:
                raise ValueError(
                    f"{name}, line {number} is not {encoding} text ({error.reason}); convert it, or pass its encoding."
                ) from error
            if number == 1:
                line = line.removeprefix(_BYTE_ORDER_MARK)
            yield number, line.removesuffix("\n").removesuffix("\r")


@contextmanager
def text_writer(path: str | PathLike[str], encoding: str = "utf-8") -> Iterator[TextIO]:
    """A file to write text to, with ``\\n`` at the ends of lines on every system."""
    name = fspath(path)
    if name.lower().endswith(".gz"):
        with gzip.open(name, "wt", encoding=encoding, newline="\n") as archive:
            yield archive
    else:
        with open(name, "w", encoding=encoding, newline="\n") as file:
            yield file


def starts_with_mark(text: str) -> bool:
    """Whether a text would lose its first character at the start of a file."""
    return text.startswith(_BYTE_ORDER_MARK)

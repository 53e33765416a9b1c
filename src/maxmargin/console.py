"""Tables and lines on a terminal, and the same as plain text where there is none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

_PLAIN_WIDTH = 10_000  # never wrap text that a program or a file is going to read


def make_console(*, stderr: bool = False) -> Console:
    """A console that takes text literally; without colours, frames and wrapping where it is not a terminal."""
    literal: dict[str, Any] = {"stderr": stderr, "markup": False, "highlight": False, "emoji": False}
    console = Console(**literal)
    return console if console.is_terminal else Console(**literal, width=_PLAIN_WIDTH, color_system=None)


def print_table(
    console: Console, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, text_columns: int = 1
) -> None:
    """Prints rows under a title; the first ``text_columns`` columns are set left, the others, numbers, right."""
    table = Table(box=box.SIMPLE_HEAD if console.is_terminal else None, show_header=any(columns), pad_edge=False)
    for position, column in enumerate(columns):
        table.add_column(column, justify="left" if position < text_columns else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    if title:
        console.print(title, style="bold")
    console.print(table)


def number(value: float | None, digits: int = 6) -> str:
    """A number in few digits, or a dash for none."""
    return "-" if value is None else f"{value:.{digits}g}"

"""Tables and bars that the benchmarks print, and sections of pages of the documentation that they write."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

console = Console(width=150)


@dataclass(frozen=True)
class Bar:
    """A claim with the value found, the value asked for, and whether it holds."""

    claim: str
    value: str
    asked: str
    holds: bool


def new_table(title: str, columns: list[str]) -> Table:
    """An empty table: the first column to the left, numbers to the right."""
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left")
    return table


def print_bars(title: str, bars: list[Bar]) -> None:
    table = new_table(title, ["claim", "found", "asked", "holds"])
    for bar in bars:
        table.add_row(bar.claim, bar.value, bar.asked, "yes" if bar.holds else "[bold red]NO[/]")
    console.print(table)


def markdown_table(columns: list[str], rows: Iterable[list[str]]) -> str:
    """A table whose first column is aligned left and all others right."""
    lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def replace_section(page: Path, name: str, text: str) -> None:
    """Puts the text between the lines ``<!-- name -->`` and ``<!-- end of name -->`` of the page."""
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, found, rest = page.read_text().partition(start)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise SystemExit(f"{page} has no lines {start.strip()!r} and {end.strip()!r} to write between.")
    page.write_text(f"{before}{start}{text.strip()}\n{end}{after}")


def report_table(
    title: str, columns: list[str], rows: list[list[str]], note: str, page: Path | None, section: str
) -> None:
    """Prints a table and the note below it, and writes both into a section of the page, if there is one."""
    table = new_table(title, columns)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    console.print(note)
    if page is not None:
        replace_section(page, section, markdown_table(columns, rows) + "\n\n" + note)

"""Tables and bars that the benchmarks print."""

from __future__ import annotations

from dataclasses import dataclass

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

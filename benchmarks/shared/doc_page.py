"""Markdown for the documentation: tables, and sections of a page that a program writes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def table(columns: list[str], rows: Iterable[list[str]]) -> str:
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

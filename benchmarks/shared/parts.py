"""Benchmarks of several parts, each run in a fresh interpreter with one thread."""

from __future__ import annotations

import argparse
from typing import Any

from shared.harness import run_job, save
from shared.tables import Bar, console, new_table, print_bars

LIMIT = 7200.0


def main_of_parts(folder: str, parts: tuple[str, ...], description: str | None, arguments: list[str] | None) -> int:
    """The command line of ``benchmarks/<folder>/run.py``: calls ``run`` of the parts asked for, all by default.

    Returns
    -------
    0 if all bars hold, else 1
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(parts)}; all by default")
    parser.add_argument("--save", action="store_true", help=f"write benchmarks/results/{folder}_<part>.json")
    given = parser.parse_args(arguments)
    unknown = sorted(set(given.parts) - set(parts))
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; parts are {', '.join(parts)}")
    holds = True
    for part in given.parts or parts:
        found = run_job(f"{folder}.{part}", "run", {}, LIMIT)
        if found is None:
            console.print(f"{part}: not done after {LIMIT:.0f} s")
            return 1
        holds &= _show(part, found)
        if given.save:
            save(f"{folder}_{part}", found)
    return 0 if holds else 1


def _show(part: str, found: dict[str, Any]) -> bool:
    """A part answers ``bars`` (claim, value, asked, holds), and ``columns`` and ``rows``, or ``tables`` of (title,
    columns, rows)."""
    for title, columns, rows in found.get("tables") or [(part, found["columns"], found["rows"])]:
        table = new_table(title, columns)
        for row in rows:
            table.add_row(*map(str, row))
        console.print(table)
    bars = [Bar(*bar) for bar in found["bars"]]
    print_bars(f"{part}: bars", bars)
    return all(bar.holds for bar in bars)

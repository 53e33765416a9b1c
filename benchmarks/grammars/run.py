"""Parsing the sample of the Penn treebank, each part in a fresh interpreter with one thread.

table5    PCFG and structural SVMs with zero-one loss and with F1 loss, from tags: sentences of at most 10 words by
          cross validation, then those of at most 15; and the one-slack form with cache beside the n-slack form
features  sentences of at most 40 words: features of spans beside markovisation and parent annotation

Data come from the folder that the environment variable MAXMARGIN_DATA names.

python benchmarks/grammars/run.py [table5 ...] [--save]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from shared.harness import run_job, save
from shared.tables import Bar, console, new_table, print_bars

PARTS = {"table5": "grammars.table5", "features": "grammars.features"}
LIMIT = 7200.0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/grammars_<part>.json")
    given = parser.parse_args(arguments)
    unknown = sorted(set(given.parts) - PARTS.keys())
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; parts are {', '.join(PARTS)}")
    holds = True
    for part in given.parts or PARTS:
        found = run_job(PARTS[part], "run", {}, LIMIT)
        if found is None:
            console.print(f"{part}: not done after {LIMIT:.0f} s")
            return 1
        holds &= show(part, found)
        if given.save:
            save(f"grammars_{part}", found)
    return 0 if holds else 1


def show(part: str, found: dict[str, Any]) -> bool:
    """A part answers ``tables`` (title, columns, rows) and ``bars`` (claim, value, asked, holds)."""
    for title, columns, rows in found["tables"]:
        table = new_table(title, columns)
        for row in rows:
            table.add_row(*map(str, row))
        console.print(table)
    bars = [Bar(*bar) for bar in found["bars"]]
    print_bars(f"{part}: bars", bars)
    return all(bar.holds for bar in bars)


if __name__ == "__main__":
    sys.exit(main())

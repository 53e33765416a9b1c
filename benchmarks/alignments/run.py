"""Alignments, each part in a fresh interpreter with one thread.

speed     scores and paths of 10,000 pairs beside Biopython and parasail (extra bench)
training  AlignmentSVM on 2,000 pairs of length 200
homology  a homolog among decoys: table 4 and figure 2 of Tsochantaridis, Joachims, Hofmann and Altun (2005)
proteins  families of BAliBASE: learned scores beside BLOSUM62 in Biopython (extra bench)

Data come from the folder that the environment variable MAXMARGIN_DATA names.

python benchmarks/alignments/run.py [speed ...] [--save]
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

PARTS = {
    "speed": "alignments.speed",
    "training": "alignments.training",
    "homology": "alignments.homology",
    "proteins": "alignments.proteins",
}
LIMIT = 7200.0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/alignments_<part>.json")
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
            save(f"alignments_{part}", found)
    return 0 if holds else 1


def show(part: str, found: dict[str, Any]) -> bool:
    """A part answers ``columns``, ``rows`` and ``bars`` (claim, value, asked, holds)."""
    table = new_table(part, found["columns"])
    for row in found["rows"]:
        table.add_row(*map(str, row))
    console.print(table)
    bars = [Bar(*bar) for bar in found["bars"]]
    print_bars(f"{part}: bars", bars)
    return all(bar.holds for bar in bars)


if __name__ == "__main__":
    sys.exit(main())

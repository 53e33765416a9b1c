"""Classes in a taxonomy: table 1 of the paper in its shape, HiClass on the same splits, and a tree of 10,000 leaves.

Flat and hierarchical machines are trained with the zero-one and with the tree loss on 4 training rows per class (3
folds) and on 2 (5 folds). Ten random subsamples, each with all its folds as test parts; the standard error is that of
the ten, and a win is a difference of more than two standard errors of the differences. Settings are chosen by the
tree loss in cross validation within the training rows, for every method. One thread. Data come from the folder that
the environment variable MAXMARGIN_DATA names; the tree of 10,000 leaves is generated.

    python benchmarks/taxonomies/run.py [--part table|large] [--data ImCLEF07A] [--quick] [--write docs/taxonomies.md]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from shared.harness import run_job, save
from shared.tables import Bar, console, print_bars, replace_section
from taxonomies.data import DATA, SIZES
from taxonomies.methods import METHODS
from taxonomies.report import large_bars, large_page, print_large, print_summary, summarise, table_bars, table_page

TOGETHER = 2  # subsamples to one interpreter
LARGE = {"rows": 100_000, "branching": [10, 10, 10, 10], "features": 10_000, "tol": 0.1}
SMALL = {"rows": 400, "branching": [3, 3, 3], "features": 200, "tol": 0.1}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=("table", "large"), help="one part only")
    parser.add_argument("--data", action="append", choices=DATA, help="may be given again; default all")
    parser.add_argument("--subsamples", type=int, default=10)
    parser.add_argument("--quick", action="store_true", help="generated data, two subsamples: a smoke test")
    parser.add_argument("--write", type=Path, help="page of the documentation to write the tables to")
    parser.add_argument("--name", default="taxonomy", help="name of the file under benchmarks/results")
    arguments = parser.parse_args()
    results: dict[str, Any] = {"quick": arguments.quick, "table": [], "large": None, "bars": []}
    bars: list[Bar] = []
    if arguments.part != "large":
        seeds = list(range(2 if arguments.quick else arguments.subsamples))
        for data in ["generated"] if arguments.quick else arguments.data or DATA:
            for per_class, folds in SIZES.items():
                results["table"].append(_table(data, per_class, folds, seeds, arguments.quick))
                bars += table_bars(results["table"][-1])
                save(arguments.name, results | {"bars": bars})
    if arguments.part != "table":
        results["large"] = run_job("taxonomies.fit", "large", SMALL if arguments.quick else LARGE, 7200.0)
        if results["large"] is None:
            raise SystemExit("The large tree took more than two hours.")
        print_large(results["large"])
        bars += large_bars(results["large"])
    print_bars("What was asked", bars)
    console.print(f"Saved as {save(arguments.name, results | {'bars': bars})}.")
    if arguments.write is not None:
        if results["table"]:
            replace_section(arguments.write, "benchmark of table 1", table_page(results["table"]))
        if results["large"]:
            replace_section(arguments.write, "benchmark of a large tree", large_page(results["large"]))


def _table(data: str, per_class: int, folds: int, seeds: list[int], quick: bool) -> dict[str, Any]:
    """All methods on one collection at one size of training sets."""
    methods = [name for name, method in METHODS.items() if not method.missing]
    runs: list[dict[str, Any]] = []
    for start in range(0, len(seeds), TOGETHER):
        job = {"data": data, "per_class": per_class, "folds": folds, "methods": methods, "quick": quick}
        found: Any = run_job("taxonomies.fit", "subsamples", job | {"seeds": seeds[start : start + TOGETHER]}, 7200.0)
        if found is None:
            raise SystemExit(f"Two subsamples of {data} took more than two hours.")
        runs += found
    summary = summarise(data, per_class, folds, runs)
    print_summary(summary)
    return summary


if __name__ == "__main__":
    main()

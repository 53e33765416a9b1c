"""Label vectors: MultilabelSVC beside one LinearSVC a label and chains of them, on four sets of Mulan, one thread.

C is chosen from a grid by the F1 of three folds of the training set, for all methods alike; rows that say so have the
default. Then one fit on the whole training set is timed, and the test set that Mulan gives is scored. Data
come from the folder that MAXMARGIN_DATA names.

    python benchmarks/multilabel.py [--quick] [--sets emotions,scene] [--write docs/multilabel.md]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from doc_page import replace_section
from doc_page import table as markdown_table
from harness import environment, run_job, save
from multilabel_fit import METHODS, NAMES
from tables import console, new_table

SETS = ("emotions", "scene", "enron", "medical")
COLUMNS = ["method", *NAMES, "C", "CPU s", "gap"]
LIMIT = 1800.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS), help="names, with commas between")
    parser.add_argument("--quick", action="store_true", help="a small generated set, two settings each: a smoke test")
    parser.add_argument("--write", type=Path, help="page of the documentation to write the tables to")
    parser.add_argument("--name", default="multilabel", help="name of the file under benchmarks/results")
    arguments = parser.parse_args()
    results: dict[str, Any] = {"quick": arguments.quick, "sets": {}}
    parts = []
    for name in ["generated"] if arguments.quick else arguments.sets.split(","):
        found = {}
        for method in METHODS:
            job = {"name": name, "method": method, "quick": arguments.quick}
            found[method] = run_job("multilabel_fit", "choose_and_test", job, LIMIT)
            console.print(f"{name}, {method}: {' '.join(_row(method, found[method])[1:])}")
            results["sets"][name] = found
            save(arguments.name, results)
        rows = [_row(method, one) for method, one in found.items()]
        title = _title(name, next(one for one in found.values() if one is not None))
        table = new_table(title, COLUMNS)
        for row in rows:
            table.add_row(*row)
        console.print(table)
        parts += [f"**{title}**", markdown_table(COLUMNS, rows)]
    if arguments.write is not None:
        replace_section(arguments.write, "benchmark of label vectors", "\n\n".join([*parts, _note()]))


def _title(name: str, one: dict[str, Any]) -> str:
    return (
        f"{name}: {one['train']:,} / {one['test']:,} examples, {one['features']:,} features, {one['labels']} labels, "
        f"{one['density']:.1f} of them set"
    )


def _row(method: str, found: dict[str, Any] | None) -> list[str]:
    if found is None:
        return [method, *["-"] * len(NAMES), "-", f"> {LIMIT:g}", "-"]
    gap = found["gap"]
    return [
        method,
        *(f"{100.0 * score:.2f}" for score in found["scores"]),
        f"{found['C']:.3g}",
        f"{found['cpu']:.2f}",
        "-" if gap is None else f"{100.0 * gap:.2f} %",
    ]


def _note() -> str:
    machine = environment()
    return (
        f"`python benchmarks/multilabel.py --write docs/multilabel.md` writes these tables; here with maxmargin "
        f"{machine['maxmargin']}, scikit-learn {machine['scikit-learn']}, one thread, {machine['processor']}, "
        f"{machine['date']}."
    )


if __name__ == "__main__":
    main()

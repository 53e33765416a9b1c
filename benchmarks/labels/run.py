"""Label vectors: MultilabelSVC beside one LinearSVC per label and chains of them, on four sets of Mulan, one thread.

C is chosen from a grid by the F1 of three folds of the training set, for all methods alike; rows that say so have the
default. Then one fit on the whole training set is timed, and the test set that Mulan gives is scored. Data
come from the folder that MAXMARGIN_DATA names.

    python benchmarks/labels/run.py [--quick] [--sets emotions,scene] [--write docs/multilabel.md]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from labels.fit import METHODS, NAMES
from shared.harness import RESULTS, environment, run_job, save
from shared.tables import console, markdown_table, new_table, replace_section

SETS = ("emotions", "scene", "medical", "enron")
COLUMNS = ["method", *NAMES, "C", "CPU s", "gap"]
LIMIT = 1800.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", help="names, with commas between; the others keep the results saved before")
    parser.add_argument("--quick", action="store_true", help="a small generated set, two settings each: a smoke test")
    parser.add_argument("--write", type=Path, help="page of the documentation to write the tables to")
    parser.add_argument("--name", default="multilabel", help="name of the file under benchmarks/results")
    arguments = parser.parse_args()
    saved = RESULTS / f"{arguments.name}.json"
    before = json.loads(saved.read_text())["sets"] if arguments.sets and saved.exists() else {}
    results: dict[str, Any] = {"quick": arguments.quick, "sets": before}
    wanted = (arguments.sets or ",".join(SETS)).split(",")
    for name in ["generated"] if arguments.quick else wanted:
        found = {}
        for method in METHODS:
            job = {"name": name, "method": method, "quick": arguments.quick}
            found[method] = run_job("labels.fit", "choose_and_test", job, LIMIT)
            console.print(f"{name}, {method}: {' '.join(_row(method, found[method])[1:])}")
            results["sets"][name] = found
            save(arguments.name, results)
    parts = []
    for name, found in sorted(results["sets"].items(), key=lambda item: (*SETS, "generated").index(item[0])):
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
        f"`python benchmarks/labels/run.py --write docs/multilabel.md` writes these tables; here with maxmargin "
        f"{machine['maxmargin']}, scikit-learn {machine['scikit-learn']}, one thread, {machine['processor']}, "
        f"{machine['date']}."
    )


if __name__ == "__main__":
    main()

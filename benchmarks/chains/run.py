"""Labelled sequences: ChainSVC and ChainCRF beside CRFsuite, Vowpal Wabbit and seqlearn, one thread, CPU seconds.

Every method starts from the same lists of strings and is measured in a process of its own: packing, training and
prediction apart. Ours run with their defaults; the settings of the others are the best of a grid on a held-out part of
the training data (the development part of EWT), never on the test part. The choice is kept in
results/chain_choices.json and used again; --choose makes it anew. Scores and objectives come from the same functions
for all. Data come from the folder that the environment variable MAXMARGIN_DATA names.

    python benchmarks/chains/run.py [--data conll] [--quick] [--repeat 3] [--methods ChainSVC,'CRFsuite lbfgs']
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from chains.choice import choose
from chains.conll import CHOSEN_OF_OURS, conll
from chains.data import WORKLOADS, prepare
from chains.ewt import ewt
from chains.methods import METHODS, OURS
from chains.ocr import RIVALS_TRIED, ocr
from chains.report import print_tried
from shared.harness import save
from shared.tables import Bar, console, print_bars

PIECES = {"conll": conll, "ocr": ocr, "ocr-reverse": ocr, "ewt": ewt}
RIVALS = ("python-crfsuite", "vowpalwabbit", "seqlearn", "seqeval")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", action="append", choices=list(WORKLOADS), help="may be given again; default all")
    parser.add_argument("--methods", help="names of the methods, with commas between; default all that are installed")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the median is taken, where they are short")
    parser.add_argument("--choose", action="store_true", help="choose the settings anew")
    parser.add_argument("--quick", action="store_true", help="few sequences, one run each, two settings: a smoke test")
    parser.add_argument("--name", default="chain", help="name of the file under benchmarks/results")
    arguments = parser.parse_args()
    methods = _methods(arguments.methods)
    print_tried(methods)
    results: dict[str, Any] = {"quick": arguments.quick, "rivals": _versions(), "workloads": [], "bars": []}
    bars: list[Bar] = []
    for name in arguments.data or WORKLOADS:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            facts = prepare(name, folder, arguments.quick)
            chosen = choose(folder, facts, _chosen(name, methods), arguments.quick, arguments.choose)
            found, asked = PIECES[name](folder, facts, chosen, 1 if arguments.quick else arguments.repeat)
        results["workloads"].append(facts | {"chosen": chosen, **found})
        bars += asked
        save(arguments.name, results | {"bars": bars})
    print_bars("What was asked", bars)
    if arguments.quick:
        console.print("The bars are meant for the full size; on few sequences they only show that the program works.")
    console.print(f"Saved as {save(arguments.name, results | {'bars': bars})}.")


def _methods(names: str | None) -> list[str]:
    """The methods asked for, ours always first; a rival that is asked for by name must be installed."""
    asked = [] if names is None else [name.strip() for name in names.split(",")]
    wanted = list(METHODS) if names is None else [*OURS, *(name for name in asked if name not in OURS)]
    unknown = [name for name in wanted if name not in METHODS]
    if unknown:
        raise SystemExit(f"There is no method {unknown[0]!r}; choose from {', '.join(METHODS)}.")
    if names is not None:
        for name in wanted:
            if METHODS[name].missing():
                raise SystemExit(f"{name}: {METHODS[name].missing()}; see the extra 'bench' in pyproject.toml.")
    return [name for name in wanted if not METHODS[name].missing()]


def _chosen(name: str, methods: list[str]) -> list[str]:
    """The methods that a piece runs at settings which the held-out part chooses."""
    if PIECES[name] is ocr:
        return [method for method in methods if method in RIVALS_TRIED]
    kept = CHOSEN_OF_OURS if PIECES[name] is conll else ()
    return [method for method in methods if method not in OURS or method in kept]


def _versions() -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for package in RIVALS:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


if __name__ == "__main__":
    main()

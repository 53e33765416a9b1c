"""Measures of whole samples: MeasureSVC beside LinearSVC, one thread.

Part ``quality``: F1, PRBEP and ROC area on test rows, each class against the rest, macro averages, beside table 1 of
Joachims, Hofmann, Yue and Yu (2009); settings by cross validation on the training rows. Part ``speed``: the
error rate against LinearSVC to the same objective. Part ``oracle``: one call of the oracle of each measure at three
sizes. Part ``planes``: table 2 of Joachims, Finley and Yu (2009) in its shape. Data come from the folder that the
environment variable MAXMARGIN_DATA names.

    python benchmarks/measures/run.py [--quick] [--part quality] [--data optdigits] [--write docs/measures.md]

With ``--data`` the other sets of the quality part keep the results of the last run.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from measures.data import SETS
from measures.report import PAGES, TABLES, bars_of
from shared.harness import RESULTS, run_job, save
from shared.tables import Bar, console, print_bars, replace_section

PARTS = ("quality", "speed", "oracle", "planes")
LIMIT = 4 * 3600.0
SPEED = (("covertype", None, 0.01), ("covertype", None, 1.0), ("texts 50000", 500_000, 0.1))
TOLERANCES = {"auto": [3e-4], "LinearSVC": [1.0, 0.3, 0.1, 0.03, 0.01]}
ORACLE_SIZES = (50_000, 150_000, 500_000)
ORACLE_MEASURES = ["error_rate", "f1", "roc_area", "prbep", "average_precision", "mcc"]
PLANES = (("covertype", 1.0), ("texts 50000", 1.0), ("texts 10000 rare", 1.0))
PLANES_ROWS, SVC_ROWS = 100_000, 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", action="append", choices=PARTS, help="may be given again; default all")
    parser.add_argument("--data", action="append", choices=SETS, help="sets of the quality part; default all")
    parser.add_argument("--quick", action="store_true", help="small generated sets: a smoke test")
    parser.add_argument("--write", type=Path, help="page of the documentation to write the tables to")
    parser.add_argument("--saved", action="store_true", help="run nothing, show and write what the last run saved")
    parser.add_argument("--name", default="measures", help="file under benchmarks/results; each part has its own")
    arguments = parser.parse_args()
    bars: list[Bar] = []
    for part in arguments.part or PARTS:
        file = f"{arguments.name}_{part}"
        if arguments.saved:
            found = _saved(file, arguments.quick)
            if found is None:
                continue
        elif part == "quality":
            found = (_saved(file, arguments.quick) or {}) if arguments.data else {}
            for name in arguments.data or SETS:
                found[name] = _quality(name, arguments.quick)
                save(file, {"quick": arguments.quick, "found": found})
        else:
            found = _run(part, arguments.quick)
        own = bars_of(part, found)
        if not arguments.saved:
            console.print(f"Saved as {save(file, {'quick': arguments.quick, 'found': found, 'bars': own})}.")
        for table in TABLES[part](found):
            console.print(table)
        bars += own
        if arguments.write is not None:
            replace_section(arguments.write, f"benchmark, {part}", PAGES[part](found))
    print_bars("What was asked", bars)


def _saved(file: str, quick: bool) -> Any:
    """What the last run found, or None."""
    path = RESULTS / f"{file}.json"
    last = json.loads(path.read_text()) if path.exists() else {"quick": None}
    return last["found"] if last["quick"] is quick else None


def _quality(name: str, quick: bool) -> dict[str, Any]:
    methods = ("LinearSVC", "MeasureSVC", "defaults")
    return {m: _job("measures.quality", "test_all", name=name, method=m, quick=quick) for m in methods}


def _run(part: str, quick: bool) -> Any:
    if part == "speed":
        return [_speed(name, 2_000 if quick else n, C, quick) for name, n, C in SPEED]
    if part == "oracle":
        sizes = [n // 100 for n in ORACLE_SIZES] if quick else ORACLE_SIZES
        return {
            str(n): _job("measures.speed", "oracle_calls", n=n, words=50_000, measures=ORACLE_MEASURES, repeat=5)
            for n in sizes
        }
    return [_planes(name, C, quick) for name, C in PLANES]


def _speed(name: str, n: int | None, C: float, quick: bool) -> dict[str, Any]:
    given = {"name": name, "C": C, "n": n, "quick": quick}
    precise = _job("measures.speed", "fit", method="auto", tols=[1e-6], **given)[0]
    repeat = 1 if quick else 3
    runs = {m: _job("measures.speed", "fit", method=m, tols=t, repeat=repeat, **given) for m, t in TOLERANCES.items()}
    best = min(run["objective"] for run in [precise, *runs["auto"], *runs["LinearSVC"]])
    return {"data": name, "C": C, "rows": precise["rows"], "best": best, "runs": runs}


def _planes(name: str, C: float, quick: bool) -> dict[str, Any]:
    rows, few = (2_000, 1_000) if quick else (PLANES_ROWS, SVC_ROWS)
    given = {"name": name, "C": C, "quick": quick}
    return {
        "data": name,
        "C": C,
        "one-slack": _job("measures.speed", "fit", method="one-slack", tols=[1e-3], n=rows, **given)[0],
        "auto": _job("measures.speed", "fit", method="auto", tols=[1e-3], n=rows, **given)[0],
        "one-slack, few": _job("measures.speed", "fit", method="one-slack", tols=[1e-3], n=few, **given)[0],
        "auto, few": _job("measures.speed", "fit", method="auto", tols=[1e-3], n=few, **given)[0],
        "SVC, few": _job("measures.speed", "fit", method="SVC", tols=[1e-3], n=few, **given)[0],
    }


def _job(module: str, function: str, **arguments: Any) -> Any:
    found = run_job(module, function, arguments, LIMIT)
    if found is None:
        raise SystemExit(f"{function} took more than {LIMIT / 3600:.0f} hours with {arguments}.")
    return found


if __name__ == "__main__":
    main()

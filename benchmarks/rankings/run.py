"""Rankings: RankingSVM beside LambdaMART and pointwise ridge regression on LETOR MQ2008, five folds, one thread.

Each fold trains, validates and tests on the parts that LETOR gives it. Settings are the best of a grid by MAP on the
validation part, the custom of the LETOR baselines; those without a grid have their defaults. Scores are those of
LETOR's own evaluation program (score.py). CPU seconds are those of one fit at the chosen setting. Then how the
search for swapped pairs grows with the number of documents. Data come from the folder that MAXMARGIN_DATA names.

    python benchmarks/rankings/run.py [--quick] [--methods 'RankingSVM, NDCG@10',...] [--write docs/ranking.md]
"""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np
import numpy.typing as npt
from scipy.stats import wilcoxon

from rankings.growth import growth
from rankings.methods import METHODS
from rankings.score import NAMES
from shared.harness import environment, run_job, save
from shared.tables import Bar, console, markdown_table, new_table, print_bars, replace_section

Floats = npt.NDArray[np.float64]

RIVAL = "LambdaMART (LightGBM)"
SECONDS_BAR = 3.0
CHOSEN_BY = NAMES.index("MAP")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", help="names, with ; between; default all whose packages are installed")
    parser.add_argument("--quick", action="store_true", help="one fold, two settings each: a smoke test")
    parser.add_argument("--write", type=Path, help="page of the documentation to write the tables to")
    parser.add_argument("--name", default="ranking", help="name of the file under benchmarks/results")
    arguments = parser.parse_args()
    folds = [1] if arguments.quick else [1, 2, 3, 4, 5]
    results: dict[str, Any] = {"quick": arguments.quick, "lightgbm": _version(), "methods": {}, "bars": []}
    bars: list[Bar] = []
    for name in _wanted(arguments.methods):
        runs = [_run(name, fold, arguments.quick) for fold in folds]
        results["methods"][name] = {"folds": runs, **_summary(runs)}
        console.print(f"{name}: {_line(results['methods'][name])}")
        save(arguments.name, results)
    _compare(results["methods"])
    _print(results["methods"])
    for name, found in results["methods"].items():
        if name.startswith("RankingSVM"):
            slowest = max(run["cpu"] for run in found["folds"])
            bars.append(
                Bar(
                    f"{name}: CPU s of the slowest fold",
                    f"{slowest:.2f}",
                    f"<= {SECONDS_BAR:g}",
                    slowest <= SECONDS_BAR,
                )
            )
    results["growth"] = growth(arguments.quick, bars)
    print_bars("What was asked", bars)
    console.print(f"Saved as {save(arguments.name, results | {'bars': bars})}.")
    if arguments.write is not None:
        replace_section(arguments.write, "benchmark on MQ2008", _page(results))


def _wanted(names: str | None) -> list[str]:
    if names is None:
        return [name for name, method in METHODS.items() if not method.missing]
    wanted = [name.strip() for name in names.split(";")]
    for name in wanted:
        if name not in METHODS:
            raise SystemExit(f"There is no method {name!r}; choose from {'; '.join(METHODS)}.")
        if METHODS[name].missing:
            raise SystemExit(f"{name} needs {METHODS[name].needs}; see the extra 'bench' in pyproject.toml.")
    return wanted


def _run(name: str, fold: int, quick: bool) -> dict[str, Any]:
    found = run_job("rankings.fit", "choose_and_test", {"name": name, "fold": fold, "quick": quick}, 3600.0)
    if found is None:
        raise SystemExit(f"{name} took more than an hour on fold {fold}.")
    return found


def _summary(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over the folds of each fold's mean over its queries, as LETOR reports them."""
    means = [np.nanmean(np.array(run["test"], dtype=np.float64), axis=0) for run in runs]
    return {"scores": np.mean(means, axis=0).tolist(), "cpu": float(np.mean([run["cpu"] for run in runs]))}


def _compare(methods: dict[str, Any]) -> None:
    """The signed-rank test of each method against the rival on the average precision of the test queries."""
    if RIVAL not in methods:
        return
    other = _of_queries(methods[RIVAL])
    for name, found in methods.items():
        own = _of_queries(found)
        found["p_against_rival"] = None if name == RIVAL or (own == other).all() else float(wilcoxon(own, other).pvalue)


def _of_queries(found: dict[str, Any]) -> Floats:
    return np.concatenate([np.array(run["test"], dtype=np.float64)[:, CHOSEN_BY] for run in found["folds"]])


def _line(found: dict[str, Any]) -> str:
    return (
        ", ".join(f"{name} {100 * value:.2f}" for name, value in zip(NAMES, found["scores"]))
        + f", {found['cpu']:.2f} s"
    )


def _row(name: str, found: dict[str, Any]) -> list[str]:
    p = found.get("p_against_rival")
    chosen = "; ".join(_setting(run["setting"]) for run in found["folds"])
    return [
        name,
        *(f"{100 * s:.2f}" for s in found["scores"]),
        f"{found['cpu']:.3f}",
        "-" if p is None else f"{p:.1g}",
        chosen,
    ]


def _setting(setting: dict[str, Any]) -> str:
    return " ".join(f"{value:g}" for value in setting.values()) or "-"


COLUMNS = ["method", *NAMES, "CPU s", "p", "chosen on the validation parts"]


def _print(methods: dict[str, Any]) -> None:
    table = new_table("MQ2008, test parts of the five folds, percent", COLUMNS)
    for name, found in methods.items():
        table.add_row(*_row(name, found))
    console.print(table)


def _page(results: dict[str, Any]) -> str:
    machine = environment()
    rows = [_row(name, found)[:-1] for name, found in results["methods"].items()]
    grown = results["growth"]
    sizes = [
        [f"{n:,}", f"{1e3 * fast:.2f}", "-" if slow is None else f"{1e3 * slow:,.0f}"]
        for n, fast, slow in zip(grown["sizes"], grown["sorting"], grown["listing"])
    ]
    return "\n\n".join(
        [
            markdown_table(COLUMNS[:-1], rows),
            f"A search for swapped pairs among the documents of one query with {grown['grades']} grades, "
            "CPU milliseconds; "
            f"the slope of log time over log n is {grown['slope']:.2f}:",
            markdown_table(["documents", "by sorting", "all pairs"], sizes),
            f"`python benchmarks/rankings/run.py --write docs/ranking.md` writes these tables; here with maxmargin "
            f"{machine['maxmargin']}, LightGBM {results['lightgbm']}, one thread, {machine['processor']}, "
            f"{machine['date']}.",
        ]
    )


def _version() -> str | None:
    try:
        return version("lightgbm")
    except PackageNotFoundError:
        return None


if __name__ == "__main__":
    main()

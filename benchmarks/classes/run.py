"""Crammer-Singer training: our solvers beside scikit-learn's LinearSVC (LIBLINEAR), one thread, whole ``fit``.

Each method runs at the loosest tolerance of its grid that comes within 0.1 % of the best known optimum; the objective
of each is computed from its weights by one function. Then how the time grows with the number of examples, and how
many planes the 1-slack form holds. Data come from the folder that the environment variable MAXMARGIN_DATA names.

    python benchmarks/classes/run.py [--quick] [--data covtype] [--solvers auto,one-slack] [--repeat 3]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np

from classes.data import WORKLOADS, prepare
from classes.report import memory_bar, print_asked, print_methods, print_planes, print_slopes
from classes.search import FULL, QUICK, RIVAL, Limits, Outcome, fit, reference, search
from shared.harness import save
from shared.tables import Bar

OURS = ("auto", "one-slack", "n-slack")
SLOPE_BAR, PLANES_BAR = 1.15, 200
PAPER_C, PAPER_EPSILON = 1e7, 0.1  # of the 1-slack experiments; the paper's loss is 100 and its C is divided by n


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--data", action="append", choices=list(WORKLOADS), help="workload, may be given again; default all"
    )
    parser.add_argument("--solvers", default=",".join(OURS), help="our solvers, by name, with commas between")
    parser.add_argument("--repeat", type=int, default=3, help="fits of which the median is taken")
    parser.add_argument("--quick", action="store_true", help="fewer rows, one fit each, short limits: a smoke test")
    parser.add_argument("--no-growth", action="store_true", help="leave out the growth with n and the planes")
    parser.add_argument("--name", default="multiclass", help="name of the file under benchmarks/results")
    arguments = parser.parse_args()
    limits, repeat = (QUICK, 1) if arguments.quick else (FULL, arguments.repeat)
    results: dict[str, Any] = {"quick": arguments.quick, "repeat": repeat, "workloads": [], "growth": None, "bars": []}
    bars: list[Bar] = []
    for name in arguments.data or WORKLOADS:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            facts = prepare(name, folder, arguments.quick)
            results["workloads"].append(facts | {"runs": []})
            tolerances: dict[float, float] = {}
            for C in WORKLOADS[name].Cs:
                compared, outcomes = compare(folder, facts, C, arguments.solvers.split(","), limits, repeat)
                results["workloads"][-1]["runs"].append(compared)
                bars += check(facts, C, outcomes, compared["best"], WORKLOADS[name].factor)
                ours = next((outcome for outcome in outcomes if outcome.method != RIVAL and outcome.run), None)
                if ours is not None and ours.run is not None:
                    tolerances[C] = ours.run["tol"]
                save(arguments.name, results | {"bars": bars})
            if name == "covtype" and not arguments.no_growth:
                results["growth"] = growth(folder, facts, tolerances, limits, repeat, bars)
    print_asked(bars)
    if arguments.quick:
        print("The bars are meant for the full size; on few rows they only show that the program works.")
    print(f"Saved as {save(arguments.name, results | {'bars': bars})}.")


def compare(
    folder: Path, facts: dict[str, Any], C: float, solvers: list[str], limits: Limits, repeat: int
) -> tuple[dict[str, Any], list[Outcome]]:
    """Every method on one workload at one C; the table of it."""
    precise = reference(folder, C, limits)
    dense_bytes = 8 * facts["rows"] * facts["features"]
    outcomes = [search(folder, m, C, precise["objective"], limits, repeat, dense_bytes) for m in [*solvers, RIVAL]]
    reached = [run["objective"] for outcome in outcomes for run in outcome.tried]
    best = min([precise["objective"], *reached])
    print_methods(facts, C, outcomes, best, precise)
    runs = [{"close": o.close, "remark": o.remark, "cpu": o.cpu, "run": o.run, "tried": o.tried} for o in outcomes]
    return {
        "C": C,
        "best": best,
        "reference": precise,
        "methods": dict(zip([o.method for o in outcomes], runs)),
    }, outcomes


def check(facts: dict[str, Any], C: float, outcomes: list[Outcome], best: float, factor: float) -> list[Bar]:
    """The bars of one workload: the first of our solvers against LinearSVC."""
    ours, rival = outcomes[0], outcomes[-1]
    where = f"{facts['name']}, C = {C:g}" + (" (generated)" if facts["note"] else "")
    if ours.run is None or not ours.close:
        return [Bar(f"{where}: {ours.method} comes within 0.1 %", ours.remark, "yes", False)]
    ratio = rival.cpu / ours.cpu
    shown = f"{ratio:.1f}" if rival.close else f"{ratio:.1f} or more, LinearSVC is {rival.remark}"
    megabytes, allowed = ours.peak / 1e6, memory_bar(ours.run) / 1e6
    gap = ours.run["gap"]
    return [
        Bar(f"{where}: times faster than LinearSVC", shown, f">= {factor:g}", bool(ratio >= factor)),
        Bar(f"{where}: peak MB beyond X", f"{megabytes:.1f}", f"<= {allowed:.1f}", megabytes <= allowed),
        Bar(
            f"{where}: converged, gap known",
            f"{ours.run['status'].lower()}, gap {gap:.4g} ({gap / best:.2%})",
            "converged",
            ours.run["status"] == "CONVERGED",
        ),
    ]


def growth(
    folder: Path, facts: dict[str, Any], tolerances: dict[float, float], limits: Limits, repeat: int, bars: list[Bar]
) -> dict[str, Any]:
    """CPU time of ``auto`` at five sizes from a tenth to all rows, and the planes of the 1-slack form there."""
    sizes = [round(facts["rows"] * share) for share in np.logspace(-1, 0, 5)]
    found: dict[str, Any] = {"sizes": sizes, "slopes": {}, "planes": []}
    for C, tol in tolerances.items():
        runs = [fit(folder, limits, repeat=repeat, method="auto", C=C, tol=tol, rows=n) for n in sizes]
        seconds = [Outcome("auto", run, True).cpu for run in runs]
        slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
        found["slopes"][str(C)] = {"tol": tol, "seconds": seconds, "slope": slope, "runs": runs}
        bars.append(
            Bar(f"slope of log time over log n, C = {C:g}", f"{slope:.2f}", f"<= {SLOPE_BAR}", slope <= SLOPE_BAR)
        )
    print_slopes(sizes, found["slopes"])
    for n in sizes:
        C, tol = PAPER_C / (100 * n), PAPER_EPSILON / 100
        run = fit(folder, limits, method="one-slack", C=C, tol=tol, rows=n)
        found["planes"].append({"n": n, "C": C, "tol": tol, "run": run})
    print_planes(found["planes"])
    held = [int(item["run"]["planes"]) for item in found["planes"] if item["run"]]
    done = len(held) == len(sizes) and all(item["run"]["status"] == "CONVERGED" for item in found["planes"])
    holds = done and max(held) < PLANES_BAR
    shown = ", ".join(map(str, held)) + ("" if done else " (not all converged)")
    bars.append(Bar("planes held by the 1-slack form at every size", shown, f"< {PLANES_BAR}", holds))
    return found


if __name__ == "__main__":
    main()

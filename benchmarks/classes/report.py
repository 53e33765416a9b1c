"""Tables of the multiclass benchmark."""

from __future__ import annotations

import math
from typing import Any

from classes.search import GRIDS, RIVAL, Outcome
from shared.tables import Bar, console, new_table, print_bars


def memory_bar(run: dict[str, Any]) -> float:
    """Bytes that a fit may need beyond X: 0.3 times those of X and 4 times those of ``coef_``."""
    return float(0.3 * run["x_bytes"] + 4 * run["coef_bytes"])


def print_methods(
    facts: dict[str, Any], C: float, outcomes: list[Outcome], best: float, precise: dict[str, Any]
) -> None:
    """One line a method: its tolerance, time, ratio to LinearSVC, objective, gap, convergence and memory."""
    if facts["note"]:
        console.print(facts["note"])
    size = f"{facts['rows']:,} x {facts['features']:,}, {facts['classes']} classes"
    columns = [
        "method",
        "tol",
        "CPU s",
        "LinearSVC/it",
        "objective",
        "excess",
        "gap",
        "end",
        "peak MB",
        "bar MB",
        "remark",
    ]
    table = new_table(
        f"{facts['name']} ({size}), C = {C:g}; best known {best:.8g}, lower bound {precise['dual']:.8g}", columns
    )
    rival = next((o.cpu for o in outcomes if o.method == RIVAL), math.nan)
    for outcome in outcomes:
        run = outcome.run
        if run is None:
            table.add_row(outcome.method, *[""] * 9, outcome.remark)
            continue
        end = run.get("status", "warned" if run["warned"] else "ok").lower()
        table.add_row(
            outcome.method,
            f"{run['tol']:g}",
            f"{outcome.cpu:.3g}",
            f"{rival / outcome.cpu:.2f}",
            f"{run['objective']:.8g}",
            f"{run['objective'] / best - 1.0:.3%}",
            f"{run['gap']:.4g}" if run.get("gap") is not None else "-",
            end,
            f"{outcome.peak / 1e6:.1f}",
            f"{memory_bar(precise) / 1e6:.1f}",
            outcome.remark,
        )
    console.print(table)


def print_slopes(sizes: list[int], slopes: dict[str, Any]) -> None:
    table = new_table("CPU seconds of auto over the rows of covtype", ["C", "tol", *[f"{n:,}" for n in sizes], "slope"])
    for C, item in slopes.items():
        table.add_row(C, f"{item['tol']:g}", *[f"{s:.3g}" for s in item["seconds"]], f"{item['slope']:.3f}")
    console.print(table)


def print_planes(items: list[dict[str, Any]]) -> None:
    table = new_table(
        "1-slack form at the paper's C = 1e7, epsilon = 0.1 (loss 100, C/n)",
        ["rows", "C", "tol", "planes held", "rounds", "CPU s", "end"],
    )
    for item in items:
        run = item["run"]
        shown = (
            [str(run["planes"]), str(run["n_iter"]), f"{run['measurements'][0]['cpu']:.3g}", run["status"].lower()]
            if run
            else ["", "", "", "ended"]
        )
        table.add_row(f"{item['n']:,}", f"{item['C']:.4g}", f"{item['tol']:g}", *shown)
    console.print(table)


def print_asked(bars: list[Bar]) -> None:
    grids = "; ".join(f"{name}: {', '.join(f'{tol:g}' for tol in grid)}" for name, grid in GRIDS.items())
    print_bars(f"What was asked (tolerances tried, {grids})", bars)

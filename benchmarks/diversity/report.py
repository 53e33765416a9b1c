"""Tables of the diversity benchmark, on the terminal and in the documentation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from diversity.data import K
from shared.harness import environment
from shared.tables import Bar, console, markdown_table, new_table, replace_section

SHOWN = (1, 2, 3, 5, 7, 10)


def rows_of(found: dict[str, Any]) -> list[list[str]]:
    """Method, loss at k, p of the signed-rank test, sets won and lost; then the curve."""
    rows = []
    for name, method in found["methods"].items():
        losses, test = np.array(method["losses"]).mean(axis=1), method.get("test")
        compared = [_probability(test["p"]), f"{test['better']} : {test['worse']}"] if test else ["", ""]
        rows.append([name, f"{losses[K - 1]:.3f}", *compared, *(f"{losses[k - 1]:.3f}" for k in SHOWN)])
    return rows


def columns() -> list[str]:
    return ["method", f"loss, k = {K}", "p", "better : worse", *(f"k = {k}" for k in SHOWN)]


def title(found: dict[str, Any]) -> str:
    train, test = found["sets"]
    return f"{found['name']}: {train} training sets, {test} test sets of {found['documents']} documents"


def print_workload(found: dict[str, Any]) -> None:
    shown = new_table(f"{title(found)}; mean weighted share of subtopics left out", columns())
    for row in rows_of(found):
        shown.add_row(*row)
    console.print(shown)
    for name, method in found["methods"].items():
        if "C" in method:
            tried = ", ".join(f"{C}: {loss:.3f}" for C, loss in method["held_out"].items())
            console.print(f"{name}: C = {method['C']:g} (held-out losses {tried}), {method['cpu']:.1f} CPU s")


def bars_of(found: dict[str, Any]) -> list[Bar]:
    bars = []
    for name, method in found["methods"].items():
        if "test" in method:
            test = method["test"]
            value = f"{test['gain']:+.3f}, p = {_probability(test['p'])}"
            holds = test["gain"] > 0.0 and test["p"] < 0.05
            bars.append(Bar(f"{found['name']}: less loss than {name}", value, "> 0, p < 0.05", holds))
    return bars


def write_page(page: Path, workloads: list[dict[str, Any]]) -> None:
    """Replaces the section of results."""
    parts = [f"{title(found)}.\n\n{markdown_table(columns(), rows_of(found))}" for found in workloads]
    where = environment()
    last = (
        f"`python benchmarks/diversity/run.py --write {page.parent.name}/{page.name}` writes these tables; here with "
        f"maxmargin {where['maxmargin']}, scikit-learn {where['scikit-learn']}, {where['date']}."
    )
    replace_section(page, "diversity results", "\n\n".join([*parts, last]))


def _probability(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else f"{p:.0e}"

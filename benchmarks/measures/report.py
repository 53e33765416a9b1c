"""Tables, bars and the page of the benchmark of measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table

from measures.quality import MEASURES
from shared.tables import Bar, markdown_table, new_table

CLOSE = 1e-3
TITLES = {"f1": "F1", "prbep": "PRBEP", "roc_area": "ROC area"}
PAPER = {  # table 1: structural SVM, conventional SVM
    "reuters": ((62.0, 68.2, 99.1), (56.1, 65.7, 98.6)),
    "optdigits": ((92.5, 92.7, 99.4), (91.5, 91.5, 99.4)),
    "covertype": ((73.8, 72.1, 94.6), (73.9, 71.0, 94.1)),
}
Rows = tuple[str, list[str], list[list[str]]]


def mean(found: dict[str, Any], method: str, measure: str, key: str = "score") -> float:
    """The macro average in percent."""
    return 100.0 * float(np.mean([one[key] for one in found[method]["measures"][measure].values()]))


def factor(found: dict[str, Any], measure: str) -> str:
    """By what the default C was multiplied, the same for all classes of a set."""
    one = next(iter(found["MeasureSVC"]["measures"][measure].values()))
    return one["setting"].partition("factor=")[2].partition(",")[0]


def quality(found: dict[str, Any]) -> list[Rows]:
    rows = []
    for name, both in found.items():
        ours = [f"{mean(both, 'MeasureSVC', measure):.1f}" for measure in MEASURES]
        alone = [f"{mean(both, 'MeasureSVC', measure, 'C alone'):.1f}" for measure in MEASURES]
        rival = [f"{mean(both, 'LinearSVC', measure):.1f}" for measure in MEASURES]
        classes = len(both["LinearSVC"]["sizes"])
        default = [f"{mean(both, 'defaults', measure):.1f}" for measure in MEASURES]
        seconds = [f"{both[method]['seconds']:.0f}" for method in ("defaults", "MeasureSVC", "LinearSVC")]
        rows += [
            [f"{name}, {classes} classes", "MeasureSVC, defaults", *default, seconds[0]],
            ["", "structural, tuned", *ours, seconds[1]],
            ["", "structural, C alone", *alone, ""],
            ["", "structural, its C over the default", *(factor(both, measure) for measure in MEASURES), ""],
            ["", "LinearSVC, C and class weight", *rival, seconds[2]],
        ]
        if name in PAPER:
            paper = [[f"{number:.1f}" for number in line] for line in PAPER[name]]
            rows += [["", "paper: structural SVM", *paper[0], ""], ["", "paper: SVM", *paper[1], ""]]
    columns = ["set", "method", *TITLES.values(), "CPU s of all fits"]
    return [("Test rows, macro average over the classes, percent", columns, rows)]


def loosest(runs: list[dict[str, Any]], best: float) -> dict[str, Any] | None:
    """The cheapest run that comes within 0.1 % of the best objective known."""
    close = [run for run in runs if run["objective"] <= best * (1.0 + CLOSE)]
    return min(close, key=lambda run: run["cpu"], default=None)


def speed(found: list[dict[str, Any]]) -> list[Rows]:
    rows = []
    for item in found:
        ours, rival = (loosest(item["runs"][method], item["best"]) for method in ("auto", "LinearSVC"))
        rows.append(
            [
                f"{item['data']}, {item['rows']:,} rows",
                f"{item['C']:g}",
                "-" if ours is None else f"{ours['cpu']:.2f}",
                "-" if rival is None else f"{rival['cpu']:.2f}",
                "-" if ours is None or rival is None else f"{rival['cpu'] / ours['cpu']:.1f}",
            ]
        )
    columns = ["data", "C", "MeasureSVC('error_rate')", "LinearSVC(loss='hinge')", "ratio"]
    return [("CPU seconds to within 0.1 % of the best objective", columns, rows)]


def oracle(found: dict[str, Any]) -> list[Rows]:
    sizes = list(found)
    rows = []
    for measure in found[sizes[0]]:
        seconds = [found[n][measure] for n in sizes]
        rows.append(
            [measure, *(f"{s:.3f}" for s in seconds), f"{_ratio(found, measure):.1f}", f"{_slope(found, measure):.2f}"]
        )
    columns = ["measure", *(f"{int(n):,} texts" for n in sizes), "times the error rate", "slope"]
    return [("One call of the oracle, CPU seconds; 50,000 words, 1 % positive", columns, rows)]


def _ratio(found: dict[str, Any], measure: str) -> float:
    last = found[list(found)[-1]]
    return float(last[measure] / last["error_rate"])


def _slope(found: dict[str, Any], measure: str) -> float:
    sizes = [int(n) for n in found]
    return float(np.polyfit(np.log(sizes), np.log([found[str(n)][measure] for n in sizes]), 1)[0])


def planes(found: list[dict[str, Any]]) -> list[Rows]:
    rows = []
    for item in found:
        for suffix in ("", ", few"):
            one, auto, svc = (item.get(f"{method}{suffix}") for method in ("one-slack", "auto", "SVC"))
            rows.append(
                [
                    item["data"],
                    f"{one['rows']:,}",
                    f"{one['cpu']:.2f}",
                    f"{one['planes']}",
                    f"{auto['cpu']:.2f}",
                    "-" if svc is None else f"{svc['cpu']:.1f}",
                ]
            )
    columns = ["data", "rows", "1-slack, CPU s", "planes", "auto, CPU s", "SVC(kernel='linear'), CPU s"]
    return [("MeasureSVC('error_rate') at tol = 1e-3, C = 1", columns, rows)]


_ROWS: dict[str, Callable[[Any], list[Rows]]] = {
    "quality": quality,
    "speed": speed,
    "oracle": oracle,
    "planes": planes,
}


def _console(rows: list[Rows]) -> list[Table]:
    tables = []
    for title, columns, lines in rows:
        tables.append(new_table(title, columns))
        for line in lines:
            tables[-1].add_row(*line)
    return tables


def _page(rows: list[Rows]) -> str:
    return "\n\n".join(f"{title}:\n\n{markdown_table(columns, lines)}" for title, columns, lines in rows)


TABLES = {part: lambda found, make=make: _console(make(found)) for part, make in _ROWS.items()}
PAGES = {part: lambda found, make=make: _page(make(found)) for part, make in _ROWS.items()}


def bars_of(part: str, found: Any) -> list[Bar]:
    """What a part was asked for."""
    bars = []
    if part == "quality":
        for name, both in found.items():
            for measure, allowed in (("f1", 0.0), ("prbep", 0.0), ("roc_area", 0.2)):
                ours, rival = mean(both, "MeasureSVC", measure), mean(both, "LinearSVC", measure)
                shown = f"{ours:.2f} against {rival:.2f}"
                bars.append(Bar(f"{name}: {TITLES[measure]}", shown, f">= -{allowed:g}", ours >= rival - allowed))
    elif part == "speed":
        for item in found:
            ours, rival = (loosest(item["runs"][method], item["best"]) for method in ("auto", "LinearSVC"))
            where = f"{item['data']}, C = {item['C']:g}: times faster than LinearSVC"
            if ours is None or rival is None:
                bars.append(Bar(where, "one of them did not come within 0.1 %", ">= 1", ours is not None))
            else:
                bars.append(Bar(where, f"{rival['cpu'] / ours['cpu']:.1f}", ">= 1", rival["cpu"] >= ours["cpu"]))
    elif part == "oracle":
        for measure in ("f1", "roc_area"):
            ratio, slope = _ratio(found, measure), _slope(found, measure)
            bars.append(
                Bar(f"{measure}: cost of a call, in calls of the error rate", f"{ratio:.1f}", "<= 10", ratio <= 10)
            )
            bars.append(Bar(f"{measure}: slope of log time over log n", f"{slope:.2f}", "<= 1.25", slope <= 1.25))
    return bars

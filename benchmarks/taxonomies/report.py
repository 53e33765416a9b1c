"""Means, standard errors and tables of the benchmark of taxonomies."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from shared.harness import environment
from shared.tables import Bar, console, markdown_table, new_table
from taxonomies.methods import FLAT, OURS, RIVAL

Floats = npt.NDArray[np.float64]
WAYS = {"by_class": "classes count alike", "by_row": "rows count alike"}
SECONDS_BAR, BYTES_BAR = 600.0, 4e9


def summarise(data: str, per_class: int, folds: int, runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Mean and standard error over subsamples of each number, and of its difference from the flat zero-one machine."""
    methods: dict[str, Any] = {}
    for name in runs[0]:
        own: dict[str, Any] = {"cpu": float(np.mean([run[name]["cpu"] for run in runs]))}
        for way in WAYS:
            for key in ("accuracy", "tree_loss"):
                values = _values(runs, name, way, key)
                gain = values - _values(runs, FLAT, way, key)
                own[f"{way} {key}"] = [*_mean(values), *_mean(gain)]
        if RIVAL in runs[0]:
            against = {
                way: _values(runs, RIVAL, way, "tree_loss") - _values(runs, name, way, "tree_loss") for way in WAYS
            }
            own["against_rival"] = {way: _mean(values) for way, values in against.items()}
        methods[name] = own
    return {"data": data, "per_class": per_class, "folds": folds, "methods": methods, "runs": runs}


def _values(runs: list[dict[str, Any]], name: str, way: str, key: str) -> Floats:
    return np.array([run[name][way][key] for run in runs], dtype=np.float64)


def _mean(values: Floats) -> tuple[float, float]:
    """The mean and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else float("nan")


def table_bars(summary: dict[str, Any]) -> list[Bar]:
    where = f"{summary['data']}, {summary['per_class']} rows per class"
    ours, bars = summary["methods"][OURS], []
    for way, told in WAYS.items():
        gain, error = -ours[f"{way} tree_loss"][2], ours[f"{way} tree_loss"][3]
        shown = f"{gain:+.4f} (se {error:.4f})"
        bars.append(
            Bar(f"{where}, {told}: tree loss that {OURS} saves {FLAT}", shown, "> 2 se", bool(gain > 2.0 * error))
        )
        if RIVAL in summary["methods"]:
            gain, error = ours["against_rival"][way]
            shown = f"{gain:+.4f} (se {error:.4f})"
            bars.append(
                Bar(f"{where}, {told}: tree loss that {OURS} saves {RIVAL}", shown, "> 2 se", bool(gain > 2.0 * error))
            )
    if RIVAL in summary["methods"]:
        ratio = summary["methods"][RIVAL]["cpu"] / ours["cpu"]
        bars.append(Bar(f"{where}: times faster to train than {RIVAL}", f"{ratio:.1f}", "> 1", bool(ratio > 1.0)))
    return bars


def _rows(summary: dict[str, Any]) -> list[list[str]]:
    """One row for each way of counting and number, one column for each method, as the paper has it."""
    found = []
    for way, told in WAYS.items():
        for key, name, scale, digits in (("accuracy", "acc", 100.0, 2), ("tree_loss", "tree loss", 1.0, 3)):
            cells = [own[f"{way} {key}"] for own in summary["methods"].values()]
            found.append(
                [f"{name}, {told}", *(f"{scale * c[0]:.{digits}f} ({scale * c[1]:.{digits}f})" for c in cells)]
            )
    found.append(["CPU ms of a fit", *(f"{1000.0 * own['cpu']:.1f}" for own in summary["methods"].values())])
    return found


def _title(summary: dict[str, Any]) -> str:
    return f"{summary['data']}, {summary['per_class']} training rows per class, {summary['folds']} folds"


def print_summary(summary: dict[str, Any]) -> None:
    table = new_table(f"{_title(summary)}; mean (standard error)", ["", *summary["methods"]])
    for row in _rows(summary):
        table.add_row(*row)
    console.print(table)


def table_page(summaries: list[dict[str, Any]]) -> str:
    parts = []
    for summary in summaries:
        parts += [
            f"**{_title(summary)}**",
            markdown_table(["", *summary["methods"]], _rows(summary)),
            _verdict(summary),
        ]
    return "\n\n".join([*parts, _made("table")])


def _verdict(summary: dict[str, Any]) -> str:
    """What the subsamples say about each machine beside the flat one, tree loss with classes alike."""
    told = []
    for name, own in summary["methods"].items():
        gain, error = -own["by_class tree_loss"][2], own["by_class tree_loss"][3]
        if name != FLAT:
            word = "a win" if gain > 2.0 * error else "a loss" if gain < -2.0 * error else "no difference"
            told.append(f"{name} {gain:+.3f} ({error:.3f}), {word}")
    return f"Tree loss saved beside {FLAT}, classes alike: {'; '.join(told)}."


def large_bars(found: dict[str, Any]) -> list[Bar]:
    where = f"{found['classes']:,} classes, {found['rows']:,} rows"
    return [
        Bar(f"{where}: CPU s to train", f"{found['cpu']:.0f}", f"<= {SECONDS_BAR:g}", found["cpu"] <= SECONDS_BAR),
        Bar(
            f"{where}: peak GB with the data",
            f"{(found['peak'] + found['data']) / 1e9:.2f}",
            f"<= {BYTES_BAR / 1e9:g}",
            found["peak"] + found["data"] <= BYTES_BAR,
        ),
        Bar(f"{where}: status", found["status"].lower(), "converged", found["status"] == "CONVERGED"),
    ]


def _large_rows(found: dict[str, Any]) -> list[list[str]]:
    return [
        ["classes, nodes with weights", f"{found['classes']:,}, {found['nodes']:,}"],
        ["rows, features, values a row", f"{found['rows']:,}, {found['features']:,}, {found['values_a_row']:.0f}"],
        ["CPU seconds to train", f"{found['cpu']:.0f}"],
        ["peak memory beyond the data, GB", f"{found['peak'] / 1e9:.2f}"],
        ["passes, gap over the objective", f"{found['passes']}, {found['gap'] / found['primal']:.3f}"],
        ["CPU milliseconds to predict a row", f"{1000.0 * found['predict_cpu'] / found['tested']:.2f}"],
        [
            "accuracy, tree loss of new rows",
            f"{100.0 * found['accuracy']:.1f} %, {found['tree_loss']:.3f}",
        ],
    ]


def print_large(found: dict[str, Any]) -> None:
    table = new_table("A large tree", ["", "found"])
    for row in _large_rows(found):
        table.add_row(*row)
    console.print(table)


def large_page(found: dict[str, Any]) -> str:
    return "\n\n".join([markdown_table(["", "found"], _large_rows(found)), _made("large")])


def _made(part: str) -> str:
    machine = environment()
    return (
        f"`python benchmarks/taxonomies/run.py --part {part} --write docs/taxonomies.md` writes this; here with "
        f"maxmargin {machine['maxmargin']}, one thread, {machine['processor']}, {machine['date']}."
    )

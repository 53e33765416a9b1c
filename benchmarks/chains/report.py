"""Tables and the picture of the chain benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from chains.measured import Run
from chains.methods import METHODS, OURS
from shared.tables import console, new_table


def print_methods(facts: dict[str, Any], runs: list[Run], rival: Run | None) -> None:
    """One line a method: seconds, ratios to the rival, score, memory, speed of prediction."""
    if facts["note"]:
        console.print(facts["note"])
    size = f"{facts['sequences']:,} sequences, {facts['tokens']:,} tokens, {facts['attributes']:,} attributes"
    beside = f"; ratios to {rival.name}" if rival else ""
    columns = ["method", "settings", "pack s", "train s", "ratio", "total s", "ratio"]
    columns += ["F1" if facts["chunks"] else "accuracy", "peak MB", "tokens/s", "once packed"]
    table = new_table(f"{facts['name']} ({size}, {facts['labels']} labels), CPU seconds{beside}", columns)
    for run in runs:
        table.add_row(
            run.name,
            ", ".join(f"{key}={_short(value)}" for key, value in run.found["settings"].items()) or "default",
            f"{run.pack:.2f}",
            f"{run.train:.2f}",
            f"{rival.train / run.train:.1f}" if rival else "",
            f"{run.total:.2f}",
            f"{rival.total / run.total:.1f}" if rival else "",
            f"{run.score:.2f}",
            f"{run.peak:.0f}",
            f"{run.speed:,.0f}",
            f"{run.packed_speed:,.0f}",
        )
    console.print(table)


def _values(tried: Sequence[dict[str, Any]]) -> str:
    """The values of each setting."""
    values: dict[str, list[str]] = {}
    for settings in tried:
        for key, value in settings.items():
            if _short(value) not in values.setdefault(key, []):
                values[key].append(_short(value))
    return "; ".join(f"{key} {', '.join(found)}" for key, found in values.items())


def print_tried(methods: list[str]) -> None:
    """The grids that the held-out part chooses from, and what is not there."""
    console.print("Settings tried on the held-out part:")
    for method in methods:
        entry = METHODS[method]
        shown = _values(entry.tried)
        console.print(f"  {method}: {f'as {entry.like}' if entry.like else shown or 'default'}", highlight=False)
        for workload, settings in entry.further.items():
            console.print(f"    on {workload} also {_values(settings)}", highlight=False)
    for method, entry in METHODS.items():
        if entry.missing():
            console.print(f"  {method} is left out: {entry.missing()}.", highlight=False)


def print_packing(rows: list[tuple[str, float, int]]) -> None:
    table = new_table("From Python lists to packed sequences", ["from", "CPU s", "tokens/s"])
    for name, seconds, tokens in rows:
        table.add_row(name, f"{seconds:.3f}", f"{tokens / seconds:,.0f}")
    console.print(table)


def print_optimum(c2: float, best: float, bound: float | None, rows: list[tuple[str, float, float, float]]) -> None:
    lower = "" if bound is None else f", lower bound {bound:.8g}"
    title = f"Likelihood with c2 = {c2:g}, the same model for both; best known {best:.8g}{lower}"
    table = new_table(title, ["method", "CPU s of training", "objective", "excess", "within 0.1 % at, s"])
    for name, seconds, objective, reached in rows:
        table.add_row(name, f"{seconds:.2f}", f"{objective:.8g}", f"{objective / best - 1.0:.4%}", f"{reached:.2f}")
    console.print(table)


def print_growth(sizes: list[int], seconds: list[float], slope: float) -> None:
    table = new_table("CPU seconds of ChainSVC over sequences", [*[f"{n:,}" for n in sizes], "slope"])
    table.add_row(*[f"{s:.3g}" for s in seconds], f"{slope:.3f}")
    console.print(table)


def print_threads(found: dict[str, Any]) -> None:
    table = new_table(
        "Wall seconds with one and two threads, best of several", ["work", "one", "two", "times", "of gather"]
    )
    gather = found["gather"]["times"]
    for name, row in found.items():
        shown = [f"{row[key]:.3f}" for key in ("one", "two")]
        table.add_row(name, *shown, f"{row['times']:.2f}", f"{row['times'] / gather:.2f}")
    console.print(table)


def print_curves(facts: dict[str, Any], curves: dict[str, list[Run]]) -> None:
    columns = ["method", "limit", "train s", "total s", "accuracy"]
    table = new_table(f"{facts['name']}: accuracy on the test part over CPU seconds", columns)
    for method, points in curves.items():
        limits = set(METHODS[method].curve[0]) if METHODS[method].curve else set()
        for point in points:
            limit = ", ".join(f"{key}={point.found['settings'][key]}" for key in limits)
            table.add_row(method, limit, f"{point.train:.2f}", f"{point.total:.2f}", f"{point.score:.2f}")
    console.print(table)


def draw_curves(facts: dict[str, Any], curves: dict[str, list[Run]], path: Path) -> bool:
    """A picture of the curves, where matplotlib is installed."""
    if find_spec("matplotlib") is None:
        return False
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    axes = figure.subplots()
    for method, points in curves.items():
        ours = method in OURS
        ordered = sorted(points, key=lambda point: point.train)
        seconds, accuracy = [point.train for point in ordered], [point.score for point in ordered]
        axes.plot(seconds, accuracy, marker="o", markersize=4, linewidth=2.5 if ours else 1.0, label=method)
    axes.set(xscale="log", xlabel="CPU seconds of training", ylabel="accuracy on the test part, %", title=facts["name"])
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=150)
    return True


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)

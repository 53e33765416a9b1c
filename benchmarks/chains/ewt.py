"""Parts of speech of UD English EWT: accuracy on the test part over seconds of training, for every method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from chains.measured import Run, run
from chains.methods import LBFGS, METHODS, OURS, Settings
from chains.report import draw_curves, print_curves, print_methods
from shared.harness import RESULTS
from shared.tables import Bar, console


def ewt(
    folder: Path, facts: dict[str, Any], chosen: dict[str, Settings], repeat: int
) -> tuple[dict[str, Any], list[Bar]]:
    """A fresh run for each point of each curve; ours at their defaults but for the limit of rounds."""
    curves: dict[str, list[Run]] = {}
    for method, settings in [*((ours, {}) for ours in OURS), *chosen.items()]:
        limits = METHODS[method].curve
        curves[method] = [run(folder, facts, method, {**settings, **limit}, repeat=repeat) for limit in limits]
    ends = [points[-1] for points in curves.values()]
    print_methods(facts, ends, next((end for end in ends if end.name == LBFGS), None))
    print_curves(facts, curves)
    path = RESULTS / "chain_ewt.png"
    if draw_curves(facts, curves, path):
        console.print(f"Drawn as {path.name} beside the results.")
    return {"curves": curves}, _bars(curves)


def _bars(curves: dict[str, list[Run]]) -> list[Bar]:
    """At every point of every rival there is a point of ours with no more seconds and no less accuracy."""
    ours = [point for method in OURS for point in curves[method]]
    bars = []
    for method, points in curves.items():
        if method in OURS:
            continue
        ahead = [any(o.train <= p.train and o.score >= p.score for o in ours) for p in points]
        claim = f"ewt: points of {method} that a run of ours beats in both"
        bars.append(Bar(claim, f"{sum(ahead)} of {len(points)}", "all", all(ahead)))
    return bars

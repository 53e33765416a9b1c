"""Pictures of training. matplotlib is imported when a picture is drawn, so that the library does not need it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from os import PathLike
from typing import Any


@dataclass(frozen=True)
class Point:
    """What a solver had reached after some seconds; ``dual`` is None for a solver without one."""

    seconds: float
    primal: float
    dual: float | None


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def new_figure(**options: Any) -> Any:
    """An empty matplotlib figure, or a sentence that says what to install."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("Pictures need matplotlib; install it, or maxmargin with the extra [report].") from error
    return Figure(layout="constrained", **options)


def draw_convergence(
    curves: Mapping[str, Sequence[Point]], optimum: float, path: str | PathLike[str], *, title: str, floor: float = 1e-6
) -> None:
    """Draws how far above and below the optimum each solver's objective and dual are, against seconds.

    Distances are relative to ``optimum``; those below ``floor``, the accuracy of the optimum itself, are drawn there.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    axes = figure.add_subplot()
    for position, (name, points) in enumerate(curves.items()):
        seconds = [point.seconds for point in points]
        colour = f"C{position}"
        above = [max(point.primal / optimum - 1.0, floor) for point in points]
        axes.plot(seconds, above, color=colour, marker="o", markersize=3, label=f"{name}: objective")
        below = [(point.seconds, max(1.0 - point.dual / optimum, floor)) for point in points if point.dual is not None]
        if below:
            axes.plot(*zip(*below), color=colour, linestyle="--", label=f"{name}: dual")
    axes.set(xscale="log", yscale="log", xlabel="seconds", ylabel="distance from the optimum / optimum", title=title)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(fontsize="small")
    figure.savefig(path, dpi=150, format="png")

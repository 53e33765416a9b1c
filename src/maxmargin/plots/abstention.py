"""Pictures of abstention: how errors fall as a model answers less."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

from maxmargin.core.abstention import AbstentionCurve
from maxmargin.plots.figures import new_figure


def draw_abstention(
    curves: Mapping[str, AbstentionCurve], path: str | PathLike[str], *, title: str = "", kind: str = "error"
) -> None:
    """Draws one line per model into a PNG file.

    Parameters
    ----------
    curves : ``abstention_curve`` of each model, by name
    path : of the file
    kind : ``'error'``, the error of what is answered against the share that is not; or ``'precision-recall'``
    """
    if kind not in ("error", "precision-recall"):
        raise ValueError(f"kind must be 'error' or 'precision-recall', not {kind!r}.")
    if not curves:
        raise ValueError("There is no curve to draw; give at least one.")
    figure = new_figure(figsize=(6.0, 4.5))
    axes = figure.add_subplot()
    for name, curve in curves.items():
        if kind == "error":
            axes.plot(100.0 * (1.0 - curve.answered), 100.0 * curve.error, label=name)
        else:
            axes.plot(100.0 * curve.recall, 100.0 * curve.precision, label=name)
    if kind == "error":
        axes.set(xlabel="abstained, per cent", ylabel="error of the rest, per cent", title=title)
    else:
        axes.set(xlabel="recall, per cent", ylabel="precision, per cent", title=title)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize="small")
    figure.savefig(path, dpi=150, format="png")

"""Pictures of the weights of a chain. matplotlib is imported when a picture is drawn."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from maxmargin.chains.weight_parts import chain_parts
from maxmargin.plots.figures import new_figure


def draw_transitions(model: Any, path: str | PathLike[str], *, title: str = "Weights of transitions") -> None:
    """A heat map of the weights of pairs of labels, rows the label before, with the start and the end where they have.

    Parameters
    ----------
    model : a fitted chain estimator
    path : the picture, in the format that its ending names
    """
    check_is_fitted(model)
    chain = model.chain_
    parts = chain_parts(chain, model.weights_)
    before = after = [str(label) for label in model.classes_.tolist()]
    weights = chain.eta * parts.steps[0]
    if chain.ends:
        size = chain.n_labels
        steps, weights = weights, np.full((size + 1, size + 1), np.nan)
        weights[:size, :size] = steps
        weights[size, :size], weights[:size, size] = chain.eta * parts.start, chain.eta * parts.end
        before, after = [*before, "(start)"], [*after, "(end)"]
    side = min(4.0 + 0.3 * len(after), 20.0)
    figure = new_figure(figsize=(side + 1.0, side))
    axes = figure.add_subplot()
    limit = float(np.nanmax(np.abs(weights))) or 1.0
    picture = axes.imshow(weights, cmap="RdBu_r", vmin=-limit, vmax=limit)
    axes.set_xticks(range(len(after)), after, rotation=90)
    axes.set_yticks(range(len(before)), before)
    axes.set(xlabel="label", ylabel="label before", title=title)
    figure.colorbar(picture, ax=axes, shrink=0.8)
    figure.savefig(path, dpi=150)


def draw_features(
    model: Any, path: str | PathLike[str], n: int = 20, label: Any = None, *, title: str = "Strongest features"
) -> None:
    """Bars of the strongest weights of features, of one label if it is given; see ``top_features``."""
    table = model.top_features(n, label)
    figure = new_figure(figsize=(8.0, 1.0 + 0.25 * len(table)))
    axes = figure.add_subplot()
    places = np.arange(len(table))
    weights = [row.weight for row in table]
    axes.barh(places, weights, color=["C3" if weight > 0.0 else "C0" for weight in weights])
    axes.set_yticks(places, [f"{row.cells()[0]}  ({row.cells()[1]})" for row in table], parse_math=False)
    axes.invert_yaxis()
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set(xlabel="weight", title=title)
    figure.savefig(path, dpi=150)

"""A picture of a taxonomy with the mistakes that flow along it. matplotlib is imported when it is drawn."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from maxmargin.classes.taxonomies.graph import Taxonomy
from maxmargin.classes.taxonomies.reading import as_taxonomy
from maxmargin.plots.figures import new_figure

Counts = npt.NDArray[np.float64]


class EdgeFlow(NamedTuple):
    """Of the edge from ``parent`` to ``child``: examples whose truth is below it, how many of these were answered
    elsewhere (``left``), and how many answers below it belong elsewhere (``entered``)."""

    parent: Any
    child: Any
    examples: int
    left: int
    entered: int


def error_flow(y_true: Iterable[Any], y_pred: Iterable[Any], taxonomy: Any) -> list[EdgeFlow]:
    """How mistakes pass along the edges of a tree: from the true node up to the first node above both, then down to the
    answer. Edges come parents first.

    Parameters
    ----------
    y_true, y_pred : labels, one per example
    taxonomy : a tree, as a ``Taxonomy`` or anything that stands for one
    """
    truths, answers = list(y_true), list(y_pred)
    if len(truths) != len(answers):
        raise ValueError(f"There are {len(truths)} true and {len(answers)} predicted labels; they must match.")
    tree = _tree(taxonomy, [*truths, *answers])
    examples, left, entered = (np.zeros(len(tree), dtype=np.int64) for _ in range(3))
    for truth, answer in zip(tree.numbers(truths).tolist(), tree.numbers(answers).tolist()):
        up, down = set(tree.distances_up(truth)), set(tree.distances_up(answer))
        examples[list(up)] += 1
        left[list(up - down)] += 1
        entered[list(down - up)] += 1
    return [
        EdgeFlow(tree.nodes[tree.parents_of(z)[0]], child, int(examples[z]), int(left[z]), int(entered[z]))
        for z, child in enumerate(tree.nodes)
        if tree.parents_of(z).size
    ]


def draw_errors(
    y_true: Iterable[Any], y_pred: Iterable[Any], taxonomy: Any, path: str | PathLike[str], *, title: str = "Mistakes"
) -> None:
    """Draws the tree from left to right. The width of an edge is the number of mistakes that pass it, its colour the
    share of the examples below it that were answered elsewhere, and the size of a node its number of examples.

    Parameters
    ----------
    y_true, y_pred : labels, one per example
    taxonomy : a tree, as a ``Taxonomy`` or anything that stands for one
    path : the picture, in the format that its ending names
    """
    truths, answers = list(y_true), list(y_pred)
    tree = _tree(taxonomy, [*truths, *answers])
    flows = {flow.child: flow for flow in error_flow(truths, answers, tree)}
    height = _heights(tree)
    figure = new_figure(figsize=(3.0 + 2.2 * int(tree.depths.max()), 1.5 + 0.22 * tree.leaves.size))
    axes = figure.add_subplot()
    colours = _colours()
    most = max([flow.left + flow.entered for flow in flows.values()], default=0) or 1
    largest = max([flow.examples for flow in flows.values()], default=0) or 1
    for z, label in enumerate(tree.nodes):
        x, y = float(tree.depths[z]), height[z]
        flow = flows.get(label)
        if flow is not None:
            above = int(tree.parents_of(z)[0])
            width = 0.4 + 7.0 * (flow.left + flow.entered) / most
            colour = colours(flow.left / flow.examples if flow.examples else 0.0)
            before = float(tree.depths[above])
            axes.plot([before, x], [height[above], y], color=colour, linewidth=width, solid_capstyle="round", zorder=1)
        size = 12.0 + 60.0 * (flow.examples / largest if flow is not None else 1.0)
        axes.scatter([x], [y], s=size, color="black", zorder=2)
        told = str(label) if flow is None else f"{label}  ({flow.left} of {flow.examples} left, {flow.entered} came)"
        axes.annotate(told, (x, y), xytext=(6, 4), textcoords="offset points", fontsize=7, parse_math=False)
    axes.set_title(title)
    axes.set_axis_off()
    axes.margins(x=0.25)
    figure.savefig(path, dpi=150)


def _tree(taxonomy: Any, labels: list[Any]) -> Taxonomy:
    tree = as_taxonomy(taxonomy, labels)
    if not tree.is_tree:
        raise ValueError(
            "Mistakes flow along the edges of a tree; this taxonomy has a node with two parents or two roots."
        )
    return tree


def _heights(tree: Taxonomy) -> Counts:
    """Where nodes are drawn: leaves one below the other, in the order of a walk through the tree; others in the middle
    of their children."""
    children: list[list[int]] = [[] for _ in tree.nodes]
    for z in range(len(tree)):
        for p in tree.parents_of(z).tolist():
            children[p].append(z)
    height = np.zeros(len(tree))
    waiting, row = tree.roots.tolist(), 0
    while waiting:
        z = waiting.pop()
        waiting += reversed(children[z])
        if not children[z]:
            height[z], row = -float(row), row + 1
    for z in range(len(tree) - 1, -1, -1):
        if children[z]:
            height[z] = float(np.mean(height[children[z]]))
    return height


def _colours() -> Any:
    from matplotlib import colormaps

    return colormaps["viridis_r"]

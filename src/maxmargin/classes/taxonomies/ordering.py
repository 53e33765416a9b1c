"""Nodes of a graph numbered parents first, or the cycle that forbids it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from maxmargin.core.input_checks import quoted

Edge = tuple[Any, Any]


def ordered_nodes(edges: Iterable[Edge], nodes: Iterable[Hashable]) -> tuple[tuple[Any, ...], list[list[int]]]:
    """Labels level by level, and the numbers of the parents of each; among equals the order of first sight."""
    names: dict[Any, int] = {}
    pairs = [(_number(parent, names), _number(child, names)) for parent, child in _pairs(edges)]
    for label in nodes:
        _number(label, names)
    labels = list(names)
    if not labels:
        raise ValueError("The taxonomy is empty; give it at least one node.")
    children: list[list[int]] = [[] for _ in labels]
    above: list[list[int]] = [[] for _ in labels]
    for parent, child in dict.fromkeys(pairs):
        children[parent].append(child)
        above[child].append(parent)
    order = _by_level(labels, children, above)
    place = {node: number for number, node in enumerate(order)}
    return tuple(labels[z] for z in order), [sorted(place[p] for p in above[z]) for z in order]


def _pairs(edges: Iterable[Edge]) -> Iterable[Edge]:
    for number, edge in enumerate(edges):
        if isinstance(edge, str) or not hasattr(edge, "__len__") or len(edge) != 2:
            raise ValueError(f"Edge {number} of the taxonomy is {quoted(edge)}; an edge is a pair (parent, child).")
        yield edge[0], edge[1]


def _number(label: Any, names: dict[Any, int]) -> int:
    label = label.item() if hasattr(label, "item") and getattr(label, "ndim", None) == 0 else label
    if label is None or label != label:
        raise ValueError(f"A node of the taxonomy is {quoted(label)}; give every node a label.")
    try:
        return names.setdefault(label, len(names))
    except TypeError:
        raise ValueError(
            f"A node of the taxonomy is {quoted(label)}; labels must be hashable, such as str or int."
        ) from None


def _by_level(labels: list[Any], children: list[list[int]], above: list[list[int]]) -> list[int]:
    """A node comes after the last of its parents; those that become free together are neighbours."""
    missing = [len(parents) for parents in above]
    level = [z for z, count in enumerate(missing) if count == 0]
    order: list[int] = []
    while level:
        order += level
        free: list[int] = []
        for z in level:
            for child in children[z]:
                missing[child] -= 1
                if missing[child] == 0:
                    free.append(child)
        level = free
    if len(order) < len(labels):
        cycle = _find_cycle(above, {z for z, count in enumerate(missing) if count > 0})
        shown = [quoted(labels[z], 40) for z in cycle]
        way = " -> ".join(shown if len(shown) <= 10 else [*shown[:5], "...", *shown[-4:]])
        raise ValueError(f"The taxonomy has a cycle, {way}: a node cannot be above itself; remove one of these edges.")
    return order


def _find_cycle(above: list[list[int]], left: set[int]) -> list[int]:
    """Every node left has a parent that is left: going up must come round."""
    z, seen = min(left), dict[int, int]()
    way: list[int] = []
    while z not in seen:
        seen[z] = len(way)
        way.append(z)
        z = next(p for p in above[z] if p in left)
    cycle = [*way[seen[z] :], z]
    return cycle[::-1]

"""The forms in which people keep taxonomies, as edges (parent, child) and nodes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.input_checks import quoted

Edge = tuple[Any, Any]
EdgesAndNodes = tuple[list[Edge], list[Any]]


def edges_of_parents(parents: Mapping[Any, Any] | Sequence[int] | npt.NDArray[Any]) -> EdgesAndNodes:
    """``{child: parent or parents or None}``, or an array of parent numbers with negative ones for roots."""
    if isinstance(parents, Mapping):
        edges = [
            (parent, child)
            for child, above in parents.items()
            for parent in (above if isinstance(above, list | tuple | set | frozenset) else [above])
            if parent is not None
        ]
        return edges, list(parents)
    numbers = np.asarray(parents)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise ValueError("A list of parents must hold one number for each node, negative for a root.")
    bad = np.flatnonzero(numbers >= numbers.size)
    if bad.size:
        raise ValueError(
            f"The parent of node {bad[0]} is {numbers[bad[0]]}, and the nodes are 0 to {numbers.size - 1}; correct it."
        )
    return [(int(p), child) for child, p in enumerate(numbers) if p >= 0], list(range(numbers.size))


def edges_of_nested(nested: Mapping[Any, Any], root: Hashable) -> EdgesAndNodes:
    """Mappings in mappings; lists, tuples and sets hold leaves, and None or an empty mapping is nothing below."""
    edges: list[Edge] = []
    nodes: list[Any] = list(nested)
    waiting: list[tuple[Any, Any]] = list(nested.items())
    while waiting:
        label, below = waiting.pop(0)
        if isinstance(below, Mapping):
            edges += [(label, child) for child in below]
            waiting += below.items()
        elif isinstance(below, list | tuple | set | frozenset):
            edges += [(label, child) for child in below]
        elif below is not None:
            raise ValueError(
                f"Below {quoted(label)} the nested taxonomy has {quoted(below)}; put a mapping, a list of leaves, or "
                "None there."
            )
    if len(nested) > 1:
        _check_free(root, {*nodes, *(child for _, child in edges)})
        edges = [(root, label) for label in nested] + edges
        nodes = [root, *nodes]
    return edges, nodes


def edges_of_names(names: Iterable[str], separator: str, root: Hashable) -> EdgesAndNodes:
    """Every beginning of a name up to a separator is a node; the root is above those of one part."""
    edges: dict[Edge, None] = {}
    for name in names:
        parts = name_parts(name, separator)
        above: Any = root
        for end in range(1, len(parts) + 1):
            node = separator.join(parts[:end])
            edges[above, node] = None
            above = node
    _check_free(root, {child for _, child in edges})
    return list(edges), [root]


def name_parts(name: Any, separator: Any) -> list[str]:
    """The parts of a name, or a sentence that says why it has none."""
    if not isinstance(separator, str) or not separator:
        raise ValueError(f"The separator must be a string such as '.' or '/', not {separator!r}.")
    if not isinstance(name, str):
        raise ValueError(
            f"The name {quoted(name)} is not a string, so it has no parts divided by {separator!r}; give the tree in "
            "another form. (Some functions of scikit-learn, such as cross_val_predict with a method other than "
            "'predict', train with numbers in place of names.)"
        )
    parts = name.split(separator)
    if not all(parts):
        raise ValueError(f"The name {quoted(name)} has an empty part between separators {separator!r}; correct it.")
    return parts


def edges_of_graph(graph: Any) -> EdgesAndNodes:
    """A networkx graph, which need not be installed here: it brings its own methods."""
    if not (hasattr(graph, "is_directed") and hasattr(graph, "edges") and hasattr(graph, "nodes")):
        raise ValueError(f"from_graph needs a networkx DiGraph, not {type(graph).__name__}.")
    if not graph.is_directed():
        raise ValueError("The graph is not directed; use a DiGraph with edges from parents to children.")
    return [(parent, child) for parent, child in graph.edges()], list(graph.nodes())


def _check_free(root: Hashable, nodes: set[Any]) -> None:
    if root in nodes:
        raise ValueError(
            f"{quoted(root)} is a node of the taxonomy already, and a root of that name is put above it; give "
            "Taxonomy.from_names or Taxonomy.from_nested another name as root=."
        )

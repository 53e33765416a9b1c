"""A partial order of labels: nodes and their parents, checked once when it is made."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.classes.taxonomies.ordering import ordered_nodes
from maxmargin.classes.taxonomies.sources import Edge, edges_of_graph, edges_of_names, edges_of_nested, edges_of_parents
from maxmargin.core.input_checks import quoted

Indices = npt.NDArray[np.int32]
ROOT = "root"


class Taxonomy:
    """Labels ordered by "is a": a tree, a forest, or any directed graph without cycles.

    Nodes are numbered parents first, level by level (the level of a node is the longest way down to it), so in a tree
    the children of a node are neighbours. A taxonomy never changes; equal ones compare equal.

    Parameters
    ----------
    edges : pairs ``(parent, child)`` of labels, which may be any hashable values
    nodes : labels that may have no edge

    Attributes
    ----------
    nodes : all labels, in the order of their numbers
    parent_offsets, parent_numbers : the parents of node ``z`` are
        ``parent_numbers[parent_offsets[z]:parent_offsets[z + 1]]``
    """

    def __init__(self, edges: Iterable[Edge], nodes: Iterable[Hashable] = ()) -> None:
        self.nodes, parents = ordered_nodes(edges, nodes)
        counts = [len(above) for above in parents]
        self.parent_offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self.parent_numbers = np.array([p for above in parents for p in above], dtype=np.int32)

    @classmethod
    def from_edges(cls, edges: Iterable[Edge], nodes: Iterable[Hashable] = ()) -> Taxonomy:
        """From pairs ``(parent, child)``."""
        return cls(edges, nodes)

    @classmethod
    def from_parents(cls, parents: Mapping[Any, Any] | Sequence[int] | npt.NDArray[Any]) -> Taxonomy:
        """From ``{child: parent}``, the parent of a root being None and several parents a list, tuple or set; or from
        an array in which entry i is the number of the parent of node i, negative for a root."""
        return cls(*edges_of_parents(parents))

    @classmethod
    def from_nested(cls, nested: Mapping[Any, Any], root: Hashable = ROOT) -> Taxonomy:
        """From ``{label: what is below}``, that being a mapping again, a list of leaves, or None.

        Where the outermost mapping has several labels, ``root`` is put above them.
        """
        return cls(*edges_of_nested(nested, root))

    @classmethod
    def from_names(cls, names: Iterable[str], separator: str = ".", root: Hashable = ROOT) -> Taxonomy:
        """From names such as ``'rec.sport.hockey'`` or ``'1/3/2'``, whose beginnings name the nodes above them."""
        return cls(*edges_of_names(names, separator, root))

    @classmethod
    def from_graph(cls, graph: Any) -> Taxonomy:
        """From a networkx ``DiGraph`` with edges from parents to children."""
        return cls(*edges_of_graph(graph))

    @classmethod
    def from_arrays(cls, nodes: Sequence[Any], parent_offsets: Any, parent_numbers: Any) -> Taxonomy:
        """From the attributes of another, in the same order."""
        offsets, numbers = np.asarray(parent_offsets, dtype=np.int64), np.asarray(parent_numbers, dtype=np.int32)
        child = np.repeat(np.arange(len(nodes)), np.diff(offsets)) if offsets.size == len(nodes) + 1 else None
        if child is None or child.size != numbers.size or (numbers < 0).any() or (numbers >= child).any():
            raise ValueError("The parents of a taxonomy must come before their children.")
        made = cls.__new__(cls)
        made.nodes, made.parent_offsets, made.parent_numbers = tuple(nodes), offsets, numbers
        if len(made._numbers) != len(nodes):
            raise ValueError("The nodes of a taxonomy must be different.")
        return made

    def __len__(self) -> int:
        return len(self.nodes)

    def __contains__(self, label: object) -> bool:
        return label in self._numbers

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Taxonomy):
            return NotImplemented
        return (
            self.nodes == other.nodes
            and np.array_equal(self.parent_offsets, other.parent_offsets)
            and np.array_equal(self.parent_numbers, other.parent_numbers)
        )

    def __hash__(self) -> int:
        return hash((self.nodes, self.parent_numbers.tobytes()))

    def __repr__(self) -> str:
        kind = "tree" if self.is_tree else "graph"
        return f"Taxonomy({kind} of {len(self)} nodes, {self.leaves.size} leaves, height {self.heights.max()})"

    def number(self, label: Any) -> int:
        """The number of a node, or a complaint that names the label."""
        try:
            return self._numbers[label]
        except (KeyError, TypeError):
            raise ValueError(f"{quoted(label)} is not a node of the taxonomy; add it, or correct the label.") from None

    def numbers(self, labels: Iterable[Any]) -> Indices:
        return np.array([self.number(label) for label in labels], dtype=np.int32)

    def parents(self, label: Any) -> tuple[Any, ...]:
        """The labels directly above a label."""
        return tuple(self.nodes[p] for p in self.parents_of(self.number(label)))

    def parents_of(self, node: int) -> Indices:
        """The numbers of the parents of a node, by number."""
        return self.parent_numbers[self.parent_offsets[node] : self.parent_offsets[node + 1]]

    def ancestors(self, label: Any) -> tuple[Any, ...]:
        """The label itself and everything above it, highest first."""
        return tuple(self.nodes[z] for z in sorted(self.distances_up(self.number(label))))

    def edges(self) -> list[Edge]:
        """All pairs (parent, child)."""
        return [(self.nodes[p], child) for z, child in enumerate(self.nodes) for p in self.parents_of(z)]

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        return {label: number for number, label in enumerate(self.nodes)}

    @cached_property
    def _parents(self) -> list[list[int]]:
        """The parents of every node as plain numbers, for walks up."""
        numbers, ends = self.parent_numbers.tolist(), self.parent_offsets.tolist()
        return [numbers[begin:end] for begin, end in pairwise(ends)]

    @cached_property
    def roots(self) -> Indices:
        """Numbers of the nodes without a parent."""
        return np.flatnonzero(np.diff(self.parent_offsets) == 0).astype(np.int32)

    @cached_property
    def leaves(self) -> Indices:
        """Numbers of the nodes without a child."""
        return np.setdiff1d(np.arange(len(self), dtype=np.int32), self.parent_numbers)

    @cached_property
    def is_tree(self) -> bool:
        """One root, and one parent for every other node."""
        return self.roots.size == 1 and self.parent_numbers.size == len(self) - 1

    @cached_property
    def heights(self) -> Indices:
        """Longest way from each node down to a leaf."""
        heights = [0] * len(self)
        for z in range(len(self) - 1, -1, -1):
            for p in self._parents[z]:
                heights[p] = max(heights[p], heights[z] + 1)
        return np.array(heights, dtype=np.int32)

    @cached_property
    def depths(self) -> Indices:
        """Longest way from a root to each node."""
        depths: list[int] = []
        for parents in self._parents:
            depths.append(max([depths[p] + 1 for p in parents], default=0))
        return np.array(depths, dtype=np.int32)

    def distances_up(self, node: int) -> dict[int, int]:
        """Numbers of the node and its ancestors, with the length of the shortest way up to each."""
        found = {node: 0}
        level = [node]
        while level:
            above: list[int] = []
            for z in level:
                for p in self._parents[z]:
                    if p not in found:
                        found[p] = found[z] + 1
                        above.append(p)
            level = above
        return found

    def above(self, nodes: Iterable[int]) -> Indices:
        """Numbers of the given nodes and all their ancestors, ascending."""
        found: set[int] = set()
        waiting = list(dict.fromkeys(int(z) for z in nodes))
        while waiting:
            z = waiting.pop()
            if z not in found:
                found.add(z)
                waiting.extend(self._parents[z])
        return np.array(sorted(found), dtype=np.int32)

    def compact(self, keep: Iterable[Any] = ()) -> Taxonomy:
        """The same order without nodes that have one child only, as dotted names make them; ``keep`` names some that
        stay. What was above such a node is above its child then."""
        kept = set(self.numbers(keep).tolist())
        children = np.bincount(self.parent_numbers, minlength=len(self))
        gone = {z for z in range(len(self)) if children[z] == 1 and z not in kept}
        above: list[list[int]] = []
        for z in range(len(self)):
            direct = self.parents_of(z).tolist()
            passed = [q for p in direct for q in (above[p] if p in gone else [p])]
            above.append(list(dict.fromkeys(passed)))
        left = [z for z in range(len(self)) if z not in gone]
        edges = [(self.nodes[p], self.nodes[z]) for z in left for p in above[z]]
        return Taxonomy(edges, [self.nodes[z] for z in left])

    def check_one_root(self, purpose: str) -> None:
        """Raises, naming two of them, where there are several roots and ``purpose`` needs one."""
        if self.roots.size > 1:
            first, second = (self.nodes[z] for z in self.roots[:2])
            raise ValueError(
                f"The taxonomy has {self.roots.size} roots, {quoted(first)} and {quoted(second)} among them, and "
                f"{purpose} needs "
                "one above all classes; add a node above them."
            )

"""Where the classes of a taxonomy are, for probabilities of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.classes.placed_classes import PlacedClasses
from maxmargin.oracles.search import Unsupported

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


class ClassPlaces:
    """For each class the nodes that are above it, by their places among the nodes with weights."""

    def __init__(self, placed: PlacedClasses) -> None:
        self._placed = placed

    @cached_property
    def _above(self) -> list[Indices]:
        """Numbers of the nodes above each class, lowest first."""
        depths = self._placed.taxonomy.depths
        each = self._placed.above_each
        return [nodes[np.argsort(-depths[nodes], kind="stable")].astype(np.int64) for nodes in each]

    @cached_property
    def _way(self) -> Indices:
        """Places of the nodes above each class, lowest first, and the highest again where there are fewer."""
        longest = max(nodes.size for nodes in self._above)
        way = np.array([np.pad(nodes, (0, longest - nodes.size), mode="edge") for nodes in self._above])
        return np.searchsorted(self._placed.nodes, way)

    @cached_property
    def _below(self) -> sp.csr_array:
        """1 for each class and node above it."""
        rows = np.repeat(np.arange(len(self._above)), [nodes.size for nodes in self._above])
        columns = np.searchsorted(self._placed.nodes, np.concatenate(self._above))
        shape = (len(self._above), self._placed.nodes.size)
        return sp.csr_array((np.ones(rows.size), (rows, columns)), shape=shape)

    def node_probability(self, probability: Floats) -> Floats:
        """Sums of the probabilities of classes, (n, n_classes), over those at or below each node, (n, n_nodes)."""
        return np.asarray((self._below.T @ probability.T).T)

    def expected_loss(self, probability: Floats, kind: str) -> Floats:
        """Of answering each class, (n, n_classes), in a tree: sums along the way from the root to the class.

        With ``P(z)`` the probability that the class is at ``z`` or below it, the expected height of the first common
        ancestor is ``height(root) - sum_z P(z) (height(parent(z)) - height(z))`` over the nodes below the root on the
        way, less the height of the answer where it is right; and the expected number of edges is the depth of the
        answer and the mean depth of the classes less ``2 sum_z P(z)``.
        """
        tree, nodes = self._placed.taxonomy, self._placed.nodes
        if not tree.is_tree:
            raise Unsupported(
                "decision='expected-cost' needs a tree, and here are several roots or parents; use 'score'."
            )
        own = self._placed.class_node
        parent = np.array([tree.parents_of(z)[0] if tree.parents_of(z).size else z for z in nodes.tolist()])
        step = (tree.heights[parent] - tree.heights[nodes] if kind == "height" else 2 * (parent != nodes)).astype(float)
        saved = np.asarray((self._below @ (self.node_probability(probability) * step).T).T)
        if kind == "height":
            return np.asarray(tree.heights[tree.roots[0]] - saved - probability * tree.heights[own])
        return np.asarray(tree.depths[own] + (probability @ tree.depths[own])[:, None] - saved)

    def lowest(self, probability: Floats, until: float) -> Indices:
        """The lowest node above the most probable class that reaches a probability, by its place; else the highest."""
        best = np.argmax(probability, axis=1)
        together = self.node_probability(probability)
        way = self._way[best]
        reached = np.take_along_axis(together, way, axis=1) >= until - 1e-9
        reached[:, -1] = True
        return np.asarray(way[np.arange(best.size), np.argmax(reached, axis=1)])


def label_array(labels: Sequence[Any]) -> npt.NDArray[Any]:
    """Labels of one kind as NumPy keeps them, of several kinds as objects."""
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and kinds <= {str, int, float, bool}:
        return np.array(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array

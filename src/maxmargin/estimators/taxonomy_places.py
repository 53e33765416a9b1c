"""Where the classes of a taxonomy are, for probabilities of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.structures.taxonomy import PlacedClasses

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


class ClassPlaces:
    """For each class the nodes that are above it, by their places among the nodes with weights."""

    def __init__(self, placed: PlacedClasses) -> None:
        depths = placed.taxonomy.depths
        above = [placed.taxonomy.above([int(z)]) for z in placed.class_node]
        lowest_first = [nodes[np.argsort(-depths[nodes], kind="stable")] for nodes in above]
        longest = max(nodes.size for nodes in above)
        self._way = np.empty((len(above), longest), dtype=np.int64)  # the highest node again where there are fewer
        for row, nodes in zip(self._way, lowest_first):
            row[:] = np.searchsorted(placed.nodes, np.pad(nodes, (0, longest - nodes.size), mode="edge"))
        rows = np.repeat(np.arange(len(above)), [nodes.size for nodes in above])
        columns = np.searchsorted(placed.nodes, np.concatenate(above))
        shape = (len(above), placed.nodes.size)
        self._below = sp.csr_array((np.ones(rows.size), (rows, columns)), shape=shape)

    def node_probability(self, probability: Floats) -> Floats:
        """Sums of the probabilities of classes, (n, n_classes), over those at or below each node, (n, n_nodes)."""
        return np.asarray((self._below.T @ probability.T).T)

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

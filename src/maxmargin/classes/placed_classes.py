"""Classes that are nodes of a taxonomy, as output features: one feature for a class's node and each node above it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.classes.losses import ClassLosses, CostTable, TaxonomyLoss, UniformLoss
from maxmargin.classes.output_features import OutputFeatures
from maxmargin.classes.output_maps import ClassFeatures, MatrixFeatures, TreeFeatures
from maxmargin.classes.taxonomies.graph import Taxonomy
from maxmargin.classes.taxonomies.losses import LOSSES
from maxmargin.rows.costs import checked_cost

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
TOP_WEIGHT = 0.25  # chosen by benchmarks/taxonomies/studies/defaults.py


class PlacedClasses:
    """Classes at nodes of a taxonomy; only the nodes above some class have weights.

    Parameters
    ----------
    taxonomy : all of it
    classes : labels, each a node

    Attributes
    ----------
    class_node : number of the node of every class
    nodes : numbers of the nodes with weights, ascending
    """

    def __init__(self, taxonomy: Taxonomy, classes: Sequence[Any]) -> None:
        missing = next((label for label in classes if label not in taxonomy), None)
        if missing is not None:
            raise ValueError(
                f"The class {missing!r} is not a node of the taxonomy; add it there, or correct the label."
            )
        self.taxonomy, self.classes = taxonomy, classes
        self.class_node = taxonomy.numbers(classes)
        self.nodes = taxonomy.above(self.class_node.tolist())

    @cached_property
    def above_each(self) -> list[Indices]:
        """Numbers of the node of each class and of all above it, ascending."""
        return [self.taxonomy.above([node]) for node in self.class_node.tolist()]

    @property
    def labels(self) -> list[Any]:
        """The labels of the nodes with weights."""
        return [self.taxonomy.nodes[z] for z in self.nodes]

    def structure(self, loss: Any, node_weight: Any) -> OutputFeatures:
        """The structure for training.

        Parameters
        ----------
        loss : ``'height'``, ``'path'`` or ``'zero-one'`` (``taxonomy_losses``), or a matrix of costs
        node_weight : see ``node_weights``
        """
        return OutputFeatures(self.features(node_weight), self.losses(loss))

    def features(self, node_weight: Any) -> ClassFeatures:
        """A tree is passed down; where a node has several parents, the nodes above each class are listed.

        A node above all classes tells nothing about them, and its feature is left at 0.
        """
        weight = node_weights(self.taxonomy, node_weight)[self.nodes]
        place = np.full(len(self.taxonomy), -1, dtype=np.int32)
        place[self.nodes] = np.arange(self.nodes.size)
        weight[np.bincount(place[np.concatenate(self.above_each)]) == len(self.classes)] = 0.0
        starts, parents = self.taxonomy.parent_offsets[self.nodes], self.taxonomy.parent_numbers
        counts = self.taxonomy.parent_offsets[self.nodes + 1] - starts
        if counts.max() <= 1:
            parent = np.full(self.nodes.size, -1, dtype=np.int32)
            parent[counts == 1] = place[parents[starts[counts == 1]]]
            return TreeFeatures(parent, weight, place[self.class_node])
        ends = np.cumsum([above.size for above in self.above_each])
        columns = place[np.concatenate(self.above_each)]
        shape = (len(self.classes), self.nodes.size)
        return MatrixFeatures(sp.csr_array((weight[columns], columns, np.concatenate([[0], ends])), shape=shape))

    def losses(self, loss: Any) -> ClassLosses:
        if not isinstance(loss, str):
            cost = checked_cost(loss, len(self.classes), "loss")
            return UniformLoss(len(self.classes)) if cost is None else CostTable(cost)
        if loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(map(repr, LOSSES))} or a matrix of costs, not {loss!r}.")
        if loss == "zero-one":
            return UniformLoss(len(self.classes))
        return TaxonomyLoss(self.taxonomy, self.class_node, loss)


def spread_weights(taxonomy: Taxonomy, top: float) -> Floats:
    """1 for leaves, ``top`` for the highest nodes below the root, and equal ratios from one height to the next."""
    steps = max(1, int(taxonomy.heights.max()) - 1)
    return np.asarray(top ** (taxonomy.heights / steps), dtype=np.float64)


def node_weights(taxonomy: Taxonomy, given: Any) -> Floats:
    """``beta_z`` of every node: None is 1; a number q is ``q ** height``, 1 for leaves, so that with q below 1 classes
    share less; ``'scale'`` goes from 1 for leaves to ``TOP_WEIGHT`` for the highest nodes below the root in equal
    ratios, so that a deep tree shares at all its levels; a mapping of labels to numbers leaves the others at 1."""
    weight = np.ones(len(taxonomy))
    if given is None:
        return weight
    if isinstance(given, str) and given == "scale":
        return spread_weights(taxonomy, TOP_WEIGHT)
    if isinstance(given, Mapping):
        for label, number in given.items():
            if isinstance(number, bool) or not isinstance(number, Real) or not 0.0 <= float(number) < np.inf:
                raise ValueError(f"node_weight of {label!r} is {number!r}; give a finite number of at least 0.")
            weight[taxonomy.number(label)] = float(number)
        return weight
    if isinstance(given, bool) or not isinstance(given, Real) or not 0.0 < float(given) < np.inf:
        raise ValueError(
            f"node_weight must be 'scale', None, a positive number, or a mapping of nodes to numbers, not {given!r}."
        )
    return np.asarray(float(given) ** taxonomy.heights.astype(np.float64), dtype=np.float64)

"""Features of classes, ``Lambda(y)``: rows of a matrix, or the nodes of a forest that are above a class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.core.input_checks import LARGEST, check_sparse

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_DENSE = 0.2  # share of values that are not zero, above which a matrix is handled as a dense one


class ClassFeatures(Protocol):
    """``Lambda``, one row per class and one column per node."""

    @property
    def n_classes(self) -> int: ...
    @property
    def n_nodes(self) -> int: ...
    @property
    def matrix(self) -> sp.csr_array:
        """All of it."""
        ...

    @property
    def native(self) -> _core.OutputMap:
        """The same for the core."""
        ...


@dataclass(frozen=True, eq=False)
class MatrixFeatures:
    """Any dense or sparse matrix, shape (n_classes, n_nodes)."""

    values: Any

    def __post_init__(self) -> None:
        given = self.values
        if sp.issparse(given):
            check_sparse(given, "The matrix of output features")
            given = sp.csr_array(given, dtype=np.float64)
            given.sum_duplicates()
        else:
            given = np.ascontiguousarray(given, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] < 1:
            raise ValueError(f"Output features must be a matrix with one row per class, not of shape {given.shape}.")
        cells = given.data if sp.issparse(given) else given
        if not (np.abs(cells) <= LARGEST).all():
            full = sp.coo_array(given)
            row = full.row[~(np.abs(full.data) <= LARGEST)][0]
            raise ValueError(
                f"The output features of class number {row} contain NaN, infinity or a number too large to square; "
                "correct or rescale them."
            )
        object.__setattr__(self, "values", given)

    @property
    def n_classes(self) -> int:
        return int(self.values.shape[0])

    @property
    def n_nodes(self) -> int:
        return int(self.values.shape[1])

    @cached_property
    def matrix(self) -> sp.csr_array:
        return sp.csr_array(self.values)

    def __getstate__(self) -> dict[str, Any]:
        return {"values": self.values}

    @cached_property
    def native(self) -> _core.OutputMap:
        full = self.matrix
        if full.nnz <= _DENSE * self.n_classes * self.n_nodes:
            return _core.OutputMap.sparse(
                full.indptr.astype(np.int64), full.indices.astype(np.int32), full.data, self.n_nodes
            )
        values = full.toarray()
        nodes, classes = _core.padded(self.n_nodes) - self.n_nodes, _core.padded(self.n_classes) - self.n_classes
        rows = np.pad(values, ((0, 0), (0, nodes)))
        return _core.OutputMap.dense(rows, np.pad(values @ values.T, ((0, 0), (0, classes))), self.n_nodes)


@dataclass(frozen=True, eq=False)
class TreeFeatures:
    """``Lambda(y)_z = weight_z`` for the node ``z`` of class ``y`` and all nodes above it, else 0.

    Parameters
    ----------
    parent : number of the parent of every node, smaller than the node's own, -1 for a root
    weight : of every node
    class_node : number of the node of every class
    """

    parent: Indices
    weight: Floats
    class_node: Indices

    @property
    def n_classes(self) -> int:
        return self.class_node.size

    @property
    def n_nodes(self) -> int:
        return self.parent.size

    @cached_property
    def matrix(self) -> sp.csr_array:
        offsets, columns, parent = [0], list[int](), self.parent.tolist()
        for node in self.class_node.tolist():
            way = []
            while node >= 0:
                way.append(node)
                node = parent[node]
            columns += reversed(way)
            offsets.append(len(columns))
        numbers = np.array(columns, dtype=np.int32)
        shape = (self.n_classes, self.n_nodes)
        return sp.csr_array((self.weight[numbers], numbers, np.array(offsets)), shape=shape)

    def __getstate__(self) -> dict[str, Any]:
        return {"parent": self.parent, "weight": self.weight, "class_node": self.class_node}

    @cached_property
    def native(self) -> _core.OutputMap:
        return _core.OutputMap.tree(self.parent, self.weight, self.class_node)

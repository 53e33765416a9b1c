"""Lattices: the paths through an acyclic graph of hypotheses, such as those of a recogniser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.core.input_checks import quoted
from maxmargin.programs.features import Rows
from maxmargin.programs.program import Program
from maxmargin.programs.targets import whole_numbers
from maxmargin.programs.topology import Topology


class Lattices:
    """Paths through a lattice, each input with a lattice of its own.

    An input is a triple ``(source, target, features)``: arc k leads from node ``source[k]`` to node ``target[k]``, and
    has row k of the features, a dense or CSR matrix (arcs, F). Nodes are numbered so that every arc leads to a larger
    number; a path leads from node 0 to the last node. The output is the list of its arcs, in order. The loss is the
    number of arcs that are not in the truth; a subclass with a method ``costs`` can count anything else.
    """

    def program(self, x: Any) -> Program:
        """One cell per node, one edge per arc, and last the edge that starts at node 0."""
        source, target, features = _arcs(x)
        topology = Topology(np.append(target, 0), np.append(source, -1), goal=int(target.max()))
        return Program.of(topology, Rows(features, np.arange(source.size), np.arange(source.size)))

    def edges(self, x: Any, y: Sequence[int]) -> list[int]:
        """The arcs of the path, which must follow each other from node 0 to the last."""
        source, target, _ = _arcs(x)
        y = whole_numbers(y, "A path must be a list of arcs").tolist()
        at = 0
        for arc in y:
            if not 0 <= arc < source.size or source[arc] != at:
                raise ValueError(f"Arc {arc} does not start at node {at}, where the path {y!r:.80} has come to.")
            at = int(target[arc])
        if at != target.max():
            raise ValueError(f"The path {y!r:.80} ends at node {at}, not at the last node, {target.max()}.")
        return [*y, source.size]

    def output(self, x: Any, edges: npt.NDArray[np.integer[Any]]) -> list[int]:
        """The arcs among the edges, in the order of the path."""
        source, _, _ = _arcs(x)
        arcs = [int(edge) for edge in edges if edge < source.size]
        return sorted(arcs, key=lambda arc: int(source[arc]))


def _arcs(x: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any], Any]:
    if not hasattr(x, "__len__") or len(x) != 3:
        raise ValueError(f"A lattice must be a triple (source, target, features), not {quoted(x)}.")
    source, target, features = np.asarray(x[0]), np.asarray(x[1]), x[2] if sp.issparse(x[2]) else np.asarray(x[2])
    if source.shape != target.shape or source.ndim != 1 or not source.size or features.shape[0] != source.size:
        raise ValueError(
            f"A lattice needs one source, one target and one row of features for each arc; there are {source.shape}, "
            f"{target.shape} and {features.shape}."
        )
    if (source < 0).any():
        raise ValueError(f"Arc {int(np.argmin(source))} has the source {source.min()}; nodes are numbered from 0.")
    return source, target, features

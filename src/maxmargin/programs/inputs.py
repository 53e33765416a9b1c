"""Inputs of programs at prediction, and edges that outputs must or must not have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.problem import by_position
from maxmargin.programs.packed import PackedPrograms, Shape, joined, offsets
from maxmargin.programs.space import pack_programs
from maxmargin.programs.targets import whole_numbers

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Lists = tuple[npt.NDArray[np.int64], Indices]
"""Where the edges of each example start, and all of them one after the other."""


@dataclass(frozen=True, eq=False)
class ProgramInputs:
    """Inputs, their programs, and limits of their outputs."""

    X: Sequence[Any]
    programs: PackedPrograms
    forbidden: Lists | None = None
    required: Lists | None = None

    @classmethod
    def read(cls, space: Any, X: Any, shape: Shape, forbidden: Any = None, required: Any = None) -> ProgramInputs:
        inputs = by_position(X)
        programs = pack_programs(space, inputs, shape)
        edges = [topology.n_edges for topology in programs.topologies]
        return cls(inputs, programs, edge_lists("forbidden", forbidden, edges), edge_lists("required", required, edges))

    def check_possible(self, impossible: int) -> None:
        """Raises where an example has no output that the limits allow."""
        if impossible >= 0:
            raise ValueError(
                f"forbidden and required together leave no output for example {impossible}; allow more edges there."
            )

    def split(self, flat: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        """Numbers of the edges of all programs, by example."""
        if len(self.X) == 0:
            return []
        return np.split(flat, np.cumsum([topology.n_edges for topology in self.programs.topologies])[:-1])


def edge_lists(name: str, given: Any, n_edges: Sequence[int]) -> Lists | None:
    """A list of edges of each example, or None for an example without; None for none at all."""
    if given is None:
        return None
    lists = by_position(given, name)
    if len(lists) != len(n_edges):
        raise ValueError(
            f"{name} has {len(lists)} lists of edges, and X has {len(n_edges)} examples; give one per example, or None "
            "for an example without."
        )
    found = []
    for i, own in enumerate(lists):
        must = f"{name} of example {i} must be a list of edge numbers"
        edges = whole_numbers([] if own is None else own, must)
        bad = edges[(edges < 0) | (edges >= n_edges[i])]
        if bad.size:
            raise ValueError(
                f"{name} of example {i} names edge {bad[0]}, and its edges are numbered from 0 to {n_edges[i] - 1}."
            )
        found.append(np.unique(edges).astype(np.int32))
    return offsets([edges.size for edges in found]), joined(found)

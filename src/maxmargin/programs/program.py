"""A dynamic program with features: the space of outputs of one example."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from maxmargin.programs.topology import Topology


class Program:
    """The outputs of one example: how edges connect cells (``Topology``), and the features of every edge.

    ``features`` is a matrix of shape (E, F), CSR or dense.
    """

    __slots__ = ("features", "topology")

    def __init__(
        self,
        head: npt.ArrayLike,
        tail: npt.ArrayLike,
        features: Any,
        *,
        cells: int | None = None,
        goal: int | None = None,
    ) -> None:
        self.topology = Topology(head, tail, cells=cells, goal=goal)
        self.features = features

    @classmethod
    def of(cls, topology: Topology, features: Any) -> Program:
        """With a topology that several examples share."""
        program = cls.__new__(cls)
        program.topology, program.features = topology, features
        return program

    @property
    def n_cells(self) -> int:
        return self.topology.n_cells

    @property
    def n_edges(self) -> int:
        return self.topology.n_edges

    def __repr__(self) -> str:
        return f"Program({self.n_cells} cells, {self.n_edges} edges)"

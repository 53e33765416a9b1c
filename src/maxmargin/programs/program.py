"""A dynamic program with features: the space of outputs of one example."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from maxmargin.programs.features import Rows, as_parts
from maxmargin.programs.topology import Topology


class Program:
    """The outputs of one example: how edges connect cells (``Topology``), and the features of every edge.

    ``features`` is a matrix of shape (E, F), sparse or dense, a ``Rows``, or a sequence of them: parts whose weights
    follow each other. ``parts`` has them as a tuple of ``Rows``.
    """

    __slots__ = ("features", "parts", "topology")

    topology: Topology
    features: Any
    parts: tuple[Rows, ...]

    def __init__(
        self,
        head: npt.ArrayLike,
        tail: npt.ArrayLike,
        features: Any,
        *,
        cells: int | None = None,
        goal: int | None = None,
    ) -> None:
        self._set(Topology(head, tail, cells=cells, goal=goal), features)

    @classmethod
    def of(cls, topology: Topology, features: Any) -> Program:
        """With a topology that several examples share."""
        program = cls.__new__(cls)
        program._set(topology, features)
        return program

    def _set(self, topology: Topology, features: Any) -> None:
        self.topology, self.features, self.parts = topology, features, as_parts(features)
        for part in self.parts:
            part.check_edges(topology.n_edges)

    @property
    def n_cells(self) -> int:
        return self.topology.n_cells

    @property
    def n_edges(self) -> int:
        return self.topology.n_edges

    def __repr__(self) -> str:
        return f"Program({self.n_cells} cells, {self.n_edges} edges)"

"""How the edges of a dynamic program connect its cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.input_checks import quoted

Indices = npt.NDArray[np.int32]

MOST = 2**31 - 2
"""Numbers of cells and edges have 32 bits in the core."""


class Topology:
    """Cells and edges of a dynamic program, without scores: checked once, and shared by all examples of one shape.

    Edge e leads from its tails to cell ``head[e]``. ``tail`` has shape (E,), (E, 1) or (E, 2); -1 says that there is no
    tail, and an edge without tails starts a derivation. Every tail is smaller than its head.

    An output is a derivation of the goal: an edge into the goal, and a derivation of each of its tails. With one tail
    it is a path; with two it is a tree, in which a cell that is reached twice counts twice.

    ``cells``: the number of cells, by default one more than the largest head. ``goal``: by default the last cell.
    """

    __slots__ = ("core", "head", "tail")

    core: _core.Topology
    head: Indices
    tail: Indices

    def __init__(
        self, head: npt.ArrayLike, tail: npt.ArrayLike, *, cells: int | None = None, goal: int | None = None
    ) -> None:
        heads = whole_numbers(head, "head")
        tails = whole_numbers(tail, "tail")
        if heads.ndim != 1 or heads.size == 0:
            raise ValueError(f"head must have shape (E,) with at least one edge, not {heads.shape}.")
        if tails.ndim == 1:
            tails = tails[:, np.newaxis]
        if tails.ndim != 2 or tails.shape[1] not in (1, 2):
            raise ValueError(f"tail must have shape (E,), (E, 1) or (E, 2), not {np.shape(tail)}.")
        if len(tails) != len(heads):
            raise ValueError(
                f"There are {len(heads)} heads, and tails of {len(tails)} edges: give both for every edge."
            )
        count = int(heads.max()) + 1 if cells is None else _cell_count(cells)
        last = count - 1 if goal is None else _cell_count(goal, "goal")
        self.core = _core.Topology(heads, tails, count, last)
        for name, array in (("head", heads), ("tail", tails)):
            kept = array.view()
            kept.flags.writeable = False
            setattr(self, name, kept)

    @property
    def n_cells(self) -> int:
        return self.core.n_cells

    @property
    def n_edges(self) -> int:
        return self.core.n_edges

    @property
    def goal(self) -> int:
        """The cell that outputs derive."""
        return self.core.goal

    @property
    def longest(self) -> int:
        """The most edges that an output can have."""
        return self.core.longest

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.head, self.tail, self.n_cells, self.goal)

    def __repr__(self) -> str:
        return f"Topology({self.n_cells} cells, {self.n_edges} edges, goal {self.goal})"


def _restored(head: Indices, tail: Indices, cells: int, goal: int) -> Topology:
    return Topology(head, tail, cells=cells, goal=goal)


def whole_numbers(values: npt.ArrayLike, name: str) -> Indices:
    """An array of cells, edges or counts as contiguous 32-bit numbers, which belong to nobody else."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{name} must be whole numbers, not {array.dtype}.")
    if array.size and array.dtype.itemsize * (2 if array.dtype.kind == "u" else 1) > 4:
        lowest, highest = int(array.min()), int(array.max())
        if lowest < -(2**31) or highest > MOST:
            place = np.argwhere((array < -(2**31)) | (array > MOST))[0]
            raise ValueError(f"{name} of edge {place[0]} is {array[tuple(place)]}; numbers go up to {MOST}.")
    return np.array(array, dtype=np.int32, order="C")


def _cell_count(value: Any, name: str = "cells") -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be a whole number, not {quoted(value)}.")
    return int(value)

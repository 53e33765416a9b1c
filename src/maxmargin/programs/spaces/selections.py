"""Selections: some of the items of a list that fit into a budget."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from maxmargin.programs.features import Rows
from maxmargin.programs.program import Program
from maxmargin.programs.spaces.shapes import Shapes
from maxmargin.programs.topology import Topology

Ints = npt.NDArray[np.int64]


class _Shape(NamedTuple):
    topology: Topology
    number: Ints  # of each choice (0: leave, 1: take), item and size used before: its edge, or -1
    item: Ints  # of each edge but the last ones: its item, and whether it takes it
    taken: npt.NDArray[np.bool_]


class Selection:
    """Items chosen from a list within a budget (a 0/1 knapsack): sentences of a summary, say, up to a number of words.

    An input is a triple ``(features, sizes, budget)``: a dense or CSR matrix (items, F), whole numbers of at least 0,
    and the most that the sizes of the chosen items may be together. The output is the ascending array of the chosen
    items. The score is the sum over them, the loss the number of items that are chosen or left out wrongly. A
    program has up to ``2 * items * budget`` edges.
    """

    def __init__(self) -> None:
        self._shapes = Shapes(_shape, room=64)

    def program(self, x: Any) -> Program:
        """A cell per item and size used before it; an item is taken or left."""
        shape = self._shape(x)
        edge = np.flatnonzero(shape.taken)
        return Program.of(shape.topology, Rows(x[0], edge, shape.item[edge]))

    def edges(self, x: Any, y: npt.ArrayLike) -> Ints:
        """One edge per item, and those that start and end the list."""
        shape, sizes, budget = self._shape(x), np.asarray(x[1]), int(x[2])
        chosen = self._chosen(y, sizes.size)
        used = np.cumsum(np.where(chosen, sizes, 0))
        if used[-1] > budget:
            raise ValueError(f"The items {np.asarray(y).tolist()} have size {used[-1]}, more than the budget {budget}.")
        before = np.concatenate([[0], used[:-1]])
        edges = shape.number[chosen.astype(np.int64), np.arange(sizes.size), before]
        last = np.flatnonzero(shape.topology.tail[shape.item.size :, 0] == shape.topology.head[edges[-1]])
        return np.concatenate([edges, shape.item.size + last, [shape.topology.n_edges - 1]])

    def output(self, x: Any, edges: npt.NDArray[np.integer[Any]]) -> Ints:
        """The items that the edges take, ascending."""
        shape = self._shape(x)
        found = np.asarray(edges)
        found = found[found < shape.item.size]
        return np.sort(shape.item[found[shape.taken[found]]])

    def costs(self, x: Any, y: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """1 for every edge that takes a wrong item or leaves a right one, shape (E,)."""
        shape = self._shape(x)
        chosen = self._chosen(y, len(x[1]))
        wrong = np.zeros(shape.topology.n_edges, dtype=np.int64)
        wrong[: shape.item.size] = chosen[shape.item] != shape.taken
        return wrong

    def risks(self, x: Any, marginals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The probability that an edge takes a wrong item or leaves a right one."""
        shape = self._shape(x)
        count = shape.item.size
        p = np.bincount(shape.item, np.where(shape.taken, marginals[:count], 0.0), len(x[1]))[shape.item]
        return np.concatenate([np.where(shape.taken, 1.0 - p, p), np.zeros(shape.topology.n_edges - count)])

    def _shape(self, x: Any) -> _Shape:
        sizes, budget = np.asarray(x[1]), x[2]
        whole = sizes.dtype.kind in "iu" and isinstance(budget, int | np.integer)
        if not sizes.size:
            raise ValueError("A selection needs at least one item.")
        if sizes.ndim != 1 or not whole or sizes.min() < 0 or budget < 0:
            raise ValueError("Sizes and budget of a selection must be whole numbers of at least 0, one size per item.")
        if x[0].shape[0] != sizes.size:
            raise ValueError(f"There are {sizes.size} sizes and features of {x[0].shape[0]} items; they must match.")
        return self._shapes(tuple(sizes.tolist()), int(budget))

    @staticmethod
    def _chosen(y: npt.ArrayLike, n: int) -> npt.NDArray[np.bool_]:
        items = np.asarray(y, dtype=np.int64) if np.size(y) == 0 else np.asarray(y)
        if items.ndim != 1 or items.dtype.kind not in "iu" or (items.size and not 0 <= items.min() <= items.max() < n):
            raise ValueError(f"A selection must list items from 0 to {n - 1}, not {items.tolist()!r:.80}.")
        chosen = np.zeros(n, dtype=np.bool_)
        chosen[items] = True
        if chosen.sum() != items.size:
            raise ValueError(f"A selection must list an item once, not as {items.tolist()!r:.80}.")
        return chosen


def _shape(sizes: tuple[int, ...], budget: int) -> _Shape:
    n, most = len(sizes), min(budget, sum(sizes))
    there = np.zeros((n + 1, most + 1), dtype=np.bool_)  # of items before and size used
    there[0, 0] = True
    for i, size in enumerate(sizes):
        there[i + 1] = there[i]
        there[i + 1, size:] |= there[i, : max(0, most + 1 - size)]
    cell = np.where(there, np.cumsum(there).reshape(there.shape) - 1, -1)
    number = np.full((2, n, most + 1), -1, dtype=np.int64)
    item, used = np.nonzero(there[:-1])
    fits = used + np.array(sizes)[item] <= most
    number[0, item, used] = np.arange(item.size)
    number[1, item[fits], used[fits]] = item.size + np.arange(fits.sum())
    into = used[fits] + np.array(sizes)[item[fits]]
    ends = np.flatnonzero(there[n])
    goal = int(there.sum())
    head = np.concatenate([cell[item + 1, used], cell[item[fits] + 1, into], np.full(ends.size, goal), [0]])
    tail = np.concatenate([cell[item, used], cell[item[fits], used[fits]], cell[n, ends], [-1]])
    taken = np.repeat([False, True], [item.size, fits.sum()])
    return _Shape(Topology(head, tail, cells=goal + 1, goal=goal), number, np.append(item, item[fits]), taken)

"""Programs by recursion: name a cell, add the edges that lead into it, in any order."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.core.input_checks import quoted
from maxmargin.programs.program import Program
from maxmargin.programs.topology import Topology

_LAST_COLUMN = 2**31 - 2  # a matrix has at most 2**31 - 1 columns


class ProgramBuilder:
    """Collects the edges of a program between cells that have names, then puts the cells in order.

    >>> builder = ProgramBuilder()
    >>> builder.edge("start", features={0: 1.0})
    0
    >>> builder.edge("end", ["start"], {1: 2.0})
    1
    >>> builder.edge("end", ["start"], {2: 1.0})
    2
    >>> builder.program("end")
    Program(2 cells, 3 edges)

    A name is anything hashable: a string, a tuple such as ``(token, label)``. Edges keep the numbers in which they were
    added. Features of an edge are a dict from columns to values, or a row (an array of shape (F,), or a sparse one).

    ``columns``: the column of each name of a feature, for dicts that have names as keys (names that share a column add
    up); names that are not in it are left out, as features that were not seen in training are. ``n_features``: the
    number of columns, by default those of ``columns``, or as many as the edges have.
    """

    def __init__(self, columns: Mapping[Any, int] | None = None, *, n_features: int | None = None) -> None:
        if columns is not None and not isinstance(columns, Mapping):
            raise TypeError(f"columns must be a dict from names of features to columns, not {quoted(columns)}.")
        self._columns = columns
        self._n_features = n_features
        if n_features is None and columns is not None:
            self._n_features = max(columns.values(), default=-1) + 1
        self._names: dict[Hashable, int] = {}  # in the order of first mention
        self._heads: list[int] = []
        self._tails: list[list[int]] = []
        self._rows: list[tuple[list[int], list[float]]] = []
        self._order: list[Hashable] = []

    def edge(self, head: Hashable, tails: Sequence[Hashable] = (), features: Any = None) -> int:
        """Adds an edge into the cell ``head`` from at most two ``tails``; answers its number.

        An edge without tails starts a derivation.
        """
        number = len(self._heads)
        if isinstance(tails, str | bytes) or not isinstance(tails, Sequence):
            raise TypeError(f"The tails of edge {number} must be a list of cells, not {quoted(tails)}.")
        if len(tails) > 2:
            raise ValueError(
                f"Edge {number} into cell {quoted(head)} has {len(tails)} tails; an edge has two at most: join two of "
                "them in a cell of their own first."
            )
        row = self._row(number, features)
        self._heads.append(self._number(head))
        self._tails.append([self._number(tail) for tail in tails])
        self._rows.append(row)
        return number

    @property
    def cells(self) -> list[Hashable]:
        """The names of the cells in the order of the program that was built last."""
        return list(self._order)

    def program(self, goal: Hashable = None) -> Program:
        """The program that derives ``goal``; by default the one cell that is a tail of no edge."""
        if not self._heads:
            raise ValueError("The program has no edges: add them by edge(head, tails, features).")
        names = list(self._names)
        target = self._goal(goal, names)
        order = self._sorted(names)
        place = np.empty(len(names), dtype=np.int32)
        place[order] = np.arange(len(names), dtype=np.int32)
        wide = max(1, *map(len, self._tails))
        tail = np.full((len(self._tails), wide), -1, dtype=np.int32)
        for number, tails in enumerate(self._tails):
            tail[number, : len(tails)] = place[tails]
        topology = Topology(place[self._heads], tail, cells=len(names), goal=int(place[target]))
        self._order = [names[cell] for cell in order]
        return Program.of(topology, self._features())

    def _number(self, name: Hashable) -> int:
        try:
            return self._names.setdefault(name, len(self._names))
        except TypeError as error:
            raise TypeError(
                f"A cell is named {quoted(name)}, which cannot be a key of a dict; use a number, a string or a tuple."
            ) from error

    def _row(self, number: int, features: Any) -> tuple[list[int], list[float]]:
        if features is None:
            return [], []
        if isinstance(features, Mapping):
            return self._named_row(number, features)
        given = features if sp.issparse(features) else np.atleast_2d(features)
        if given.dtype.kind not in "fiub" or given.ndim > 2 or (given.ndim == 2 and given.shape[0] != 1):
            raise ValueError(f"Features of edge {number} must be a dict or one row of numbers, not {quoted(features)}.")
        row = sp.csr_array(given.reshape(1, -1))
        if self._n_features is None:
            self._n_features = row.shape[1]
        if row.shape[1] != self._n_features:
            raise ValueError(f"Edge {number} has a row of {row.shape[1]} features, and there are {self._n_features}.")
        return row.indices.tolist(), row.data.astype(np.float64).tolist()

    def _named_row(self, number: int, features: Mapping[Any, float]) -> tuple[list[int], list[float]]:
        known: dict[Any, float]
        if self._columns is None:
            known = dict(features)
            for column in known:
                if isinstance(column, bool) or not isinstance(column, Integral) or column < 0:
                    raise TypeError(
                        f"Edge {number} has a feature {quoted(column)}, which is no column: give ProgramBuilder the "
                        "columns of the names of features."
                    )
        else:
            known = {}
            for name, value in features.items():
                if name in self._columns:  # names that share a column add up
                    column = self._columns[name]
                    known[column] = known[column] + value if column in known else value
        if max(known, default=-1) > _LAST_COLUMN:
            raise ValueError(f"Edge {number} has column {max(known)}; columns are numbered up to {_LAST_COLUMN}.")
        if self._n_features is not None and max(known, default=-1) >= self._n_features:
            raise ValueError(f"Edge {number} has column {max(known)}, and the columns are 0 to {self._n_features - 1}.")
        try:
            return [int(column) for column in known], [float(value) for value in known.values()]
        except (TypeError, ValueError) as error:
            raise ValueError(f"The features of edge {number} must be numbers: {quoted(features)}.") from error

    def _features(self) -> sp.csr_array:
        lengths = [len(columns) for columns, _ in self._rows]
        columns = np.array([column for row, _ in self._rows for column in row], dtype=np.int32)
        values = np.array([value for _, row in self._rows for value in row], dtype=np.float64)
        wide = self._n_features if self._n_features is not None else int(columns.max(initial=-1)) + 1
        matrix = sp.csr_array((values, columns, np.cumsum([0, *lengths])), shape=(len(self._rows), wide))
        matrix.sort_indices()
        return matrix

    def _goal(self, goal: Hashable, names: list[Hashable]) -> int:
        if goal is not None:
            if goal not in self._names:
                raise ValueError(f"The goal {quoted(goal)} is no cell of any edge.")
            return self._names[goal]
        used = {tail for tails in self._tails for tail in tails}
        ends = [number for number in range(len(names)) if number not in used]
        if len(ends) == 1:
            return ends[0]
        if not ends:
            self._sorted(names)  # names the cycle
        listed = " and ".join(quoted(names[number]) for number in ends[:3])
        raise ValueError(f"Cells {listed} are tails of no edge: say which of them is the goal.")

    def _sorted(self, names: list[Hashable]) -> list[int]:
        """The cells, every tail before its head, else in the order of first mention."""
        below: list[list[int]] = [[] for _ in names]
        for head, tails in zip(self._heads, self._tails, strict=True):
            below[head] += tails
        reached = set(self._heads)
        for edge, tails in enumerate(self._tails):
            for tail in tails:
                if tail not in reached:
                    raise ValueError(
                        f"Cell {quoted(names[tail])} is a tail of edge {edge} into {quoted(names[self._heads[edge]])}, "
                        "and no edge leads into it: add one, without tails where derivations start."
                    )
        order: list[int] = []
        state = [0] * len(names)  # 1: on the path from the cell that was begun, 2: in the order
        for begun in range(len(names)):
            path = [(begun, iter(below[begun]))] if state[begun] == 0 else []
            state[begun] = state[begun] or 1
            while path:
                cell, rest = path[-1]
                tail = next((t for t in rest if state[t] != 2), -1)
                if tail < 0:
                    state[cell] = 2
                    order.append(cell)
                    path.pop()
                elif state[tail] == 1:
                    around = [c for c, _ in path]
                    circle = [*around[around.index(tail) :], tail]
                    raise ValueError(
                        f"Cells form a cycle: {' needs '.join(quoted(names[c]) for c in circle)}. No order of the "
                        "cells has every tail before its head."
                    )
                else:
                    state[tail] = 1
                    path.append((tail, iter(below[tail])))
        return order

"""Problems whose outputs choose a column for each row of a table of scores, under a constraint on all choices."""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.core.input_checks import random_generator
from maxmargin.core.outputs import shown

Floats = npt.NDArray[np.float64]
Choice = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Restricted:
    """An input with cells that may not be chosen, which a ``ChoiceProblem`` takes wherever it takes an input.

    ``cells`` is what ``ChoiceProblem.cells`` gives, ``allowed`` has shape (rows, columns), with one more column where
    rows may choose nothing.
    """

    cells: tuple[Any, int, int]
    allowed: npt.NDArray[np.bool_]


class ChoiceProblem(ABC):
    """Features of the cells of a table, summed over the cells that an output chooses; a :class:`maxmargin.Problem`.

    The score of a choice ``y`` is ``sum_i <w, phi(i, y_i)>``, its loss the number of rows that choose another column
    than the truth. Subclasses say which choices are allowed, and find the best of them.

    Parameters
    ----------
    features : from an input to the features of its cells; None where the inputs are these features themselves
    """

    partial = False
    """Whether rows may choose nothing, written -1, at score 0."""
    first_row: ClassVar[int] = 0
    """The number of the first row, in pairs that are forbidden or required."""
    words: ClassVar[tuple[str, str, str]] = ("choice", "row", "column")
    """What messages call an output, a row and a column."""

    def __init__(self, features: Callable[[Any], Any] | None = None) -> None:
        self.features = features

    @abstractmethod
    def read(self, given: Any) -> tuple[Any, int, int]:
        """Features as users give them, as a dense or CSR matrix with a row per cell, row by row, and the rows and
        columns of the table."""

    @abstractmethod
    def check_choice(self, y: Choice, columns: int) -> None:
        """Raises unless ``y`` is an allowed choice from a table with so many columns."""

    @abstractmethod
    def best_choices(self, tables: Sequence[Floats]) -> list[Choice | None]:
        """The best allowed choice of each ``table``, which may hold ``-inf``; None where there is none."""

    @abstractmethod
    def sums(self, table: Floats) -> tuple[float, Floats]:
        """``log sum_y exp(score of y)`` over the choices that ``table`` allows, which may hold ``-inf``, and the
        probability of each cell, shape (rows, columns), without that of choosing nothing."""

    def cells(self, x: Any) -> tuple[Any, int, int]:
        """The features of all cells as a dense or CSR matrix, row by row, and the rows and columns of the table."""
        if isinstance(x, Restricted):
            return x.cells
        return self.read(x if self.features is None else self.features(x))

    def restricted(self, x: Any, forbidden: Any = None, required: Any = None) -> Restricted:
        """The input with only those outputs that have all required pairs of a row and a column, and no forbidden one.

        A column of -1 stands for no column, where rows may choose nothing. Raises where no output is left.
        """
        cells = self.cells(x)
        _, rows, columns = cells
        allowed = np.ones((rows, columns + self.partial), dtype=np.bool_)
        if isinstance(x, Restricted):
            allowed &= x.allowed
        for row, column in self._pairs("forbidden", forbidden, rows, columns):
            allowed[row, column] = False
        for row, column in self._pairs("required", required, rows, columns):
            kept = allowed[row, column]
            allowed[row] = False
            allowed[row, column] = kept
        if self.best_choices([np.where(allowed, 0.0, -np.inf)])[0] is None:
            wanted, excluded = (shown([] if given is None else given) for given in (required, forbidden))
            raise ValueError(
                f"No {self.words[0]} has all of the required pairs {wanted} and none of the forbidden pairs "
                f"{excluded}; leave some of them out."
            )
        return Restricted(cells, allowed)

    def scores(self, x: Any, w: Floats) -> Floats:
        """The table of scores ``<w, phi(i, j)>``, shape (rows, columns)."""
        matrix, rows, columns = self.cells(x)
        if matrix.shape[1] != w.size:
            raise ValueError(f"The cells have {matrix.shape[1]} features, and there are {w.size} weights.")
        table = np.asarray(matrix @ w, dtype=np.float64).reshape(rows, columns)
        if not np.isfinite(table).all():
            row, column = np.argwhere(~np.isfinite(table))[0]
            raise ValueError(
                f"The score of row {row}, column {column} is {table[row, column]}: the features of that cell contain "
                "NaN or infinity, or are too large. Remove or impute them, or rescale the features."
            )
        return table

    def joint_feature(self, x: Any, y: Any) -> Any:
        """The sum of the features of the chosen cells, shape (F,), or one CSR row."""
        matrix, rows, columns = self.cells(x)
        choice = self._checked(y, rows, columns)
        chosen = np.flatnonzero(choice >= 0)
        picked = chosen * columns + choice[chosen]
        if not sp.issparse(matrix):
            return matrix[picked].sum(axis=0)
        begin, size = matrix.indptr[picked], np.diff(matrix.indptr)[picked]
        entry = np.arange(size.sum()) + np.repeat(begin - (np.cumsum(size) - size), size)
        index, place = np.unique(matrix.indices[entry], return_inverse=True)
        value = np.bincount(place, matrix.data[entry], index.size).astype(np.float64, copy=False)
        offsets = np.array([0, index.size], dtype=np.int32)
        return sp.csr_array((value, index.astype(np.int32), offsets), shape=(1, matrix.shape[1]))

    def loss(self, y_true: Any, y: Any) -> float:
        """The number of rows that choose another column than the truth."""
        return float(np.count_nonzero(np.asarray(y_true) != np.asarray(y)))

    def argmax(self, x: Any, w: Floats, y_true: Any | None = None) -> Choice:
        """The best choice; with ``y_true`` the best after adding the loss."""
        return self.argmax_many([x], w, None if y_true is None else [y_true])[0]

    def argmax_many(self, X: Sequence[Any], w: Floats, Y: Sequence[Any] | None = None) -> list[Choice]:
        """``argmax`` of several inputs, where a native search can do them in one call."""
        tables = []
        for i, x in enumerate(X):
            try:
                tables.append(self.table(x, w))
            except ValueError as error:
                raise ValueError(f"Input {i} of {len(X)}: {error}" if len(X) > 1 else str(error)) from error
        for i, table in enumerate(tables if Y is not None else ()):
            truth = self._checked(Y[i], len(table), table.shape[1] - self.partial)  # type: ignore[index]
            table += 1.0
            table[np.arange(len(table)), truth] -= 1.0
        found = self.best_choices(tables)
        missing = next((i for i, y in enumerate(found) if y is None), None)
        if missing is not None:
            raise ValueError(f"Input {missing} of {len(X)} has no allowed output.")
        return [y for y in found if y is not None]

    def kbest(self, x: Any, w: Floats, k: int) -> list[Choice]:
        """The ``k`` best choices, best first, fewer where there are fewer (Lawler 1972, Murty 1968).

        After each choice the rest is divided by the first row in which a choice differs from it: ``k * rows`` searches.
        """
        table = self.table(x, w)
        order = count()
        queue: list[tuple[float, int, Choice, Floats, int]] = []

        def add(tables: list[Floats], fixed: list[int]) -> None:
            for limited, first, y in zip(tables, fixed, self.best_choices(tables)):
                if y is not None:
                    heapq.heappush(queue, (-limited[np.arange(len(y)), y].sum(), next(order), y, limited, first))

        add([table], [0])
        found: list[Choice] = []
        while queue and len(found) < k:
            _, _, best, limited, fixed = heapq.heappop(queue)
            found.append(best)
            if len(found) < k:
                add(*self._others(limited, best, fixed))
        return found

    def log_partition(self, x: Any, w: Floats) -> float:
        """``log sum_y exp <w, Psi(x, y)>`` over all allowed choices."""
        return self.sums(self.table(x, w))[0]

    def marginals(self, x: Any, w: Floats) -> Floats:
        """The probability of every cell, shape (rows, columns), where a choice has probability ``exp(score) / Z``."""
        return self.sums(self.table(x, w))[1]

    def minimum_risk(self, x: Any, w: Floats) -> Choice:
        """The choice with the lowest expected loss: the best choice from the marginals."""
        table = self.table(x, w)
        found = self.best_choices([np.where(np.isfinite(table), self._probabilities(table), -np.inf)])[0]
        assert found is not None  # there is a choice without cells at -inf
        return found

    def expected_loss(self, x: Any, w: Floats, y: Any) -> float:
        """The number of rows in which ``y`` is expected to be wrong: ``sum_i 1 - p(i, y_i)``."""
        p = self._probabilities(self.table(x, w))
        choice = self._checked(y, len(p), p.shape[1] - self.partial)
        return float(np.clip(1.0 - p[np.arange(len(p)), choice], 0.0, 1.0).sum())

    def sample(self, x: Any, w: Floats, n: int, random_state: Any = None) -> npt.NDArray[np.int32]:
        """``n`` choices drawn with the probability ``exp(score) / Z``, shape (n, rows): one row after the other, given
        those before."""
        rng = random_generator(random_state)
        table = self.table(x, w)
        drawn = np.empty((n, len(table)), dtype=np.int32)
        for choice in drawn:
            limited = table.copy()
            for row in range(len(table)):
                p = self._probabilities(limited)[row]
                column = int(rng.choice(p.size, p=p / p.sum()))
                kept = limited[row, column]
                limited[row] = -np.inf
                limited[row, column] = kept
                choice[row] = -1 if self.partial and column == p.size - 1 else column
        return drawn

    def _probabilities(self, table: Floats) -> Floats:
        """The probability of each cell of a table; where a row may choose nothing, that is the last column."""
        p = self.sums(table)[1]
        if self.partial:
            p = np.hstack([p, 1.0 - p.sum(axis=1, keepdims=True)])
        return np.where(np.isfinite(table), np.clip(p, 0.0, 1.0), 0.0)

    def table(self, x: Any, w: Floats) -> Floats:
        """The scores that a search takes, -inf where a cell may not be chosen; where a row may choose nothing, that is
        one more column at the end (-1)."""
        table = self.scores(x, w)
        if self.partial:
            table = np.hstack([table, np.zeros((len(table), 1))])
        return np.where(x.allowed, table, -np.inf) if isinstance(x, Restricted) else table

    def _pairs(self, name: str, given: Any, rows: int, columns: int) -> npt.NDArray[np.int64]:
        """Cells that are forbidden or required, shape (m, 2), rows counted from 0."""
        _, row, column = self.words
        try:
            pairs = np.asarray([] if given is None else given)
        except ValueError:  # entries of different lengths
            pairs = np.zeros(1)
        if not pairs.size:
            return np.zeros((0, 2), dtype=np.int64)
        if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
            raise ValueError(f"{name} must be a list of pairs ({row}, {column}) of whole numbers, not {shown(given)}.")
        pairs = pairs.astype(np.int64) - (self.first_row, 0)
        lowest = -int(self.partial)
        bad = (pairs < (0, lowest)) | (pairs >= (rows, columns))
        if bad.any():
            first = pairs[np.flatnonzero(bad.any(axis=1))[0]] + (self.first_row, 0)
            raise ValueError(
                f"{name} has the {row} {first[0]} with the {column} {first[1]}; {row}s are numbered from "
                f"{self.first_row} to {rows - 1 + self.first_row}, {column}s from {lowest} to {columns - 1}."
            )
        return pairs

    def _others(self, table: Floats, best: Choice, fixed: int) -> tuple[list[Floats], list[int]]:
        """Tables without ``best``: in each, one row more agrees with it, and the row after that does not."""
        tables: list[Floats] = []
        held = table.copy()
        for row in range(fixed, best.size):
            other = held.copy()
            other[row, best[row]] = -np.inf
            tables.append(other)
            kept = held[row, best[row]]
            held[row] = -np.inf
            held[row, best[row]] = kept
        return tables, list(range(fixed, best.size))

    def _checked(self, y: Any, rows: int, columns: int) -> Choice:
        choice = np.asarray(y) if np.size(y) else np.zeros(np.shape(y), np.int32)
        if choice.shape != (rows,) or choice.dtype.kind not in "iu":
            what, row, column = self.words
            raise ValueError(f"A {what} must be {rows} whole numbers, the {column} of each {row}, not {shown(y)}.")
        choice = choice.astype(np.int32, copy=False)
        self.check_choice(choice, columns)
        return choice

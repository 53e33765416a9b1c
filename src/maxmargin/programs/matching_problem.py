"""One-to-one matchings of two sets, such as the words of a sentence and of its translation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from maxmargin.core.outputs import shown
from maxmargin.core.problem import Unsupported
from maxmargin.programs.choices import Choice, ChoiceProblem, Floats

_MOST_SUMMED = 16
"""Columns up to which sums over all matchings are taken: there are ``2 ** columns`` sets of them."""


class MatchingProblem(ChoiceProblem):
    """One-to-one matchings whose pairs have features, a problem for ``StructuralSVM``.

    The output is an array with the column of each row, -1 where a row has none (only if ``partial``); no column is
    chosen twice. The score is the sum over the pairs, the loss the number of rows with another column than in the
    truth. The best matching comes from :func:`scipy.optimize.linear_sum_assignment`, O(rows^2 columns). Pairs that are
    forbidden or required at prediction are ``(row, column)``, with the column -1 for a row that stays alone.

    Parameters
    ----------
    features : from an input to the features of its pairs: an array (rows, columns, F), or a pair of a dense or CSR
        matrix with one row per pair, row by row, and the number of columns; None where the inputs are these
        features themselves
    partial : rows may stay without a column, at score 0; otherwise every row has one, and there are at least as many
        columns as rows
    """

    words = ("matching", "row", "column")

    def __init__(self, features: Callable[[Any], Any] | None = None, *, partial: bool = False) -> None:
        super().__init__(features)
        self.partial = partial

    def read(self, given: Any) -> tuple[Any, int, int]:
        if isinstance(given, tuple):
            matrix, columns = given
            if columns < 1 or matrix.shape[0] % columns:
                raise ValueError(
                    f"The features of pairs have {matrix.shape[0]} rows, no multiple of {columns} columns."
                )
            rows = matrix.shape[0] // columns
        else:
            matrix = np.asarray(given, dtype=np.float64)
            if matrix.ndim != 3:
                empty = "" if matrix.size else " Where there are no rows, give np.zeros((0, columns, features))."
                raise ValueError(
                    f"The features of pairs have shape {matrix.shape}; give an array (rows, columns, features), or the "
                    f"pair of a matrix with one row per pair and the number of columns.{empty}"
                )
            rows, columns = matrix.shape[:2]
            matrix = matrix.reshape(-1, matrix.shape[2])
        if columns < rows and not self.partial:
            raise ValueError(
                f"There are {rows} rows and only {columns} columns; exchange the two sides, or pass partial=True."
            )
        if sp.issparse(matrix) and not isinstance(matrix, sp.csr_array):
            matrix = sp.csr_array(matrix)
        return matrix, rows, columns

    def check_choice(self, y: Choice, columns: int) -> None:
        """Raises unless every row has a column of its own (or none, where that is allowed)."""
        lowest = -1 if self.partial else 0
        if y.size and (y.min() < lowest or y.max() >= columns):
            raise ValueError(
                f"The columns of a matching must be from {lowest} to {columns - 1}, not {shown(y.tolist())}."
            )
        chosen, times = np.unique(y[y >= 0], return_counts=True)
        if (times > 1).any():
            raise ValueError(f"{shown(y.tolist())} is no matching: column {chosen[times > 1][0]} is chosen twice.")

    def best_choices(self, tables: Sequence[Floats]) -> list[Choice | None]:
        return [self._best(table) for table in tables]

    def _best(self, table: Floats) -> Choice | None:
        rows, columns = table.shape
        if self.partial:  # each row has a column of its own for nothing
            columns -= 1
            nothing = np.full((rows, rows), -np.inf)
            np.fill_diagonal(nothing, table[:, -1])
            table = np.hstack([table[:, :-1], nothing])
        try:
            _, found = linear_sum_assignment(table, maximize=True)
        except ValueError:  # every matching has a forbidden pair
            return None
        return np.where(found < columns, found, -1).astype(np.int32)

    def sums(self, table: Floats) -> tuple[float, Floats]:
        """Permanents, for which no fast algorithm exists: up to 16 columns, in time ``2 ** columns``."""
        columns = table.shape[1] - self.partial
        if columns > _MOST_SUMMED:
            raise Unsupported(
                "Sums over matchings (log_partition, marginals, minimum_risk, expected_loss, sample) are permanents: "
                f"they take 2 ** columns steps, and there are {columns} columns; at most {_MOST_SUMMED} are possible."
            )
        return _subset_sums(table, columns)


def _subset_sums(table: Floats, columns: int) -> tuple[float, Floats]:
    """Log-sum and marginals, by the sets of columns that the first rows have taken (Bellman 1962; Held and Karp)."""
    rows, sets = len(table), np.arange(1 << columns)
    without = [sets[sets >> j & 1 == 0] for j in range(columns)]
    before = np.full((rows + 1, sets.size), -np.inf)  # of each set: the rows before have taken it
    after = np.full((rows + 1, sets.size), -np.inf)  # the rows from here on, with this set taken
    before[0, 0] = 0.0
    after[rows] = 0.0
    for i in range(rows):
        if table.shape[1] > columns:
            before[i + 1] = before[i] + table[i, columns]
        for j, free in enumerate(without):
            taken = free | 1 << j
            before[i + 1, taken] = np.logaddexp(before[i + 1, taken], before[i, free] + table[i, j])
    for i in range(rows - 1, -1, -1):
        if table.shape[1] > columns:
            after[i] = after[i + 1] + table[i, columns]
        for j, free in enumerate(without):
            after[i, free] = np.logaddexp(after[i, free], after[i + 1, free | 1 << j] + table[i, j])
    log_sum = float(after[0, 0])
    marginals = np.zeros((rows, columns))
    for i in range(rows):
        for j, free in enumerate(without):
            logs = before[i, free] + after[i + 1, free | 1 << j] + (table[i, j] - log_sum)
            marginals[i, j] = np.exp(logs).sum()
    return log_sum, marginals

"""The most violated labelling, from the best score of each contingency table.

Of all labellings with ``tp`` true and ``fp`` false positives the best takes the best positives and the best negatives,
so

    ``value(tp, fp) = margin(loss) - scale(loss) * (own - positive_sums[tp] - negative_sums[fp]) / n``.

Measures of the library are searched by the native core along lines of the table, on each of which the value has one
peak; those of users cell by cell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.groups.base import Violation
from maxmargin.groups.binary import BinaryTarget, Sides

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.intp]
TableLoss = Callable[[Any, Any, Any, Any], Any]

_CELLS = 1 << 20  # of the table, looked at in one go


@dataclass(frozen=True, eq=False)
class Tables:
    """All contingency tables of one group at given scores."""

    loss_of: TableLoss
    sides: Sides
    n: int
    formulation: Formulation

    @classmethod
    def at(cls, loss_of: TableLoss, scores: Floats, target: BinaryTarget, formulation: Formulation) -> Tables:
        return cls(loss_of, Sides.of(scores, target), target.n, formulation)

    @property
    def positives(self) -> int:
        return self.sides.positives.size

    @property
    def negatives(self) -> int:
        return self.sides.negatives.size

    def loss(self, tp: Counts, fp: Counts) -> Floats:
        true, false = tp.astype(np.float64), fp.astype(np.float64)
        return np.asarray(self.loss_of(true, false, self.positives - true, self.negatives - false), dtype=np.float64)

    def lead(self, tp: Counts, fp: Counts) -> Floats:
        """``<w, psi>``: by how much the truth scores above the best labelling of a table."""
        sums = self.sides
        lead: Floats = (sums.positive_sums[-1] - sums.positive_sums[tp] - sums.negative_sums[fp]) / self.n
        return lead

    def value(self, tp: Counts, fp: Counts) -> Floats:
        loss = self.loss(tp, fp)
        value: Floats = self.formulation.margin(loss) - self.formulation.scale(loss) * self.lead(tp, fp)
        return value

    def violation(self, tp: int, fp: int, value: float) -> Violation | None:
        """The labelling of a table, if it is violated; in search of mistakes a tie is one."""
        if not value > 0.0 and not (self.formulation.mistakes and value == 0.0):
            return None
        loss = float(self.loss(np.array([tp]), np.array([fp]))[0])
        return Violation(self.sides.flipped(tp, fp, self.n), loss)


def search_by_name(tables: Tables, loss: str, beta: float = 1.0) -> Violation | None:
    """For the losses that the native core knows: ``O(n log n)``; see ``measures/tables.hpp``."""
    sides, formulation = tables.sides, tables.formulation
    tp, fp, value = _core.search_tables(
        sides.positive_sums,
        sides.negative_sums,
        float(tables.n),
        loss,
        float(beta),
        formulation.rescaling,
        formulation.slack,
        formulation.mistakes,
    )
    return tables.violation(tp, fp, value)


def search_everywhere(tables: Tables) -> Violation | None:
    """For any loss: all ``(P + 1) * (N + 1)`` tables, a block of them at a time."""
    best, at = -np.inf, (0, 0)
    fp = np.arange(tables.negatives + 1)
    rows = max(1, _CELLS // fp.size)
    for first in range(0, tables.positives + 1, rows):
        tp = np.arange(first, min(first + rows, tables.positives + 1))
        values = tables.value(*np.broadcast_arrays(tp[:, None], fp[None, :]))
        if tp[-1] == tables.positives:
            values[-1, 0] = -np.inf
        i, j = np.unravel_index(int(np.argmax(values)), values.shape)
        if values[i, j] > best:
            best, at = float(values[i, j]), (int(tp[i]), int(fp[j]))
    return tables.violation(*at, best)

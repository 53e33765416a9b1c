"""The most violated labelling, from the best score of each contingency table.

Of all labellings with ``tp`` true and ``fp`` false positives the best takes the best positives and the best negatives,
so

    ``value(tp, fp) = margin(loss) - scale(loss) * (own - positive_sums[tp] - negative_sums[fp]) / n``.

A measure that says so is searched along lines of the table, on each of which the value has a single peak.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.measures.base import Violation
from maxmargin.measures.binary import BinaryTarget, Sides
from maxmargin.rescaling import Formulation

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


def search_by_true_positives(tables: Tables) -> Violation | None:
    """For a loss that is concave and does not fall in ``fp`` where ``tp`` is given: ``O(n log n)``."""
    tp = np.arange(tables.positives + 1)
    low, high = np.zeros_like(tp), np.full_like(tp, tables.negatives)
    low[-1] = 1  # with all true and no false positives it is the truth
    return _search_lines(tables, lambda line, fp: line, low, high)


def search_by_predicted(tables: Tables) -> Violation | None:
    """For a loss that is concave and does not fall in ``fp`` where ``tp + fp`` is given: ``O(n log n)``."""
    predicted = np.arange(tables.n + 1)
    low, high = np.maximum(0, predicted - tables.positives), np.minimum(predicted, tables.negatives)
    low[tables.positives] = 1
    return _search_lines(tables, lambda line, fp: line - fp, low, high)


def _search_lines(
    tables: Tables, tp_of: Callable[[Counts, Counts], Counts], low: Counts, high: Counts
) -> Violation | None:
    """The best table of many lines of tables, line ``l`` being ``(tp_of(l, fp), fp)`` for ``low <= fp <= high``."""
    lines = np.flatnonzero(low <= high)
    if not lines.size:
        return None
    low, high = low[lines], high[lines]

    def value(at: Counts, fp: Counts) -> Floats:
        return tables.value(tp_of(lines[at], fp), fp)

    def lead(at: Counts, fp: Counts) -> Floats:
        return tables.lead(tp_of(lines[at], fp), fp)

    if tables.formulation.rescaling == "slack":
        # loss * (1 - lead): 1 - lead is concave, and below its peak both factors grow. Above it they are a product
        # of concave functions, which has one peak as long as both are positive.
        low = _bisected(lambda at, fp: lead(at, fp + 1) < lead(at, fp), low, high)
        fp = _bisected(lambda at, fp: (lead(at, fp) < 1.0) & (value(at, fp + 1) > value(at, fp)), low, high)
    else:
        fp = _bisected(lambda at, fp: value(at, fp + 1) > value(at, fp), low, high)
    values = value(np.arange(lines.size), fp)
    best = int(np.argmax(values))
    return tables.violation(int(tp_of(lines[best], fp[best])), int(fp[best]), float(values[best]))


def _bisected(rises: Callable[[Counts, Counts], npt.NDArray[np.bool_]], low: Counts, high: Counts) -> Counts:
    """The first place ``fp`` of each range from which ``rises(range, fp)`` is false; it must stay so from there on."""
    low, high = low.copy(), high.copy()
    at = np.flatnonzero(low < high)
    while at.size:
        middle = (low[at] + high[at]) // 2
        up = rises(at, middle)
        low[at[up]] = middle[up] + 1
        high[at[~up]] = middle[~up]
        at = at[low[at] < high[at]]
    return low


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

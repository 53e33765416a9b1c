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
_LINES = 1 << 15  # of the table, so that what belongs to them stays in the cache
_PARTS = 16  # into which a range of lines is divided


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
    """For a loss that does not rise in ``tp``, and is concave and does not fall in ``fp`` where ``tp`` is given.

    The best ``fp`` of a line ``tp`` is found by halving. With the loss of its first line and the highest sum of scores
    of all of them, a whole range of lines is bounded in the same way, and left out if the bound is below the best table
    known: ``O(n log n)`` for the two sorts, and few lines are looked at.
    """
    sums, P, N = tables.sides.positive_sums, tables.positives, tables.negatives
    top = int(np.searchsorted(-np.diff(sums), 0.0))  # sums rise up to here, and fall after
    width, first = 1, np.zeros(1, dtype=np.intp)
    while width <= P:
        width *= _PARTS
    best, cell = -np.inf, (0, 0)
    while True:
        lines = first[(first < P) | (N > 0)]  # the line of all positives begins after the truth
        if lines.size:
            fp = _line_peaks(tables, _Line(tables, lines, sums[lines]), (lines == P).astype(np.intp), N)
            values = tables.value(lines, fp)
            at = int(np.argmax(values))
            if values[at] > best:
                best, cell = float(values[at]), (int(lines[at]), int(fp[at]))
        if width == 1:
            return tables.violation(*cell, best)
        range_ = _Line(tables, first, sums[np.clip(top, first, np.minimum(first + width - 1, P))])
        bound = range_.value(np.arange(first.size), _line_peaks(tables, range_, np.zeros_like(first), N))
        width //= _PARTS
        first = (first[bound > best][:, None] + width * np.arange(_PARTS)).ravel()
        first = first[first <= P]


def search_by_predicted(tables: Tables) -> Violation | None:
    """For a loss that is concave and does not fall in ``fp`` where ``tp + fp`` is given: ``O(n log n)``."""
    best, cell = -np.inf, (0, 0)
    for start in range(0, tables.n + 1, _LINES):
        predicted = np.arange(start, min(start + _LINES, tables.n + 1))
        low, high = np.maximum(0, predicted - tables.positives), np.minimum(predicted, tables.negatives)
        low[predicted == tables.positives] = 1  # after the truth
        kept = np.flatnonzero(low <= high)
        line = _Diagonal(tables, predicted[kept])
        fp = _line_peaks(tables, line, low[kept], high[kept])
        values = line.value(np.arange(fp.size), fp)
        at = int(np.argmax(values)) if values.size else 0
        if values.size and values[at] > best:
            best, cell = float(values[at]), (int(line.predicted[at] - fp[at]), int(fp[at]))
    return tables.violation(*cell, best)


@dataclass(frozen=True, eq=False)
class _Line:
    """Tables with ``tp`` given, and with a sum of scores in place of that of the best ``tp`` positives."""

    tables: Tables
    tp: Counts
    sums: Floats

    def lead(self, at: Counts, fp: Counts) -> Floats:
        sides = self.tables.sides
        lead: Floats = (sides.positive_sums[-1] - self.sums[at] - sides.negative_sums[fp]) / self.tables.n
        return lead

    def value(self, at: Counts, fp: Counts) -> Floats:
        loss, formulation = self.tables.loss(self.tp[at], fp), self.tables.formulation
        value: Floats = formulation.margin(loss) - formulation.scale(loss) * self.lead(at, fp)
        return value


@dataclass(frozen=True, eq=False)
class _Diagonal:
    """Tables with ``tp + fp`` given."""

    tables: Tables
    predicted: Counts

    def lead(self, at: Counts, fp: Counts) -> Floats:
        return self.tables.lead(self.predicted[at] - fp, fp)

    def value(self, at: Counts, fp: Counts) -> Floats:
        return self.tables.value(self.predicted[at] - fp, fp)


def _line_peaks(tables: Tables, line: _Line | _Diagonal, low: Counts, high: Counts | int) -> Counts:
    """The ``fp`` of the highest value on each line, ``low <= fp <= high``."""
    high = np.broadcast_to(high, low.shape)
    if tables.formulation.rescaling != "slack":  # concave
        return _bisected(lambda at, fp: line.value(at, fp + 1) > line.value(at, fp), low, high)
    # loss * (1 - lead): 1 - lead is concave, and below its peak both factors grow. Above it they are a product of
    # concave functions, which has one peak as long as both are positive.
    low = _bisected(lambda at, fp: line.lead(at, fp + 1) < line.lead(at, fp), low, high)
    return _bisected(
        lambda at, fp: (line.lead(at, fp) < 1.0) & (line.value(at, fp + 1) > line.value(at, fp)), low, high
    )


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

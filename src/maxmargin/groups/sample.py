"""Samples: one training example is a group of rows, and its loss a measure of the whole group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.core.vectors import compact
from maxmargin.groups.base import Measure, Violation
from maxmargin.groups.graded import GradedTarget
from maxmargin.groups.grouped import GroupedMeasure, Violations
from maxmargin.groups.swapped_pairs import SwappedPairs
from maxmargin.oracles.base import Capabilities, Cut, Stop
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.plane_by_plane import CALL, PlaneOracle, PlanesEngine
from maxmargin.oracles.plane_sums import Plane
from maxmargin.oracles.portions import until
from maxmargin.oracles.search import Unsupported
from maxmargin.rows.groups import RowGroups

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Group = Indices | None

_NEWTON_COLUMNS = 64  # beyond, the matrices of Newton's method cost more than the cuts that they save
_MOST_GRADES = 16  # a row meets each of the other grades of its group apart


@dataclass(frozen=True, eq=False)
class SampleInput:
    """Packed rows and the groups that they form.

    Parameters
    ----------
    rows : all rows
    groups : row numbers of each group, int32; a row may be in several groups and several times in one (repetition).
        None is one group of all rows.
    names : what to call the groups in messages
    """

    rows: _core.Rows
    groups: Sequence[Indices] | None = None
    names: Sequence[str] | None = None

    @property
    def members(self) -> list[Group]:
        return [None] if self.groups is None else list(self.groups)

    def name(self, g: int) -> str:
        if self.names is not None:
            return self.names[g]
        return "the sample" if self.groups is None else f"group {g}"


@dataclass(frozen=True, eq=False)
class Sample:
    """The structure behind ``MeasureSVC`` and ``RankingSVM``: ``bind`` gives the oracle of a measure over groups."""

    measure: Measure

    def bind(
        self,
        X: SampleInput,
        Y: npt.NDArray[Any],
        formulation: Formulation,
        *,
        sample_weight: Floats | None = None,
        threads: int = 1,
    ) -> SampleOracle:
        """``Y`` is the truth of each row, ``sample_weight`` the weight of each group."""
        if len(Y) != X.rows.n:
            raise ValueError(f"X has {X.rows.n} rows and Y has {len(Y)}; they must match.")
        return SampleOracle(self.measure, X, np.asarray(Y), formulation, sample_weight, threads)


class SampleOracle(PlaneOracle):
    """Planes of groups of rows. A pass over all groups makes one product with the rows, ``X w``, searches in the
    scores, and makes one product for the summed plane, ``X' c``."""

    def __init__(
        self,
        measure: Measure,
        X: SampleInput,
        truth: npt.NDArray[Any],
        formulation: Formulation,
        sample_weight: Floats | None,
        threads: int,
    ) -> None:
        refused = measure.refusal(formulation)
        if refused is not None:
            raise Unsupported(refused)
        self.measure, self.formulation, self.sample_weight, self.threads = measure, formulation, sample_weight, threads
        groups = None if X.groups is None else RowGroups.of(X.groups)
        self._rows, self._groups, self._truth = X.rows, [None] if groups is None else groups, truth
        self.n = len(self._groups)
        self.dimension = X.rows.columns
        self.capabilities = Capabilities(CALL, 2.0 * X.rows.cells, joint=isinstance(measure, GroupedMeasure))
        self._names = [X.name(g) for g in range(self.n)] if X.names is None else X.names
        in_order = groups is None or groups.all_in_order(X.rows.n)
        self._members = None if groups is None or in_order else groups.members  # rows, group after group
        self._offsets = np.array([0, X.rows.n], dtype=np.int64) if groups is None else groups.offsets
        self._together: Any = None  # what a measure that searches all groups at once needs of them
        self._targets: list[Any] = [None] * self.n
        if isinstance(measure, GroupedMeasure):
            self._together = measure.prepare_groups(self._of_members(truth), self._offsets, self._names)
        else:
            self._targets = [self._prepared(g) for g in range(self.n)]

    def _of_members(self, of_rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return of_rows if self._members is None else of_rows[self._members]

    def _prepared(self, g: int) -> Any:
        group = self._groups[g]
        return self.measure.prepare(self._truth if group is None else self._truth[group], self._names[g])

    def _scores(self, w: Floats) -> Floats:
        scores: Floats = self._rows.products(w, None, self.threads)
        return scores

    def _search(self, g: int, scores: Floats) -> Violation | None:
        if self._targets[g] is None:
            self._targets[g] = self._prepared(g)
        found = self.measure.search(scores, self._targets[g], self.formulation)
        if found is not None and not found.exact:
            self.give_up_exactness()
        return found

    def _search_all(self, scores: Floats, stop: Stop | None) -> Violations:
        """The most violated output of every group, from the scores of its members."""
        if isinstance(self.measure, GroupedMeasure):
            return self.measure.search_groups(scores, self._together, self.formulation, self.threads)
        coefficients, loss = np.zeros(scores.size), np.zeros(self.n)
        violated = np.zeros(self.n, dtype=bool)
        for g in until(range(self.n), stop):
            part = slice(self._offsets[g], self._offsets[g + 1])
            found = self._search(g, scores[part])
            if found is not None:
                coefficients[part], loss[g], violated[g] = found.coefficients, found.loss, True
        return Violations(coefficients, loss, violated)

    def plane(self, i: int, w: Floats) -> Plane | None:
        group = self._groups[i]
        found = self._search(i, self._rows.products(w, group, self.threads))
        if found is None:
            return None
        scale = float(self.formulation.scale(found.loss))
        a = self._rows.combine(scale * found.coefficients, group, self.threads)
        return compact(a), float(self.formulation.margin(found.loss))

    def slacks(self, w: Floats, stop: Stop | None = None) -> Floats:
        scores = self._of_members(self._scores(w))
        return np.maximum(0.0, self._search_all(scores, stop).values(scores, self._offsets, self.formulation))

    def cut(self, w: Floats, stop: Stop | None = None) -> Cut:
        scores = self._of_members(self._scores(w))
        found = self._search_all(scores, stop)
        slack = np.maximum(0.0, found.values(scores, self._offsets, self.formulation))
        weight = np.where(slack > 0.0, 1.0 if self.sample_weight is None else self.sample_weight, 0.0)
        squared = self.formulation.slack == "squared"
        factor = weight * slack if squared else weight
        steps = np.repeat(factor * self.formulation.scale(found.loss), np.diff(self._offsets)) * found.coefficients
        total: Floats = steps
        if self._members is not None:
            total = np.bincount(self._members, steps, self._rows.n).astype(np.float64)
        b = float(factor @ self.formulation.margin(found.loss)) - (0.5 * float(weight @ slack**2) if squared else 0.0)
        return Cut(compact(self._rows.combine(total, None, self.threads)), b, slack)

    def engine(self, C: float) -> PlanesEngine:
        return PlanesEngine(self, C, self._rows if self._rows.has_kernel else None)

    def smoothed(self, C: float) -> _core.PairNewton | None:
        """The objective for Newton's method, where it is a sum over pairs and both columns and grades are few."""
        plain = (self.formulation.rescaling, self.formulation.slack) == ("margin", "linear")
        if not plain or self.formulation.mistakes or not isinstance(self.measure, SwappedPairs):
            return None
        target: GradedTarget = self._together
        grades = np.maximum.reduceat(target.rank, target.offsets[:-1])
        if self.dimension > _NEWTON_COLUMNS or grades @ np.diff(target.offsets) > _MOST_GRADES * target.n:
            return None
        weight = None if self.sample_weight is None else np.ascontiguousarray(self.sample_weight, dtype=np.float64)
        return _core.PairNewton(self._rows, self._members, target.offsets, target.rank, weight, C, self.threads)

    def fingerprint(self) -> str:
        kind = (self.measure, self.formulation, self._rows.columns, self._rows.fingerprint())
        return digest(*kind, *self._groups, self._truth, self.sample_weight)

    def keys(self) -> list[str]:
        everyone = np.arange(self._rows.n, dtype=np.int32)
        kind = (self.measure, self.formulation, self._rows.columns)
        members = [everyone if group is None else group for group in self._groups]
        return [digest(*kind, self._truth[rows], *self._rows.cells_of(rows)) for rows in members]

    def definitions(self) -> tuple[Any, ...]:
        return (self.measure,)

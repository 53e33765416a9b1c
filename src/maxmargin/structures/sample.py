"""Samples: one training example is a group of rows, and its loss a measure of the whole group."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.measures.base import Measure, Violation
from maxmargin.oracles.base import Cut
from maxmargin.oracles.plane_by_plane import Plane, PlaneOracle
from maxmargin.oracles.search import Unsupported
from maxmargin.rescaling import Formulation
from maxmargin.vectors import compact

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Group = Indices | None


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
        self._rows, self._groups, self._truth = X.rows, X.members, truth
        self.n = len(self._groups)
        self.dimension = X.rows.columns
        self.exact = True
        self._targets = [
            measure.prepare(truth if group is None else truth[group], X.name(g)) for g, group in enumerate(self._groups)
        ]

    def _scores(self, w: Floats) -> Floats:
        scores: Floats = self._rows.products(w, None, self.threads)
        return scores

    def _search(self, g: int, scores: Floats) -> Violation | None:
        found = self.measure.search(scores, self._targets[g], self.formulation)
        if found is not None:
            self.exact = self.exact and found.exact
        return found

    def plane(self, i: int, w: Floats) -> Plane | None:
        group = self._groups[i]
        found = self._search(i, self._rows.products(w, group, self.threads))
        if found is None:
            return None
        scale = float(self.formulation.scale(found.loss))
        a = self._rows.combine(scale * found.coefficients, group, self.threads)
        return compact(a), float(self.formulation.margin(found.loss))

    def slacks(self, w: Floats) -> Floats:
        slack = np.zeros(self.n)
        scores = self._scores(w)
        for g, group in enumerate(self._groups):
            own = scores if group is None else scores[group]
            found = self._search(g, own)
            if found is not None:
                slack[g] = max(0.0, found.value(own, self.formulation))
        return slack

    def cut(self, w: Floats, *, fresh: bool = True) -> Cut:
        if not fresh:
            raise ValueError("A sample keeps no planes: ask for a fresh cut.")
        scores, squared = self._scores(w), self.formulation.slack == "squared"
        slack, total, b = np.zeros(self.n), np.zeros(self._rows.n), 0.0
        for g, group in enumerate(self._groups):
            own = scores if group is None else scores[group]
            found = self._search(g, own)
            if found is None:
                continue
            value = found.value(own, self.formulation)
            slack[g] = max(0.0, value)
            weight = 1.0 if self.sample_weight is None else self.sample_weight[g]
            if value <= 0.0 or weight == 0.0:
                continue
            factor = weight * value if squared else weight
            step = factor * float(self.formulation.scale(found.loss)) * found.coefficients
            if group is None:
                total += step
            else:
                np.add.at(total, group, step)
            b += factor * float(self.formulation.margin(found.loss)) - (0.5 * weight * value**2 if squared else 0.0)
        return Cut(compact(self._rows.combine(total, None, self.threads)), b, slack)

    def fingerprint(self) -> str:
        seen = hashlib.blake2b(f"{self.measure!r} {self.formulation!r} {self._rows.fingerprint()}".encode())
        for group in self._groups:
            seen.update(b"all" if group is None else group.tobytes())
        weight = np.zeros(0) if self.sample_weight is None else self.sample_weight
        for part in (self._truth, weight):
            seen.update(np.ascontiguousarray(part).tobytes())
        return seen.hexdigest()

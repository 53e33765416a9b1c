"""Oracles that find one plane at a time in Python: what follows from ``plane(i, w)`` alone, and their dual engine."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin._core import PlaneEngine, Rows, VisitResult, VisitSettings
from maxmargin.core.planes import Planes
from maxmargin.core.vectors import SparseVector, Vector, add_to, dot, norm_square, stack
from maxmargin.oracles.base import Cut, OnlineWalk, Oracle, Stop
from maxmargin.oracles.engine import DualState, Engine
from maxmargin.oracles.native import csr_planes
from maxmargin.oracles.plane_sums import Plane, sum_planes
from maxmargin.oracles.portions import until

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


CALL = 1e5
"""What a call of a Python method costs, in multiplications."""


class PlaneOracle(Oracle):
    """An oracle whose subclass finds the most violated plane of an example, ``plane(i, w)``."""

    batch = 1  # examples asked for at one w where each is followed by a step

    @abstractmethod
    def plane(self, i: int, w: Floats) -> Plane | None:
        """The most violated plane of example ``i``, or None if that is the truth's (zero)."""

    def ask(self, examples: Indices, w: Floats) -> Iterable[Plane | None]:
        """The most violated plane of each of the examples."""
        return [self.plane(int(i), w) for i in examples]

    def ask_all(self, w: Floats) -> Iterator[tuple[int, Plane | None]]:
        """Every example with its most violated plane at ``w``."""
        return ((i, self.plane(i, w)) for i in range(self.n))

    def portions(self, order: Indices) -> list[Indices]:
        """Pieces after each of which limits are looked at: a call of a user's method may take any time."""
        return [order[first : first + self.batch] for first in range(0, order.size, self.batch)]

    def slacks(self, w: Floats, stop: Stop | None = None) -> Floats:
        slack = np.zeros(self.n)
        for i, plane in until(self.ask_all(w), stop):
            if plane is not None:
                slack[i] = max(0.0, plane[1] - dot(plane[0], w))
        return slack

    def planes(self, w: Floats, examples: Indices) -> Planes:
        empty = SparseVector(np.zeros(0, np.int32), np.zeros(0))
        found = [self.plane(int(i), w) or (empty, 0.0) for i in examples]
        return Planes(
            stack([a for a, _ in found], self.dimension), np.array([b for _, b in found]), examples, self.exact
        )

    def cut(self, w: Floats, stop: Stop | None = None) -> Cut:
        return sum_planes(self, until(self.ask_all(w), stop), w)

    def accumulate(self, walk: OnlineWalk, order: Indices, numerator: float) -> int:
        added = 0
        for i in order:
            w = walk.v * (numerator / max(1, walk.first + walk.done)) if numerator else walk.v
            walk.done += 1
            plane = self.plane(int(i), w)
            weight = 1.0 if self.sample_weight is None else self.sample_weight[i]
            if plane is None or weight == 0.0:
                continue
            value = plane[1] - dot(plane[0], w)
            if value <= 0.0 and not self.formulation.mistakes:
                continue
            factor = weight * value if self.formulation.slack == "squared" else weight
            add_to(walk.v, plane[0], factor)
            add_to(walk.late, plane[0], walk.done * factor)
            added += 1
        return added

    def steepness(self) -> float:
        found = (self.plane(i, np.zeros(self.dimension)) for i in range(min(self.n, 100)))
        return max((norm_square(plane[0]) for plane in found if plane is not None), default=1.0)

    def moved(self, state: DualState, codes: Indices) -> DualState:
        raise ValueError("The planes of this oracle are rows, which are kept by the keys of their examples.")

    def engine(self, C: float) -> PlanesEngine:
        return PlanesEngine(self, C)

    def expand(self, state: DualState) -> Planes:
        if state.planes is None:
            raise ValueError("This dual state has no planes; it does not belong to a Python problem.")
        return state.planes


class PlanesEngine(Engine):
    """The dual engine on planes that Python finds, kept as rows.

    ``rows`` are those that planes are combinations of where these rows have a kernel: then somebody else keeps the
    scores of all rows up to date.
    """

    def __init__(self, oracle: PlaneOracle, C: float, rows: Rows | None = None) -> None:
        self.oracle, self._refreshes = oracle, rows is None
        weight, slack = oracle.sample_weight, oracle.formulation.slack
        self.core: PlaneEngine = PlaneEngine(oracle.n, oracle.dimension, slack, C, weight, rows)
        self._excess = np.zeros(oracle.n, dtype=np.float32)
        self._budget: Floats = C * (np.ones(oracle.n) if weight is None else weight)

    @property
    def gaps(self) -> npt.NDArray[np.float32]:
        """Of each block when it was visited last; a plane that was only collected then counts too."""
        gaps: npt.NDArray[np.float32] = self.core.gaps + self._excess
        return gaps

    def visit(self, order: Indices, settings: VisitSettings, capacity: int | None = None) -> VisitResult:
        total, core, batch = VisitResult(), self.core, self.oracle.batch
        for start in range(0, order.size, batch):
            part = order[start : start + batch]
            for place, plane in enumerate(self.oracle.ask(part, core.weights)):
                self._visit_one(part[place : place + 1], plane, place == 0, settings, total)
                if capacity is not None:
                    core.merge(part[place : place + 1], capacity)
                if total.unbounded or 0 < settings.max_added <= total.added:
                    return total
        return total

    def _visit_one(
        self, example: Indices, plane: Plane | None, current: bool, settings: VisitSettings, total: VisitResult
    ) -> None:
        """A visit to one example with the plane found for it, at the ``current`` weights or a few steps ago."""
        core, i = self.core, int(example[0])
        held, w = core.slack(i), core.weights
        value = 0.0 if plane is None else plane[1] - dot(plane[0], w)
        if current and held > max(0.0, value):
            self.oracle.contradicted(i, w, max(0.0, value), held)
        enters = plane is not None and value > held + settings.threshold
        steps = settings.steps
        if enters and steps:
            total.added += add_plane(core, i, *plane)  # type: ignore[misc]
        total.merge(core.visit(example, settings))
        self._excess[i] = 0.0
        if not steps and value > held:
            squared = self.oracle.formulation.slack == "squared"
            self._excess[i] = self._budget[i] * (0.5 * (value**2 - held**2) if squared else value - held)
        if enters and not steps:  # after the visit, which would drop a plane that is not in use yet
            total.added += add_plane(core, i, *plane)  # type: ignore[misc]

    def state(self) -> DualState:
        if self._refreshes:
            self.core.refresh()
        example, output, alpha = self.core.support()
        planes = csr_planes(self.core.planes(), example, self.oracle.dimension, self.oracle.exact)
        return DualState(example, output, alpha, planes)

    def restore(self, state: DualState) -> None:
        planes = self.oracle.expand(state)
        rows = sp.csr_array(planes.a)
        alpha = self.core.support()[2].tolist()  # of examples before these, where their state comes in parts
        for k, i in enumerate(planes.example):
            part = slice(rows.indptr[k], rows.indptr[k + 1])
            row = SparseVector(rows.indices[part].astype(np.int32), rows.data[part])
            if add_plane(self.core, int(i), row, float(planes.b[k])):
                alpha.append(state.alpha[k])
        self.core.set_alpha(np.array(alpha, dtype=np.float64))


class PlaneHolder(Protocol):
    """What planes are added to."""

    def add_sparse(self, block: int, index: Indices, value: Floats, b: float) -> bool: ...
    def add_dense(self, block: int, value: Floats, b: float) -> bool: ...


def add_plane(core: PlaneHolder, block: int, a: Vector, b: float) -> bool:
    """Takes a plane into a native block; false if an equal one is there."""
    if isinstance(a, SparseVector):
        return core.add_sparse(block, a.index, a.value, b)
    return core.add_dense(block, a, b)

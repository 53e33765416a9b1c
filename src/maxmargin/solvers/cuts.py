"""The small dual of the 1-slack form, over the cuts found so far."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin._core import PlaneEngine, VisitSettings
from maxmargin.core.planes import Planes
from maxmargin.core.points import Point, WeightSpace
from maxmargin.core.vectors import Vector
from maxmargin.oracles.engine import DualState
from maxmargin.oracles.plane_by_plane import add_plane
from maxmargin.solvers.interior import cost_of_dual, solve_dual

Floats = npt.NDArray[np.float64]

_ONLY = np.zeros(1, dtype=np.int32)
_FINER = 0.01  # of the precision asked for, where what was found before is within that
_STEPS = 200_000  # between cuts, at most
_FEWEST_STEPS = 2_000  # that show how fast they are
_STEP = 2.0  # multiplications of a step for each cut
_CALL = 1e5  # multiplications that take as long as what Python does for a cut


class Cuts(ABC):
    """Cuts and their dual variables.

    max_alpha  <b, alpha> - 1/2 |A' alpha|^2,   alpha >= 0,  sum alpha <= C

    ``effort`` are the multiplications of the last cut taken in and solved for, roughly; 0 where nobody counts them.
    """

    effort: float = 0.0

    @property
    @abstractmethod
    def weights(self) -> Point:
        """``w = A' alpha``."""

    @property
    @abstractmethod
    def dual(self) -> float: ...

    @property
    @abstractmethod
    def offset(self) -> float:
        """The dual plus ``1/2 |w|^2``."""

    @property
    @abstractmethod
    def plane_count(self) -> int:
        """The number of cuts."""

    @property
    @abstractmethod
    def slack(self) -> float:
        """``max(0, max_k b - <a, w>)`` over the cuts held."""

    @abstractmethod
    def add(self, a: Any, b: float) -> None:
        """Takes a cut in."""

    @abstractmethod
    def solve(self, precision: float) -> bool:
        """Solves the dual over the cuts to a gap of ``C precision``; false where it took all steps that it may."""

    @abstractmethod
    def state(self, exact: bool) -> DualState:
        """The cuts and their dual variables; ``exact`` says whether their planes were the highest where they were
        found."""

    @abstractmethod
    def restore(self, state: DualState) -> None:
        """Takes up the cuts of an earlier state."""


def cuts_of(state: DualState) -> list[tuple[Any, float]]:
    """The cuts ``(a, b)`` of a dual state."""
    if state.handles is not None:
        return list(state.handles)
    assert state.planes is not None
    rows = state.planes.a.toarray() if sp.issparse(state.planes.a) else state.planes.a
    return [(np.ascontiguousarray(row), float(b)) for row, b in zip(rows, state.planes.b)]


def within_cap(alpha: Floats, C: float) -> Floats:
    """Dual variables made smaller where their sum is more than the cap."""
    total = float(alpha.sum())
    return alpha * (C / total) if total > C else alpha.copy()


class CutRows(Cuts):
    """Cuts as rows of numbers in a native engine of one block.

    Parameters
    ----------
    dimension : of the rows
    C : the cap
    step : of the engine: ``'exact'``, or ``'line-search'`` towards the new cut only
    keep_idle : calls of ``solve`` for which a cut out of use is kept
    """

    def __init__(self, dimension: int, C: float, step: str, keep_idle: int) -> None:
        self._dimension, self._C, self._step, self._keep_idle = dimension, C, step, keep_idle
        self._core = PlaneEngine(1, dimension, "linear", C, None)

    @property
    def weights(self) -> Floats:
        return self._core.weights

    @property
    def dual(self) -> float:
        return self._core.dual

    @property
    def offset(self) -> float:
        return self._core.offset

    @property
    def plane_count(self) -> int:
        return self._core.plane_count

    @property
    def slack(self) -> float:
        return self._core.slack(0)

    def add(self, a: Vector, b: float) -> None:
        add_plane(self._core, 0, a, b)

    def solve(self, precision: float) -> bool:
        """By steps, and at once where these have cost as much as that does."""
        price = cost_of_dual(self.plane_count, self._dimension) / (4.0 * self.plane_count)
        steps = int(np.clip(price, _FEWEST_STEPS, _STEPS))
        settings = VisitSettings(step=self._step, precision=precision, max_steps=steps, keep_idle=self._keep_idle)
        taken = self._core.visit(_ONLY, settings).steps
        self.effort = _CALL + self.plane_count * (self._dimension + _STEP * taken)
        if taken < steps:
            return True
        self.effort += cost_of_dual(self.plane_count, self._dimension)
        return self._solve_at_once(precision)

    def _solve_at_once(self, precision: float) -> bool:
        before, alpha = self.dual, self._core.support()[2]
        answer = solve_dual(self._planes(0, True), "linear", np.array([self._C]))
        if answer is None:
            return False
        self._core.set_alpha(answer.alpha)
        if not self.dual > before:
            self._core.set_alpha(alpha)
        return bool(answer.primal - self.dual <= self._C * precision)

    def _planes(self, example: int, exact: bool) -> Planes:
        offsets, index, value, b = self._core.planes()
        rows = sp.csr_array((value, index, offsets), shape=(b.size, self._dimension))
        return Planes(rows, b, np.full(b.size, example, dtype=np.int32), exact)

    def state(self, exact: bool) -> DualState:
        self._core.refresh()
        _, number, alpha = self._core.support()
        planes = self._planes(-1, exact)
        return DualState(planes.example, number, alpha, planes, cuts=True)

    def restore(self, state: DualState) -> None:
        alpha = [weight for (a, b), weight in zip(cuts_of(state), state.alpha) if add_plane(self._core, 0, a, b)]
        self._core.set_alpha(np.array(alpha, dtype=np.float64))


class CutProducts(Cuts):
    """Cuts of which only inner products are known, wherever they live.

    The dual is solved over rows ``L`` with ``L L' = A A'``, as many as there are cuts. A cut that was of no use for
    ``keep_idle`` calls of ``solve`` is forgotten.
    """

    def __init__(self, space: WeightSpace, C: float, keep_idle: int) -> None:
        self._space, self._C, self._keep_idle = space, C, keep_idle
        self._a: list[Any] = []
        self._b, self._alpha, self._products = np.zeros(0), np.zeros(0), np.zeros((0, 0))
        self._idle = np.zeros(0, dtype=np.int64)
        self._w = space.zero()

    @property
    def weights(self) -> Point:
        return self._w

    @property
    def dual(self) -> float:
        return self._dual(self._alpha)

    @property
    def offset(self) -> float:
        return float(self._b @ self._alpha)

    @property
    def plane_count(self) -> int:
        return len(self._a)

    @property
    def slack(self) -> float:
        return max(0.0, float((self._b - self._products @ self._alpha).max(initial=0.0)))

    def add(self, a: Any, b: float) -> None:
        self._a.append(a)
        row = np.array([self._space.dot(a, other) for other in self._a])
        size = len(self._a)
        products = np.zeros((size, size))
        products[:-1, :-1], products[-1], products[:, -1] = self._products, row, row
        self._products, self._b = products, np.append(self._b, b)
        self._alpha, self._idle = np.append(self._alpha, 0.0), np.append(self._idle, 0)

    def solve(self, precision: float) -> bool:
        values, vectors = np.linalg.eigh(self._products)
        rows = vectors * np.sqrt(np.maximum(values, 0.0))
        planes = Planes(sp.csr_array(rows), self._b, np.zeros(len(self._a), dtype=np.int32))
        answer = solve_dual(planes, "linear", np.array([self._C]))
        if answer is not None:
            found = answer.alpha if self._dual(answer.alpha) > self.dual else self._stepped(rows, _FINER * precision)
            if self._dual(found) > self.dual:
                self._move(found)
        solved = answer is not None and answer.primal - self.dual <= self._C * precision
        self._idle = np.where(self._alpha > 0.0, 0, self._idle + 1)
        kept = np.flatnonzero(self._idle <= self._keep_idle)
        self._a, self._products = [self._a[k] for k in kept], self._products[np.ix_(kept, kept)]
        self._b, self._alpha, self._idle = self._b[kept], self._alpha[kept], self._idle[kept]
        return bool(solved)

    def _stepped(self, rows: Floats, precision: float) -> Floats:
        """Dual variables after exact steps between cuts, which gain where all at once are not exact enough."""
        core = PlaneEngine(1, rows.shape[1], "linear", self._C, None)
        own = np.array([add_plane(core, 0, row, b) for row, b in zip(rows, self._b.tolist())], dtype=np.bool_)
        core.set_alpha(within_cap(self._alpha[own], self._C))
        core.visit(_ONLY, VisitSettings(step="exact", precision=precision, max_steps=_STEPS, keep_idle=2**30))
        _, number, alpha = core.support()
        moved = np.zeros_like(self._alpha)
        moved[np.flatnonzero(own)[number]] = alpha
        return moved

    def state(self, exact: bool) -> DualState:
        """``handles`` are the cuts, ``(a, b)``."""
        nobody, number = np.full(len(self._a), -1, dtype=np.int32), np.arange(len(self._a), dtype=np.int32)
        return DualState(nobody, number, self._alpha, cuts=True, handles=list(zip(self._a, self._b.tolist())))

    def restore(self, state: DualState) -> None:
        for a, b in cuts_of(state):
            self.add(a, b)
        self._move(within_cap(state.alpha, self._C))

    def _dual(self, alpha: Floats) -> float:
        return float(self._b @ alpha) - 0.5 * float(alpha @ self._products @ alpha)

    def _move(self, alpha: Floats) -> None:
        self._alpha = alpha
        self._w = self._space.combination(alpha.tolist(), self._a) if self._a else self._space.zero()

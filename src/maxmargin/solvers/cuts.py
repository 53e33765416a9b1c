"""The small dual of the 1-slack form, over the cuts found so far."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin._core import PlaneEngine, VisitSettings
from maxmargin.core.planes import Planes
from maxmargin.core.vectors import Vector
from maxmargin.oracles.engine import DualState
from maxmargin.oracles.plane_by_plane import add_plane
from maxmargin.solvers.interior import cost_of_dual, solve_dual

Floats = npt.NDArray[np.float64]

_ONLY = np.zeros(1, dtype=np.int32)
_STEPS = 200_000  # between cuts, at most
_FEWEST_STEPS = 2_000  # that show how fast they are


class Cuts(ABC):
    """Cuts and their dual variables.

    max_alpha  <b, alpha> - 1/2 |A' alpha|^2,   alpha >= 0,  sum alpha <= C
    """

    @property
    @abstractmethod
    def weights(self) -> Floats:
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
    def add(self, a: Vector, b: float) -> None:
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
        return self._core.visit(_ONLY, settings).steps < steps or self._solve_at_once(precision)

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
        if state.planes is None:
            return
        rows = state.planes.a.toarray() if sp.issparse(state.planes.a) else state.planes.a
        alpha = [
            weight
            for row, b, weight in zip(rows, state.planes.b, state.alpha)
            if self._core.add_dense(0, np.ascontiguousarray(row), float(b))
        ]
        self._core.set_alpha(np.array(alpha, dtype=np.float64))

"""The dual over cuts where weights have bounds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.core.planes import Planes
from maxmargin.core.weight_bounds import Bounds
from maxmargin.solvers.interior import solve_dual

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_ROUNDS = 50  # of weights that are let go and held again; a few are the rule
_SHORTEST = 1e-6  # of the way to the next point


class BoundedCuts:
    """Cuts and their dual variables, as a ``PlaneEngine`` of one block has them, for weights with bounds.

        max_alpha  D(alpha) = <b, alpha> + min_w 1/2 |w|^2 - <A' alpha, w>,   alpha >= 0,  sum alpha <= C

    The minimum over the w within the bounds is at the point nearest to ``A' alpha``, so D is concave with the slope
    ``b - A w``, and quadratic as long as the same weights are held at their bounds. Each round solves the dual over the
    weights that are free (Newton's method for such functions) and goes to that point, or part of the way where D would
    fall.
    """

    def __init__(self, dimension: int, C: float, bounds: Bounds) -> None:
        self._C, self._bounds, self._dimension = C, bounds, dimension
        self._a = np.zeros((0, dimension))
        self._b = np.zeros(0)
        self._idle = np.zeros(0, dtype=np.int64)
        self._alpha = np.zeros(0)
        self._update()

    @property
    def weights(self) -> Floats:
        """Within the bounds."""
        return self._w

    @property
    def dual(self) -> float:
        return self._dual

    @property
    def offset(self) -> float:
        """The dual plus ``1/2 |w|^2``."""
        return self._dual + 0.5 * float(self._w @ self._w)

    @property
    def plane_count(self) -> int:
        return self._b.size

    def slack(self, block: int) -> float:
        """``max(0, max_k b - <a, w>)`` over the cuts held."""
        return max(0.0, float((self._b - self._a @ self._w).max())) if self.plane_count else 0.0

    def add_dense(self, block: int, value: Floats, b: float) -> bool:
        self._a = np.vstack([self._a, value])
        self._b, self._alpha = np.append(self._b, b), np.append(self._alpha, 0.0)
        self._idle = np.append(self._idle, 0)
        return True

    def add_sparse(self, block: int, index: Indices, value: Floats, b: float) -> bool:
        row = np.zeros(self._dimension)
        row[index] = value
        return self.add_dense(block, row, b)

    def solve(self, precision: float, keep_idle: int) -> None:
        """Solves the dual over the cuts to a gap of ``C precision``, and forgets those that were of no use for
        ``keep_idle`` calls."""
        for _ in range(_ROUNDS):
            if not self._round(precision * self._C):
                break
        self._idle = np.where(self._alpha > 0.0, 0, self._idle + 1)
        kept = self._idle <= keep_idle
        if not kept.all():
            self._a, self._b, self._alpha = self._a[kept], self._b[kept], self._alpha[kept]
            self._idle = self._idle[kept]

    def set_alpha(self, alpha: Floats) -> None:
        total = float(alpha.sum())
        self._alpha = alpha * min(1.0, self._C / total) if total > 0.0 else alpha.copy()
        self._update()

    def support(self) -> tuple[Indices, Indices, Floats]:
        """Block, number and dual variable of each cut."""
        return np.zeros(self.plane_count, dtype=np.int32), np.arange(self.plane_count, dtype=np.int32), self._alpha

    def planes(self) -> tuple[Indices, Indices, Floats, Floats]:
        """The cuts as CSR rows, in the order of ``support``."""
        rows = sp.csr_array(self._a)
        return rows.indptr, rows.indices, rows.data, self._b

    def refresh(self) -> None:
        """Nothing is ever out of date."""

    def _round(self, enough: float) -> bool:
        """One step; whether it was worth it and another may be."""
        gap = 0.5 * float(self._w @ self._w) + self._C * self.slack(0) - self._dual
        if gap <= enough:
            return False
        free = (
            self._w == self._v
        )  # the slope of the dual over them is then that of D, so that D grows towards its maximum
        fixed = np.where(free, 0.0, self._w)
        number = np.zeros(self.plane_count, dtype=np.int32)
        planes = Planes(sp.csr_array(self._a * free), self._b - self._a @ fixed, number)
        answer = solve_dual(planes, "linear", np.array([self._C]))
        if answer is None:
            return False
        before, alpha, length = self._dual, self._alpha, 1.0
        while length > _SHORTEST:
            self._alpha = alpha + length * (answer.alpha - alpha)
            self._update()
            if self._dual > before:
                return True
            length *= 0.5
        self._alpha = alpha
        self._update()
        return False

    def _update(self) -> None:
        self._v = self._alpha @ self._a
        self._w = self._bounds.nearest(self._v)
        self._dual = float(self._b @ self._alpha) + 0.5 * float(self._w @ self._w) - float(self._v @ self._w)

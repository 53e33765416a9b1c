"""The dual over cuts where weights have bounds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.optimize import brentq

from maxmargin.core.planes import Planes
from maxmargin.core.vectors import Vector, add_to
from maxmargin.core.weight_bounds import Bounds
from maxmargin.oracles.engine import DualState
from maxmargin.solvers.cuts import Cuts, cuts_of, within_cap
from maxmargin.solvers.interior import solve_dual

Floats = npt.NDArray[np.float64]

_ROUNDS = 50  # of weights that are let go and held again; a few are the rule
_SHORTEST = 1e-6  # of the way to the next point
_PAIRS = 500  # moves between two cuts


class BoundedCuts(Cuts):
    """Cuts and their dual variables for weights with bounds.

        max_alpha  D(alpha) = <b, alpha> + min_w 1/2 |w|^2 - <A' alpha, w>,   alpha >= 0,  sum alpha <= C

    The minimum over the w within the bounds is at the point nearest to ``A' alpha``, so D is concave with the slope
    ``b - A w``, and quadratic as long as the same weights are held at their bounds. Each round solves the dual over the
    weights that are free (Newton's method for such functions) and goes to that point, or part of the way where D would
    fall. A cut is forgotten that was of no use for ``keep_idle`` calls of ``solve``.
    """

    def __init__(self, dimension: int, C: float, bounds: Bounds, keep_idle: int) -> None:
        self._C, self._bounds, self._keep_idle = C, bounds, keep_idle
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
        return self._dual + 0.5 * float(self._w @ self._w)

    @property
    def plane_count(self) -> int:
        return self._b.size

    @property
    def slack(self) -> float:
        return max(0.0, float((self._b - self._a @ self._w).max())) if self.plane_count else 0.0

    def add(self, a: Vector, b: float) -> None:
        row = np.zeros(self._w.size)
        add_to(row, a, 1.0)
        self._a = np.vstack([self._a, row])
        self._b, self._alpha = np.append(self._b, b), np.append(self._alpha, 0.0)
        self._idle = np.append(self._idle, 0)

    def solve(self, precision: float) -> bool:
        for _ in range(_ROUNDS):
            if not self._round(precision * self._C):
                break
        self._idle = np.where(self._alpha > 0.0, 0, self._idle + 1)
        kept = self._idle <= self._keep_idle
        if not kept.all():
            self._a, self._b, self._alpha = self._a[kept], self._b[kept], self._alpha[kept]
            self._idle = self._idle[kept]
        return True

    def state(self, exact: bool) -> DualState:
        planes = Planes(sp.csr_array(self._a), self._b, np.full(self.plane_count, -1, dtype=np.int32), exact)
        return DualState(planes.example, np.arange(self.plane_count, dtype=np.int32), self._alpha, planes, cuts=True)

    def restore(self, state: DualState) -> None:
        for a, b in cuts_of(state):
            self.add(a, b)
        self._alpha = within_cap(state.alpha, self._C)
        self._update()

    def _round(self, enough: float) -> bool:
        """One step; whether it was worth it and another may be."""
        gap = 0.5 * float(self._w @ self._w) + self._C * self.slack - self._dual
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
        return self._by_pairs(enough)

    def _by_pairs(self, enough: float) -> bool:
        """Moves what one cut has to another, as far as D grows, where the dual over all cuts is solved no further than
        rounding allows; whether that was worth it."""
        before = self._dual
        for _ in range(_PAIRS):
            slope = self._b - self._a @ self._w
            if 0.5 * float(self._w @ self._w) + self._C * max(0.0, slope.max()) - self._dual <= enough:
                break
            most, rest = int(slope.argmax()), self._C - float(self._alpha.sum())
            least = int(np.where(self._alpha > 0.0, slope, np.inf).argmin())
            step = np.zeros(self.plane_count)
            step[most] = 1.0
            longest = rest
            if rest <= 0.0 or slope[least] < 0.0:
                step[least] -= 1.0
                longest = float(self._alpha[least])
            last = self._dual, self._alpha
            self._alpha = np.maximum(0.0, self._alpha + self._longest_rise(step, longest) * step)
            self._update()
            if self._dual <= last[0]:
                self._alpha = last[1]
                self._update()
                break
        return self._dual > before

    def _longest_rise(self, step: Floats, longest: float) -> float:
        """The t up to ``longest`` where ``D(alpha + t step)`` is highest; its slope falls with t."""
        gain, change = float(self._b @ step), step @ self._a

        def slope(t: float) -> float:
            return gain - float(change @ self._bounds.nearest(self._v + t * change))

        if longest <= 0.0 or slope(0.0) <= 0.0:
            return 0.0
        return longest if slope(longest) >= 0.0 else float(brentq(slope, 0.0, longest, xtol=1e-15 * longest))

    def _update(self) -> None:
        self._v = self._alpha @ self._a
        self._w = self._bounds.nearest(self._v)
        self._dual = float(self._b @ self._alpha) + 0.5 * float(self._w @ self._w) - float(self._v @ self._w)

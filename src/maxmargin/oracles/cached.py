"""The planes that an oracle found lately, tried before it is asked again (paper 004, section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.vectors import SparseVector, Vector
from maxmargin.oracles.base import Cut, Stop
from maxmargin.oracles.plane_sums import Plane, PlaneSource, PlaneSum, sum_planes
from maxmargin.oracles.portions import until

Floats = npt.NDArray[np.float64]

_PORTION = 10**7  # multiplications after which limits of time are looked at
LOOK = 1000.0  # multiplications that take as long as a look at a plane kept as a Python object


class PlaneCache:
    """Keeps the ``size`` most recently used different planes of each example, of about so many ``cells``.

    ``known`` is the share of the examples whose last answer was among them already.
    """

    def __init__(self, oracle: PlaneSource, size: int = 10, cells: float = 0.0) -> None:
        self._oracle, self._size = oracle, size
        self.price = oracle.n * size * (LOOK + cells)
        self.known = 0.0
        self._hits = 0
        self._seen: list[list[Plane]] = [[] for _ in range(oracle.n)]  # the youngest last
        self._known: list[list[int]] = [[] for _ in range(oracle.n)]  # their hash codes

    def cut(self, w: Floats, stop: Stop | None = None) -> Cut:
        """The summed plane at ``w``, as the oracle finds it; its planes are kept."""
        self._hits = 0
        cut = sum_planes(self._oracle, until(self._asked(w), stop), w)
        self.known = self._hits / self._oracle.n
        return cut

    def best_cut(self, w: Floats, stop: Stop | None = None) -> Cut:
        """The summed plane at ``w`` of the planes kept: a lower bound."""
        total, n = PlaneSum(self._oracle, w), self._oracle.n
        together = max(1, _PORTION // (self._size * max(1, self._oracle.dimension)))
        for first in until(range(0, n, together), stop):
            part = range(first, min(first + together, n))
            best = total.add(list(part), self._seen[part.start : part.stop])
            for i, k in zip(part, best.tolist()):
                if 0 <= k < len(self._seen[i]) - 1:
                    self._seen[i].append(self._seen[i].pop(k))
                    self._known[i].append(self._known[i].pop(k))
        return total.cut()

    def _asked(self, w: Floats) -> Iterator[tuple[int, Plane | None]]:
        for i, plane in self._oracle.ask_all(w):
            if plane is not None:
                self._use(i, plane)
            yield i, plane

    def _use(self, i: int, plane: Plane) -> None:
        """Moves the plane to the young end."""
        seen, known, code = self._seen[i], self._known[i], _code(plane)
        for k, other in enumerate(known):
            if other == code and _equal(seen[k], plane):
                del seen[k], known[k]
                self._hits += 1
                break
        seen.append(plane)
        known.append(code)
        if len(seen) > self._size:
            del seen[0], known[0]


def _code(plane: Plane) -> int:
    """Equal for equal planes."""
    return hash((plane[1], *(part.tobytes() for part in _parts(plane[0]))))


def _equal(p: Plane, q: Plane) -> bool:
    ours, others = _parts(p[0]), _parts(q[0])
    return p[1] == q[1] and len(ours) == len(others) and all(map(np.array_equal, ours, others))


def _parts(a: Vector) -> tuple[npt.NDArray[Any], ...]:
    return (a.index, a.value) if isinstance(a, SparseVector) else (a,)

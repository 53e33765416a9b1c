"""The planes that an oracle found lately, tried before it is asked again (paper 004, section 4)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from maxmargin.core.vectors import SparseVector, Vector
from maxmargin.oracles.base import Cut, Stop
from maxmargin.oracles.plane_by_plane import Plane, PlaneOracle, PlaneSum
from maxmargin.oracles.portions import until

Floats = npt.NDArray[np.float64]

_PORTION = 10**7  # multiplications after which limits of time are looked at


class PlaneCache:
    """Keeps the ``size`` most recently used different planes of each example."""

    def __init__(self, oracle: PlaneOracle, size: int = 10) -> None:
        self._oracle, self._size = oracle, size
        self._seen: list[list[Plane]] = [[] for _ in range(oracle.n)]  # the youngest last

    def cut(self, w: Floats, stop: Stop | None = None) -> Cut:
        """The summed plane at ``w``, as the oracle finds it; its planes are kept."""
        return self._oracle.sum_planes(until(self._asked(w), stop), w)

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
        return total.cut()

    def _asked(self, w: Floats) -> Iterator[tuple[int, Plane | None]]:
        for i, plane in self._oracle.ask_all(w):
            if plane is not None:
                self._use(i, plane)
            yield i, plane

    def _use(self, i: int, plane: Plane) -> None:
        """Moves the plane to the young end."""
        seen = self._seen[i]
        for k, held in enumerate(seen):
            if held[1] == plane[1] and _equal(held[0], plane[0]):
                del seen[k]
                break
        seen.append(plane)
        if len(seen) > self._size:
            del seen[0]


def _equal(a: Vector, b: Vector) -> bool:
    if isinstance(a, SparseVector) and isinstance(b, SparseVector):
        return np.array_equal(a.index, b.index) and np.array_equal(a.value, b.value)
    return not isinstance(a, SparseVector) and not isinstance(b, SparseVector) and np.array_equal(a, b)

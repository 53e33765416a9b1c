"""The planes that an oracle found lately, tried before it is asked again (paper 004, section 4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from maxmargin._core import best_plane
from maxmargin.core.vectors import SparseVector, Vector
from maxmargin.oracles.base import Cut, Stop
from maxmargin.oracles.plane_by_plane import Plane, PlaneOracle
from maxmargin.oracles.portions import until

Floats = npt.NDArray[np.float64]


class PlaneCache:
    """Keeps the ``size`` most recently used different planes of each example."""

    def __init__(self, oracle: PlaneOracle, size: int = 10) -> None:
        self._oracle = oracle
        self._seen: list[deque[Plane]] = [deque(maxlen=size) for _ in range(oracle.n)]

    def cut(self, w: Floats, stop: Stop | None = None) -> Cut:
        """The summed plane at ``w``, as the oracle finds it; its planes are kept."""
        return self._oracle.sum_planes(until(self._asked(w), stop), w)

    def best_cut(self, w: Floats, stop: Stop | None = None) -> Cut:
        """The summed plane at ``w`` of the planes kept: a lower bound."""
        return self._oracle.sum_planes(until(self._held(w), stop), w)

    def _asked(self, w: Floats) -> Iterator[tuple[int, Plane | None]]:
        for i, plane in self._oracle.ask_all(w):
            if plane is not None:
                self._use(i, plane)
            yield i, plane

    def _held(self, w: Floats) -> Iterator[tuple[int, Plane | None]]:
        return ((i, self._look(i, w)) for i in range(self._oracle.n))

    def _look(self, i: int, w: Floats) -> Plane | None:
        value, k = best_plane(list(self._seen[i]), w)
        if value <= 0.0:
            return None
        plane = self._seen[i][k]
        del self._seen[i][k]
        self._seen[i].append(plane)
        return plane

    def _use(self, i: int, plane: Plane) -> None:
        """Moves the plane to the young end."""
        seen = self._seen[i]
        for k, held in enumerate(seen):
            if held[1] == plane[1] and _equal(held[0], plane[0]):
                del seen[k]
                break
        seen.append(plane)


def _equal(a: Vector, b: Vector) -> bool:
    if isinstance(a, SparseVector) and isinstance(b, SparseVector):
        return np.array_equal(a.index, b.index) and np.array_equal(a.value, b.value)
    return not isinstance(a, SparseVector) and not isinstance(b, SparseVector) and np.array_equal(a, b)

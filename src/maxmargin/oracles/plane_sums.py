"""One plane per example, and their sum: a cut of the 1-slack form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Protocol

import numpy as np
import numpy.typing as npt

from maxmargin._core import add_best_planes
from maxmargin.core.formulation import Formulation
from maxmargin.core.vectors import Vector, compact
from maxmargin.oracles.base import Cut

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Plane = tuple[Vector, float]

_TOGETHER = 64  # planes that are summed in one native call


class PlaneSource(Protocol):
    """An oracle that gives the planes of single examples."""

    n: int
    dimension: int
    formulation: Formulation
    sample_weight: Floats | None

    def ask_all(self, w: Floats) -> Iterator[tuple[int, Plane | None]]:
        """Every example with its most violated plane at ``w``, or None if that is the truth's (zero)."""
        ...


class PlaneSum:
    """The sum of one plane per example: the highest at ``w`` of those given."""

    def __init__(self, oracle: PlaneSource, w: Floats) -> None:
        self._w, self._weight = np.ascontiguousarray(w), oracle.sample_weight
        self._squared = oracle.formulation.slack == "squared"
        self._a, self._b, self._slack = np.zeros(oracle.dimension), 0.0, np.zeros(oracle.n)
        self._sparse = True

    def add(self, examples: list[int], planes: list[list[Plane]]) -> Indices:
        """Takes some examples with the planes of each; the positions of the highest, -1 where none is above 0."""
        weight = None if self._weight is None else self._weight[examples]
        b, slack, best, sparse = add_best_planes(planes, self._w, weight, self._squared, self._a)
        self._slack[examples] = slack
        self._b += b
        self._sparse = self._sparse and sparse
        return best

    def cut(self) -> Cut:
        return Cut(compact(self._a) if self._sparse else self._a, self._b, self._slack)


def sum_planes(oracle: PlaneSource, found: Iterable[tuple[int, Plane | None]], w: Floats) -> Cut:
    """Weighted sum of pairs ``(example, plane or None)``; for squared slack of the planes of ``slack^2 / 2``."""
    total = PlaneSum(oracle, w)
    pairs = iter(found)
    while part := list(islice(pairs, _TOGETHER)):
        total.add([i for i, _ in part], [[] if plane is None else [plane] for _, plane in part])
    return total.cut()

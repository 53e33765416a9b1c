"""Cuts of samples of the examples with a kernel, whose values are as many however many training rows there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.points import WeightSpace
from maxmargin.core.vectors import Vector, add_to
from maxmargin.oracles.base import Cut, Oracle, Stop
from maxmargin.rows.kernel_space import KernelSpace

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class Span(WeightSpace):
    """Points ``sum_k c[k] a_k`` as arrays ``c``; all that is known of the vectors ``a_k`` is their inner products.

    There may be more vectors later: what an array is too short for is zero.
    """

    def __init__(self) -> None:
        self._products = np.zeros((0, 0))

    def vector(self, products: Floats, square: float) -> Floats:
        """One more vector, given its inner products with those before it and with itself."""
        size = len(self._products)
        grown = np.zeros((size + 1, size + 1))
        grown[:size, :size], grown[size, :size], grown[:size, size] = self._products, products, products
        grown[size, size] = square
        self._products = grown
        return np.append(np.zeros(size), 1.0)

    def zero(self) -> Floats:
        return np.zeros(0)

    def has(self, w: Any) -> bool:
        """Never: another fit has other vectors."""
        return False

    def copy(self, w: Floats) -> Floats:
        return np.array(w)

    def dot(self, a: Floats, w: Floats) -> float:
        return float(a @ self._products[: a.size, : w.size] @ w)

    def combination(self, factors: Sequence[float], points: Sequence[Floats]) -> Floats:
        total = np.zeros(max(point.size for point in points))
        for factor, point in zip(factors, points):
            total[: point.size] += factor * point
        return total


@dataclass(frozen=True, eq=False)
class _Coefficients:
    """Of one cut: for the rows at some places of those that cuts have, shape (rows, width), and explicit weights."""

    places: npt.NDArray[np.intp]
    beta: Floats
    beside: Floats


class KernelParts:
    """What ``Oracle.by_parts`` is with a kernel: weights are combinations of the cuts found.

    A cut of some rows needs the values of the kernel between these and the rows of all cuts before it, which give the
    scores of its rows and its inner products with the others.

    Parameters
    ----------
    base : the oracle of unit vectors
    full : the space of all training rows, in which it is asked
    rows_of : the numbers of the rows of examples
    """

    def __init__(self, base: Oracle, full: KernelSpace, rows_of: Callable[[Indices], Indices]) -> None:
        self._base, self._full, self._rows_of = base, full, rows_of
        self.space = Span()
        self._cuts: list[_Coefficients] = []
        self._rows = np.zeros(0, dtype=np.int32)  # that cuts have
        self._place = np.full(full.cache.n, -1, dtype=np.intp)  # of each training row among them
        self._asked = full.zero()  # weights with the scores of the rows that are asked for

    def cut_of(self, w: Floats, examples: Indices, weight: Floats, stop: Stop | None = None) -> Cut:
        rows, full = self._rows_of(examples), self._full
        values = full.cache.between(rows, self._rows).astype(np.float64)
        beta, beside = self._coefficients(w)
        self._asked[: full.paired].reshape(-1, full.width)[rows] = values @ beta
        full.explicit_part(self._asked)[:] = beside
        cut = self._base.cut_of(self._asked, examples, weight, stop)
        return replace(cut, a=self._taken(rows, values, cut.a))

    def whole(self, w: Floats) -> Floats:
        """With the scores of all training rows."""
        found = self._full.zero()
        self._full.coefficients(found)[self._rows], self._full.explicit_part(found)[:] = self._coefficients(w)
        self._full.set_scores(found)
        return found

    def _coefficients(self, w: Floats) -> tuple[Floats, Floats]:
        """Of all rows that cuts have, and explicit weights."""
        beta, beside = np.zeros((self._rows.size, self._full.width)), self._full.explicit_part(self._full.zero())
        for factor, cut in zip(w, self._cuts):
            if factor:
                beta[cut.places] += factor * cut.beta
                beside += factor * cut.beside
        return beta, beside

    def _taken(self, rows: Indices, values: Floats, written: Vector) -> Floats:
        """The point of a cut that the native core has written, with coefficients of some rows, whose kernel ``values``
        with the rows of earlier cuts are known."""
        full, a = self._full, self._full.zero()
        add_to(a, written, 1.0)
        beside = np.array(full.explicit_part(a))
        beta = full.coefficients(a)[rows] + a[: full.paired].reshape(-1, full.width)[rows]
        scores = values.T @ beta
        products = [np.vdot(cut.beta, scores[cut.places]) + cut.beside @ beside for cut in self._cuts]
        square = np.vdot(beta, full.cache.between(rows, rows).astype(np.float64) @ beta) + beside @ beside
        new = rows[self._place[rows] < 0]
        self._place[new] = np.arange(self._rows.size, self._rows.size + new.size)
        self._rows = np.concatenate([self._rows, new])
        self._cuts.append(_Coefficients(self._place[rows], beta, beside))
        return self.space.vector(np.array(products), float(square))

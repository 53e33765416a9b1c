"""Weights as solvers see them: points of a space, whatever they are made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from maxmargin.core.vectors import Vector, dot

Floats = npt.NDArray[np.float64]
AnyFloats = npt.NDArray[np.float32] | Floats

Point: TypeAlias = object
"""Weights, opaque: a solver gets them from an oracle, an engine or a space, and gives them back."""

_CHUNK = 1 << 14


class WeightSpace(ABC):
    """What a solver may do with weights and with the rows ``a`` of planes and cuts, which live in the same space.

    ``explicit`` says that weights are arrays of numbers, so that planes are rows which a matrix can be made of.
    """

    explicit: ClassVar[bool] = False

    @abstractmethod
    def zero(self) -> Point:
        """The origin, which the caller may change."""

    @abstractmethod
    def has(self, w: Any) -> bool:
        """Whether ``w``, of another fit, is a point of this space."""

    @abstractmethod
    def copy(self, w: Any) -> Point:
        """The same point, which stays where it is when ``w`` changes."""

    @abstractmethod
    def dot(self, a: Any, w: Any) -> float:
        """``<a, w>``; ``a`` belongs to a plane or a cut, or is a point."""

    @abstractmethod
    def combination(self, factors: Sequence[float], points: Sequence[Any]) -> Point:
        """``sum_k factors[k] points[k]``, a new point; they may also belong to planes or cuts."""

    def toward(self, w: Any, other: Any, share: float) -> Point:
        """``w + share (other - w)``; ``w`` may be changed for that."""
        return self.combination((1.0 - share, share), (w, other))

    def square(self, w: Any) -> float:
        """``|w|^2``."""
        return self.dot(w, w)

    def scaled(self, w: Any, factor: float) -> Point:
        """``factor w``."""
        return self.combination((factor,), (w,))


class Explicit(WeightSpace):
    """Arrays of ``dimension`` numbers; rows of planes may be sparse."""

    explicit: ClassVar[bool] = True

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension

    def zero(self) -> Floats:
        return np.zeros(self._dimension)

    def has(self, w: Any) -> bool:
        return bool(np.shape(w) == (self._dimension,))

    def copy(self, w: Floats) -> Floats:
        return np.array(w)

    def dot(self, a: Vector, w: Floats) -> float:
        return dot(a, w)

    def combination(self, factors: Sequence[float], points: Sequence[Floats]) -> Floats:
        total = factors[0] * points[0]
        for factor, point in zip(factors[1:], points[1:]):
            total += factor * point
        return total

    def toward(self, w: Floats, other: AnyFloats, share: float) -> Floats:
        """In place, without a temporary of the size of ``w``: there may be hundreds of megabytes of it."""
        for start in range(0, w.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            w[part] += share * (other[part] - w[part])
        return w

    def square(self, w: Floats) -> float:
        return float(w @ w)

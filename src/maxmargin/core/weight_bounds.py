"""Bounds of weights, which a user's Problem may ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Bounds:
    """``lower <= w <= upper``, both of shape (dimension,); infinite where there is no bound."""

    lower: Floats
    upper: Floats

    def nearest(self, w: Floats) -> Floats:
        """The point within the bounds that is nearest to ``w``: itself, where it is within them."""
        inside = np.clip(w, self.lower, self.upper)
        return w if np.array_equal(inside, w) else inside


def bounds_of(problem: Any, dimension: int) -> Bounds | None:
    """The ``bounds`` of a problem, a pair of numbers or arrays, checked; None where it has none."""
    given = getattr(problem, "bounds", None)
    if given is None:
        return None
    name = f"{type(problem).__name__}.bounds"
    if callable(given):
        raise TypeError(f"{name} is a method; make it an attribute or a property: a pair (lower, upper).")
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ValueError(f"{name} must be a pair (lower, upper) of numbers or arrays, not {given!r}.")
    lower = _side(given[0], -np.inf, dimension, f"the lower part of {name}")
    upper = _side(given[1], np.inf, dimension, f"the upper part of {name}")
    wrong = np.flatnonzero(~(lower <= upper) | (lower == np.inf) | (upper == -np.inf))
    if wrong.size:
        j = wrong[0]
        raise ValueError(f"{name} leaves nothing for weight {j}: {lower[j]} to {upper[j]}.")
    return Bounds(lower, upper)


def _side(given: Any, missing: float, dimension: int, name: str) -> Floats:
    if given is None:
        given = missing
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The numbers in {name} cannot be read; use a number, an array or None.") from error
    if numbers.ndim and numbers.shape != (dimension,):
        raise ValueError(f"The shape of {name} is {numbers.shape}; joint features have length {dimension}.")
    return np.array(np.broadcast_to(numbers, (dimension,)))

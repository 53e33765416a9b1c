"""The last few outputs that a problem has found for each example, with their planes where that is safe and cheap."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from maxmargin.core.vectors import SparseVector, Vector

Plane = tuple[Vector, float]

_KEPT = 4  # outputs of an example
_LARGE = 1 << 16  # bytes of an array that is not kept
_MOST_NUMBERS = 20_000_000  # in the planes kept of all examples
_IMMUTABLE = frozenset({int, float, bool, str, bytes, np.int64, np.int32, np.float64, np.str_, np.bool_})


class LateOutputs:
    """Outputs for comparisons and messages, and planes that need not be computed again.

    A plane is kept with an output that cannot change: a number, a text, a tuple or frozenset of them.
    """

    def __init__(self, n: int) -> None:
        self._kept: list[deque[tuple[Any, Plane | None]] | None] = [None] * n
        self._room = _MOST_NUMBERS

    def keep(self, i: int, y: Any, plane: Plane) -> None:
        """Takes an output of example ``i`` in, in place of the oldest."""
        kept = self._kept[i]
        if kept is None:
            kept = self._kept[i] = deque(maxlen=_KEPT)
        size = plane[0].value.size if isinstance(plane[0], SparseVector) else plane[0].size
        if self._room >= size and is_immutable(y):
            self._room -= size
            kept.append((y, plane))
        elif isinstance(y, np.ndarray) and y.nbytes <= _LARGE:
            kept.append((y.copy(), None))  # the problem may fill one array again and again
        elif type(y) is list and all(map(is_immutable, y)):
            kept.append((list(y), None))

    def plane(self, i: int, y: Any) -> Plane | None:
        """The plane of an output, if it was kept."""
        for known, plane in self._kept[i] or ():
            if plane is not None and type(known) is type(y) and known == y:
                return plane
        return None

    def of(self, i: int) -> list[Any]:
        """The outputs of example ``i``."""
        return [y for y, _ in self._kept[i] or ()]


def is_immutable(y: Any) -> bool:
    """Whether an output is sure to stay what it is."""
    kind = type(y)
    if kind is tuple or kind is frozenset:
        return all(map(is_immutable, y))
    return kind in _IMMUTABLE

"""Average of the weights along a run, later ones counting more."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_CHUNK = 1 << 14


class PolynomialAverage:
    """Snapshot ``t`` weighs in proportion to ``t ** power``: with ``power`` p the last 1/(p+1) of the run dominates."""

    def __init__(self, dimension: int, power: float) -> None:
        self.value: Floats = np.zeros(dimension)
        self._power = power
        self._count = 0

    def add(self, w: npt.NDArray[np.float32] | Floats) -> None:
        self._count += 1
        share = (self._power + 1.0) / (self._count + self._power)
        for start in range(
            0, w.size, _CHUNK
        ):  # no temporary of the size of w: there may be hundreds of megabytes of it
            part = slice(start, start + _CHUNK)
            self.value[part] += share * (w[part] - self.value[part])

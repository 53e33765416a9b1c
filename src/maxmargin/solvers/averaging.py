"""Average of the weights along a run, later ones counting more."""

from __future__ import annotations

from maxmargin.core.points import Point, WeightSpace


class PolynomialAverage:
    """Snapshot ``t`` weighs in proportion to ``t ** power``: with ``power`` p the last 1/(p+1) of the run dominates."""

    def __init__(self, space: WeightSpace, power: float) -> None:
        self.value = space.zero()
        self._space, self._power = space, power
        self._count = 0

    def add(self, w: Point) -> None:
        self._count += 1
        share = (self._power + 1.0) / (self._count + self._power)
        self.value = self._space.toward(self.value, w, share)

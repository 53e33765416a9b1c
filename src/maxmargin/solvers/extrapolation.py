"""When to leap along the way that the dual variables have come."""

from __future__ import annotations

from maxmargin.oracles.base import Engine

_WAY = 2  # passes that a leap extends
_LONGEST_REST = 16
_WORTHWHILE = 0.1  # of what the dual gained on the way


class Leaps:
    """A leap after every few passes (``Engine.leap``): coordinate ascent goes on slowly in a direction that it keeps,
    and two passes show which one it is.

    The pass after a leap settles what the leap has stirred up and is not part of the way. The share of the way by which
    the next leap extends it grows by 1.3 where one held and halves where one was undone. After one that gained less
    than a tenth of what the way did, twice as many passes go by before the next. (Measured on MNIST, C = 0.1: 24
    passes' worth of visits in place of 36.)
    """

    def __init__(self) -> None:
        self._factor = 0.5
        self._rest = 1  # passes between a leap and the next mark
        self._passes = 0  # since the last leap
        self._marked = 0.0  # the dual at the mark

    def after_pass(self, engine: Engine) -> None:
        """Marks, leaps or waits."""
        self._passes += 1
        if self._passes == self._rest:
            engine.mark()
            self._marked = engine.dual
        if self._passes < self._rest + _WAY:
            return
        self._passes = 0
        way = engine.dual - self._marked
        gain = engine.leap(self._factor)
        self._factor = min(1.3 * self._factor, 8.0) if gain > 0.0 else max(0.5 * self._factor, 0.1)
        self._rest = 1 if gain > _WORTHWHILE * way else min(2 * self._rest, _LONGEST_REST)

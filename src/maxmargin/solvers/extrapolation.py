"""When to extrapolate along the recent path of the dual variables."""

from __future__ import annotations

from maxmargin.oracles.engine import Engine

_PATH = 2  # passes along whose path a step extrapolates
_LONGEST_REST = 16
_WORTHWHILE = 0.1  # of what the dual gained on the path


class Extrapolation:
    """Extrapolates after every few passes (``Engine.extrapolate``): coordinate ascent goes on slowly in a direction
    that it keeps, and two passes show which one it is.

    The pass after such a step settles what it has stirred up and is not part of the path. The length of the next step,
    as a fraction of the path, grows by 1.3 where one was kept and halves where one was undone. After one that gained
    less than a tenth of what the path did, twice as many passes go by before the next. (Measured on MNIST, C = 0.1: 24
    passes' worth of visits in place of 36.)
    """

    def __init__(self) -> None:
        self._factor = 0.5
        self._rest = 1  # passes between an extrapolation and the next mark
        self._passes = 0  # since the last extrapolation
        self._marked = 0.0  # the dual at the mark

    def after_pass(self, engine: Engine) -> None:
        """Marks, extrapolates or waits."""
        self._passes += 1
        if self._passes == self._rest:
            engine.mark()
            self._marked = engine.dual
        if self._passes < self._rest + _PATH:
            return
        self._passes = 0
        gained = engine.dual - self._marked
        gain = engine.extrapolate(self._factor)
        self._factor = min(1.3 * self._factor, 8.0) if gain > 0.0 else max(0.5 * self._factor, 0.1)
        self._rest = 1 if gain > _WORTHWHILE * gained else min(2 * self._rest, _LONGEST_REST)

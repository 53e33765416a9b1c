"""How fast a solver gets on, from the gaps on its way."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from maxmargin.solvers.base import Record


class Progress:
    """The gaps after each part of a run that may be interrupted, and what is still needed at their present rate."""

    def __init__(self) -> None:
        self.done = 0.0  # passes or rounds
        self.last_check = 0.0
        self._before = 0.0  # done in earlier turns
        self._at: list[float] = []
        self._gap: list[float] = []  # smallest so far
        self._target = 0.0

    def begin_turn(self) -> None:
        self._before = self.done

    def add(self, record: Record) -> None:
        """Notes an iteration."""
        self.done = self._before + record.iteration
        if record.estimate is None or not math.isfinite(record.estimate):
            return
        self._at.append(self.done)
        self._gap.append(min(record.estimate, self._gap[-1] if self._gap else math.inf))
        self._target = record.allowed or 0.0

    @property
    def needed(self) -> float:
        """Passes still to go if the gap goes on to fall as it did in the second half of those done."""
        if not self._gap:
            return math.inf
        gap = self._gap[-1]
        if gap <= self._target:
            return 0.0
        half = self._gap[int(np.searchsorted(self._at, 0.5 * self._at[-1]))]
        if not half > gap or self._target <= 0.0:
            return math.inf
        rate = math.log(half / gap) / (0.5 * self._at[-1])
        return math.log(gap / self._target) / rate


class Turn:
    """Ends a solver's turn through its callback; ``over`` says that this was the reason for its end."""

    def __init__(self, progress: Progress, ends: Callable[[], bool]) -> None:
        self._progress, self._ends = progress, ends
        self.over = False
        progress.begin_turn()

    def watching(self, callback: Callable[[Record], Any] | None) -> Callable[[Record], bool]:
        """A callback that looks at the progress besides calling the user's."""

        def watch(record: Record) -> bool:
            if callback is not None and callback(record) is True:
                return True
            self._progress.add(record)
            self.over = self._ends()
            return self.over

        return watch

"""What is left of a limit of time that several fits share."""

from __future__ import annotations

import time
from dataclasses import replace

from maxmargin.solvers.base import Run


class Deadline:
    """Tells whether so many seconds have passed since it was made, and how many are left; None is no limit."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.perf_counter() + float(seconds)

    def __call__(self) -> bool:
        return self.left is not None and self.left <= 0.0

    @property
    def left(self) -> float | None:
        return None if self._end is None else self._end - time.perf_counter()

    def cut(self, run: Run) -> Run:
        """The run with what is left of its time."""
        return run if self.left is None else replace(run, max_time=max(self.left, 1e-9))

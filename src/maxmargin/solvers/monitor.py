"""Keeps the trace of a run, shows progress, and says when a limit is reached."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

import numpy as np

from maxmargin.oracles.base import Stop
from maxmargin.solvers.base import Record, Run, Status
from maxmargin.solvers.callers import called_by_library

_CLOSING_SECONDS = 1.0  # that the exact pass at the end may take after a limit
_QUIET_SECONDS = 2.0  # of a run, before it shows progress
_LINE_GROWTH = 1.5  # from one line of progress to the next, in seconds since the start


class Monitor:
    """Used as a context manager around the loop of a solver.

    Ctrl-C inside ends the loop, not the program, where the user called ``fit``; where another library did (a
    cross-validation, a search), the interrupt goes on to that library. With ``verbose`` progress is a changing line on
    a terminal and plain lines elsewhere (a notebook, a log file), both on standard error, and one line tells the end.
    """

    def __init__(self, run: Run, name: str, target: float | None = None) -> None:
        self.run, self._name, self.target = run, name, target
        self.trace: list[Record] = []
        self.status: Status | None = None
        self.reserve = 0.0  # seconds that the exact pass at the end is expected to take
        self._begin = time.perf_counter()
        self._display: Any = None
        self._next_line = _QUIET_SECONDS
        self._ended = False

    def __enter__(self) -> Monitor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        if self._display is not None:
            self._display.stop()
        interrupted = kind is KeyboardInterrupt and not called_by_library()
        if interrupted:
            self.status = Status.INTERRUPTED
        if self.run.verbose and self.trace and (interrupted or (kind is None and not self._ended)):
            self._ended = True
            print(f"{self._line(self.trace[-1])}: {(self.status or Status.FINISHED).name}", file=sys.stderr, flush=True)
        return interrupted

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._begin

    @property
    def late(self) -> bool:
        """Whether the time is up, but for what the exact pass at the end takes; for loops inside one iteration."""
        limit = self.run.max_time
        return limit is not None and self.seconds >= limit - min(self.reserve, 0.25 * limit)

    def stop(self) -> bool:
        """``late`` for passes over the examples."""
        return self.late

    def closing(self) -> Stop:
        """What stops the exact pass at the end: max_time, or a second from now where that is later.

        After Ctrl-C it is always a second from now; without a limit of time nothing stops it.
        """
        end = self.seconds + _CLOSING_SECONDS
        if self.status is not Status.INTERRUPTED:
            end = np.inf if self.run.max_time is None else max(end, self.run.max_time)
        return lambda: self.seconds > end

    def tick(
        self,
        *,
        iteration: int | None = None,
        oracle_calls: int,
        planes: int = 0,
        cache_hits: int = 0,
        primal: float | None = None,
        dual: float | None = None,
        estimate: float | None = None,
    ) -> bool:
        """Notes one iteration; true if a limit or a callback ends the run (``status`` then says which).

        ``iteration`` is the count that ``max_iter`` limits; by default the number of calls of this method.
        """
        count = len(self.trace) + 1 if iteration is None else iteration
        record = Record(count, self.seconds, oracle_calls, cache_hits, planes, primal, dual, estimate, self.target)
        self.trace.append(record)
        self._show(record)
        stop = self.run.callback is not None and self.run.callback(record) is True
        if self.status is not None:  # the solver is done
            return True
        if stop:
            self.status = Status.CALLBACK
        elif self.run.max_iter is not None and record.iteration >= self.run.max_iter:
            self.status = Status.MAX_ITER
        elif self.late:
            self.status = Status.MAX_TIME
        return self.status is not None

    def _show(self, record: Record) -> None:
        if not self.run.verbose or record.seconds < self._next_line:
            return
        if not sys.stderr.isatty():
            self._next_line = _LINE_GROWTH * record.seconds
            print(self._line(record), file=sys.stderr, flush=True)
            return
        if self._display is None:
            from rich.console import Console

            self._display = Console(stderr=True).status("")
            self._display.start()
        self._display.update(self._line(record))

    def _line(self, record: Record) -> str:
        """What a record says, on one line."""
        parts = [f"{self._name}: pass {record.iteration}", f"{record.seconds:.3g} s", f"{record.planes} planes"]
        gap = record.estimate if record.primal is None or record.dual is None else record.primal - record.dual
        if gap is not None and self.target is not None:
            parts.append(f"gap {gap:.3g}, wanted {self.target:.3g}")
        return ", ".join(parts)

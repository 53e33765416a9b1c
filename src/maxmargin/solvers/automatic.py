"""The solver behind ``solver='auto'``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from maxmargin.oracles.base import DualState, Oracle
from maxmargin.planes import Planes
from maxmargin.rescaling import Formulation
from maxmargin.solvers.base import Record, Run, Solution, Status
from maxmargin.solvers.block_coordinate import BlockCoordinate
from maxmargin.solvers.n_slack import NSlack
from maxmargin.solvers.one_slack import OneSlack


@dataclass(frozen=True)
class Automatic:
    """Picks by what the problem looks like.

    * a hard margin: ``NSlack``;
    * a single example (a loss over a whole sample), examples that are searched together (rankings), or a warm start
      from cuts: ``OneSlack``;
    * else ``BlockCoordinate``, and if ``patience`` passes were not enough, ``OneSlack`` starting from the cut that its
      dual variables amount to. Coordinate ascent wins by far on most data and crawls on few, badly scaled features,
      where a handful of cuts is enough. Where neither gets further in floating point, ``NSlack`` goes on: it solves
      the blocks more exactly.

    Parameters
    ----------
    patience : passes of ``BlockCoordinate``; None is what the oracle thinks best, 200 for most
    """

    name: ClassVar[str] = "auto"

    patience: int | None = None

    def check(self, formulation: Formulation) -> None:
        """Every formulation is supported."""

    def __call__(self, oracle: Oracle, C: float, run: Run, start: Solution | None = None) -> Solution:
        if oracle.formulation.slack == "hard":
            return NSlack()(oracle, C, run, start)
        if oracle.n == 1 or oracle.joint or (start is not None and start.state is not None and start.state.cuts):
            return OneSlack()(oracle, C, run, start)
        patience = oracle.patience if self.patience is None else self.patience
        limit = patience if run.max_iter is None else min(patience, run.max_iter)
        first = BlockCoordinate()(oracle, C, replace(run, max_iter=limit), start)
        if first.status is Status.MAX_ITER and limit != run.max_iter:
            cuts = joined(first, OneSlack()(oracle, C, rest_of(run, first), _as_one_cut(first, C)))
            if cuts.status is not Status.STALLED:
                return cuts
        elif first.status is not Status.STALLED or first.n_iter == run.max_iter:
            return first
        return joined(first, NSlack()(oracle, C, rest_of(run, first), first))


def rest_of(run: Run, first: Solution) -> Run:
    """What the limits leave after the first part."""
    return replace(
        run,
        callback=None if run.callback is None else lambda record: run.callback(_later(record, first)),  # type: ignore[misc]
        max_iter=None if run.max_iter is None else run.max_iter - first.n_iter,
        max_time=None if run.max_time is None else max(0.0, run.max_time - first.trace[-1].seconds),
    )


def _as_one_cut(first: Solution, C: float) -> Solution:
    """The dual variables of all examples as those of one cut, of weight C."""
    assert first.aggregate is not None
    nobody, number = np.full(1, -1, dtype=np.int32), np.zeros(1, dtype=np.int32)
    cut = Planes(first.aggregate.a[None, :], np.array([first.aggregate.b]), nobody)
    return replace(first, state=DualState(nobody, number, np.array([C]), cut, cuts=True))


def joined(first: Solution, second: Solution) -> Solution:
    """The second solution with the history of both."""
    return replace(
        second,
        n_iter=first.n_iter + second.n_iter,
        oracle_calls=first.oracle_calls + second.oracle_calls,
        cache_hits=first.cache_hits + second.cache_hits,
        trace=first.trace + tuple(_later(record, first) for record in second.trace),
    )


def _later(record: Record, first: Solution) -> Record:
    """A record of the second part, counted from the beginning of the first."""
    return replace(
        record,
        iteration=record.iteration + first.n_iter,
        seconds=record.seconds + first.trace[-1].seconds,
        oracle_calls=record.oracle_calls + first.oracle_calls,
        cache_hits=record.cache_hits + first.cache_hits,
    )

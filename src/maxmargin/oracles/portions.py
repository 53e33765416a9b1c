"""Passes over the examples in pieces, so that limits and Ctrl-C are kept inside a pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from maxmargin.oracles.base import Capabilities, Stop, Stopped

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Piece = TypeVar("Piece")

PORTION = 5e7  # multiplications: a few hundredths of a second
_PER_WEIGHT = 20.0  # the same for each weight, because a piece also costs a few operations a weight


class InPortions:
    """What oracles have in common whose examples are asked for in native code, many in one call."""

    n: int
    dimension: int
    capabilities: Capabilities
    visit_costs: Floats | None = None  # of each example, where they differ much

    def portions(self, order: Indices) -> list[Indices]:
        """An order of examples in pieces of some hundredths of a second each, of one example at least."""
        size = max(PORTION, _PER_WEIGHT * self.dimension)
        if self.visit_costs is None:
            step = max(1, int(size // max(self.capabilities.visit_cost, 1.0)))
            return [order[first : first + step] for first in range(0, order.size, step)]
        number = (np.cumsum(self.visit_costs[order]) // size).astype(np.int64)
        return np.split(order, np.flatnonzero(np.diff(number)) + 1)

    def work_of(self, examples: Indices) -> float:
        if self.visit_costs is None:
            return float(examples.size)
        return float(self.visit_costs[examples].sum() / self.visit_costs.mean())

    def everyone(self, stop: Stop | None) -> Iterator[Indices]:
        """All examples in portions; raises ``Stopped`` before one where ``stop`` says so."""
        return until(self.portions(np.arange(self.n, dtype=np.int32)), stop)


def until(pieces: Iterable[Piece], stop: Stop | None) -> Iterator[Piece]:
    """The pieces one after the other; raises ``Stopped`` before one where ``stop`` says so."""
    for piece in pieces:
        if stop is not None and stop():
            raise Stopped
        yield piece


def joined(parts: Sequence[Floats]) -> Floats:
    """The numbers of portions in one array; a single portion is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)

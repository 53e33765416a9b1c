"""Oracles of structures whose outputs are lists of places: the edges of a program, the pairs of an alignment, the
rules of a tree."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation
from maxmargin.core.planes import Planes
from maxmargin.oracles.engine import DualState
from maxmargin.oracles.native import NativeOracle, OracleCore, Outputs, csr_planes
from maxmargin.oracles.search import Unsupported

Indices = npt.NDArray[np.int32]

MOST_BYTES = 2 << 30  # that the searches of all threads together may take


class ListedCore(OracleCore, Protocol):
    """A bound training set that writes the planes of outputs as rows."""

    def rows(self, examples: Indices, outputs: Outputs) -> tuple[Any, ...]: ...


class ListedOracle(NativeOracle):
    """Planes of outputs of different lengths, one after the other in one array of numbers.

    A subclass says where an output ends (``end_of``). Places belong to their example: a dual state cannot be moved to
    other data.
    """

    core: ListedCore

    @abstractmethod
    def end_of(self, outputs: Outputs, at: int) -> int:
        """Where the output ends that begins at ``at``."""

    def outputs_of(self, state: DualState) -> Outputs | None:
        if state.handles is None:
            return None
        return np.concatenate([np.zeros(0, np.int32), *state.handles])

    def handles_of(self, examples: Indices, outputs: Outputs) -> list[Indices]:
        found, at = [], 0
        for _ in examples:
            end = self.end_of(outputs, at)
            found.append(outputs[at:end])
            at = end
        return found

    def rows_of(self, examples: Indices, outputs: Outputs) -> Planes:
        return csr_planes(self.core.rows(examples, outputs), examples, self.dimension, self.exact)

    def moved(self, state: DualState, codes: Indices) -> DualState:
        return state.take(np.zeros(0, np.int64))


def check_room(formulation: Formulation, example: int, size: int, threads: int, remedy: str) -> None:
    """Refuses searches that need too much memory: ``size`` bytes for the largest example, in each thread.

    ``remedy`` is the end of "Use ...".
    """
    if threads * size > MOST_BYTES:
        raise Unsupported(
            f"{formulation} looks at every value of the loss; for example {example} that takes {size / 2**30:.1f} GiB "
            f"in each of {threads} threads, and {MOST_BYTES / 2**30:.0f} GiB is the most. Use {remedy}."
        )

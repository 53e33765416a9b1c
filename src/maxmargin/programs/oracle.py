"""Planes of outputs of dynamic programs from the native core."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.planes import Planes
from maxmargin.oracles.engine import DualState
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.native import NativeOracle, Outputs, WorkingSetEngine, csr_planes
from maxmargin.oracles.search import Unsupported
from maxmargin.programs.loss import ProgramLoss
from maxmargin.programs.packed import PackedPrograms

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_MOST_BYTES = 2 << 30  # that all threads together may take


class ProgramOracle(NativeOracle):
    """Planes of outputs of programs. The core knows an output by the number of its edges, followed by their places in
    the order of their heads."""

    core: _core.ProgramOracle

    def __init__(
        self,
        programs: PackedPrograms,
        loss: ProgramLoss,
        sample_weight: Floats | None,
        threads: int,
    ) -> None:
        self.programs, self.loss = programs, loss
        core = loss.oracle()
        example, size = core.largest_search
        if max(1, min(threads, programs.n)) * size > _MOST_BYTES:
            raise Unsupported(
                f"{loss.formulation} looks at every value of the loss; for example {example} that takes "
                f"{size / 2**30:.1f} GiB in each of {threads} threads, and {_MOST_BYTES / 2**30:.0f} GiB is the most. "
                "Use rescaling='margin' with slack='linear', larger units of the costs, or smaller programs."
            )
        edges = sum(topology.n_edges for topology in programs.topologies)
        cost = (programs.cells + 4 * edges * loss.strata) / programs.n
        super().__init__(core, programs.n, loss.formulation, sample_weight, threads, cost)

    def outputs_of(self, state: DualState) -> Outputs | None:
        if state.handles is None:
            return None
        return np.concatenate([np.zeros(0, np.int32), *state.handles])

    def handles_of(self, examples: Indices, outputs: Outputs) -> list[Indices]:
        found, at = [], 0
        for _ in examples:
            end = at + 1 + int(outputs[at])
            found.append(outputs[at:end])
            at = end
        return found

    def rows_of(self, examples: Indices, outputs: Outputs) -> Planes:
        return csr_planes(self.core.rows(examples, outputs), examples, self.dimension, self.exact)

    def moved(self, state: DualState, codes: Indices) -> DualState:
        return state.take(np.zeros(0, np.int64))  # edges of one program mean nothing in another

    def fingerprint(self) -> str:
        given: list[Any] = [self.formulation, self.programs.shape, self.programs.core.fingerprint(), self.sample_weight]
        return digest(*given, *self.loss.arrays())

    def engine(self, C: float) -> WorkingSetEngine:
        return WorkingSetEngine(self, _core.ProgramEngine(self.core, self.formulation.slack, C, self.sample_weight))

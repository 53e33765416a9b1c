"""Planes of outputs of dynamic programs from the native core."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.listed import ListedOracle, check_room
from maxmargin.oracles.native import Outputs, WorkingSetEngine
from maxmargin.programs.loss import ProgramLoss
from maxmargin.programs.packed import PackedPrograms

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class ProgramOracle(ListedOracle):
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
        remedy = "rescaling='margin' with slack='linear', larger units of the costs, or smaller programs"
        check_room(loss.formulation, example, size, max(1, min(threads, programs.n)), remedy)
        edges = sum(topology.n_edges for topology in programs.topologies)
        cost = (programs.cells + 4 * edges * loss.strata) / programs.n
        super().__init__(core, programs.n, loss.formulation, sample_weight, threads, cost)

    def end_of(self, outputs: Outputs, at: int) -> int:
        return at + 1 + int(outputs[at])

    def fingerprint(self) -> str:
        given: list[Any] = [self.formulation, self.programs.shape, self.programs.core.fingerprint(), self.sample_weight]
        return digest(*given, *self.loss.arrays())

    def engine(self, C: float) -> WorkingSetEngine:
        return WorkingSetEngine(self, _core.ProgramEngine(self.core, self.formulation.slack, C, self.sample_weight))

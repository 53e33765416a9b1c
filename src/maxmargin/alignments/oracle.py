"""Planes of alignments from the native core."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.alignments.loss import AlignmentLoss
from maxmargin.alignments.packed import PackedAlignments
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.listed import ListedOracle, check_room
from maxmargin.oracles.native import Outputs, WorkingSetEngine

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_CELL = 6.0  # operations of the search


class AlignmentOracle(ListedOracle):
    """Planes of alignments. The core knows an output by its candidate, the number of its pairs, and the pairs."""

    core: _core.AlignmentOracle

    def __init__(
        self, packed: PackedAlignments, loss: AlignmentLoss, sample_weight: Floats | None, threads: int
    ) -> None:
        self.packed, self.loss = packed, loss
        core = loss.oracle()
        example, size = core.largest_search
        remedy = "rescaling='margin' with slack='linear' and loss='q', or shorter sequences"
        check_room(loss.formulation, example, size, max(1, min(threads, packed.n)), remedy)
        cost = packed.cells * (_CELL + len(packed.layout.components))
        cost += packed.first_cells * _CELL * (loss.searches - 1.0)
        super().__init__(core, packed.n, loss.formulation, sample_weight, threads, cost, cached=True)

    def end_of(self, outputs: Outputs, at: int) -> int:
        return at + 2 + 2 * int(outputs[at + 1])

    def fingerprint(self) -> str:
        given: list[Any] = [self.formulation, self.packed.core.fingerprint(), self.sample_weight]
        return digest(*given, *self.loss.arrays())

    def engine(self, C: float) -> WorkingSetEngine:
        return WorkingSetEngine(self, _core.AlignmentEngine(self.core, self.formulation.slack, C, self.sample_weight))

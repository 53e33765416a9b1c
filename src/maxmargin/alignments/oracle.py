"""Planes of alignments from the native core."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.alignments.loss import AlignmentLoss
from maxmargin.alignments.packed import PackedAlignments
from maxmargin.core.planes import Planes
from maxmargin.oracles.engine import DualState
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.native import NativeOracle, Outputs, WorkingSetEngine, csr_planes
from maxmargin.oracles.search import Unsupported

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_MOST_BYTES = 2 << 30  # that all threads together may take
_CELL = 6.0  # operations of the search


class AlignmentOracle(NativeOracle):
    """Planes of alignments. The core knows an output by its candidate, the number of its pairs, and the pairs."""

    core: _core.AlignmentOracle

    def __init__(
        self, packed: PackedAlignments, loss: AlignmentLoss, sample_weight: Floats | None, threads: int
    ) -> None:
        self.packed, self.loss = packed, loss
        core = loss.oracle()
        example, size = core.largest_search
        if max(1, min(threads, packed.n)) * size > _MOST_BYTES:
            raise Unsupported(
                f"{loss.formulation} looks at every value of the loss; for example {example} that takes "
                f"{size / 2**30:.1f} GiB in each of {threads} threads, and {_MOST_BYTES / 2**30:.0f} GiB is the most. "
                "Use rescaling='margin' with slack='linear' and loss='q', or shorter sequences."
            )
        cost = packed.cells * (_CELL * loss.strata + len(packed.layout.components))
        super().__init__(core, packed.n, loss.formulation, sample_weight, threads, cost)

    def outputs_of(self, state: DualState) -> Outputs | None:
        if state.handles is None:
            return None
        return np.concatenate([np.zeros(0, np.int32), *state.handles])

    def handles_of(self, examples: Indices, outputs: Outputs) -> list[Indices]:
        found, at = [], 0
        for _ in examples:
            end = at + 2 + 2 * int(outputs[at + 1])
            found.append(outputs[at:end])
            at = end
        return found

    def rows_of(self, examples: Indices, outputs: Outputs) -> Planes:
        return csr_planes(self.core.rows(examples, outputs), examples, self.dimension, self.exact)

    def moved(self, state: DualState, codes: Indices) -> DualState:
        return state.take(np.zeros(0, np.int64))  # pairs of one example mean nothing in another

    def fingerprint(self) -> str:
        given: list[Any] = [self.formulation, self.packed.core.fingerprint(), self.sample_weight]
        return digest(*given, *self.loss.arrays())

    def engine(self, C: float) -> WorkingSetEngine:
        return WorkingSetEngine(self, _core.AlignmentEngine(self.core, self.formulation.slack, C, self.sample_weight))

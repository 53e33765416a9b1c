"""Planes of trees from the native core."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.planes import Planes
from maxmargin.grammars.loss import TreeLoss
from maxmargin.oracles.engine import DualState
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.native import NativeOracle, Outputs, WorkingSetEngine, csr_planes
from maxmargin.oracles.search import Unsupported

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_MOST_BYTES = 2 << 30  # that all threads together may take
_RULES = 300.0  # operations of a chart for each way to divide a span


class TreeOracle(NativeOracle):
    """Planes of trees. The core knows a tree by the number of its rules, and each rule with its place."""

    core: _core.TreeOracle

    def __init__(
        self,
        sentences: _core.Sentences,
        lengths: Indices,
        loss: TreeLoss,
        sample_weight: Floats | None,
        threads: int,
        beam: float | None,
    ) -> None:
        self.sentences, self.loss, self.beam = sentences, loss, beam
        core = loss.oracle(beam)
        if loss.goal in ("guesses", "totals"):
            sizes = np.diff(np.append(loss.first, loss.margin.size)) * lengths.astype(np.float64) ** 2
            self._check_room(core, int(np.argmax(sizes)), max(1, min(threads, lengths.size)))
        cost = float(_RULES * loss.strata * np.mean(lengths.astype(np.float64) ** 3) / 6.0)
        super().__init__(core, lengths.size, loss.formulation, sample_weight, threads, cost)
        if beam is not None:
            self.give_up_exactness()

    def _check_room(self, core: _core.TreeOracle, example: int, threads: int) -> None:
        size = core.search_bytes(example)
        if threads * size > _MOST_BYTES:
            raise Unsupported(
                f"{self.loss.formulation} with this loss looks at every number of right and of predicted brackets; for "
                f"example {example} that takes {size / 2**30:.1f} GiB in each of {threads} threads, and "
                f"{_MOST_BYTES / 2**30:.0f} GiB is the most. Use rescaling='margin' and slack='linear', which take "
                "less, with loss='hamming' next to nothing, or shorter sentences."
            )

    def outputs_of(self, state: DualState) -> Outputs | None:
        if state.handles is None:
            return None
        return np.concatenate([np.zeros(0, np.int32), *state.handles])

    def handles_of(self, examples: Indices, outputs: Outputs) -> list[Indices]:
        found, at = [], 0
        for _ in examples:
            end = at + 1 + 4 * int(outputs[at])
            found.append(outputs[at:end])
            at = end
        return found

    def rows_of(self, examples: Indices, outputs: Outputs) -> Planes:
        return csr_planes(self.core.rows(examples, outputs), examples, self.dimension, self.exact)

    def moved(self, state: DualState, codes: Indices) -> DualState:
        return state.take(np.zeros(0, np.int64))  # places in one sentence mean nothing in another

    def fingerprint(self) -> str:
        given: list[Any] = [self.formulation, self.sentences.fingerprint(), self.sample_weight, self.beam]
        return digest(*given, *self.loss.arrays())

    def engine(self, C: float) -> WorkingSetEngine:
        return WorkingSetEngine(self, _core.TreeEngine(self.core, self.formulation.slack, C, self.sample_weight))

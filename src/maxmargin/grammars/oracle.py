"""Planes of trees from the native core."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.grammars.loss import TreeLoss
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.listed import MOST_BYTES, ListedOracle
from maxmargin.oracles.native import Outputs, WorkingSetEngine

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_RULES = 300.0  # operations of a chart for each way to divide a span
_CHARTS = 8.0  # as many take about as long as a search by hits and guesses


class TreeOracle(ListedOracle):
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
        core = loss.oracle(MOST_BYTES // max(1, min(threads, lengths.size)), beam)
        charts = _CHARTS if loss.goal == "totals" else 1.0
        cost = float(_RULES * charts * np.mean(lengths.astype(np.float64) ** 3) / 6.0)
        super().__init__(core, lengths.size, loss.formulation, sample_weight, threads, cost)
        if beam is not None:
            self.give_up_exactness()

    def end_of(self, outputs: Outputs, at: int) -> int:
        return at + 1 + 4 * int(outputs[at])

    def fingerprint(self) -> str:
        given: list[Any] = [self.formulation, self.sentences.fingerprint(), self.sample_weight, self.beam]
        return digest(*given, *self.loss.arrays())

    def engine(self, C: float) -> WorkingSetEngine:
        return WorkingSetEngine(self, _core.TreeEngine(self.core, self.formulation.slack, C, self.sample_weight))

"""Planes of trees from the native core."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.grammars.loss import TreeLoss
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.listed import ListedOracle, check_room
from maxmargin.oracles.native import Outputs, WorkingSetEngine

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_RULES = 300.0  # operations of a chart for each way to divide a span


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
        core = loss.oracle(beam)
        if loss.goal == "totals":
            sizes = np.diff(np.append(loss.first, loss.margin.size)) * lengths.astype(np.float64) ** 2
            example = int(np.argmax(sizes))
            counted = "number of right and of predicted brackets"
            remedy = "loss='hamming' with rescaling='margin' and slack='linear', or shorter sentences"
            room = core.search_bytes(example)
            check_room(loss.formulation, example, room, max(1, min(threads, lengths.size)), counted, remedy)
        cost = float(_RULES * loss.strata * np.mean(lengths.astype(np.float64) ** 3) / 6.0)
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

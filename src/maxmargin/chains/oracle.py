"""Planes of labelled chains from the native core: the oracle of :class:`~.chain.Chain`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.chains.loss import ChainLoss
from maxmargin.chains.memory import check_search_by_loss
from maxmargin.core.planes import Planes
from maxmargin.oracles.engine import DualState
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.native import NativeOracle, Outputs, WorkingSetEngine, csr_planes

if TYPE_CHECKING:
    from maxmargin.chains.chain import Chain, ChainInput

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


_ROW = 100.0  # what a plane costs as a row of numbers, and its products with others, in visits


class ChainOracle(NativeOracle):
    """Planes of labelled chains from the native core."""

    core: _core.ChainOracle

    def __init__(
        self,
        chain: Chain,
        X: ChainInput,
        labels: Indices,
        loss: ChainLoss,
        sample_weight: Floats | None,
        threads: int,
        allowed: npt.NDArray[np.uint8] | None = None,
    ) -> None:
        self.chain, self.X, self.labels, self.loss, self.allowed = chain, X, labels, loss, allowed
        data = chain.core(X, labels)
        core = _core.ChainOracle(data, loss.search, loss.costs, loss.units, loss.margin, loss.scale, loss.rows)
        sequence, size = core.largest_search
        check_search_by_loss(chain, X, loss.formulation, sequence, size, threads)
        cells = np.diff(X.tokens.indptr[X.tokens.offsets]) + X.tokens.lengths * float(chain.n_labels**chain.order)
        self.visit_costs = cells * float(_core.padded(chain.n_labels))
        cost, partial = float(self.visit_costs.mean()), allowed is not None
        given = loss.formulation, sample_weight, threads, cost
        super().__init__(core, len(X), *given, row_cost=_ROW * cost, partial=partial)

    def outputs_of(self, state: DualState) -> Outputs | None:
        return None if state.handles is None else flat_labels(state.handles)

    def handles_of(self, examples: Indices, outputs: Outputs) -> LabelRuns:
        return LabelRuns(outputs, np.cumsum(self.X.tokens.lengths[examples]))

    def rows_of(self, examples: Indices, outputs: Outputs) -> Planes:
        return csr_planes(self.core.rows(examples, outputs), examples, self.dimension, self.exact)

    def completed(self, w: Floats) -> ChainOracle | None:
        """The same sequences with the best labels that are allowed at ``w`` as truth; None where they are that already,
        or where all labels are known."""
        if self.allowed is None:
            return None
        labels, _, _ = self.chain.core(self.X).decode(w, 1, self.allowed, None, self.threads)
        if np.array_equal(labels, self.labels):
            return None
        return ChainOracle(self.chain, self.X, labels, self.loss, self.sample_weight, self.threads, self.allowed)

    def moved(self, state: DualState, codes: Indices) -> DualState:
        assert state.handles is not None
        lengths = self.X.tokens.lengths
        runs = [codes[labels] for labels in state.handles]
        fits = [labels.size == lengths[i] and labels.min() >= 0 for i, labels in zip(state.example, runs)]
        kept = np.flatnonzero(fits)
        return replace(state.take(kept), handles=[runs[k] for k in kept])

    def fingerprint(self) -> str:
        chain = self.chain
        shape = (chain.n_features, chain.n_pair_features, chain.constant, chain.order, chain.eta, chain.ends)
        arrays = [self.labels, self.loss.costs, self.loss.rows, self.sample_weight]
        for X in (self.X.tokens, self.X.pairs):
            arrays += [None] if X is None else [X.offsets, X.indptr, X.indices, X.values]
        return digest(self.formulation, shape, *arrays)

    def engine(self, C: float) -> WorkingSetEngine:
        return WorkingSetEngine(self, _core.ChainEngine(self.core, self.formulation.slack, C, self.sample_weight))


class LabelRuns(Sequence[Indices]):
    """Label sequences, one after the other in one array."""

    def __init__(self, labels: Indices, ends: npt.NDArray[np.int64]) -> None:
        self.labels, self.ends = labels, ends

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return [self[position] for position in range(*k.indices(len(self)))]
        position = range(len(self))[k]
        return self.labels[self.ends[position - 1] if position else 0 : self.ends[position]]


def flat_labels(runs: Sequence[Indices]) -> Indices:
    """All labels in one array."""
    return runs.labels if isinstance(runs, LabelRuns) else np.concatenate([np.zeros(0, np.int32), *runs])

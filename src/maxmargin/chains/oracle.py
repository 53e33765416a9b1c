"""Planes of labelled chains from the native core: the oracle and the dual engine of :class:`~.chain.Chain`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.chains.loss import ChainLoss
from maxmargin.chains.memory import check_search_by_loss
from maxmargin.core.planes import Planes
from maxmargin.core.vectors import compact
from maxmargin.oracles.base import CoreEngine, Cut, DualState, OfOutputs, OnlineWalk
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.portions import InPortions, Stop

if TYPE_CHECKING:
    from maxmargin.chains.chain import Chain, ChainInput

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


_ROW = 100.0  # what a plane costs as a row of numbers, and its products with others, in visits


class ChainOracle(InPortions, OfOutputs):
    """Planes of labelled chains from the native core."""

    exact = True
    cheap = True
    joint = False

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
        self.formulation, self.sample_weight, self.threads = loss.formulation, sample_weight, threads
        self.n = len(X)
        data = chain.core(X, labels)
        self.core = _core.ChainOracle(data, loss.search, loss.costs, loss.units, loss.margin, loss.scale, loss.rows)
        sequence, size = self.core.largest_search
        check_search_by_loss(chain, X, self.formulation, sequence, size, threads)
        self.dimension = data.weight_count
        self.stride = _core.padded(chain.n_labels)
        cells = np.diff(X.tokens.indptr[X.tokens.offsets]) + X.tokens.lengths * float(chain.n_labels**chain.order)
        self.visit_costs = cells * float(self.stride)
        self.visit_cost = float(self.visit_costs.mean())
        self.row_cost = _ROW * self.visit_cost

    @property
    def _squared(self) -> bool:
        return self.formulation.slack == "squared"

    def slacks(self, w: Floats, stop: Stop | None = None) -> Floats:
        return np.concatenate([self.core.worst(w, part, False, self.threads)[0] for part in self.everyone(stop)])

    def cut(self, w: Floats, *, fresh: bool = True, stop: Stop | None = None) -> Cut:
        if not fresh:
            raise ValueError("Chain keeps no planes: asking anew costs the same.")
        a = np.zeros(self.dimension)
        parts = [
            self.core.cut(w, part, self.sample_weight, self._squared, a, self.threads) for part in self.everyone(stop)
        ]
        return Cut(compact(a), sum(b for b, _ in parts), np.concatenate([slack for _, slack in parts]))

    def planes(self, w: Floats, examples: Indices) -> Planes:
        labels = self.core.worst(w, examples, True, self.threads)[1]
        return self._expanded(examples, labels)

    def expand(self, state: DualState) -> Planes:
        """The rows of planes known by example and labels, or merged, in native layout."""
        if state.planes is not None:
            return state.planes
        if state.handles is None:
            raise ValueError("This dual state has no label sequences; it does not belong to a chain.")
        return self._expanded(state.example, flat_labels(state.handles))

    def _expanded(self, examples: Indices, labels: Indices) -> Planes:
        lengths = self.X.tokens.lengths[examples]
        owner = np.repeat(np.arange(examples.size), lengths)
        start = np.repeat(np.cumsum(lengths) - lengths, lengths)
        token = np.repeat(self.X.tokens.offsets[examples], lengths) + np.arange(labels.size) - start
        truth = self.labels[token]
        row = truth if self.loss.rows is None else self.loss.rows[token]
        size = examples.size
        costs = self.loss.costs if self.loss.units is None else self.loss.unit * self.loss.units
        loss = np.bincount(owner, costs[row, labels], size).astype(np.float64)
        wrong = np.bincount(owner, truth != labels, size) > 0
        psi = self.chain.joint_features(self.X, examples, truth, self.stride)
        psi = psi - self.chain.joint_features(self.X, examples, labels, self.stride)
        scale = np.where(wrong, self.formulation.scale(loss), 0.0)
        margin = np.where(wrong, self.formulation.margin(loss), 0.0)
        return Planes((psi * scale[:, None]).tocsr(), margin, examples)

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

    def accumulate(self, walk: OnlineWalk, order: Indices, numerator: float) -> int:
        added = self.core.accumulate(
            walk.v, walk.late, order, self.sample_weight, self._squared, walk.first, walk.done, numerator
        )
        walk.done += order.size
        return added

    def fingerprint(self) -> str:
        chain = self.chain
        shape = (chain.n_features, chain.n_pair_features, chain.constant, chain.order, chain.eta, chain.ends)
        arrays = [self.labels, self.loss.costs, self.loss.rows, self.sample_weight]
        for X in (self.X.tokens, self.X.pairs):
            arrays += [None] if X is None else [X.offsets, X.indptr, X.indices, X.values]
        return digest(self.formulation, shape, *arrays)

    def steepness(self) -> float:
        some = np.arange(0, self.n, max(1, self.n // 100), dtype=np.int32)
        a = self.planes(np.zeros(self.dimension), np.ascontiguousarray(some)).a
        return float(a.multiply(a).sum(axis=1).max())

    def engine(self, C: float) -> ChainEngine:
        return ChainEngine(self, C)


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


class ChainEngine(CoreEngine):
    """The dual engine on labelled chains."""

    def __init__(self, oracle: ChainOracle, C: float) -> None:
        self.oracle = oracle
        self.core: _core.ChainEngine = _core.ChainEngine(oracle.core, oracle.formulation.slack, C, oracle.sample_weight)
        self._merged = False

    def visit(self, order: Indices, settings: _core.VisitSettings, capacity: int | None = None) -> _core.VisitResult:
        result = self.core.visit(order, settings)
        if capacity is not None:
            self._merged = True
            self.core.merge(order, capacity)
        return result

    def state(self) -> DualState:
        """Once planes were merged they are rows, and there are no label sequences to start from again."""
        example, output, alpha = self.core.support()
        if self._merged:
            offsets, index, value, b = self.core.planes()
            rows = sp.csr_array((value, index, offsets), shape=(b.size, self.oracle.dimension))
            return DualState(example, output, alpha, Planes(rows, b, example))
        ends = np.cumsum(self.oracle.X.tokens.lengths[example])
        return DualState(example, output, alpha, handles=LabelRuns(self.core.labels(), ends))

    def restore(self, state: DualState) -> None:
        if state.handles is None:
            return
        self.core.restore(state.example, flat_labels(state.handles), state.alpha)

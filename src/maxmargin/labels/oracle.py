"""Planes of label vectors from the native core: the oracle and the dual engines of :class:`~.multilabel.Multilabel`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.core.planes import Planes
from maxmargin.labels.loss import LabelLoss
from maxmargin.oracles.base import CoreEngine, Cut, DualState, Engine, OfOutputs, OnlineWalk
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.portions import InPortions, Stop, summed

if TYPE_CHECKING:
    from maxmargin.labels.multilabel import Multilabel

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Vectors = npt.NDArray[np.uint8]


class MultilabelOracle(InPortions, OfOutputs):
    """Planes of label vectors from the native core.

    ``exact`` turns false where branch and bound gave up in a pass over all examples: from then on a slack may have been
    too small.
    """

    cheap = True
    joint = False

    def __init__(
        self,
        structure: Multilabel,
        rows: _core.Rows,
        truths: Vectors,
        loss: LabelLoss,
        formulation: Formulation,
        sample_weight: Floats | None,
        threads: int,
    ) -> None:
        self.structure, self.rows, self.truths, self.loss = structure, rows, truths, loss
        self.formulation, self.sample_weight, self.threads = formulation, sample_weight, threads
        self.n = rows.n
        self.exact = True
        self.core = structure.core(rows, truths, loss)
        self.dimension = self.core.weight_count
        self.visit_cost = rows.cells / self.n * _core.padded(structure.n_labels) + len(structure.pairs)

    @property
    def _squared(self) -> bool:
        return self.formulation.slack == "squared"

    def worst(self, w: Floats, examples: Indices) -> tuple[Floats, Vectors]:
        """Slack and label vector of the most violated plane of each example."""
        slack, labels, missed = self.core.worst(w, examples, self.threads)
        self.exact = self.exact and not missed
        return slack, labels.reshape(-1, self.structure.n_labels)

    def slacks(self, w: Floats, stop: Stop | None = None) -> Floats:
        return np.concatenate([self.worst(w, part)[0] for part in self.everyone(stop)])

    def cut(self, w: Floats, *, fresh: bool = True, stop: Stop | None = None) -> Cut:
        if not fresh:
            raise ValueError("Multilabel keeps no planes: asking anew costs the same.")
        return summed(self._cut(w, part) for part in self.everyone(stop))

    def _cut(self, w: Floats, examples: Indices) -> tuple[Floats, float, Floats]:
        a, b, slack, missed = self.core.cut(w, examples, self.sample_weight, self._squared, self.threads)
        self.exact = self.exact and not missed
        return a, b, slack

    def planes(self, w: Floats, examples: Indices) -> Planes:
        return self._expanded(examples, self.worst(w, examples)[1])

    def expand(self, state: DualState) -> Planes:
        """The rows of planes known by example and label vector, or merged, in native layout."""
        if state.planes is not None:
            return state.planes
        if state.handles is None:
            raise ValueError("This dual state has no label vectors; it does not belong to a multilabel problem.")
        return self._expanded(state.example, stacked(state.handles, self.structure.n_labels))

    def _expanded(self, examples: Indices, vectors: Vectors) -> Planes:
        truths, pairs = self.truths[examples], self.structure.pairs
        loss = self.structure.losses(truths, vectors)
        wrong = (truths != vectors).any(axis=1)
        scale = np.where(wrong, self.formulation.scale(loss), 0.0)[:, None]
        change = scale * (truths.astype(np.float64) - vectors)
        both = [y[:, pairs[:, 0]].astype(np.float64) * y[:, pairs[:, 1]] for y in (truths, vectors)]
        a = self.as_rows(examples, sp.csr_array(change), sp.csr_array(scale * (both[0] - both[1])))
        return Planes(a, np.where(wrong, self.formulation.margin(loss), 0.0), examples, self.exact)

    def as_rows(self, examples: Indices, labels: sp.csr_array, pairs: sp.csr_array) -> sp.csr_array:
        """Planes in native layout, from the coefficients of their labels and pairs, without ``x`` and ``eta``."""
        stride = _core.padded(self.structure.n_labels)
        offsets, columns, values = self.rows.cells_of(np.ascontiguousarray(examples, dtype=np.int32))
        changes = sp.coo_array(labels)
        row, label = changes.coords
        counts = np.diff(offsets)[row]
        first = np.repeat(offsets[row] - np.cumsum(counts) + counts, counts)
        cell = np.arange(int(counts.sum())) + first
        index = columns[cell].astype(np.int64) * stride + np.repeat(label, counts)
        tied = sp.coo_array(pairs)
        base = self.dimension - _core.padded(pairs.shape[1])
        return sp.coo_array(
            (
                np.concatenate([values[cell] * np.repeat(changes.data, counts), self.structure.eta * tied.data]),
                (
                    np.concatenate([np.repeat(row, counts), tied.coords[0]]),
                    np.concatenate([index, base + tied.coords[1].astype(np.int64)]),
                ),
            ),
            shape=(len(examples), self.dimension),
        ).tocsr()

    def accumulate(self, walk: OnlineWalk, order: Indices, numerator: float) -> int:
        added = self.core.accumulate(
            walk.v, walk.late, order, self.sample_weight, self._squared, walk.first, walk.done, numerator
        )
        walk.done += order.size
        return added

    def moved(self, state: DualState, codes: Indices) -> DualState:
        same = np.array_equal(codes, np.arange(self.structure.n_labels))
        return state.take(np.arange(state.alpha.size if same else 0))

    def fingerprint(self) -> str:
        structure = self.structure
        kind = (self.formulation, structure.loss_name, structure.eta, self.rows.columns, self.rows.fingerprint())
        return digest(*kind, self.truths, structure.pairs, structure.costs, self.sample_weight)

    def steepness(self) -> float:
        some = np.arange(0, self.n, max(1, self.n // 100), dtype=np.int32)
        a = self.planes(np.zeros(self.dimension), some).a
        return float(a.multiply(a).sum(axis=1).max())

    @property
    def separate(self) -> bool:
        """Whether every label can be trained for itself: no pairs, costs that add up, linear slack."""
        return self.loss.goal == "augmented" and not len(self.structure.pairs) and self.formulation.slack == "linear"

    def engine(self, C: float) -> Engine:
        return SeparateLabelEngine(self, C) if self.separate else LabelEngine(self, C)


def stacked(vectors: Sequence[Any], n_labels: int) -> Vectors:
    """Label vectors as the rows of one array."""
    return np.ascontiguousarray(vectors, dtype=np.uint8).reshape(-1, n_labels)


class LabelEngine(CoreEngine):
    """The dual engine on planes of label vectors."""

    def __init__(self, oracle: MultilabelOracle, C: float) -> None:
        self.oracle = oracle
        self.core: _core.LabelEngine = _core.LabelEngine(oracle.core, oracle.formulation.slack, C, oracle.sample_weight)
        self._merged = False

    def visit(self, order: Indices, settings: _core.VisitSettings, capacity: int | None = None) -> _core.VisitResult:
        result = self.core.visit(order, settings)
        if capacity is not None:
            self._merged = True
            self.core.merge(order, capacity)
        return result

    def state(self) -> DualState:
        """Once planes were merged they are rows, and there are no label vectors to start from again."""
        example, output, alpha = self.core.support()
        n_labels = self.oracle.structure.n_labels
        if not self._merged:
            return DualState(example, output, alpha, handles=list(self.core.vectors().reshape(-1, n_labels)))
        plane, index, value, b = self.core.changes()
        shape = (b.size, n_labels + len(self.oracle.structure.pairs))
        changes = sp.csr_array((value, (plane, index)), shape=shape)
        rows = self.oracle.as_rows(example, changes[:, :n_labels], changes[:, n_labels:])
        return DualState(example, output, alpha, Planes(rows, b, example, self.oracle.exact))

    def restore(self, state: DualState) -> None:
        if state.handles is not None:
            self.core.restore(state.example, stacked(state.handles, self.oracle.structure.n_labels), state.alpha)


class SeparateLabelEngine(CoreEngine):
    """The dual engine where every label is trained for itself; its state is one of whole label vectors too."""

    separate = True

    def __init__(self, oracle: MultilabelOracle, C: float) -> None:
        self.oracle = oracle
        self.core: _core.SeparateLabelEngine = _core.SeparateLabelEngine(oracle.core, C, oracle.sample_weight)

    def visit(self, order: Indices, settings: _core.VisitSettings, capacity: int | None = None) -> _core.VisitResult:
        """``capacity`` has no meaning here: a block never holds more than its labels."""
        return self.core.visit(order, settings)

    def state(self) -> DualState:
        example, vectors, alpha = self.core.outputs()
        handles = list(vectors.reshape(-1, self.oracle.structure.n_labels))
        return DualState(example, np.zeros(example.size, np.int32), alpha, handles=handles)

    def held_state(self) -> DualState:
        """A plane is the truth with one label changed."""
        example, label, alpha = self.core.support()
        vectors = self.oracle.truths[example]
        vectors[np.arange(label.size), label] ^= 1
        return DualState(example, label, alpha, handles=list(vectors))

    def restore(self, state: DualState) -> None:
        if state.handles is not None:
            self.core.restore(state.example, stacked(state.handles, self.oracle.structure.n_labels), state.alpha)

"""Multiclass planes from the native core: the oracle and the dual engine of :class:`~.multiclass.Multiclass`."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.oracles.base import PATIENCE, CoreEngine, Cut, DualState, OnlineWalk
from maxmargin.planes import Planes
from maxmargin.rescaling import Formulation
from maxmargin.vectors import compact

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class MulticlassOracle:
    """Multiclass planes from the native core."""

    exact = True
    cheap = True
    patience = PATIENCE
    joint = False

    def __init__(
        self,
        costs: Floats,
        rows: _core.Rows,
        labels: Indices,
        formulation: Formulation,
        sample_weight: Floats | None,
        threads: int,
    ) -> None:
        self.formulation, self.sample_weight, self.threads = formulation, sample_weight, threads
        self.n = rows.n
        self._rows, self._labels = rows, labels
        self._stride = _core.padded(len(costs))
        off = 1.0 - np.eye(len(costs))
        self._margin = self._padded(off * formulation.margin(costs), -np.inf)
        self._scale = self._padded(off * formulation.scale(costs), 0.0)
        self.core = _core.Multiclass(rows, labels, self._margin, self._scale)
        self.dimension = self.core.weight_count
        self.visit_cost = rows.cells / max(1, self.n) * self._stride
        self._everyone = np.arange(self.n, dtype=np.int32)

    def _padded(self, table: Floats, rest: float) -> Floats:
        return np.pad(table, ((0, 0), (0, self._stride - len(table))), constant_values=rest)

    @property
    def _squared(self) -> bool:
        return self.formulation.slack == "squared"

    def slacks(self, w: Floats) -> Floats:
        slack: Floats = self.core.worst(w, self._everyone, self.threads)[0]
        return slack

    def cut(self, w: Floats, *, fresh: bool = True) -> Cut:
        if not fresh:
            raise ValueError("Multiclass keeps no planes: asking anew costs the same.")
        a, b, slack = self.core.cut(w, self._everyone, self.sample_weight, self._squared, self.threads)
        return Cut(compact(a), b, slack)

    def planes(self, w: Floats, examples: Indices) -> Planes:
        outputs = self.core.worst(w, examples, self.threads)[1]
        return self.expand(DualState(examples, outputs, np.zeros(examples.size)))

    def expand(self, state: DualState) -> Planes:
        """The rows of planes known by example and class, in native layout."""
        examples, outputs = state.example, state.output
        truths = self._labels[examples]
        offsets, columns, values = self._rows.cells_of(np.ascontiguousarray(examples, dtype=np.int32))
        row = np.repeat(np.arange(len(examples)), np.diff(offsets))
        scaled = values * self._scale[truths, outputs][row]
        index = columns.astype(np.int64) * self._stride
        a = sp.coo_array(
            (
                np.concatenate([scaled, -scaled]),
                (np.tile(row, 2), np.concatenate([index + truths[row], index + outputs[row]])),
            ),
            shape=(len(examples), self.dimension),
        )
        return Planes(a.tocsr(), self._margin[truths, outputs], examples)

    def accumulate(self, walk: OnlineWalk, order: Indices, numerator: float) -> int:
        added = self.core.accumulate(
            walk.v, walk.late, order, self.sample_weight, self._squared, walk.first, walk.done, numerator
        )
        walk.done += order.size
        return added

    def fingerprint(self) -> str:
        seen = hashlib.blake2b(f"{self.formulation!r} {self._rows.fingerprint()}".encode())
        weight = np.zeros(0) if self.sample_weight is None else self.sample_weight
        for part in (self._labels, self._margin, self._scale, weight):
            seen.update(part.tobytes())
        return seen.hexdigest()

    def steepness(self) -> float:
        return 2.0 * float(np.max(self._rows.squared_norms) * np.max(self._scale) ** 2)

    def engine(self, C: float) -> MulticlassEngine:
        return MulticlassEngine(self, C)


class MulticlassEngine(CoreEngine):
    """The dual engine on multiclass blocks."""

    def __init__(self, oracle: MulticlassOracle, C: float) -> None:
        self.core: _core.MulticlassEngine = _core.MulticlassEngine(
            oracle.core, oracle.formulation.slack, C, oracle.sample_weight
        )

    def visit(self, order: Indices, settings: _core.VisitSettings, capacity: int | None = None) -> _core.VisitResult:
        """``capacity`` has no meaning here: a block never holds more planes than there are classes."""
        return self.core.visit(order, settings)

    def state(self) -> DualState:
        example, output, alpha = self.core.support()
        return DualState(example, output, alpha)

    def restore(self, state: DualState) -> None:
        self.core.restore(state.example, state.output, state.alpha)

"""Multiclass planes from the native core: the oracle of :class:`~.multiclass.Multiclass`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.classes.losses import padded_row, padded_tables
from maxmargin.classes.oracle import ClassOracle
from maxmargin.core.formulation import Formulation
from maxmargin.core.planes import Planes
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.native import NativeEngine, Outputs

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class MulticlassOracle(ClassOracle):
    """Multiclass planes from the native core."""

    core: _core.Multiclass

    def __init__(
        self,
        n_classes: int,
        cost: Floats | None,
        rows: _core.Rows,
        labels: Indices,
        formulation: Formulation,
        sample_weight: Floats | None,
        threads: int,
    ) -> None:
        self._rows, self._labels = rows, labels
        self._stride = _core.padded(n_classes)
        self._alike = cost is None
        self._margin, self._scale = (
            padded_row(n_classes, formulation) if cost is None else padded_tables(cost, formulation)
        )
        core = _core.Multiclass(rows, labels, self._margin, self._scale, n_classes)
        super().__init__(core, rows, formulation, sample_weight, threads, self._stride)

    def rows_of(self, examples: Indices, outputs: Outputs) -> Planes:
        truths = self._labels[examples]
        offsets, columns, values = self._rows.cells_of(np.ascontiguousarray(examples, dtype=np.int32))
        row = np.repeat(np.arange(len(examples)), np.diff(offsets))
        margin, scale = self._of_pairs(self._margin, truths, outputs), self._of_pairs(self._scale, truths, outputs)
        scaled = values * scale[row]
        index = columns.astype(np.int64) * self._stride
        a = sp.coo_array(
            (
                np.concatenate([scaled, -scaled]),
                (np.tile(row, 2), np.concatenate([index + truths[row], index + outputs[row]])),
            ),
            shape=(len(examples), self.dimension),
        )
        return Planes(a.tocsr(), margin, examples)

    def _of_pairs(self, table: Floats, truths: Indices, outputs: Indices) -> Floats:
        """The entries of classes, zero where the output is the truth."""
        return np.where(truths == outputs, 0.0, table[0, outputs]) if self._alike else table[truths, outputs]

    def engine(self, C: float) -> NativeEngine:
        return NativeEngine(self, _core.MulticlassEngine(self.core, self.formulation.slack, C, self.sample_weight))

    def fingerprint(self) -> str:
        arrays = (self._labels, self._margin, self._scale, self.sample_weight)
        return digest(self.formulation, self._rows.columns, self._rows.fingerprint(), *arrays)

    def steepness(self) -> float:
        return 2.0 * float(np.max(self._rows.squared_norms) * np.max(self._scale) ** 2)

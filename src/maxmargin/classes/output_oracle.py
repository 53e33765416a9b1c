"""Planes of classes with output features: the native oracle of :class:`~.output_features.OutputFeatures`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.classes.losses import ClassLosses
from maxmargin.classes.oracle import ClassOracle
from maxmargin.classes.output_maps import ClassFeatures
from maxmargin.core.formulation import Formulation
from maxmargin.core.planes import Planes
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.native import NativeEngine, Outputs

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class OutputOracle(ClassOracle):
    """Planes ``a = scale x (x) (Lambda(truth) - Lambda(class))`` from the native core."""

    core: _core.Outputs

    def __init__(
        self,
        features: ClassFeatures,
        losses: ClassLosses,
        rows: _core.Rows,
        labels: Indices,
        formulation: Formulation,
        sample_weight: Floats | None,
        threads: int,
    ) -> None:
        self._features, self._losses, self._rows, self._labels = features, losses, rows, labels
        self._stride = _core.padded(features.n_nodes)
        self._loss = losses.native(formulation)
        core = _core.Outputs(rows, labels, features.native, self._loss)
        super().__init__(core, rows, formulation, sample_weight, threads, self._stride)

    def rows_of(self, examples: Indices, outputs: Outputs) -> Planes:
        truths = self._labels[examples]
        losses = self._losses.of_pairs(truths, outputs)
        wrong = truths != outputs
        scale = np.where(wrong, self.formulation.scale(losses), 0.0)
        matrix = self._features.matrix
        change = sp.csr_array(matrix[truths] - matrix[outputs])
        offsets, columns, values = self._rows.cells_of(np.ascontiguousarray(examples, dtype=np.int32))
        counts, width = np.diff(offsets), np.diff(change.indptr)
        row = np.repeat(np.arange(len(examples)), counts * width)  # every cell of x meets every cell of the change
        within = np.arange(row.size) - np.repeat(np.cumsum(counts * width) - counts * width, counts * width)
        x, z = offsets[row] + within // width[row], change.indptr[row] + within % width[row]
        index = columns[x].astype(np.int64) * self._stride + change.indices[z]
        a = sp.coo_array((scale[row] * values[x] * change.data[z], (row, index)), shape=(len(examples), self.dimension))
        return Planes(a.tocsr(), np.where(wrong, self.formulation.margin(losses), 0.0), examples)

    def engine(self, C: float) -> NativeEngine:
        return NativeEngine(self, _core.OutputEngine(self.core, self.formulation.slack, C, self.sample_weight))

    def fingerprint(self) -> str:
        matrix = self._features.matrix
        arrays = [self._labels, matrix.indptr, matrix.indices, matrix.data, self.sample_weight]
        arrays += [self._losses.row(int(truth)) for truth in np.unique(self._labels)]
        return digest(self.formulation, matrix.shape, self._rows.columns, self._rows.fingerprint(), *arrays)

    def steepness(self) -> float:
        matrix = self._features.matrix
        longest = float(matrix.multiply(matrix).sum(axis=1).max())
        some = np.unique(self._labels)[:100]
        scale = max(float(self.formulation.scale(self._losses.row(int(truth))).max()) for truth in some)
        return 4.0 * float(np.max(self._rows.squared_norms)) * longest * scale**2

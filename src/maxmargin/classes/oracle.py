"""What the oracles of all structures share whose outputs are classes; a plane is known by its example and its class."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.oracles.engine import DualState
from maxmargin.oracles.native import NativeOracle

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class ClassOracle(NativeOracle):
    """Planes of classes from the native core. A subclass says how one of them is a row of numbers."""

    _labels: Indices

    def __init__(
        self,
        core: _core.Multiclass | _core.Outputs,
        rows: _core.Rows,
        formulation: Formulation,
        sample_weight: Floats | None,
        threads: int,
        columns: int,
    ) -> None:
        cells = rows.cells / max(1, rows.n)
        super().__init__(core, rows.n, formulation, sample_weight, threads, cells * columns, row_cells=2.0 * cells)

    def moved(self, state: DualState, codes: Indices) -> DualState:
        output = codes[state.output]
        kept = np.flatnonzero((output >= 0) & (output != self._labels[state.example]))
        return replace(state.take(kept), output=output[kept])

"""Binary classification of rows: the loss is 1 for a wrong sign, so a row is an example of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.core.planes import Planes
from maxmargin.oracles.engine import DualState
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.native import NativeEngine, NativeOracle, Outputs

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class SignedOracle(NativeOracle):
    """One example per row, with the plane ``(y_i x_i, 1)``. The loss is zero-one, so rescaling makes no difference."""

    core: _core.BinaryRows

    def __init__(
        self,
        rows: _core.Rows,
        positive: npt.NDArray[np.bool_],
        formulation: Formulation,
        sample_weight: Floats | None,
        threads: int,
    ) -> None:
        self._rows = rows
        self._signs = np.where(positive, 1, -1).astype(np.int8)
        self._margin = float(formulation.margin(1.0))
        core = _core.BinaryRows(rows, self._signs, self._margin)
        super().__init__(core, rows.n, formulation, sample_weight, threads, rows.cells / max(1, rows.n))

    def planes(self, w: Floats, examples: Indices) -> Planes:
        """A row has one plane, violated or not."""
        return self.rows_of(examples, np.zeros_like(examples))

    def rows_of(self, examples: Indices, outputs: Outputs) -> Planes:
        examples = np.ascontiguousarray(examples, dtype=np.int32)
        offsets, columns, values = self._rows.cells_of(examples)
        signs = np.repeat(self._signs[examples].astype(np.float64), np.diff(offsets))
        a = sp.csr_array((signs * values, columns, offsets), shape=(examples.size, self.dimension))
        return Planes(a, np.full(examples.size, self._margin), examples)

    def moved(self, state: DualState, codes: Indices) -> DualState:
        return state  # a row has one plane, whatever its sign

    def fingerprint(self) -> str:
        kind = ("signed", self.formulation, self._rows.columns, self._rows.fingerprint())
        return digest(*kind, self._signs, self.sample_weight)

    def steepness(self) -> float:
        return float(np.max(self._rows.squared_norms))

    def engine(self, C: float) -> NativeEngine:
        return NativeEngine(self, _core.BinaryRowsEngine(self.core, self.formulation.slack, C, self.sample_weight))


@dataclass(frozen=True)
class BinaryRows:
    """``Psi(x, y) = y x / 2`` with ``y = +-1``: ``slack_i = max(0, 1 - y_i <w, x_i>)``, the hinge loss."""

    def bind(
        self,
        X: _core.Rows,
        Y: npt.NDArray[np.bool_],
        formulation: Formulation,
        *,
        sample_weight: Floats | None = None,
        threads: int = 1,
    ) -> SignedOracle:
        """The native oracle for packed rows; ``Y`` is true for positive rows."""
        if len(Y) != X.n:
            raise ValueError(f"X has {X.n} rows and Y has {len(Y)}; they must match.")
        return SignedOracle(X, np.asarray(Y, dtype=bool), formulation, sample_weight, threads)

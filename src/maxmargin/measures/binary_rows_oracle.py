"""Binary classification by the sign of one score: the oracle and the dual engine on rows, ``slack_i = max(0, 1 - y_i
s_i)``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.core.planes import Planes
from maxmargin.core.vectors import compact
from maxmargin.oracles.base import CoreEngine, Cut, DualState, OfOutputs, OnlineWalk
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.portions import InPortions, Stop

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class SignedOracle(InPortions, OfOutputs):
    """One example a row, with the plane ``(y_i x_i, 1)``. The loss is zero-one, so rescaling makes no difference."""

    exact = True
    cheap = True
    joint = False

    def __init__(
        self,
        rows: _core.Rows,
        positive: npt.NDArray[np.bool_],
        formulation: Formulation,
        sample_weight: Floats | None,
        threads: int,
    ) -> None:
        self.formulation, self.sample_weight, self.threads = formulation, sample_weight, threads
        self.n = rows.n
        self._rows = rows
        self._signs = np.where(positive, 1, -1).astype(np.int8)
        self._margin = float(formulation.margin(1.0))
        self.core = _core.Signed(rows, self._signs, self._margin)
        self.dimension = self.core.weight_count
        self.visit_cost = rows.cells / max(1, self.n)

    @property
    def _squared(self) -> bool:
        return self.formulation.slack == "squared"

    def slacks(self, w: Floats, stop: Stop | None = None) -> Floats:
        """One product with the rows, too quick to be stopped on the way; so is ``cut``."""
        slack: Floats = self.core.slacks(w, self.threads)
        return slack

    def cut(self, w: Floats, *, fresh: bool = True, stop: Stop | None = None) -> Cut:
        if not fresh:
            raise ValueError("A row has one plane, and asking for it costs the same as keeping it.")
        a, b, slack = self.core.cut(w, self.sample_weight, self._squared, self.threads)
        return Cut(compact(a), b, slack)

    def planes(self, w: Floats, examples: Indices) -> Planes:
        return self.expand(DualState(examples, np.zeros_like(examples), np.zeros(examples.size)))

    def expand(self, state: DualState) -> Planes:
        examples = np.ascontiguousarray(state.example, dtype=np.int32)
        offsets, columns, values = self._rows.cells_of(examples)
        signs = np.repeat(self._signs[examples].astype(np.float64), np.diff(offsets))
        a = sp.csr_array((signs * values, columns, offsets), shape=(examples.size, self.dimension))
        return Planes(a, np.full(examples.size, self._margin), examples)

    def accumulate(self, walk: OnlineWalk, order: Indices, numerator: float) -> int:
        added = self.core.accumulate(
            walk.v, walk.late, order, self.sample_weight, self._squared, walk.first, walk.done, numerator
        )
        walk.done += order.size
        return added

    def moved(self, state: DualState, codes: Indices) -> DualState:
        return state  # a row has one plane, whatever its sign

    def fingerprint(self) -> str:
        kind = ("signed", self.formulation, self._rows.columns, self._rows.fingerprint())
        return digest(*kind, self._signs, self.sample_weight)

    def steepness(self) -> float:
        return float(np.max(self._rows.squared_norms))

    def engine(self, C: float) -> SignedEngine:
        return SignedEngine(self, C)


class SignedEngine(CoreEngine):
    """The dual engine on rows."""

    def __init__(self, oracle: SignedOracle, C: float) -> None:
        self.core: _core.SignedEngine = _core.SignedEngine(
            oracle.core, oracle.formulation.slack, C, oracle.sample_weight
        )

    def visit(self, order: Indices, settings: _core.VisitSettings, capacity: int | None = None) -> _core.VisitResult:
        """``capacity`` has no meaning here: a block never holds more than one plane."""
        return self.core.visit(order, settings)

    def state(self) -> DualState:
        example, output, alpha = self.core.support()
        return DualState(example, output, alpha)

    def restore(self, state: DualState) -> None:
        self.core.restore(state.example, state.alpha)

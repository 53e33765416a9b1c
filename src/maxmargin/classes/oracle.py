"""What the oracles of all structures share whose outputs are classes; a plane is known by its example and its class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.core.planes import Planes
from maxmargin.oracles.base import CoreEngine, Cut, DualState, OfOutputs, OnlineWalk
from maxmargin.oracles.portions import InPortions, Stop, summed

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class ClassOracle(InPortions, OfOutputs, ABC):
    """Planes of classes from the native core. A subclass says how one of them is a row of numbers."""

    exact = True
    cheap = True
    joint = False
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
        self.core = core
        self.formulation, self.sample_weight, self.threads = formulation, sample_weight, threads
        self.n = rows.n
        self.dimension = core.weight_count
        self.visit_cost = rows.cells / max(1, self.n) * columns
        self.plane_cells = 2.0 * rows.cells / max(1, self.n)

    @property
    def _squared(self) -> bool:
        return self.formulation.slack == "squared"

    def slacks(self, w: Floats, stop: Stop | None = None) -> Floats:
        return np.concatenate([self.core.worst(w, part, self.threads)[0] for part in self.everyone(stop)])

    def cut(self, w: Floats, *, fresh: bool = True, stop: Stop | None = None) -> Cut:
        if not fresh:
            raise ValueError("Classes keep no planes: asking anew costs the same.")
        return summed(
            self.core.cut(w, part, self.sample_weight, self._squared, self.threads) for part in self.everyone(stop)
        )

    def planes(self, w: Floats, examples: Indices) -> Planes:
        outputs = self.core.worst(w, examples, self.threads)[1]
        return self.expand(DualState(examples, outputs, np.zeros(examples.size)))

    @abstractmethod
    def expand(self, state: DualState) -> Planes:
        """The rows of planes known by example and class, in native layout."""

    def moved(self, state: DualState, codes: Indices) -> DualState:
        output = codes[state.output]
        kept = np.flatnonzero((output >= 0) & (output != self._labels[state.example]))
        return replace(state.take(kept), output=output[kept])

    def accumulate(self, walk: OnlineWalk, order: Indices, numerator: float) -> int:
        added = self.core.accumulate(
            walk.v, walk.late, order, self.sample_weight, self._squared, walk.first, walk.done, numerator
        )
        walk.done += order.size
        return added

    def engine(self, C: float) -> ClassEngine:
        return ClassEngine(self.core, self.formulation.slack, C, self.sample_weight)


class ClassEngine(CoreEngine):
    """The dual engine on blocks of classes."""

    def __init__(self, oracle: Any, slack: str, C: float, sample_weight: Floats | None) -> None:
        kind = _core.MulticlassEngine if isinstance(oracle, _core.Multiclass) else _core.OutputEngine
        self.core: _core.MulticlassEngine | _core.OutputEngine = kind(oracle, slack, C, sample_weight)

    def visit(self, order: Indices, settings: _core.VisitSettings, capacity: int | None = None) -> _core.VisitResult:
        """``capacity`` has no meaning here: a block never holds more planes than there are classes."""
        return self.core.visit(order, settings)

    def state(self) -> DualState:
        example, output, alpha = self.core.support()
        return DualState(example, output, alpha)

    def restore(self, state: DualState) -> None:
        self.core.restore(state.example, state.output, state.alpha)

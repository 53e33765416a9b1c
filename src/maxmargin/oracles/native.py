"""Oracles whose planes come from the native core, and their dual engine: what all structures of the library share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin._core import VisitResult, VisitSettings
from maxmargin.core.formulation import Formulation
from maxmargin.core.planes import Planes
from maxmargin.core.vectors import SparseVector, compact
from maxmargin.oracles.base import Capabilities, Cut, OnlineWalk, Oracle, Stop
from maxmargin.oracles.cached import LOOK, PlaneCache
from maxmargin.oracles.engine import DualState, Engine, EngineCore
from maxmargin.oracles.plane_sums import Plane
from maxmargin.oracles.portions import InPortions, joined, until

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Outputs = npt.NDArray[Any]

_SEARCH = 4.0  # looks at all planes kept of an example that a search for a better one is worth
_BYTES, _MOST_BYTES = 500.0, 5e8  # of a plane kept, beside its cells; of all of them
_FEWEST = 3  # planes kept per example


class OracleCore(Protocol):
    """A bound training set of the native core (``bindings/engine/questions.hpp``)."""

    @property
    def weight_count(self) -> int: ...
    def slacks(self, weights: Floats, examples: Indices, threads: int) -> tuple[Any, ...]: ...
    def worst(self, weights: Floats, examples: Indices, threads: int) -> tuple[Any, ...]: ...
    def cut(
        self,
        weights: Floats,
        examples: Indices,
        sample_weight: Floats | None,
        squared: bool,
        into: Floats,
        threads: int,
    ) -> tuple[Any, ...]: ...
    def accumulate(
        self,
        v: Floats,
        late: Floats,
        examples: Indices,
        sample_weight: Floats | None,
        squared: bool,
        first: int,
        done: int,
        numerator: float,
    ) -> int: ...


class NativeCore(EngineCore, Protocol):
    """A native engine that takes up outputs (``bindings/engine/states.hpp``)."""

    def restore(self, block: Indices, outputs: Any, alpha: Floats) -> None: ...


class WorkingSetCore(NativeCore, Protocol):
    """A native engine that holds planes, which can be merged."""

    def merge(self, blocks: Indices, capacity: int) -> None: ...
    def outputs(self) -> Outputs: ...
    def planes(self) -> tuple[Any, ...]: ...


class NativeOracle(InPortions, Oracle):
    """Planes from the native core, each known by its example and its output.

    A subclass says how outputs become rows of numbers (``rows_of``), which engine holds its planes, and how its data
    are recognised. Outputs go to the core and come back one after the other in one array; where an output is more than
    the number of a class, ``handles_of`` and ``outputs_of`` go between that array and the handles of a ``DualState``.

    ``cached`` and ``costs`` are further fields of its ``Capabilities``.
    """

    def __init__(
        self,
        core: OracleCore,
        n: int,
        formulation: Formulation,
        sample_weight: Floats | None,
        threads: int,
        visit_cost: float,
        *,
        cached: bool = False,
        **costs: Any,
    ) -> None:
        self.core, self.n, self.dimension = core, n, core.weight_count
        self.formulation, self.sample_weight, self.threads = formulation, sample_weight, threads
        self.capabilities = Capabilities(visit_cost, n * visit_cost, cheap=True, cached=cached, **costs)

    @abstractmethod
    def rows_of(self, examples: Indices, outputs: Outputs) -> Planes:
        """The planes of outputs as rows of numbers, in native layout; zero where an output is the truth."""

    def outputs_of(self, state: DualState) -> Outputs | None:
        """The outputs of a state as the core takes them; None where planes were merged, so that they have none."""
        return state.output

    def handles_of(self, examples: Indices, outputs: Outputs) -> Sequence[Any] | None:
        """Outputs of the core in the form of the structure."""
        return None

    def worst(self, w: Floats, examples: Indices) -> tuple[Floats, Outputs]:
        """The slacks of examples and the outputs of their most violated planes."""
        slack, outputs, missed = self.core.worst(w, examples, self.threads)
        self._note(missed)
        return slack, outputs

    def slacks(self, w: Floats, stop: Stop | None = None) -> Floats:
        slacks = []
        for part in self.everyone(stop):
            slack, missed = self.core.slacks(w, part, self.threads)
            self._note(missed)
            slacks.append(slack)
        return joined(slacks)

    def cut(self, w: Floats, stop: Stop | None = None) -> Cut:
        return self._summed(w, self.everyone(stop), self.sample_weight)

    def cut_of(self, w: Floats, examples: Indices, weight: Floats, stop: Stop | None = None) -> Cut:
        weights = np.zeros(self.n)
        weights[examples] = weight
        return self._summed(w, until(self.portions(examples), stop), weights)

    def _summed(self, w: Floats, parts: Iterator[Indices], weight: Floats | None) -> Cut:
        a, b, slacks = np.zeros(self.dimension), 0.0, []
        for part in parts:
            own, slack, missed = self.core.cut(w, part, weight, self._squared, a, self.threads)
            self._note(missed)
            b += own
            slacks.append(slack)
        return Cut(compact(a), b, joined(slacks))

    def planes(self, w: Floats, examples: Indices) -> Planes:
        return self.rows_of(examples, self.worst(w, examples)[1])

    def ask_all(self, w: Floats) -> Iterator[tuple[int, Plane | None]]:
        """Every example with its most violated plane at ``w`` as a row, or None if that is the truth's (zero)."""
        for part in self.everyone(None):
            planes = self.planes(w, part)
            for k, (i, b) in enumerate(zip(part.tolist(), planes.b.tolist())):
                row = slice(planes.a.indptr[k], planes.a.indptr[k + 1])
                values = planes.a.data[row]  # outputs other than the truth may have no loss, but then they have a row
                yield i, (SparseVector(planes.a.indices[row], values), b) if b != 0.0 or values.any() else None

    def keeping(self, size: int) -> PlaneCache | None:
        """Where a search costs several times what a look at ``size`` planes does, and these find room."""
        if self.capabilities.visit_cost < _SEARCH * size * LOOK:
            return None
        cells = self.planes(np.zeros(self.dimension), self._some()).a.nnz / self._some().size
        room = int(_MOST_BYTES / (self.n * (_BYTES + 12.0 * cells)))
        worth = self.capabilities.visit_cost >= _SEARCH * size * (LOOK + cells)
        return PlaneCache(self, min(size, room), cells) if worth and room >= min(size, _FEWEST) else None

    def expand(self, state: DualState) -> Planes:
        """The rows of planes known by example and output, or merged, in native layout."""
        if state.planes is not None:
            return state.planes
        outputs = self.outputs_of(state)
        if outputs is None:
            raise ValueError("This dual state has no outputs; it does not belong to this structure.")
        return self.rows_of(state.example, outputs)

    def accumulate(self, walk: OnlineWalk, order: Indices, numerator: float) -> int:
        added = self.core.accumulate(
            walk.v, walk.late, order, self.sample_weight, self._squared, walk.first, walk.done, numerator
        )
        walk.done += order.size
        return added

    def steepness(self) -> float:
        a = self.planes(np.zeros(self.dimension), self._some()).a
        return float(a.multiply(a).sum(axis=1).max())

    def _some(self) -> Indices:
        """About a hundred examples."""
        return np.arange(0, self.n, max(1, self.n // 100), dtype=np.int32)

    def _note(self, missed: bool) -> None:
        if missed:
            self.give_up_exactness()

    @property
    def _squared(self) -> bool:
        return self.formulation.slack == "squared"


class NativeEngine(Engine):
    """The dual engine on planes that the native core finds itself and numbers: classes."""

    core: NativeCore

    def __init__(self, oracle: NativeOracle, core: NativeCore) -> None:
        self.oracle, self.core = oracle, core

    def visit(self, order: Indices, settings: VisitSettings, capacity: int | None = None) -> VisitResult:
        """``capacity`` has no meaning here: a block never holds more planes than there are."""
        return self.core.visit(order, settings)

    def state(self) -> DualState:
        return DualState(*self.core.support())

    def restore(self, state: DualState) -> None:
        outputs = self.oracle.outputs_of(state)
        if outputs is not None:
            self.core.restore(state.example, outputs, state.alpha)


class WorkingSetEngine(NativeEngine):
    """The same where there are too many planes to be numbered: each block holds some, which can be merged."""

    core: WorkingSetCore

    def __init__(self, oracle: NativeOracle, core: WorkingSetCore) -> None:
        super().__init__(oracle, core)
        self._merged = False

    def visit(self, order: Indices, settings: VisitSettings, capacity: int | None = None) -> VisitResult:
        result = super().visit(order, settings)
        if capacity is not None:
            self._merged = True
            self.core.merge(order, capacity)
        return result

    def state(self) -> DualState:
        """Once planes were merged they are rows, and there are no outputs to start from again."""
        example, output, alpha = self.core.support()
        if self._merged:
            rows = csr_planes(self.core.planes(), example, self.oracle.dimension, self.oracle.exact)
            return DualState(example, output, alpha, rows)
        return DualState(example, output, alpha, handles=self.oracle.handles_of(example, self.core.outputs()))


def csr_planes(parts: tuple[Any, ...], examples: Indices, dimension: int, exact: bool) -> Planes:
    """Planes from their CSR rows and ``b``, as the core writes them."""
    offsets, index, value, b = parts
    return Planes(sp.csr_array((value, index, offsets), shape=(b.size, dimension)), b, examples, exact)

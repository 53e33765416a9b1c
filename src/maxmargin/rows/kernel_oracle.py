"""Any native oracle over rows with a kernel in place of features.

The oracle that is wrapped is bound to unit vectors, one per training row (``KernelCache.unit_rows``); what its weights
and planes are then is in ``KernelSpace``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin._core import VisitResult, VisitSettings
from maxmargin.core.planes import Planes
from maxmargin.oracles.base import Cut, OnlineWalk, Oracle, Stop
from maxmargin.oracles.engine import DualState, Engine
from maxmargin.oracles.native import NativeEngine, NativeOracle
from maxmargin.oracles.portions import PORTION
from maxmargin.oracles.search import Unsupported
from maxmargin.rows.kernel_cache import BLOCK, KernelCache
from maxmargin.rows.kernel_parts import KernelParts
from maxmargin.rows.kernel_space import KernelSpace

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_SAMPLE = 50  # planes that steepness looks at
_ROUNDING = 1e-13  # of a coefficient, a dual or an eigenvalue
_INNER = 10  # visits to a working set while the others wait, at most
_SOLVED = 0.1  # of the gap, or of the violation, that a working set was met with, at which it is left
_WORTHWHILE = 0.5  # of the mean gap: examples with less are not visited
_PER_OPERATION = 40.0  # operations within a product of matrices that take as long as one alone
_LOOK = VisitSettings(step="none", threshold=np.inf, keep_idle=2**30)  # finds the gaps and changes nothing


class KernelOracle(Oracle):
    """The questions of a native oracle at points of a kernel's space.

    Parameters
    ----------
    base : the oracle of unit vectors
    rows : these vectors
    cache : their kernel matrix
    width : weights per row
    offsets : the rows of example i are ``offsets[i]`` to ``offsets[i + 1]``; None where an example is a row
    """

    def __init__(
        self,
        base: NativeOracle,
        rows: _core.Rows,
        cache: KernelCache,
        width: int,
        offsets: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self.base, self.rows, self.cache, self.offsets = base, rows, cache, offsets
        self.n, self.dimension = base.n, base.dimension
        self.formulation, self.sample_weight = base.formulation, base.sample_weight
        self._space = KernelSpace(cache, width, base.dimension)
        per_example = cache.n / max(1, base.n)
        self._update_cost = float(cache.n * width) / _PER_OPERATION * per_example  # of the scores of all rows
        cost = self._update_cost + _INNER * min(cache.n, BLOCK) * per_example
        products = float(width * cache.n) * cache.n / _PER_OPERATION  # of a plane with all others, label by label
        self.capabilities = replace(base.capabilities, visit_cost=cost, row_cost=products, row_cells=0.0)

    @property
    def space(self) -> KernelSpace:
        return self._space

    @property
    def problem_name(self) -> str:
        return self.base.problem_name

    def portions(self, order: Indices) -> list[Indices]:
        size = max(BLOCK, int(PORTION // self._update_cost))
        return [order[start : start + size] for start in range(0, order.size, size)]

    def blocks_of(self, examples: Indices) -> Iterator[Indices]:
        """Examples in pieces that have some hundred rows together, and one at least."""
        if self.offsets is None:
            yield from (examples[start : start + BLOCK] for start in range(0, examples.size, BLOCK))
        elif examples.size:
            piece = (np.cumsum(np.diff(self.offsets)[examples]) - 1) // BLOCK
            yield from np.split(examples, np.flatnonzero(np.diff(piece)) + 1)

    def rows_of(self, examples: Indices) -> Indices:
        """The numbers of the rows of examples, one after the other."""
        if self.offsets is None:
            return examples
        parts = [np.arange(self.offsets[i], self.offsets[i + 1], dtype=np.int32) for i in examples]
        return np.concatenate(parts)

    def slacks(self, w: Floats, stop: Stop | None = None) -> Floats:
        found = self.base.slacks(w, stop)
        self._note()
        return found

    def cut(self, w: Floats, stop: Stop | None = None) -> Cut:
        return self._as_point(self.base.cut(w, stop))

    def cut_of(self, w: Floats, examples: Indices, weight: Floats, stop: Stop | None = None) -> Cut:
        return self._as_point(self.base.cut_of(w, examples, weight, stop))

    def _as_point(self, cut: Cut) -> Cut:
        self._note()
        return replace(cut, a=self._space.point(cut.a))

    def by_parts(self) -> KernelParts:
        return KernelParts(self.base, self._space, self.rows_of)

    def planes(self, w: Floats, examples: Indices) -> Planes:
        return self._with_products(self.base.planes(w, examples))

    def expand(self, state: DualState) -> Planes:
        return self._with_products(self.base.expand(state))

    def engine(self, C: float) -> Engine:
        base = self.base.engine(C)
        assert isinstance(base, NativeEngine)
        return KernelEngine(self, base)

    def accumulate(self, walk: OnlineWalk, order: Indices, numerator: float) -> int:
        raise Unsupported("Online solvers need explicit features of a kernel; give rank=, or use solver='auto'.")

    def steepness(self) -> float:
        some = np.arange(0, self.n, max(1, self.n // _SAMPLE), dtype=np.int32)
        gram = self._gram(self.base.planes(np.zeros(self.dimension), some).a)
        return float(gram.diagonal().max(initial=0.0))

    def fingerprint(self) -> str | None:
        return None

    def moved(self, state: DualState, codes: Indices) -> DualState:
        return self.base.moved(state, codes)

    def set_patch(self, rows: Indices, values: Floats, scores: Floats) -> None:
        """The rows whose scores are kept up to date while a solver moves, their part of the kernel matrix, and these
        scores, shape (width, rows)."""
        self.rows.set_patch(rows, values, scores)

    def leave_patch(self) -> None:
        """From now on no scores are kept up to date."""
        self.rows.set_patch(np.zeros(0, dtype=np.int32), np.zeros((0, 0)), np.zeros((0, 0)))

    def _note(self) -> None:
        if not self.base.exact:
            self.give_up_exactness()

    def _with_products(self, planes: Planes) -> Planes:
        """The same planes as rows whose plain inner products are those in the space of the kernel."""
        values, vectors = np.linalg.eigh(self._gram(planes.a))
        values[values < _ROUNDING * values.max(initial=0.0)] = 0.0  # the root of rounding would be more than rounding
        rows = vectors * np.sqrt(values)
        return Planes(sp.csr_array(rows), planes.b, planes.example, planes.exact)

    def _gram(self, a: Any) -> Floats:
        """Inner products of planes, given as the native core writes them."""
        a, paired, width = sp.csr_array(a), self._space.paired, self._space.width
        own, rest = sp.csr_array(a[:, :paired] + a[:, paired : 2 * paired]), a[:, 2 * paired :]
        gram = np.asarray((rest @ rest.T).toarray())
        rows = np.unique(own.indices // width).astype(np.int32)
        products = self.cache.patch(rows)
        for y in range(width if rows.size else 0):
            coefficients = own[:, rows * width + y].toarray()
            gram += coefficients @ products @ coefficients.T
        return gram


class KernelEngine(Engine):
    """Dual ascent of the wrapped oracle, some hundred rows of the kernel matrix at a time.

    While the examples of these rows are visited their scores are kept up to date by their patch of the matrix; then one
    product of the rows with all that has changed brings the scores of all rows up to date.
    """

    def __init__(self, oracle: KernelOracle, base: NativeEngine) -> None:
        self.oracle, self.base, self.core = oracle, base, base.core
        self.space, self.cache = oracle.space, oracle.cache
        self._marked = np.zeros(0)  # the weights when the dual variables were marked
        self._moved = False  # since the scores were computed from the coefficients

    @property
    def weights(self) -> Floats:
        """With scores computed anew from the coefficients, where these have more digits than what was added up."""
        if self._moved and self.cache.dtype == np.float64:
            self.space.set_scores(self.core.weights)
            self._moved = False
        return self.core.weights

    @property
    def rough_weights(self) -> Floats:
        return self.core.weights

    def visit(self, order: Indices, settings: VisitSettings, capacity: int | None = None) -> VisitResult:
        """Visits a working set several times, unless planes are only collected or counted.

        Examples with a small part of the mean gap are left out. At the end the gaps are those at the present weights.
        """
        total, steps = VisitResult(), settings.steps and not settings.max_added
        looks = steps and self.oracle.offsets is None  # a look at several rows asks for their products
        for some in self.oracle.blocks_of(order):
            chosen = self._worthwhile(some) if looks else some
            with _Patch(self, chosen):
                found = self.base.visit(chosen, settings, capacity)
                total.merge(found)
                gap, violation, visits = _SOLVED * found.gap, _SOLVED * found.violation, 1
                while steps and visits < _INNER and not found.unbounded:
                    found = self.base.visit(self._large(chosen), settings, capacity)
                    visits += 1
                    if found.gap <= gap or found.violation <= violation:
                        break
            total.visited += some.size - chosen.size
            if total.unbounded or 0 < settings.max_added <= total.added:
                break
        if looks:
            self._look(order)
        return total

    def _worthwhile(self, examples: Indices) -> Indices:
        """Those of some examples whose gap is not small."""
        self._look(examples)
        gaps = self.core.gaps
        known = gaps[np.isfinite(gaps)]
        chosen = examples[gaps[examples] > _WORTHWHILE * max(0.0, float(known.mean(dtype=np.float64)))]
        return chosen if chosen.size else examples[:1]

    def _large(self, examples: Indices) -> Indices:
        """Those of the examples of a working set that have most of its gap, as they were met last."""
        gaps = self.core.gaps[examples]
        large: Indices = examples[gaps >= _WORTHWHILE * gaps.mean(dtype=np.float64)]
        return large

    def _look(self, examples: Indices) -> None:
        """Finds the gaps of examples at the present weights."""
        self.core.visit(examples, _LOOK)

    def settle(self, settings: VisitSettings, tolerance: float, max_passes: int) -> VisitResult:
        total = VisitResult()
        everyone = np.unique(self.core.support()[0]).astype(np.int32)
        for _ in range(max_passes):
            worst = 0.0
            for some in self.oracle.blocks_of(everyone):
                with _Patch(self, some):
                    found = self.core.settle(settings, tolerance, 1, some)
                    worst = max(worst, found.violation)
                    total.merge(found)
                    if found.violation > tolerance and not found.unbounded:
                        total.merge(self.core.settle(settings, 0.5 * tolerance, _INNER, some))
                if total.unbounded:
                    return total
            total.violation = worst
            if worst <= tolerance:
                break
        return total

    def mark(self) -> None:
        super().mark()
        self._marked = np.array(self.core.weights)

    def extrapolate(self, factor: float) -> float:
        """The scores extrapolate like the coefficients, but for the rows that were kept within their cap."""
        paired, before, dual = self.space.paired, np.array(self.core.weights), self.core.dual
        step = self.core.stretch(factor)
        w = self.core.weights
        straight = before + factor * (before - self._marked)
        rest = w[paired : 2 * paired] - straight[paired : 2 * paired]
        rest[np.abs(rest) <= _ROUNDING * np.abs(straight[paired : 2 * paired]).max(initial=0.0)] = 0.0
        w[:paired] = straight[:paired] + self.cache.product(rest.reshape(-1, self.space.width)).ravel()
        gain = self.core.dual - dual
        if gain > _ROUNDING * abs(dual):
            self._moved = True
            return float(gain)
        self.core.take_back(step)
        self.core.weights[:] = before
        return 0.0

    def sharpen(self) -> None:
        """Computes the scores anew from the coefficients."""
        self.weights  # noqa: B018

    def set_alpha(self, alpha: Floats) -> None:
        super().set_alpha(alpha)
        self.space.set_scores(self.core.weights)

    def state(self) -> DualState:
        return self.base.state()

    def working_sets(self) -> DualState:
        return self.base.working_sets()

    def restore(self, state: DualState) -> None:
        for some in self.oracle.blocks_of(np.unique(state.example).astype(np.int32)):
            with _Patch(self, some):
                self.base.restore(state.take(np.flatnonzero(np.isin(state.example, some))))
        self.space.set_scores(self.core.weights)


class _Patch:
    """Inside, moves of some examples keep the scores of their rows up to date; at the end those of all rows are."""

    def __init__(self, engine: KernelEngine, examples: Indices) -> None:
        self._engine, self._rows = engine, engine.oracle.rows_of(examples)

    def __enter__(self) -> None:
        engine, rows, space = self._engine, self._rows, self._engine.space
        w = engine.core.weights
        scores = w[: space.paired].reshape(-1, space.width)
        engine.oracle.set_patch(rows, engine.cache.patch(rows), np.ascontiguousarray(scores[rows].T))
        self._before = space.coefficients(w)[rows]

    def __exit__(self, *_: object) -> None:
        engine, rows, space = self._engine, self._rows, self._engine.space
        engine.oracle.leave_patch()
        w = engine.core.weights
        change = space.coefficients(w)[rows] - self._before
        used = np.flatnonzero(change.any(axis=1))
        if not used.size:
            return
        scores = w[: space.paired].reshape(-1, space.width)
        engine.cache.add_product(rows[used], change[used], scores)
        engine._moved = True

"""Dual ascent over rows of a kernel matrix, for any engine whose planes are combinations of these rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from maxmargin._core import VisitResult, VisitSettings
from maxmargin.oracles.engine import DualState, Engine
from maxmargin.oracles.native import WorkingSetEngine
from maxmargin.oracles.plane_by_plane import PlanesEngine

if TYPE_CHECKING:
    from maxmargin.rows.kernel_oracle import KernelOracle

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

INNER = 10  # visits to a working set while the others wait, at most
_ROUNDING = 1e-13  # of a coefficient or a dual
_SOLVED = 0.1  # of the gap, or of the violation, that a working set was met with, at which it is left
_WORTHWHILE = 0.5  # of the mean gap: examples with less are not visited
_LOOK = VisitSettings(step="none", threshold=np.inf, keep_idle=2**30)  # finds the gaps and changes nothing


class KernelEngine(Engine):
    """Dual ascent of the wrapped oracle, some hundred rows of the kernel matrix at a time.

    While the examples of these rows are visited their scores are kept up to date by their patch of the matrix; then one
    product of the rows with all that has changed brings the scores of all rows up to date.
    """

    def __init__(self, oracle: KernelOracle, base: Engine) -> None:
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
    def gaps(self) -> npt.NDArray[np.float32]:
        return self.base.gaps

    @property
    def rough_weights(self) -> Floats:
        return self.core.weights

    def visit(self, order: Indices, settings: VisitSettings, capacity: int | None = None) -> VisitResult:
        """Visits a working set several times, unless planes are only collected or counted.

        Examples with a small part of the mean gap are left out. At the end the gaps are those at the present weights.
        """
        total, steps = VisitResult(), settings.steps and not settings.max_added
        looks = steps and self.oracle.groups is None  # a look at several rows asks for their products
        for some in self.oracle.blocks_of(order):
            chosen = self._worthwhile(some) if looks else some
            with _Patch(self, chosen):
                found = self.base.visit(chosen, settings, capacity)
                total.merge(found)
                gap, violation, visits = _SOLVED * found.gap, _SOLVED * found.violation, 1
                while steps and visits < INNER and not found.unbounded:
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
        gaps = self.gaps
        known = gaps[np.isfinite(gaps)]
        chosen = examples[gaps[examples] > _WORTHWHILE * max(0.0, float(known.mean(dtype=np.float64)))]
        return chosen if chosen.size else examples[:1]

    def _large(self, examples: Indices) -> Indices:
        """Those of the examples of a working set that have most of its gap, as they were met last."""
        gaps = self.gaps[examples]
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
                        total.merge(self.core.settle(settings, 0.5 * tolerance, INNER, some))
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
        """Planes that are held have products with each other; those that are numbered have none."""
        if not isinstance(self.base, WorkingSetEngine | PlanesEngine):
            self.base.restore(state)
            self.space.set_scores(self.core.weights)
            return
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
        self._scores = w[: space.paired].reshape(-1, space.width)[rows]
        engine.oracle.set_patch(rows, engine.cache.patch(rows), np.array(self._scores.T, order="C"))
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
        scores[rows] = self._scores  # planes that are stored move these too
        engine.cache.add_product(rows[used], change[used], scores)
        engine._moved = True

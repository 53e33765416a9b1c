"""Any oracle over rows with a kernel in place of features.

The oracle that is wrapped is bound to unit vectors, one per training row (``KernelCache.unit_rows``); what its weights
and planes are then is in ``KernelSpace``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.core.planes import Planes
from maxmargin.oracles.base import Cut, OnlineWalk, Oracle, Stop
from maxmargin.oracles.engine import DualState, Engine
from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.portions import PORTION
from maxmargin.oracles.search import Unsupported
from maxmargin.rows.groups import RowGroups
from maxmargin.rows.kernel_cache import BLOCK, KernelCache
from maxmargin.rows.kernel_engine import INNER, KernelEngine
from maxmargin.rows.kernel_parts import KernelParts
from maxmargin.rows.kernel_space import KernelSpace

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_SAMPLE = 50  # planes that steepness looks at
_ROUNDING = 1e-13  # of an eigenvalue
_PER_OPERATION = 40.0  # operations within a product of matrices that take as long as one alone


class KernelOracle(Oracle):
    """The questions of an oracle at points of a kernel's space.

    Parameters
    ----------
    base : the oracle of unit vectors
    rows : these vectors
    cache : their kernel matrix
    width : weights per row
    groups : the rows of each example; None where an example is a row
    data : gives what the rows and their kernel are recognised by in another fit; None where they are not
    """

    def __init__(
        self,
        base: Oracle,
        rows: _core.Rows,
        cache: KernelCache,
        width: int,
        groups: RowGroups | None = None,
        data: Callable[[], str] | None = None,
    ) -> None:
        self.base, self.rows, self.cache, self.groups, self.data = base, rows, cache, groups, data
        self.n, self.dimension = base.n, base.dimension
        self.formulation, self.sample_weight = base.formulation, base.sample_weight
        self._space = KernelSpace(cache, width, base.dimension)
        per_example = cache.n / max(1, base.n)
        self._update_cost = float(cache.n * width) / _PER_OPERATION * per_example  # of the scores of all rows
        cost = self._update_cost + INNER * min(cache.n, BLOCK) * per_example
        products = float(width * cache.n) * cache.n / _PER_OPERATION  # of a plane with all others, label by label
        whole = float(width * cache.n) * cache.n
        largest = 1 if groups is None else int(groups.sizes.max(initial=1))
        self._unpatched = largest > BLOCK and not cache.holds_patch(largest)
        self.capabilities = replace(
            base.capabilities,
            visit_cost=cost,
            pass_cost=whole,
            row_cost=products,
            row_cells=0.0,
            joint=base.capabilities.joint or self._unpatched,
        )

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
        if self.groups is None:
            yield from (examples[start : start + BLOCK] for start in range(0, examples.size, BLOCK))
        elif examples.size:
            piece = (np.cumsum(self.groups.sizes[examples]) - 1) // BLOCK
            yield from np.split(examples, np.flatnonzero(np.diff(piece)) + 1)

    def rows_of(self, examples: Indices) -> Indices:
        """The numbers of the rows of examples, each of them once."""
        if self.groups is None:
            return examples
        return np.unique(np.concatenate([self.groups[int(i)] for i in examples]))

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
        if self._unpatched:
            assert self.groups is not None
            raise Unsupported(
                f"An example has {int(self.groups.sizes.max()):,} rows, and the kernel between these does not fit into "
                "its cache; use solver='auto' or 'one-slack', or Kernel(..., cache=...) with more bytes."
            )
        return KernelEngine(self, self.base.engine(C))

    def accumulate(self, walk: OnlineWalk, order: Indices, numerator: float) -> int:
        raise Unsupported("Online solvers need explicit features of a kernel; give rank=, or use solver='auto'.")

    def steepness(self) -> float:
        some = np.arange(0, self.n, max(1, self.n // _SAMPLE), dtype=np.int32)
        planes = self.base.planes(np.zeros(self.dimension), some).a
        return max(float(self._gram(planes[k : k + 1])[0, 0]) for k in range(some.size))

    def fingerprint(self) -> str | None:
        own = self.base.fingerprint()
        return None if own is None or self.data is None else digest(own, self.data())

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
        """Inner products of planes, given as the core writes them."""
        a, paired, width = sp.csr_array(a), self._space.paired, self._space.width
        own, rest = sp.csr_array(a[:, :paired] + a[:, paired : 2 * paired]), a[:, 2 * paired :]
        gram = np.asarray((rest @ rest.T).toarray())
        rows = np.unique(own.indices // width).astype(np.int32)
        by_label = [own[:, rows * width + y] for y in range(width)]
        by_label = [coefficients for coefficients in by_label if coefficients.nnz]
        for start in range(0, rows.size, BLOCK):
            part = slice(start, start + BLOCK)
            values = self.cache.between(rows[part], rows).astype(np.float64)
            for coefficients in by_label:
                gram += coefficients[:, part] @ np.asarray(coefficients @ values.T).T
        return np.asarray(0.5 * (gram + gram.T))

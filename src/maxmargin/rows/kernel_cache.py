"""The kernel matrix of a training set, computed in blocks when it is needed and kept while there is room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core

Floats = npt.NDArray[np.float64]
Real = npt.NDArray[np.float32] | npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Columns = npt.NDArray[np.int32] | slice

BLOCK = 512  # rows at once: enough for matrix products to run at full speed, few enough for the caches of a processor
_TILE = 2048  # columns at once, for the same reason
_SPARSE = 0.2  # of the coefficients that are not zero: up to which single ones take less time than whole matrices
_DIRECT = 8192  # rows of a patch up to which it is computed in one piece


class KernelCache:
    """The kernel matrix of ``n`` training rows as far as ``limit`` bytes hold it.

    Rows that were not used for longest make room for others. With ``products`` none is kept: values that cost little
    are computed sooner than they are read from memory.

    Parameters
    ----------
    values : from row numbers, and from column numbers or a slice, to ``K[rows][:, columns]``
    diagonal : ``K[i, i]``, shape (n,)
    limit : bytes for the rows kept; at least 512 rows are kept, even if they need more
    dtype : of the values; None is float64 where all of them fit, else float32
    products : the same matrix for products that store no value
    """

    def __init__(
        self,
        values: Callable[[Indices, Columns], Real],
        diagonal: Floats,
        limit: int,
        dtype: npt.DTypeLike | None = None,
        products: _core.KernelProducts | None = None,
    ) -> None:
        self._values, self.diagonal, self.n = values, np.ascontiguousarray(diagonal, dtype=np.float64), len(diagonal)
        self.dtype = np.dtype((np.float64 if 8 * self.n * self.n <= limit else np.float32) if dtype is None else dtype)
        room = limit // max(1, self.n * self.dtype.itemsize)
        self._products, self.capacity = products, min(self.n, max(BLOCK, room)) if products is None else 0
        self._slots = np.empty((self.capacity, self.n), dtype=self.dtype)
        self._slot = np.full(self.n, -1, dtype=np.intp)  # of each row
        self._owner = np.full(self.capacity, -1, dtype=np.intp)  # of each slot
        self._used = np.zeros(self.capacity, dtype=np.int64)
        self._clock = self.computed = 0  # blocks asked for, and rows computed
        self._limit = limit

    def unit_rows(self, constant: float = 0.0) -> _core.Rows:
        """The rows as the native core takes them (``rows/kernel_patch.hpp``), with a constant feature beside."""
        numbers, ends = np.arange(self.n, dtype=np.int32), np.arange(self.n + 1, dtype=np.int64)
        rows = _core.Rows(None, numbers, ends, 2 * self.n, constant, True)
        rows.set_kernel(self.diagonal)
        return rows

    def rows(self, numbers: Indices) -> Real:
        """``K[numbers, :]`` of at most 512 different rows, a copy."""
        return self._slots[self._held(numbers)] if self._products is None else self._values(numbers, slice(None))

    def holds_patch(self, rows: int) -> bool:
        """Whether the kernel between so many rows, in float64, takes no more room than the cache may."""
        return 8 * rows * rows <= self._limit

    def between(self, rows: Indices, columns: Indices) -> Real:
        """``K[rows][:, columns]``, of which nothing is kept."""
        return self._values(rows, columns)

    def patch(self, numbers: Indices) -> Floats:
        """``K[numbers][:, numbers]`` in float64, of different rows."""
        found = np.empty((numbers.size, numbers.size))
        for start in range(0, numbers.size, _DIRECT):
            some = numbers[start : start + _DIRECT]
            held = self._slot[some]
            if some.size and (held >= 0).all():
                found[start : start + _DIRECT] = self._slots[held[:, None], numbers]
            else:
                found[start : start + _DIRECT] = self._values(some, numbers)
        diagonal = np.arange(numbers.size)
        found[diagonal, diagonal] = self.diagonal[numbers]
        return found

    def square(self, numbers: Indices, coefficients: Floats) -> float:
        """``c' K c`` over different rows with the coefficients c."""
        total = 0.0
        for start in range(0, numbers.size, BLOCK):
            part = slice(start, start + BLOCK)
            total += float(coefficients[part] @ (self._values(numbers[part], numbers) @ coefficients))
        return total

    def add_product(self, numbers: Indices, coefficients: Floats, into: Floats) -> None:
        """``into += K[:, numbers] @ coefficients`` for different rows, shapes (n, width) and (len(numbers), width)."""
        if self._products is not None:
            self._products.add(numbers, coefficients, into)
            self.computed += numbers.size
            return
        for start in range(0, numbers.size, BLOCK):
            some = numbers[start : start + BLOCK]
            part = _transposed(coefficients[start : start + BLOCK].astype(self.dtype))
            held = self._held(some)
            for first in range(0, self.n, _TILE):
                tile = slice(first, first + _TILE)
                into[tile] += (part @ self._slots[held, tile]).T

    def product(self, coefficients: Floats) -> Floats:
        """``K @ coefficients``, shape (n, width), from the rows that have coefficients."""
        total = np.zeros(coefficients.shape)
        used = np.flatnonzero(coefficients.any(axis=1)).astype(np.int32)
        used = used[np.argsort(self._slot[used] < 0, kind="stable")]  # what is kept before it has to make room
        self.add_product(used, coefficients[used], total)
        return total

    def _held(self, rows: Indices) -> npt.NDArray[np.intp]:
        """Where some rows are kept, all of them from now on."""
        self._clock += 1
        held = self._slot[rows]
        self._used[held[held >= 0]] = self._clock
        missing = rows[held < 0]
        if missing.size:
            self._store(missing)
        return self._slot[rows]

    def _store(self, rows: Indices) -> None:
        self.computed += rows.size
        free = np.flatnonzero(self._owner < 0)[: rows.size]
        if free.size < rows.size:
            taken = np.flatnonzero((self._owner >= 0) & (self._used < self._clock))
            oldest = taken[np.argsort(self._used[taken], kind="stable")[: rows.size - free.size]]
            self._slot[self._owner[oldest]] = -1
            free = np.concatenate([free, oldest])
        for first in range(0, self.n, _TILE):
            tile = slice(first, first + _TILE)
            self._slots[free, tile] = self._values(rows, tile)
        self._slot[rows], self._owner[free], self._used[free] = free, rows, self._clock


def _transposed(coefficients: Real) -> Any:
    """As the first factor of a product, sparse where most of them are zero."""
    turned = np.ascontiguousarray(coefficients.T)
    return sp.csr_array(turned) if np.count_nonzero(turned) <= _SPARSE * turned.size else turned

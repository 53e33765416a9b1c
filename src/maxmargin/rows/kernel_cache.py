"""Rows of the kernel matrix of a training set, computed in blocks when they are needed and kept while there is room."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from maxmargin import _core

Floats = npt.NDArray[np.float64]
Real = npt.NDArray[np.float32] | npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

BLOCK = 256  # rows at once: enough for matrix products to run at full speed, few enough for the caches of a processor


class KernelCache:
    """The kernel matrix of ``n`` training rows as far as ``limit`` bytes hold it.

    Numbers are float64 where all of them fit, else float32. Rows that were not used for longest make room for others.

    Parameters
    ----------
    rows_of : from row numbers to ``K[numbers, :]``, shape (len(numbers), n)
    diagonal : ``K[i, i]``, shape (n,)
    limit : bytes for the rows kept; at least 256 rows are kept, even if they need more
    """

    def __init__(self, rows_of: Callable[[Indices], Real], diagonal: Floats, limit: int) -> None:
        self._rows_of, self.diagonal, self.n = rows_of, np.ascontiguousarray(diagonal, dtype=np.float64), len(diagonal)
        self.dtype = np.dtype(np.float64 if 8 * self.n * self.n <= limit else np.float32)
        room = limit // max(1, self.n * self.dtype.itemsize)
        self.capacity = min(self.n, max(BLOCK, room))
        self._slots = np.empty((self.capacity, self.n), dtype=self.dtype)
        self._slot = np.full(self.n, -1, dtype=np.intp)  # of each row
        self._owner = np.full(self.capacity, -1, dtype=np.intp)  # of each slot
        self._used = np.zeros(self.capacity, dtype=np.int64)
        self._clock = self.computed = 0  # blocks asked for, and rows computed

    def unit_rows(self, constant: float = 0.0) -> _core.Rows:
        """The rows as the native core takes them (``rows/kernel_patch.hpp``), with a constant feature beside."""
        numbers, ends = np.arange(self.n, dtype=np.int32), np.arange(self.n + 1, dtype=np.int64)
        rows = _core.Rows(None, numbers, ends, 2 * self.n, constant, True)
        rows.set_kernel(self.diagonal)
        return rows

    def rows(self, numbers: Indices) -> Real:
        """``K[numbers, :]`` of at most 256 different rows, a copy."""
        self._clock += 1
        missing = numbers[self._slot[numbers] < 0]
        held = self._slot[numbers]
        self._used[held[held >= 0]] = self._clock
        if missing.size:
            self._store(missing)
        return self._slots[self._slot[numbers]]

    def product(self, coefficients: Floats) -> Floats:
        """``K @ coefficients``, shape (n, width), summed in float64 over the rows that have coefficients."""
        total = np.zeros(coefficients.shape)
        used = np.flatnonzero(coefficients.any(axis=1)).astype(np.int32)
        used = used[np.argsort(self._slot[used] < 0, kind="stable")]  # what is kept before it has to make room
        for start in range(0, used.size, BLOCK):
            some = used[start : start + BLOCK]
            total += self.rows(some).T.astype(np.float64, copy=False) @ coefficients[some]
        return total

    def _store(self, rows: Indices) -> None:
        self.computed += rows.size
        free = np.flatnonzero(self._owner < 0)[: rows.size]
        if free.size < rows.size:
            taken = np.flatnonzero((self._owner >= 0) & (self._used < self._clock))
            oldest = taken[np.argsort(self._used[taken], kind="stable")[: rows.size - free.size]]
            self._slot[self._owner[oldest]] = -1
            free = np.concatenate([free, oldest])
        self._slots[free] = self._rows_of(rows)
        self._slot[rows], self._owner[free], self._used[free] = free, rows, self._clock

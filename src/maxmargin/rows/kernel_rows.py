"""A training set by the rows of its kernel matrix: what is trained on where a kernel is not written out as features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.oracles.base import Oracle
from maxmargin.oracles.fingerprints import digest
from maxmargin.rows.feature_scale import packed
from maxmargin.rows.groups import RowGroups
from maxmargin.rows.kernel import Kernel
from maxmargin.rows.kernel_cache import KernelCache
from maxmargin.rows.kernel_map import ReferenceRows
from maxmargin.rows.kernel_oracle import KernelOracle
from maxmargin.rows.kernel_rough import rough_values
from maxmargin.rows.kernel_scale import KernelScale

Floats = npt.NDArray[np.float64]

_FEW_COLUMNS = 64  # of which values are computed sooner than they are read from memory
_SAMPLE = 1000  # rows that the scale is measured on


@dataclass(frozen=True, eq=False)
class KernelRows:
    """Training rows and their kernel; ``kernel`` has numbers for everything, ``X`` is dense or CSR, or precomputed."""

    kernel: Kernel
    X: Any
    cache: KernelCache

    @classmethod
    def of(cls, kernel: Kernel, X: Any, rough: bool = False, exact: bool = False) -> KernelRows:
        """``rough`` allows values that are computed in float32, and ``exact`` none that are kept so; without either
        they are kept in float32 where not all of them fit in float64."""
        values = rough_values(kernel, X) if rough else None
        if values is not None:
            products = values.products() if X.shape[1] <= _FEW_COLUMNS else None
            return cls(kernel, X, KernelCache(values, kernel.diagonal(X), kernel.cache, np.float32, products))

        def computed(rows: Any, columns: Any) -> Floats:
            return kernel.block(X[rows], kernel.reference(X, columns))

        dtype = np.float64 if exact else None
        return cls(kernel, X, KernelCache(computed, kernel.diagonal(X), kernel.cache, dtype))

    @property
    def width(self) -> int:
        """The number of rows, each of which has coefficients."""
        return self.cache.n

    @property
    def columns(self) -> int:
        """Of the rows."""
        return int(self.X.shape[1])

    def scale(self, weight: Floats | None) -> KernelScale:
        """Of a sample of the rows."""
        some = np.sort(np.random.default_rng(0).permutation(self.width)[:_SAMPLE]).astype(np.int32)
        values = self.cache.patch(some)
        share = np.ones(some.size) if weight is None or not weight[some].any() else weight[some]
        share = share / share.sum()
        return KernelScale.of(float(share @ values.diagonal()), float(share @ values @ share))

    def oracle(self, base: Oracle, rows: _core.Rows, width: int, groups: RowGroups | None = None) -> KernelOracle:
        """The oracle of unit vectors with this kernel; ``width`` is the number of weights of a row, and ``groups`` are
        the rows of each example where it has several."""
        return KernelOracle(base, rows, self.cache, width, groups, self.fingerprint)

    def fingerprint(self) -> str:
        """Of the values of the kernel."""
        kernel = self.kernel
        numbers = (kernel.kind, kernel.gamma, kernel.degree, kernel.coef0)
        return digest(numbers, packed(self.X).fingerprint())

    def concluded(self, coefficients: Floats) -> tuple[ReferenceRows, Floats]:
        """What predictions need: the rows with coefficients, and these, shape (slots, rows)."""
        used = np.flatnonzero(coefficients.any(axis=0))
        used = used if used.size else np.zeros(1, dtype=np.intp)
        rows = self.kernel.reference(self.X, used)
        if rows.dtype == np.float32:
            rows = rows.astype(np.float64)  # as files keep them; no value changes
        return ReferenceRows(self.kernel, rows, self.columns, places=used), np.ascontiguousarray(coefficients[:, used])

    def weights(self, before: Any, coef: Floats) -> None:
        """None: training starts anew."""

"""A training set by the rows of its kernel matrix: what is trained on where a kernel is not written out as features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.oracles.base import Oracle
from maxmargin.oracles.native import NativeOracle
from maxmargin.rows.feature_scale import packed
from maxmargin.rows.kernel import Kernel
from maxmargin.rows.kernel_cache import KernelCache
from maxmargin.rows.kernel_map import KernelMap, ReferenceRows
from maxmargin.rows.kernel_oracle import KernelOracle
from maxmargin.rows.kernel_scale import KernelScale

Floats = npt.NDArray[np.float64]

_SAMPLE = 1000  # rows that the scale is measured on


@dataclass(frozen=True, eq=False)
class KernelRows:
    """Training rows and their kernel; ``kernel`` has numbers for everything, ``X`` is dense or CSR, or precomputed."""

    kernel: Kernel
    X: Any
    cache: KernelCache

    @classmethod
    def of(cls, kernel: Kernel, X: Any) -> KernelRows:
        reference = kernel.reference(X, np.arange(X.shape[0]))
        cache = KernelCache(lambda rows: kernel.block(X[rows], reference), kernel.diagonal(X), kernel.cache)
        return cls(kernel, X, cache)

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
        n = self.width
        some = np.sort(np.random.default_rng(0).permutation(n)[:_SAMPLE])
        part = self.X[some] if self.kernel.kind != "precomputed" else self.X[some][:, some]
        _, features = KernelMap.exact(replace(self.kernel, cache=8 * some.size**2), part)
        return KernelScale(packed(features), None if weight is None or not weight[some].any() else weight[some])

    def oracle(self, base: Oracle, rows: Any, width: int) -> KernelOracle:
        """The oracle of unit vectors with this kernel; ``width`` is the number of weights of a row."""
        assert isinstance(base, NativeOracle)
        return KernelOracle(base, rows, self.cache, width)

    def concluded(self, coefficients: Floats) -> tuple[ReferenceRows, Floats]:
        """What predictions need: the rows with coefficients, and these, shape (slots, rows)."""
        used = np.flatnonzero(coefficients.any(axis=0))
        used = used if used.size else np.zeros(1, dtype=np.intp)
        rows = self.kernel.reference(self.X, used)
        if rows.dtype == np.float32:
            rows = rows.astype(np.float64)  # as files keep them; no value changes
        return ReferenceRows(self.kernel, rows, self.columns), np.ascontiguousarray(coefficients[:, used])

    def weights(self, before: Any, coef: Floats) -> None:
        """None: training starts anew."""

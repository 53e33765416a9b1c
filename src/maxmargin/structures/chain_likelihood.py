"""The conditional likelihood of labelled chains for the solvers of CRFs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.input_checks import check_room
from maxmargin.oracles.base import Stopped
from maxmargin.structures.chain import Chain, ChainInput

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

_PORTION = 5e7  # additions and multiplications: a few hundredths of a second


class ChainLikelihood:
    """``f(w) = sum_i s_i (log sum_y exp F(x_i, y; w) - F(x_i, y_i; w))`` over the weights that may differ from zero.

    ``w`` and gradients have one number for each such weight, in the order of the native layout: all that there are, or
    with ``observed`` those of features and label tuples that occur together in the training data, as in CRFsuite.
    """

    def __init__(
        self, chain: Chain, X: ChainInput, labels: Codes, sample_weight: Floats | None, threads: int, observed: bool
    ) -> None:
        self.chain, self.sample_weight, self.threads = chain, sample_weight, threads
        self.n = len(X)
        self.core = chain.core(X, labels)
        self.stride = _core.padded(chain.n_labels)
        check_room(chain.rows * self.stride)
        seen = np.zeros((chain.rows, self.stride), dtype=bool)
        if observed:
            ones = np.arange(self.n, dtype=np.int32)
            used = chain.joint_features(X, ones, labels, self.stride).indices
            seen.ravel()[used] = True
        else:
            seen[:, : chain.n_labels] = True
        self._seen = seen if observed else None
        self.free: npt.NDArray[np.int64] = np.flatnonzero(seen.ravel())
        self._lengths = X.tokens.lengths
        cells = np.diff(X.tokens.indptr[X.tokens.offsets])
        self._work = self._lengths * float(3 * chain.n_labels**chain.order * self.stride) + 2.0 * self.stride * cells
        number = (np.cumsum(self._work) // (_PORTION * threads)).astype(np.int64)
        self._bounds = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), self.n]

    @property
    def total_weight(self) -> float:
        return float(self.n if self.sample_weight is None else self.sample_weight.sum())

    def native(self, w: Floats) -> Floats:
        """All weights in native layout."""
        full = np.zeros(self.chain.rows * self.stride)
        full[self.free] = w
        return full

    @property
    def value_at_zero(self) -> float:
        """``f(0)``: all labellings have one probability."""
        lengths = self._lengths if self.sample_weight is None else self._lengths * self.sample_weight
        return float(lengths.sum()) * float(np.log(self.chain.n_labels))

    @property
    def work(self) -> float:
        """Additions and multiplications of one pass, roughly."""
        return float(self._work.sum())

    def value(self, native: Floats, stop: Callable[[], bool] | None = None) -> float:
        return self._sum(native, None, stop)

    def gradient(self, w: Floats, stop: Callable[[], bool] | None = None) -> tuple[float, Floats]:
        full = np.zeros(self.chain.rows * self.stride)
        value = self._sum(self.native(w), full, stop)
        return value, full[self.free]

    def portions(self, order: Codes) -> list[Codes]:
        """An order of sequences in pieces of some hundredths of a second each, so that limits can be kept."""
        number = (np.cumsum(self._work[order]) // _PORTION).astype(np.int64)
        return np.split(order, np.flatnonzero(np.diff(number)) + 1)

    def _sum(self, native: Floats, gradient: Floats | None, stop: Callable[[], bool] | None) -> float:
        total = 0.0
        for first, last in zip(self._bounds[:-1], self._bounds[1:]):
            if stop is not None and stop():
                raise Stopped
            total += self.core.likelihood(native, self.sample_weight, gradient, None, self.threads, first, last)
        return total

    @property
    def has_dual(self) -> bool:
        """Whether ``dual`` is available."""
        return self.chain.order == 1 and self.chain.n_pair_features == 0

    def dual(self, C: float) -> _core.ChainDual:
        """Dual ascent on ``1/2 |w|^2 + C f(w)``."""
        return _core.ChainDual(self.core, C, self.sample_weight, self._bits())

    def _bits(self) -> npt.NDArray[np.uint32] | None:
        if self._seen is None:
            return None
        words = -(-self.chain.n_labels // 32)
        padded = np.zeros((self.chain.rows, words * 32), dtype=bool)
        padded[:, : self.chain.n_labels] = self._seen[:, : self.chain.n_labels]
        packed = np.packbits(padded, axis=1, bitorder="little")
        return np.ascontiguousarray(packed).view("<u4").astype(np.uint32, copy=False)

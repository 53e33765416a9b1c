"""The conditional likelihood of one class per row for the solvers of likelihood."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.input_checks import check_room
from maxmargin.oracles.base import Stopped
from maxmargin.oracles.portions import PORTION
from maxmargin.rows.likelihood_newton import Solve, positive_inverse
from maxmargin.rows.sampled_likelihood import Pieces, SampledLikelihood, by_columns

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

_EXPONENTIAL = 20.0  # as many additions
_MOST_COLUMNS = 1024  # that a matrix of their products is factored for
_PASSES = 10.0  # that it may cost
_LAPACK = 24.0  # a third of the arithmetic of a factorisation, which is some eight times faster than that of a pass
_SAMPLE, _PIECES = 3000, 30  # rows for second derivatives, in pieces from all over the data
_SAVED = 30.0  # passes that they may cost
_FEW_COLUMNS = 64  # beyond, second derivatives do not stay in the cache
_CHEAP = 12.0  # times the arithmetic of a pass: what one with second derivatives may take


class ClassLikelihood:
    """``f(w) = sum_i s_i (log sum_k exp <w_k, x_i> - <w_{y_i}, x_i>)``.

    ``w`` and gradients have, for each column of the rows, the constant feature last, one number per class; in native
    layout there are some zeros more in each row.
    """

    convex = True
    has_dual = True
    steps = None
    renewal = 30

    def __init__(
        self,
        rows: _core.Rows,
        labels: Codes,
        n_classes: int,
        sample_weight: Floats | None,
        threads: int,
        start: Floats | None = None,
    ) -> None:
        self.start = start  # native weights whose distributions dual ascent starts from
        self.n, self.threads, self.sample_weight = rows.n, threads, sample_weight
        self.stride = _core.padded(n_classes)
        self._size = rows.columns * self.stride
        check_room(self._size)
        used = np.zeros((rows.columns, self.stride), dtype=bool)
        used[:, :n_classes] = True
        self.free: npt.NDArray[np.int64] = np.flatnonzero(used.ravel())
        self.core = _core.ClassLikelihood(rows, labels, sample_weight, n_classes)
        self.n_classes, self.columns, self._rows = n_classes, rows.columns, rows
        self._row_work = self.work_of(1.0, rows.cells / max(rows.n, 1), self.stride)
        self._most = max(1, int(PORTION / self._row_work))

    @staticmethod
    def work_of(rows: float, cells: float, stride: int) -> float:
        """Additions and multiplications of one pass over so many rows, roughly."""
        return stride * (4.0 * cells + _EXPONENTIAL * rows)

    @cached_property
    def total_weight(self) -> float:
        return float(self.n if self.sample_weight is None else self.sample_weight.sum())

    @property
    def value_at_zero(self) -> float:
        """``f(0)``."""
        return self.total_weight * float(np.log(self.n_classes))

    @property
    def curvature(self) -> float:
        """A typical second derivative of ``f``: half the mean over the columns of the sum of ``s x^2``."""
        squares = self._rows.squared_norms
        return 0.5 * float(squares.sum() if self.sample_weight is None else self.sample_weight @ squares) / self.columns

    @property
    def invertible(self) -> bool:
        """Whether products of columns can be summed up and factored at the cost of a few passes."""
        return self.factored_at(1.0)

    def factored_at(self, price: float) -> bool:
        """The same where it takes ``price`` times the factorisation."""
        d = self.columns
        pairs = self._rows.cells**2 / max(self.n, 1)
        return d <= min(self.n, _MOST_COLUMNS) and pairs + price * d**3 / _LAPACK <= _PASSES * self.work

    def inverse_curvature(self, C: float, l2: float) -> Callable[[Floats], Floats] | None:
        """Solves with ``l2 + C / k * sum_i s_i x_i x_i'`` for each of the k classes: the second derivatives at zero."""
        if not self.invertible:
            return None
        d = self.columns
        matrix = (C / self.n_classes) * self._rows.column_products(self.sample_weight).reshape(d, d)
        matrix.ravel()[:: d + 1] += l2
        solve = positive_inverse(matrix)
        return None if solve is None else lambda v: solve(v.reshape(d, -1)).ravel()

    def inverse_curvature_at(self, w: Floats, C: float, l2: float) -> Callable[[Floats], Floats] | None:
        """Solves with the second derivatives at ``w`` of a sample of the rows; None where that costs many passes."""
        order, size = self.n_classes * self.columns, min(self.n, _SAMPLE)
        products = size * 0.5 * order**2
        if order > _MOST_COLUMNS or self.columns > _FEW_COLUMNS:
            return None
        if products + order**3 / _LAPACK > _SAVED * self.work:
            return None
        sample = self.sampled(size, _PIECES)
        if sample is None:
            return None
        solve = self.inverse(sample.curved(self.matrix_of(self.native(w)))[2], C, l2)
        return None if solve is None else by_columns(solve, self.n_classes)

    def sampled(self, size: int, pieces: int) -> SampledLikelihood | None:
        """The same from about so many rows, in pieces from all over the data; None where these have no weight."""
        each = max(1, size // pieces)
        starts = np.linspace(0, self.n - each, pieces).astype(int).tolist()
        return SampledLikelihood.of(self, [(first, first + each) for first in starts], self.sample_weight)

    @property
    def work(self) -> float:
        """Additions and multiplications of one pass, roughly."""
        return self._row_work * self.n

    @property
    def few_weights(self) -> bool:
        """Whether Newton's method is fastest: second derivatives then cost no more than a few passes without."""
        d, k = self.columns, self.n_classes
        return d <= _FEW_COLUMNS and (d <= _CHEAP * 4 * k if k == 2 else (k + 1) * d <= _CHEAP * 8)

    def native(self, w: Floats) -> Floats:
        if w.size == self._size:
            return w
        full = np.zeros(self._size)
        full[self.free] = w
        return full

    def value(self, native: Floats, stop: Callable[[], bool] | None = None) -> float:
        return self._sum(native, None, stop)

    def gradient(self, w: Floats, stop: Callable[[], bool] | None = None) -> tuple[float, Floats]:
        gradient = np.zeros(self._size)
        value = self._sum(self.native(w), gradient, stop)
        return value, gradient if w.size == self._size else gradient[self.free]

    def dual(self, C: float) -> _core.ClassDual:
        """Dual ascent on ``1/2 |w|^2 + C f(w)``, from ``start``."""
        engine = _core.ClassDual(self.core, C)
        if self.start is not None:
            engine.start(self.start)
        return engine

    def shorter(self) -> None:
        """Classes have no transitions that could be left out."""

    def extended(self, native: Floats) -> Floats:
        return native

    def portions(self, order: Codes) -> list[Codes]:
        """An order of rows in pieces of some hundredths of a second each, so that limits can be kept."""
        if order.size <= self._most:
            return [order]
        return np.split(order, range(self._most, order.size, self._most))

    def matrix_of(self, native: Floats | None) -> Floats:
        """Native weights, or zeros, with a row per class, shape (n_classes, columns)."""
        if native is None:
            return np.zeros((self.n_classes, self.columns))
        return np.ascontiguousarray(native.reshape(self.columns, self.stride)[:, : self.n_classes].T)

    def curved(
        self, w: Floats, stop: Callable[[], bool] | None = None, pieces: Pieces | None = None
    ) -> tuple[float, Floats, Floats]:
        """``f``, its gradient and its blocks of second derivatives at ``w``, a row per class (``class_curvature``);
        with ``pieces`` what these rows add to them."""
        pairs = 1 if self.n_classes == 2 else self.n_classes * (self.n_classes + 1) // 2
        gradient, blocks = np.zeros(w.size), np.zeros(pairs * self.columns**2)
        value = self._in_portions(
            lambda first, last: self.core.curvature(w.ravel(), gradient, blocks, first, last, self.threads),
            stop,
            pieces,
        )
        return value, gradient.reshape(w.shape), blocks

    def hessian(self, blocks: Floats, C: float = 1.0, l2: float = 0.0) -> Floats:
        """The lower triangle of ``C f'' + l2``, of order ``n_classes * columns``, from the blocks of ``curved``."""
        order = self.n_classes * self.columns
        return self.core.hessian(blocks, C, l2).reshape(order, order)

    def inverse(self, blocks: Floats, C: float, l2: float) -> Solve | None:
        """Solves with ``C f'' + l2``, a row per class; None where rounding has made it indefinite."""
        solve = positive_inverse(self.hessian(blocks, C, l2))
        return None if solve is None else lambda v: solve(v.ravel()).reshape(v.shape)

    def _sum(self, native: Floats, gradient: Floats | None, stop: Callable[[], bool] | None) -> float:
        return self._in_portions(lambda first, last: self.core.sum(native, gradient, first, last, self.threads), stop)

    def _in_portions(
        self, work: Callable[[int, int], float], stop: Callable[[], bool] | None, pieces: Pieces | None = None
    ) -> float:
        total, most = 0.0, self._most * self.threads
        for begin, end in pieces or [(0, self.n)]:
            for first in range(begin, end, most):
                if stop is not None and stop():
                    raise Stopped
                total += work(first, min(first + most, end))
        return total

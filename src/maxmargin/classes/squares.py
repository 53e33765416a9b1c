"""Least squares: one linear function per class, fitted to what its answer would cost.

With fewer examples than columns margins and likelihoods rest on the directions in which examples vary most, as those of
parts of words that all classes share. Least squares fits all examples alike, so that rare directions count as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.rows.inner_products import inner_products
from maxmargin.rows.likelihood_newton import positive_inverse
from maxmargin.solvers.base import Run, Solution, Status
from maxmargin.solvers.certify import ROUNDING
from maxmargin.solvers.monitor import Monitor

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.integer[Any]]

_EXACT = 1e-3  # of tol="auto": the gap as a share of the objective
_ROUGH = 3e-2  # the same, for a fit that is only compared with others
_FAST = 16.0  # products with a matrix of inner products are faster by this than those with sparse rows
_USUAL_STEPS = 2  # of conjugate gradients, which a factor of the matrix saves


SOLVER = "conjugate-gradients"


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Minimises ``1/2 sum_k |w_k|^2 + C/2 sum_i s_i sum_k (t_ik - <w_k, x_i>)^2``, with weights ``w_k`` of the classes.

    With ``z_i = sqrt(s_i) x_i`` and ``K = (<z_i, z_j>)`` the optimum is ``w_k = sum_i a_ik z_i``, the columns of ``a``
    solving ``(K + I / C) a = sqrt(s) t``. Conjugate gradients find it, and for every ``a`` on the way the gap is C/2
    times the squared length of what is left of the right-hand side.

    Parameters
    ----------
    rows : with a constant feature or not
    constant : the value of the constant feature, the last column; 0 without
    """

    rows: _core.Rows
    constant: float

    def solve(self, targets: Floats, C: float, weight: Floats | None, tol: float | str, run: Run) -> Solution:
        """The weights in native layout, one column per class, for ``t`` of shape (n, n_classes).

        A constant feature gets the means of the targets, and what they lack is fitted.
        """
        found = self.fit(targets, C, weight, tol, run)
        return replace(found, w=found.w.weights())

    def fit(self, targets: Floats, C: float, weight: Floats | None, tol: float | str, run: Run) -> Solution:
        """``solve`` with weights that are a ``Combination`` of the rows."""
        s = np.ones(self.rows.n) if weight is None else weight
        used = np.flatnonzero(s > 0.0)
        mean = np.average(targets, axis=0, weights=s) if self.constant else np.zeros(targets.shape[1])
        root = np.sqrt(s[used])[:, None]
        at = _Descent(self._products(used), root, root * (targets[used] - mean), C)
        if at.is_factored_sooner:
            at.solve(checked=not run.rough)
        found = self._descend(at, None if isinstance(tol, str) else C * float(s.sum()) * tol, run)
        return replace(found, w=Combination(self, used, root * at.a, mean))

    def _descend(self, at: _Descent, allowed: float | None, run: Run) -> Solution:
        """Steps until the gap is ``allowed``, or a small part of the objective; ``w`` is left out."""
        share, monitor = _ROUGH if run.rough else _EXACT, Monitor(run, SOLVER, allowed)
        least = ROUNDING * at.bound
        with monitor:
            while True:
                if at.bound <= (share * at.value if allowed is None else allowed):
                    monitor.status = Status.CONVERGED
                elif at.bound <= least:
                    monitor.status = Status.STALLED
                calls = self.rows.n * len(monitor.trace)
                if monitor.tick(oracle_calls=calls, primal=at.value, dual=at.value - at.bound):
                    break
                at.step()
        assert monitor.status is not None
        return Solution(
            w=None,
            status=monitor.status,
            primal=at.value,
            dual=at.value - at.bound,
            n_iter=len(monitor.trace),
            oracle_calls=self.rows.n * len(monitor.trace),
            trace=tuple(monitor.trace),
        )

    def _products(self, used: Numbers) -> Floats | sp.csr_array:
        """The rows in use, or their inner products where these are the cheaper way to multiply by ``K``."""
        if not self.by_products:
            return self.matrix_of(used)
        return self.products if used.size == self.rows.n else self.products[np.ix_(used, used)]

    @property
    def by_products(self) -> bool:
        """Whether the rows are seen through their inner products only."""
        return self.rows.n**2 <= _FAST * self.rows.cells

    @cached_property
    def products(self) -> Floats:
        """The inner products of all rows."""
        return inner_products(self.rows)

    def matrix_of(self, rows: Numbers) -> sp.csr_array:
        """Some of the rows, with the constant feature."""
        offsets, index, value = self.rows.cells_of(rows.astype(np.int32))
        return sp.csr_array((value, index, offsets), shape=(rows.size, self.rows.columns))


@dataclass(frozen=True, eq=False)
class Combination:
    """Weights of classes that are sums of rows: ``w_k = sum_i c_ik x_i``, and ``mean`` by the constant feature.

    Parameters
    ----------
    used : numbers of the rows in the sums
    coefficient : ``c``, shape (rows used, n_classes)
    """

    squares: LeastSquares
    used: Numbers
    coefficient: Floats
    mean: Floats

    def weights(self) -> Floats:
        """In native layout, one column per class."""
        squares, classes = self.squares, self.mean.size
        w = np.zeros((squares.rows.columns, _core.padded(classes)))
        w[:, :classes] = squares.matrix_of(self.used).T @ self.coefficient
        if squares.constant:
            w[-1, :classes] += self.mean / squares.constant
        return w.ravel()

    def scores(self, asked: Numbers) -> Floats:
        """Of the rows of these numbers, shape (rows asked, n_classes)."""
        if self.squares.by_products:
            return np.asarray(self.squares.products[np.ix_(asked, self.used)] @ self.coefficient + self.mean)
        sums = self.squares.matrix_of(self.used).T @ self.coefficient
        return np.asarray(self.squares.matrix_of(asked) @ sums + self.mean)


class _Descent:
    """Conjugate gradients for all columns of ``(K + I / C) a = t`` at once, scaled by the diagonal.

    ``products`` are the rows in use, sparse, or their inner products. ``value`` is the objective of the weights
    ``sum_i a_ik z_i``, ``bound`` its gap.
    """

    def __init__(self, products: Any, root: Floats, targets: Floats, C: float) -> None:
        self._root, self._targets, self._C = root, targets, C
        self._rows: sp.csr_array | None = None
        if sp.issparse(products):
            self._rows, self._columns = products, sp.csr_array(products.T)
            squares = products.multiply(products).sum(axis=1)
        else:
            self._gram, squares = products, products.diagonal()
        self.a: Floats = np.zeros_like(targets)
        self._left = targets.copy()
        self._scale = 1.0 / (root**2 * np.asarray(squares).reshape(-1, 1) + 1.0 / C)
        self._direction = self._scale * self._left
        self._steepness = np.einsum("ik,ik->k", self._left, self._direction)
        self._assess()

    @property
    def is_factored_sooner(self) -> bool:
        """Whether a Cholesky factor, n^3 / 6 multiplications, costs less than the usual steps of n^2 for each class."""
        n, classes = self.a.shape
        return self._rows is None and n <= 6 * _USUAL_STEPS * classes

    def solve(self, checked: bool) -> None:
        """Goes to the optimum, as far as rounding allows; unless that is ``checked``, nothing is taken to be left."""
        matrix = self._root * self._gram * self._root.T
        matrix.ravel()[:: len(matrix) + 1] += 1.0 / self._C
        solved = positive_inverse(matrix)
        if solved is None:
            return
        self.a = np.ascontiguousarray(solved(self._targets))
        if not checked:
            self._left = np.zeros_like(self._left)
        else:
            self._left = self._targets - self._times(self.a)
        self._direction = self._scale * self._left
        self._steepness = np.einsum("ik,ik->k", self._left, self._direction)
        self._assess()

    def step(self) -> None:
        moved = self._times(self._direction)
        curvature = np.einsum("ik,ik->k", self._direction, moved)
        length = np.divide(self._steepness, curvature, out=np.zeros_like(curvature), where=curvature > 0.0)
        self.a += length * self._direction
        moved *= length
        self._left -= moved
        scaled = self._scale * self._left
        steepness = np.einsum("ik,ik->k", self._left, scaled)
        self._direction *= np.divide(steepness, self._steepness, out=np.zeros_like(steepness), where=steepness > 0.0)
        self._direction += scaled
        self._steepness = steepness
        self._assess()

    def _assess(self) -> None:
        self.bound = 0.5 * self._C * float(np.vdot(self._left, self._left))
        self.value = 0.5 * float(np.vdot(self.a, self._targets) + np.vdot(self.a, self._left)) + self.bound

    def _times(self, a: Floats) -> Floats:
        """``(K + I / C) a``."""
        inner = self._root * a
        inner = self._gram @ inner if self._rows is None else self._rows @ (self._columns @ inner)
        return np.asarray(self._root * inner + a / self._C)

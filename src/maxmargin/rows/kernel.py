"""Kernels: inner products of rows in a space of features that is never written out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from maxmargin.core.input_checks import quoted
from maxmargin.rows.kernel_factor import farthest_from_symmetric
from maxmargin.rows.spectrum import Spectrum

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

NAMES = tuple(sorted({*PAIRWISE_KERNEL_FUNCTIONS, "poly", "precomputed"}))
_SQUARES = ("poly", "rbf", "sigmoid")  # gamma multiplies squares of features
_LENGTHS = ("laplacian", "chi2")  # gamma multiplies features
SCALED = (*_SQUARES, "laplacian")  # kernels of rows whose columns may have any sign and unit
_POSITIVE = ("linear", "rbf", "cosine", "laplacian", "chi2")  # no matrix of them has a negative eigenvalue
_SAMPLE = 200  # rows on which symmetry and eigenvalues are looked at
_DIAGONAL = 64  # rows at once, where the diagonal has no formula
_LITTLE = 4  # rows per dimension
_MOST_DEGREE = 20  # of a polynomial whose dimensions are counted
_UNUSUAL = 0.01  # of the weight of all rows: the most that is left out
_OUTLIERS = 10.0  # times the variance of those, from which on they say what the scale is
_ROUNDING = 1e-8  # of the largest eigenvalue or value
_LARGEST = 1e100  # value of a kernel; squares and sums of them stay finite


@dataclass(frozen=True)
class Kernel:
    """A kernel with its numbers, for the parameter ``kernel`` of estimators.

    Parameters
    ----------
    name : ``'linear'``, ``<a, b>``; ``'poly'``, ``(gamma <a, b> + coef0) ** degree``; ``'rbf'``,
        ``exp(-gamma |a - b|^2)``; ``'laplacian'``, ``exp(-gamma |a - b|_1)``; ``'cosine'``, ``<a, b> / (|a| |b|)``;
        ``'sigmoid'``, ``tanh(gamma <a, b> + coef0)``; any other name of scikit-learn's ``pairwise_kernels``;
        ``'precomputed'``, where X holds the values of the kernel; or a function ``k(A, B)`` of two float64 matrices
        (CSR where X is sparse) that returns an array of shape (len(A), len(B))
    gamma : a positive number; ``'scale'`` is ``1 / (columns * variance)`` with the variance of all cells of X, as in
        SVC, and for ``'laplacian'`` and ``'chi2'``, which do not square features, ``1 / (columns * deviation)``; up to
        a hundredth of the rows, the farthest out, is left out where it makes more than nine tenths of the variance
    degree, coef0 : of ``'poly'`` and ``'sigmoid'``
    cache : bytes that may be kept of the matrix of kernel values in training
    """

    name: str | Callable[[Any, Any], Any] = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0
    cache: int = 2**30

    def __post_init__(self) -> None:
        if isinstance(self.name, str) and self.name not in NAMES:
            raise ValueError(f"There is no kernel {self.name!r}; choose one of {', '.join(NAMES)}, or give a function.")
        if not isinstance(self.name, str) and not callable(self.name):
            raise ValueError(f"A kernel is a name or a function k(A, B), not {quoted(self.name)}.")
        if not _is_number(self.gamma, 0.0) and not (isinstance(self.gamma, str) and self.gamma == "scale"):
            raise ValueError(f"gamma of a kernel must be a positive number or 'scale', not {quoted(self.gamma)}.")
        if not _is_whole(self.degree):
            raise ValueError(f"degree of a kernel must be a whole number of at least 1, not {quoted(self.degree)}.")
        if not _is_number(self.coef0):
            raise ValueError(f"coef0 of a kernel must be a finite number, not {quoted(self.coef0)}.")
        if not _is_whole(self.cache):
            raise ValueError(f"cache of a kernel is a number of bytes, a whole number, not {quoted(self.cache)}.")

    @property
    def kind(self) -> str:
        """The name, one for each formula; ``'function'`` for a function."""
        if not isinstance(self.name, str):
            return "function"
        return "poly" if self.name == "polynomial" else self.name

    @property
    def is_positive(self) -> bool:
        """Whether it is known that no matrix of its values has a negative eigenvalue."""
        return self.kind in _POSITIVE or (self.kind == "poly" and self.coef0 >= 0.0)

    def dimensions(self, columns: int) -> float:
        """Of the space that rows with so many columns span in it, at most; infinite for most kernels."""
        if self.kind == "poly":
            return float(comb(columns + self.degree, self.degree)) if self.degree <= _MOST_DEGREE else np.inf
        return float(columns) if self.kind in ("linear", "cosine") else np.inf

    def spans_little(self, n: int, columns: int) -> bool:
        """Whether so many rows span far fewer dimensions than there are rows, so that features of them cost little."""
        return _LITTLE * self.dimensions(columns) <= n

    def resolved(self, X: Any, weight: Floats | None = None) -> Kernel:
        """The kernel with a number for ``gamma``, measured on the rows of X by their weights."""
        if not isinstance(self.gamma, str) or self.kind not in (*_SQUARES, *_LENGTHS):
            return self
        variance = _variance(X, weight)
        size = variance if self.kind in _SQUARES else float(np.sqrt(variance))
        gamma = 1.0 / (X.shape[1] * size) if size > 0.0 else 1.0
        return replace(self, gamma=gamma if 0.0 < gamma < np.inf else 1.0)

    def reference(self, X: Any, places: Places) -> Any:
        """Some rows of the training set as the second argument of ``block``: the rows, or the columns of a precomputed
        kernel that stand for them."""
        return places if self.kind == "precomputed" else X[places]

    def block(self, A: Any, B: Any) -> Floats:
        """The values of the kernel between the rows of A and of B, float64 of shape (len(A), len(B)).

        A and B are dense or CSR matrices of any precision. For a precomputed kernel A holds the values with all
        training rows, and B the numbers of some of these. Raises for a value that is not finite.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            values = self._values(A, B)
            total = values.sum()
        if not np.isfinite(total) and not np.isfinite(values).all():
            i, j = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"The kernel {self._called} of two rows is {values[i, j]}, the first time at row {i} of one matrix and "
                f"row {j} of the other; rescale the features, or choose other numbers for the kernel."
            )
        return values

    def diagonal(self, X: Any) -> Floats:
        """``k(x, x)`` for every row of the training set, shape (n,); raises for one whose square would overflow."""
        with np.errstate(over="ignore"):
            own = self._own(X)
        if not np.abs(own).max(initial=0.0) <= _LARGEST:
            i = int(np.flatnonzero(~(np.abs(own) <= _LARGEST))[0])
            raise ValueError(
                f"The kernel {self._called} of row {i} with itself is {own[i]:.3g}, too large to train with; "
                "rescale the features, or choose other numbers for the kernel."
            )
        return own

    def _own(self, X: Any) -> Floats:
        kind = self.kind
        if kind == "precomputed":
            return np.array(X.diagonal(), dtype=np.float64)
        if kind in ("rbf", "laplacian", "chi2"):
            return np.ones(X.shape[0])
        if kind in ("linear", "poly", "cosine"):
            squares: Floats = row_norms(_as_float64(X), squared=True)
            if kind == "cosine":
                return (squares > 0.0).astype(np.float64)
            return squares if kind == "linear" else _power(self._gamma * squares + self.coef0, self.degree)
        parts = [X[start : start + _DIAGONAL] for start in range(0, X.shape[0], _DIAGONAL)]
        return np.concatenate([np.diagonal(self.block(part, part)) for part in parts])

    def smallest_eigenvalue(self, X: Any) -> tuple[float, float]:
        """The smallest and the largest eigenvalue of the matrix of up to 200 rows; raises where it is not symmetric."""
        places = np.unique(np.linspace(0, X.shape[0] - 1, min(X.shape[0], _SAMPLE)).astype(np.intp))
        values = self.block(X[places], self.reference(X, places))
        self.check_symmetric(values, places)
        found = np.linalg.eigvalsh(0.5 * (values + values.T))
        return float(found[0]), float(found[-1])

    def check_symmetric(self, values: Any, places: Places | None = None) -> None:
        """Raises where the matrix of some rows, of all by default, is not symmetric."""
        apart, i, j = farthest_from_symmetric(values)
        if apart > _ROUNDING * max(float(values.max()), -float(values.min())):
            first, second = (i, j) if places is None else (places[i], places[j])
            raise ValueError(
                f"The kernel {self._called} is not symmetric: between rows {first} and {second} it is "
                f"{values[i, j]:g} one way round and {values[j, i]:g} the other; k(a, b) must equal k(b, a)."
            )

    @property
    def _called(self) -> str:
        return repr(self.name) if isinstance(self.name, str) else getattr(self.name, "__name__", repr(self.name))

    @property
    def _gamma(self) -> float:
        assert not isinstance(self.gamma, str), "resolved() comes first"
        return float(self.gamma)

    def _values(self, A: Any, B: Any) -> Floats:
        kind = self.kind
        if kind == "precomputed":
            chosen = A[:, B]
            return np.asarray(chosen.toarray() if sp.issparse(chosen) else chosen, dtype=np.float64)
        same = A is B
        A = _as_float64(A)
        B = A if same else _as_float64(B)
        if kind == "function":
            return self._called_on(A, B)
        if kind == "linear":
            return _products(A, B)
        if kind == "poly":
            values = _products(A, B)
            values *= self._gamma
            values += self.coef0
            return _power(values, self.degree)
        if kind == "cosine":
            values = _products(A, B)
            for norms, axis in ((row_norms(A), 1), (row_norms(B), 0)):
                values /= np.expand_dims(np.where(norms > 0.0, norms, 1.0), axis)
            return values
        if kind == "rbf":
            return self._rbf(A, B)
        if kind == "laplacian" and (sp.issparse(A) or sp.issparse(B)):
            A, B = _with_short_indices(A), _with_short_indices(B)
        numbers = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        return np.asarray(pairwise_kernels(A, B, metric=self.name, filter_params=True, **numbers), dtype=np.float64)

    def _rbf(self, A: Any, B: Any) -> Floats:
        values = _products(A, B)
        values *= -2.0
        values += row_norms(A, squared=True)[:, None]
        values += row_norms(B, squared=True)
        np.maximum(values, 0.0, out=values)
        if A is B:
            np.fill_diagonal(values, 0.0)
        values *= -self._gamma
        return np.exp(values, out=values)

    def _called_on(self, A: Any, B: Any) -> Floats:
        assert callable(self.name)
        found, wanted = self.name(A, B), (A.shape[0], B.shape[0])
        if sp.issparse(found):
            found = found.toarray()
        if np.iscomplexobj(found):
            raise ValueError(f"The kernel {self._called} returned complex numbers; it must return real ones.")
        try:
            values = np.array(found, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"The kernel {self._called} must return an array of numbers ({error}).") from error
        if values.shape != wanted:
            raise ValueError(
                f"The kernel {self._called} returned an array of shape {values.shape} for {wanted[0]} and {wanted[1]} "
                f"rows; k(A, B) must have the shape (len(A), len(B)), here {wanted}."
            )
        return values


def as_kernel(given: Any) -> Kernel:
    """A kernel given by its name, by a function or as a ``Kernel``; of a ``Spectrum`` that of the counts."""
    if isinstance(given, Spectrum):
        return as_kernel(given.kernel)
    if isinstance(given, Kernel):
        return given
    return _named(given) if isinstance(given, str) else Kernel(given)


@lru_cache(maxsize=64)
def _named(name: str) -> Kernel:
    """Made once: a fit asks several times."""
    return Kernel(name)


def _is_number(value: Any, above: float = -np.inf) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and above < float(value) < np.inf


def _is_whole(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= 1


def _as_float64(X: Any) -> Any:
    return X if X.dtype == np.float64 else X.astype(np.float64)


def _with_short_indices(X: Any) -> sp.csr_array:
    """A copy with indices of 32 bits, which scikit-learn asks for, and changes."""
    X = sp.csr_array(X)
    return sp.csr_array((X.data.copy(), X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def _products(A: Any, B: Any) -> Floats:
    return np.asarray(safe_sparse_dot(A, B.T, dense_output=True))


def _power(values: Floats, degree: int) -> Floats:
    """In place; a few multiplications take much less time than powers."""
    if degree > 4:
        return np.power(values, degree, out=values)
    factor = values.copy() if degree > 1 else values
    for _ in range(degree - 1):
        values *= factor
    return values


def _variance(X: Any, weight: Floats | None) -> float:
    """Of all cells, zeros included, with rows counting by weight.

    The rows farthest out, up to a hundredth of the weight, are left out where they make more than nine tenths of it:
    outliers that would leave the others with one value of the kernel. A gamma ten times too small does little harm
    (docs/kernels.md).
    """
    X = _as_float64(X)
    share = np.full(X.shape[0], 1.0) if weight is None else weight
    squares, sums = row_norms(X, squared=True), np.asarray(X.sum(axis=1)).ravel()
    found = _variance_of(share, squares, sums, X.shape[1])
    by_sum = np.argsort(sums, kind="stable")
    half = np.searchsorted(np.cumsum(share[by_sum]), 0.5 * share.sum())
    middle = float(sums[by_sum[min(half, by_sum.size - 1)]]) / X.shape[1]
    outwards = np.argsort(squares - 2.0 * middle * sums, kind="stable")
    beyond = np.cumsum(share[outwards][::-1])[::-1]  # the weight of each and of those farther out
    usual = outwards[beyond > _UNUSUAL * share.sum()]
    without = _variance_of(share[usual], squares[usual], sums[usual], X.shape[1])
    return without if 0.0 < _OUTLIERS * without < found else found


def _variance_of(share: Floats, squares: Floats, sums: Floats, columns: int) -> float:
    """From the weights of rows, and the sums of their cells and of their squares."""
    total = float(share.sum()) * columns
    square, mean = float(share @ squares) / total, float(share @ sums) / total
    variance = square - mean**2
    return variance if variance > 1e-14 * square else 0.0

"""Kernels as explicit features: rows whose inner products are the values of a kernel, or nearly so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.linalg.lapack import dtrtri

from maxmargin.rows.columns import Columns
from maxmargin.rows.kernel import Kernel
from maxmargin.rows.kernel_basis import RESIDUAL, LowRank, Places, basis_rows, partial_cholesky, pivoted_factor

Floats = npt.NDArray[np.float64]

_PART = 1 << 22  # kernel values at once, in predictions
_NEGLIGIBLE = 1e-11  # of the sum of the sizes of all terms of a score, that those left out may sum up to
_FROM_ZERO = 1e-9  # of the largest eigenvalue: what is smaller is left out where eigenvalues are negative


@dataclass(frozen=True, eq=False)
class ReferenceRows:
    """What a fitted kernel model keeps beside its coefficients: a row's score is ``sum_r coef[r] k(x, r)``.

    Parameters
    ----------
    kernel : with numbers for everything
    rows : reference rows, dense or CSR; of a precomputed kernel the numbers of training rows
    columns : number of columns of new rows
    brought : what was done to the columns of the training rows, and is done to those of new ones, before the kernel
        sees them; the reference rows have it behind them. None is nothing
    """

    kernel: Kernel
    rows: Any
    columns: int
    brought: Columns | None = None

    @property
    def width(self) -> int:
        """The number of reference rows."""
        return int(self.rows.shape[0])

    def features(self, X: Any) -> Floats:
        """The values of the kernel with the reference rows, shape (n, width)."""
        return self.kernel.block(X, self.rows)

    def scores(self, X: Any, coef: Floats) -> Floats:
        """``features(X) @ coef.T`` for coefficients of shape (slots, width), a part of the rows after the other."""
        return in_parts(self, X, coef)


@dataclass(frozen=True, eq=False)
class FourierMap:
    """Random Fourier features: ``cos`` and ``sin`` of ``<x, f>`` for frequencies f, over the root of their number.

    Their inner products are the values of the kernel on average over the frequencies, which are drawn from its Fourier
    transform: a normal distribution for ``'rbf'``, that of Cauchy for ``'laplacian'``.

    Parameters
    ----------
    kernel : the kernel that they stand for
    frequencies : shape (columns, width / 2)
    brought : as in ``ReferenceRows``
    """

    kernel: Kernel
    frequencies: Floats
    brought: Columns | None = None

    @classmethod
    def of(cls, kernel: Kernel, columns: int, rank: LowRank) -> FourierMap:
        if kernel.kind not in ("rbf", "laplacian"):
            raise ValueError(f"basis='fourier' is for the kernels 'rbf' and 'laplacian', not for {kernel.name!r}.")
        rng, shape = np.random.default_rng(rank.seed), (columns, max(1, rank.k // 2))
        gamma = float(kernel.gamma)
        if kernel.kind == "rbf":
            return cls(kernel, np.sqrt(2.0 * gamma) * rng.standard_normal(shape))
        return cls(kernel, gamma * rng.standard_cauchy(shape))

    @property
    def width(self) -> int:
        return 2 * int(self.frequencies.shape[1])

    @property
    def columns(self) -> int:
        """Of the rows that features are made of."""
        return int(self.frequencies.shape[0])

    def features(self, X: Any) -> Floats:
        """Shape (n, width)."""
        angles: Floats = np.asarray(X @ self.frequencies, dtype=np.float64)
        found: Floats = np.hstack([np.cos(angles), np.sin(angles)])
        found /= np.sqrt(self.frequencies.shape[1])
        return found

    def scores(self, X: Any, coef: Floats) -> Floats:
        """``features(X) @ coef.T`` for weights of shape (slots, width), a part of the rows after the other."""
        return in_parts(self, X, coef)

    def concluded(self, weights: Floats) -> tuple[FourierMap, Floats]:
        """What predictions need: the map itself, and the weights as they are."""
        return self, weights

    def weights(self, before: Any, coef: Floats) -> Floats | None:
        """The weights of an earlier fit, None where that had other frequencies."""
        same = isinstance(before, FourierMap) and np.array_equal(before.frequencies, self.frequencies)
        return coef if same else None


@dataclass(frozen=True, eq=False)
class KernelMap:
    """Features ``K(x, R) M`` over reference rows R: their inner products are the values of the kernel on the span of R.

    With ``L L' = K(R, R)`` it is ``M = L^-T``. Where the kernel has negative eigenvalues, these are left out: ``M`` is
    then made of the eigenvectors of the others, each over the root of its eigenvalue. Weights ``w`` of the features are
    coefficients ``M w`` of the reference rows, with the same scores.

    Parameters
    ----------
    kernel : with numbers for everything
    rows : R, as in ``ReferenceRows``
    factor : ``M``, shape (rows, features)
    size : ``k(r, r)`` of every reference row
    columns : number of columns of the rows that features are made of
    """

    kernel: Kernel
    rows: Any
    factor: Floats
    size: Floats
    columns: int

    @property
    def width(self) -> int:
        """The number of features."""
        return int(self.factor.shape[1])

    @classmethod
    def of(cls, kernel: Kernel, rows: Any, reference: Any, positive: bool = True) -> KernelMap:
        """From a basis in the two forms of ``basis_rows``; rows that add nothing to others are left out."""
        columns = int(rows.shape[1])
        values = kernel.block(rows, reference)
        size = np.diagonal(values).copy()
        if not positive:
            return cls(kernel, reference, _positive_part(values)[0], np.abs(size), columns)
        lower, order = pivoted_factor(values, RESIDUAL * float(size.max()))
        rank = lower.shape[1]
        return cls(kernel, reference[order[:rank]], _inverse(lower[:rank]), size[order[:rank]], columns)

    @classmethod
    def exact(cls, kernel: Kernel, X: Any, positive: bool = True) -> tuple[KernelMap, Floats]:
        """The map over as many rows of the training set as span all of them, and the features of all, shape (n, r).

        The features are a factor of the matrix of kernel values up to a residual of 1e-12 of the largest ``k(x, x)``.
        Raises where they would not fit into the cache of the kernel.
        """
        n = X.shape[0]
        everything = np.arange(n)
        if 8 * n * n > kernel.cache or (positive and kernel.spans_little(n, X.shape[1])):
            return cls._within_cache(kernel, X)
        values = kernel.block(X, kernel.reference(X, everything))
        if kernel.kind == "precomputed":
            values = values.copy()
        size = np.diagonal(values).copy()
        if not positive:
            factor, features = _positive_part(values)
            return cls(kernel, kernel.reference(X, everything), factor, np.abs(size), X.shape[1]), features
        features, order = factored(values)
        chosen = order[: features.shape[1]]
        return cls(kernel, kernel.reference(X, chosen), _inverse(features[chosen]), size[chosen], X.shape[1]), features

    @classmethod
    def _within_cache(cls, kernel: Kernel, X: Any) -> tuple[KernelMap, Floats]:
        """The same by a factor that grows until nothing is left, or there is no more room."""
        n = X.shape[0]
        most = min(n, max(1, kernel.cache // (8 * n)))
        places, features = partial_cholesky(kernel, X, most)
        diagonal = kernel.diagonal(X)
        left = diagonal - np.einsum("ij,ij->i", features, features)
        if places.size == most and left.max() > RESIDUAL * float(diagonal.max()):
            raise ValueError(
                f"The exact kernel of {n} rows needs up to {8 * n * n:,} bytes, and cache allows {kernel.cache:,}: "
                f"give Kernel(..., cache={8 * n * n}), or approximate it by fewer basis functions, such as "
                f"rank={min(n, 1000)}."
            )
        rows, factor = kernel.reference(X, places), _inverse(features[places])
        return cls(kernel, rows, factor, diagonal[places], X.shape[1]), features

    def features(self, X: Any) -> Floats:
        """Shape (n, features)."""
        return self.kernel.block(X, self.rows) @ self.factor

    def coefficients(self, weights: Floats) -> Floats:
        """Of the reference rows, shape (slots, rows), from weights of the features, shape (slots, features)."""
        return weights @ self.factor.T

    def weights(self, before: Any, coef: Floats) -> Floats | None:
        """Weights of the features for the function that an earlier fit has found, as far as this basis can express it;
        None for one with another kernel."""
        if not isinstance(before, ReferenceRows) or before.kernel != self.kernel:
            return None
        if self.kernel.kind == "precomputed":
            known = np.isin(before.rows, self.rows)
            if not known.all():
                return None
            place = {int(row): at for at, row in enumerate(self.rows)}
            own = np.zeros((coef.shape[0], self.rows.shape[0]))
            own[:, [place[int(row)] for row in before.rows]] = coef
            return np.asarray(np.linalg.lstsq(self.factor, own.T, rcond=None)[0].T, dtype=np.float64)
        return coef @ self.features(before.rows)

    def concluded(self, weights: Floats) -> tuple[ReferenceRows, Floats]:
        """What predictions need: the reference rows that matter, and their coefficients, shape (slots, rows).

        The terms of those left out sum up to at most 1e-11 of the sum of all, by their largest possible sizes.
        """
        coef = self.coefficients(weights)
        terms = np.abs(coef).max(axis=0) * np.sqrt(self.size)
        order = np.argsort(terms, kind="stable")
        small = np.cumsum(terms[order]) <= _NEGLIGIBLE * terms.sum()
        kept = np.sort(order[~small]) if not small.all() else np.zeros(1, dtype=np.intp)
        rows = self.rows[kept]
        if rows.dtype == np.float32:
            rows = rows.astype(np.float64)  # as files keep them; no value changes
        return ReferenceRows(self.kernel, rows, self.columns), np.ascontiguousarray(coef[:, kept])


def factored(values: Floats) -> tuple[Floats, Places]:
    """The features of rows with these kernel values between them, shape (n, r), and the order of the rows in which the
    first r span the others; ``values`` has no negative eigenvalue, and may be overwritten."""
    lower, order = pivoted_factor(values, RESIDUAL * float(np.diagonal(values).max()))
    features = np.empty(lower.shape)
    features[order] = lower
    return _not_zero(features), order


def in_parts(map: ReferenceRows | FourierMap, X: Any, coef: Floats) -> Floats:
    """Scores of rows, shape (n, slots), with at most some 30 MB of features at once."""
    scores = np.empty((X.shape[0], coef.shape[0]))
    for part in parts_of(X.shape[0], map.width):
        rows = X[part] if map.brought is None else map.brought.apply(X[part])
        scores[part] = map.features(rows) @ coef.T
    return scores


def parts_of(n: int, width: int) -> Iterator[slice]:
    """Consecutive rows whose features are few enough to be held at once."""
    size = max(1, _PART // max(1, width))
    return (slice(start, min(n, start + size)) for start in range(0, n, size))


def low_rank_map(kernel: Kernel, X: Any, rank: LowRank, positive: bool = True) -> KernelMap | FourierMap:
    """The features that ``rank`` asks for."""
    if rank.basis == "fourier":
        return FourierMap.of(kernel, X.shape[1], rank)
    return KernelMap.of(kernel, *basis_rows(kernel, X, rank), positive)


def _inverse(lower: Floats) -> Floats:
    """``L^-T``."""
    inverse, _ = dtrtri(_not_zero(lower), lower=1)
    return np.ascontiguousarray(np.tril(inverse).T)


def _not_zero(factor: Floats) -> Floats:
    if factor.size == 0:
        raise ValueError("The kernel is 0 between all rows; there is nothing to learn with it.")
    return factor


def _positive_part(values: Floats) -> tuple[Floats, Floats]:
    """``M`` and the features of the rows themselves, from the eigenvalues that are clearly positive."""
    found, vectors = eigh(0.5 * (values + values.T))
    kept = found > _FROM_ZERO * found[-1]
    if not kept.any():
        raise ValueError("The kernel has no positive eigenvalue on these rows; there is nothing to learn with it.")
    root = np.sqrt(found[kept])
    return vectors[:, kept] / root, vectors[:, kept] * root

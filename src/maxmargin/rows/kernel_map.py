"""Kernels as explicit features: rows whose inner products are the values of a kernel, or nearly so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.oracles.search import Unsupported
from maxmargin.rows.columns import Columns
from maxmargin.rows.kernel import Kernel
from maxmargin.rows.kernel_basis import LowRank, Places, basis_rows, partial_cholesky
from maxmargin.rows.kernel_factor import (
    NEGATIVE,
    RESIDUAL,
    contiguous,
    factored,
    inverse,
    pivoted_factor,
    positive_part,
    verified,
)

Floats = npt.NDArray[np.float64]

_PART = 1 << 22  # kernel values at once, in predictions
_NEGLIGIBLE = 1e-11  # of the sum of the sizes of all terms of a score, that those left out may sum up to


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
    places : the numbers of the training rows that they are, shape (rows,), of tokens of chains their sequences and
        positions, shape (2, rows); None where they are none of them
    """

    kernel: Kernel
    rows: Any
    columns: int
    brought: Columns | None = None
    places: Places | None = None

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
    size : ``k(r, r)`` of every reference row, or of an indefinite kernel the square of its largest value
    columns : number of columns of the rows that features are made of
    places : as in ``ReferenceRows``
    definite : whether no eigenvalue was left out, so that ``size`` is the squared length of rows
    negative : the smallest and the largest eigenvalue, where negative ones that no sample had shown were left out
    """

    kernel: Kernel
    rows: Any
    factor: Floats
    size: Floats
    columns: int
    places: Places | None
    definite: bool = True
    negative: tuple[float, float] | None = None

    @property
    def width(self) -> int:
        """The number of features."""
        return int(self.factor.shape[1])

    @classmethod
    def of(
        cls, kernel: Kernel, rows: Any, reference: Any, places: Places | None = None, positive: bool = True
    ) -> KernelMap:
        """From what ``basis_rows`` gives; rows that add nothing to others are left out."""
        columns = int(rows.shape[1])
        values = contiguous(kernel.block(rows, reference))
        size = np.diagonal(values).copy()
        if not positive or (not kernel.is_positive and verified(values.copy()) is None):
            size = _largest(values)
            factor, _, found = positive_part(values)
            return cls(kernel, reference, factor, size, columns, places, False, _negative(found) if positive else None)
        lower, order = pivoted_factor(values, RESIDUAL * float(size.max()))
        kept = order[: lower.shape[1]]
        places = None if places is None else places[kept]
        return cls(kernel, reference[kept], inverse(lower[: kept.size]), size[kept], columns, places)

    @classmethod
    def exact(cls, kernel: Kernel, X: Any, positive: bool = True) -> tuple[KernelMap, Floats]:
        """The map over as many rows of the training set as span all of them, and the features of all, shape (n, r).

        The features are a factor of the matrix of kernel values up to a residual of 1e-12 of the largest ``k(x, x)``.
        Raises where they would not fit into the cache of the kernel.
        """
        n = X.shape[0]
        fits = 8 * n * n <= kernel.cache
        if not fits or (kernel.is_positive and kernel.spans_little(n, X.shape[1])):
            return cls._within_cache(kernel, X, positive)
        everything = np.arange(n)
        values = contiguous(kernel.block(X, kernel.reference(X, everything)))
        size = np.diagonal(values).copy()
        if kernel.kind == "function":
            kernel.check_symmetric(values)
        found = (factored if kernel.is_positive else verified)(values) if positive else None
        if found is not None:
            features, order = found
            chosen = order[: features.shape[1]]
            rows = kernel.reference(X, chosen)
            return cls(kernel, rows, inverse(features[chosen]), size[chosen], X.shape[1], chosen), features
        if positive:  # as far as the sample told; the factor is where the values were
            values = contiguous(kernel.block(X, kernel.reference(X, everything)))
        size = _largest(values)
        factor, features, eigenvalues = positive_part(values)
        negative = _negative(eigenvalues) if positive else None
        rows = kernel.reference(X, everything)
        return cls(kernel, rows, factor, size, X.shape[1], everything, False, negative), features

    @classmethod
    def _within_cache(cls, kernel: Kernel, X: Any, positive: bool) -> tuple[KernelMap, Floats]:
        """The same by a factor that grows until nothing is left, or there is no more room."""
        n = X.shape[0]
        most = min(n, max(1, kernel.cache // (8 * n)))
        diagonal = kernel.diagonal(X)
        if positive:
            places, features = partial_cholesky(kernel, X, most)
            left = diagonal - np.einsum("ij,ij->i", features, features)
            positive = kernel.is_positive or left.min() >= -NEGATIVE * float(diagonal.max())
        if not positive:
            raise Unsupported(
                f"The kernel is indefinite, and the eigenvalues of its matrix of {n} rows need {8 * n * n:,} bytes "
                f"where cache allows {kernel.cache:,}: give Kernel(..., cache={8 * n * n}), or fewer basis functions, "
                f"such as rank=LowRank({max(1, min(n // 2, 1000))}, 'random')."
            )
        if places.size == most and left.max() > RESIDUAL * float(diagonal.max()):
            raise ValueError(
                f"The exact kernel of {n} rows needs up to {8 * n * n:,} bytes, and cache allows {kernel.cache:,}: "
                f"give Kernel(..., cache={8 * n * n}), or approximate it by fewer basis functions, such as "
                f"rank={min(n, 1000)}."
            )
        rows, factor = kernel.reference(X, places), inverse(features[places])
        return cls(kernel, rows, factor, diagonal[places], X.shape[1], places), features

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

    def concluded(self, weights: Floats, change: float = 0.0) -> tuple[ReferenceRows, Floats]:
        """What predictions need: the reference rows that matter, and their coefficients, shape (slots, rows).

        The terms of those left out sum up to at most 1e-11 of the sum of all, by their largest possible sizes, or to
        ``change`` times the length of the longest weights: no weights then change by more than that.
        """
        coef = self.coefficients(weights)
        terms = np.abs(coef).max(axis=0) * np.sqrt(self.size)
        order = np.argsort(terms, kind="stable")
        allowed = change * float(np.linalg.norm(weights, axis=1).max(initial=0.0)) if self.definite else 0.0
        small = np.cumsum(terms[order]) <= max(_NEGLIGIBLE * terms.sum(), allowed)
        kept = np.sort(order[~small]) if not small.all() else np.zeros(1, dtype=np.intp)
        rows = self.rows[kept]
        if rows.dtype == np.float32:
            rows = rows.astype(np.float64)  # as files keep them; no value changes
        places = None if self.places is None else self.places[kept]
        return ReferenceRows(self.kernel, rows, self.columns, places=places), np.ascontiguousarray(coef[:, kept])


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
    return KernelMap.of(kernel, *basis_rows(kernel, X, rank, positive), positive=positive)


def _largest(values: Floats) -> Floats:
    """The square of the largest value of every row."""
    return np.asarray(np.maximum(values.max(axis=1), -values.min(axis=1)) ** 2)


def _negative(eigenvalues: Floats) -> tuple[float, float] | None:
    """The smallest and the largest of the eigenvalues, where the smallest is negative beyond rounding."""
    smallest, largest = float(eigenvalues[0]), float(eigenvalues[-1])
    return (smallest, largest) if smallest < -NEGATIVE * largest else None

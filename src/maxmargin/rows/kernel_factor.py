"""Factors of kernel matrices, in the memory of the matrix itself.

A matrix of ``n`` rows may fill the cache of a kernel, so that nothing here makes a second one: what has to be moved is
moved some hundred rows at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.linalg.lapack import dpstrf, dtrtri

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

RESIDUAL = 1e-12  # of the largest k(x, x): what is left of a row is rounding
NEGATIVE = 1e-8  # of the largest eigenvalue: a smaller negative one is rounding
_FROM_ZERO = 1e-9  # of the largest eigenvalue: what is smaller is left out where eigenvalues are negative
_TILE = 128  # rows that are moved at once
NOTHING = "The kernel is 0 between all rows, and nothing can be learned with it: choose another, or look at X."
_STEPS = 4  # towards the largest eigenvalue


def pivoted_factor(values: Floats, least: float) -> tuple[Floats, Places]:
    """``L``, shape (n, r), and the order ``p`` with ``values[p][:, p] = L L'`` up to a residual of ``least`` in its
    diagonal; ``values`` is symmetric, and overwritten where its rows are contiguous: ``L`` is its memory then."""
    lower, order, rank, _ = dpstrf(values.T, tol=least, lower=1, overwrite_a=1)
    for column in range(1, rank):
        lower[:column, column] = 0.0
    return lower[:, :rank], (order - 1).astype(np.intp)


def factored(values: Floats) -> tuple[Floats, Places]:
    """The features of rows with these kernel values between them, shape (n, r), and the order of the rows in which the
    first r span the others; ``values`` has no negative eigenvalue, and is overwritten."""
    n, values = len(values), contiguous(values)
    lower, order = pivoted_factor(values, RESIDUAL * float(np.diagonal(values).max()))
    rank = lower.shape[1]
    if 2 * rank <= n or not np.shares_memory(lower, values):
        features = np.empty((n, rank))
        features[order] = lower
        return not_zero(features), order
    transpose(values)
    place = np.argsort(order)
    for start in range(0, rank, _TILE):
        some = slice(start, min(rank, start + _TILE))
        values[:, some] = np.take(values[:, some], place, axis=0)
    flat = values.reshape(-1)
    for row in range(1, n if rank < n else 0):
        flat[row * rank : (row + 1) * rank] = flat[row * n : row * n + rank]
    return flat[: n * rank].reshape(n, rank), order


def verified(values: Floats) -> tuple[Floats, Places] | None:
    """``factored``, or None where the matrix is not the product of the factor with itself, because it has negative
    eigenvalues: both are multiplied with a random vector."""
    probe = np.random.default_rng(0).standard_normal(len(values))
    wanted, most = values @ probe, float(np.abs(np.diagonal(values)).max())
    if np.diagonal(values).max() <= 0.0:
        return None if wanted.any() else factored(values)
    features, order = factored(values)
    found = features @ (probe @ features)
    apart, largest = float(np.linalg.norm(found - wanted)), most
    for _ in range(_STEPS):
        size = float(np.linalg.norm(found))
        if size == 0.0:
            break
        found = features @ ((found / size) @ features)
        largest = max(largest, float(np.linalg.norm(found)))
    return (features, order) if apart <= max(NEGATIVE * largest, len(values) * RESIDUAL * most) else None


def inverse(lower: Floats) -> Floats:
    """``L^-T``, rows contiguous; ``lower`` is overwritten where its rows or columns are contiguous."""
    not_zero(lower)
    turned = lower if lower.flags.c_contiguous else np.ascontiguousarray(lower.T)
    if turned is lower:
        transpose(turned)
    found, _ = dtrtri(turned.T, lower=1, overwrite_c=1)
    return np.asarray(found.T)


def positive_part(values: Floats) -> tuple[Floats, Floats, Floats]:
    """``M`` and the features of the rows themselves, from the eigenvalues that are clearly positive, and all
    eigenvalues; ``values`` is overwritten."""
    found, vectors = eigh(contiguous(values).T, overwrite_a=True, check_finite=False)
    kept = found > _FROM_ZERO * found[-1]
    if not kept.any():
        raise ValueError(
            "The kernel has no positive eigenvalue on these rows, and nothing can be learned with it: choose another."
        )
    root = np.sqrt(found[kept])
    features = np.ascontiguousarray(vectors[:, kept])
    features *= root
    return features / found[kept], features, found


def not_zero(factor: Floats) -> Floats:
    """The factor; raises where it has no columns."""
    if factor.size == 0:
        raise ValueError(NOTHING)
    return factor


def contiguous(values: Floats) -> Floats:
    """A symmetric matrix with contiguous rows, without a copy where its rows or columns are so."""
    if values.flags.c_contiguous:
        return values
    return values.T if values.flags.f_contiguous else np.ascontiguousarray(values)


def transpose(values: Floats) -> None:
    """A square matrix, in place."""
    n = len(values)
    for i in range(0, n, _TILE):
        rows = slice(i, i + _TILE)
        values[rows, rows] = values[rows, rows].T.copy()
        for j in range(i + _TILE, n, _TILE):
            columns = slice(j, j + _TILE)
            above = values[rows, columns].copy()
            values[rows, columns] = values[columns, rows].T
            values[columns, rows] = above.T


def farthest_from_symmetric(values: Any) -> tuple[float, int, int]:
    """The largest difference between a value and the one the other way round, and its place; dense or CSR."""
    worst, at = 0.0, (0, 0)
    for start in range(0, values.shape[0], _TILE):
        rows = slice(start, start + _TILE)
        apart = abs(values[rows, start:] - values[start:, rows].T)
        apart = apart.toarray() if sp.issparse(apart) else apart
        if apart.size and apart.max() > worst:
            i, j = np.unravel_index(int(apart.argmax()), apart.shape)
            worst, at = float(apart[i, j]), (start + int(i), start + int(j))
    return worst, *at

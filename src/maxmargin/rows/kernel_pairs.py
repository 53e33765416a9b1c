"""Polynomial kernels of degree 1 and 2 over sparse rows, written out: features and pairs that occur together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.rows.kernel import Kernel

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

_CHEAPER = 0.25  # of the cells of the kernel matrix: with fewer features than that they are what is trained on
_PART = 1 << 22  # pairs at once, in predictions


@dataclass(frozen=True, eq=False)
class PairFeatures:
    """Rows whose inner products are ``(gamma <a, b> + coef0)^degree``, exactly, where few cells of a row are not zero.

    The columns of degree 2 are: the constant ``coef0``; ``sqrt(2 gamma coef0) x_i``; ``gamma x_i^2``; and
    ``sqrt(2) gamma x_i x_j`` of the pairs ``i < j`` that occur together in a training row. Weights of other pairs would
    be 0. Those of degree 1 are the constant ``sqrt(coef0)`` and ``sqrt(gamma) x_i``.

    Parameters
    ----------
    kernel : with numbers for everything
    pairs : ``i * columns + j`` of every pair, ascending
    columns : number of columns of the rows that features are made of
    """

    kernel: Kernel
    pairs: Codes
    columns: int

    @classmethod
    def serves(cls, kernel: Kernel, X: Any) -> bool:
        """Whether these features are the kernel, and take less room than its matrix."""
        if kernel.kind != "poly" or kernel.degree > 2 or kernel.coef0 < 0.0 or not sp.issparse(X):
            return False
        cells = np.diff(X.indptr).astype(np.float64)
        features = cells * (cells + 3.0) / 2.0 if kernel.degree == 2 else cells
        return bool((features + 1.0).sum() < _CHEAPER * X.shape[0] ** 2)

    @classmethod
    def of(cls, kernel: Kernel, X: Any) -> tuple[PairFeatures, sp.csr_array]:
        """The map for training rows, a CSR matrix, and their features."""
        rows = _canonical(X)
        codes = [codes for _, codes, _ in _pairs_of(rows)] if kernel.degree == 2 else []
        pairs = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *codes]))
        found = cls(kernel, pairs, int(X.shape[1]))
        return found, found._features(rows)

    @property
    def width(self) -> int:
        """The number of features."""
        return self._single + int(self.pairs.size)

    @property
    def _single(self) -> int:
        """Features that are no pairs."""
        return 1 + self.kernel.degree * self.columns

    def parts(self, column: int) -> tuple[int, ...]:
        """The columns of a row whose product a feature is: none, one or two."""
        if column >= self._single:
            return divmod(int(self.pairs[column - self._single]), self.columns)
        power, own = divmod(column - 1, self.columns)
        return () if column == 0 else (own,) * (power + 1)

    def features(self, X: Any) -> sp.csr_array:
        """CSR, shape (n, width)."""
        return self._features(_canonical(X))

    def scores(self, X: Any, coef: Floats) -> Floats:
        """``features(X) @ coef.T`` for weights of shape (slots, width), a part of the rows after the other."""
        rows, scores = _canonical(X), np.zeros((X.shape[0], coef.shape[0]))
        cells = np.diff(rows.indptr).astype(np.int64)
        ends = np.cumsum(cells * (cells - 1) // 2) // _PART
        bounds = [0, *(np.flatnonzero(np.diff(ends)) + 1).tolist(), rows.shape[0]]
        for first, last in pairwise(bounds):
            scores[first:last] = self._features(rows[first:last]) @ coef.T
        return scores

    def concluded(self, weights: Floats) -> tuple[PairFeatures, Floats]:
        """What predictions need: the map without the pairs that have no weight, and the weights of the others."""
        own = self._single
        used = weights[:, own:].any(axis=0)
        found = PairFeatures(self.kernel, self.pairs[used], self.columns)
        return found, np.ascontiguousarray(np.hstack([weights[:, :own], weights[:, own:][:, used]]))

    def weights(self, before: Any, coef: Floats) -> Floats | None:
        """The weights of an earlier fit, those of pairs that are new 0; None where that had another kernel."""
        if not isinstance(before, PairFeatures) or before.kernel != self.kernel or before.columns != self.columns:
            return None
        own = self._single
        found = np.zeros((coef.shape[0], self.width))
        found[:, :own] = coef[:, :own]
        both, here, there = np.intersect1d(self.pairs, before.pairs, assume_unique=True, return_indices=True)
        if both.size:
            found[:, own + here] = coef[:, own + there]
        return found

    def _features(self, rows: sp.csr_array) -> sp.csr_array:
        gamma, coef0 = float(self.kernel.gamma), float(self.kernel.coef0)
        n, cells = rows.shape[0], np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        column, first = 1 + rows.indices.astype(np.int64), np.zeros(n, dtype=np.int64)
        if self.kernel.degree == 1:
            parts = [(np.arange(n), first, np.full(n, np.sqrt(coef0))), (cells, column, np.sqrt(gamma) * rows.data)]
        else:
            parts = [
                (np.arange(n), first, np.full(n, coef0)),
                (cells, column, np.sqrt(2.0 * gamma * coef0) * rows.data),
                (cells, column + self.columns, gamma * rows.data**2),
            ]
        for owner, codes, products in _pairs_of(rows) if self.pairs.size else ():
            place = np.searchsorted(self.pairs, codes)
            known = place < self.pairs.size
            known[known] = self.pairs[place[known]] == codes[known]
            parts.append((owner[known], self._single + place[known], np.sqrt(2.0) * gamma * products[known]))
        row, column, value = (np.concatenate(part) for part in zip(*parts))
        found = sp.coo_array((value, (row, column)), shape=(n, self.width)).tocsr()
        found.eliminate_zeros()
        return found


def _canonical(X: Any) -> sp.csr_array:
    """Float64 rows with ascending columns, each of them once."""
    rows = sp.csr_array(X, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    return rows


def _pairs_of(rows: sp.csr_array) -> Iterator[tuple[Codes, Codes, Floats]]:
    """(row, i * columns + j, x_i x_j) of all pairs of cells of a row, for rows with the same number of cells."""
    counts = np.diff(rows.indptr)
    for count in np.unique(counts[counts > 1]).tolist():
        chosen = np.flatnonzero(counts == count)
        first, second = np.triu_indices(count, 1)
        step = max(1, _PART // first.size)
        for at in range(0, chosen.size, step):
            some = chosen[at : at + step]
            cells = rows.indptr[some][:, None].astype(np.int64) + np.arange(count)
            column, value = rows.indices[cells].astype(np.int64), rows.data[cells]
            codes = column[:, first] * rows.shape[1] + column[:, second]
            yield np.repeat(some, first.size), codes.ravel(), (value[:, first] * value[:, second]).ravel()

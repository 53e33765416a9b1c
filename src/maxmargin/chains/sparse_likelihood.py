"""The likelihood of chains over some coordinates of a kernel: scores of tokens in, slopes of scores out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg.blas import dtrsv

from maxmargin.chains.likelihood import ChainLikelihood
from maxmargin.rows.kernel_factor import RESIDUAL, pivoted_factor

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Stop = Callable[[], bool]


class ScoredTokens:
    """The likelihood as a function of the scores of all labels of the tokens, and of the weights beside them.

    Parameters
    ----------
    base : of sequences whose tokens are rows with one feature each, token r the value ``size[r]`` in column r
    size : ``sqrt(k(x, x))`` of every token, shape (n,)
    """

    def __init__(self, base: ChainLikelihood, size: Floats) -> None:
        self.base, self.n, self.labels = base, size.size, base.chain.n_labels
        self._size = np.where(size > 0.0, size, 1.0)[:, None]  # a token of size 0 has the score 0 for all labels

    @property
    def beside(self) -> tuple[int, int]:
        """The shape of the other weights: of the constant, pairs, ends and transitions."""
        return self.base.chain.rows - self.n, self.labels

    def native(self, scores: Floats, beside: Floats) -> Floats:
        """Native weights that give these scores."""
        full = np.zeros((self.base.chain.rows, self.base.stride))
        full[: self.n, : self.labels] = scores / self._size
        full[self.n :, : self.labels] = beside
        return full.ravel()

    def at(self, scores: Floats, beside: Floats, stop: Stop | None = None) -> tuple[float, Floats, Floats]:
        """The sum of negative log-likelihoods, its slopes by scores (n, labels), and those by the other weights."""
        value, slope = self.base.native_gradient(self.native(scores, beside), stop)
        slope = slope.reshape(-1, self.base.stride)[:, : self.labels]
        return value, slope[: self.n] / self._size, slope[self.n :]


class CoordinateLikelihood:
    """``f`` over weights of some coordinates of the kernel and the weights beside them, for the solvers of CRFs.

    The coordinates of label y are the tokens ``r`` with ``chosen[r, y]``. With ``L L' = K`` of these their coefficients
    are ``L^-T v``, so that ``|v|^2`` is the squared norm of the function that they make. ``w`` is ``v`` of one label
    after the other, then the weights beside them. Tokens that others of the label span have the coefficient 0.

    Parameters
    ----------
    tokens : the likelihood of scores
    rows : the tokens that some label has, shape (m,)
    columns : the kernel between these and all tokens, shape (m, n)
    chosen : mask of shape (n, labels)
    offset : scores that are added, (n, labels), or None
    """

    convex, curvature, invertible, has_dual, steps, renewal = True, 0.0, False, False, None, None

    def __init__(
        self, tokens: ScoredTokens, rows: Places, columns: Any, chosen: npt.NDArray[np.bool_], offset: Floats | None
    ) -> None:
        self.tokens, self.rows, self.columns, self.offset = tokens, rows, columns, offset
        self.n = tokens.base.n
        known: dict[bytes, tuple[Places, Floats]] = {}
        self._parts: list[tuple[Places, Floats]] = []  # for each label places in `rows`, and their factor
        for label in range(tokens.labels):
            places = np.flatnonzero(chosen[rows, label])
            key = places.tobytes()
            if key not in known:
                known[key] = self._factored(places)
            self._parts.append(known[key])
        self._ends = np.cumsum([0, *(places.size for places, _ in self._parts)])
        self.free = np.arange(self._ends[-1] + int(np.prod(tokens.beside)))

    def _factored(self, places: Places) -> tuple[Places, Floats]:
        if not places.size:
            return places, np.zeros((0, 0))
        values = self.columns[np.ix_(places, self.rows[places])].astype(np.float64)
        least = (RESIDUAL if self.columns.dtype == np.float64 else 1e-6) * float(values.diagonal().max())
        lower, order = pivoted_factor(values, least)
        rank = lower.shape[1]
        return places[order[:rank]], np.asfortranarray(lower[:rank])

    @property
    def count(self) -> int:
        """Of coordinates with coefficients."""
        return int(self._ends[-1])

    @property
    def total_weight(self) -> float:
        return self.tokens.base.total_weight

    @property
    def value_at_zero(self) -> float:
        return self.value(np.zeros(self.free.size))

    @property
    def work(self) -> float:
        return self.tokens.base.work + 4.0 * float(self.columns.size) * self.tokens.labels

    def inverse_curvature(self, C: float, l2: float) -> None:
        """Not known."""

    def inverse_curvature_at(self, w: Floats, C: float, l2: float) -> None:
        """Not known."""

    def native(self, w: Floats) -> Floats:
        return w

    def coefficients(self, w: Floats) -> Floats:
        """Of the tokens ``rows``, shape (m, labels)."""
        found = np.zeros((self.rows.size, self.tokens.labels))
        for label, (places, lower) in enumerate(self._parts):
            if places.size:
                v = w[self._ends[label] : self._ends[label + 1]]
                found[places, label] = dtrsv(lower, v, lower=1, trans=1)
        return found

    def weights(self, coefficients: Floats, beside: Floats) -> Floats:
        """The ``w`` of a function with coefficients for coordinates that are chosen, as far as they span it."""
        parts = []
        for label, (places, lower) in enumerate(self._parts):
            if places.size:
                used = np.flatnonzero(coefficients[:, label])
                values = self.columns[np.ix_(used, self.rows[places])].T @ coefficients[used, label]
                parts.append(dtrsv(lower, values, lower=1))
        return np.concatenate([*parts, beside.ravel()])

    def beside(self, w: Floats) -> Floats:
        return w[self._ends[-1] :].reshape(self.tokens.beside)

    def scores(self, w: Floats) -> Floats:
        """Of all tokens, shape (n, labels)."""
        if not self.rows.size:
            return np.zeros((self.tokens.n, self.tokens.labels)) if self.offset is None else self.offset
        coefficients = self.coefficients(w).astype(self.columns.dtype, copy=False)
        found: Floats = (self.columns.T @ coefficients).astype(np.float64, copy=False)
        return found if self.offset is None else found + self.offset

    def value(self, native: Floats, stop: Stop | None = None) -> float:
        return self.tokens.base.value(self.tokens.native(self.scores(native), self.beside(native)), stop)

    def gradient(self, w: Floats, stop: Stop | None = None) -> tuple[float, Floats]:
        value, slope, beside = self.tokens.at(self.scores(w), self.beside(w), stop)
        parts = []
        if self.rows.size:
            products = self.columns @ slope.astype(self.columns.dtype, copy=False)
            for label, (places, lower) in enumerate(self._parts):
                if places.size:
                    parts.append(dtrsv(lower, products[places, label].astype(np.float64), lower=1))
        return value, np.concatenate([*parts, beside.ravel()])

    def dual(self, C: float) -> None:
        """There is none."""

    def shorter(self) -> None:
        """Transitions cost little beside the kernel."""

    def extended(self, native: Floats) -> Floats:
        return native

    def portions(self, order: npt.NDArray[np.int32]) -> list[npt.NDArray[np.int32]]:
        return [order]

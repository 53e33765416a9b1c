"""Second derivatives of the likelihood of chains of order 1, for Newton's method where there are few weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from maxmargin.chains.likelihood import ChainLikelihood
from maxmargin.oracles.base import Stopped
from maxmargin.rows.likelihood_newton import Solve, positive_inverse

Floats = npt.NDArray[np.float64]


class ChainCurvature:
    """The likelihood with its second derivatives; a ``Curved`` for ``LikelihoodNewton``.

    Weights and gradients have a row for each feature of a token, for the start, the end and each previous label, and a
    column per label. The features' rows add up to zero: adding a number to a row changes nothing but ``|w|``. So those
    of the last label are left out of the second derivatives (``chains/curvature.hpp``).
    """

    def __init__(self, problem: ChainLikelihood) -> None:
        self.problem, self.labels = problem, problem.chain.n_labels
        self.rows = problem.chain.rows - self.labels  # all but those of transitions
        self.order = self.rows * (self.labels - 1) + self.labels**2
        self.width = -(-self.order // 4) * 4

    @property
    def work(self) -> float:
        """Additions and multiplications of one pass, roughly."""
        problem, labels = self.problem, self.labels
        tokens = problem.tokens
        cells = len(tokens.indices) + (tokens.tokens if problem.chain.constant else 0)
        return self.order * (2.0 * labels**2 * tokens.tokens + (labels - 1.0) * cells)

    @property
    def value_at_zero(self) -> float:
        return self.problem.value_at_zero

    def matrix_of(self, native: Floats | None) -> Floats:
        """Weights of the same labellings, with as small a norm as possible."""
        matrix = np.zeros((self.problem.chain.rows, self.labels))
        if native is not None:
            matrix[:] = native.reshape(len(matrix), -1)[:, : self.labels]
            matrix[: self.rows] -= matrix[: self.rows].mean(axis=1, keepdims=True)
        return matrix

    def native(self, matrix: Floats) -> Floats:
        """The inverse of ``matrix_of``."""
        return self.problem.native(matrix.ravel())

    def curved(self, w: Floats, stop: Callable[[], bool] | None = None) -> tuple[float, Floats, Floats]:
        """``f``, its gradient, and a matrix that added to its transpose has the second derivatives."""
        problem, native = self.problem, self.native(w)
        gradient, halves, total = np.zeros(native.size), np.zeros(self.order * self.width), 0.0
        for first, last in problem.parts:
            if stop is not None and stop():
                raise Stopped
            total += problem.core.curvature(
                native, problem.sample_weight, gradient, halves, problem.threads, first, last
            )
        found = gradient.reshape(len(w), -1)[:, : self.labels]
        return max(0.0, total), found, halves.reshape(self.order, self.width)[:, : self.order]

    def inverse(self, blocks: Floats, C: float, l2: float) -> Solve | None:
        """Solves with ``C f'' + l2`` for rows of features that add up to zero; None where rounding has made the matrix
        indefinite."""
        labels, rows, fewer = self.labels, self.rows, self.labels - 1
        matrix = C * (blocks + blocks.T)
        matrix.ravel()[:: self.order + 1] += l2
        for first in range(0, rows * fewer, fewer):  # what the last label adds to |w|^2
            matrix[first : first + fewer, first : first + fewer] -= l2 / labels
        solve = positive_inverse(matrix)
        if solve is None:
            return None

        def solved(v: Floats) -> Floats:
            right = v.reshape(-1, labels)
            found = solve(np.concatenate([right[:rows, :fewer].ravel(), right[rows:].ravel()]))
            whole = np.zeros_like(right)
            whole[:rows, :fewer] = found[: rows * fewer].reshape(rows, fewer)
            whole[:rows] -= whole[:rows].mean(axis=1, keepdims=True)
            whole[rows:] = found[rows * fewer :].reshape(labels, labels)
            return whole.reshape(v.shape)

        return solved

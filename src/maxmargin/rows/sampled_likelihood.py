"""What a sample of the rows says of a likelihood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.rows.likelihood_newton import Solve

Floats = npt.NDArray[np.float64]
Pieces = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class SampledLikelihood:
    """``f`` of a ``ClassLikelihood`` from pieces of its rows (first row and the one after the last), multiplied by
    ``factor`` to stand for all of them; a ``Curved`` for ``LikelihoodNewton``."""

    problem: Any
    pieces: Pieces
    factor: float

    @classmethod
    def of(cls, problem: Any, pieces: Pieces, weight: Floats | None) -> SampledLikelihood | None:
        """None where the rows of the pieces have no weight."""
        found = sum(last - first if weight is None else float(weight[first:last].sum()) for first, last in pieces)
        return cls(problem, pieces, problem.total_weight / found) if found > 0.0 else None

    @property
    def size(self) -> int:
        """The number of rows."""
        return sum(last - first for first, last in self.pieces)

    @property
    def value_at_zero(self) -> float:
        value: float = self.problem.value_at_zero
        return value

    def matrix_of(self, native: Floats | None) -> Floats:
        matrix: Floats = self.problem.matrix_of(native)
        return matrix

    def curved(self, w: Floats, stop: Callable[[], bool] | None = None) -> tuple[float, Floats, Floats]:
        value, gradient, blocks = self.problem.curved(w, stop, self.pieces)
        return self.factor * value, self.factor * gradient, self.factor * blocks

    def inverse(self, blocks: Floats, C: float, l2: float) -> Solve | None:
        found: Solve | None = self.problem.inverse(blocks, C, l2)
        return found


def by_columns(solve: Solve, classes: int) -> Solve:
    """An inverse that takes a row per class, for vectors that have a row per column, as L-BFGS does."""

    def solved(v: Floats) -> Floats:
        rows = np.ascontiguousarray(v.reshape(-1, classes).T)
        return np.ascontiguousarray(solve(rows).T).ravel()

    return solved

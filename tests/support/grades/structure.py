"""Grades from 0 to ``n_grades - 1`` of a row of numbers, as a problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .loss import distance

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Grades:
    """``Psi(x, y) = (y x, 1[y >= 1], ..., 1[y >= n_grades - 1])``: one direction, and a step for each grade."""

    n_grades: int
    n_features: int

    @property
    def dimension(self) -> int:
        return self.n_features + self.n_grades - 1

    def joint_feature(self, x: Floats, y: int) -> Floats:
        return np.concatenate([y * x, np.arange(1, self.n_grades) <= y])

    def loss(self, y_true: int, y: int) -> float:
        return distance(y_true, y)

    def outputs(self, x: Any) -> range:
        return range(self.n_grades)

    def argmax(self, x: Floats, w: Floats, y_true: int | None = None) -> int:
        scores = self.scores(x[None], w)[0]
        return int(np.argmax(scores if y_true is None else scores + [self.loss(y_true, y) for y in self.outputs(x)]))

    def scores(self, X: Floats, w: Floats) -> Floats:
        """The scores of all grades, shape (n, n_grades)."""
        steps = np.concatenate([[0.0], np.cumsum(w[self.n_features :])])
        found: Floats = np.outer(X @ w[: self.n_features], np.arange(self.n_grades)) + steps
        return found

"""Classes with a kernel: weights that are no array, ``w_y = sum_r beta[r, y] phi(x_r)`` over the training rows.

The oracle knows the matrix of inner products of the rows and nothing of ``phi``. Its dual engine works on rows whose
inner products are the same, from a factor of that matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import toy_problems as problems
from maxmargin import Formulation
from maxmargin.core.planes import Planes
from maxmargin.core.points import WeightSpace
from maxmargin.oracles.base import Capabilities, Cut, OnlineWalk, Oracle, Stop
from maxmargin.oracles.engine import DualState, Engine
from maxmargin.oracles.from_problem import ProblemOracle
from maxmargin.oracles.plane_by_plane import PlanesEngine

CLASSES = 3


class Coefficients:
    """A point: nothing can be done with it but to give it to its space."""

    __slots__ = ("beta",)

    def __init__(self, beta: np.ndarray) -> None:
        self.beta = beta


class KernelSpace(WeightSpace):
    def __init__(self, kernel: np.ndarray) -> None:
        self.kernel = kernel

    def zero(self) -> Coefficients:
        return Coefficients(np.zeros((len(self.kernel), CLASSES)))

    def has(self, w: Any) -> bool:
        return isinstance(w, Coefficients) and w.beta.shape == (len(self.kernel), CLASSES)

    def copy(self, w: Coefficients) -> Coefficients:
        return Coefficients(w.beta.copy())

    def dot(self, a: Coefficients, w: Coefficients) -> float:
        return float((a.beta * (self.kernel @ w.beta)).sum())

    def combination(self, factors: Sequence[float], points: Sequence[Coefficients]) -> Coefficients:
        return Coefficients(sum(factor * point.beta for factor, point in zip(factors, points)))


class KernelOracle(Oracle):
    """The zero-one loss of classes, from inner products alone."""

    def __init__(self, kernel: np.ndarray, labels: np.ndarray, slack: str, weight: np.ndarray | None = None) -> None:
        self.kernel, self.labels, self.n = kernel, labels, len(labels)
        self.formulation, self.sample_weight = Formulation(slack=slack), weight
        self.dimension = self.n * CLASSES
        self.capabilities = Capabilities(1e3 * self.dimension, 1e3 * self.dimension * self.n)
        values, vectors = np.linalg.eigh(kernel)
        used = values > 1e-12 * values.max()
        self.factor = vectors[:, used] * np.sqrt(values[used])

    @property
    def space(self) -> KernelSpace:
        return KernelSpace(self.kernel)

    def _worst(self, examples: np.ndarray, w: Coefficients) -> tuple[np.ndarray, np.ndarray]:
        """The values of the most violated planes and their classes."""
        scores = self.kernel[examples] @ w.beta
        rows, truths = np.arange(len(examples)), self.labels[examples]
        values = 1.0 + scores - scores[rows, truths][:, None]
        values[rows, truths] = -np.inf
        found = values.argmax(axis=1)
        return values[rows, found], found

    def portions(self, order: np.ndarray) -> list[np.ndarray]:
        return [order]

    def slacks(self, w: Coefficients, stop: Stop | None = None) -> np.ndarray:
        return np.maximum(0.0, self._worst(np.arange(self.n), w)[0])

    def cut(self, w: Coefficients, stop: Stop | None = None) -> Cut:
        values, found = self._worst(np.arange(self.n), w)
        slack = np.maximum(0.0, values)
        weight = np.where(slack > 0.0, 1.0 if self.sample_weight is None else self.sample_weight, 0.0)
        squared = self.formulation.slack == "squared"
        factor = weight * slack if squared else weight
        a = self.space.zero()
        np.add.at(a.beta, (np.arange(self.n), self.labels), factor)
        np.add.at(a.beta, (np.arange(self.n), found), -factor)
        return Cut(a, float(factor.sum() - (0.5 * weight @ slack**2 if squared else 0.0)), slack)

    def accumulate(self, walk: OnlineWalk, order: np.ndarray, numerator: float) -> int:
        added = 0
        for i in order:
            w = Coefficients(walk.v.beta * (numerator / max(1, walk.first + walk.done)))
            walk.done += 1
            (value,), (found,) = self._worst(np.array([i]), w)
            if value > 0.0:
                factor = value if self.formulation.slack == "squared" else 1.0
                for sum_of, size in ((walk.v, factor), (walk.late, walk.done * factor)):
                    sum_of.beta[i, self.labels[i]] += size
                    sum_of.beta[i, found] -= size
                added += 1
        return added

    def explicit(self) -> ProblemOracle:
        """The same problem on rows with the same inner products."""
        return ProblemOracle(
            problems.Classes(), list(self.factor), self.labels.tolist(), self.formulation, self.sample_weight
        )

    def engine(self, C: float) -> Engine:
        return KernelEngine(self, C)

    def expand(self, state: DualState) -> Planes:
        assert state.planes is not None
        return state.planes

    def planes(self, w: Coefficients, examples: np.ndarray) -> Planes:
        return self.explicit().planes(self.coordinates(w), examples)

    def coordinates(self, w: Coefficients) -> np.ndarray:
        """What the weights are for the rows of ``explicit``."""
        return (self.factor.T @ w.beta).T.ravel()

    def steepness(self) -> float:
        return 2.0 * float(self.kernel.diagonal().max())

    def fingerprint(self) -> None:
        return None

    def moved(self, state: DualState, codes: np.ndarray) -> DualState:
        return state


class KernelEngine(PlanesEngine):
    """Planes as rows of a factor of the kernel; its weights are given out as coefficients."""

    def __init__(self, oracle: KernelOracle, C: float) -> None:
        super().__init__(oracle.explicit(), C)
        self._back = np.linalg.pinv(oracle.factor.T)

    @property
    def weights(self) -> Coefficients:
        return Coefficients(self._back @ np.array(self.core.weights).reshape(CLASSES, -1).T)

    rough_weights = weights

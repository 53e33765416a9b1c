"""A user's Problem behind the oracle's face: a Python loop over examples."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.oracles.fingerprints import digest
from maxmargin.oracles.plane_by_plane import Plane, PlaneOracle
from maxmargin.oracles.search import violated_output
from maxmargin.outputs import same_output, shown
from maxmargin.problem import Problem, check_truths, joint_loss, targets_of
from maxmargin.rescaling import Formulation, Search
from maxmargin.vectors import Vector, as_vector, dot, scaled_difference

Floats = npt.NDArray[np.float64]


class ProblemOracle(PlaneOracle):
    """Asks ``problem`` one example at a time. Joint features of the truths are computed once and kept."""

    def __init__(
        self,
        problem: Problem,
        X: Sequence[Any],
        Y: Sequence[Any],
        formulation: Formulation,
        sample_weight: Floats | None = None,
        approximate: bool = False,
    ) -> None:
        self.problem, self.X, self.Y = problem, X, Y
        self.formulation, self.sample_weight = formulation, sample_weight
        self.n = len(Y)
        self._find, self.exact = violated_output(problem, formulation, approximate)
        self._targets = targets_of(problem, X, Y)
        check_truths(problem, Y, self._targets)
        self._truths: list[Vector] = []
        self.dimension = -1
        for i, (x, y) in enumerate(zip(X, self._targets)):
            self._truths.append(deepcopy(self._feature(i, x, y)))  # the user may fill one buffer again and again

    def _feature(self, i: int, x: Any, y: Any) -> Vector:
        vector, length = as_vector(self.problem.joint_feature(x, y), f"joint_feature of example {i}")
        if self.dimension < 0:
            self.dimension = length
        if length != self.dimension:
            raise ValueError(
                f"{type(self.problem).__name__}.joint_feature of example {i} has length {length}, "
                f"that of example 0 has {self.dimension}; all must have one length."
            )
        return vector

    def plane(self, i: int, w: Floats) -> Plane | None:
        """The most violated plane of example ``i``, or None if that is the truth's (zero)."""
        x, y_true, target = self.X[i], self.Y[i], self._targets[i]
        y = self._find(i, x, y_true, target, w)
        if y is None:
            raise ValueError(f"{type(self.problem).__name__}.argmax gave None for example {i}; is a return missing?")
        if same_output(y, target):
            return None
        loss = joint_loss(self.problem, y_true, y, i)
        margin, scale = float(self.formulation.margin(loss)), float(self.formulation.scale(loss))
        a = scaled_difference(self._truths[i], self._feature(i, x, y), scale)
        value = margin - dot(a, w)
        beaten = value < -1e-6 * (1.0 + abs(margin))
        if beaten and self.formulation.search is not Search.SECOND:  # the second best may well be worse than the truth
            if not self.exact:
                return None
            raise ValueError(
                f"{type(self.problem).__name__}.argmax is not a maximum: for example {i} it gave {shown(y)}, "
                f"which is worse than the truth by {-value:.3g}. check_problem(problem, X, Y) shows more."
            )
        return a, margin

    def fingerprint(self) -> str | None:
        keys = self.keys()
        return None if keys is None else digest(*keys, self.sample_weight)

    def keys(self) -> list[str] | None:
        """Of the problem, the formulation, the input and its label; None where pickle cannot tell."""
        kind = type(self.problem)
        try:
            problem = digest(pickle.dumps(self.problem), id(kind), self.formulation)
            return [digest(problem, pickle.dumps((x, y))) for x, y in zip(self.X, self.Y)]
        except Exception:  # whatever stops pickle, the data cannot be compared with earlier ones
            return None

    def definitions(self) -> tuple[Any, ...]:
        return (type(self.problem),)

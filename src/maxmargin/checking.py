"""``check_problem``: does a user's Problem keep its promises on data?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.outputs import same_output, shown
from maxmargin.problem import (
    Problem,
    as_examples,
    check_methods,
    check_truths,
    has_power,
    is_exact,
    joint_loss,
    targets_of,
)
from maxmargin.vectors import as_vector, dot

Floats = npt.NDArray[np.float64]
_SLACK = 1e-9  # relative; sums may be taken in another order


def check_problem(problem: Problem, X: Sequence[Any], Y: Sequence[Any], *, trials: int = 3, seed: int = 0) -> None:
    """Raises ``ValueError`` or ``TypeError`` with one sentence if a promise is broken.

    The loss is 0 at the truth and never negative; joint features are finite and have one length. At zero and at random
    weights, ``argmax`` with and without the truth is at least as good as the truth, as the answers of the other
    searches and, where ``outputs`` exists, as every output; ``kbest`` and ``argmax_by_loss`` are then compared with
    the enumeration too. Where the problem says that it is not exact, only the losses and features are looked at.
    """
    check_methods(problem)
    X, Y = as_examples(X, Y)
    targets = targets_of(problem, X, Y)
    check_truths(problem, Y, targets)
    checks = [_ExampleCheck(problem, i, x, y, target) for i, (x, y, target) in enumerate(zip(X, Y, targets))]
    dimension = checks[0].feature(targets[0])[1]
    for check in checks:
        check.length(dimension)
    rng = np.random.default_rng(seed)
    for trial in range(trials):
        w = rng.standard_normal(dimension) if trial else np.zeros(dimension)
        for check in checks:
            check.at(w)


def _exceeds(value: float, bound: float) -> bool:
    return value > bound + _SLACK * (1.0 + abs(bound))


class _ExampleCheck:
    def __init__(self, problem: Any, i: int, x: Any, y_true: Any, target: Any) -> None:
        self.problem, self.i, self.x, self.y_true, self.target = problem, i, x, y_true, target
        self.name, self.exact = type(problem).__name__, is_exact(problem)

    def feature(self, y: Any) -> tuple[Any, int]:
        return as_vector(self.problem.joint_feature(self.x, y), f"joint_feature of example {self.i}")

    def length(self, dimension: int) -> None:
        found = self.feature(self.target)[1]
        if found != dimension:
            raise ValueError(
                f"{self.name}.joint_feature of example {self.i} has length {found}, that of example 0 {dimension}."
            )

    def at(self, w: Floats) -> None:
        def score(y: Any) -> float:
            vector, length = self.feature(y)
            if length != w.size:
                raise ValueError(
                    f"{self.name}.joint_feature of example {self.i} has length {length} for {shown(y)}, not {w.size}."
                )
            return dot(vector, w)

        outputs = self._outputs()
        rivals = [self.target, *outputs]
        if has_power(self.problem, "argmax_by_loss"):
            rivals += self._by_loss(w, outputs, score)
        if has_power(self.problem, "kbest"):
            rivals += self._kbest(w, outputs, score)
        self._maximum(self.problem.argmax(self.x, w), "argmax", rivals, score)
        self._maximum(
            self.problem.argmax(self.x, w, self.y_true),
            "loss-augmented argmax",
            rivals,
            lambda y: score(y) + self.loss(y),
        )

    def loss(self, y: Any) -> float:
        return joint_loss(self.problem, self.y_true, y, self.i)

    def _outputs(self) -> list[Any]:
        if not has_power(self.problem, "outputs"):
            return []
        outputs = list(self.problem.outputs(self.x))
        if not any(same_output(y, self.target) for y in outputs):
            raise ValueError(
                f"{self.name}.outputs of example {self.i} does not contain its truth {shown(self.target)}."
            )
        return outputs

    def _maximum(self, found: Any, kind: str, rivals: list[Any], value: Callable[[Any], float]) -> None:
        if found is None:
            raise ValueError(f"{self.name}.argmax gave None for example {self.i}; is a return missing?")
        best = value(found)
        for y in rivals if self.exact else []:
            if _exceeds(value(y), best):
                raise ValueError(
                    f"{self.name}.argmax is not a maximum: for example {self.i} the {kind} gave {shown(found)} "
                    f"with value {best:.6g}, but {shown(y)} has {value(y):.6g}."
                )

    def _by_loss(self, w: Floats, outputs: list[Any], score: Callable[[Any], float]) -> list[Any]:
        best: dict[float, float] = {}
        found = []
        for loss, y in self.problem.argmax_by_loss(self.x, w, self.y_true):
            actual = self.loss(y)
            if abs(actual - loss) > _SLACK * (1.0 + actual):
                raise ValueError(
                    f"{self.name}.argmax_by_loss of example {self.i} says that {shown(y)} has loss {loss}, "
                    f"but its loss is {actual}."
                )
            best[actual] = max(score(y), best.get(actual, -np.inf))
            found.append(y)
        for y in outputs if self.exact else []:
            loss = self.loss(y)
            held = max(
                (value for at, value in best.items() if abs(at - loss) <= _SLACK * (1.0 + loss)), default=-np.inf
            )
            if not same_output(y, self.target) and (held == -np.inf or _exceeds(score(y), held)):
                raise ValueError(
                    f"{self.name}.argmax_by_loss of example {self.i} misses {shown(y)}, the best output of loss "
                    f"{loss}, whose score is {score(y):.6g}."
                )
        return found

    def _kbest(self, w: Floats, outputs: list[Any], score: Callable[[Any], float]) -> list[Any]:
        found = list(self.problem.kbest(self.x, w, 2))
        if not self.exact:
            return found
        if len(found) > 1 and same_output(found[0], found[1]):
            raise ValueError(f"{self.name}.kbest of example {self.i} gave the same output twice.")
        if len(found) > 1 and _exceeds(score(found[1]), score(found[0])):
            raise ValueError(f"{self.name}.kbest of example {self.i} is not in descending order.")
        if len(found) < min(2, len(outputs)):
            raise ValueError(f"{self.name}.kbest of example {self.i} gave {len(found)} outputs where two exist.")
        for y in outputs:
            if not any(same_output(y, held) for held in found) and _exceeds(score(y), score(found[-1])):
                raise ValueError(
                    f"{self.name}.kbest of example {self.i} misses {shown(y)}, whose score {score(y):.6g} is among the "
                    "two highest."
                )
        return found

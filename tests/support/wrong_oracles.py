"""Problems whose search is wrong in one of many ways, for tests of what the library says to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import toy_problems as problems
from reference import dense


class Wrong:
    """A right problem behind a wrong ``argmax(x, w, y_true)``, by enumeration; ``rate`` is how often it is wrong."""

    def __init__(self, problem: Any, kind: str, seed: int, rate: float = 1.0) -> None:
        self.problem, self.kind, self.rate = problem, kind, rate
        self.joint_feature, self.loss = problem.joint_feature, problem.loss
        self.rng = np.random.default_rng(seed)
        self.memory: dict[Any, Any] = {}
        self.seed = seed
        self.answer = KINDS[kind]

    def values(self, x: Any, w: np.ndarray, y_true: Any, factor: float = 1.0) -> tuple[list[Any], np.ndarray]:
        outputs = list(self.problem.outputs(x))
        scores = np.array([dense(self.joint_feature(x, y)) @ w for y in outputs])
        if y_true is not None:
            scores = scores + factor * np.array([self.loss(y_true, y) for y in outputs])
        return outputs, scores

    def best(self, x: Any, w: np.ndarray, y_true: Any, factor: float = 1.0) -> Any:
        outputs, scores = self.values(x, w, y_true, factor)
        return outputs[int(np.argmax(scores))]

    def argmax(self, x: Any, w: np.ndarray, y_true: Any = None) -> Any:
        if self.rate < 1.0 and self.rng.random() >= self.rate:
            return self.best(x, w, y_true)
        return self.answer(self, x, w, y_true)


def _worst(self: Wrong, x: Any, w: np.ndarray, y_true: Any) -> Any:
    outputs, scores = self.values(x, w, y_true)
    return outputs[int(np.argmin(scores))]


def _stale(self: Wrong, x: Any, w: np.ndarray, y_true: Any) -> Any:
    """Answers at the weights of the question before."""
    before, self.memory["w"] = self.memory.get("w", w), w.copy()
    return self.best(x, before, y_true)


def _stale_by_example(self: Wrong, x: Any, w: np.ndarray, y_true: Any) -> Any:
    key = (id(x), y_true is None)
    before, self.memory[key] = self.memory.get(key, w), w.copy()
    return self.best(x, before, y_true)


def _first_answer(self: Wrong, x: Any, w: np.ndarray, y_true: Any) -> Any:
    """Keeps the first answer for each input."""
    key = (id(x), y_true is None)
    if key not in self.memory:
        self.memory[key] = self.best(x, w, y_true)
    return self.memory[key]


def _random(self: Wrong, x: Any, w: np.ndarray, y_true: Any) -> Any:
    outputs = list(self.problem.outputs(x))
    return outputs[self.rng.integers(len(outputs))]


def _second(self: Wrong, x: Any, w: np.ndarray, y_true: Any) -> Any:
    outputs, scores = self.values(x, w, y_true)
    return outputs[int(np.argsort(-scores)[1])]


def _changes_weights(self: Wrong, x: Any, w: np.ndarray, y_true: Any) -> Any:
    w -= w.mean()
    return self.best(x, w, y_true)


def _changes_input(self: Wrong, x: Any, w: np.ndarray, y_true: Any) -> Any:
    x *= 0.9
    return self.best(x, w, y_true)


def _few_outputs(self: Wrong, x: Any, w: np.ndarray, y_true: Any) -> Any:
    """Looks at two thirds of the outputs only."""
    outputs, scores = self.values(x, w, y_true)
    seen = np.random.default_rng(self.seed).random(len(outputs)) < 0.67
    seen[0] = True
    return outputs[int(np.argmax(np.where(seen, scores, -np.inf)))]


def _rounded(self: Wrong, x: Any, w: np.ndarray, y_true: Any) -> Any:
    return self.best(x, np.round(w, 1), y_true)


def _blind(self: Wrong, x: Any, w: np.ndarray, y_true: Any) -> Any:
    """Ignores some of the weights, as a greedy search ignores what comes later."""
    return self.best(x, np.where(np.random.default_rng(self.seed).random(w.size) < 0.3, 0.0, w), y_true)


def _sampled(self: Wrong, x: Any, w: np.ndarray, y_true: Any) -> Any:
    """The best of a random half of the outputs, others for each question."""
    outputs, scores = self.values(x, w, y_true)
    seen = self.rng.random(len(outputs)) < 0.5
    seen[self.rng.integers(len(outputs))] = True
    return outputs[int(np.argmax(np.where(seen, scores, -np.inf)))]


KINDS: dict[str, Callable[[Wrong, Any, np.ndarray, Any], Any]] = {
    "no loss": lambda self, x, w, y_true: self.best(x, w, None),
    "minus the loss": lambda self, x, w, y_true: self.best(x, w, y_true, -1.0),
    "minus the weights": lambda self, x, w, y_true: self.best(x, -w, y_true),
    "a minimum": _worst,
    "half the loss": lambda self, x, w, y_true: self.best(x, w, y_true, 0.5),
    "twice the loss": lambda self, x, w, y_true: self.best(x, w, y_true, 2.0),
    "stale": _stale,
    "stale, by example": _stale_by_example,
    "the first answer": _first_answer,
    "random": _random,
    "the second best": _second,
    "changes w": _changes_weights,
    "changes x": _changes_input,
    "few outputs": _few_outputs,
    "rounded weights": _rounded,
    "blind": _blind,
    "sampled": _sampled,
}
STRUCTURES = (problems.Chain(2, 2), problems.Ordering(), problems.Subset(), problems.Words(), problems.Patch())


def true_primal(problem: Any, X: list[Any], Y: list[Any], w: np.ndarray, C: float) -> float:
    """By enumeration."""
    risk = 0.0
    for x, y in zip(X, Y):
        truth = dense(problem.joint_feature(x, y)) @ w
        risk += max(
            problem.loss(y, other) + dense(problem.joint_feature(x, other)) @ w - truth for other in problem.outputs(x)
        )
    return 0.5 * float(w @ w) + C * risk

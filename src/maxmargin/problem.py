"""What a user writes to teach the library a new kind of output, and a check of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from maxmargin.vectors import as_vector, dot

Floats = npt.NDArray[np.float64]


@runtime_checkable
class Problem(Protocol):
    """Inputs, outputs, their joint features, a loss, and the search for the best output.

    Three methods are enough for margin rescaling with linear slack. Further methods are *powers*, found by name, each
    of which unlocks something:

    ``kbest(x, w, k)``
        the ``k`` best outputs without the loss, best first (fewer if there are fewer): zero-one loss, hard margin;
    ``argmax_by_loss(x, w, y_true)``
        pairs ``(loss, y)``, for each value of the loss the best output that has it: slack rescaling, squared slack;
    ``outputs(x)``
        all outputs, for small output spaces: every formulation;
    ``zero_one``
        an attribute, true if ``loss`` only takes the values 0 and 1, and only the truth has 0.
    """

    def joint_feature(self, x: Any, y: Any) -> Any:
        """``Psi(x, y)``: a dense or scipy.sparse vector, of one length for all ``x`` and ``y``."""
        ...

    def loss(self, y_true: Any, y: Any) -> float:
        """``Delta(y_true, y)``: at least 0, and 0 at ``y == y_true``."""
        ...

    def argmax(self, x: Any, w: Floats, y_true: Any | None = None) -> Any:
        """The ``y`` that maximises ``<w, Psi(x, y)>``, plus ``loss(y_true, y)`` if ``y_true`` is given."""
        ...


def has_power(problem: Any, name: str) -> bool:
    """Whether the problem offers one of the optional methods."""
    return callable(getattr(problem, name, None))


def same_output(a: Any, b: Any) -> bool:
    """Whether two outputs of any Python type are equal."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b))
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same_output, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_output(a[key], b[key]) for key in a)
    return bool(a == b)


def joint_loss(problem: Problem, y_true: Any, y: Any, example: int) -> float:
    """The loss as a number, or a complaint that names the example."""
    value = float(problem.loss(y_true, y))
    if not value >= 0.0 or value == float("inf"):
        raise ValueError(
            f"{type(problem).__name__}.loss gave {value} for example {example}; a loss must be finite and at least 0."
        )
    return value


def check_truths(problem: Problem, Y: Sequence[Any]) -> None:
    """The loss is 0 at every truth."""
    for i, y in enumerate(Y):
        value = joint_loss(problem, y, y, i)
        if value != 0.0:
            raise ValueError(
                f"{type(problem).__name__}.loss is {value} for example {i} at its own truth; it must be 0 there."
            )


def check_problem(problem: Problem, X: Sequence[Any], Y: Sequence[Any], *, trials: int = 3, seed: int = 0) -> None:
    """Checks on data that a problem keeps its promises; raises ``ValueError`` with one sentence if it does not.

    For random and zero weights: the loss is 0 at the truth and never negative, joint features have one length, the
    loss-augmented and the plain ``argmax`` are at least as good as the truth, as the answers of the other
    searches and, where ``outputs`` exists, as every output.
    """
    if len(X) != len(Y):
        raise ValueError(f"X has {len(X)} examples and Y has {len(Y)}; they must match.")
    if not len(X):
        raise ValueError("check_problem needs at least one example.")
    check_truths(problem, Y)
    dimension = as_vector(problem.joint_feature(X[0], Y[0]), "joint_feature of example 0")[1]
    rng = np.random.default_rng(seed)
    for trial in range(trials):
        w = rng.standard_normal(dimension) if trial else np.zeros(dimension)
        for i, (x, y_true) in enumerate(zip(X, Y)):
            _check_example(problem, i, x, y_true, w)


def _check_example(problem: Any, i: int, x: Any, y_true: Any, w: Floats) -> None:
    name = type(problem).__name__

    def score(y: Any) -> float:
        vector, length = as_vector(problem.joint_feature(x, y), f"joint_feature of example {i}")
        if length != w.size:
            raise ValueError(f"{name}.joint_feature of example {i} has length {length}, that of example 0 {w.size}.")
        return dot(vector, w)

    rivals: list[Any] = [y_true]
    if has_power(problem, "outputs"):
        outputs = list(problem.outputs(x))
        if not any(same_output(y, y_true) for y in outputs):
            raise ValueError(f"{name}.outputs of example {i} does not contain its truth {y_true!r}.")
        rivals += outputs
    if has_power(problem, "argmax_by_loss"):
        rivals += _checked_by_loss(problem, i, x, y_true, w)
    if has_power(problem, "kbest"):
        rivals += _checked_kbest(problem, i, x, w, score)
    for truth, kind in ((None, "argmax"), (y_true, "loss-augmented argmax")):
        found = problem.argmax(x, w, truth)

        def value(y: Any, truth: Any = truth) -> float:
            return score(y) + (0.0 if truth is None else joint_loss(problem, truth, y, i))

        best = value(found)
        for y in rivals:
            if value(y) > best + 1e-9 * (1.0 + abs(best)):
                raise ValueError(
                    f"{name}.argmax is not a maximum: for example {i} the {kind} gave {found!r} with value {best:.6g}, "
                    f"but {y!r} has {value(y):.6g}."
                )


def _checked_by_loss(problem: Any, i: int, x: Any, y_true: Any, w: Floats) -> list[Any]:
    found = []
    for loss, y in problem.argmax_by_loss(x, w, y_true):
        actual = joint_loss(problem, y_true, y, i)
        if abs(actual - loss) > 1e-9 * (1.0 + actual):
            raise ValueError(
                f"{type(problem).__name__}.argmax_by_loss of example {i} says that {y!r} has loss {loss}, "
                f"but its loss is {actual}."
            )
        found.append(y)
    return found


def _checked_kbest(problem: Any, i: int, x: Any, w: Floats, score: Any) -> Iterable[Any]:
    found = list(problem.kbest(x, w, 2))
    if len(found) > 1 and score(found[0]) < score(found[1]) - 1e-9 * (1.0 + abs(score(found[0]))):
        raise ValueError(f"{type(problem).__name__}.kbest of example {i} is not in descending order.")
    if len(found) > 1 and same_output(found[0], found[1]):
        raise ValueError(f"{type(problem).__name__}.kbest of example {i} gave the same output twice.")
    return found

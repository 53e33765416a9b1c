"""The most violated output of an example, derived from whatever powers a problem has. This happens only here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation, Search
from maxmargin.core.outputs import same_output, shown
from maxmargin.core.problem import Problem, has_power, is_exact, joint_loss
from maxmargin.core.problem import Unsupported as Unsupported
from maxmargin.core.vectors import as_vector, dot

Floats = npt.NDArray[np.float64]
Finder = Callable[[int, Any, Any, Any, Floats], Any]


def violated_output(problem: Any, formulation: Formulation, approximate: bool) -> tuple[Finder, bool]:
    """``find(i, x, y_true, target, w)``, giving the output of the most violated plane, and whether it is exact.

    The output may be the target (the truth itself, where it is an output), which stands for "no plane is violated".
    """
    search, exact = formulation.search, is_exact(problem)
    if search is Search.PREDICTION:
        return _prediction(problem), exact
    if search is Search.AUGMENTED or (search is Search.BY_LOSS and _is_plain(problem, formulation)):
        return _augmented(problem), exact
    if search is Search.SECOND and has_power(problem, "kbest"):
        return _second_best(problem), exact
    if search is Search.BY_LOSS and has_power(problem, "argmax_by_loss"):
        return _best_of(problem, formulation, lambda x, w, y: [y for _, y in problem.argmax_by_loss(x, w, y)]), exact
    if has_power(problem, "outputs"):
        return _best_of(problem, formulation, lambda x, w, y: problem.outputs(x)), True
    if approximate:
        return _best_of(problem, formulation, _two_guesses(problem)), False
    raise Unsupported(
        f"{type(problem).__name__} cannot be trained with {formulation}: add the method {search.value} or outputs(x) "
        "to it, or pass approximate=True to search with argmax alone (then no gap is reported)."
    )


def violated_outputs(problem: Any, formulation: Formulation) -> Callable[[Any, Any, Floats], Iterable[Any]] | None:
    """``find(X, Y, w)`` for many examples at once, where the problem has ``argmax_many`` and no more is needed."""
    if not has_power(problem, "argmax_many"):
        return None
    if formulation.search is Search.PREDICTION:
        return lambda X, Y, w: problem.argmax_many(X, w)
    plain = formulation.search is Search.BY_LOSS and _is_plain(problem, formulation)
    if formulation.search is Search.AUGMENTED or plain:
        return lambda X, Y, w: problem.argmax_many(X, w, Y)
    return None


def _is_plain(problem: Any, formulation: Formulation) -> bool:
    """With a zero-one loss its root is itself, so squared margin rescaling needs no more than linear does."""
    return formulation.rescaling == "margin" and bool(getattr(problem, "zero_one", False))


def _prediction(problem: Problem) -> Finder:
    return lambda i, x, y_true, target, w: problem.argmax(x, w)


def _augmented(problem: Problem) -> Finder:
    return lambda i, x, y_true, target, w: problem.argmax(x, w, y_true)


def _second_best(problem: Any) -> Finder:
    def find(i: int, x: Any, y_true: Any, target: Any, w: Floats) -> Any:
        return next((y for y in problem.kbest(x, w, 2) if not same_output(y, target)), target)

    return find


def _two_guesses(problem: Problem) -> Callable[[Any, Floats, Any], Iterable[Any]]:
    return lambda x, w, y_true: (problem.argmax(x, w), problem.argmax(x, w, y_true))


def _best_of(
    problem: Problem, formulation: Formulation, candidates: Callable[[Any, Floats, Any], Iterable[Any]]
) -> Finder:
    """The candidate with the highest ``b - <a, w>``; the target where none is above 0."""

    def find(i: int, x: Any, y_true: Any, target: Any, w: Floats) -> Any:
        target_score = _score(problem, i, x, target, w)
        best, highest = target, 0.0
        for y in candidates(x, w, y_true):
            if same_output(y, target):
                continue
            loss = joint_loss(problem, y_true, y, i)
            margin, scale = formulation.plane_numbers(loss)
            value = margin - scale * (target_score - _score(problem, i, x, y, w))
            if value > highest:
                best, highest = y, value
        return best

    return find


def _score(problem: Problem, i: int, x: Any, y: Any, w: Floats) -> float:
    vector, length = as_vector(problem.joint_feature(x, y), f"joint_feature of example {i}")
    if length != w.size:
        raise ValueError(
            f"{type(problem).__name__}.joint_feature of example {i} has length {length} for {shown(y)}, not {w.size}."
        )
    return dot(vector, w)

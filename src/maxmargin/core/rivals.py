"""Outputs of one example held against each other: no answer of a search may be worse than another of its answers."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation, Search
from maxmargin.core.outputs import same_output, shown
from maxmargin.core.problem import joint_loss
from maxmargin.core.vectors import Vector, add_to, as_vector, dot, norm_square, scaled_difference
from maxmargin.core.weight_bounds import bounds_of

Floats = npt.NDArray[np.float64]

_MARGIN = Formulation()
_FEW = 50  # outputs that are compared one by one; equal ones of other types may pass for different among more
HEURISTIC = "Where the search is a heuristic, give the problem the attribute exact = False."


def read_only(w: Floats) -> Floats:
    """The same weights, which nobody may write to."""
    view = w.view()
    view.flags.writeable = False
    return view


def is_write_refused(error: BaseException) -> bool:
    """Whether somebody tried to write to a read-only array."""
    return isinstance(error, ValueError) and "read-only" in str(error)


def changed_weights(problem: Any, i: int) -> ValueError:
    """The sentence for a search that writes to the weights."""
    return ValueError(
        f"{type(problem).__name__} changes the weights that it is given, for example {i}; they are read-only: work on "
        "a copy, w.copy()."
    )


class Rivals:
    """One example, and the outputs that are known for it with their features and losses.

    ``tolerance`` is relative to the numbers that are added up.
    """

    def __init__(
        self, problem: Any, i: int, x: Any, y_true: Any, target: Any, dimension: int, tolerance: float = 1e-9
    ) -> None:
        self.problem, self.i, self.x, self.y_true, self.target = problem, i, x, y_true, target
        self.name, self.dimension, self.tolerance = type(problem).__name__, dimension, tolerance
        self.outputs: list[Any] = []
        self.vectors: list[Vector] = []
        self.losses: list[float] = []
        self._places: dict[bytes, int] = {}
        self._before = _bytes_of((x, y_true))
        self._bounds = bounds_of(problem, dimension)
        self.add(target)

    def within(self, w: Floats) -> Floats:
        """``w``, or the nearest weights within the bounds of the problem: its search may be exact there only."""
        return w if self._bounds is None else self._bounds.nearest(w)

    def add(self, y: Any) -> int:
        """The number of an output, which is known from now on; that of the target is 0."""
        key = _bytes_of(y)
        if key in self._places:
            return self._places[key]
        if key is None or len(self.outputs) < _FEW:
            for k, other in enumerate(self.outputs):
                if same_output(y, other):
                    return k
        vector, length = as_vector(self.problem.joint_feature(self.x, y), f"joint_feature of example {self.i}")
        if length != self.dimension:
            raise ValueError(
                f"{self.name}.joint_feature of example {self.i} has length {length} for {shown(y)}, not "
                f"{self.dimension}."
            )
        self.losses.append(joint_loss(self.problem, self.y_true, y, self.i))
        self.outputs.append(y)
        self.vectors.append(deepcopy(vector))  # the user may fill one buffer again and again
        if key is not None:
            self._places[key] = len(self.outputs) - 1
        return len(self.outputs) - 1

    def plane(self, k: int, formulation: Formulation) -> tuple[Vector, float]:
        """``a`` and ``b`` of an output."""
        loss = self.losses[k]
        if k == 0:
            return np.zeros(self.dimension), 0.0
        a = scaled_difference(self.vectors[0], self.vectors[k], float(formulation.scale(loss)))
        return a, float(formulation.margin(loss))

    def ask(self, search: Callable[[Floats], Any], w: Floats) -> Any:
        """What a search finds at ``w``."""
        try:
            found = search(read_only(w))
        except ValueError as error:
            if is_write_refused(error):
                raise changed_weights(self.problem, self.i) from error
            raise
        if found is None:
            raise ValueError(f"{self.name}.argmax gave None for example {self.i}; is a return missing?")
        found = deepcopy(found)  # the problem may fill one object again and again
        self.add(found)
        return found

    def compare(self, found: Any, w: Floats, kind: str, formulation: Formulation | None, hint: str = "") -> None:
        """Raises if another output that is known is better at ``w``.

        By the score, or by ``b - <a, w>`` of a formulation; ``kind`` names the search, ``hint`` says what to do.
        """
        own = self.add(found)
        scores = np.array([dot(vector, w) for vector in self.vectors])
        values, sizes = scores, np.abs(scores)
        if formulation is not None:
            losses = np.array(self.losses)
            margins, scales = formulation.margin(losses), formulation.scale(losses)
            margins[0] = scales[0] = 0.0
            values = margins - scales * (scores[0] - scores)
            if formulation.search is Search.SECOND and own:
                values[0] = -np.inf  # the best output other than the truth may well be worse than the truth
            sizes = margins + np.maximum(scales, 1.0) * (np.abs(scores) + abs(scores[0]))
        best = int(np.argmax(values))
        if values[best] > values[own] + self.tolerance * (1.0 + max(sizes[own], sizes[best])):
            raise ValueError(
                f"{self.name}.argmax is not a maximum: for example {self.i} the {kind} gave {shown(found)} with "
                f"value {values[own]:.6g}, but {shown(self.outputs[best])} has {values[best]:.6g}."
                f"{' ' if hint else ''}{hint}"
            )

    def check_unchanged(self) -> None:
        """Raises if a method of the problem has changed the example."""
        if self._before is not None and self._before != _bytes_of((self.x, self.y_true)):
            raise ValueError(
                f"{self.name} has changed example {self.i} while it was asked: its methods may change neither x nor "
                "y_true; work on copies."
            )


@dataclass(frozen=True, eq=False)
class Answer:
    """What the search of a formulation, and the plain ``argmax``, gave at ``w``."""

    w: Floats
    violated: Any
    plain: Any

    def compare(self, rivals: Rivals, formulation: Formulation, kind: str, hint: str = "") -> None:
        """Raises if anything that is known by now is better than either."""
        rivals.compare(self.plain, self.w, "argmax", None, hint)
        rivals.compare(self.violated, self.w, kind, formulation, hint)


def cross_examine(
    rivals: Rivals,
    search: Callable[[Floats], Any],
    weights: Sequence[Floats],
    formulation: Formulation = _MARGIN,
    late: Callable[[], bool] = lambda: False,
    only: bool = False,
) -> list[Answer]:
    """Asks at some weights, and where the rival of the largest loss has three quarters, or five, of its margin.

    There a search that forgets the loss, halves it or takes it twice differs from one that does not. The first question
    is asked once more at the end: what remembers, or rolls dice, may answer something else. Ends early where it is
    ``late``; with ``only``, nothing but the given weights is asked for.
    """
    asked: list[Answer] = []

    def ask(w: Floats) -> None:
        if not asked or not late():
            w = rivals.within(w)
            plain = rivals.ask(lambda at: rivals.problem.argmax(rivals.x, at), w)
            asked.append(Answer(w, rivals.ask(search, w), plain))

    for w in weights:
        ask(w)
    if only:
        return asked
    a, b = rivals.plane(int(np.argmax(rivals.losses)), formulation)
    square = norm_square(a)
    if b > 0.0 and square > 0.0:
        for share in (0.75, 1.25):
            w = np.zeros(rivals.dimension)
            add_to(w, a, share * b / square)
            ask(w)
    if weights:
        ask(weights[0])
    return asked


def _bytes_of(what: Any) -> bytes | None:
    try:
        return pickle.dumps(what)
    except Exception:  # whatever stops pickle, changes cannot be seen then
        return None

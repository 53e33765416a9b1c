"""What a user writes to describe a space of outputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from maxmargin.core.problem import asked, has_power
from maxmargin.programs.packed import PackedPrograms, Shape
from maxmargin.programs.program import Program

Indices = npt.NDArray[np.int32]


@runtime_checkable
class Space(Protocol):
    """The outputs that an input can have, as derivations of a dynamic program.

    Three methods are enough. Further ones say what a mistake costs:

    ``costs(x, y)``
        what each edge costs where ``y`` is true, whole numbers of at least 0 in units of ``cost_unit``: shape (E,), or
        a pair ``(edge, units)`` of those that cost something. It must be 0 for the edges of ``y``. Without it an edge
        that has features and is not in ``y`` costs 1;
    ``cost_unit``
        an attribute, what one unit costs; 1 without it;
    ``risks(x, marginals)``
        the expected cost of each edge, shape (E,), where edges are in the true output with these probabilities: for
        decisions of least expected cost, where the space has costs of its own;
    ``counts(x, y)`` and ``count_loss(x, y, totals)``
        for losses that are functions of counts: a pair ``(edge, units)`` with units of shape (edges, kinds), and the
        loss of outputs whose edges count ``totals`` in all, shape (m, kinds); shape (m,). They take the place of costs.
    """

    def program(self, x: Any) -> Program:
        """Cells, edges and their features; the features of all inputs have the same columns."""
        ...

    def edges(self, x: Any, y: Any) -> Iterable[int]:
        """The numbers of the edges of output ``y``, in any order."""
        ...

    def output(self, x: Any, edges: Indices) -> Any:
        """The output that has these edges, of which each stands before those of its tails."""
        ...


def check_methods(space: Any) -> None:
    """Raises for a class in place of an instance, and for missing methods."""
    if isinstance(space, type):
        raise TypeError(f"{space.__name__} is a class; pass an instance, {space.__name__}(...).")
    for method in ("program", "edges", "output"):
        if not has_power(space, method):
            raise TypeError(f"{type(space).__name__} is not a Space: it lacks the method {method}.")


def cost_unit(space: Any) -> float:
    """What one unit of a cost costs."""
    unit = getattr(space, "cost_unit", 1.0)
    if isinstance(unit, bool) or not isinstance(unit, int | float | np.number) or not 0.0 < float(unit) < np.inf:
        raise ValueError(f"{type(space).__name__}.cost_unit must be a positive number, not {unit!r}.")
    return float(unit)


def pack_programs(space: Any, X: Sequence[Any], shape: Shape | None = None) -> PackedPrograms:
    """The programs of inputs, packed; ``shape`` is that of the weights that they must fit."""
    packed = PackedPrograms(_programs(space, X), shape)
    if packed.n and not packed.n_weights:
        raise ValueError(f"{type(space).__name__}.program gives edges no features, so that there is nothing to learn.")
    return packed


def _programs(space: Any, X: Sequence[Any]) -> Iterator[Program]:
    for i, x in enumerate(X):
        program = asked(space, "program", i, x)
        if not isinstance(program, Program):
            raise TypeError(
                f"{type(space).__name__}.program must give a Program, and gave a {type(program).__name__} for example "
                f"{i}."
            )
        yield program

"""Pickles of fitted estimators that are no larger than they need to be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from maxmargin.solvers.base import Solution


class SlimPickle:
    """Leaves out of pickles and deep copies what only a warm start needs.

    Dual variables, their planes and the slacks of the examples grow with the training data, not with the model. With
    ``warm_start=True`` they are kept; else ``solution_`` comes back with ``state``, ``aggregate`` and ``slack`` None,
    and with everything else, the objective and the gap among it.
    """

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        solution = state.get("solution_")
        if isinstance(solution, Solution) and not getattr(self, "warm_start", False):
            state = {**state, "solution_": replace(solution, state=None, aggregate=None, slack=None, blocks=None)}
        return state

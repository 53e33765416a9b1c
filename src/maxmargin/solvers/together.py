"""When all blocks are moved at once, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from maxmargin.core.points import Point
from maxmargin.oracles.base import Oracle, Stop
from maxmargin.oracles.engine import Engine
from maxmargin.solvers.interior import cost_of_dual, solve_dual

Floats = npt.NDArray[np.float64]

_SHORTEST = 1e-2  # of what a move costs, between two of them
_ROUND = 1e5  # multiplications that take as long as what comes with any number of visits
_WRITING = 100.0  # multiplications that take as long as writing out and sorting one number of a plane
_SPEED = 4.0  # of products of matrices, compared with the visits to single blocks


@dataclass(frozen=True, eq=False)
class Moved:
    """Weights whose objective is ``gap`` above the dual as far as the planes held know, and whether the dual grew;
    ``w`` is None where they are no arrays, and those of the dual variables have to serve."""

    w: Point | None
    gap: float
    gained: bool


class Together:
    """Solves the dual over the planes held at once (``interior.py``), where visits to one block after the other crawl.

    It is due as soon as the visits have cost as much as it does, so that both cost at most twice what the better of the
    two alone would. After a move that gained more than the visits before it, for what both cost, the next comes after
    half as many of them; after one that gained less, after twice as many, but no more than cost what a move costs
    unless it gained nothing. Multiplications are counted, not seconds: results repeat.
    """

    def __init__(self, oracle: Oracle, C: float) -> None:
        self._oracle = oracle
        self._budget: Floats = C * (np.ones(oracle.n) if oracle.sample_weight is None else oracle.sample_weight)
        self._spent, self._patience = 0.0, 1.0
        self._reached = 0.0  # the dual after the last move

    def spend(self, visits: int, planes: int | None = None) -> None:
        """Notes visits that asked the oracle, or visits to blocks that hold so many planes altogether."""
        oracle = self._oracle
        each = oracle.capabilities.visit_cost
        if planes is not None and not oracle.capabilities.cheap:
            each = oracle.dimension * max(1.0, planes / oracle.n)
        self._spent += _SPEED * (visits * each + _ROUND)

    def due(self, engine: Engine) -> bool:
        """Whether all blocks should move at once now; planes that are no rows must be written out for that."""
        planes, costs = engine.plane_count, self._oracle.capabilities
        rows = planes * (costs.row_cost + costs.row_cells * (_WRITING + planes))  # and their products
        return self._spent >= self._patience * (cost_of_dual(planes, self._oracle.dimension) + rows)

    def move(self, engine: Engine, stop: Stop | None = None) -> Moved | None:
        """Gives the planes held their best dual variables, or better ones where ``stop`` ends that on the way; None,
        and nothing has changed, where it fails."""
        self._spent = 0.0
        engine.sharpen()
        before, state = engine.dual, engine.working_sets()
        planes, budget = self._oracle.expand(state), self._budget
        if engine.separate:
            planes, budget = replace(planes, example=np.arange(len(planes), dtype=np.int32)), budget[planes.example]
        answer = solve_dual(planes, self._oracle.formulation.slack, budget, stop=stop)
        gained = False
        if answer is not None:
            engine.set_alpha(answer.alpha)
            gained = engine.dual > before
            if not gained:
                engine.set_alpha(state.alpha)
        better = min(self._patience, 1.0) * (engine.dual - before) > before - self._reached
        if not gained or (self._patience < 1.0 and not better):
            self._patience *= 2.0
        elif better and self._patience > _SHORTEST:
            self._patience *= 0.5
        self._reached = engine.dual
        if answer is None:
            return None
        return Moved(answer.w if self._oracle.space.explicit else None, answer.primal - engine.dual, gained)

"""The end of a dual solver: one exact pass at the returned ``w``, and proofs of infeasibility."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.optimize import linprog

from maxmargin.core.points import Point
from maxmargin.oracles.base import Oracle, Stop, primal, total_weight
from maxmargin.oracles.engine import DualState, Engine
from maxmargin.solvers.base import Infeasible, Run, Solution, Status

Floats = npt.NDArray[np.float64]


_LARGEST_TOTAL = 1e140  # of C sum(s), whose square must stay finite
_LARGEST_PRODUCT = 1e20  # of C sum(s) |a|^2: w is a sum of alpha a, exact to 1e-16, so margins would be to 1e4
_WRONG = 1e-5  # of the objective: a dual this much above the primal is no rounding
_SURE = 1e15  # C sum(s) below which nobody is asked for |a|^2
_MOST_PLANES = 1000  # in a proof: where there is a contradiction its planes outgrow all others


@dataclass(frozen=True, eq=False)
class Candidate:
    """A ``w`` with its exact slacks and objective, which is infinite where a hard margin is not met."""

    w: Point
    slack: Floats
    primal: float

    @property
    def objective(self) -> float | None:
        """The objective, or None where ``w`` is not feasible and so has none."""
        return self.primal if np.isfinite(self.primal) else None


def evaluate(oracle: Oracle, C: float, w: Point, stop: Stop | None = None) -> Candidate:
    """One exact pass over the examples at ``w``, which is kept, not copied: it must not change any more.

    For a hard margin ``w`` is made longer until every margin holds; where none of its multiples does that, it has no
    objective. Raises ``Stopped`` on the way where ``stop`` says so.
    """
    slack = oracle.slacks(w, stop)
    if oracle.formulation.slack != "hard":
        return Candidate(w, slack, primal(oracle, C, w, slack))
    worst = float((slack if oracle.sample_weight is None else slack[oracle.sample_weight > 0.0]).max(initial=0.0))
    if not worst < 1.0:
        return Candidate(w, slack, np.inf)
    if worst > 0.0:
        w, slack = oracle.space.scaled(w, 1.0 / (1.0 - worst)), np.maximum(0.0, (slack - worst) / (1.0 - worst))
    return Candidate(w, slack, 0.5 * oracle.space.square(w))


class HasDual(Protocol):
    """An engine as far as targets are concerned: ``offset`` is the dual plus ``1/2 |w|^2``."""

    @property
    def dual(self) -> float: ...
    @property
    def offset(self) -> float: ...


@dataclass(frozen=True)
class Target:
    """The largest gap that ends training; for a hard margin half of it, relative to the objective.

    The objective is strongly convex: ``1/2 |w - w*|^2`` is at most the gap, so that a gap of ``relative * 1/2 |w|^2``
    leaves an error of at most ``sqrt(relative)`` times ``|w|``, whatever the units of loss, features and C are. ``1/2
    |w|^2`` is also at most what the objective gains from ``w = 0`` to the optimum. Where next to nothing can be gained
    the gap is compared with a hundredth of the dual instead.
    """

    absolute: float
    relative: float = 0.0

    def at(self, dual: float, half_square: float) -> float:
        """The target where the dual objective is ``dual`` and ``1/2 |w|^2`` is ``half_square``."""
        return max(self.absolute, self.relative * max(half_square, 0.01 * dual))

    def of(self, engine: HasDual) -> float:
        """The target at the present ``w`` of an engine."""
        if not self.relative:
            return self.absolute
        dual = engine.dual
        return self.at(dual, engine.offset - dual)


def gap_target(oracle: Oracle, C: float, run: Run) -> Target:
    """The gap that a run asks for."""
    hard = oracle.formulation.slack == "hard"
    return Target(run.tol if hard else C * total_weight(oracle) * run.tol, 0.0 if hard else run.relative)


def is_solved(oracle: Oracle, candidate: Candidate, dual: float, target: float) -> bool:
    """Whether the gap is within the target; for a hard margin, whose ``w`` is feasible, relative to the objective.

    Planes in use that are tight to within tol leave a gap of at most ``tol |w|^2``.
    """
    if oracle.formulation.slack == "hard":
        return bool(np.isfinite(candidate.primal) and candidate.primal - dual <= 2.0 * target * candidate.primal)
    return candidate.primal - dual <= target


ROUNDING = 1e-14
"""Of sums of many float64 numbers, relative to the largest."""


def within_rounding(primal: float, dual: float) -> bool:
    """Whether a gap is no more than what floating point makes of two equal numbers."""
    return primal - dual <= ROUNDING * (abs(primal) + abs(dual))


def check_order(oracle: Oracle, solution: Solution) -> Solution:
    """The solution; raises for what cannot be: a dual objective above the primal, or a plane above the slack of its
    example.

    Then something is not what it says, and nothing may be claimed. Over rows of a kernel matrix it is the rounding of
    the values: the solution has stalled, and its dual is left out.
    """
    primal, dual, state = solution.primal, solution.dual, solution.state
    if primal is None or dual is None or not np.isfinite(primal + dual):
        return solution
    if oracle.exact and oracle.space.explicit and solution.slack is not None:
        _check_planes(oracle, solution.w, solution.slack, state)
    if dual - primal > _WRONG * max(abs(primal), abs(dual)):
        if not oracle.space.explicit:
            return replace(solution, dual=None, status=Status.STALLED)
        raise ValueError(
            f"The dual objective {dual:.6g} is above the primal {primal:.6g}, which cannot be: the loss, the joint "
            f"features or the search of {oracle.problem_name} contradict each other, or changed on the way; "
            "check_problem(problem, X, Y) may show how."
        )
    return solution


def _check_planes(oracle: Oracle, w: Any, slack: Floats, state: DualState | None) -> None:
    """Every plane in use that belongs to an example is compared with what the oracle found for it at ``w``."""
    if state is None or state.planes is None or state.cuts or not len(state.planes):
        return
    values = state.planes.value(w)
    above = values - slack[state.planes.example]
    worst = int(np.argmax(above))
    i = int(state.planes.example[worst])
    if above[worst] > 0.0:
        oracle.contradicted(i, w, float(slack[i]), float(values[worst]))


def check_budget(oracle: Oracle, C: float) -> None:
    """Raises for a C with which squares overflow, or nothing is left of ``w`` but its rounding."""
    if oracle.formulation.slack != "hard":
        check_product(C, total_weight(oracle), oracle.n, oracle.steepness, ", or slack='hard'")


def check_product(C: float, weight: float, n: int, steepness: Callable[[], float], otherwise: str = "") -> None:
    """Raises where C times the sum of the weights of n examples times the largest ``|a|^2`` leaves nothing of ``w``."""
    total = C * weight
    if total < _SURE:
        return
    most = min(_LARGEST_TOTAL, _LARGEST_PRODUCT / max(steepness(), 1e-300))
    if not total <= most:
        raise ValueError(
            f"C is {C:g}, too large for floating point with {n} examples and features of this size: squares overflow, "
            f"or rounding is all that is left of the weights. Use a C of at most {most / weight:.0e}{otherwise}."
        )


class Suspicion:
    """A hard-margin dual that keeps growing may have no bound: raised each time that it has grown fourfold."""

    def __init__(self, oracle: Oracle) -> None:
        self._hard = oracle.formulation.slack == "hard"
        self._seen = 0.0

    def raised(self, engine: Engine) -> bool:
        if not self._hard or not engine.linear > 4.0 * self._seen:
            return False
        self._seen = engine.linear
        return True


def find_contradiction(oracle: Oracle, state: DualState) -> Infeasible | None:
    """Searches the most used planes for ``alpha >= 0`` with ``sum alpha a = 0`` and ``sum alpha b = 1``.

    If there is one, ``<w, a> >= b`` for all planes would give ``0 >= 1``: no ``w`` has every margin.
    """
    if not state.alpha.size:
        return None
    most = np.sort(np.argsort(-state.alpha, kind="stable")[:_MOST_PLANES])
    planes = oracle.expand(state.take(most))
    rows = sp.csr_array(planes.a)
    used = np.unique(rows.indices)
    constraints = sp.vstack([rows[:, used].T, planes.b[None, :]], format="csr")
    right = np.zeros(used.size + 1)
    right[-1] = 1.0
    answer = linprog(np.ones(len(planes)), A_eq=constraints, b_eq=right, method="highs")
    if answer.status != 0:
        return None
    alpha: Floats = np.maximum(answer.x, 0.0)
    alpha /= alpha @ planes.b
    residual = float(np.linalg.norm(planes.combine(alpha)))
    size = float(np.sqrt(rows.multiply(rows).sum(axis=1).max())) * float(alpha.sum())
    if residual > 1e-7 * size:
        return None
    return Infeasible(planes, alpha, residual, int(planes.example[np.argmax(alpha)]))

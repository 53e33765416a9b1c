"""The end of a dual solver: one exact pass at the returned ``w``, and proofs of infeasibility."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.optimize import linprog

from maxmargin._core import PlaneEngine
from maxmargin.oracles.base import DualState, Engine, Oracle, primal, total_weight
from maxmargin.solvers.base import Infeasible, Run

Floats = npt.NDArray[np.float64]


_MOST_PLANES = 1000  # in a proof: where there is a contradiction its planes outgrow all others


@dataclass(frozen=True, eq=False)
class Candidate:
    """A ``w`` with its exact slacks and objective."""

    w: Floats
    slack: Floats
    primal: float


def evaluate(oracle: Oracle, C: float, w: Floats) -> Candidate:
    """One exact pass over the examples at ``w``, which is kept, not copied: it must not change any more."""
    slack = oracle.slacks(w)
    return Candidate(w, slack, primal(oracle, C, w, slack))


@dataclass(frozen=True)
class Target:
    """The largest gap that ends training; for a hard margin the largest slack.

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

    def of(self, engine: Engine | PlaneEngine) -> float:
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
    """Whether the gap is within the target; for a hard margin the largest slack, and the gap relative to the norm."""
    if oracle.formulation.slack == "hard":
        weighted = candidate.slack if oracle.sample_weight is None else candidate.slack[oracle.sample_weight > 0.0]
        # Planes in use that are tight to within tol leave a gap of at most tol |w|^2: then the norm is the least one.
        least = candidate.primal - dual <= 2.0 * target * candidate.primal
        return bool(weighted.max(initial=0.0) <= target and least)
    return candidate.primal - dual <= target


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

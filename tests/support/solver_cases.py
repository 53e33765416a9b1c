"""Problems with their data, and everything that a solution says of them against the enumeration of all planes.

``primal`` must be the enumeration's objective of ``w``, ``dual`` the sum over ``solution.planes`` in plain NumPy and no
higher than the optimum, every plane in use a true lower bound, and the gap what ``tol`` asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import toy_problems as problems
from maxmargin import BlockCoordinate, Formulation, NSlack, OneSlack, Solution, Status
from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.sequences import pack
from maxmargin.classes.multiclass import Multiclass
from maxmargin.oracles.bind import bind
from maxmargin.rows.matrices import as_rows
from maxmargin.solvers.automatic import Automatic
from maxmargin.solvers.base import Run
from reference import EveryPlane, assert_dual_feasible, dual_value, enumerate_planes, multiclass_planes, solve

# The steps of Frank and Wolfe converge like 1/t, and merged planes slow exact steps, so these are asked for less.
FINE, COARSE = 1e-6, 1e-2
SOLVERS: dict[str, tuple[Any, float]] = {
    "one-slack": (OneSlack(), FINE),
    "one-slack, no cache": (OneSlack(cache=0, keep_idle=5), FINE),
    "one-slack, line search": (OneSlack(line_search=True), COARSE),
    "n-slack": (NSlack(), FINE),
    "n-slack, batch 1": (NSlack(batch=1), FINE),
    "n-slack, block": (NSlack(update="block"), FINE),
    "n-slack, block, batch 1": (NSlack(update="block", batch=1, coarse=0.0, keep_idle=2), FINE),
    "bcfw": (BlockCoordinate(), FINE),
    "bcfw, gap sampling": (BlockCoordinate(sampling="gap"), FINE),
    "bcfw, permutation": (BlockCoordinate(sampling="permutation", averaging=0.0), FINE),
    "bcfw, capacity 3": (BlockCoordinate(capacity=3), COARSE),
    "bcfw, line search": (BlockCoordinate(step="line-search"), COARSE),
    "bcfw, plain": (BlockCoordinate.plain(), COARSE),
    "auto": (Automatic(), FINE),
    "auto, handing over": (Automatic(patience=2), FINE),
}
MAIN = ("one-slack", "n-slack", "n-slack, block", "bcfw")
COST = np.array([[0.0, 1.0, 2.5], [0.5, 0.0, 1.0], [2.0, 0.25, 0.0]])
C = 0.7


@dataclass(frozen=True, eq=False)
class Case:
    """A problem with its data, and how to read its weights."""

    problem: Any
    X: Any
    Y: Any
    cost: np.ndarray | None = None

    @property
    def n(self) -> int:
        return len(self.Y)

    def planes(self, rescaling: str, slack: str) -> EveryPlane:
        if self.cost is None:
            return enumerate_planes(self.problem, self.X, self.Y, rescaling, slack)
        return multiclass_planes(self.X, self.Y, self.cost, rescaling, slack)

    def bind(self, formulation: Formulation, weight: np.ndarray | None) -> Any:
        X = self.X if self.cost is None else as_rows(self.X, 0.0, True)
        return bind(self.problem, X, self.Y, formulation, sample_weight=weight)

    def weights(self, native: np.ndarray) -> np.ndarray:
        """``w`` in the layout of the enumeration; the native one is feature-major with padding."""
        if self.cost is None:
            return native
        by_feature = native.reshape(self.X.shape[1], -1)
        assert not by_feature[:, len(self.cost) :].any()
        return by_feature[:, : len(self.cost)].T.ravel()

    def probe(self, size: int, seed: int) -> np.ndarray:
        """Random weights in the layout of the oracle."""
        w = np.random.default_rng(seed).standard_normal(size)
        if self.cost is not None:
            w.reshape(self.X.shape[1], -1)[:, len(self.cost) :] = 0.0
        return w


class Sequences(Case):
    """The same for the library's chains, whose native weights have rows with padding."""

    def bind(self, formulation: Formulation, weight: np.ndarray | None) -> Any:
        pairs = isinstance(self.X[0], tuple)
        X = ChainInput(*(pack(list(part)) for part in zip(*self.X))) if pairs else self.X
        return bind(self.problem, X, self.Y, formulation, sample_weight=weight)

    def weights(self, native: np.ndarray) -> np.ndarray:
        assert not native.reshape(self.problem.rows, -1)[:, self.problem.n_labels :].any()
        return self.problem.public_weights(native)

    def probe(self, size: int, seed: int) -> np.ndarray:
        w = np.random.default_rng(seed).standard_normal(self.problem.rows * self.problem.n_labels)
        return self.problem.from_public(w)


def sequences(kind: str) -> Case:
    """The native chain, and one with everything that it can have."""
    rng = np.random.default_rng(7)
    lengths = (1, 2, 3, 3, 2)
    x = [np.round(4 * rng.standard_normal((length, 2))) / 4 for length in lengths]
    x[2][1] = 0.0
    if kind == "sequences":
        problem, X = Chain(3, 2), x
    else:
        problem = Chain(3, 2, COST, order=2, eta=0.5, n_pair_features=2, constant=1.0)
        X = [(tokens, np.ones((len(tokens), 2)) * (rng.random((len(tokens), 2)) < 0.6)) for tokens in x]
    return Sequences(problem, X, [tuple(rng.integers(0, 3, length).tolist()) for length in lengths])


def classes(kind: str) -> Case:
    """The storage kinds of the native core; ``dense`` of full rank, others with many zeros."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((12, 6))
    share = {"dense": 0.0, "masked": 0.6, "coded": 0.85, "csr": 0.7}[kind.rstrip("32")]
    X[rng.random(X.shape) < share] = 0.0
    X[:, 0] = 1.0 if kind.startswith("dense") else X[:, 0]
    labels = np.r_[[0, 1, 2] * 4].astype(np.int32)
    if kind.endswith("32"):
        X = X.astype(np.float32)
    return Case(Multiclass(3, COST), sp.csr_array(X) if kind.startswith("csr") else X, labels, COST)


def user(problem: Any, n: int) -> Case:
    return Case(problem, *problems.sample(problem, n, noise=1.0))


MORE_CASES: dict[str, Callable[[str], Case]] = {}  # by the first word of a name


@cache
def case(name: str) -> Case:
    if name.split()[0] in MORE_CASES:
        return MORE_CASES[name.split()[0]](name)
    if name in ("chain", "ordering", "subset", "words", "patch"):
        problem = getattr(problems, name.capitalize())()
        return user(problem, {"chain": 5, "patch": 5}.get(name, 8))
    if name.startswith("sequences"):
        return sequences(name)
    return classes(name)


@cache
def optimum(name: str, rescaling: str, slack: str, weighted: bool) -> tuple[EveryPlane, Any]:
    planes = case(name).planes(rescaling, slack)
    return planes, solve(planes, C, weight_of(case(name).n) if weighted else None)


def weight_of(n: int) -> np.ndarray:
    """Unequal weights, two of them zero."""
    weight = np.linspace(0.25, 2.0, n)
    weight[[1, n - 1]] = 0.0
    return weight


def train(name: str, rescaling: str, slack: str, solver: Any, tol: float, weighted: bool) -> tuple[Any, Solution]:
    weight = weight_of(case(name).n) if weighted else None
    oracle = case(name).bind(Formulation(rescaling, slack), weight)
    return oracle, solver(oracle, C, Run(tol=tol, max_iter=20_000))


def check(name: str, rescaling: str, slack: str, solver: Any, tol: float, weighted: bool = False) -> None:
    """Everything a solution says, against the enumeration."""
    oracle, solution = train(name, rescaling, slack, solver, tol, weighted)
    n = case(name).n
    weight = weight_of(n) if weighted else None
    budget = C * (np.ones(n) if weight is None else weight)
    planes, best = optimum(name, rescaling, slack, weighted)
    w = case(name).weights(solution.w)
    assert solution.status is Status.CONVERGED
    rounding = 1e-12 * (1.0 + best.value)
    assert best.value - best.low <= 1e-7 * (1.0 + best.value)  # the reference knows the optimum to this accuracy
    assert solution.primal == pytest.approx(planes.primal(w, C, weight), rel=1e-12, abs=1e-12)
    assert solution.slack == pytest.approx(planes.slacks(w), rel=1e-12, abs=1e-12)
    assert solution.dual <= best.value + rounding
    if slack == "hard":
        assert solution.slack[budget > 0].max() <= tol
        # margins of 1 - tol cost (1 - tol)^2 of what margins of 1 do, and w is not longer than sum alpha a allows
        assert (1 - tol) ** 2 * best.low - rounding <= solution.primal <= best.value * (1 + 4 * tol) + rounding
    else:
        assert -rounding <= solution.gap <= tol * budget.sum()
        assert best.low - rounding <= solution.primal <= best.value + tol * budget.sum() + rounding

    held = oracle.expand(solution.state) if solution.planes is None else solution.planes
    alpha, one_slack = solution.alpha, solution.state.cuts
    assert one_slack or not isinstance(solver, OneSlack)
    if isinstance(solver, Automatic) and solver.patience == 2:
        assert one_slack == (slack != "hard") or len(solution.trace) <= 2  # solved before that
    kind, room = ("linear", np.array([C])) if one_slack else (slack, budget)
    block = np.zeros_like(held.example) if one_slack else held.example
    assert_dual_feasible(block, alpha, kind, room)
    recomputed = dual_value(held.a, held.b, block, alpha, kind, room)
    assert solution.dual == pytest.approx(recomputed, rel=1e-10, abs=1e-10)
    for seed in range(3):  # a plane in use is a lower bound everywhere, not only where it was found
        probe = case(name).probe(solution.w.size, seed)
        there = case(name).weights(probe)
        bound = planes.risk(there, weight) if one_slack else planes.slacks(there)[held.example]
        assert (held.value(probe) <= bound + 1e-12 * (1 + np.abs(bound).max())).all()

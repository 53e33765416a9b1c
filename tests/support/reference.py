"""Answers to compare with, from the formulas alone.

Nothing here uses the library: planes are enumerated output by output, optima come from a general interior-point
solver (clarabel), objectives and duals are sums in plain NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import clarabel
import numpy as np
import scipy.sparse as sp

FORMULATIONS = (
    ("margin", "linear"),
    ("slack", "linear"),
    ("none", "linear"),
    ("margin", "squared"),
    ("slack", "squared"),
    ("none", "squared"),
    ("none", "hard"),
)


@dataclass(frozen=True, eq=False)
class EveryPlane:
    """All planes of a problem: ``slack_i >= b - <a, w>``, one row per example and wrong output."""

    a: np.ndarray
    b: np.ndarray
    example: np.ndarray
    n: int
    slack: str

    @property
    def dimension(self) -> int:
        return self.a.shape[1]

    def slacks(self, w: np.ndarray) -> np.ndarray:
        """``max(0, max_y b - <a, w>)`` of every example."""
        found = np.zeros(self.n)
        np.maximum.at(found, self.example, self.b - self.a @ w)
        return found

    def risk(self, w: np.ndarray, weight: np.ndarray | None = None) -> float:
        """The part of the objective that C multiplies."""
        slack = self.slacks(w)
        each = {"linear": slack, "squared": slack**2 / 2, "hard": 0 * slack}[self.slack]
        return float(each.sum() if weight is None else each @ weight)

    def primal(self, w: np.ndarray, C: float, weight: np.ndarray | None = None) -> float:
        return float(w @ w) / 2 + C * self.risk(w, weight)


def same(a: Any, b: Any) -> bool:
    """Equality of outputs of the types that the tests use."""
    return bool(np.array_equal(a, b)) if isinstance(a, np.ndarray) else bool(a == b)


def dense(vector: Any) -> np.ndarray:
    return np.asarray(vector.toarray() if sp.issparse(vector) else vector, dtype=float).ravel()


def plane_of(psi: np.ndarray, loss: float, rescaling: str, slack: str) -> tuple[np.ndarray, float]:
    """``(a, b)`` of one wrong output."""
    if rescaling == "none" or slack == "hard":
        return psi, 1.0
    height = np.sqrt(loss) if slack == "squared" else loss
    return (psi, height) if rescaling == "margin" else (height * psi, height)


def enumerate_planes(problem: Any, X: Sequence[Any], Y: Sequence[Any], rescaling: str, slack: str) -> EveryPlane:
    """Every plane of a problem that can list its outputs."""
    rows, heights, example = [], [], []
    for i, (x, y_true) in enumerate(zip(X, Y)):
        truth = dense(problem.joint_feature(x, y_true))
        for y in problem.outputs(x):
            if not same(y, y_true):
                psi = truth - dense(problem.joint_feature(x, y))
                a, b = plane_of(psi, problem.loss(y_true, y), rescaling, slack)
                rows.append(a), heights.append(b), example.append(i)
    return EveryPlane(np.array(rows), np.array(heights), np.array(example), len(Y), slack)


def multiclass_planes(X: Any, y: Sequence[int], cost: np.ndarray, rescaling: str, slack: str) -> EveryPlane:
    """The same for classes: ``x`` in the slot of the right class minus ``x`` in that of the wrong one."""
    rows, heights, example = [], [], []
    for i, (x, truth) in enumerate(zip(np.asarray(X.toarray() if sp.issparse(X) else X, dtype=float), y)):
        for k in range(len(cost)):
            if k != truth:
                psi = np.zeros((len(cost), x.size))
                psi[truth] += x
                psi[k] -= x
                a, b = plane_of(psi.ravel(), cost[truth, k], rescaling, slack)
                rows.append(a), heights.append(b), example.append(i)
    return EveryPlane(np.array(rows), np.array(heights), np.array(example), len(y), slack)


@dataclass(frozen=True, eq=False)
class Optimum:
    """What clarabel says, made safe: ``low <= optimum <= value``, the one from dual variables cut down to feasible
    ones, the other the objective of ``w``. Both are infinite where the problem has no solution."""

    value: float
    low: float
    w: np.ndarray

    @property
    def feasible(self) -> bool:
        return bool(np.isfinite(self.value))


def solve(planes: EveryPlane, C: float, weight: np.ndarray | None = None) -> Optimum:
    """``min 1/2 |w|^2 + C sum_i s_i risk_i`` as one quadratic program in ``w`` and the slacks.

    Examples of weight zero have no constraints.
    """
    budget = C * (np.ones(planes.n) if weight is None else np.asarray(weight, dtype=float))
    kept = budget[planes.example] > 0
    a, b, example, d = planes.a[kept], planes.b[kept], planes.example[kept], planes.dimension
    if not b.size:
        return Optimum(0.0, 0.0, np.zeros(d))
    used = np.unique(example)
    n = 0 if planes.slack == "hard" else used.size
    quadratic, linear = np.ones(d + n), np.zeros(d + n)
    constraints, bounds = -a, -b
    if n:
        quadratic[d:] = budget[used] if planes.slack == "squared" else 0.0
        linear[d:] = 0.0 if planes.slack == "squared" else budget[used]
        choose = np.zeros((b.size, n))
        choose[np.arange(b.size), np.searchsorted(used, example)] = -1.0
        positive = np.hstack([np.zeros((n, d)), -np.eye(n)])
        constraints, bounds = np.vstack([np.hstack([-a, choose]), positive]), np.concatenate([-b, np.zeros(n)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    cones = [clarabel.NonnegativeConeT(bounds.size)]
    answer = clarabel.DefaultSolver(
        sp.csc_matrix(sp.diags(quadratic)), linear, sp.csc_matrix(constraints), bounds, cones, settings
    ).solve()
    if "PrimalInfeasible" in str(answer.status):
        return Optimum(np.inf, np.inf, np.zeros(d))
    w, alpha = np.array(answer.x[:d]), np.maximum(np.array(answer.z[: b.size]), 0.0)
    if planes.slack == "linear":
        spent = np.bincount(example, alpha, planes.n)
        alpha = alpha * np.minimum(1.0, np.divide(budget, spent, out=np.ones(planes.n), where=spent > 0))[example]
    if planes.slack == "hard":
        w = w * max(1.0, (b[b > 0] / np.maximum(a @ w, 1e-300)[b > 0]).max(initial=0.0))
        value = float(w @ w) / 2
    else:
        value = planes.primal(w, 1.0, budget)
    return Optimum(value, dual_value(a, b, example, alpha, planes.slack, budget), w)


def dual_value(a: Any, b: np.ndarray, block: np.ndarray, alpha: np.ndarray, slack: str, budget: np.ndarray) -> float:
    """The dual objective of given dual variables, in plain NumPy."""
    rows = a.toarray() if sp.issparse(a) else np.asarray(a)
    w = rows.T @ alpha
    value = float(alpha @ b) - float(w @ w) / 2
    if slack == "squared":
        spent = np.bincount(block, alpha, budget.size)
        value -= float(np.sum(spent[budget > 0] ** 2 / (2 * budget[budget > 0])))
    return value


def assert_dual_feasible(block: np.ndarray, alpha: np.ndarray, slack: str, budget: np.ndarray) -> None:
    """``alpha >= 0``, every cap kept, nothing spent where there is no budget. Rounding may exceed a cap by 1e-12."""
    assert (alpha >= 0.0).all()
    spent = np.bincount(block, alpha, budget.size)
    assert (spent[budget <= 0] == 0.0).all()
    if slack == "linear":
        assert (spent <= budget * (1 + 1e-12)).all()

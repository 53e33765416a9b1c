"""The dual over a set of planes, solved at once by an interior-point method.

    max_alpha  sum_k alpha_k b_k - 1/2 |sum_k alpha_k a_k|^2     alpha >= 0, and what the slack of each block allows

Steps of one block after the other take forever where columns of very different size, or a large C, make the planes of
different blocks depend on each other. Here all of them move together: a Newton step for the perturbed optimality
conditions (Mehrotra's predictor and corrector) needs one positive definite matrix of the order of the columns, or of
the planes where these are fewer, and some twenty steps are enough whatever the conditioning. The answer is a set of
dual variables and weights, nothing more: whoever asked computes what they are worth.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from maxmargin.core.planes import Planes
from maxmargin.oracles.base import Stop

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

_MOST_STEPS = 100
_STEPS = 30  # that are expected
_CALLS = 1e6  # multiplications that take as long as the calls of a step on the smallest matrices
_LARGEST = 4_000_000  # cells of a matrix
_VECTORS = 300.0  # multiplications of products that take as long as the vectors of a step, per plane
_BOUNDARY = 0.995  # of the way to the boundary that a step goes
_RIDGES = (1e-16, 1e-14, 1e-12)  # times the order of a matrix of diagonal 1: what rounding may have done to it
_REFINEMENTS = 2  # of the answer of a linear system
_FILLED = 0.1  # of the cells of sparse rows, from which on products with a dense matrix are faster
_IDLE = 8  # steps without a better answer


def cost_of_dual(planes: int, columns: int) -> float:
    """Multiplications that ``solve_dual`` takes, infinite where its matrices would be too large."""
    order = min(planes, columns)
    if planes * order > _LARGEST:
        return np.inf
    products = order * order * ((0.0 if planes < columns else planes) + order / 3.0)
    return float(_STEPS * (_CALLS + _VECTORS * planes + products))


@dataclass(eq=False)
class _Point:
    """Weights, dual variables, distances of the planes from their bounds, slacks and what is left of their caps."""

    w: Floats
    alpha: Floats
    distance: Floats
    slack: Floats
    rest: Floats

    def products(self, linear: bool) -> float:
        """The sum of the complementary products, which are all zero at the optimum."""
        return float(self.alpha @ self.distance + (self.slack @ self.rest if linear else 0.0))

    def longest(self, step: _Point, linear: bool) -> float:
        """The share of a step after which a number is zero, at most 1."""
        pairs = [(self.alpha, step.alpha), (self.distance, step.distance)]
        pairs += [(self.slack, step.slack), (self.rest, step.rest)] if linear else []
        shares = [(-value[change < 0.0] / change[change < 0.0]).min(initial=np.inf) for value, change in pairs]
        return float(min(1.0, *shares))

    def moved(self, step: _Point, share: float) -> _Point:
        return _Point(
            self.w + share * step.w,
            self.alpha + share * step.alpha,
            self.distance + share * step.distance,
            self.slack + share * step.slack,
            self.rest + share * step.rest,
        )


@dataclass(frozen=True, eq=False)
class Answer:
    """Dual variables of the planes, weights near ``sum alpha a`` that keep the bounds of the planes more exactly, and
    the objective of these weights as far as the planes know; for a hard margin that of a multiple with every margin."""

    alpha: Floats
    w: Floats
    primal: float


def solve_dual(
    planes: Planes, slack: str, budget: Floats, accuracy: float = 1e-12, stop: Stop | None = None
) -> Answer | None:
    """The maximum of the dual over the planes, or near it; None where not even a start is possible.

    ``budget[i]`` is ``C s_i`` of example ``i``; planes of an example without a budget get none. The method ends where
    primal and dual objective over these planes differ by less than the share ``accuracy`` of them, where rounding
    leaves nothing to gain, or where ``stop`` says so, which is asked after every step.
    """
    free = np.flatnonzero(budget[planes.example] > 0.0)
    if not free.size:
        return None
    with np.errstate(all="ignore"):  # what overflows is not better than what was there, and is not taken
        found = _Interior(planes.take(free), slack, budget).solve(accuracy, stop)
    if found is None:
        return None
    alpha = np.zeros(len(planes))
    alpha[free] = found.alpha
    return Answer(alpha, found.w, found.primal)


class _Interior:
    def __init__(self, planes: Planes, slack: str, budget: Floats) -> None:
        used, self.block = np.unique(planes.example, return_inverse=True)
        self.cap: Floats = budget[used]
        self.blocks = used.size
        self.slack, self.linear = slack, slack == "linear"
        self.b = np.asarray(planes.b, dtype=np.float64)
        self.a, self.columns, self.dimension = *_used_columns(planes.a), planes.a.shape[1]
        self.wide = self.a.shape[1] > self.a.shape[0]
        if not self.wide or self.a.nnz > _FILLED * self.a.shape[0] * self.a.shape[1]:
            self.a = self.a.toarray()
        if self.wide:
            gram = self.a @ self.a.T
            self.gram = gram.toarray() if sp.issparse(gram) else gram
            self.same = self.block[:, None] == self.block
        self.order: Indices = np.argsort(self.block, kind="stable")
        self.firsts = np.searchsorted(self.block[self.order], np.arange(self.blocks))

    def solve(self, accuracy: float, stop: Stop | None) -> Answer | None:
        point = self._start()
        best, value, w, least, idle = None, -np.inf, point.w, np.inf, 0
        for _ in range(_MOST_STEPS):
            alpha = self._feasible(point.alpha)
            dual, primal = self._dual(alpha), self._primal(point.w)
            if not np.isfinite(dual):
                break
            idle = 0 if dual > value or primal < least else idle + 1
            if dual > value:
                best, value = alpha, dual
            if primal < least:
                w, least = point.w, primal
            ended = least - value <= accuracy * abs(value) or idle >= _IDLE or (stop is not None and stop())
            moved = None if ended else self._step(point)
            if moved is None:
                break
            point = moved
        if best is None:
            return None
        whole = np.zeros(self.dimension)
        whole[self.columns] = w
        return Answer(best, whole, least)

    def _sum(self, of_planes: Floats) -> Floats:
        """Sums over the planes of every block."""
        return np.asarray(np.bincount(self.block, of_planes, self.blocks), dtype=np.float64)

    def _largest(self, of_planes: Floats) -> Floats:
        """The largest number of every block, at least zero."""
        return np.maximum(0.0, np.maximum.reduceat(of_planes[self.order], self.firsts))

    def _feasible(self, alpha: Floats) -> Floats:
        alpha = np.maximum(alpha, 0.0)
        if not self.linear:
            return alpha
        spent = self._sum(alpha)
        return alpha * np.minimum(1.0, self.cap / np.maximum(spent, 1e-300))[self.block]

    def _dual(self, alpha: Floats) -> float:
        w = alpha @ self.a
        value = float(alpha @ self.b) - 0.5 * float(w @ w)
        if self.slack == "squared":
            value -= float(np.sum(self._sum(alpha) ** 2 / (2.0 * self.cap)))
        return value

    def _primal(self, w: Floats) -> float:
        """The objective over these planes; for a hard margin of the multiple of ``w`` that has every margin."""
        margins = self.a @ w
        if self.slack == "hard":
            positive = self.b > 0.0
            least = float((margins[positive] / self.b[positive]).min(initial=1.0))
            return 0.5 * float(w @ w) / least**2 if least > 1e-100 else np.inf
        slack = self._largest(self.b - margins)
        risk = self.cap @ slack if self.linear else 0.5 * self.cap @ slack**2
        return 0.5 * float(w @ w) + float(risk)

    def _start(self) -> _Point:
        """No weights, slacks that are large enough for them, and dual variables of about equal products with these."""
        count = self._sum(np.ones(self.b.size))
        size = max(float(np.abs(self.b).max()), 1e-300)
        w = np.zeros(self.a.shape[1])
        slack = np.full(self.blocks, 2.0 * size)
        if self.linear:
            share = self.cap / (count + 1.0)
            return _Point(w, share[self.block], 2.0 * size - self.b, slack, share)
        if self.slack == "squared":
            return _Point(w, (self.cap * slack / count)[self.block], 2.0 * size - self.b, slack, np.zeros(self.blocks))
        sums = np.ones(self.b.size) @ self.a
        alpha = np.full(self.b.size, max(float(self.b.sum()), size) / max(float(sums @ sums), 1e-300))
        return _Point(w, alpha, np.full(self.b.size, size), np.zeros(0), np.zeros(0))

    def _step(self, point: _Point) -> _Point | None:
        """A predictor, which tells how far the next step can aim, and the step."""
        count = self.b.size + (self.blocks if self.linear else 0)
        mean = point.products(self.linear) / count
        try:
            system = _System(self, point)
            predicted = system.step(-point.alpha * point.distance, -point.slack * point.rest)
            near = point.moved(predicted, point.longest(predicted, self.linear))
            aim = mean * (near.products(self.linear) / count / max(mean, 1e-300)) ** 3
            step = system.step(
                aim - point.alpha * point.distance - predicted.alpha * predicted.distance,
                aim - point.slack * point.rest - predicted.slack * predicted.rest,
            )
        except (LinAlgError, ValueError):  # a matrix that rounding has made indefinite, or not finite
            return None
        share = min(1.0, _BOUNDARY * point.longest(step, self.linear))
        return point.moved(step, share) if share > 1e-10 else None


class _System:
    """The linear system of a Newton step at a point, factored once.

    With ``D = alpha / distance`` and ``H = rest / slack`` (linear slack) or ``C s`` (squared), the slacks are
    eliminated block by block. What remains is ``I + A' (D - D E (H + E' D E)^-1 E' D) A``, a sum of squares of the rows
    minus the mean of their block, and of these means; or the matrix of the planes, ``A A' + 1 / D + E 1 / H E'``.
    """

    def __init__(self, problem: _Interior, point: _Point) -> None:
        self.problem, self.point = problem, point
        self.weight = point.alpha / point.distance
        self.stiffness = point.rest / point.slack if problem.linear else problem.cap
        self.drift = point.alpha @ problem.a - point.w  # what the residuals lack of zero: of the weights, the planes,
        self.far = problem.b - problem.a @ point.w + point.distance
        if problem.slack != "hard":
            self.far = self.far - point.slack[problem.block]
        if problem.linear:  # and the slacks
            self.lack = problem.cap - problem._sum(point.alpha) - point.rest
        elif problem.slack == "squared":
            self.lack = problem.cap * point.slack - problem._sum(point.alpha)
        matrix = self._of_planes() if problem.wide else self._of_columns()
        self.scale = 1.0 / np.sqrt(matrix.diagonal())
        self.factor = _factored(matrix * self.scale[:, None] * self.scale)

    def _of_planes(self) -> Floats:
        problem = self.problem
        matrix = np.array(problem.gram)
        matrix[np.diag_indices_from(matrix)] += 1.0 / self.weight
        if problem.slack != "hard":
            matrix += np.where(problem.same, 1.0 / self.stiffness[problem.block], 0.0)
        return matrix

    def _of_columns(self) -> Floats:
        problem = self.problem
        rows, block = problem.a, problem.block
        if problem.slack == "hard":
            parts = np.sqrt(self.weight)[:, None] * rows
        else:
            total = problem._sum(self.weight)
            share = self.weight / total[block]
            means = np.add.reduceat((share[:, None] * rows)[problem.order], problem.firsts, axis=0)
            both = np.sqrt(self.stiffness * (total / (self.stiffness + total)))
            parts = np.vstack([np.sqrt(self.weight)[:, None] * (rows - means[block]), both[:, None] * means])
        matrix: Floats = parts.T @ parts
        matrix[np.diag_indices_from(matrix)] += 1.0
        return matrix

    def _solve(self, right: Floats) -> Floats:
        return np.asarray(self.scale * cho_solve(self.factor, self.scale * right))

    def step(self, wanted: Floats, wanted_slack: Floats) -> _Point:
        """The Newton step after which the complementary products have changed by as much as is wanted."""
        problem, point = self.problem, self.point
        g = self.far + wanted / point.alpha
        hard, linear = problem.slack == "hard", problem.linear
        if not hard:
            h = wanted_slack / point.slack - self.lack if linear else -self.lack
        if problem.wide:
            right = g if hard else g - (h / self.stiffness)[problem.block]
            w, alpha = self._of_planes_alone(right)
        else:
            w, alpha = self._of_both(g, None if hard else h)
        empty = np.zeros(0)
        slack = empty if hard else (h + problem._sum(alpha)) / self.stiffness
        rest = (wanted_slack - point.rest * slack) / point.slack if linear else np.zeros_like(slack)
        return _Point(w, alpha, (wanted - point.distance * alpha) / point.alpha, slack, rest)

    def _of_planes_alone(self, right: Floats) -> tuple[Floats, Floats]:
        """The steps of ``w = drift + A' alpha`` and of ``alpha``."""
        problem = self.problem
        alpha, w = np.zeros_like(right), self.drift
        for _ in range(1 + _REFINEMENTS):
            rest = right - problem.a @ w - alpha / self.weight
            if problem.slack != "hard":
                rest = rest - (problem._sum(alpha) / self.stiffness)[problem.block]
            alpha = alpha + self._solve(rest)
            w = self.drift + alpha @ problem.a
        return w, alpha

    def _of_both(self, g: Floats, h: Floats | None) -> tuple[Floats, Floats]:
        """The steps of ``w`` and of ``alpha = D (g - A w - E slack)``."""
        problem = self.problem
        bend = None if h is None else self.stiffness + problem._sum(self.weight)

        def eliminated(of_planes: Floats, of_slacks: Any) -> Floats:
            """``D (v - E slack)`` with the slack that the second equation then has."""
            if bend is None:
                return np.asarray(self.weight * of_planes)
            slack = (of_slacks + problem._sum(self.weight * of_planes)) / bend
            return np.asarray(self.weight * (of_planes - slack[problem.block]))

        alpha = eliminated(g, h)
        w = np.zeros_like(self.drift)
        for _ in range(1 + _REFINEMENTS):
            change = self._solve(self.drift + alpha @ problem.a - w)
            w = w + change
            alpha = alpha - eliminated(problem.a @ change, 0.0)
        return w, alpha


def _factored(matrix: Floats) -> tuple[Floats, bool]:
    """The Cholesky factor of a matrix of diagonal 1 that is positive definite but for rounding."""
    diagonal = np.diag_indices_from(matrix)
    for ridge in _RIDGES:
        matrix[diagonal] = 1.0 + ridge * len(matrix)
        with suppress(LinAlgError):
            factor: tuple[Floats, bool] = cho_factor(matrix)
            return factor
    raise LinAlgError


def _used_columns(a: Any) -> tuple[Any, Indices]:
    """The columns that some plane uses, as a CSR matrix, and which they are."""
    rows = sp.csr_array(a)
    used, index = np.unique(rows.indices, return_inverse=True)
    return sp.csr_array((rows.data, index, rows.indptr), shape=(rows.shape[0], used.size)), used

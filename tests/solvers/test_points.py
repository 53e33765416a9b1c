"""Solvers look at no weights: they reach the same optimum where weights are coefficients over the training rows."""

from __future__ import annotations

import numpy as np
import pytest

from kernel_classes import CLASSES, Coefficients, KernelOracle
from maxmargin import Automatic, BlockCoordinate, NSlack, OneSlack, Status, Subgradient
from maxmargin.core.points import Explicit
from maxmargin.core.vectors import SparseVector
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Run
from reference import multiclass_planes, solve

C = 0.7
EXACT = [
    OneSlack(),
    OneSlack(damping=0.0),
    NSlack(),
    NSlack(update="block", batch=1),
    BlockCoordinate(),
    BlockCoordinate.plain(),
    Automatic(patience=3),
]


def make_oracle(slack: str, weighted: bool = False) -> KernelOracle:
    """Three classes of points in the plane, the kernel ``exp(-|x - x'|^2)``."""
    rng = np.random.default_rng(0)
    labels = np.arange(18) % CLASSES
    points = 1.5 * np.eye(CLASSES, 2)[labels] + rng.standard_normal((18, 2))
    kernel = np.exp(-((points[:, None] - points) ** 2).sum(axis=2))
    return KernelOracle(kernel, labels, slack, rng.uniform(0.2, 2.0, 18) if weighted else None)


def optimum(oracle: KernelOracle) -> float:
    cost = 1.0 - np.eye(CLASSES)
    planes = multiclass_planes(oracle.factor, oracle.labels, cost, "margin", oracle.formulation.slack)
    return solve(planes, C, oracle.sample_weight).value


REFUSED = {"one-slack"}  # a hard margin has no slacks to sum
CELLS = [
    (solver, slack)
    for solver in EXACT
    for slack in ("linear", "squared", "hard")
    if slack != "hard" or (solver.name not in REFUSED and solver != BlockCoordinate.plain())  # which takes long
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("solver", "slack"), CELLS)
def test_coefficients_reach_the_optimum_of_arrays(solver, slack, weighted):
    oracle = make_oracle(slack, weighted)
    best, tol = optimum(oracle), 1e-2 if solver == BlockCoordinate.plain() else 1e-5
    solution = solver(oracle, C, Run(tol=tol, max_iter=20_000))
    assert solution.status is Status.CONVERGED
    assert isinstance(solution.w, Coefficients)
    total = oracle.n if oracle.sample_weight is None else oracle.sample_weight.sum()
    allowed = 2.0 * tol * best if slack == "hard" else C * total * tol
    assert solution.dual - 1e-9 * best <= best <= solution.primal + 1e-9 * best
    assert solution.primal - solution.dual <= 1.01 * allowed
    slacks = oracle.explicit().slacks(oracle.coordinates(solution.w))
    assert slacks == pytest.approx(solution.slack, abs=1e-7)


@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_the_subgradient_walks_over_coefficients(slack):
    oracle = make_oracle(slack)
    best = optimum(oracle)
    solution = Subgradient(passes=500)(oracle, C, Run())
    assert best <= solution.primal <= 1.05 * best


def test_a_contradiction_is_found_among_coefficients():
    """Two equal rows of different classes."""
    oracle = make_oracle("hard")
    kernel, twin = oracle.kernel, np.arange(oracle.n)
    twin[1] = 0
    solution = NSlack()(KernelOracle(kernel[np.ix_(twin, twin)], oracle.labels, "hard"), C, Run(max_iter=500))
    assert solution.status is Status.INFEASIBLE
    assert {0, 1} <= set(solution.certificate.examples)
    assert solution.certificate.residual < 1e-6


def test_a_start_from_coefficients():
    """Cuts go on where they were left; weights alone are a point to ask at."""
    oracle = make_oracle("linear")
    run = Run(tol=1e-5)
    first = OneSlack()(oracle, C, run)
    again = OneSlack()(oracle, C, run, first)
    assert again.n_iter <= 2 < first.n_iter
    assert again.primal == pytest.approx(first.primal, rel=1e-4)
    smaller = OneSlack()(oracle, 0.5 * C, run, first)
    assert smaller.status is Status.CONVERGED
    blocks = BlockCoordinate()(oracle, C, run)
    assert OneSlack()(oracle, C, run, blocks).primal == pytest.approx(first.primal, rel=1e-4)


def test_what_needs_arrays_is_refused():
    with pytest.raises(Unsupported, match="line_search=False"):
        OneSlack(line_search=True)(make_oracle("linear"), C, Run())


def test_arrays_are_points():
    space, rng = Explicit(40_000), np.random.default_rng(0)
    v, w = rng.standard_normal((2, 40_000))
    assert space.has(v)
    assert not space.has(v[:-1])
    assert not space.zero().any()
    assert space.square(v) == pytest.approx(v @ v)
    assert space.dot(SparseVector(np.array([3, 7], np.int32), np.array([2.0, -1.0])), w) == 2.0 * w[3] - w[7]
    np.testing.assert_allclose(space.combination((2.0, -0.5), (v, w)), 2.0 * v - 0.5 * w)
    np.testing.assert_allclose(space.scaled(v, 3.0), 3.0 * v)
    kept = space.copy(v)
    moved = space.toward(kept, w.astype(np.float32), 0.25)
    np.testing.assert_allclose(moved, 0.75 * v + 0.25 * w, atol=1e-6)
    assert moved is kept  # no further array of that size

"""What the papers prove, on data: 000 is Tsochantaridis et al., JMLR 2005; 004 is Joachims et al., 2009.

The papers write ``1/2 |w|^2 + C/n sum_i slack_i``; here C multiplies the sum, so ``C_paper = n * C``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2
from typing import Any

import numpy as np
import pytest

import toy_problems as problems
from maxmargin import BlockCoordinate, Formulation, MulticlassSVC, NSlack, OneSlack, Status, StructuralSVM
from maxmargin._core import PlaneEngine, VisitSettings
from maxmargin.classes.multiclass import Multiclass
from maxmargin.oracles.bind import bind
from maxmargin.rows.matrices import as_rows
from maxmargin.solvers.base import Run
from reference import enumerate_planes, solve

COST = np.array([[0.0, 1.0, 4.0], [0.5, 0.0, 1.0], [2.0, 3.0, 0.0]])
PROBLEMS = [problems.Chain(), problems.Subset(), problems.Ordering(), problems.Patch()]
named = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: type(p).__name__)


def clouds(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three overlapping classes, inputs of length one."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.standard_normal((n, 5)) + np.eye(3, 5)[y]
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


# Propositions 1 and 2 of paper 000: the slacks bound the empirical risk.


@named
@pytest.mark.parametrize("rescaling", ["margin", "slack"])
@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_slacks_bound_the_empirical_risk(problem, rescaling, slack):
    X, Y = problems.sample(problem, 8, noise=1.0)
    oracle = bind(problem, X, Y, Formulation(rescaling, slack))
    trained = StructuralSVM(problem, 0.3, rescaling=rescaling, slack=slack).fit(X, Y).coef_
    rng = np.random.default_rng(0)
    nearly_tight = 0
    for w in [trained, *(10.0 ** rng.uniform(-2, 1, (30, 1)) * rng.standard_normal((30, trained.size)))]:
        slacks = oracle.slacks(w)
        if slack == "squared":  # derived with the root of the loss, so the squares bound the loss
            slacks = slacks**2
        losses = np.array([problem.loss(y, problem.argmax(x, w)) for x, y in zip(X, Y)])
        assert (slacks >= losses - 1e-12).all()
        nearly_tight += losses.sum() > 0.2 * slacks.sum()
    assert nearly_tight > 0  # a bound that is never near says little


# Proposition 3 of paper 000: slack rescaling does not care about the unit of the loss.


@pytest.mark.parametrize("slack", ["linear", "squared"])
@pytest.mark.parametrize("eta", [0.01, 7.0])
def test_slack_rescaling_is_invariant_to_the_scale_of_the_loss(slack, eta):
    X, y = clouds(60)
    fits = {}
    for rescaling in ("slack", "margin"):
        for scale in (1.0, eta):
            model = MulticlassSVC(
                2.0 / scale, cost=scale * COST, decision="score", rescaling=rescaling, slack=slack, tol=1e-9 * scale
            )
            fits[rescaling, scale] = model.fit(X, y)
            assert model.solution_.status is Status.CONVERGED
    same, other = fits["slack", 1.0], fits["slack", eta]
    # each w is within sqrt(2 gap) of the optimum by strong convexity
    allowed = sum(np.sqrt(2 * max(0.0, fit.solution_.gap)) for fit in (same, other)) + 1e-9
    assert np.linalg.norm(same.coef_ - other.coef_) <= allowed
    assert allowed < 1e-3 * np.linalg.norm(same.coef_)
    # margin rescaling does care
    change = np.linalg.norm(fits["margin", 1.0].coef_ - fits["margin", eta].coef_)
    assert change > 0.1 * np.linalg.norm(fits["margin", 1.0].coef_)


def test_slack_rescaling_is_invariant_for_a_users_problem():
    @dataclass(frozen=True)
    class Scaled(problems.Chain):
        eta: float = 1.0

        def loss(self, y_true: Any, y: Any) -> float:
            return self.eta * super().loss(y_true, y)

    X, Y = problems.sample(Scaled(), 8, noise=1.0)
    fits = [
        StructuralSVM(Scaled(eta=eta), 0.4 / eta, rescaling="slack", solver="n-slack", tol=1e-8 * eta).fit(X, Y)
        for eta in (1.0, 50.0)
    ]
    allowed = sum(np.sqrt(2 * max(0.0, fit.solution_.gap)) for fit in fits) + 1e-9
    assert np.linalg.norm(fits[0].coef_ - fits[1].coef_) <= allowed < 1e-2


# Theorems 1 and 2 of paper 004: the 1-slack and the n-slack form have one optimum.


@named
@pytest.mark.parametrize("rescaling", ["margin", "slack"])
@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_one_slack_and_n_slack_have_the_same_optimum(problem, rescaling, slack):
    X, Y = problems.sample(problem, 6, noise=1.0)
    fits = [
        StructuralSVM(problem, 0.5, rescaling=rescaling, slack=slack, solver=solver, tol=1e-5).fit(X, Y).solution_
        for solver in (OneSlack(), NSlack())
    ]
    best = solve(enumerate_planes(problem, X, Y, rescaling, slack), 0.5)
    for fit in fits:
        assert fit.primal == pytest.approx(best.value, abs=1e-5 * 0.5 * len(Y) + 1e-9)
    # strongly convex: |w - w*|^2 <= 2 (P(w) - P(w*)) <= 2 gap
    allowed = sum(np.sqrt(2 * max(0.0, fit.gap)) for fit in fits) + 1e-9
    assert np.linalg.norm(fits[0].w - fits[1].w) <= allowed
    # the slack of the 1-slack form is the sum of the n slacks
    assert fits[0].slack.sum() == pytest.approx(fits[1].slack.sum(), abs=allowed * 10 * len(Y))


# Theorem 18 of paper 000: the number of constraints added by the n-slack algorithm.


def theorem_18(rescaling: str, slack: str, n: int, C: float, delta: float, r2: float, eps: float) -> float:
    """C as in the paper; R^2 = max |psi|^2 before rescaling, delta the largest loss."""
    if slack == "linear":
        return max(2 * n * delta / eps, 8 * C * (delta**3 if rescaling == "slack" else delta) * r2 / eps**2)
    return (C * (delta**2 if rescaling == "slack" else delta) * r2 + n * delta) / eps**2


@pytest.mark.parametrize("update", ["all", "block"])
@pytest.mark.parametrize("rescaling", ["margin", "slack"])
@pytest.mark.parametrize("slack", ["linear", "squared"])
@pytest.mark.parametrize(("C_paper", "tol"), [(0.05, 1.0), (0.5, 1.2), (0.02, 0.5)])
def test_constraints_added_by_the_n_slack_algorithm(update, rescaling, slack, C_paper, tol):
    problem = problems.Chain(labels=4)
    X, Y = problems.sample(problem, 8, noise=1.0)
    n, C = len(Y), C_paper / len(Y)
    psi = enumerate_planes(problem, X, Y, "none", "linear").a
    delta, r2 = 3.0, float((psi**2).sum(axis=1).max())
    solver = NSlack(update=update, batch=1, coarse=0.0, keep_idle=10**6)
    solution = solver(bind(problem, X, Y, Formulation(rescaling, slack)), C, Run(tol=tol))
    assert solution.status is Status.CONVERGED
    # a plane enters when it is violated by more than half of tol
    bound = theorem_18(rescaling, slack, n, C_paper, delta, r2, 0.5 * tol)
    assert 0 < solution.details["planes_added"] <= bound
    assert len(solution.alpha) == solution.details["planes_added"]
    if (rescaling, slack) == ("margin", "linear") and C_paper < 0.1:
        assert bound < len(psi)  # the bound says more than that there are so many outputs


# Theorems 5 and 6 of paper 004: the number of iterations of the 1-slack algorithm.


def theorem_5_and_6(rescaling: str, C: float, delta: float, r2: float, eps: float) -> float:
    """C as in the paper. A negative first term means that its phase of the proof is skipped."""
    if rescaling == "slack":
        assert eps <= 4 * delta**2 * r2 * C
        return max(0, ceil(log2(1 / (4 * r2 * delta * C)))) + ceil(16 * r2 * delta**2 * C / eps)
    assert eps <= 4 * r2 * C
    return max(0, ceil(log2(delta / (4 * r2 * C)))) + ceil(16 * r2 * C / eps)


@pytest.mark.parametrize("line_search", [False, True])
@pytest.mark.parametrize("rescaling", ["margin", "slack"])
@pytest.mark.parametrize(("C_paper", "eps"), [(0.05, 0.3), (0.05, 0.1), (1.0, 0.5), (1.0, 0.02), (20.0, 0.5)])
def test_iterations_of_the_one_slack_algorithm(rescaling, C_paper, eps, line_search):
    """The proof only needs a line search in each round, so it covers that variant as well."""
    X, y = clouds(50)
    oracle = bind(Multiclass(3, COST), as_rows(X, 0.0, True), y.astype(np.int32), Formulation(rescaling))
    solver = OneSlack(cache=0, damping=0.0, keep_idle=10**6, line_search=line_search)
    solution = solver(oracle, C_paper / 50, Run(tol=eps))
    assert solution.status is Status.CONVERGED
    assert solution.oracle_calls == 50 * solution.n_iter
    assert len(solution.alpha) == solution.n_iter - 1  # one cut a round, none in the last
    assert solution.n_iter <= theorem_5_and_6(rescaling, C_paper, COST.max(), 2.0, eps)


@pytest.mark.parametrize("solver", [OneSlack(cache=0, damping=0.0), OneSlack()], ids=["published", "damped"])
def test_iterations_of_the_one_slack_algorithm_do_not_grow_with_n(solver):
    rounds = []
    for n in (100, 1000, 10_000):
        X, y = clouds(n)
        oracle = bind(Multiclass(3), as_rows(X, 0.0, True), y.astype(np.int32), Formulation())
        solution = solver(oracle, 100.0 / n, Run(tol=0.01))
        assert solution.status is Status.CONVERGED
        rounds.append(solution.n_iter)
    # a hundred times the data changes little
    assert max(rounds) <= 1.5 * min(rounds) + 2


# The example of section 3.2 of paper 004 that shows the bounds tight: one example, many classes, x = 1.


@pytest.mark.parametrize("C", [0.5, 1.0, 10.0, 0.25, 0.01])
def test_the_tight_example_after_k_cuts(C):
    engine = PlaneEngine(1, 12, "linear", C, None)
    for k in range(1, 12):
        cut = np.zeros(12)
        cut[0], cut[k] = 1.0, -1.0
        assert engine.add_dense(0, cut, 1.0)
        engine.settle(VisitSettings(precision=1e-13, max_steps=100_000), 1e-12, 100)
        expected = np.zeros(12)
        if C >= 0.5:
            expected[0], expected[1 : k + 1] = k / (k + 1), -1 / (k + 1)
        else:  # the paper's formula holds while the cap binds: C < k / (k + 1)
            expected[0], expected[1 : k + 1] = C, -C / k
        if k / (k + 1) <= C or C < 0.5:
            assert engine.weights == pytest.approx(expected, abs=1e-10)
            outside = 1.0 - engine.weights[0] - engine.slack(0)
            assert outside == pytest.approx(1 / (k + 1) if C >= 0.5 else C / k, abs=1e-10)


@pytest.mark.parametrize("C", [1.0, 0.3])
@pytest.mark.parametrize("eps", [0.3, 0.1, 0.03])
def test_the_tight_example_needs_so_many_rounds(C, eps):
    """After k cuts the others are violated by 1 / (k + 1), or C / k for C at most 1/2, so rounds grow like 1 / eps."""
    one = bind(Multiclass(200), as_rows(np.ones((1, 1)), 0.0, True), np.zeros(1, dtype=np.int32), Formulation())
    needed = 1 / eps - 1 if C >= 0.5 else C / eps
    for solver in (OneSlack(cache=0, damping=0.0), OneSlack(cache=0, damping=0.0, line_search=True)):
        solution = solver(one, C, Run(tol=eps))
        assert solution.status is Status.CONVERGED
        # no w has a gap below half that violation; one cut more for rounding up, one for a dual solved to a share
        assert 0.5 * needed <= len(solution.alpha) <= needed + 2


def test_the_tight_example_does_not_bind_block_steps():
    """An exact block step chooses among all classes at once, so it has no need of a round for each."""
    one = bind(Multiclass(200), as_rows(np.ones((1, 1)), 0.0, True), np.zeros(1, dtype=np.int32), Formulation())
    solution = BlockCoordinate()(one, 1.0, Run(tol=0.01))
    assert solution.status is Status.CONVERGED
    assert solution.n_iter < 1 / 0.01 / 4

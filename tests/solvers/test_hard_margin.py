"""Hard margins: least norm where the data allow it, a checked proof and a named example where they do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import toy_problems as problems
from maxmargin import (
    BlockCoordinate,
    Formulation,
    MulticlassSVC,
    NSlack,
    OneSlack,
    Solution,
    Status,
    StructuralSVM,
    Subgradient,
    Unsupported,
)
from maxmargin.classes.multiclass import Multiclass
from maxmargin.oracles.bind import bind
from maxmargin.rows.matrices import as_rows
from maxmargin.solvers.base import Run
from reference import dense, enumerate_planes, multiclass_planes, same, solve

HARD = Formulation(slack="hard")
SOLVERS = {
    "n-slack": NSlack(),
    "n-slack, block": NSlack(update="block"),
    "n-slack, batch 1": NSlack(batch=1, coarse=0.0),
    "bcfw": BlockCoordinate(),
    "bcfw, gap sampling": BlockCoordinate(sampling="gap"),
    "bcfw, line search": BlockCoordinate(step="line-search"),
    "bcfw, plain": BlockCoordinate.plain(),
}
UNMERGED = {name: solver for name, solver in SOLVERS.items() if name != "bcfw, plain"}
solvers = pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
unmerged_solvers = pytest.mark.parametrize("solver", UNMERGED.values(), ids=UNMERGED)
user_problems = pytest.mark.parametrize(
    "problem",
    [problems.Chain(), problems.Subset(), problems.Ordering(), problems.Patch()],
    ids=lambda p: type(p).__name__,
)


def train(solver: Any, problem: Any, X: Any, Y: Any, tol: float = 1e-3) -> Solution:
    if isinstance(problem, Multiclass):
        X = as_rows(X, 0.0, True)
    oracle = bind(problem, X, Y, HARD)
    return solver(oracle, 1.0, Run(tol=tol, max_iter=20_000))


def separable_classes() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40, 5))
    scores = X @ rng.standard_normal((5, 3))
    best = np.sort(scores, axis=1)
    clear = best[:, -1] - best[:, -2] > 0.5
    return X[clear], scores[clear].argmax(axis=1).astype(np.int32)


@solvers
def test_classes_with_least_norm(solver):
    X, y = separable_classes()
    planes = multiclass_planes(X, y, 1 - np.eye(3), "none", "hard")
    best = solve(planes, 1.0)
    solution = train(solver, Multiclass(3), X, y)
    assert solution.status is Status.CONVERGED
    w = Multiclass(3).to_coef(solution.w).ravel()
    assert (planes.a @ w).min() >= 1 - 1e-3
    # margins of 1 - tol allow a norm shorter by that factor, and what is above the least norm is a gap of that order
    assert (1 - 1e-3) ** 2 * best.value <= 0.5 * w @ w <= 1.01 * best.value
    assert solution.dual <= best.value * (1 + 1e-9)


@user_problems
@solvers
def test_user_problems_with_least_norm(problem, solver):
    X, Y = problems.sample(problem, 6, seed=2, noise=0.0)
    planes = enumerate_planes(problem, X, Y, "none", "hard")
    best = solve(planes, 1.0)
    assert best.feasible
    solution = train(solver, problem, X, Y, 1e-2)
    assert solution.status is Status.CONVERGED
    assert (planes.a @ solution.w).min() >= 1 - 1e-2
    assert (1 - 1e-2) ** 2 * best.value <= 0.5 * solution.w @ solution.w <= 1.1 * best.value


@solvers
def test_few_examples_with_least_norm(solver):
    """Margins of 1 - tol alone do not make the norm least: planes in use must be tight as well."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((4, 6)), rng.permutation([0, 1, 2, 1]).astype(np.int32)
        best = solve(multiclass_planes(X, y, 1 - np.eye(3), "none", "hard"), 1.0)
        solution = train(solver, Multiclass(3), X, y, 1e-2)
        assert solution.status is Status.CONVERGED
        # |<a, w> - 1| <= tol for the planes in use gives |w|^2 = sum alpha <a, w> within 2 tol of sum alpha b
        assert (1 - 1e-2) ** 2 * best.low <= solution.primal <= (1 + 4e-2) * best.value


def assert_proof(solution: Solution, planes: np.ndarray, culprit: int | None = None) -> None:
    """Everything a certificate claims, in plain NumPy; ``planes`` are all rows (a) that the problem really has.

    Without ``culprit`` the data are separable, so that every proof must contain it.
    """
    assert solution.status is Status.INFEASIBLE
    proof = solution.certificate
    rows = proof.planes.a.toarray() if sp.issparse(proof.planes.a) else np.asarray(proof.planes.a)
    assert (proof.alpha >= 0.0).all()
    assert proof.alpha @ proof.planes.b == pytest.approx(1.0, rel=1e-12)
    size = np.linalg.norm(rows, axis=1) @ proof.alpha
    assert np.linalg.norm(rows.T @ proof.alpha) <= 1e-7 * (1.0 + size)
    assert proof.residual == pytest.approx(np.linalg.norm(rows.T @ proof.alpha), abs=1e-12)
    used = proof.alpha > 0
    assert proof.example in proof.planes.example[used]
    assert (proof.planes.b == 1.0).all()
    for row in rows[used]:  # every plane in use belongs to some output of the problem, or to a mean of several
        assert np.abs(planes - row).max(axis=1).min() <= 1e-9 * (1.0 + np.abs(row).max())
    assert culprit is None or culprit in proof.planes.example[used]


def native_rows(X: np.ndarray, y: np.ndarray, classes: int) -> np.ndarray:
    """All planes in the layout of the native core."""
    planes = multiclass_planes(X, y, 1 - np.eye(classes), "none", "hard")
    return np.array([Multiclass(classes).from_coef(a.reshape(classes, -1)) for a in planes.a])


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@unmerged_solvers
def test_contradictory_classes(solver, scale):
    """Two examples with one input and two labels, among separable ones; at any scale of the features."""
    X, y = separable_classes()
    X = scale * np.vstack([X, X[:1]])
    y = np.append(y, (y[0] + 1) % 3).astype(np.int32)
    solution = train(solver, Multiclass(3), X, y)
    assert_proof(solution, native_rows(X, y, 3), len(y) - 1)


@unmerged_solvers
def test_inseparable_classes(solver):
    """The four corners of a square, opposite ones alike: no two examples contradict each other, all four do."""
    X = np.array([[0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    y = np.array([0, 0, 1, 1], dtype=np.int32)
    solution = train(solver, Multiclass(2), X, y)
    assert_proof(solution, native_rows(X, y, 2))
    assert set(solution.certificate.planes.example[solution.certificate.alpha > 1e-9]) == {0, 1, 2, 3}


@unmerged_solvers
def test_an_example_without_features(solver):
    """A zero row has the same score for every class: its margin is 0, whatever w."""
    X, y = separable_classes()
    X[4] = 0.0
    solution = train(solver, Multiclass(3), X, y)
    assert_proof(solution, native_rows(X, y, 3), 4)


@user_problems
@unmerged_solvers
def test_contradictory_user_problems(problem, solver):
    X, Y = problems.sample(problem, 6, seed=2, noise=0.0)
    other = next(y for y in problem.outputs(X[2]) if not same(y, Y[2]))
    X, Y = [*X, X[2]], [*Y, other]
    planes = enumerate_planes(problem, X, Y, "none", "hard")
    assert not solve(planes, 1.0).feasible
    solution = train(solver, problem, X, Y)
    assert_proof(solution, planes.a, len(Y) - 1)


@unmerged_solvers
def test_two_outputs_with_the_same_features(solver):
    """'ab' and 'ba' have one feature vector, so the truth 'ab' never gets a margin over 'ba'."""
    problem = problems.Words()
    X, Y = [np.array([1.0, 2.0]), np.array([3.0, -1.0])], ["ab", "a"]
    assert np.array_equal(dense(problem.joint_feature(X[0], "ab")), dense(problem.joint_feature(X[0], "ba")))
    solution = train(solver, problem, X, Y)
    assert_proof(solution, enumerate_planes(problem, X, Y, "none", "hard").a, 0)


@solvers
def test_merged_planes_do_not_hide_a_contradiction(solver):
    """With one plane per block a proof still ends the run: no iteration limit, no claim of convergence."""
    X = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    solution = train(solver, Multiclass(2), X, np.array([0, 1, 0], dtype=np.int32))
    assert solution.status is Status.INFEASIBLE
    problem = problems.Classes()
    solution = train(solver, problem, list(np.eye(3)[[0, 0, 1]]), [0, 1, 2])
    assert solution.status is Status.INFEASIBLE
    assert solution.certificate.example in (0, 1)


@solvers
def test_examples_of_weight_zero_contradict_nobody(solver):
    X, y = separable_classes()
    best = solve(multiclass_planes(X, y, 1 - np.eye(3), "none", "hard"), 1.0)
    X, y = np.vstack([X, X[:1]]), np.append(y, (y[0] + 1) % 3).astype(np.int32)
    weight = np.ones(len(y))
    weight[-1] = 0.0
    oracle = bind(Multiclass(3), as_rows(X, 0.0, True), y, HARD, sample_weight=weight)
    solution = solver(oracle, 1.0, Run(tol=1e-3, max_iter=20_000))
    assert solution.status is Status.CONVERGED
    assert solution.primal == pytest.approx(best.value, rel=1e-2)


def test_estimators_name_a_violating_example():
    X, y = separable_classes()
    X, y = np.vstack([X, X[:1]]), np.append(y, (y[0] + 1) % 3)
    with pytest.warns(ConvergenceWarning, match="no solution") as caught:
        model = MulticlassSVC(slack="hard", fit_intercept=False).fit(X, y)
    assert model.solution_.status is Status.INFEASIBLE
    assert all(str(i) in str(caught[0].message) for i in model.solution_.certificate.examples[:5])
    problem = problems.Classes()
    with pytest.warns(ConvergenceWarning, match="example 0, 1;"):
        StructuralSVM(problem, slack="hard").fit(list(np.eye(3)[[0, 0, 1]]), [0, 1, 2])


@pytest.mark.parametrize("solver", [OneSlack(), Subgradient(), "one-slack", "subgradient"], ids=str)
def test_solvers_that_need_a_slack_refuse(solver):
    X, Y = problems.sample(problems.Classes(), 6)
    with pytest.raises(Unsupported, match="n-slack"):
        StructuralSVM(problems.Classes(), slack="hard", solver=solver).fit(X, Y)
    if not isinstance(solver, str):
        with pytest.raises(Unsupported, match="n-slack"):
            solver(bind(problems.Classes(), X, Y, HARD), 1.0, Run())


def shifted_classes(seed: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Few examples of three classes: with a margin, with hardly any, or with labels that contradict each other."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((12, 4)) * 10.0 ** rng.integers(-1, 2)
    scores = X @ rng.standard_normal((4, 3))
    y = scores.argmax(axis=1).astype(np.int32)
    y[:3] = [0, 1, 2]
    if kind == "separable":
        X = np.hstack([X, 3.0 * np.eye(3)[y]])
    elif kind == "barely separable":
        X = np.hstack([X, 1e-2 * np.eye(12)])
    else:
        X[-1], y[-1] = X[0], (y[0] + 1) % 3
    return X, y


@pytest.mark.parametrize("limit", [1, 3, 20, 20_000])
@pytest.mark.parametrize("kind", ["separable", "barely separable", "inseparable"])
@solvers
def test_a_primal_belongs_to_a_feasible_point(solver, kind, limit):
    """Whenever training ends: the objective is that of a ``w`` with every margin, so it is never below the optimum."""
    for seed in range(4):
        X, y = shifted_classes(seed, kind)
        planes = multiclass_planes(X, y, 1 - np.eye(3), "none", "hard")
        best = solve(planes, 1.0)
        oracle = bind(Multiclass(3), as_rows(X, 0.0, True), y, HARD)
        solution = solver(oracle, 1.0, Run(tol=1e-2, max_iter=limit))
        if kind == "inseparable":
            assert solution.primal is None
            continue
        assert best.feasible
        assert solution.dual <= best.value * (1 + 1e-6)
        if solution.primal is None:
            assert solution.status is not Status.CONVERGED
            continue
        w = Multiclass(3).to_coef(solution.w).ravel()
        assert (planes.a @ w).min() >= 1 - 1e-9
        assert solution.primal == pytest.approx(0.5 * w @ w, rel=1e-9)
        assert solution.primal >= best.value * (1 - 1e-6)
        assert solution.gap >= -1e-6 * solution.primal

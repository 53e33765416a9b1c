"""Every solver, in every formulation, on several problems, reaches the optimum that a general QP solver finds.

What "reaches" means is in ``solver_cases.check``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import toy_problems as problems
from maxmargin import Formulation, OneSlack, Perceptron, Status, Subgradient
from maxmargin.classes.multiclass import Multiclass
from maxmargin.oracles.bind import bind
from maxmargin.rows.matrices import as_rows
from maxmargin.solvers.base import Run
from reference import FORMULATIONS, same
from solver_cases import MAIN, SOLVERS, case, check, classes, optimum, train


def cells(names: list[str], solvers: Iterable[str] = SOLVERS) -> list[Any]:
    found = []
    for name in names:
        for rescaling, slack in FORMULATIONS:
            possible = slack != "hard" or optimum(name, rescaling, slack, False)[1].feasible
            for label in solvers:
                solver, tol = SOLVERS[label]
                if possible and not (slack == "hard" and isinstance(solver, OneSlack)):
                    cell = f"{name}-{rescaling}-{slack}-{label}"
                    found.append(pytest.param(name, rescaling, slack, solver, tol, id=cell))
    return found  # refusals and infeasible problems have tests of their own


everything = pytest.mark.parametrize(
    ("name", "rescaling", "slack", "solver", "tol"), cells(["dense", "csr32", "chain", "sequences"])
)
other_kinds = pytest.mark.parametrize(
    ("name", "rescaling", "slack", "solver", "tol"),
    cells(["dense32", "masked", "coded", "csr", "ordering", "subset", "words", "patch", "sequences of order 2"], MAIN),
)
weighted = pytest.mark.parametrize(
    ("name", "rescaling", "slack", "solver", "tol"),
    cells(["masked"]) + cells(["subset", "sequences"], (*MAIN, "bcfw, plain")),
)


@everything
def test_every_solver_reaches_the_optimum(name, rescaling, slack, solver, tol):
    check(name, rescaling, slack, solver, tol)


@other_kinds
def test_every_kind_of_data_and_output_reaches_the_optimum(name, rescaling, slack, solver, tol):
    check(name, rescaling, slack, solver, tol)


@weighted
def test_sample_weights_and_zero_weights(name, rescaling, slack, solver, tol):
    check(name, rescaling, slack, solver, tol, weighted=True)


@pytest.mark.parametrize("kind", ["dense", "masked", "coded", "csr"])
def test_the_native_core_packs_each_kind_as_the_tests_assume(kind):
    for name in (kind, kind + "32"):
        assert as_rows(classes(name).X, 0.0, True).kind == {"csr": "sparse"}.get(kind, kind)


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize(("rescaling", "slack"), FORMULATIONS[:6])
@pytest.mark.parametrize("name", ["masked", "chain", "sequences"])
def test_subgradient_approaches_the_optimum(name, rescaling, slack, weights):
    """No dual and no gap. Averaged steps of Pegasos have an error of the order of log(t) / t."""
    best = optimum(name, rescaling, slack, weights)[1].value
    errors = []
    for passes in (10, 100, 400):
        _, solution = train(name, rescaling, slack, Subgradient(passes=passes), 1e-3, weights)
        assert solution.status is Status.FINISHED
        assert solution.dual is None
        assert solution.gap is None
        assert solution.oracle_calls == (passes + 1) * case(name).n
        errors.append(solution.primal / best - 1.0)
    # slack rescaling makes the planes of chains as many times steeper as they have mistakes
    assert -1e-9 <= errors[2] <= (0.03 if (name, rescaling) == ("sequences", "slack") else 0.01)
    assert errors[2] <= 0.5 * errors[0]


@pytest.mark.parametrize("problem", [problems.Chain(), problems.Subset(), problems.Patch(), Multiclass(3)])
def test_perceptron_separates_separable_data(problem):
    if isinstance(problem, Multiclass):
        X = np.random.default_rng(0).standard_normal((30, 4))
        Y = (X @ np.random.default_rng(1).standard_normal((4, 3))).argmax(axis=1).astype(np.int32)
        oracle = bind(problem, as_rows(X, 0.0, True), Y, Formulation(mistakes=True))
    else:
        X, Y = problems.sample(problem, 20, noise=0.0)
        oracle = bind(problem, X, Y, Formulation(mistakes=True))
    solution = Perceptron(passes=300)(oracle, 1.0, Run())
    assert solution.details["separated"]
    assert solution.n_iter < 300
    assert (solution.primal, solution.dual) == (None, None)
    # the average lags behind the last iterate, which made no mistake in the last pass; it makes few
    coef = problem.to_coef(solution.w).ravel() if isinstance(problem, Multiclass) else solution.w
    mistakes = sum(not same(problem.argmax(x, coef), y) for x, y in zip(X, Y))
    assert mistakes <= 0.1 * len(Y)

"""Starting from the previous solution: fewer questions where it still holds, no wrong answers where it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import toy_problems as problems
from maxmargin import BlockCoordinate, MulticlassSVC, NSlack, OneSlack, Status, StructuralSVM
from maxmargin.solvers.automatic import Automatic
from reference import enumerate_planes, multiclass_planes, solve

CHAIN = problems.Chain()
X, Y = problems.sample(CHAIN, 12, noise=1.0)
SOLVERS = {
    "one-slack": OneSlack(),
    "one-slack, no cache": OneSlack(cache=0),
    "n-slack": NSlack(),
    "n-slack, block": NSlack(update="block"),
    "bcfw": BlockCoordinate(),
    "bcfw, plain": BlockCoordinate.plain(),
    "auto": Automatic(),
    "auto, handed over": Automatic(patience=2),
}
dual_solvers = pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)


def estimator(solver: Any, **options: Any) -> StructuralSVM:
    return StructuralSVM(CHAIN, **{"C": 0.5, "solver": solver, "tol": 1e-2, "max_iter": 20_000, **options})


@dual_solvers
@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_warm_start_reaches_the_optimum_with_fewer_calls(solver, slack):
    model = estimator(solver, slack=slack, warm_start=True).fit(X, Y)
    model.set_params(C=0.55).fit(X, Y)
    warm = model.solution_
    cold = estimator(solver, slack=slack, C=0.55).fit(X, Y).solution_
    best = solve(enumerate_planes(CHAIN, X, Y, "margin", slack), 0.55)
    for solution in (warm, cold):
        assert solution.status is Status.CONVERGED
        assert best.low <= solution.primal * (1 + 1e-12) <= best.value + 1e-2 * 0.55 * len(Y) + 1e-9
        assert solution.dual <= best.value * (1 + 1e-12)
    assert warm.oracle_calls < cold.oracle_calls


CHANGES = {
    "rescaling": lambda model: (model.set_params(rescaling="slack"), Y, None),
    "slack": lambda model: (model.set_params(slack="squared"), Y, None),
    "labels": lambda model: (model, [*Y[1:], Y[0]], None),
    "weights": lambda model: (model, Y, np.r_[0.0, 0.0, np.linspace(0.1, 3.0, len(Y) - 2)]),
    "smaller C": lambda model: (model.set_params(C=0.05), Y, None),
}


@dual_solvers
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_warm_start_after_a_change_is_still_right(solver, change, slack):
    """Planes of other labels, weights or formulations are no lower bounds any more; the answer must not use them."""
    model = estimator(solver, slack=slack, warm_start=True).fit(X, Y)
    model, labels, weight = CHANGES[change](model)
    solution = model.fit(X, labels, sample_weight=weight).solution_
    planes = enumerate_planes(CHAIN, X, labels, model.rescaling, model.slack)
    best = solve(planes, model.C, weight)
    total = len(Y) if weight is None else weight.sum()
    assert solution.status is Status.CONVERGED
    assert solution.primal == pytest.approx(planes.primal(solution.w, model.C, weight), rel=1e-12)
    assert solution.dual <= best.value * (1 + 1e-12)
    assert best.low <= solution.primal * (1 + 1e-12) <= best.value + 1e-2 * model.C * total + 1e-9


@pytest.mark.parametrize(
    "solver",
    [NSlack(), BlockCoordinate(), Automatic(), Automatic(patience=2)],
    ids=["n-slack", "bcfw", "auto", "auto 2"],
)
@pytest.mark.parametrize("slack", ["linear", "squared", "hard"])
def test_warm_start_of_native_classes_with_weights_that_vanish(solver, slack):
    """An example whose weight becomes zero must leave the solution."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 30)
    data = rng.standard_normal((90, 4)) + 1.2 * np.eye(3, 4)[labels]
    data = data + (8.0 * np.eye(3, 4)[labels] if slack == "hard" else 0.0)
    model = MulticlassSVC(1.0, solver=solver, slack=slack, tol=1e-3, warm_start=True, fit_intercept=False)
    model.fit(data, labels)
    weight = np.where(np.arange(90) % 3, 1.0, 0.0)
    model.fit(data, labels, sample_weight=weight)
    best = solve(multiclass_planes(data, labels, 1 - np.eye(3), "margin", slack), 1.0, weight)
    assert model.solution_.status is Status.CONVERGED
    assert model.solution_.primal == pytest.approx(best.value, rel=1e-2)
    assert model.solution_.dual <= best.value * (1 + 1e-9)


@pytest.mark.parametrize("solver", ["one-slack", "n-slack", "bcfw", Automatic(), Automatic(patience=2)], ids=str)
def test_fitting_again_changes_nothing(solver):
    rng = np.random.default_rng(1)
    data, labels = rng.standard_normal((60, 4)), rng.integers(0, 3, 60)
    model = MulticlassSVC(0.5, solver=solver, tol=1e-4, warm_start=True).fit(data, labels)
    first = model.solution_
    again = model.fit(data, labels).solution_
    assert again.status is Status.CONVERGED
    assert -1e-9 <= again.gap <= 1e-4 * 0.5 * 60
    assert again.primal == pytest.approx(first.primal, abs=1e-4 * 0.5 * 60)
    assert again.oracle_calls < first.oracle_calls

"""Random fits against the enumeration of all outputs and a general QP solver: cold, and warm after the data changed.

Structure, formulation, solver, C, scale of the features, weights of the examples and what changes before a warm start
are drawn by the seed. A few run always; ``-m slow`` runs many.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import toy_problems as problems
from maxmargin import MulticlassSVC, Status, StructuralSVM
from reference import EveryPlane, enumerate_planes, multiclass_planes, solve

FORMULATIONS = [
    *((rescaling, slack) for rescaling in ("margin", "slack") for slack in ("linear", "squared")),
    ("none", "hard"),
]
SOLVERS = ["auto", "one-slack", "n-slack", "bcfw"]
ENDED = (Status.CONVERGED, Status.MAX_ITER, Status.STALLED, Status.INFEASIBLE)


@dataclass
class Drawn:
    """Examples, and how their planes and weights are read."""

    kind: str
    X: Any
    Y: Any
    problem: Any = None
    cost: np.ndarray | None = None

    def model(self, **settings: Any) -> Any:
        if self.kind == "classes":
            return MulticlassSVC(cost=self.cost, method="structural", decision="score", fit_intercept=False, **settings)
        return StructuralSVM(self.problem, **settings)

    def planes(self, rescaling: str, slack: str) -> EveryPlane:
        if self.kind == "classes":
            return multiclass_planes(self.X, self.Y, self.cost, rescaling, slack)
        return enumerate_planes(self.problem, self.X, self.Y, rescaling, slack)

    def weights(self, model: Any) -> np.ndarray:
        return model.coef_.ravel()


def draw(rng: np.random.Generator) -> Drawn:
    scale = 10.0 ** rng.uniform(-2, 2)
    if rng.random() < 0.5:
        classes, n = int(rng.integers(2, 5)), int(rng.integers(5, 16))
        X = scale * rng.standard_normal((n, int(rng.integers(1, 5))))
        X[rng.random(X.shape) < rng.choice([0.0, 0.6])] = 0.0
        if rng.random() < 0.3:
            X[: n // 2] = X[n - n // 2 :]  # examples twice, with labels that may differ
        Y = np.r_[np.arange(classes), rng.integers(0, classes, n - classes)].astype(np.int32)
        cost = np.round(rng.uniform(0.1, 3.0, (classes, classes)), 2) * (1.0 - np.eye(classes))
        return Drawn("classes", X, Y, cost=cost)
    kind = rng.choice(["Chain", "Subset", "Classes"])
    problem = getattr(problems, str(kind))()
    n, noise = int(rng.integers(2, 8)), rng.uniform(0.0, 2.0)
    X, Y = next(filter(None, (sampled(problem, n, int(seed), noise) for seed in rng.integers(10_000, size=100))))
    return Drawn("problem", [scale * x for x in X], Y, problem)


def sampled(problem: Any, n: int, seed: int, noise: float) -> tuple[list[Any], list[Any]] | None:
    """None where all outputs would be the same."""
    try:
        return problems.sample(problem, n, seed=seed, noise=noise)
    except AssertionError:
        return None


def changed(given: Drawn, rng: np.random.Generator) -> Drawn:
    """The same examples in part: some gone, in another order, with other inputs or outputs."""
    order = rng.permutation(len(given.Y))[: max(2, len(given.Y) - int(rng.integers(0, 3)))]
    if given.kind == "classes" and np.unique(given.Y[order]).size < np.unique(given.Y).size:
        order = np.arange(len(given.Y))
    X, Y = [np.array(given.X[i]) if given.kind == "classes" else given.X[i] for i in order], [given.Y[i] for i in order]
    if rng.random() < 0.5:
        i, j = rng.integers(0, len(Y), 2)
        X[i], X[j] = X[j], X[i]
        if given.kind != "classes":
            Y[i], Y[j] = Y[j], Y[i]
    if given.kind == "classes":
        return Drawn("classes", np.array(X), np.array(Y, dtype=np.int32), cost=given.cost)
    return Drawn(given.kind, X, Y, given.problem)


def agree(given: Drawn, model: Any, C: float, rescaling: str, slack: str, weight: np.ndarray | None) -> None:
    """What the fitted model says, against the enumeration."""
    planes, solution = given.planes(rescaling, slack), model.solution_
    best = solve(planes, C, weight)
    assert solution.status in ENDED
    if not best.feasible:
        if solution.status is Status.CONVERGED:  # weights that keep every margin prove the other solver wrong
            weighed = np.ones(len(planes.b), bool) if weight is None else np.asarray(weight)[planes.example] > 0
            assert (planes.a @ given.weights(model) - planes.b)[weighed].min() >= -1e-9
        return
    if solution.primal is None:
        return
    allowed = 1e-6 * (1.0 + abs(best.value))
    own = planes.primal(given.weights(model), C, weight)
    assert solution.primal == pytest.approx(own, rel=1e-6, abs=1e-9)
    assert solution.primal >= best.low - allowed
    assert solution.dual <= best.value + allowed
    if solution.status is Status.CONVERGED and slack != "hard":
        total = len(given.Y) if weight is None else weight.sum()
        assert solution.primal <= best.value + C * total * 1e-4 + allowed
        assert -allowed <= solution.gap <= C * total * 1e-4 + allowed


def run(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given = draw(rng)
    rescaling, slack = FORMULATIONS[rng.integers(len(FORMULATIONS))]
    solvers = [name for name in SOLVERS if name != "one-slack" or slack != "hard"]
    C = 1.0 if slack == "hard" else 10.0 ** rng.uniform(-4, 3)
    warm = rng.random() < 0.5
    settings = {"C": C, "rescaling": rescaling, "slack": slack, "tol": 1e-4, "warm_start": warm}
    model = given.model(
        **settings, solver=str(rng.choice(solvers)), random_state=int(rng.integers(1000)), max_iter=2000
    )
    weighted = rng.random() < 0.4
    for _ in range(1 + 2 * warm):
        weight = rng.choice([0.0, 0.5, 1.0, 3.0], len(given.Y), p=[0.1, 0.3, 0.3, 0.3]) if weighted else None
        if weight is not None and not weight.sum():
            weight = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(given.X, given.Y, sample_weight=weight)
        agree(given, model, C, rescaling, slack, weight)
        given = changed(given, rng)


def run_all(seeds: range) -> None:
    for seed in seeds:
        try:
            run(seed)
        except BaseException as error:
            raise AssertionError(f"seed {seed}") from error


@pytest.mark.parametrize("part", range(6))
def test_some_random_fits(part):
    run_all(range(25 * part, 25 * part + 25))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_many_random_fits(part):
    run_all(range(1000 + 2000 * part, 3000 + 2000 * part))

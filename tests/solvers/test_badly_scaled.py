"""A large C, hard margins and columns of very different scale: every solver ends soon, with an honest certificate.

Optima come from clarabel; work is counted in calls of the search, not in seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import (
    ChainSVC,
    Formulation,
    MeasureSVC,
    MulticlassSVC,
    MultilabelSVC,
    RankingSVM,
    Status,
    StructuralSVM,
    TaxonomySVC,
)
from maxmargin._core import VisitSettings
from maxmargin.classes.multiclass import Multiclass
from maxmargin.core.planes import Planes
from maxmargin.oracles.bind import bind
from maxmargin.rows.matrices import as_rows
from maxmargin.solvers.interior import cost_of_dual, solve_dual
from maxmargin.solvers.together import Together
from reference import EveryPlane, assert_dual_feasible, dual_value, multiclass_planes, solve
from toy_problems import Classes


def scaled_classes(kind: str, spread: float) -> tuple[np.ndarray, np.ndarray]:
    """Three classes; the columns have scales from ``10 ** -spread`` to ``10 ** spread``."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 6))
    scores = X @ rng.standard_normal((6, 3))
    y = scores.argmax(axis=1)
    best = np.sort(scores, axis=1)
    if kind == "separable":
        clear = best[:, -1] - best[:, -2] > 0.3
        X, y = X[clear], y[clear]
    else:
        y = np.where(rng.random(150) < 0.1, rng.integers(0, 3, 150), y)
    return X * 10.0 ** rng.permutation(np.linspace(-spread, spread, 6)), y


CASES = [
    (kind, C, solver)
    for kind in ("separable", "noisy")
    for C in (1e3, 1e6, np.inf)
    for solver in ("auto", "n-slack", "bcfw", "one-slack")
    if np.isfinite(C) or (kind == "separable" and solver != "one-slack")
]


@pytest.mark.parametrize("spread", [0.0, 1.5, 3.0])
@pytest.mark.parametrize(("kind", "C", "solver"), CASES)
def test_every_solver_ends_soon(kind, C, solver, spread):
    X, y = scaled_classes(kind, spread)
    hard = np.isinf(C)
    settings: dict[str, Any] = {"slack": "hard"} if hard else {"slack": "linear", "C": C}
    model = MulticlassSVC(solver=solver, fit_intercept=False, max_iter=None, max_time=60.0, **settings).fit(X, y)
    solution = model.solution_
    assert solution.status is Status.CONVERGED
    assert solution.oracle_calls < 10_000 * len(y)  # a pass over so few examples takes 20 microseconds
    planes = multiclass_planes(X, y, 1 - np.eye(3), "none" if hard else "margin", "hard" if hard else "linear")
    best = solve(planes, 1.0 if hard else C)
    assert solution.primal >= best.low * (1 - 1e-6)
    assert solution.dual <= best.value * (1 + 1e-6)
    assert solution.gap >= -1e-9 * solution.primal
    w = model.coef_.ravel()
    if hard:
        assert (planes.a @ w).min() >= 1 - 1e-9
        assert solution.primal == pytest.approx(0.5 * w @ w, rel=1e-9)
    else:
        assert solution.primal == pytest.approx(planes.primal(w, C), rel=1e-9)


@pytest.mark.parametrize("slack", ["linear", "squared", "hard"])
@pytest.mark.parametrize("seed", range(15))
def test_the_dual_at_once(seed, slack):
    """Against clarabel: more planes than columns and fewer, sparse rows, weights of zero, C from 1e-4 to 1e8."""
    rng = np.random.default_rng(seed)
    m, d, n = rng.integers(2, 60), rng.integers(1, 120), rng.integers(1, 20)
    a = rng.standard_normal((m, d)) * 10.0 ** rng.uniform(-3, 3, d)
    a[rng.random(a.shape) < 0.5 * (seed % 2)] = 0.0
    b = 3.0 * rng.random(m)
    example = np.sort(rng.integers(0, n, m)).astype(np.int32)
    budget = rng.random(n) * 10.0 ** rng.uniform(-4, 8)
    budget[1:][rng.random(n - 1) < 0.1] = 0.0
    budget[example[0]] = 1.0
    planes = EveryPlane(a, b, example, n, slack)
    best = solve(planes, 1.0, budget)
    answer = solve_dual(Planes(sp.csr_array(a), b, example), slack, budget)
    assert_dual_feasible(example, answer.alpha, slack, budget)
    dual = dual_value(a, b, example, answer.alpha, slack, budget)
    if not best.feasible:
        assert not np.isfinite(answer.primal)
        return
    assert best.low * (1 - 1e-7) <= answer.primal <= (1 + 1e-7) * dual <= (1 + 2e-7) * best.value
    if slack != "hard":
        assert answer.primal == pytest.approx(planes.primal(answer.w, 1.0, budget), rel=1e-6)


def test_planes_without_a_budget_have_no_answer():
    planes = Planes(sp.csr_array(np.eye(2)), np.ones(2), np.array([0, 1], dtype=np.int32))
    assert solve_dual(planes, "linear", np.zeros(2)) is None
    answer = solve_dual(planes, "linear", np.array([0.0, 4.0]))
    assert answer.alpha == pytest.approx([0.0, 1.0])


@pytest.mark.parametrize("slack", ["linear", "squared", "hard"])
def test_the_dual_at_once_ends_when_it_is_told_to(slack):
    """What was found so far is allowed, and better than nothing."""
    rng = np.random.default_rng(0)
    a, example, budget = rng.standard_normal((60, 80)), np.arange(60, dtype=np.int32) // 3, np.full(20, 10.0)
    planes = Planes(sp.csr_array(a), np.ones(60), example)
    duals, asked = [], []

    def stop():
        asked.append(len(duals))
        return asked.count(len(duals)) > steps

    for steps in (0, 3, 100):
        answer = solve_dual(planes, slack, budget, stop=stop)
        assert_dual_feasible(example, answer.alpha, slack, budget)
        duals.append(dual_value(a, planes.b, example, answer.alpha, slack, budget))
        if steps < 100:
            assert asked.count(len(duals) - 1) == steps + 1
    assert duals[0] < duals[1] < duals[2]


def test_matrices_that_are_too_large_are_not_tried():
    assert cost_of_dual(100_000, 1_000) == np.inf
    assert cost_of_dual(1_000, 10_000_000) < np.inf


RNG = np.random.default_rng(1)
X = RNG.standard_normal((30, 4))
Y = RNG.integers(0, 3, 30)
NAMES = np.array(["a/b", "a/c", "d/e"])[Y]
VECTORS = (RNG.random((30, 3)) < 0.5).astype(int)
SEQUENCES = [X[i : i + 5] for i in range(0, 30, 5)]
TAGS = [list(NAMES[i : i + 5]) for i in range(0, 30, 5)]
FITS: dict[str, Any] = {
    "multiclass": lambda **settings: MulticlassSVC(slack="linear", **settings).fit(X, Y),
    "taxonomy": lambda **settings: TaxonomySVC(taxonomy="/", **settings).fit(X, NAMES),
    "labels apart": lambda **settings: MultilabelSVC(loss="hamming", **settings).fit(X, VECTORS),
    "labels": lambda **settings: MultilabelSVC(loss="f1", **settings).fit(X, VECTORS),
    "label pairs": lambda **settings: MultilabelSVC(interactions="full", **settings).fit(X, VECTORS),
    "error rate": lambda **settings: MeasureSVC("error_rate", method="structural", **settings).fit(X, VECTORS[:, 0]),
    "f1": lambda **settings: MeasureSVC("f1", method="structural", **settings).fit(X, VECTORS[:, 0]),
    "ranking": lambda **settings: RankingSVM(**settings).fit(X, Y, groups=[10, 10, 10]),
    "chain": lambda **settings: ChainSVC(**settings).fit(SEQUENCES, TAGS),
    "python": lambda **settings: StructuralSVM(Classes(), **settings).fit(X[:, :2], Y),
}


@pytest.mark.parametrize("solver", ["bcfw", "n-slack"])
@pytest.mark.parametrize("name", FITS)
def test_all_blocks_of_every_structure_move_together(name, solver, monkeypatch):
    """Rows, caps and order are those of the engine: weights and dual of the variables set are those of plain NumPy."""
    moves = []
    move, due = Together.move, Together.due

    def watched(self, engine, stop):
        moved = move(self, engine, stop)
        state = engine.working_sets()
        planes = self._oracle.expand(state)
        block = np.arange(len(planes)) if engine.separate else planes.example
        budget = self._budget[planes.example] if engine.separate else self._budget
        slack = self._oracle.formulation.slack
        assert planes.combine(state.alpha) == pytest.approx(engine.weights, rel=1e-9, abs=1e-9)
        assert_dual_feasible(block, state.alpha, slack, budget)
        assert engine.dual == pytest.approx(dual_value(planes.a, planes.b, block, state.alpha, slack, budget), rel=1e-9)
        moves.append(moved)
        return moved

    monkeypatch.setattr(Together, "move", watched)
    monkeypatch.setattr(Together, "due", lambda self, engine: len(moves) < 3 or due(self, engine))
    solution = FITS[name](solver=solver, C=100.0, tol=1e-6, max_iter=20_000).solution_
    assert name == "f1" or any(moved.gained for moved in moves)  # f1 has one block, which a visit solves
    monkeypatch.setattr(Together, "due", lambda self, engine: False)
    other = FITS[name](solver="one-slack", C=100.0, tol=1e-6, max_iter=5000).solution_
    assert solution.primal == pytest.approx(other.primal, rel=1e-4)
    assert solution.gap >= -1e-9 * solution.primal


def test_a_move_without_gain_changes_nothing():
    features, labels = scaled_classes("noisy", 0.0)
    oracle = bind(Multiclass(3), as_rows(features, 0.0, True), labels.astype(np.int32), Formulation())
    engine, together = oracle.engine(1.0), Together(oracle, 1.0)
    for _ in range(20):
        engine.visit(np.arange(oracle.n, dtype=np.int32), VisitSettings())
    assert together.move(engine).gained
    before, alpha = engine.dual, engine.state().alpha
    again = together.move(engine)
    assert engine.dual >= before
    assert again.gained or np.array_equal(engine.state().alpha, alpha)

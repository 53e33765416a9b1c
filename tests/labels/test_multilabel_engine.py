"""The dual engines on label vectors: ``w`` and the dual are those of alpha, after visits, merging and restoring."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from label_cases import CASES, FORMULATIONS, cases, make_case
from maxmargin import BlockCoordinate, Formulation, NSlack
from maxmargin._core import VisitSettings
from maxmargin.labels.oracle import SeparateLabelEngine
from maxmargin.solvers.base import Run
from reference import assert_dual_feasible, dual_value

QUICK = settings(max_examples=60)
C = 0.6
CAPPED = FORMULATIONS[:6]


def budget_of(case):
    return C * (np.ones(case.n) if case.weight is None else case.weight)


def assert_consistent(case, oracle, engine, atol=1e-10):
    """alpha is feasible, ``w = sum alpha a``, and the dual is that of alpha, in plain NumPy."""
    state = engine.state()
    planes = oracle.expand(state)
    slack, budget = oracle.formulation.slack, budget_of(case)
    assert_dual_feasible(state.example, state.alpha, slack, budget)
    size = 1.0 + np.abs(planes.a).sum(axis=1) @ state.alpha if len(planes) else 1.0
    np.testing.assert_allclose(engine.weights, planes.combine(state.alpha), atol=atol * size)
    expected = dual_value(planes.a, planes.b, state.example, state.alpha, slack, budget)
    assert engine.dual == pytest.approx(expected, rel=1e-10, abs=atol * size**2)
    assert engine.linear == pytest.approx(float(planes.b @ state.alpha), rel=1e-10, abs=atol * size)


def test_which_engine():
    assert isinstance(make_case("none").bind(Formulation()).engine(1.0), SeparateLabelEngine)
    for case, formulation in (
        (make_case("full"), Formulation()),
        (make_case("none"), Formulation("margin", "squared")),
        (make_case("none"), Formulation("slack", "linear")),
        (make_case("none", loss="f1"), Formulation()),
    ):
        assert not isinstance(case.bind(formulation).engine(1.0), SeparateLabelEngine)


@given(case=CASES, formulation=st.sampled_from(CAPPED), step=st.sampled_from(["exact", "line-search"]))
@QUICK
def test_fine_and_coarse_visits(case, formulation, step):
    oracle = case.bind(formulation)
    engine = oracle.engine(C)
    rng = np.random.default_rng(0)
    duals = [engine.dual]
    for _ in range(4):
        engine.visit(rng.permutation(case.everyone), VisitSettings(step=step, keep_idle=2, max_steps=200))
        duals.append(engine.dual)
    assert np.diff(duals).min() >= -1e-10 * (1.0 + abs(duals[-1]))
    assert_consistent(case, oracle, engine)
    for _ in range(3):
        engine.visit(rng.permutation(case.everyone), VisitSettings(step=step, coarse=True, max_steps=200))
    assert engine.rough_weights.dtype == np.float32
    rough, dual = np.array(engine.rough_weights), engine.dual
    size = 1.0 + np.abs(engine.weights).max() + abs(dual)  # reading the weights ends the coarse visits
    np.testing.assert_allclose(rough, engine.weights, atol=1e-4 * size)
    assert dual == pytest.approx(engine.dual, abs=1e-4 * size)
    assert_consistent(case, oracle, engine)
    engine.settle(VisitSettings(precision=1e-9, max_steps=1000), 1e-9, 100)
    assert_consistent(case, oracle, engine)


@given(case=CASES, formulation=st.sampled_from(CAPPED), capacity=st.sampled_from([1, 2]))
@settings(max_examples=30)
def test_merged_planes(case, formulation, capacity):
    """Merging changes neither ``w`` nor the dual, and the mean of planes is again a lower bound of the slack."""
    oracle = case.bind(formulation)
    engine = oracle.engine(C)
    for turn in range(5):
        order = np.random.default_rng(turn).permutation(case.everyone)
        engine.visit(order, VisitSettings(step="line-search", keep_idle=5), capacity=capacity)
        assert_consistent(case, oracle, engine)
        state = engine.state()
        if not isinstance(engine, SeparateLabelEngine):
            assert np.bincount(state.example, minlength=case.n).max() <= capacity
        other = np.random.default_rng(turn).standard_normal(case.w.size)
        bound = case.slacks(formulation, other)
        there = case.structure.from_public(other, case.X.shape[1])
        assert (oracle.expand(state).value(there) <= bound[state.example] + 1e-10).all()


@given(case=CASES, formulation=st.sampled_from(FORMULATIONS))
@QUICK
def test_a_state_brings_back_weights_and_dual(case, formulation):
    oracle = case.bind(formulation)
    engine = oracle.engine(C)
    for _ in range(3):
        engine.visit(case.everyone, VisitSettings(max_steps=50, keep_idle=1))
    state = engine.state()
    assume(state.alpha.max(initial=0.0) < 1e6)  # where no weights have a hard margin alpha grows beyond all rounding
    again = oracle.engine(C)
    again.restore(state)
    np.testing.assert_allclose(again.weights, engine.weights, atol=1e-9 * (1 + np.abs(engine.weights).max()))
    assert again.dual == pytest.approx(engine.dual, rel=1e-9, abs=1e-9 * (1 + np.abs(engine.weights).max() ** 2))
    if state.alpha.size:
        some = state.take(np.arange(0, state.alpha.size, 2))
        np.testing.assert_array_equal(oracle.expand(some).b, oracle.expand(state).b[::2])
    if formulation.slack == "linear":  # a smaller C cuts alpha down to what it allows
        smaller = oracle.engine(0.5 * C)
        smaller.restore(state)
        kept = smaller.state()
        assert_dual_feasible(kept.example, kept.alpha, "linear", 0.5 * budget_of(case))


@given(case=cases([("none", None)], ("hamming",)))
@settings(max_examples=40)
def test_gaps_of_separate_labels_add_up(case):
    """The sum of the gaps of the blocks, all at one ``w``, is the gap of the whole."""
    oracle = case.bind(Formulation())
    engine = oracle.engine(C)
    for _ in range(2):
        engine.visit(case.everyone, VisitSettings())
    engine.visit(case.everyone, VisitSettings(step="none"))
    slack = oracle.slacks(engine.weights)
    primal = 0.5 * float(engine.weights @ engine.weights) + float(budget_of(case) @ slack)
    assert engine.gaps.sum() == pytest.approx(primal - engine.dual, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("solver", [BlockCoordinate(), BlockCoordinate.plain(), NSlack()])
@pytest.mark.parametrize("kind", ["none", "forest", "full"])
def test_solvers_meet(solver, kind):
    case = make_case(kind, 6, n=30, d=5, bias=1.0, scale=0.0, seed=4)
    oracle = case.bind(Formulation())
    solution = solver(oracle, 0.1, Run(tol=1e-4, max_iter=20_000))
    assert solution.gap <= 1e-4 * 0.1 * 30
    other = BlockCoordinate()(case.bind(Formulation()), 0.1, Run(tol=1e-6, max_iter=20_000))
    assert other.dual * (1 - 1e-9) <= solution.primal <= other.primal + 1e-4 * 0.1 * 30

"""The dual engine on labelled chains: ``w`` and the dual are those of alpha, after visits, merging and restoring."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chain_cases import CASES, FORMULATIONS, make_case
from maxmargin import BlockCoordinate, Formulation
from maxmargin._core import VisitSettings
from maxmargin.chains.chain import ChainInput
from maxmargin.chains.sequences import pack
from maxmargin.solvers.base import Run
from reference import assert_dual_feasible, dual_value

QUICK = settings(max_examples=50)
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
    for labels, example in zip(state.handles or [], state.example):
        assert not np.array_equal(labels, case.Y[example])


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
    assert engine.rough_weights.dtype == np.float64
    np.testing.assert_allclose(rough, engine.weights, atol=1e-4 * size)
    assert dual == pytest.approx(engine.dual, abs=1e-4 * size)
    assert_consistent(case, oracle, engine)
    engine.settle(VisitSettings(precision=1e-9, max_steps=1000), 1e-9, 100)
    assert_consistent(case, oracle, engine)


@given(
    case=CASES,
    formulation=st.sampled_from(CAPPED),
    capacity=st.sampled_from([1, 1, 2]),
    step=st.sampled_from(["exact", "line-search"]),
)
@settings(max_examples=30)
def test_merged_planes(case, formulation, capacity, step):
    """Merging changes neither ``w`` nor the dual, and the mean of planes is again a lower bound of the slack."""
    oracle = case.bind(formulation)
    engine, plain = oracle.engine(C), oracle.engine(C)
    steps = VisitSettings(step=step, keep_idle=5, max_steps=200)
    for turn in range(6):
        order = np.random.default_rng(turn).permutation(case.everyone)
        engine.visit(order, steps, capacity=capacity)
        state = engine.state()
        assert np.bincount(state.example, minlength=case.n).max() <= capacity
        assert_consistent(case, oracle, engine)
        other = case.chain.from_public(np.random.default_rng(turn).standard_normal(case.w.size))
        bound = case.slacks(formulation, case.chain.public_weights(other))
        assert (oracle.expand(state).value(other) <= bound[state.example] + 1e-10).all()
        weights, linear, dual = engine.weights.copy(), engine.linear, engine.dual
        engine.core.refresh()  # from the merged planes, in double precision
        size = 1.0 + np.abs(weights).max() ** 2
        np.testing.assert_allclose(engine.weights, weights, atol=1e-10 * size)
        assert engine.linear == pytest.approx(linear, rel=1e-9, abs=1e-10 * size)
        assert engine.dual == pytest.approx(dual, rel=1e-9, abs=1e-9 * size)
        if turn == 0:  # before anything was merged, the same steps
            plain.visit(order, steps)
            assert dual == pytest.approx(plain.dual, rel=1e-9, abs=1e-10 * size)
    engine.visit(case.everyone, VisitSettings(step="line-search", coarse=True), capacity=capacity)
    engine.sharpen()
    assert_consistent(case, oracle, engine)


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
    back = again.state()
    np.testing.assert_array_equal(back.example, state.example)
    np.testing.assert_allclose(back.alpha, state.alpha, rtol=1e-14)  # a cap met but for rounding is cut again
    assert all(np.array_equal(a, b) for a, b in zip(back.handles, state.handles))
    some = state.take(np.arange(0, state.alpha.size, 2))
    if state.alpha.size:
        np.testing.assert_array_equal(oracle.expand(some).b, oracle.expand(state).b[::2])
    if formulation.slack == "linear":  # a smaller C cuts alpha down to what it allows
        smaller = oracle.engine(0.5 * C)
        smaller.restore(state)
        kept = smaller.state()
        assert_dual_feasible(kept.example, kept.alpha, "linear", 0.5 * budget_of(case))


def test_many_planes_in_a_block():
    """Groups of planes grow and shrink; every one keeps its products."""
    case = make_case(labels=4, lengths=(4, 4, 3), order=2, pairs=2, eta=0.5, costs="costs", scale=0.0)
    oracle = case.bind(Formulation("margin", "linear"))
    engine = oracle.engine(50.0)
    for turn in range(200):
        engine.visit(np.array([turn % 3], np.int32), VisitSettings(keep_idle=3, max_steps=2000))
    state = engine.state()
    assert np.bincount(state.example).max() >= 8
    planes = oracle.expand(state)
    np.testing.assert_allclose(engine.weights, planes.combine(state.alpha), atol=1e-8)
    gram = planes.gram()
    # at the end of a block's exact step its planes in use have equal values
    values = planes.b - gram @ state.alpha
    last = (state.example == 199 % 3) & (state.alpha > 0.0)
    assert np.ptp(values[last]) <= 1e-3


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("pairs", [0, 2])
def test_long_sequences_without_kept_products(order, pairs):
    """Beyond 128 tokens products of tokens are computed when they are needed, in double precision."""
    rng = np.random.default_rng(order)
    case = make_case(labels=2, lengths=(1,) * 11, order=order, pairs=pairs, eta=0.7, seed=order)
    X = [rng.standard_normal((length, 3)) for length in (140, 120)]
    tied = pack([rng.standard_normal((len(x), pairs)) for x in X]) if pairs else None
    labels = rng.integers(0, 2, 260).astype(np.int32)
    oracle = case.chain.bind(ChainInput(pack(X), tied), labels, Formulation())
    solution = BlockCoordinate()(oracle, 0.1, Run(tol=1e-5, max_iter=2000))
    planes = oracle.expand(solution.state)
    np.testing.assert_allclose(
        dual_value(planes.a, planes.b, solution.state.example, solution.alpha, "linear", np.full(2, 0.1)),
        solution.dual,
        rtol=1e-9,
    )
    assert solution.gap <= 1e-5 * 0.2

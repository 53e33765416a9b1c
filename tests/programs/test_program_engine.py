"""The dual engine on outputs of programs: ``w``, the dual and products are those of the planes written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import program_spaces  # registers the cases
from maxmargin import Formulation
from maxmargin._core import VisitSettings
from reference import FORMULATIONS, assert_dual_feasible, dual_value
from solver_cases import case

assert program_spaces.SPACES
C = 0.6
NAMES = st.sampled_from(["program paths costly", "program trees plain", "program trees counted"])
CAPPED = st.sampled_from(FORMULATIONS[:6])


def assert_consistent(oracle, engine, atol=1e-10):
    """alpha is feasible, ``w = sum alpha a``, and the dual is that of alpha, in plain NumPy."""
    state = engine.state()
    planes = oracle.expand(state)
    budget = np.full(oracle.n, C)
    assert_dual_feasible(state.example, state.alpha, oracle.formulation.slack, budget)
    size = 1.0 + (np.abs(planes.a).sum(axis=1) @ state.alpha if len(planes) else 0.0)
    np.testing.assert_allclose(engine.weights, planes.combine(state.alpha), atol=atol * size)
    expected = dual_value(planes.a, planes.b, state.example, state.alpha, oracle.formulation.slack, budget)
    assert engine.dual == pytest.approx(expected, rel=1e-10, abs=atol * size**2)


@given(NAMES, CAPPED, st.booleans(), st.sampled_from([None, 1, 3]))
@settings(max_examples=60)
def test_visits_and_merging(name, formulation, coarse, capacity):
    oracle = case(name).bind(Formulation(*formulation), None)
    engine = oracle.engine(C)
    rng = np.random.default_rng(0)
    duals = [engine.dual]
    for _ in range(5):
        order = rng.permutation(oracle.n).astype(np.int32)
        engine.visit(order, VisitSettings(step="exact", keep_idle=2, max_steps=200, coarse=coarse), capacity)
        engine.sharpen()
        duals.append(engine.dual)
        assert_consistent(oracle, engine)
    assert np.diff(duals).min() >= -1e-5 * (1.0 + abs(duals[-1]))


@given(NAMES, CAPPED)
@settings(max_examples=30)
def test_a_state_comes_back(name, formulation):
    oracle = case(name).bind(Formulation(*formulation), None)
    engine = oracle.engine(C)
    for _ in range(3):
        engine.visit(np.arange(oracle.n, dtype=np.int32), VisitSettings(step="exact", keep_idle=5, max_steps=200))
    again = oracle.engine(C)
    again.restore(engine.state())
    np.testing.assert_allclose(again.weights, engine.weights, atol=1e-12)
    assert again.dual == pytest.approx(engine.dual, rel=1e-12)
    assert_consistent(oracle, again)


def test_the_core_refuses_outputs_that_are_none():
    oracle = case("program paths plain").bind(Formulation(), None)
    first = np.zeros(1, np.int32)
    for wrong in ([], [1], [1, 10_000], [2, 1, 0]):
        with pytest.raises(ValueError, match=r"too short|no derivation"):
            oracle.core.rows(first, np.array(wrong, dtype=np.int32))


def test_fingerprints_follow_programs_truths_and_costs():
    plain = case("program paths plain")
    prints = {plain.bind(Formulation(), None).fingerprint(), plain.bind(Formulation("slack"), None).fingerprint()}
    prints.add(case("program paths costly").bind(Formulation(), None).fingerprint())
    other = program_spaces.SpaceCase(plain.problem, plain.X, [plain.X[0].outputs[0], *plain.Y[1:]])
    prints.add(other.bind(Formulation(), None).fingerprint())
    assert len(prints) == 4
    assert plain.bind(Formulation(), None).fingerprint() in prints

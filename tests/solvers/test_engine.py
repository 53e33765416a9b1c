"""The dual engine on adversarial planes: duplicates, zeros, linear dependence, wild scales, many blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from maxmargin import Formulation
from maxmargin._core import PlaneEngine, VisitSettings
from maxmargin.classes.multiclass import Multiclass
from maxmargin.rows.matrices import as_rows
from reference import EveryPlane, Optimum, assert_dual_feasible, dual_value, multiclass_planes, solve

DIMENSION = 4
QUICK = settings(max_examples=60)


@dataclass
class Planes:
    """A drawn working set, the same for the engine and for the reference."""

    a: np.ndarray
    b: np.ndarray
    block: np.ndarray
    sparse: np.ndarray
    budget: np.ndarray

    def engine(self, slack: str) -> PlaneEngine:
        return PlaneEngine(self.budget.size, DIMENSION, slack, 2.0, self.budget / 2.0)

    def add(self, engine: PlaneEngine, k: int) -> bool:
        if not self.sparse[k]:
            return engine.add_dense(int(self.block[k]), self.a[k], float(self.b[k]))
        index = np.flatnonzero(self.a[k]).astype(np.int32)
        return engine.add_sparse(int(self.block[k]), index, self.a[k][index], float(self.b[k]))

    def optimum(self, slack: str) -> Optimum:
        return optimum(self.a, self.b, self.block, slack, self.budget)


def optimum(a: np.ndarray, b: np.ndarray, block: np.ndarray, slack: str, budget: np.ndarray) -> Optimum:
    return solve(EveryPlane(a, b, block, budget.size, slack), 1.0, budget)


@st.composite
def working_sets(
    draw: Any, scales: tuple[float, ...] = (1.0,), heights: tuple[float, ...] = (0.0, 0.5, 1.0, 3.0)
) -> Planes:
    """Small integers make exact duplicates, zero planes and dependent planes common; scales vary by plane."""
    blocks = draw(st.integers(1, 4))
    count = draw(st.integers(1, 14))
    whole = st.lists(st.integers(-2, 2), min_size=DIMENSION, max_size=DIMENSION)
    a = np.array([draw(whole) for _ in range(count)], dtype=float)
    scale = np.array([draw(st.sampled_from(scales)) for _ in range(count)])
    b = np.array([draw(st.sampled_from(heights)) for _ in range(count)])
    together = draw(st.booleans())  # slack rescaling scales both sides, margin rescaling only one
    block = np.array([draw(st.integers(0, blocks - 1)) for _ in range(count)], dtype=np.int32)
    sparse = np.array([draw(st.booleans()) for _ in range(count)])
    budget = np.array([draw(st.sampled_from([0.0, 0.1, 1.0, 10.0])) for _ in range(blocks)])
    return Planes(a * scale[:, None], b * scale if together else b, block, sparse, budget)


def held(engine: PlaneEngine) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows, right-hand sides, blocks and dual variables of the planes in the engine."""
    offsets, index, value, b = engine.planes()
    block, _, alpha = engine.support()
    rows = sp.csr_array((value, index, offsets), shape=(b.size, DIMENSION)).toarray()
    return rows, b, block, alpha


def assert_consistent(engine: PlaneEngine, slack: str, budget: np.ndarray) -> None:
    """alpha is feasible, w = sum alpha a, and the dual is that of alpha, before and after `refresh`."""
    rows, b, block, alpha = held(engine)
    assert_dual_feasible(block, alpha, slack, budget)
    expected = dual_value(rows, b, block, alpha, slack, budget)
    # the sizes of what is added up, which rounding errors are relative to
    longest = 1.0 + np.abs(rows).sum(axis=1) @ alpha
    largest = longest**2 + alpha @ np.abs(b) + (alpha.sum() ** 2 / budget[budget > 0].min(initial=1.0))
    assert np.abs(engine.weights - rows.T @ alpha).max() <= 1e-11 * longest
    assert abs(engine.dual - expected) <= 1e-11 * largest
    engine.refresh()
    assert np.abs(engine.weights - rows.T @ alpha).max() <= 1e-14 * longest
    assert abs(engine.dual - expected) <= 1e-14 * largest
    assert abs(engine.linear - alpha @ b) <= 1e-14 * largest


def assert_solves(engine: PlaneEngine, best: Optimum, slack: str, budget: np.ndarray, precision: float) -> None:
    """With no gradient above `precision` the dual is within `precision` times the dual variables that may still move:
    the caps, or without caps what is in use now and at the optimum (twice over: blocks moved after they were seen).

    One block must be solved. Of several, taken in turn, the engine may say that it has not got there.
    """
    result = engine.settle(VisitSettings(precision=0.5 * precision, max_steps=20_000), precision, 20_000)
    assert_consistent(engine, slack, budget)
    _, _, block, alpha = held(engine)
    assert engine.dual <= best.value * (1.0 + 1e-12) + 1e-12
    if result.violation <= precision:
        moving = budget.sum() if slack == "linear" else 1e-3 + 4.0 * alpha.sum()
        assert engine.dual >= best.low - precision * moving
    else:
        assert np.unique(block).size > 1


@QUICK
@given(working_sets(), st.sampled_from(["linear", "squared"]))
def test_optimum_with_duplicate_zero_and_dependent_planes(planes, slack):
    engine = planes.engine(slack)
    added = [planes.add(engine, k) for k in range(planes.b.size)]
    different = {(planes.block[k], planes.b[k], *planes.a[k]) for k in range(planes.b.size)}
    assert sum(added) == engine.plane_count == len(different)
    assert_solves(engine, planes.optimum(slack), slack, planes.budget, 1e-9)


@QUICK
@given(working_sets(scales=(0.03, 1.0, 30.0)), st.sampled_from(["linear", "squared"]))
def test_optimum_with_planes_of_very_different_scales(planes, slack):
    engine = planes.engine(slack)
    for k in range(planes.b.size):
        planes.add(engine, k)
    assert_solves(engine, planes.optimum(slack), slack, planes.budget, 1e-5)


def test_settle_does_not_claim_too_much():
    """Stopped by `max_passes` while it looks at some of the blocks, it must not report these as all."""
    rows = np.array([[60.0, -60, -60, 30], [-30, 30, 60, -60], [-30, 30, 0, 30]])
    b, block, budget = np.array([0.0, 0.0, 15.0]), np.array([0, 0, 1]), np.array([10.0, 1.0])
    engine = PlaneEngine(2, DIMENSION, "squared", 1.0, budget)
    for a, height, i in zip(rows, b, block):
        engine.add_dense(int(i), a, float(height))
    for passes in range(1, 12):
        claimed = engine.settle(VisitSettings(precision=5e-6, max_steps=20_000), 1e-5, passes).violation
        alpha = engine.support()[2]
        spent = np.bincount(block, alpha)
        slope = b - rows @ (rows.T @ alpha) - (spent / budget)[block]
        actual = np.where(alpha > 0, np.abs(slope), np.maximum(slope, 0)).max()
        assert claimed > 1e-5 or actual <= 2e-5


@QUICK
@given(working_sets(heights=(1.0,)))
def test_hard_margin(planes):
    best = planes.optimum("hard")
    assume(best.feasible)
    engine = planes.engine("hard")
    for k in range(planes.b.size):
        planes.add(engine, k)
    assert_solves(engine, best, "hard", planes.budget, 1e-5)


@pytest.mark.parametrize("slack", ["linear", "squared", "hard"])
@QUICK
@given(planes=working_sets(), moves=st.lists(st.integers(0, 6), min_size=3, max_size=12), data=st.data())
def test_any_sequence_of_operations_keeps_the_engine_consistent(slack, planes, moves, data):
    """Planes come, are merged, dropped, given other weights; alpha is extrapolated; what is left is then solved."""
    assume(slack != "hard" or planes.optimum("hard").feasible)
    engine = planes.engine(slack)
    everyone = np.arange(planes.budget.size, dtype=np.int32)
    fresh = iter(range(planes.b.size))
    for move in [0, *moves]:
        if move == 0:
            for k in [k for _, k in zip(range(4), fresh)]:
                planes.add(engine, k)
        elif move == 1:
            step = data.draw(st.sampled_from(["exact", "line-search"]))
            before = engine.dual
            engine.visit(everyone, VisitSettings(step=step, max_steps=5, keep_idle=100))
            assert engine.dual >= before - 1e-12 * (1.0 + abs(before))
        elif move == 2:
            before, w = engine.dual, np.array(engine.weights)
            capacity = data.draw(st.integers(1, 3))
            engine.merge(everyone, capacity)
            assert np.bincount(held(engine)[2], minlength=1).max() <= capacity
            assert engine.weights == pytest.approx(w, rel=1e-12, abs=1e-12)
            assert engine.dual == pytest.approx(before, rel=1e-12, abs=1e-12)
        elif move == 3:  # a visit with no patience drops every plane out of use in blocks that have a budget
            engine.visit(everyone, VisitSettings(keep_idle=0))
            _, _, block, alpha = held(engine)
            assert (alpha[planes.budget[block] > 0] > 0).all()
        elif move == 4:
            engine.mark()
        elif move == 5:
            before, alpha = engine.dual, held(engine)[3]
            gain = engine.extrapolate(data.draw(st.sampled_from([0.1, 1.0, 8.0])))
            assert gain >= 0.0
            assert engine.dual == pytest.approx(before + gain, rel=1e-12, abs=1e-12)
            assert gain > 0.0 or np.array_equal(held(engine)[3], alpha)
        else:
            _, _, block, alpha = held(engine)
            wanted = np.array([data.draw(st.sampled_from([0.0, 0.3, 2.0])) for _ in alpha])
            wanted[planes.budget[block] == 0] = 0.0
            engine.set_alpha(wanted)
            if slack != "linear":
                assert held(engine)[3] == pytest.approx(wanted)
        assert_consistent(engine, slack, planes.budget)
    rows, b, block, _ = held(engine)
    assert_solves(engine, optimum(rows, b, block, slack, planes.budget), slack, planes.budget, 1e-8)


@pytest.mark.parametrize("slack", ["linear", "squared"])
@QUICK
@given(planes=working_sets())
def test_line_search_steps_alone_never_lose_and_come_near(slack, planes):
    engine = planes.engine(slack)
    for k in range(planes.b.size):
        planes.add(engine, k)
    sweeps = np.tile(np.arange(planes.budget.size, dtype=np.int32), 100)
    duals = [engine.dual]
    for _ in range(30):
        engine.visit(sweeps, VisitSettings(step="line-search", keep_idle=10**6))
        duals.append(engine.dual)
    assert np.diff(duals).min() >= -1e-12 * (1.0 + abs(duals[-1]))
    assert_consistent(engine, slack, planes.budget)
    best = planes.optimum(slack)
    if slack == "linear":  # the bound of Frank and Wolfe: 2 * curvature / (t + 2), summed over the product of blocks
        curvature = sum(cap**2 * spread(planes.a[planes.block == i]) for i, cap in enumerate(planes.budget))
        assert best.low - engine.dual <= 2.0 * curvature / 3002 + 1e-9
    else:
        assert best.low - engine.dual <= 0.1 * (1.0 + best.value)


def spread(rows: np.ndarray) -> float:
    """Largest squared distance between two of the rows and zero."""
    rows = np.vstack([rows, np.zeros(DIMENSION)])
    return float(((rows[:, None] - rows[None]) ** 2).sum(axis=2).max())


@pytest.mark.parametrize("slack", ["linear", "squared", "hard"])
@pytest.mark.parametrize("rescaling", ["margin", "slack"])
def test_multiclass_blocks_equal_the_same_planes_stored_as_rows(rescaling, slack):
    rng = np.random.default_rng(1)
    X, labels = rng.standard_normal((9, 12)), np.r_[[0, 1, 2] * 3].astype(np.int32)
    cost = np.array([[0, 1, 3], [0.5, 0, 1], [2, 0.2, 0]])
    weight = np.linspace(0.0, 2.0, 9)
    oracle = Multiclass(3, cost).bind(
        as_rows(X, 0.0, True), labels, Formulation(rescaling, slack), sample_weight=weight
    )
    native = oracle.engine(0.6)
    planes = multiclass_planes(X, labels, cost, rescaling, slack)
    stored = PlaneEngine(9, planes.dimension, slack, 0.6, weight)
    for a, b, i in zip(planes.a, planes.b, planes.example):
        assert stored.add_dense(int(i), a, float(b))
    rng_order = [rng.permutation(9).astype(np.int32) for _ in range(3)]
    for order in rng_order:  # a block of two planes has one solution, so the paths coincide
        exact = VisitSettings(precision=1e-13, keep_idle=1000, max_steps=10_000)
        native.visit(order, exact)
        stored.visit(order, exact)
        assert native.dual == pytest.approx(stored.dual, rel=1e-9)
        assert native.weights.reshape(12, -1)[:, :3].T.ravel() == pytest.approx(stored.weights, rel=1e-6, abs=1e-6)
        assert native.gaps == pytest.approx(stored.gaps, rel=1e-4, abs=1e-6)  # single precision
    for engine in (native, stored):
        engine.settle(VisitSettings(precision=1e-11, max_steps=10_000), 1e-11, 10_000)
    budget = 0.6 * weight
    best = optimum(planes.a, planes.b, planes.example, slack, budget)
    assert stored.dual == pytest.approx(best.value, rel=1e-8)
    # the native block only settles over planes it holds; a few fresh visits bring the rest in
    for _ in range(2000):
        native.visit(np.arange(9, dtype=np.int32), VisitSettings(precision=1e-12))
    assert native.dual == pytest.approx(best.value, rel=1e-8)

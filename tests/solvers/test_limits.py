"""Limits of time inside a pass: passes in portions give the same answers, and end where they are told to."""

from __future__ import annotations

import time

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import toy_problems as problems
from maxmargin import ChainSVC, Formulation, StructuralSVM
from maxmargin.chains.chain import Chain
from maxmargin.chains.sequences import pack
from maxmargin.classes.multiclass import Multiclass
from maxmargin.labels.multilabel import Multilabel
from maxmargin.oracles import portions
from maxmargin.oracles.base import Stopped
from maxmargin.oracles.bind import bind
from maxmargin.solvers.base import Run, Status
from maxmargin.solvers.monitor import Monitor

SOLVERS = ["auto", "bcfw", "one-slack", "n-slack"]
rng = np.random.default_rng(0)
LENGTHS = (3, 40, 1, 7, 2, 30)
TOKENS = pack([rng.normal(size=(n, 4)) for n in LENGTHS])
ROWS = rng.normal(size=(23, 4))
PROBLEM = problems.Chain()


ORACLES = [
    Chain(3, 4).bind(TOKENS, rng.integers(0, 3, sum(LENGTHS)).astype(np.int32), Formulation()),
    Multiclass(3).bind(ROWS, rng.integers(0, 3, 23).astype(np.int32), Formulation()),
    Multilabel(3).bind(ROWS, rng.integers(0, 2, (23, 3)), Formulation()),
    bind(PROBLEM, *problems.sample(PROBLEM, 9, noise=1.0), Formulation()),
]


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: type(oracle).__name__)
def test_portions_add_up(oracle, monkeypatch):
    w = np.random.default_rng(1).normal(size=oracle.dimension)
    order = np.random.default_rng(2).permutation(oracle.n).astype(np.int32)
    slack, cut = oracle.slacks(w), oracle.cut(w)
    monkeypatch.setattr(portions, "PORTION", 40.0)
    monkeypatch.setattr(portions, "_PER_WEIGHT", 0.0)
    pieces = oracle.portions(order)
    assert len(pieces) > 1
    np.testing.assert_array_equal(np.concatenate(pieces), order)
    np.testing.assert_array_equal(oracle.slacks(w), slack)
    again = oracle.cut(w)
    assert again.b == pytest.approx(cut.b)
    np.testing.assert_allclose(dense(again.a, w.size), dense(cut.a, w.size), atol=1e-12)
    np.testing.assert_array_equal(again.slack, cut.slack)


def dense(a, size):
    full = np.zeros(size)
    if hasattr(a, "index"):
        full[a.index] = a.value
        return full
    return a


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: type(oracle).__name__)
def test_passes_end_where_they_are_told_to(oracle, monkeypatch):
    monkeypatch.setattr(portions, "PORTION", 40.0)
    monkeypatch.setattr(portions, "_PER_WEIGHT", 0.0)
    asked = iter([False, False, True])
    with pytest.raises(Stopped):
        oracle.slacks(np.zeros(oracle.dimension), lambda: next(asked))
    with pytest.raises(Stopped):
        oracle.cut(np.zeros(oracle.dimension), stop=lambda: True)


def test_portions_follow_the_work_of_single_examples():
    """One long sequence among short ones is a piece of its own."""
    lengths = [1] * 50 + [400_000] + [1] * 50
    tokens = pack([np.ones((n, 1)) for n in lengths])
    oracle = Chain(12, 1).bind(tokens, np.zeros(sum(lengths), np.int32), Formulation())
    sizes = [piece.size for piece in oracle.portions(np.arange(101, dtype=np.int32))]
    assert len(sizes) == 2
    assert max(sizes) <= 51


class Slow:
    """A problem whose search takes a while."""

    def __getattr__(self, name):
        return getattr(PROBLEM, name)

    def joint_feature(self, x, y):
        return PROBLEM.joint_feature(x, y)

    def loss(self, y_true, y):
        return PROBLEM.loss(y_true, y)

    def argmax(self, x, w, y_true=None):
        time.sleep(0.02)
        return PROBLEM.argmax(x, w, y_true)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("solver", [*SOLVERS, "subgradient", "perceptron"])
def test_a_slow_problem_keeps_the_limit(solver, n_jobs):
    """A pass takes four seconds; the exact pass at the end is given up a second after the limit."""
    X, Y = problems.sample(PROBLEM, 200, noise=1.0)
    begin = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="max_time"):
        model = StructuralSVM(Slow(), solver=solver, max_time=0.3, n_jobs=n_jobs).fit(X, Y)
    assert time.perf_counter() - begin < 2.5
    assert model.solution_.status is Status.MAX_TIME
    assert model.solution_.gap is None
    assert np.isfinite(model.solution_.w).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_long_sequences_keep_the_limit(solver):
    """A pass takes half a second or more, and hundreds of them would be needed."""
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(4000, 10)) for _ in range(12)]
    Y = [rng.integers(0, 30, 4000) for _ in X]
    begin = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="max_time"):
        model = ChainSVC(solver=solver, max_time=0.5, tol=1e-9).fit(X, Y)
    assert time.perf_counter() - begin < 5.0
    assert model.solution_.status is Status.MAX_TIME


def test_what_the_last_pass_takes_is_kept_in_reserve():
    monitor = Monitor(Run(max_time=100.0), "test")
    assert not monitor.late
    monitor.reserve = 1000.0  # at most a quarter of the limit
    assert not monitor.late
    monitor._begin -= 80.0
    assert monitor.late
    assert not monitor.closing()()
    monitor._begin -= 21.0
    assert monitor.closing()() is False  # there is always a second left
    assert not Monitor(Run(), "test").late

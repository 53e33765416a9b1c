"""Newton's method for pairs of rows: its objective and bound beside sums over all pairs and a QP solver."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import RankingSVM, _core
from maxmargin.core.formulation import Formulation
from maxmargin.groups.sample import Sample, SampleInput
from maxmargin.groups.swapped_pairs import SwappedPairs
from maxmargin.rows.feature_scale import packed
from maxmargin.solvers.automatic import Automatic
from maxmargin.solvers.base import Run, Status
from maxmargin.solvers.one_slack import OneSlack
from maxmargin.solvers.smoothed_newton import SmoothedNewton

SIZES = {
    "pairs": (60, 2, 2),
    "small groups": (30, 12, 3),
    "long lists": (2, 90, 3),
    "one list": (1, 100, 2),
}


def data(groups: int, size: int, grades: int, d: int = 6, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((groups * size, d)) + np.repeat(20.0 * rng.standard_normal((groups, d)), size, axis=0)
    merit = (X @ rng.standard_normal(d)).reshape(groups, size)
    merit -= merit.mean(axis=1, keepdims=True)
    rank = np.argsort(np.argsort(merit + 2.0 * rng.standard_normal(merit.shape), axis=1), axis=1)
    y = (rank * grades) // size
    return X, y.ravel(), np.arange(0, groups * size + 1, size)


def oracle_of(X, y, offsets, weight=None, threads: int = 1, slack: str = "linear"):
    groups = [np.arange(first, last, dtype=np.int32) for first, last in pairwise(offsets)]
    sample = SampleInput(packed(X), groups)
    return Sample(SwappedPairs()).bind(sample, y, Formulation("margin", slack), sample_weight=weight, threads=threads)


def differences(X, y, offsets, weight=None):
    """The differences of all pairs, and what each counts."""
    rows, counts = [], []
    for g, (first, last) in enumerate(pairwise(offsets)):
        better, worse = np.nonzero(y[first:last, None] > y[None, first:last])
        rows.append(X[first + better] - X[first + worse])
        counts.append(np.full(better.size, (1.0 if weight is None else weight[g]) / better.size))
    return np.concatenate(rows), np.concatenate(counts)


def optimum(rows, cost) -> float:
    """The smallest objective by Clarabel, over the dual variables of all pairs."""
    import clarabel

    n, d = rows.shape  # minimise 1/2 |w|^2 - sum a with w = rows' a, 0 <= a <= cost
    P = sp.block_diag([sp.eye(d), sp.csc_matrix((n, n))], format="csc")
    A = sp.bmat([[sp.eye(d), -rows.T], [None, sp.eye(n)], [None, -sp.eye(n)]], format="csc")
    b, cones = (
        np.concatenate([np.zeros(d), cost, np.zeros(n)]),
        [clarabel.ZeroConeT(d), clarabel.NonnegativeConeT(2 * n)],
    )
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    q = np.concatenate([np.zeros(d), -np.ones(n)])
    return -float(clarabel.DefaultSolver(sp.triu(P, format="csc"), q, A, b, cones, settings).solve().obj_val)


@pytest.mark.parametrize("shape", SIZES.values(), ids=SIZES.keys())
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_the_bounds_enclose_the_optimum_of_a_qp_solver(shape, C) -> None:
    pytest.importorskip("clarabel")
    X, y, offsets = data(*shape)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, shape[0])
    if shape[0] > 3:
        weight[2] = 0.0
    oracle = oracle_of(X, y, offsets, weight)
    problem = oracle.smoothed(C)
    solution = SmoothedNewton()(problem, oracle, C, Run(tol=1e-4))
    rows, count = differences(X, y, offsets, weight)
    best = optimum(rows, C * count)
    objective = 0.5 * solution.w @ solution.w + C * count @ np.maximum(0.0, 1.0 - rows @ solution.w)
    assert solution.primal == pytest.approx(objective, rel=1e-9)
    assert solution.dual <= best * (1.0 + 1e-7) <= solution.primal * (1.0 + 2e-7)
    assert solution.status is Status.CONVERGED or shape == SIZES["pairs"]  # so few that the sum is far from smooth
    certain = Automatic()(oracle, C, Run(tol=1e-4))
    assert certain.status is Status.CONVERGED
    assert certain.gap <= C * weight.sum() * 1e-4
    assert certain.dual <= best * (1.0 + 1e-7) <= certain.primal * (1.0 + 2e-7)
    a, b = problem.cut
    assert C * b - 0.5 * C * C * a @ a == pytest.approx(solution.dual, rel=1e-9)
    assert b <= weight.sum() * (1.0 + 1e-12)


@pytest.mark.parametrize("shape", SIZES.values(), ids=SIZES.keys())
def test_cuts_agree_and_go_on_from_its_state(shape) -> None:
    X, y, offsets = data(*shape, seed=3)
    oracle = oracle_of(X, y, offsets)
    newton = SmoothedNewton()(oracle.smoothed(0.5), oracle, 0.5, Run(tol=1e-3))
    cuts = OneSlack()(oracle, 0.5, Run(tol=1e-7))
    assert newton.dual <= cuts.primal
    assert cuts.dual <= newton.primal
    assert np.allclose(newton.slack, oracle.slacks(newton.w), atol=1e-12)
    more = OneSlack()(oracle, 0.5, Run(tol=1e-7), newton)
    assert more.trace[0].dual == pytest.approx(newton.dual, rel=1e-12)
    assert more.primal == pytest.approx(cuts.primal, abs=0.5 * len(offsets) * 1e-6)


@pytest.mark.parametrize("kind", ["sparse", "float32", "many zeros", "threads"])
def test_every_kind_of_rows(kind) -> None:
    X, y, offsets = data(40, 15, 3, d=9)
    if kind == "many zeros":
        X = X * (np.random.default_rng(0).random(X.shape) < 0.3)
    plain = SmoothedNewton()(oracle_of(X, y, offsets).smoothed(1.0), oracle_of(X, y, offsets), 1.0, Run(tol=1e-4))
    if kind == "sparse":
        X = sp.csr_array(X)
    elif kind == "float32":
        X = X.astype(np.float32)
    oracle = oracle_of(X, y, offsets, threads=3 if kind == "threads" else 1)
    other = SmoothedNewton()(oracle.smoothed(1.0), oracle, 1.0, Run(tol=1e-4))
    assert other.status is Status.CONVERGED
    assert other.primal == pytest.approx(plain.primal, abs=40 * 2e-4)


def test_far_fewer_passes_than_cuts() -> None:
    X, y, offsets = data(200, 15, 3, d=20)
    oracle = oracle_of(X, y, offsets)
    run = Run(tol=0.0, relative=0.1)
    newton, cuts = Automatic()(oracle, 1.0, run), OneSlack()(oracle, 1.0, run)
    assert newton.status is cuts.status is Status.CONVERGED
    assert 2 * newton.oracle_calls < cuts.oracle_calls
    assert newton.n_iter <= 6


def test_a_tolerance_near_rounding_is_reached() -> None:
    X, y, offsets = data(30, 10, 3)
    oracle = oracle_of(X, y, offsets)
    solution = Automatic()(oracle, 1.0, Run(tol=1e-9, max_iter=1000))
    assert solution.status is Status.CONVERGED
    assert solution.gap <= 30 * 1e-9
    assert solution.n_iter == len(solution.trace) == solution.trace[-1].iteration


def test_limits_are_kept() -> None:
    X, y, offsets = data(100, 15, 3, d=20)
    oracle = oracle_of(X, y, offsets)
    few = Automatic()(oracle, 1.0, Run(tol=1e-9, max_iter=2))
    assert (few.status, few.n_iter) == (Status.MAX_ITER, 2)
    stopped = Automatic()(oracle, 1.0, Run(tol=1e-9, callback=lambda record: True))
    assert (stopped.status, stopped.n_iter) == (Status.CALLBACK, 1)


def test_only_sums_over_pairs_in_few_columns_and_grades() -> None:
    X, y, offsets = data(5, 40, 3)
    assert oracle_of(X, y, offsets).smoothed(1.0) is not None
    assert oracle_of(X, y, offsets, slack="squared").smoothed(1.0) is None
    assert oracle_of(np.tile(X, 11), y, offsets).smoothed(1.0) is None
    assert oracle_of(X, np.arange(y.size), offsets).smoothed(1.0) is None


def test_a_warm_start_goes_on_from_its_cut() -> None:
    X, y, _ = data(100, 12, 3, d=10)
    groups = np.repeat(np.arange(100), 12)
    model = RankingSVM(warm_start=True).fit(X, y, groups=groups)
    first = model.solution_
    again = model.set_params(tol=1e-6).fit(X, y, groups=groups).solution_
    assert again.dual >= first.dual
    assert again.primal == pytest.approx(RankingSVM(tol=1e-6).fit(X, y, groups=groups).solution_.primal, rel=1e-5)


def test_native_input_is_checked() -> None:
    rows = packed(np.ones((4, 2)))
    offsets, grade = np.array([0, 4]), np.array([0, 1, 0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="ascend"):
        _core.PairNewton(rows, None, np.array([0, 3]), grade, None, 1.0, 1)
    with pytest.raises(ValueError, match="two of them"):
        _core.PairNewton(rows, None, offsets, np.zeros(4, dtype=np.int32), None, 1.0, 1)
    with pytest.raises(ValueError, match="per member"):
        _core.PairNewton(rows, None, offsets, grade[:3], None, 1.0, 1)
    with pytest.raises(ValueError, match="per group"):
        _core.PairNewton(rows, None, offsets, grade, np.ones(2), 1.0, 1)
    with pytest.raises(IndexError, match="no such row"):
        _core.PairNewton(rows, np.array([0, 1, 2, 4], dtype=np.int32), offsets, grade, None, 1.0, 1)

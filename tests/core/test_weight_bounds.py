"""Bounds of weights: optima against a quadratic program, certificates, and what is refused."""

from __future__ import annotations

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st

from maxmargin import StructuralSVM, check_problem
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Status
from reference import enumerate_planes


class Listed:
    """A few outputs with random features and losses; bounds as given."""

    def __init__(self, seed, outputs=4, dimension=5, bounds=None):
        rng = np.random.default_rng(seed)
        self.table = rng.standard_normal((30, outputs, dimension))
        self.losses = rng.uniform(0.5, 2.0, (outputs, outputs)) * (1.0 - np.eye(outputs))
        self.bounds = bounds

    def joint_feature(self, x, y):
        return self.table[x, y]

    def loss(self, y_true, y):
        return float(self.losses[y_true, y])

    def argmax(self, x, w, y_true=None):
        extra = 0.0 if y_true is None else self.losses[y_true]
        return int(np.argmax(self.table[x] @ w + extra))

    def outputs(self, x):
        return range(self.table.shape[1])


def examples(seed, n=12):
    rng = np.random.default_rng(seed)
    return list(range(n)), [int(y) for y in rng.integers(0, 4, n)]


def optimum(planes, C, lower, upper, squared):
    """``min 1/2 |w|^2 + C sum slack`` (or half its square) with bounds, by clarabel."""
    d, n, m = planes.dimension, planes.n, planes.b.size
    choose = sp.csc_matrix((-np.ones(m), (np.arange(m), planes.example)), shape=(m, n))
    rows = [sp.hstack([-sp.csc_matrix(planes.a), choose]), sp.hstack([sp.csc_matrix((n, d)), -sp.eye(n)])]
    right = [-planes.b, np.zeros(n)]
    for sign, bound in ((-1.0, lower), (1.0, upper)):
        kept = np.flatnonzero(np.isfinite(bound))
        rows.append(sp.csc_matrix((np.full(kept.size, sign), (np.arange(kept.size), kept)), shape=(kept.size, d + n)))
        right.append(sign * bound[kept])
    quadratic = np.concatenate([np.ones(d), np.full(n, C if squared else 0.0)])
    linear = np.concatenate([np.zeros(d), np.full(n, 0.0 if squared else C)])
    options = clarabel.DefaultSettings()
    options.verbose = False
    right = np.concatenate(right)
    cones = [clarabel.NonnegativeConeT(right.size)]
    answer = clarabel.DefaultSolver(
        sp.csc_matrix(sp.diags(quadratic)), linear, sp.csc_matrix(sp.vstack(rows)), right, cones, options
    ).solve()
    return answer.obj_val, np.array(answer.x[:d])


def bounds_for(kind, seed, dimension=5):
    rng = np.random.default_rng(seed)
    if kind == "non-negative":
        return 0.0, np.inf
    if kind == "some":
        return np.where(rng.random(dimension) < 0.5, 0.0, -np.inf), None
    if kind == "box":
        return -0.05, rng.uniform(0.0, 0.2, dimension)
    lower = rng.normal(0.0, 0.5, dimension)  # zero is not allowed everywhere
    return lower, lower + rng.uniform(0.0, 0.5, dimension)


@settings(max_examples=60)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["non-negative", "some", "box", "away"]),
    st.sampled_from(["linear", "squared"]),
    st.sampled_from([0.01, 1.0, 100.0]),
)
@example(844, "box", "squared", 1.0)  # cuts so much alike that the dual over all of them is solved to 1e-6 only
def test_the_optimum_is_that_of_a_quadratic_program(seed, kind, slack, C):
    problem = Listed(seed, bounds=bounds_for(kind, seed))
    X, Y = examples(seed)
    model = StructuralSVM(problem, C, slack=slack, tol=1e-7).fit(X, Y)
    lower, upper = (
        np.broadcast_to(np.asarray(sign * np.inf if side is None else side, dtype=float), (5,))
        for sign, side in zip((-1.0, 1.0), problem.bounds)
    )
    assert (model.coef_ >= lower).all()
    assert (model.coef_ <= upper).all()
    value, _ = optimum(enumerate_planes(problem, X, Y, "margin", slack), C, lower, upper, slack == "squared")
    solution = model.solution_
    assert solution.status is Status.CONVERGED
    assert solution.primal == pytest.approx(value, rel=1e-5, abs=1e-6)
    assert solution.dual <= value + 1e-6 * (1.0 + abs(value))
    assert solution.primal >= value - 1e-6 * (1.0 + abs(value))


def test_wide_bounds_change_nothing():
    X, Y = examples(3)
    free = StructuralSVM(Listed(3), tol=1e-8).fit(X, Y)
    wide = StructuralSVM(Listed(3, bounds=(-1e6, 1e6)), tol=1e-8).fit(X, Y)
    np.testing.assert_allclose(wide.coef_, free.coef_, atol=1e-3)


def test_a_warm_start_keeps_the_bounds():
    X, Y = examples(5)
    model = StructuralSVM(Listed(5, bounds=(0.0, None)), warm_start=True, tol=1e-6).fit(X[:6], Y[:6])
    model.fit(X, Y)
    cold = StructuralSVM(Listed(5, bounds=(0.0, None)), tol=1e-6).fit(X, Y)
    assert (model.coef_ >= 0.0).all()
    assert model.solution_.primal == pytest.approx(cold.solution_.primal, rel=1e-4)


class Cut:
    """Two labels for each place of a row; a minimum cut by brute force, which refuses pair weights below zero."""

    bounds = (np.array([-np.inf, 0.0]), None)

    def joint_feature(self, x, y):
        y = np.asarray(y)
        return np.array([float(x @ (2 * y - 1)), float((y[1:] == y[:-1]).sum())])

    def loss(self, y_true, y):
        return float(np.sum(np.asarray(y_true) != np.asarray(y)))

    def argmax(self, x, w, y_true=None):
        if w[1] < 0.0:
            raise AssertionError("a negative weight of pairs")
        every = [tuple((k >> np.arange(x.size)) & 1) for k in range(1 << x.size)]
        extra = (lambda y: 0.0) if y_true is None else (lambda y: self.loss(y_true, y))
        return max(every, key=lambda y: float(w @ self.joint_feature(x, y)) + extra(y))


def test_a_search_is_only_asked_where_it_is_exact():
    rng = np.random.default_rng(0)
    Y = [(0, 1, 0, 1, 0), (1, 0, 1, 0, 1), (0, 1, 0, 1, 1)]  # neighbours differ: a free weight would be negative
    X = [2.0 * np.array(y) - 1.0 + rng.standard_normal(5) for y in Y]
    check_problem(Cut(), X, Y)
    model = StructuralSVM(Cut()).fit(X, Y)
    assert model.coef_[1] == 0.0
    assert model.coef_[0] > 0.0


@pytest.mark.parametrize("solver", ["n-slack", "bcfw", "subgradient", "perceptron"])
def test_solvers_that_keep_no_bounds_say_so(solver):
    X, Y = examples(0)
    with pytest.raises(Unsupported, match="Listed has bounds of weights"):
        StructuralSVM(Listed(0, bounds=(0.0, None)), solver=solver).fit(X, Y)


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        (0.0, "pair"),
        ((0.0, [1.0, 2.0]), r"shape of the upper part of Listed.bounds is \(2,\); joint features have length 5"),
        ((1.0, 0.0), "leaves nothing for weight 0: 1.0 to 0.0"),
        ((np.nan, 0.0), "leaves nothing for weight 0"),
        (("a", None), "cannot be read"),
        ((np.inf, None), "leaves nothing"),
        (lambda: (0.0, None), "is a method"),
    ],
)
def test_wrong_bounds_are_sentences(bounds, said):
    X, Y = examples(0)
    with pytest.raises((ValueError, TypeError), match=said):
        StructuralSVM(Listed(0, bounds=bounds)).fit(X, Y)

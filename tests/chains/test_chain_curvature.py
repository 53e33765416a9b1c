"""Second derivatives of chains, and Newton's method with them, against finite differences and other solvers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from maxmargin import ChainCRF, ChainSVC
from maxmargin.chains import newton as chain_newton
from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.curvature import ChainCurvature
from maxmargin.chains.likelihood import ChainLikelihood
from maxmargin.chains.sequences import pack
from maxmargin.core.formulation import Formulation
from maxmargin.oracles.base import Stopped
from maxmargin.solvers.base import Record, Run, Status
from maxmargin.solvers.likelihood import Objective


def sequences(lengths, labels, features, seed=0, noise=1.5):
    """Labels that stay for some tokens, all of which occur, and features that tell them with much noise."""
    rng = np.random.default_rng(seed)
    means = rng.standard_normal((labels, features))
    Y = [np.repeat(rng.integers(0, labels, length), rng.integers(1, 6, length))[:length] for length in lengths]
    Y[-1][:labels] = np.arange(labels)
    return [means[y] + noise * rng.standard_normal((y.size, features)) for y in Y], Y


def problem_of(X, Y, labels, weight=None, threads=1, **options):
    chain = Chain(n_labels=labels, n_features=X[0].shape[1], **options)
    return ChainLikelihood(chain, ChainInput(pack(X)), np.concatenate(Y).astype(np.int32), weight, threads, False)


CASES = [
    (2, {"constant": 1.0}, 0.3),
    (3, {"eta": 0.7}, 1.0),
    (4, {"ends": False, "eta": 1.3, "constant": 2.0}, 1.0),
    (5, {"constant": 1.0}, 60.0),  # some sums over paths underflow without logarithms
]


@pytest.mark.parametrize(("labels", "options", "size"), CASES)
def test_second_derivatives_are_those_of_finite_differences(labels, options, size):
    X, Y = sequences((1, 2, 9), labels, 3)
    weight = np.array([1.0, 2.0, 0.5])
    problem = problem_of(X, Y, labels, weight, **options)
    curvature = ChainCurvature(problem)
    at = size * np.random.default_rng(1).standard_normal(problem.chain.rows * problem.stride)
    w = curvature.matrix_of(at)
    value, gradient, blocks = curvature.curved(w)
    wanted, slope = problem.gradient(w.ravel())
    assert value == pytest.approx(wanted, rel=1e-12, abs=1e-9)
    np.testing.assert_allclose(gradient.ravel(), slope, rtol=1e-9, atol=1e-9)
    hessian = approx_fprime(w.ravel(), lambda v: problem.gradient(v)[1], 1e-6)
    C, l2 = 1.7, 0.6
    right = C * slope + l2 * w.ravel()
    solve = curvature.inverse(blocks, C, l2)
    np.testing.assert_allclose((C * hessian + l2 * np.eye(len(hessian))) @ solve(right), right, rtol=1e-4, atol=1e-4)
    parallel = ChainCurvature(problem_of(X, Y, labels, weight, threads=2, **options)).curved(w)
    np.testing.assert_allclose(parallel[2], blocks, rtol=1e-9, atol=1e-12)


def test_an_evaluation_stops_between_sequences():
    X, Y = sequences((3, 4), 2, 2)
    curvature = ChainCurvature(problem_of(X, Y, 2))
    with pytest.raises(Stopped):
        curvature.curved(curvature.matrix_of(None), lambda: True)


@pytest.mark.parametrize(
    ("lengths", "labels", "weighted"),
    [((6,) * 30, 3, False), ((50,) * 120, 2, True), ((1, 3000, 5), 3, False), ((4000,), 4, False)],
)
def test_the_optimum_is_that_of_lbfgs(lengths, labels, weighted):
    """On all tokens, on a sample of whole sequences, and on pieces of long ones."""
    X, Y = sequences(lengths, labels, 4)
    weight = np.random.default_rng(2).integers(1, 4, len(X)).astype(np.float64) if weighted else None
    options = {"C": 0.8, "l2": 2.0, "tol": 1e-9, "class_weight": {0: 1.5}}
    found = ChainCRF(**options).fit(X, Y, sample_weight=weight)
    exact = ChainCRF(**options, solver="lbfgs").fit(X, Y, sample_weight=weight)
    assert found.solution_.status is exact.solution_.status is Status.CONVERGED
    assert found.n_iter_ < exact.n_iter_
    assert found.solution_.primal == pytest.approx(exact.solution_.primal, rel=1e-8)
    np.testing.assert_allclose(found.coef_, exact.coef_, atol=1e-3)


def test_a_sample_is_like_the_whole():
    X, Y = sequences((40,) * 100, 3, 4)
    whole = problem_of(X, Y, 3, np.linspace(0.5, 1.5, 100))
    part = whole.sample(800.0)
    assert part.n == 20
    assert part.chain.ends
    w = 0.1 * np.random.default_rng(0).standard_normal(whole.free.size)
    assert part.gradient(w)[0] == pytest.approx(whole.gradient(w)[0], rel=0.1)
    pieces = problem_of(*sequences((5000,), 3, 4), 3).sample(600.0)
    assert not pieces.chain.ends
    assert pieces.tokens.lengths.max() == 128
    assert 400 <= pieces.tokens.tokens <= 800


def test_warm_start_and_limits():
    X, Y = sequences((2000,) * 4, 3, 5)
    model = ChainCRF(warm_start=True).fit(X, Y)
    assert model.fit(X, Y).n_iter_ <= 2
    with pytest.warns(match="max_time"):
        late = ChainCRF(max_time=1e-9).fit(X, Y)
    assert late.solution_.status is Status.MAX_TIME
    with pytest.warns(match="max_iter"):
        assert ChainCRF(max_iter=1, tol=1e-9).fit(X[:1], Y[:1]).solution_.status is Status.MAX_ITER


@pytest.mark.parametrize("estimator", [ChainCRF, ChainSVC])
def test_iterations_are_passes_over_all_tokens(estimator):
    """Those on the sample that comes first are none of them, and the callback sees every one."""
    X, Y = sequences((2000,) * 4, 3, 5)
    seen: list[Record] = []
    model = estimator(callback=seen.append).fit(X, Y)
    assert [record.iteration for record in seen] == list(range(1, model.n_iter_ + 1))
    assert model.solution_.trace == tuple(seen)
    assert model.solution_.oracle_calls > model.n_iter_ * len(X)


def test_iterations_go_on_where_another_solver_does(monkeypatch):
    X, Y = sequences((20,) * 5, 3, 2)
    problem = problem_of(X, Y, 3)
    monkeypatch.setattr(ChainCurvature, "inverse", lambda *_: None)
    seen: list[Record] = []
    objective, run = Objective(problem, 1.0, 0.0, 1.0, 1e-6), Run(1e-6, max_iter=4, callback=seen.append)
    found = chain_newton.newton_solution(problem, objective, run, None)
    assert (found.status, found.n_iter) == (Status.MAX_ITER, 4)
    assert [record.iteration for record in seen] == [1, 2, 3, 4]
    assert found.trace == tuple(seen)


def test_an_interrupt_ends_the_fit_on_the_sample(monkeypatch):
    X, Y = sequences((2000,) * 4, 3, 5)
    problem = problem_of(X, Y, 3)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(ChainCurvature, "curved", interrupt)
    found = chain_newton.newton_solution(problem, Objective(problem, 1.0, 0.0, 1.0, 1e-4), Run(), None)
    assert found.status is Status.INTERRUPTED
    assert found.primal is None


def test_rounding_leaves_the_rest_to_lbfgs(monkeypatch):
    X, Y = sequences((20,) * 5, 3, 2)
    problem = problem_of(X, Y, 3)
    monkeypatch.setattr(ChainCurvature, "inverse", lambda *_: None)
    objective = Objective(problem, 1.0, 0.0, 1.0, 1e-6)
    found = chain_newton.newton_solution(problem, objective, Run(1e-6), None)
    assert found.status is Status.CONVERGED
    assert found.gap <= objective.allowed(found.primal)


def test_many_weights_and_other_penalties_are_for_other_solvers():
    X, Y = sequences((30,) * 10, 3, 2)
    problem = problem_of(X, Y, 3)
    assert chain_newton.few_weights(problem, Objective(problem, 1.0, 0.0, 1.0, 1e-4))
    assert not chain_newton.few_weights(problem, Objective(problem, 1.0, 0.1, 1.0, 1e-4))
    wide = problem_of(*sequences((30,) * 10, 3, 200), 3)
    assert not chain_newton.few_weights(wide, replace(Objective(problem, 1.0, 0.0, 1.0, 1e-4), problem=wide))


def test_a_sample_of_one_long_sequence_among_single_tokens_has_its_transitions():
    X, Y = sequences((*((1,) * 300), 20_000), 4, 3)
    sample = problem_of(X, Y, 4).sample(2000.0)
    assert (sample.tokens.lengths > 1) @ sample.tokens.lengths / sample.tokens.tokens > 0.9
    assert 1600 <= sample.tokens.tokens <= 2400
    found = ChainCRF().fit(X, Y)
    assert found.solution_.status is Status.CONVERGED
    assert found.n_iter_ < 100


def test_passes_of_coordinate_ascent_are_measured_by_what_visits_cost():
    X, Y = sequences((*((1,) * 300), 20_000), 4, 3)
    model = ChainSVC(method="structural").fit(X, Y)
    assert model.solution_.status is Status.CONVERGED
    by_tokens = Chain(n_labels=4, n_features=3).bind(
        ChainInput(pack(X)), np.concatenate(Y).astype(np.int32), Formulation(), sample_weight=None, threads=1
    )
    every = np.arange(301, dtype=np.int32)
    assert by_tokens.work_of(every) == pytest.approx(301.0)
    assert by_tokens.work_of(every[-1:]) > 250.0

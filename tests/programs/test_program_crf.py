"""ProgramCRF: the likelihood by enumeration, its gradient by differences, and the chain as a program."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize
from test_program_svm import K, X, Y, as_chain, sentences

from maxmargin import ChainCRF, ProgramCRF, Unsupported, load
from maxmargin.chains.chain import Chain
from maxmargin.programs.likelihood import program_likelihood
from maxmargin.programs.space import pack_programs
from maxmargin.programs.targets import packed_targets, true_edges
from maxmargin.solvers.dual_likelihood import DualLikelihood
from program_spaces import LabelChain, Paths, examples


def likelihood_of(kind, weight=None, threads=1):
    inputs, outputs = examples(kind)
    programs = pack_programs(Paths(), inputs)
    targets = packed_targets(programs, true_edges(Paths(), programs.topologies, inputs, outputs))
    return program_likelihood(programs, targets, weight, threads)


@cache
def enumerated(kind):
    """For each example the joint features of all its outputs, a row per output, and those of the truth."""
    return [
        (np.array([x.features[list(z)].sum(axis=0) for z in x.outputs]), x.features[list(y)].sum(axis=0))
        for x, y in zip(*examples(kind))
    ]


def by_enumeration(kind, w, weight):
    return sum(s * (np.logaddexp.reduce(every @ w) - truth @ w) for (every, truth), s in zip(enumerated(kind), weight))


@pytest.mark.parametrize("kind", ["paths", "trees"])
@pytest.mark.parametrize("threads", [1, 3])
def test_the_likelihood_and_its_gradient(kind, threads):
    weight = np.array([1.0, 0.0, 2.0, 0.5, 1.0, 3.0])
    problem = likelihood_of(kind, weight, threads)
    rng = np.random.default_rng(0)
    for size in (0.0, 1.0, 20.0):
        w = size * rng.standard_normal(problem.free.size)
        value, gradient = problem.gradient(w)
        assert value == pytest.approx(by_enumeration(kind, w, weight), rel=1e-10, abs=1e-10)
        assert problem.value(w) == pytest.approx(value, rel=1e-12)
        step = 1e-5
        for k in range(w.size):
            change = step * np.eye(w.size)[k]
            slope = (by_enumeration(kind, w + change, weight) - by_enumeration(kind, w - change, weight)) / (2 * step)
            assert gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-5)
    assert problem.value_at_zero == pytest.approx(by_enumeration(kind, np.zeros(problem.free.size), weight))


@pytest.mark.parametrize("kind", ["paths", "trees"])
def test_the_optimum_is_that_of_a_general_solver(kind):
    inputs, outputs = examples(kind)
    model = ProgramCRF(Paths(), 0.7, tol=1e-7).fit(inputs, outputs)

    def objective(w):
        return 0.5 * w @ w + 0.7 * by_enumeration(kind, w, np.ones(6))

    best = minimize(objective, np.zeros(model.coef_.size), method="BFGS", options={"gtol": 1e-7})
    assert model.solution_.primal == pytest.approx(objective(model.coef_), rel=1e-10)
    assert model.solution_.primal == pytest.approx(best.fun, rel=1e-6)
    assert model.solution_.dual <= best.fun + 1e-9
    np.testing.assert_allclose(model.coef_, best.x, atol=1e-3)


def test_the_chain_as_a_program_has_the_optimum_and_probabilities_of_chain_crf():
    chain = ChainCRF(0.5, fit_intercept=False, tol=1e-7).fit(X, [list(y) for y in Y])
    program = ProgramCRF(LabelChain(K), 0.5, tol=1e-7).fit(X, Y)
    assert program.solution_.primal == pytest.approx(chain.solution_.primal, rel=1e-5)
    public = Chain(K, 4).public_weights(chain.weights_)
    np.testing.assert_allclose(as_chain(program.coef_), public, atol=2e-3)
    features, ends, steps = np.split(public, [4 * K, 6 * K])
    program.coef_ = np.concatenate([features, steps, ends])
    others, _ = sentences(15, 1)
    for x, ours, theirs in zip(others, program.predict_marginals(others), chain.predict_marginals(others)):
        n = len(x)
        found = np.vstack([ours[None, :K], ours[K : K + (n - 1) * K * K].reshape(n - 1, K, K).sum(axis=2)])
        np.testing.assert_allclose(found, theirs, atol=1e-10)
    np.testing.assert_allclose(
        program.predict_confidence(others), chain.predict_confidence(others, decode="viterbi"), rtol=1e-9
    )
    marginal = [tuple(y.tolist()) for y in chain.predict(others, decode="marginal")]
    assert program.predict(others, decode="risk") == marginal
    chain.decode_ = "viterbi"
    np.testing.assert_allclose(program.expected_loss(others), chain.expected_loss(others), atol=1e-9)


def test_samples_follow_the_marginals():
    inputs, outputs = examples("trees")
    model = ProgramCRF(Paths(), 1.0).fit(inputs, outputs)
    drawn = model.sample(inputs, n_samples=4000, random_state=3)
    for x, own, marginals in zip(inputs, drawn, model.predict_marginals(inputs)):
        share = np.zeros(x.program.n_edges)
        for y in own:
            share[list(y)] += 1.0 / len(own)
        np.testing.assert_allclose(share, marginals, atol=5 * 0.5 / np.sqrt(4000))
    assert drawn == model.sample(inputs, n_samples=4000, random_state=3)
    assert drawn != model.sample(inputs, n_samples=4000, random_state=4)
    with pytest.raises(ValueError, match=r"n_samples must be a positive integer"):
        model.sample(inputs, n_samples=0)


def test_penalties_and_solvers(tmp_path):
    sparse = ProgramCRF(LabelChain(K), 0.5, l1=1.0, l2=0.0).fit(X, Y)
    assert (sparse.coef_ == 0.0).any()
    assert (sparse.coef_ != 0.0).any()
    lbfgs = ProgramCRF(LabelChain(K), 0.5, solver="lbfgs").fit(X, Y)
    np.testing.assert_allclose(lbfgs.coef_, ProgramCRF(LabelChain(K), 0.5).fit(X, Y).coef_)
    with pytest.raises(ValueError, match=r"solver must be 'auto', 'lbfgs', 'sgd' or a solver object"):
        ProgramCRF(LabelChain(K), 0.5, solver="dual").fit(X, Y)
    with pytest.raises(Unsupported, match=r"Dual ascent is for classes, and for chains .* solver='lbfgs'"):
        ProgramCRF(LabelChain(K), 0.5, solver=DualLikelihood()).fit(X, Y)
    with pytest.raises(ValueError, match=r"l2 must be a number of at least 0"):
        ProgramCRF(LabelChain(K), 0.5, l2=-1.0).fit(X, Y)
    lbfgs.save(tmp_path / "model.zip")
    loaded = load(tmp_path / "model.zip", space=LabelChain(K))
    np.testing.assert_array_equal(loaded.predict_marginals(X[:1])[0], lbfgs.predict_marginals(X[:1])[0])


def test_sample_weights_threads_and_warm_starts():
    times = np.random.default_rng(0).integers(0, 3, len(X))
    repeated = [[item for item, t in zip(items, times) for _ in range(t)] for items in (X, Y)]
    weighed = ProgramCRF(LabelChain(K), 0.5, tol=1e-7).fit(X, Y, sample_weight=times)
    twice = ProgramCRF(LabelChain(K), 0.5, tol=1e-7, n_jobs=3).fit(*repeated)
    np.testing.assert_allclose(weighed.coef_, twice.coef_, atol=1e-3)
    again = ProgramCRF(LabelChain(K), 0.5, warm_start=True).fit(X, Y)
    steps = again.solution_.n_iter
    assert again.fit(X, Y).solution_.n_iter < steps
    scaled = ProgramCRF(LabelChain(K)).fit(X, Y)
    assert scaled.C_ > 0.0
    assert scaled.score(X, Y) > ProgramCRF(LabelChain(K), 1e-6).fit(X, Y).score(X, Y)

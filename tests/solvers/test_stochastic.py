"""Stochastic gradient descent for sums over programs, alignments and trees, beside L-BFGS and steps in NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from alignment_cases import LETTERS, pairs_of_letters
from maxmargin import ChainCRF, ProgramCRF, Status, Unsupported, load
from maxmargin.alignments import AlignmentCRF
from maxmargin.datasets import make_treebank
from maxmargin.grammars import GrammarCRF
from maxmargin.solvers.base import Run
from maxmargin.solvers.likelihood import Objective
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.stochastic import StochasticGradient, Walk
from program_spaces import Paths, examples

N = 330  # enough for solver='auto' to begin with stochastic steps


def programs(n=N, **options):
    inputs, outputs = examples("trees")
    return ProgramCRF(Paths(), 0.5, **options), (inputs * (n // 6 + 1))[:n], (list(outputs) * (n // 6 + 1))[:n]


def alignments(n=N, **options):
    given = pairs_of_letters(seed=1, n=n)
    pairs, truths = [(x, own[0]) for x, own, _ in given], [np.array(truth) for *_, truth in given]
    return AlignmentCRF(0.5, alphabet=LETTERS, **options), pairs, truths


def trees(n=N, **options):
    given = make_treebank(n)
    model = GrammarCRF(0.5, horizontal=1, features=("first", "split"), **options)
    return model, [tree.tokens() for tree in given], given


families = pytest.mark.parametrize("family", [programs, alignments, trees])


def problem_of(family, monkeypatch, n, sample_weight=None):
    """The likelihood that ``fit`` would minimise."""
    model, X, y = family(n)
    found = []

    class Enough(Exception):
        pass

    def take(solver, problem, *rest):
        found.append(problem)
        raise Enough

    monkeypatch.setattr("maxmargin.fitting.likelihood_training.train_likelihood", take)
    with pytest.raises(Enough):
        model.fit(X, y, sample_weight=sample_weight)
    return found[0]


@families
def test_steps_are_those_of_the_gradients_one_by_one(family, monkeypatch):
    n, first, decay = 12, 0.07, 0.02
    weight = np.random.default_rng(1).choice([0.0, 0.5, 2.0], size=n)
    problem = problem_of(family, monkeypatch, n, weight)
    rng = np.random.default_rng(0)
    order = rng.integers(n, size=30).astype(np.int32)
    v = 0.1 * rng.standard_normal(problem.free.size)
    w, total = 1.5 * v, 0.0
    for t, i in enumerate(order, start=5):
        gradient = np.zeros(w.size)
        total += problem.targets.likelihood(w, weight, int(i), int(i) + 1, gradient, 1)
        w = w - first / (1.0 + first * decay * t) * (decay * w + gradient)
    value, factor = problem.descend(v, 1.5, 4, order, first, decay)
    assert value == pytest.approx(total, rel=1e-10)
    np.testing.assert_allclose(factor * v, w, rtol=1e-9, atol=1e-12)


@families
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_answer_is_the_best_point_that_was_evaluated(family, seed, monkeypatch):
    """Late passes go back and forth: more of them do not end above few, as the last one alone may."""
    problem = problem_of(family, monkeypatch, N)
    objective = Objective(problem, 0.5, 0.0, 1.0, 1e-3)
    walk = Walk(objective, Monitor(Run(random_state=seed), "sgd"))

    def exact(w):
        return 0.5 * float(w @ w) + 0.5 * problem.gradient(w, None)[0]

    ends = []
    for passes in (3, 20):
        while walk.passes < passes:
            walk.advance()
        last = walk.w
        ends.append(walk.solution().primal)
        assert ends[-1] == pytest.approx(min(exact(last), exact(np.asarray(walk.average.value))), rel=1e-12)
        assert ends[-1] == pytest.approx(exact(walk.w), rel=1e-12)
    assert ends[1] <= ends[0]


@families
def test_auto_begins_with_steps_and_proves_the_optimum(family, monkeypatch):
    passes = []
    whole = Walk.advance
    monkeypatch.setattr(Walk, "advance", lambda self: (passes.append(self), whole(self))[1])
    model, X, y = family(tol=1e-4)
    found = model.fit(X, y).solution_
    assert len(passes) >= 2
    assert found.status is Status.CONVERGED
    least = family(solver="lbfgs", tol=1e-7)[0].fit(X, y).solution_
    assert least.dual - 1e-9 <= found.primal <= least.primal + found.gap + 1e-9
    assert found.n_iter > len(passes)
    assert found.oracle_calls > len(passes) * N
    passes.clear()
    family(solver="lbfgs")[0].fit(X, y)
    few = family(n=60)
    few[0].fit(*few[1:])
    assert not passes


@families
def test_steps_alone_come_close_and_their_gap_is_honest(family):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, X, y = family(solver=StochasticGradient(passes=30), tol=1e-3)
        found = model.fit(X, y).solution_
    best = family(solver="lbfgs", tol=1e-7)[0].fit(X, y).solution_
    assert found.primal <= 1.05 * best.primal
    assert found.dual <= best.primal + 1e-9
    assert found.n_iter == 30
    assert found.status is (Status.CONVERGED if found.gap <= 1e-3 * max(0.5 * N, found.primal) else Status.FINISHED)
    assert found.details["first_step"] > 0.0


def test_the_same_seed_gives_the_same_weights():
    runs = [trees(solver=StochasticGradient(passes=2), random_state=seed) for seed in (3, 3, 4)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, same, other = (model.fit(X, y).coef_ for model, X, y in runs)
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_time_that_is_up_leaves_weights_and_no_gap():
    model, X, y = trees(solver="sgd", max_time=1e-9)
    with pytest.warns(UserWarning, match="max_time"):
        model.fit(X, y)
    assert model.solution_.status is Status.MAX_TIME
    assert np.isfinite(model.coef_).all()


def test_the_length_of_steps_follows_the_features(monkeypatch):
    problem = problem_of(alignments, monkeypatch, N)
    objective = Objective(problem, 0.5, 0.0, 1.0, 1e-3)
    walk = Walk(objective, Monitor(Run(), "sgd"))
    walk.advance()
    lengths = [walk.first]
    problem.targets = Longer(problem.targets)
    problem.steepness = lambda own=problem.steepness: 100.0 * own()
    walk = Walk(Objective(problem, 0.005, 0.0, 1.0, 1e-3), Monitor(Run(), "sgd"))
    walk.advance()
    assert walk.first == pytest.approx(lengths[0] / 100.0, rel=1e-6)


class Longer:
    """True outputs whose features are ten times as long."""

    def __init__(self, targets):
        self.targets = targets

    def descend(self, v, factor, steps, sample_weight, order, first, decay):
        own = 10.0 * v
        found = self.targets.descend(own, factor, steps, sample_weight, order, 100.0 * first, 0.01 * decay)
        v[:] = own / 10.0
        return found


def test_models_without_such_steps_and_penalties_are_refused(tmp_path):
    with pytest.raises(Unsupported, match="programs, alignments and trees"):
        ChainCRF(solver=StochasticGradient()).fit([[[1.0]], [[0.0]]], [["a"], ["b"]])
    model, X, y = trees(n=20, solver="sgd", l1=0.1)
    with pytest.raises(Unsupported, match="solver='lbfgs'"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="passes must be at least 1"):
        StochasticGradient(passes=0)
    model, X, y = trees(n=60, solver=StochasticGradient(passes=5), tol=10.0)
    model.fit(X, y).save(tmp_path / "model.mm")
    assert load(tmp_path / "model.mm").solver == StochasticGradient(passes=5)

"""ChainCRF goes on from the fit before."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from maxmargin import ChainCRF
from maxmargin.chains.features import tagging_templates
from maxmargin.datasets import make_sentences
from maxmargin.solvers.base import Status

RNG = np.random.default_rng(5)
CENTRES = RNG.standard_normal((3, 4))
Y = [np.sort(RNG.integers(0, 3, length)) for length in RNG.integers(1, 9, 60)]
X = [CENTRES[y] + RNG.standard_normal((y.size, 4)) for y in Y]
WORDS, TAGS = make_sentences(80, seed=2)


def optimum(**settings):
    return ChainCRF(tol=1e-7, solver="lbfgs", **settings)


@pytest.mark.parametrize("solver", ["auto", "dual", "lbfgs"])
def test_the_same_data_again_cost_next_to_nothing(solver):
    model = ChainCRF(C=0.5, solver=solver, warm_start=True, tol=1e-4).fit(X, Y)
    cold = model.solution_
    warm = model.fit(X, Y).solution_
    assert warm.status is cold.status is Status.CONVERGED
    assert warm.oracle_calls <= 4 * len(X) < cold.oracle_calls
    assert warm.dual <= optimum(C=0.5).fit(X, Y).solution_.primal <= warm.primal * (1 + 1e-9)


@pytest.mark.parametrize("solver", ["auto", "dual", "lbfgs"])
@pytest.mark.parametrize(
    "change",
    [{"C": 2.0}, {"fit_intercept": False}, {"ends": False}, {"window": 1}, {"eta": 0.5}, {"class_weight": {1: 3.0}}],
    ids=lambda change: next(iter(change)),
)
def test_another_problem_has_its_own_optimum(solver, change):
    model = ChainCRF(C=0.5, solver=solver, warm_start=True, tol=1e-4).fit(X[:30], Y[:30])
    found = model.set_params(**change).fit(X, Y).solution_
    best = optimum(**{"C": 0.5, **change}).fit(X, Y).solution_
    assert found.status is Status.CONVERGED
    assert found.dual <= best.primal * (1 + 1e-9)
    assert best.dual <= found.primal * (1 + 1e-9)


@pytest.mark.parametrize("solver", ["auto", "dual", "lbfgs"])
@pytest.mark.parametrize("in_order", [True, False])
def test_more_sentences_with_other_words_and_labels(solver, in_order):
    model = ChainCRF(templates=tagging_templates(), solver=solver, warm_start=True, tol=1e-4)
    model.fit(WORDS[:70], TAGS[:70])
    labels = [*TAGS[:-1], ["NEW", *TAGS[-1][1:]]]
    order = slice(None) if in_order else slice(None, None, -1)
    warm = model.fit(WORDS[order], labels[order]).solution_
    cold = ChainCRF(templates=tagging_templates(), solver=solver, tol=1e-4).fit(WORDS[order], labels[order]).solution_
    assert "NEW" in model.classes_
    if in_order:
        assert warm.oracle_calls < 0.9 * cold.oracle_calls
    assert warm.dual <= cold.primal
    assert cold.dual <= warm.primal


def test_a_label_that_is_gone():
    model = ChainCRF(warm_start=True, tol=1e-5).fit(X, Y)
    fewer = [np.minimum(y, 1) for y in Y]
    found, best = model.fit(X, fewer).solution_, optimum().fit(X, fewer).solution_
    assert found.dual <= best.primal * (1 + 1e-9)
    assert best.dual <= found.primal * (1 + 1e-9)


@pytest.mark.parametrize("settings", [{"order": 2}, {"l1": 0.1}, {"observed": True}], ids=str)
def test_models_of_lbfgs_and_observed_weights(settings):
    model = ChainCRF(C=0.5, warm_start=True, tol=1e-6, **settings).fit(X, Y)
    cold = model.solution_
    warm = model.fit(X, Y).solution_
    assert warm.oracle_calls < 0.5 * cold.oracle_calls
    assert warm.primal == pytest.approx(cold.primal, rel=1e-4)


def test_features_that_cannot_be_matched_start_from_zero():
    model = ChainCRF(warm_start=True, tol=1e-5, solver="lbfgs").fit(X, Y)
    narrow = [x[:, :3] for x in X]
    again = model.fit(narrow, Y)
    np.testing.assert_array_equal(again.coef_, ChainCRF(tol=1e-5, solver="lbfgs").fit(narrow, Y).coef_)


def test_the_start_is_not_part_of_a_model_without_warm_start():
    plain, warm = ChainCRF().fit(X, Y), ChainCRF(warm_start=True).fit(X, Y)
    assert not hasattr(plain, "_distributions")
    again = pickle.loads(pickle.dumps(warm)).fit(X, Y)
    assert again.solution_.oracle_calls < warm.solution_.oracle_calls
    once = warm.set_params(warm_start=False).fit(X, Y)
    assert not hasattr(once, "_distributions")
    np.testing.assert_array_equal(once.coef_, plain.coef_)


def test_offsets_and_units_do_not_disturb_it():
    far = [1e3 * x + 5e4 for x in X]
    model = ChainCRF(warm_start=True, tol=1e-5).fit(far, Y)
    cold = model.solution_
    warm = model.fit(far, Y).solution_
    assert warm.oracle_calls < 0.5 * cold.oracle_calls
    assert warm.primal == pytest.approx(cold.primal, rel=1e-4)

"""Margins or likelihood for label sequences: where each is chosen, and that all of the estimator works with both."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import maxmargin
from maxmargin import ChainCRF, ChainSVC
from maxmargin.chains.features import SequenceVectorizer, tagging_templates
from maxmargin.datasets import make_sentences
from maxmargin.fitting.calibration import NotCalibratedWarning
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Status
from maxmargin.solvers.one_slack import OneSlack


def drawn(n, *, labels=8, d=12, noise=2.4, seed=0):
    """Labels of a Markov chain whose features overlap the more the larger the noise."""
    fixed, rng = np.random.default_rng(5), np.random.default_rng(seed)
    steps, centres = fixed.dirichlet(np.full(labels, 0.3), size=labels), fixed.standard_normal((labels, d))
    X, Y = [], []
    for _ in range(n):
        y = [int(rng.integers(labels))]
        for _ in range(rng.integers(3, 9)):
            y.append(int(rng.choice(labels, p=steps[y[-1]])))
        Y.append(np.array(y))
        X.append(centres[y] + noise * rng.standard_normal((len(y), d)))
    return X, Y


@pytest.fixture(scope="module")
def text():
    """Tokens with more different attributes than there are tokens."""
    X, Y = make_sentences(60, seed=0)
    return SequenceVectorizer(templates=tagging_templates()).fit_transform(X), Y


@pytest.fixture(scope="module")
def overlapping():
    return *drawn(150), *drawn(400, seed=1)


def test_labels_that_overlap_are_learnt_by_likelihood(overlapping):
    X, Y, X_test, Y_test = overlapping
    model, margin = ChainSVC().fit(X, Y), ChainSVC(method="structural").fit(X, Y)
    assert (model.method_, margin.method_) == ("likelihood", "structural")
    assert model.score(X_test, Y_test) > margin.score(X_test, Y_test) + 0.01
    assert model.solution_.status is Status.CONVERGED
    assert model.solution_.gap >= 0.0


def test_c_of_the_likelihood_is_chosen_on_folds(overlapping):
    X, Y = overlapping[:2]
    first = ChainCRF().fit(X, Y)
    chosen = ChainSVC().fit(X, Y)
    assert any(pytest.approx(factor * first.C_) == chosen.C_ for factor in (0.25, 1.0, 4.0))
    few = [x[:, :1] for x in X]  # so many tokens for each weight that C hardly matters
    assert pytest.approx(ChainCRF().fit(few, Y).C_) == ChainSVC().fit(few, Y).C_


def test_where_attributes_outnumber_tokens_and_tell_labels_apart_it_is_the_margins(text):
    auto, named = (ChainSVC(method=method).fit(*text) for method in ("auto", "structural"))
    assert auto.method_ == "structural"
    np.testing.assert_array_equal(auto.coef_, named.coef_)


@pytest.mark.parametrize(
    "asked",
    [
        {"C": 0.1},
        {"loss": "zero-one"},
        {"cost": 1.0 - np.eye(8)},
        {"class_weight": {0: 2.0}},
        {"rescaling": "slack"},
        {"slack": "squared"},
        {"solver": "one-slack"},
        {"solver": OneSlack()},
    ],
    ids=str,
)
def test_what_asks_for_margins(overlapping, asked):
    X, Y = (part[:40] for part in overlapping[:2])
    assert ChainSVC(**asked).fit(X, Y).method_ == "structural"
    if "C" not in asked:
        with pytest.raises(Unsupported, match=r"method='likelihood' cannot be had with .*use method='structural'"):
            ChainSVC(method="likelihood", **asked).fit(X, Y)


def test_what_asks_for_the_likelihood(overlapping):
    X, Y = (part[:40] for part in overlapping[:2])
    assert ChainSVC(solver="lbfgs").fit(X, Y).method_ == "likelihood"
    apart = drawn(40, noise=0.3)
    by_name = ChainSVC(method="likelihood", C=0.5).fit(*apart)
    assert by_name.method_ == "likelihood"
    crf = ChainCRF(C=0.5).fit(*apart)
    np.testing.assert_array_equal(by_name.coef_, crf.coef_)
    with pytest.raises(ValueError, match="method must be one of 'auto', 'likelihood', 'structural', not 'crf'"):
        ChainSVC(method="crf").fit(X, Y)


def test_order_repetition_and_weights_of_sequences_do_not_decide():
    rng = np.random.default_rng(3)  # features that say little: a small C is clearly best
    Y = [rng.integers(0, 3, 6) for _ in range(60)]
    X = [rng.standard_normal((6, 30)) + 0.3 * np.eye(3, 30)[y] for y in Y]
    first = ChainSVC().fit(X, Y)
    assert pytest.approx(0.25 * ChainCRF().fit(X, Y).C_) == first.C_
    order = rng.permutation(60)
    assert pytest.approx(first.C_) == ChainSVC().fit([X[i] for i in order], [Y[i] for i in order]).C_
    times = rng.integers(0, 3, 60)
    weighted = ChainSVC().fit(X, Y, sample_weight=times.astype(np.float64))
    again = np.repeat(np.arange(60), times)
    repeated = ChainSVC().fit([X[i] for i in again], [Y[i] for i in again])
    assert (weighted.method_, weighted.C_) == (repeated.method_, pytest.approx(repeated.C_))


@pytest.mark.parametrize("n", [1, 60])
def test_margins_are_given_up_where_labels_overlap(n):
    """Attributes outnumber tokens, but those of most tokens are everywhere; one sequence has no passes to look at."""
    rng = np.random.default_rng(0)
    tokens = 600 // n
    Y = [rng.integers(0, 4, tokens) for _ in range(n)]
    X = [
        [["always", *(f"rare {i} {t} {k}" for k in range(60 if t % 50 == 0 else 0))] for t in range(tokens)]
        for i in range(n)
    ]
    model = ChainSVC().fit(X, Y)
    assert model.n_features_in_ > 600
    assert model.method_ == "likelihood"


def test_everything_of_the_estimator_works_with_the_likelihood(overlapping, tmp_path):
    X, Y, X_test, _ = overlapping
    X, Y, X_test = X[:60], Y[:60], X_test[:10]
    model = ChainSVC(method="likelihood").fit(X, Y)
    crf = ChainCRF().fit(X, Y)
    for marginals, expected in zip(model.predict_marginals(X_test), crf.predict_marginals(X_test)):  # no warning
        np.testing.assert_allclose(marginals, expected)
    np.testing.assert_allclose(model.predict_confidence(X_test), crf.predict_confidence(X_test))
    assert model.predict_kbest(X_test, 2)[0][0].score == crf.predict_kbest(X_test, 2)[0][0].score
    model.save(tmp_path / "model")
    for again in (maxmargin.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        assert again.method_ == "likelihood"
        np.testing.assert_array_equal(again.predict_marginals(X_test)[3], model.predict_marginals(X_test)[3])
    assert 0.3 < model.calibrate(X, Y).temperature_ < 3.0
    with pytest.warns(NotCalibratedWarning):
        ChainSVC(method="structural").fit(X, Y).predict_marginals(X_test)


def test_a_warm_start_keeps_the_method_and_goes_on(overlapping, text):
    X, Y = overlapping[:2]
    model = ChainSVC(warm_start=True).fit(X[:100], Y[:100])
    passes, factor = model.n_iter_, model.C_ / ChainCRF().fit(X[:100], Y[:100]).C_
    model.fit(X, Y)
    assert model.method_ == "likelihood"
    assert pytest.approx(factor * ChainCRF().fit(X, Y).C_) == model.C_
    assert model.fit(X, Y).n_iter_ <= min(passes, 3)
    kept = ChainSVC(warm_start=True).fit(*text)
    assert kept.method_ == "structural"
    assert kept.fit(X, Y).method_ == "structural"
    assert ChainSVC().fit(X, Y).method_ == "likelihood"


def test_labels_known_in_part_train_either_way(overlapping):
    X, Y = (part[:40] for part in overlapping[:2])
    partly = [[None if t == 1 else int(label) for t, label in enumerate(y)] for y in Y]
    assert ChainSVC().fit(X, partly).method_ == "structural"
    model = ChainSVC(method="likelihood").fit(X, partly)
    assert model.solution_.status is Status.LOCAL
    np.testing.assert_allclose(model.coef_, ChainCRF().fit(X, partly).coef_)


def test_limits_hold_while_candidates_are_compared(overlapping):
    X, Y = overlapping[:2]
    seen = []
    stopped = ChainSVC(callback=lambda record: seen.append(record) or len(seen) > 6)
    with pytest.warns(match="Stopped by a callback"):
        stopped.fit(X, Y)
    assert stopped.method_ == "likelihood"
    with pytest.warns(match="max_time"):
        assert pytest.approx(ChainCRF().fit(X, Y).C_) == ChainSVC(max_time=1e-6).fit(X, Y).C_

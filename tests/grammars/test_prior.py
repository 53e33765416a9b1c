"""The probability of a tree by the counts of rules as one more feature of learned parsers."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import PCFG, GrammarCRF, GrammarSVM, load
from maxmargin.datasets import make_treebank
from maxmargin.grammars.probabilities import rule_counts

TREES = make_treebank(60, seed=3)
X = [tree.tokens() for tree in TREES]


def test_scores_are_those_of_rules_and_of_the_share_of_their_logarithms():
    model = GrammarSVM(0.1, loss="hamming", prior="pcfg", features=("first",)).fit(X[:40], TREES[:40])
    pcfg = PCFG().fit(X[:40], TREES[:40])
    n = model.grammar_.n_rules
    np.testing.assert_allclose(model.prior_, pcfg.coef_)
    plain = GrammarSVM(0.1, loss="hamming", prior="pcfg").fit(X[:40], TREES[:40])
    assert plain.coef_.size == n + 1
    assert plain.coef_[n] > 0.0
    score = plain.coef_[:n] + plain.coef_[n] * plain.prior_
    own = [rule_counts(plain.grammar_, [plain.grammar_.rules_of(tree)]) @ score for tree in TREES[:40]]
    np.testing.assert_allclose(plain.decision_value(X[:40], TREES[:40]), own)


def test_with_no_other_weight_trees_are_those_of_counts():
    model = GrammarCRF(0.1, prior="pcfg", horizontal=1).fit(X[:40], TREES[:40])
    pcfg = PCFG(horizontal=1).fit(X[:40], TREES[:40])
    model.coef_ = np.zeros(model.coef_.size)
    model.coef_[model.grammar_.n_rules] = 1.0
    assert model.predict(X) == pcfg.predict(X)
    for ours, theirs in zip(model.predict_marginals(X[:5]), pcfg.predict_marginals(X[:5]), strict=True):
        assert ours == pytest.approx(theirs)


def test_the_gradient_of_the_likelihood_has_the_share_of_the_prior():
    model = GrammarCRF(prior="pcfg", features=("split",))
    _, structure = model._structure(X[:6], TREES[:6], None)
    targets = structure.targets()
    rng = np.random.default_rng(0)
    w = 0.3 * rng.standard_normal(structure.sentences.weight_count)
    gradient = np.zeros(w.size)
    targets.likelihood(w, None, 0, 6, gradient, 1)
    for k in (model.grammar_.n_rules, 0, int(np.argmax(np.abs(gradient)))):
        step = 1e-6 * np.eye(1, w.size, k)[0]
        values = [targets.likelihood(w + s * step, None, 0, 6, None, 1) for s in (1, -1)]
        assert gradient[k] == pytest.approx((values[0] - values[1]) / 2e-6, rel=1e-5, abs=1e-6)


def test_sample_weights_count_in_the_prior_too():
    weight = np.r_[np.ones(20), np.zeros(20)]
    model = GrammarSVM(0.1, loss="hamming", prior="pcfg").fit(X[:40], TREES[:40], sample_weight=weight)
    np.testing.assert_allclose(model.prior_, PCFG().fit(X[:40], TREES[:40], sample_weight=weight).coef_)


@pytest.mark.parametrize("kind", [GrammarSVM, GrammarCRF])
def test_files_keep_the_prior(kind, tmp_path):
    model = kind(0.1, prior="pcfg", features=("first",), horizontal=1).fit(X[:40], TREES[:40])
    model.save(tmp_path / "model.mm")
    again = load(tmp_path / "model.mm")
    assert again.prior == "pcfg"
    np.testing.assert_array_equal(again.prior_, model.prior_)
    assert again.predict(X[40:]) == model.predict(X[40:])
    model.set_params(prior=None).save(tmp_path / "other.mm")  # what was learned is kept, not what is asked for next
    assert load(tmp_path / "other.mm").predict(X[40:]) == model.predict(X[40:])
    with pytest.raises(ValueError, match="prior must be None or 'pcfg'"):
        kind(prior="counts").fit(X[:4], TREES[:4])

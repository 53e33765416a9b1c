"""The cut of the highest expected F-measure, by logistic regression on scores."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import fbeta_score

from maxmargin.measures.contingency import FBeta
from maxmargin.measures.modelled_cut import modelled_cut


def sample(n, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal(n)
    return scores, rng.random(n) < expit(2.0 * scores - 2.0)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_it_is_the_best_cut_of_many_rows(beta):
    scores, positive = sample(100_000)
    cut = modelled_cut(FBeta(beta), scores, positive, None)
    best = max(fbeta_score(positive, scores > place, beta=beta) for place in np.linspace(-3.0, 3.0, 61))
    assert fbeta_score(positive, scores > cut, beta=beta) == pytest.approx(best, abs=2e-3)


def test_it_follows_the_scale_and_the_place_of_the_scores():
    scores, positive = sample(80)
    cut = modelled_cut(FBeta(), scores, positive, None)
    assert modelled_cut(FBeta(), 1e6 * scores - 3.0, positive, None) == pytest.approx(1e6 * cut - 3.0, rel=1e-6)


def test_weights_are_repetitions():
    scores, positive = sample(80)
    weight = np.random.default_rng(1).integers(0, 4, 80)
    repeated = modelled_cut(FBeta(), np.repeat(scores, weight), np.repeat(positive, weight), None)
    assert modelled_cut(FBeta(), scores, positive, weight.astype(float)) == pytest.approx(repeated, rel=1e-6)


def test_classes_that_do_not_overlap_are_told_apart():
    scores = np.concatenate([np.linspace(-2.0, -1.0, 20), np.linspace(1.0, 2.0, 5)])
    assert -1.0 <= modelled_cut(FBeta(), scores, scores > 0.0, None) <= 1.0


def test_scores_that_say_nothing_have_no_cut():
    scores, positive = sample(80)
    assert modelled_cut(FBeta(), np.ones(80), positive, None) is None
    assert modelled_cut(FBeta(), -scores, positive, None) is None

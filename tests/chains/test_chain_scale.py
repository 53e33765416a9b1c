"""The default C of chain estimators."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from maxmargin import ChainCRF, ChainSVC
from maxmargin.chains.scale import TokenScale
from maxmargin.chains.sequences import pack

RNG = np.random.default_rng(0)
X = [RNG.standard_normal((length, 6)) for length in (3, 5, 2, 4)]
Y = [RNG.integers(0, 2, len(x)) for x in X]


@pytest.mark.parametrize(
    ("estimator", "ratio"),
    [
        (partial(ChainSVC, method="structural"), 2.0),
        (partial(ChainSVC, method="likelihood"), 40.0 * np.sqrt(6 / 14)),
        (ChainCRF, 40.0 * np.sqrt(6 / 14)),
    ],
)
def test_the_rule(estimator, ratio):
    cells = np.concatenate(X)
    square = np.square(cells / np.median(np.abs(cells).mean(axis=0))).sum(axis=1).mean()
    assert pytest.approx(ratio / (square + 1.0)) == estimator().fit(X, Y).C_
    assert pytest.approx(ratio / square) == estimator(fit_intercept=False).fit(X, Y).C_
    assert pytest.approx(ratio / square) == estimator(fit_intercept=False).fit([10.0 * x for x in X], Y).C_
    assert estimator(C=3.0).fit(X, Y).C_ == 3.0


def test_few_features_and_many_tokens_have_a_lower_limit():
    many = [np.tile([[1.0], [-1.0]], (250, 1)) for _ in range(2)]
    labels = [RNG.integers(0, 2, 500) for _ in many]
    assert pytest.approx(5.0 / 2.0) == ChainCRF().fit(many, labels).C_


@pytest.mark.parametrize("estimator", [ChainSVC, ChainCRF])
def test_weights_are_repetitions_and_unused_columns_do_not_count(estimator):
    weighted = estimator().fit(X, Y, sample_weight=[2.0, 0.0, 1.0, 3.0]).C_
    kept = [0, 0, 2, 3, 3, 3]
    assert weighted == pytest.approx(estimator().fit([X[i] for i in kept], [Y[i] for i in kept]).C_)
    wide = [np.hstack([x, np.zeros((len(x), 50))]) for x in X]
    assert pytest.approx(estimator().fit(X, Y).C_) == estimator().fit(wide, Y).C_


@pytest.mark.parametrize("C", ["much", -1.0, 0.0, None])
def test_refusals(C):
    with pytest.raises(ValueError, match="C must be a positive number"):
        ChainCRF(C=C).fit(X, Y)


@pytest.mark.parametrize(("n", "share"), [(4, 0.02), (9000, (12_000 / 150_000) ** 1.25)])
def test_the_tolerance_follows_the_tokens_of_other_labels_than_the_most_frequent(n, share):
    rng = np.random.default_rng(1)
    labels = [np.array([0, 0, 0, 0, 1, 2]) if i % 3 else np.array([0, 0, 0, 0, 0, 0]) for i in range(n)]
    rows = [np.eye(3)[y] + rng.standard_normal((y.size, 3)) for y in labels]
    margin = ChainSVC(solver="bcfw").fit(rows, labels).solution_
    assert margin.gap <= 0.35 * share * 0.5 * margin.w @ margin.w
    likelihood = ChainCRF(C=2.0).fit(rows, labels).solution_
    assert likelihood.gap <= 0.006 * share * max(2.0 * n, likelihood.primal)
    if n > 4:  # and no more exactly than that
        assert margin.gap > 0.02 * 0.35 * share * 0.5 * margin.w @ margin.w
        assert likelihood.gap > 0.02 * 0.006 * share * max(2.0 * n, likelihood.primal)


def test_many_labels_make_small_data_large():
    rng = np.random.default_rng(1)
    labels = [rng.integers(0, 300, 20) for _ in range(100)]
    rows = [rng.standard_normal((20, 4)) for _ in labels]
    assert TokenScale.of(pack(rows), np.concatenate(labels), None, 1.0).relative_gap == pytest.approx(0.35 * 0.3)

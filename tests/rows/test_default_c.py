"""``C="scale"`` follows the number of examples, the variances of the features and the size of the loss."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import MulticlassSVC
from maxmargin.rows.feature_scale import FeatureScale
from maxmargin.rows.matrices import as_rows


def c_of(X):
    return FeatureScale(as_rows(X, 1.0, True), None).regularisation


def expected(X):
    """The rule, column by column."""
    sizes, shares = [], []
    for column in X.T:
        if column.std() <= 1e-12 * np.abs(column).max():
            continue
        far = abs(column.mean()) > column.std()
        sizes.append(np.abs(column - column.mean()).mean() if far else np.abs(column[column != 0]).mean())
        shares.append(1.0 if far else (column != 0).mean())
    most = 3 * np.median(sizes)
    total = sum(share * min(size, most) ** 2 for size, share in zip(sizes, shares, strict=True))
    return np.clip(2 * len(X) / sum(shares) ** 2, 1, 32) / total


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(3, 80), st.integers(1, 60), st.floats(0.0, 3.0))
def test_formula(seed, n, d, spread):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, d)) + rng.standard_normal(d)) * np.exp(spread * rng.standard_normal(d))
    X[rng.random(X.shape) < rng.random(d)] = 0.0
    X[:2] = rng.standard_normal((2, d))  # every column varies
    assert c_of(X) == pytest.approx(expected(X), rel=1e-6)
    assert c_of(sp.csr_array(X)) == pytest.approx(expected(X), rel=1e-6)


def test_limits_of_the_factor():
    rng = np.random.default_rng(0)
    many = rng.standard_normal((400, 2))
    few = rng.standard_normal((6, 50))
    assert c_of(many) * (np.abs(many).mean(axis=0) ** 2).sum() == pytest.approx(32, rel=0.01)
    assert c_of(few) * 50 * np.abs(few).mean() ** 2 == pytest.approx(1, rel=0.3)


def test_constant_features_and_labels_do_not_matter():
    X = np.random.default_rng(1).standard_normal((60, 5))
    assert c_of(np.c_[X, np.full(60, 7.0), np.zeros(60)]) == pytest.approx(c_of(X))
    for classes in (2, 20):
        assert c_of(X) == MulticlassSVC().fit(X, np.arange(60) % classes).C_


def test_one_feature_of_huge_scale_does_not_decide():
    X = np.random.default_rng(2).standard_normal((60, 20))
    stretched = X * np.where(np.arange(20) == 3, 1e6, 1.0)
    assert c_of(stretched) > c_of(X) / 10  # the mean of the variances would divide it by 5e10


def test_predictions_do_not_depend_on_the_scale_of_all_features():
    rng = np.random.default_rng(3)
    y = np.arange(60) % 3
    X = rng.standard_normal((60, 4)) + rng.standard_normal((3, 4))[y]
    model = MulticlassSVC(fit_intercept=False).fit(X, y)
    larger = MulticlassSVC(fit_intercept=False).fit(128.0 * X, y)  # a power of two keeps every digit
    np.testing.assert_allclose(larger.decision_function(128.0 * X), model.decision_function(X), atol=1e-9)


def test_no_feature_varies():
    model = MulticlassSVC(fit_intercept=False).fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert model.C_ == 1.0
    np.testing.assert_array_equal(model.coef_, 0.0)


@pytest.mark.parametrize("rescaling", ["margin", "slack", "none"])
@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_predictions_do_not_depend_on_the_unit_of_the_costs(rescaling, slack):
    rng = np.random.default_rng(4)
    y = np.arange(90) % 3
    X = rng.standard_normal((90, 4)) + rng.standard_normal((3, 4))[y]
    cost = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [3.0, 1.0, 0.0]])
    options = {"rescaling": rescaling, "slack": slack, "decision": "score"}
    model = MulticlassSVC(cost=cost, tol=1e-9, **options).fit(X, y)
    unit = 1000.0 if rescaling != "none" else 1.0  # of tol and of the scores
    larger = MulticlassSVC(cost=1000.0 * cost, tol=1e-9 * unit, **options).fit(X, y)
    grows = 1.0 if rescaling != "margin" else 1000.0 if slack == "linear" else np.sqrt(1000.0)
    np.testing.assert_allclose(larger.decision_function(X) / grows, model.decision_function(X), rtol=1e-3, atol=1e-3)


def test_c_follows_the_mean_cost_of_a_mistake():
    X, y = np.random.default_rng(5).standard_normal((60, 5)), np.repeat([0, 1, 2], [30, 20, 10])
    cost = np.array([[0.0, 1.0, 2.0], [6.0, 0.0, 6.0], [3.0, 9.0, 0.0]])
    size = (30 * 1.5 + 20 * 6.0 + 10 * 6.0) / 60
    plain = MulticlassSVC(slack="linear").fit(X, y).C_
    assert pytest.approx(plain * size) == MulticlassSVC(cost=cost, decision="score").fit(X, y).C_
    assert pytest.approx(plain / size) == MulticlassSVC(cost=cost, rescaling="slack").fit(X, y).C_
    assert pytest.approx(plain / 3.0) == MulticlassSVC(cost=cost, slack="squared").fit(X, y).C_
    assert pytest.approx(plain) == MulticlassSVC(cost=1.0 - np.eye(3)).fit(X, y).C_
    only_last = MulticlassSVC(cost=cost, decision="score").fit(X, y, sample_weight=(y == 2).astype(float))
    assert (
        pytest.approx(MulticlassSVC(slack="linear").fit(X, y, sample_weight=(y == 2).astype(float)).C_ * 6.0)
        == only_last.C_
    )

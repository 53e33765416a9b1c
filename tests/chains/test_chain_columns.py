"""The units of the features of tokens: with the default C they do not matter."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import ChainCRF, ChainSVC
from maxmargin.chains.chain import ChainInput
from maxmargin.chains.sequences import pack

RNG = np.random.default_rng(3)
CENTRES = RNG.standard_normal((3, 4))
Y = [np.sort(RNG.integers(0, 3, length)) for length in RNG.integers(1, 9, 30)]
X = [CENTRES[y] + 1.5 * RNG.standard_normal((y.size, 4)) for y in Y]
BOTH = pytest.mark.parametrize("estimator", [ChainSVC, ChainCRF])


def agreement(first, second):
    return float(np.mean(np.concatenate(first) == np.concatenate(second)))


@BOTH
@settings(max_examples=12)
@given(exponent=st.integers(-40, 80), sparse=st.booleans(), intercept=st.booleans())
def test_a_power_of_two_changes_the_weights_by_its_inverse_and_nothing_else(estimator, exponent, sparse, intercept):
    plain = estimator(fit_intercept=intercept).fit(X, Y)
    factor = 2.0**exponent
    scaled = [sp.csr_array(factor * x) if sparse else factor * x for x in X]
    model = estimator(fit_intercept=intercept).fit(scaled, Y)
    assert (model.n_iter_, model.C_) == (plain.n_iter_, plain.C_)
    rows, other = plain.coef_.reshape(-1, 3), model.coef_.reshape(-1, 3)
    np.testing.assert_array_equal(other[:4] * factor, rows[:4])
    np.testing.assert_array_equal(other[4:], rows[4:])
    np.testing.assert_array_equal(np.concatenate(model.predict(scaled)), np.concatenate(plain.predict(X)))


@BOTH
@pytest.mark.parametrize(
    "change",
    [lambda x: 1e-4 * x, lambda x: 1e8 * x, lambda x: x + 1000.0, lambda x: x * [1e5, 1.0, 1e-5, 1.0]],
    ids=["small", "large", "offset", "units"],
)
def test_scale_offset_and_units_hardly_matter(estimator, change):
    plain = estimator().fit(X, Y).predict(X)
    assert agreement(estimator().fit([change(x) for x in X], Y).predict([change(x) for x in X]), plain) > 0.97


@BOTH
def test_the_weights_give_the_features_as_they_are_the_scores_of_the_problem_solved(estimator):
    far = [
        np.hstack([x, np.zeros((len(x), 1))]) * [1.0, 50.0, 1e-3, 1.0, 1.0] + [0.0, 400.0, 0.0, -3.0, 0.0] for x in X
    ]
    model = (ChainSVC(method="structural") if estimator is ChainSVC else estimator()).fit(far, Y)
    predicted, solution = model.predict(far), model.solution_
    truth = model.decision_value(far, Y)
    if estimator is ChainSVC:  # sequences of one token: the slack has three terms
        for i in (i for i, y in enumerate(Y) if y.size == 1):
            scores = np.array([model.decision_value([far[i]], [[k]])[0] for k in range(3)])
            assert solution.slack[i] == pytest.approx(np.max(scores + (np.arange(3) != Y[i][0])) - truth[i], abs=1e-6)
    else:
        lead = model.decision_value(far, predicted) - truth
        likelihood = np.log(model.predict_confidence(far)) - lead
        half_square = 0.5 * solution.w @ solution.w
        assert solution.primal == pytest.approx(half_square - model.C_ * likelihood.sum(), rel=1e-6)


@BOTH
def test_text_and_a_number_for_c_leave_the_features_alone(estimator):
    words = [[[f"w{int(k)}", "all"] for k in np.argmax(x, axis=1)] for x in X]
    text = estimator().fit(words, Y)
    np.testing.assert_array_equal(text.weights_, text.solution_.w)
    number = estimator(C=0.5).fit([x + 10.0 for x in X], Y)
    np.testing.assert_array_equal(number.weights_, number.solution_.w)


@BOTH
def test_pair_features_too(estimator):
    plain = ChainInput(pack(X), pack([x[:, :2] for x in X]))
    scaled = ChainInput(pack([4.0 * x for x in X]), pack([1024.0 * x[:, :2] for x in X]))
    assert agreement(estimator().fit(scaled, Y).predict(scaled), estimator().fit(plain, Y).predict(plain)) == 1.0

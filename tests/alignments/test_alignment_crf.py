"""AlignmentCRF against sums over all alignments, listed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from alignment_cases import LETTERS, pairs_of_letters, simple
from all_alignments import Shape, alignments
from maxmargin import Status
from maxmargin.alignments import AlignmentCRF, AlignmentSVM
from maxmargin.fitting.calibration import NotCalibratedWarning

SHAPES = [Shape(), Shape("local"), Shape("semi-global")]
shapes = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.mode)


def listed(examples, shape):
    """Features of all alignments of each example, and of its truth."""
    return [
        (
            np.array([simple(x, own[0], pairs, shape) for pairs in alignments(len(x), len(own[0]))]),
            simple(x, own[0], truth, shape),
        )
        for x, own, truth in examples
    ]


def given(examples):
    return [(x, own[0]) for x, own, _ in examples], [np.array(truth) for *_, truth in examples]


@shapes
@pytest.mark.parametrize("weighted", [False, True])
def test_the_optimum_is_that_of_all_alignments(shape, weighted):
    examples = pairs_of_letters(seed=1, n=6)
    weight = np.array([0.5, 2.0, 1.0, 0.0, 1.5, 1.0]) if weighted else np.ones(6)
    outputs = listed(examples, shape)

    def objective(w):
        values = [logsumexp(every @ w) - truth @ w for every, truth in outputs]
        slopes = [np.exp(every @ w - logsumexp(every @ w)) @ every - truth for every, truth in outputs]
        return w @ w / 2 + 0.7 * weight @ values, w + 0.7 * weight @ np.array(slopes)

    best = minimize(objective, np.zeros(5), jac=True, tol=1e-12)
    model = AlignmentCRF(0.7, alphabet=LETTERS, mode=shape.mode, tol=1e-8)
    model.fit(*given(examples), sample_weight=weight if weighted else None)
    assert model.solution_.status is Status.CONVERGED
    assert model.solution_.primal == pytest.approx(best.fun, rel=1e-7)
    np.testing.assert_allclose(model.coef_, best.x, atol=1e-3)


@shapes
def test_probabilities_are_shares_of_all_alignments(shape):
    examples = pairs_of_letters(seed=2, n=5)
    X, y = given(examples)
    model = AlignmentCRF(0.7, alphabet=LETTERS, mode=shape.mode).fit(X, y)
    outputs = listed(examples, shape)
    confidence = model.predict_confidence(X)
    for i, ((a, b), marginals) in enumerate(zip(X, model.predict_marginals(X))):
        scores = outputs[i][0] @ model.coef_
        chance = np.exp(scores - logsumexp(scores))
        expected = np.zeros((len(a), len(b)))
        for share, pairs in zip(chance, alignments(len(a), len(b))):
            for pair in pairs:
                expected[pair] += share
        np.testing.assert_allclose(marginals, expected, atol=1e-10)
        assert confidence[i] == pytest.approx(chance.max())
    values = model.decision_value(X, y)
    np.testing.assert_allclose(values, [truth @ model.coef_ for _, truth in outputs], atol=1e-12)


def test_samples_have_their_probabilities():
    examples = pairs_of_letters(seed=3, n=1)
    X, y = given(examples)
    model = AlignmentCRF(0.7, alphabet=LETTERS).fit(X, y)
    (every, _) = listed(examples, Shape())[0]
    chance = np.exp(every @ model.coef_ - logsumexp(every @ model.coef_))
    names = [tuple(pairs) for pairs in alignments(len(X[0][0]), len(X[0][1]))]
    drawn = [tuple(own) for own in model.sample(X, n_samples=20_000, random_state=1)[0]]
    counts = np.array([drawn.count(name) for name in names]) / len(drawn)
    np.testing.assert_allclose(counts, chance, atol=5 * np.sqrt(0.25 / len(drawn)))
    again = model.sample(X, n_samples=5, random_state=1)[0]
    assert again == model.sample(X, n_samples=5, random_state=1)[0]


def test_a_support_vector_machine_says_that_its_probabilities_are_not_calibrated():
    examples = pairs_of_letters(seed=4, n=9)
    X, y = given(examples)
    model = AlignmentSVM(0.5, alphabet=LETTERS).fit(X, y)
    with pytest.warns(NotCalibratedWarning, match="calibrate"):
        model.predict_marginals(X)
    model.calibrate(X, y)
    assert model.temperature_ != 1.0
    marginals = model.predict_marginals(X)
    assert all(own.min() >= 0.0 and own.max() <= 1.0 + 1e-9 for own in marginals)


def test_threads_give_the_same():
    examples = pairs_of_letters(seed=5, n=7)
    X, y = given(examples)
    one, three = (AlignmentCRF(0.7, alphabet=LETTERS, n_jobs=n, tol=1e-8).fit(X, y) for n in (1, 3))
    np.testing.assert_allclose(one.coef_, three.coef_, atol=1e-6)
    three.coef_ = one.coef_
    for a, b in zip(one.predict_marginals(X), three.predict_marginals(X)):
        np.testing.assert_array_equal(a, b)
    assert one.predict(X) == three.predict(X)

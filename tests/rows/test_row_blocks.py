"""Passes over blocks of rows: every number of rows, labels and columns, and every form of rows, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp, softmax

from maxmargin import _core
from maxmargin.rows.feature_scale import packed

FORMS = {
    "double": lambda X: X,
    "single": lambda X: X.astype(np.float32),
    "sparse": sp.csr_array,
}


def _drawn(n, d, k, seed, form):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)), 2).astype(np.float32).astype(np.float64)
    rows = packed(FORMS[form](X))
    rows.set_bias(0.5)
    Z = np.c_[X, np.full(n, 0.5)]
    w = np.zeros((d + 1, _core.padded(k)))
    w[:, :k] = rng.normal(size=(d + 1, k))
    return rng, rows, Z, w


@pytest.mark.parametrize("form", FORMS)
@given(
    n=st.integers(1, 150), d=st.integers(1, 20), k=st.integers(2, 40), seed=st.integers(0, 9), weighted=st.booleans()
)
@settings(max_examples=40)
def test_the_likelihood_and_its_gradient(form, n, d, k, seed, weighted):
    rng, rows, Z, w = _drawn(n, d, k, seed, form)
    y = rng.integers(0, k, n).astype(np.int32)
    weight = rng.integers(0, 3, n).astype(np.float64) if weighted else None
    core, gradient = _core.ClassLikelihood(rows, y, weight, k), np.zeros(w.size)
    value = core.sum(w.ravel(), gradient, 0, n, 1)
    scores, s = Z @ w[:, :k], np.ones(n) if weight is None else weight
    np.testing.assert_allclose(value, s @ (logsumexp(scores, axis=1) - scores[np.arange(n), y]), rtol=1e-10, atol=1e-9)
    wanted = Z.T @ (s[:, None] * (softmax(scores, axis=1) - np.eye(k)[y]))
    found = gradient.reshape(w.shape)
    np.testing.assert_allclose(found[:, :k], wanted, atol=1e-9)
    assert not found[:, k:].any()
    np.testing.assert_allclose(rows.scores(w.ravel(), k, 1).reshape(n, k), scores, atol=1e-10)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("threads", [1, 3])
def test_values_of_large_scores_keep_their_digits(form, threads):
    """The scores are a million times what their differences are."""
    rng, rows, Z, w = _drawn(500, 4, 3, 0, form)
    w[:, :3] += 1e6
    y = rng.integers(0, 3, 500).astype(np.int32)
    scores = Z @ w[:, :3]
    wanted = (logsumexp(scores, axis=1) - scores[np.arange(500), y]).sum()
    found = _core.ClassLikelihood(rows, y, None, 3).sum(w.ravel(), None, 0, 500, threads)
    assert found == pytest.approx(wanted, rel=1e-8)


@pytest.mark.parametrize("form", FORMS)
def test_dual_ascent_starts_from_the_distributions_at_given_weights(form):
    rng, rows, Z, w = _drawn(137, 5, 6, 1, form)
    y = rng.integers(0, 6, 137).astype(np.int32)
    weight = rng.integers(0, 3, 137).astype(np.float64)
    dual = _core.ClassDual(_core.ClassLikelihood(rows, y, weight, 6), 0.7)
    dual.start(w.ravel())
    left = np.eye(6)[y] - softmax(Z @ w[:, :6], axis=1)
    wanted = Z.T @ (0.7 * weight[:, None] * left)
    np.testing.assert_allclose(np.asarray(dual.weights).reshape(w.shape)[:, :6], wanted, atol=1e-4)

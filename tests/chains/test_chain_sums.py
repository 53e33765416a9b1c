"""Sums over all labellings of a chain: log-partition, marginals, likelihood, gradient, against the list of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from chain_cases import CASES, make_case
from maxmargin.chains.chain import Chain, ChainInput

QUICK = settings(max_examples=80)


def enumerated(case, i, temperature=1.0, allowed=None):
    """(log-partition, marginals) of one sequence; ``allowed`` is a mask of its outputs."""
    scores = case.scores(i) / temperature
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    total = logsumexp(scores)
    probability = np.exp(scores - total)
    outputs, length = case.outputs(i), len(case.Y[i])
    marginals = np.zeros((length, case.chain.n_labels))
    for t in range(length):
        np.add.at(marginals[t], outputs[:, t], probability)
    return total, marginals


@given(case=CASES, temperature=st.sampled_from([1.0, 0.5, 3.0, 0.01]))
@QUICK
def test_log_partition_and_marginals(case, temperature):
    found, log_sums, impossible = case.core().marginals(case.native, temperature, None, None, 1)
    assert impossible == -1
    found = np.split(found.reshape(-1, case.chain.n_labels), case.X.tokens.offsets[1:-1])
    for i in range(case.n):
        total, marginals = enumerated(case, i, temperature)
        assert log_sums[i] == pytest.approx(total, rel=1e-12, abs=1e-10)
        np.testing.assert_allclose(found[i], marginals, atol=1e-10)


@given(case=CASES, exponent=st.sampled_from([0, 0, 3]))
@QUICK
def test_likelihood_and_its_gradient(case, exponent):
    """The gradient is the expectation of ``Psi`` less that of the truth, sequence by sequence."""
    case.w *= 10.0**exponent
    weight = np.linspace(0.0, 2.0, case.n)
    gradient, losses = np.zeros(case.native.size), np.zeros(case.n)
    value = case.core().likelihood(case.native, weight, gradient, losses, 1)
    expected = np.zeros(case.w.size)
    for i, truth in enumerate(case.Y):
        scores = case.scores(i)
        total = logsumexp(scores)
        assert losses[i] == pytest.approx(total - case.score(i, truth), rel=1e-12, abs=1e-10)
        psi = case.chain.joint_features(case.X, np.full(len(scores), i, np.int32), case.outputs(i).ravel())
        own = case.chain.joint_feature(case.problem_input(i), tuple(truth)).toarray().ravel()
        expected += weight[i] * (psi.T @ np.exp(scores - total) - own)
    assert value == pytest.approx(float(weight @ losses), abs=1e-10)
    np.testing.assert_allclose(case.chain.public_weights(gradient), expected, atol=1e-10 if exponent == 0 else 1e-8)
    padding = gradient.reshape(case.chain.rows, -1)[:, case.chain.n_labels :]
    assert not padding.any()
    again = gradient.copy()  # the gradient is added to what is there
    case.core().likelihood(case.native, weight, again, None, 1)
    np.testing.assert_allclose(again, 2.0 * gradient, atol=1e-10)


@given(case=CASES)
@settings(max_examples=25)
def test_the_gradient_by_finite_differences(case):
    core, native = case.core(), case.native
    gradient = np.zeros(native.size)
    core.likelihood(native, None, gradient, None, 1)
    rng = np.random.default_rng(0)
    for _ in range(4):
        direction = case.chain.from_public(rng.standard_normal(case.w.size))
        step = 1e-5 / (1.0 + np.abs(case.w).max())
        ahead = core.likelihood(native + step * direction, None, None, None, 1)
        behind = core.likelihood(native - step * direction, None, None, None, 1)
        slope = gradient @ direction
        assert (ahead - behind) / (2.0 * step) == pytest.approx(slope, rel=1e-4, abs=1e-4 * (1 + abs(slope)))


@given(case=CASES, exponent=st.integers(1, 4))
@QUICK
def test_scores_far_apart(case, exponent):
    """Where exp underflows: probabilities of 0 and 1, ties, and the logarithm of the sum keep their values."""
    case.w *= 10.0**exponent
    found, log_sums, impossible = case.core().marginals(case.native, 1.0, None, None, 1)
    assert impossible == -1
    found = np.split(found.reshape(-1, case.chain.n_labels), case.X.tokens.offsets[1:-1])
    for i in range(case.n):
        total, marginals = enumerated(case, i)
        assert log_sums[i] == pytest.approx(total, rel=1e-12, abs=1e-9)
        np.testing.assert_allclose(found[i], marginals, atol=1e-8)


def node_chain(nodes, steps):
    """A chain whose scores are those given: token t is the t-th unit vector."""
    length, labels = nodes.shape
    chain = Chain(labels, length, ends=False)
    w = np.vstack([nodes, np.zeros((2, labels)), steps])
    return chain.core(ChainInput.of([np.eye(length)])), chain.from_public(w.ravel())


def test_every_path_may_be_far_below_the_best_label_of_each_token():
    core, w = node_chain(np.array([[0.0, -1000.0], [-1000.0, 0.0]]), np.array([[0.0, -1000.0], [0.0, 0.0]]))
    found, log_sum, impossible = core.marginals(w, 1.0, None, None, 1)  # 00, 01 and 11 score -1000, 10 scores -2000
    assert impossible == -1
    assert log_sum[0] == pytest.approx(-1000.0 + np.log(3.0))
    np.testing.assert_allclose(found, [2 / 3, 1 / 3, 1 / 3, 2 / 3])


def late_starter(step):
    """Three tokens; label 1 starts 1000 behind, label 0 pays ``step`` for each further token."""
    nodes = np.array([[0.0, -1000.0], [0.0, 0.0], [0.0, 0.0]])
    return node_chain(nodes, np.array([[step, -5000.0], [-5000.0, 0.0]]))


def test_a_path_that_starts_far_behind_may_win():
    """Its start is e^-1000 of the other, which the two steps that follow make good."""
    core, w = late_starter(-700.0)
    found, log_sum, _ = core.marginals(w, 1.0, None, None, 1)  # 111 scores -1000, 000 scores -1400
    assert log_sum[0] == pytest.approx(-1000.0)
    np.testing.assert_allclose(found.reshape(3, 2), [[0, 1]] * 3, atol=1e-12)


def test_a_path_that_starts_far_behind_may_draw_level():
    core, w = late_starter(-500.0)
    found, log_sum, _ = core.marginals(w, 1.0, None, None, 1)  # 111 and 000 score -1000
    assert log_sum[0] == pytest.approx(-1000.0 + np.log(2.0))
    np.testing.assert_allclose(found, 0.5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("labels", [24, 25, 40, 67, 72])
def test_many_labels_against_plain_recursions(labels, weighted):
    rng = np.random.default_rng(labels)
    weight = np.array([1.0, 0.3, 2.5]) if weighted else np.ones(3)
    chain = Chain(labels, 5, constant=1.0)
    X = [rng.standard_normal((length, 5)) for length in (1, 2, 60)]
    truth = np.concatenate([rng.integers(0, labels, len(x)) for x in X]).astype(np.int32)
    w = 0.5 * rng.standard_normal((chain.rows, labels))
    core, native = chain.core(ChainInput.of(X), truth), chain.from_public(w.ravel())
    marginals, log_sums, _ = core.marginals(native, 1.0, None, None, 1)
    gradient = np.zeros(native.size)
    value = core.likelihood(native, weight if weighted else None, gradient, None, 1)
    expected_value, expected = 0.0, np.zeros_like(w)
    at = 0
    for i, x in enumerate(X):
        length, y = len(x), truth[at : at + len(x)]
        nodes = x @ w[:5] + w[5]
        nodes[0] += w[6]
        nodes[-1] += w[7]
        before, after = [nodes[0]], [np.zeros(labels)]
        for t in range(1, length):
            before.append(logsumexp(before[-1][:, None] + w[8:], axis=0) + nodes[t])
            after.append(logsumexp(w[8:] + (nodes[length - t] + after[-1])[None, :], axis=1))
        after.reverse()
        total = logsumexp(before[-1])
        single = np.exp(np.array(before) + np.array(after) - total)
        assert log_sums[i] == pytest.approx(total, abs=1e-10)
        np.testing.assert_allclose(marginals.reshape(-1, labels)[at : at + length], single, atol=1e-11)
        expected_value += weight[i] * (total - nodes[np.arange(length), y].sum() - w[8 + y[:-1], y[1:]].sum())
        less = single.copy()
        less[np.arange(length), y] -= 1.0
        less *= weight[i]
        expected[:5] += x.T @ less
        expected[5] += less.sum(axis=0)
        expected[6] += less[0]
        expected[7] += less[-1]
        for t in range(1, length):
            expected[8:] += weight[i] * np.exp(before[t - 1][:, None] + w[8:] + nodes[t] + after[t] - total)
            expected[8 + y[t - 1], y[t]] -= weight[i]
        at += length
    assert value == pytest.approx(expected_value, abs=1e-9)
    np.testing.assert_allclose(chain.public_weights(gradient).reshape(w.shape), expected, atol=1e-9)


def test_long_sequences_neither_overflow_nor_vanish():
    case = make_case(labels=3, lengths=(1,) * 12, seed=3)
    rng = np.random.default_rng(0)
    x = rng.standard_normal((5000, 3))
    core = case.chain.core(ChainInput.of([x]))
    marginals, log_sum, _ = core.marginals(case.native, 1.0, None, None, 1)
    np.testing.assert_allclose(marginals.reshape(-1, 3).sum(axis=1), 1.0, atol=1e-10)
    nodes = x @ case.w[:3]
    total = nodes[0] + case.w[3]
    for row in nodes[1:]:
        total = logsumexp(total[:, None] + case.w[5:], axis=0) + row
    assert log_sum[0] == pytest.approx(logsumexp(total + case.w[4]), rel=1e-12)

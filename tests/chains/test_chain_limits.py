"""Labels that are known, and steps that are allowed: decoding and marginals against the outputs that remain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from chain_cases import CASES, make_case

QUICK = settings(max_examples=80)


def masks(case, seed, which):
    """Random limits: which label a token may have, and which may follow which (last row start, last column end)."""
    rng = np.random.default_rng(seed)
    labels = case.chain.n_labels
    known = (rng.random((case.codes.size, labels)) < 0.7).astype(np.uint8)
    steps = (rng.random((labels + 1, labels + 1)) < 0.75).astype(np.uint8)
    return known if "k" in which else None, steps if "s" in which else None


def remaining(case, i, known, steps):
    """Whether each output of sequence i is allowed."""
    outputs = case.outputs(i)
    allowed = np.ones(len(outputs), dtype=bool)
    first, length = case.X.tokens.offsets[i], outputs.shape[1]
    for t in range(length):
        if known is not None:
            allowed &= known[first + t, outputs[:, t]] > 0
        if steps is not None and t:
            allowed &= steps[outputs[:, t - 1], outputs[:, t]] > 0
    if steps is not None:
        allowed &= (steps[-1, outputs[:, 0]] > 0) & (steps[outputs[:, -1], -1] > 0)
    return allowed


LIMITS = {"seed": st.integers(0, 1000), "which": st.sampled_from(["k", "s", "ks"])}


@given(case=CASES, k=st.sampled_from([1, 2, 5]), **LIMITS)
@QUICK
def test_decoding(case, k, seed, which):
    known, steps = masks(case, seed, which)
    labels, scores, impossible = case.core().decode(case.native, k, known, steps, 1)
    possible = [remaining(case, i, known, steps) for i in range(case.n)]
    empty = [i for i, allowed in enumerate(possible) if not allowed.any()]
    assert impossible == (empty[0] if empty else -1)
    for i, allowed in enumerate(possible):
        begin, end = case.X.tokens.offsets[i : i + 2]
        best = -np.sort(-case.scores(i)[allowed])[:k]
        found = labels.reshape(k, -1)[: best.size, begin:end]
        np.testing.assert_allclose(scores.reshape(-1, k)[i, : best.size], best, atol=1e-11)
        assert (scores.reshape(-1, k)[i, best.size :] == -np.inf).all()
        assert all(allowed[case.place(i, y)] for y in found)
        assert len({tuple(y) for y in found.tolist()}) == best.size
        np.testing.assert_allclose([case.score(i, y) for y in found], best, atol=1e-11)


@given(case=CASES, exponent=st.sampled_from([0, 0, 3]), temperature=st.sampled_from([1.0, 2.0]), **LIMITS)
@QUICK
def test_marginals(case, exponent, temperature, seed, which):
    case.w *= 10.0**exponent
    known, steps = masks(case, seed, which)
    found, log_sums, impossible = case.core().marginals(case.native, temperature, known, steps, 1)
    found = np.split(found.reshape(-1, case.chain.n_labels), case.X.tokens.offsets[1:-1])
    empty = []
    for i in range(case.n):
        allowed = remaining(case, i, known, steps)
        if not allowed.any():
            empty.append(i)
            assert log_sums[i] == -np.inf
            continue
        scores = np.where(allowed, case.scores(i) / temperature, -np.inf)
        total = logsumexp(scores)
        assert log_sums[i] == pytest.approx(total, rel=1e-12, abs=1e-9)
        expected = np.zeros_like(found[i])
        for t in range(len(expected)):
            np.add.at(expected[t], case.outputs(i)[:, t], np.exp(scores - total))
        np.testing.assert_allclose(found[i], expected, atol=1e-8)
    assert impossible == (empty[0] if empty else -1)


def test_several_threads_name_the_first_impossible_sequence():
    case = make_case(labels=2, lengths=(2,) * 9)
    known = np.ones((18, 2), np.uint8)
    for i in (4, 5, 8):
        known[2 * i] = 0
    for threads in (1, 2, 5):
        assert case.core().decode(case.native, 1, known, None, threads)[2] == 4
        assert case.core().decode(case.native, 2, known, None, threads)[2] == 4
        assert case.core().marginals(case.native, 1.0, known, None, threads)[2] == 4

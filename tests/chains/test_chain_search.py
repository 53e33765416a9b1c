"""The searches over labelled chains against the list of all outputs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain_cases import CASES, FORMULATIONS, make_case
from maxmargin.chains.chain import Chain

QUICK = settings(max_examples=80)


@given(case=CASES)
@QUICK
def test_joint_features_and_path_scores(case):
    found = case.core().path_scores(case.native, case.codes)
    np.testing.assert_allclose(found, [case.score(i, y) for i, y in enumerate(case.Y)], atol=1e-11)
    for i in range(case.n):
        assert [tuple(y) for y in case.outputs(i)] == list(case.chain.outputs(case.problem_input(i)))
        for y in case.outputs(i)[:: max(1, len(case.outputs(i)) // 5)]:
            psi = case.chain.joint_feature(case.problem_input(i), tuple(y)).toarray()
            assert psi.shape == (1, case.w.size)
            assert float(psi[0] @ case.w.ravel()) == pytest.approx(case.score(i, y), abs=1e-11)
            assert case.chain.loss(tuple(case.Y[i]), tuple(y)) == pytest.approx(case.losses(i)[case.place(i, y)])


@given(case=CASES)
@QUICK
def test_the_best_output(case):
    labels, scores, impossible = case.core().decode(case.native, 1, None, None, 1)
    assert impossible == -1
    for i, found in enumerate(np.split(labels, case.X.tokens.offsets[1:-1])):
        assert scores[i] == pytest.approx(case.scores(i).max(), abs=1e-11)
        assert case.score(i, found) == pytest.approx(scores[i], abs=1e-11)
        one = case.chain.argmax(case.problem_input(i), case.w.ravel())
        assert case.score(i, one) == pytest.approx(scores[i], abs=1e-11)


@given(case=CASES)
@QUICK
def test_the_best_output_with_its_loss(case):
    for i, truth in enumerate(case.Y):
        found = case.chain.argmax(case.problem_input(i), case.w.ravel(), tuple(truth.tolist()))
        augmented = case.scores(i) + case.losses(i)
        assert augmented[case.place(i, found)] == pytest.approx(augmented.max(), abs=1e-11)


@given(case=CASES)
@QUICK
def test_the_best_output_in_single_precision(case):
    labels, scores, _ = case.core().decode(case.native.astype(np.float32), 1, None, None, 1)
    for i, found in enumerate(np.split(labels, case.X.tokens.offsets[1:-1])):
        size = 1e-5 * (1.0 + np.abs(case.scores(i)).max())
        assert case.score(i, found) == pytest.approx(case.scores(i).max(), abs=size)
        assert scores[i] == pytest.approx(case.score(i, found), abs=size)


@given(case=CASES, k=st.sampled_from([2, 3, 7, 40]))
@QUICK
def test_the_k_best_outputs(case, k):
    labels, scores, _ = case.core().decode(case.native, k, None, None, 1)
    for i in range(case.n):
        begin, end = case.X.tokens.offsets[i : i + 2]
        ranked, score = labels.reshape(k, -1)[:, begin:end], scores.reshape(-1, k)[i]
        best = -np.sort(-case.scores(i))[:k]
        there = best.size  # fewer than k where there are fewer outputs
        np.testing.assert_allclose(score[:there], best, atol=1e-11)
        assert (score[there:] == -np.inf).all()
        assert len({tuple(y) for y in ranked[:there].tolist()}) == there
        np.testing.assert_allclose([case.score(i, y) for y in ranked[:there]], best, atol=1e-11)
        listed = case.chain.kbest(case.problem_input(i), case.w.ravel(), k)
        assert listed == [tuple(y) for y in ranked[:there].tolist()]


@given(case=CASES, formulation=st.sampled_from(FORMULATIONS))
@settings(max_examples=200)
def test_the_most_violated_output_of_every_formulation(case, formulation):
    slack, labels = case.bind(formulation).worst(case.native, case.everyone)
    np.testing.assert_allclose(slack, case.slacks(formulation), atol=1e-10)
    for i, found in enumerate(np.split(labels, case.X.tokens.offsets[1:-1])):
        value = case.values(i, formulation)[case.place(i, found)]
        assert value == pytest.approx(slack[i], abs=1e-10)
        assert slack[i] > 0.0 or (found == case.Y[i]).all()


def test_a_mistake_that_costs_nothing_may_be_the_most_violated_one():
    """With squared slack and margin rescaling an output of loss 0 has the margin 0, and a violation all the same."""
    chain = Chain(2, 1, cost=[[0.0, 0.0], [1.0, 0.0]], ends=False)
    w = np.zeros((chain.rows, 2))
    w[0] = [0.0, 3.0]
    for formulation, expected in zip(FORMULATIONS, [3.0, 3.0, 0.0, 0.0, 4.0, 4.0, 4.0], strict=True):
        oracle = chain.bind([np.ones((1, 1))], np.zeros(1, np.int32), formulation)
        assert oracle.slacks(chain.from_public(w.ravel())) == pytest.approx([expected]), formulation


def viterbi(nodes: np.ndarray, steps: np.ndarray) -> tuple[list[int], float]:
    """The textbook's recursion; ``steps[a, b]`` is the score of b after a."""
    best, back = nodes[0], []
    for row in nodes[1:]:
        through = best[:, None] + steps
        back.append(through.argmax(axis=0))
        best = through.max(axis=0) + row
    path = [int(best.argmax())]
    for step in reversed(back):
        path.append(int(step[path[-1]]))
    return path[::-1], float(best.max())


@pytest.mark.parametrize("labels", [24, 25, 40])
@pytest.mark.parametrize("eta", [1.0, 0.7])
def test_many_labels_against_a_plain_recursion(labels, eta):
    rng = np.random.default_rng(labels)
    chain = Chain(labels, 6, eta=eta)
    X = [rng.standard_normal((length, 6)) for length in (1, 2, 31, 70)]
    w = rng.standard_normal((chain.rows, labels))
    truth = np.concatenate([rng.integers(0, labels, len(x)) for x in X]).astype(np.int32)
    oracle = chain.bind(X, truth, FORMULATIONS[0])
    native = chain.from_public(w.ravel())
    core = chain.core(oracle.X, truth)
    offsets = oracle.X.tokens.offsets
    found = np.split(core.decode(native, 1, None, None, 1)[0], offsets[1:-1])
    ranked, scores, _ = core.decode(native, 3, None, None, 1)
    slack = oracle.slacks(native)
    own = core.path_scores(native, truth)
    for i, x in enumerate(X):
        nodes = x @ w[:6]
        nodes[0] += eta * w[6]
        nodes[-1] += eta * w[7]
        path, score = viterbi(nodes, eta * w[8:])
        assert found[i].tolist() == path
        assert scores.reshape(-1, 3)[i, 0] == pytest.approx(score, abs=1e-10)
        assert ranked.reshape(3, -1)[0, offsets[i] : offsets[i + 1]].tolist() == path
        augmented = nodes + 1.0
        augmented[np.arange(len(x)), truth[offsets[i] : offsets[i + 1]]] -= 1.0
        assert slack[i] == pytest.approx(viterbi(augmented, eta * w[8:])[1] - own[i], abs=1e-10)


@pytest.mark.parametrize("labels", [7, 13])
def test_second_order_is_a_first_order_chain_of_pairs_of_labels(labels):
    """The labels of a chain of order 2, taken two by two, are a chain of order 1."""
    rng = np.random.default_rng(labels)
    chain = Chain(labels, 4, order=2, ends=False)
    x = rng.standard_normal((20, 4))
    w = rng.standard_normal((chain.rows, labels))
    nodes, single, double = x @ w[:4], w[6 : 6 + labels], w[6 + labels :].reshape(labels, labels, labels)
    pairs = (nodes[1:, None, :] + single).reshape(19, -1)
    pairs[0] += np.repeat(nodes[0], labels)
    steps = np.full((labels, labels, labels, labels), -np.inf)
    for b in range(labels):
        steps[:, b, b, :] = double[:, b, :]
    path, _ = viterbi(pairs, steps.reshape(labels**2, labels**2))
    expected = [path[0] // labels, *(state % labels for state in path)]
    assert list(chain.argmax(x, w.ravel())) == expected


def test_a_chain_says_what_is_wrong_with_its_parameters():
    for options, words in [
        ({"n_labels": 0}, "n_labels must be at least 1, not 0"),
        ({"order": 4}, "order must be 1, 2 or 3, not 4"),
        ({"eta": -1.0}, "eta must be a finite number of at least 0"),
        ({"eta": np.nan}, "eta must be a finite number of at least 0"),
        ({"n_labels": 100, "order": 3}, "100,000,000 weights"),
        ({"cost": np.ones((2, 2))}, r"cost has shape \(2, 2\)"),
        ({"cost": np.ones((3, 3))}, "the right answer must cost 0"),
    ]:
        with pytest.raises(ValueError, match=words):
            Chain(**{"n_labels": 3, "n_features": 2, **options})
    chain, X = Chain(3, 2), [np.ones((2, 2)), np.ones((1, 2))]
    for labels, words in [
        ([0, 1], "X has 3 tokens and Y has 2 labels"),
        ([0, 1, 3], "The label of token 2 is 3; labels are 0 to 2"),
        ([0, -1, 1], "The label of token 1 is -1"),
        ([0.0, 1.0, 1.0], "label numbers"),
    ]:
        with pytest.raises(ValueError, match=words):
            chain.bind(X, labels, FORMULATIONS[0])
    with pytest.raises(ValueError, match="X has 3 features, but 2 are expected"):
        chain.bind([np.ones((2, 3))], [0, 1], FORMULATIONS[0])
    pairs = make_case(pairs=2)
    with pytest.raises(ValueError, match="X has 2 pair features, but 0 are expected"):
        Chain(3, 3).bind(pairs.X, pairs.codes, FORMULATIONS[0])

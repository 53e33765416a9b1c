"""Non-projective trees and matchings against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from enumerated_choices import CASES, all_trees, table_value
from maxmargin import StructuralSVM, Unsupported, check_problem
from maxmargin.fitting.calibration import NotCalibratedWarning
from maxmargin.programs.matching_problem import MatchingProblem
from maxmargin.programs.tree_problem import TreeProblem


@pytest.mark.parametrize(("name", "problem", "outputs"), CASES, ids=[case[0] for case in CASES])
@settings(max_examples=60)
@given(data=st.data())
def test_searches_and_sums_are_those_of_all_outputs(name, problem, outputs, data):
    n = data.draw(st.integers(1, 4))
    cell = st.floats(-50, 50) | st.integers(-2, 2)
    table = np.array(data.draw(st.lists(cell, min_size=n * (n + 1), max_size=n * (n + 1))), dtype=np.float64)
    x, w = table.reshape(n, n + 1, 1), np.ones(1)
    table = table.reshape(n, n + 1)
    ways = outputs(n)
    values = np.array([table_value(table, y) for y in ways])
    best = problem.argmax(x, w)
    assert tuple(best) in ways
    assert table_value(table, tuple(best)) == pytest.approx(values.max(), abs=1e-9)
    truth = ways[data.draw(st.integers(0, len(ways) - 1))]
    losses = np.array([problem.loss(truth, y) for y in ways])
    augmented = problem.argmax(x, w, np.array(truth))
    reached = table_value(table, tuple(augmented)) + problem.loss(truth, augmented)
    assert reached == pytest.approx((values + losses).max(), abs=1e-9)
    k = data.draw(st.integers(1, 6))
    found = problem.kbest(x, w, k)
    assert len({tuple(y) for y in found}) == len(found) == min(k, len(ways))
    assert {tuple(y) for y in found} <= set(ways)
    assert [table_value(table, tuple(y)) for y in found] == pytest.approx(sorted(values)[::-1][:k], abs=1e-9)
    weights = np.exp(values - values.max())
    assert problem.log_partition(x, w) == pytest.approx(values.max() + np.log(weights.sum()), abs=1e-9)
    p = np.zeros((n, n + 1))
    for y, weight in zip(ways, weights / weights.sum()):
        for i, j in enumerate(y):
            if j >= 0:
                p[i, j] += weight
    np.testing.assert_allclose(problem.marginals(x, w), p, atol=1e-9)
    every = np.array(ways)
    expected = (every[:, None, :] != every[None, :, :]).sum(axis=2) @ (weights / weights.sum())
    chosen = ways.index(tuple(problem.minimum_risk(x, w)))
    assert expected[chosen] == pytest.approx(expected.min(), abs=1e-9)


@pytest.mark.parametrize("single_root", [True, False])
@settings(max_examples=100)
@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([1.0, 40.0, 900.0]))
def test_trees_with_forbidden_arcs_and_far_scores(single_root, seed, scale):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    table = scale * rng.standard_normal((n, n + 1))
    table[rng.random(table.shape) < 0.35] = -np.inf
    problem = TreeProblem(single_root=single_root)
    ways = all_trees(n, single_root)
    values = np.array([table_value(table, y) for y in ways])
    found = problem.best_choices([table])[0]
    log_sum, marginals = problem.sums(table)
    if values.max() == -np.inf:
        assert found is None
        assert log_sum == -np.inf
        assert not marginals.any()
        return
    assert table_value(table, tuple(found)) == pytest.approx(values.max(), abs=1e-8)
    weights = np.exp(values - values.max())
    assert log_sum == pytest.approx(values.max() + np.log(weights.sum()), abs=1e-7)
    p = np.zeros((n, n + 1))
    for y, weight in zip(ways, weights / weights.sum()):
        p[np.arange(n), y] += weight
    np.testing.assert_allclose(marginals, p, atol=1e-9)


def test_a_cycle_that_nearly_nothing_leaves_keeps_its_digits():
    """The usual inverse of the Laplacian loses all of them here."""
    table = np.array([[0.0, 0.0, 90.0], [1.0, 90.0, 0.0]])
    log_sum, marginals = TreeProblem().sums(table)
    p = 1.0 / (1.0 + np.exp(1.0))
    assert log_sum == pytest.approx(90.0 + np.log(1.0 + np.exp(1.0)), rel=1e-15)
    np.testing.assert_allclose(marginals, [[p, 0, 1 - p], [1 - p, p, 0]], rtol=1e-14)


@pytest.mark.parametrize(("name", "problem", "outputs"), CASES, ids=[case[0] for case in CASES])
def test_samples_follow_the_marginals(name, problem, outputs):
    x = np.random.default_rng(0).standard_normal((3, 4, 1))
    drawn = problem.sample(x, np.ones(1), 3000, random_state=1)
    assert {tuple(y) for y in drawn} <= set(outputs(3))
    shares = np.stack([(drawn == h).mean(axis=0) for h in range(4)], axis=1)
    p = problem.marginals(x, np.ones(1))
    assert (np.abs(shares - p) < 4.5 * np.sqrt(p * (1 - p) / 3000) + 1e-12).all()


@pytest.mark.parametrize(("name", "problem", "outputs"), CASES, ids=[case[0] for case in CASES])
def test_the_estimator_has_the_predictions_of_its_problem(name, problem, outputs):
    X = [np.random.default_rng(seed).standard_normal((3, 4, 2)) for seed in range(4)]
    Y = [np.array(outputs(3)[k]) for k in range(4)]
    model = StructuralSVM(problem, C=1.0, tol=1e-3).fit(X, Y)
    with pytest.warns(NotCalibratedWarning, match=r"call calibrate\(X, y\)"):
        np.testing.assert_array_equal(model.predict_marginals(X[:1])[0], problem.marginals(X[0], model.coef_))
    model.calibrate(X, Y, folds=2)
    w = model.coef_ / model.temperature_
    for x, found, risk in zip(X, model.predict_marginals(X), model.predict(X, decode="risk")):
        np.testing.assert_array_equal(found, problem.marginals(x, w))
        np.testing.assert_array_equal(risk, problem.minimum_risk(x, w))
    drawn = model.sample(X, n_samples=3, random_state=5)
    assert [len(each) for each in drawn] == [3] * 4
    assert all(tuple(y) in set(outputs(3)) for each in drawn for y in each)
    assert all((a == b).all() for a, b in zip(drawn[0], model.sample(X, n_samples=3, random_state=5)[0]))


def test_a_problem_without_probabilities_has_no_marginals():
    class Plain:
        def joint_feature(self, x, y):
            return np.array([x * y])

        def loss(self, y_true, y):
            return float(y != y_true)

        def argmax(self, x, w, y_true=None):
            return max((0, 1), key=lambda y: w[0] * x * y + (0.0 if y_true is None else self.loss(y_true, y)))

    model = StructuralSVM(Plain(), C=1.0).fit([1.0, -1.0], [1, 0])
    assert not hasattr(model, "predict_marginals")
    assert not hasattr(model, "sample")
    with pytest.raises(Unsupported, match="Plain knows no probabilities: add the method minimum_risk"):
        model.predict([1.0], decode="risk")
    with pytest.raises(ValueError, match="decode must be 'best' or 'risk', not 'worst'"):
        model.predict([1.0], decode="worst")


def trees_to_learn(n_examples: int, seed: int):
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(6)
    X = [rng.standard_normal((n, n + 1, 6)) for n in rng.integers(1, 6, n_examples)]
    return X, [TreeProblem().argmax(x, w) for x in X]


@pytest.mark.parametrize("sparse", [False, True])
def test_trees_are_learned_with_every_form_of_features(sparse):
    X, Y = trees_to_learn(30, 3)
    if sparse:
        X = [sp.csr_array(x.reshape(-1, 6)) for x in X]
    check_problem(TreeProblem(), X[:6], Y[:6])
    model = StructuralSVM(TreeProblem(), C=1e4, tol=1e-3).fit(X, Y)
    assert model.score(X, Y) == 0.0
    assert model.predict_kbest(X[:1], 2)[0][0].score >= model.predict_kbest(X[:1], 2)[0][1].score


@pytest.mark.parametrize("slack", ["linear", "hard"])
def test_zero_one_losses_use_the_two_best_trees(slack):
    X, Y = trees_to_learn(12, 4)
    model = StructuralSVM(TreeProblem(), C=1e4, rescaling="none", slack=slack, tol=1e-3).fit(X, Y)
    assert model.score(X, Y) == 0.0


def test_slack_rescaling_is_refused_by_name():
    X, Y = trees_to_learn(3, 5)
    with pytest.raises(Unsupported, match="argmax_by_loss"):
        StructuralSVM(TreeProblem(), rescaling="slack").fit(X, Y)


@pytest.mark.parametrize("partial", [False, True])
def test_matchings_are_learned(partial):
    rng = np.random.default_rng(6)
    w = rng.standard_normal(5)
    problem = MatchingProblem(partial=partial)
    X = [rng.standard_normal((n, n + 1, 5)) for n in rng.integers(1, 5, 25)]
    Y = [problem.argmax(x, w) for x in X]
    as_matrices = [(sp.csr_array(x.reshape(-1, 5)), x.shape[1]) for x in X]
    check_problem(problem, as_matrices[:6], Y[:6])
    assert StructuralSVM(problem, C=1e4, tol=1e-3).fit(as_matrices, Y).score(X, Y) == 0.0


BAD_TREES = [
    ([0, 3], "from 0 .the root. to 2"),
    ([2, 1], "0 words on the root"),
    ([0, 0], "2 words on the root"),
    ([0.0, 1.0], "A tree must be 2 whole numbers, the head of each word"),
    ([0, 1, 1], "A tree must be 2 whole numbers, the head of each word"),
]


@pytest.mark.parametrize(("heads", "message"), BAD_TREES)
def test_outputs_that_are_no_trees_are_refused(heads, message):
    with pytest.raises(ValueError, match=message):
        TreeProblem().joint_feature(np.zeros((2, 3, 1)), np.array(heads))


def test_a_cycle_is_named():
    with pytest.raises(ValueError, match="word 2 is on a cycle"):
        TreeProblem().joint_feature(np.zeros((3, 4, 1)), np.array([0, 3, 2]))


@pytest.mark.parametrize("problem", [TreeProblem(), MatchingProblem()])
def test_no_inputs_have_no_outputs(problem):
    assert problem.argmax_many([], np.ones(2)) == []


HOLE = np.zeros((2, 3, 1))
HOLE[1, 2] = np.nan
BAD_CALLS = [
    (lambda: TreeProblem().argmax(np.zeros((5, 2)), np.ones(2)), r"\(5, 2\).*2, 6, 12"),
    (lambda: TreeProblem().argmax(np.zeros((6, 2)), np.ones(3)), "2 features, and there are 3 weights"),
    (lambda: MatchingProblem().argmax(np.zeros((6, 2)), np.ones(2)), "number of columns"),
    (lambda: MatchingProblem().argmax((np.zeros((6, 2)), 4), np.ones(2)), "no multiple of 4"),
    (lambda: MatchingProblem().argmax(np.zeros((3, 2, 1)), np.ones(1)), "partial=True"),
    (lambda: MatchingProblem().joint_feature(np.zeros((2, 2, 1)), np.array([1, 1])), "column 1 is chosen twice"),
    (lambda: MatchingProblem().joint_feature(np.zeros((2, 2, 1)), np.array([1, -1])), "from 0 to 1"),
    (lambda: MatchingProblem().marginals(np.zeros((2, 17, 1)), np.ones(1)), "there are 17 columns"),
    (lambda: TreeProblem().argmax(np.zeros((4, 3, 2)), np.ones(2)), r"\(4, 3, 2\).*n \+ 1"),
    (lambda: TreeProblem().argmax([[0.0]], np.ones(1)), r"\(1, 1\)"),
    (lambda: TreeProblem().argmax([], np.ones(1)), "has no words; a tree needs at least one"),
    (lambda: MatchingProblem().argmax([], np.ones(1)), r"no rows, give np.zeros\(\(0, columns, features\)\)"),
    (lambda: TreeProblem().argmax(HOLE, np.ones(1)), "row 1, column 2 is nan: the features .* contain NaN"),
    (lambda: MatchingProblem().argmax(HOLE, np.ones(1)), "row 1, column 2 is nan: the features .* contain NaN"),
    (
        lambda: MatchingProblem().argmax_many([np.zeros((1, 1, 1)), HOLE], np.ones(1)),
        "Input 1 of 2: The score of row 1",
    ),
]


@pytest.mark.parametrize(("call", "message"), BAD_CALLS)
def test_bad_input_is_a_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_an_example_without_rows_is_matched_by_nothing():
    X = [np.zeros((0, 4, 2)), np.eye(4, 2)[None]]
    model = StructuralSVM(MatchingProblem(), C=1.0).fit(X, [[], [0]])
    assert [y.tolist() for y in model.predict(X)] == [[], [0]]


def test_a_bad_truth_is_named_with_its_example():
    with pytest.raises(ValueError, match=r"Example 1: \[2, 1\] has 0 words on the root"):
        StructuralSVM(TreeProblem(), C=1.0).fit([np.zeros((2, 3, 1))] * 2, [[0, 1], [2, 1]])

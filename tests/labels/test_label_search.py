"""Every search over label vectors against brute force over all ``2 ** labels`` of them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from label_cases import CASES, FORMULATIONS, every_vector, make_case, scores_of
from maxmargin import Formulation
from maxmargin.labels.multilabel import Multilabel
from maxmargin.labels.pairs import search_method
from maxmargin.rows.matrices import as_rows

QUICK = settings(max_examples=150)


@given(case=CASES, formulation=st.sampled_from(FORMULATIONS))
@QUICK
def test_most_violated_vector(case, formulation):
    slack, outputs = case.bind(formulation).worst(case.native, case.everyone)
    vectors = outputs.reshape(case.Y.shape)
    np.testing.assert_allclose(slack, case.slacks(formulation), atol=1e-11)
    for i, y in enumerate(vectors):
        assert case.values(i, formulation)[case.place(y)] == pytest.approx(slack[i], abs=1e-11)


@given(case=CASES)
@QUICK
def test_best_vector_and_margins(case):
    core = case.structure.core(case.rows)
    found, missed = core.decode(case.native, 1)
    margins, also_missed = core.margins(case.native, 1)
    assert (missed, also_missed) == (0, 0)
    for i, (y, margin) in enumerate(zip(found.reshape(case.n, -1), margins.reshape(case.n, -1))):
        score, Y = case.scores(i), every_vector(case.structure.n_labels)
        assert score[case.place(y)] == pytest.approx(score.max(), abs=1e-11)
        expected = [score[on].max() - score[~on].max() for on in Y.T.astype(bool)]
        np.testing.assert_allclose(margin, expected, atol=1e-11)
        clear = np.abs(margin) > 1e-9
        np.testing.assert_array_equal(y[clear], margin[clear] > 0)


@given(case=CASES, k=st.integers(1, 9))
@QUICK
def test_best_vectors(case, k):
    found, scores = case.structure.core(case.rows).decode_lists(case.native, k, 1)
    found, scores = found.reshape(k, case.n, -1), scores.reshape(case.n, k)
    for i in range(case.n):
        every = case.scores(i)
        expected = np.sort(every)[::-1][:k]
        np.testing.assert_allclose(scores[i, : expected.size], expected, atol=1e-11)
        assert (scores[i, expected.size :] == -np.inf).all()
        places = [case.place(y) for y in found[: expected.size, i]]
        assert len(set(places)) == len(places)
        np.testing.assert_allclose(every[places], expected, atol=1e-11)


@given(
    seed=st.integers(0, 10**6),
    labels=st.integers(11, 13),
    goal=st.sampled_from(["margin", "none"]),
    strength=st.sampled_from([0.1, 0.5, 2.0]),
    whole=st.booleans(),
)
@settings(max_examples=30)
def test_branch_and_bound(seed, labels, goal, strength, whole):
    """More labels than it lists at once, so that flows, decided labels and branches all play a part."""
    case = make_case("full", labels, method="branch", n=2, costs=True, eta=strength, whole=whole, seed=seed)
    formulation = Formulation(goal, "linear")
    oracle = case.bind(formulation)
    slack, outputs = oracle.worst(case.native, case.everyone)
    vectors = outputs.reshape(case.Y.shape)
    assert oracle.exact
    np.testing.assert_allclose(slack, case.slacks(formulation), atol=1e-10)
    for i, y in enumerate(vectors):
        assert case.values(i, formulation)[case.place(y)] == pytest.approx(slack[i], abs=1e-10)
    core = case.structure.core(case.rows)
    margins = core.margins(case.native, 1)[0].reshape(case.n, -1)
    best = core.decode(case.native, 1)[0].reshape(case.n, -1)
    for i in range(case.n):
        score, Y = case.scores(i), every_vector(labels)
        assert score[case.place(best[i])] == pytest.approx(score.max(), abs=1e-10)
        expected = [score[on].max() - score[~on].max() for on in Y.T.astype(bool)]
        np.testing.assert_allclose(margins[i], expected, atol=1e-10)


def integer_program(structure: Multilabel, x: np.ndarray, w: np.ndarray) -> float:
    """The highest score by an integer program over labels and pairs, HiGHS being the judge."""
    labels, pairs = structure.n_labels, structure.pairs
    size = labels * x.size
    gain = np.concatenate([w[:size].reshape(labels, x.size) @ x, structure.eta * w[size:]])
    count = len(pairs)
    place, one = np.arange(count), np.ones(count)
    blocks = []
    for signs in ([1, -1, 0], [1, 0, -1], [-1, 1, 1]):  # z <= y_j, z <= y_k, y_j + y_k <= z + 1
        columns = [labels + place, pairs[:, 0], pairs[:, 1]]
        entries = np.concatenate([sign * one for sign in signs])
        blocks.append(sp.csr_array((entries, (np.tile(place, 3), np.concatenate(columns))), (count, labels + count)))
    limits = np.concatenate([np.zeros(2 * count), one])
    answer = milp(
        -gain,
        integrality=np.r_[np.ones(labels), np.zeros(count)],
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(sp.vstack(blocks), -np.inf, limits),
        options={"mip_rel_gap": 0},
    )
    assert answer.status == 0
    return -float(answer.fun)


@pytest.mark.parametrize("strength", [0.02, 0.1])
def test_branch_and_bound_against_an_integer_program(strength):
    rng = np.random.default_rng(3)
    labels = 30
    structure = Multilabel(labels, np.stack(np.triu_indices(labels, 1), axis=1), eta=strength)
    assert structure.method == "branch"
    X = rng.standard_normal((3, 4))
    w = rng.standard_normal(labels * 4 + len(structure.pairs))
    found, missed = structure.core(as_rows(X, 0.0, False)).decode(structure.from_public(w, 4), 1)
    assert missed == 0
    for x, y in zip(X, found.reshape(3, labels)):
        assert scores_of(structure, x, y[None, :], w)[0] == pytest.approx(integer_program(structure, x, w), abs=1e-6)


def test_branch_and_bound_says_when_it_gives_up():
    """Sixty labels whose pairs all pull in different directions: no bound is tight, and it does not take for ever."""
    rng = np.random.default_rng(0)
    labels = 60
    structure = Multilabel(labels, np.stack(np.triu_indices(labels, 1), axis=1))
    w = np.r_[0.1 * rng.standard_normal(labels), rng.standard_normal(len(structure.pairs))]
    Y = (rng.random((1, labels)) < 0.5).astype(np.uint8)
    oracle = structure.bind(np.ones((1, 1)), Y, Formulation())
    assert oracle.exact
    slack = oracle.slacks(structure.from_public(w, 1))
    assert not oracle.exact
    assert slack[0] > 0.0


@pytest.mark.parametrize(
    ("labels", "pairs", "method"),
    [
        (1, [], "forest"),
        (40, [], "forest"),
        (40, [(0, 39), (39, 5), (7, 8)], "forest"),
        (3, [(0, 1), (1, 2), (0, 2)], "list"),
        (16, [(0, 1), (1, 2), (0, 2)], "list"),
        (17, [(0, 1), (1, 2), (0, 2)], "branch"),
    ],
)
def test_which_search(labels, pairs, method):
    assert search_method(labels, np.array(pairs, dtype=np.int32).reshape(-1, 2)) == method

"""The most violated ranking of every ranking measure against all rankings of small groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from all_rankings import losses, pairs_of, wrong_pair_sets, wrong_rankings
from maxmargin import Formulation
from maxmargin.measures import AveragePrecision, RocArea
from maxmargin.rankings.naming import as_ranking_measure
from reference import FORMULATIONS

QUICK = settings(max_examples=20)
POSITIONS = ["ndcg", "ndcg(1)", "ndcg(2)", "ndcg(3)", "mrr", "average_precision"]
PLAIN = ("margin", "linear")
ZERO_ONE = [("none", "linear"), ("none", "squared"), ("none", "hard")]


def groups(largest: int, grades: int = 4) -> st.SearchStrategy:
    """Grades, not all equal, and scores of which many tie."""
    few = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0])
    score = st.one_of(few, st.floats(-3, 3, allow_nan=False))

    def make(n):
        truth = st.lists(st.integers(0, grades - 1), min_size=n, max_size=n).filter(lambda t: len(set(t)) > 1)
        scores = st.lists(score, min_size=n, max_size=n)
        scale = st.sampled_from([0.2, 1.0, 5.0])
        return st.tuples(truth.map(lambda t: np.array(t, float)), scores.map(np.array), scale).map(
            lambda g: (g[0], g[1] * g[2])
        )

    return st.integers(2, largest).flatmap(make)


def for_measure(name: str, grades: np.ndarray) -> np.ndarray:
    """Measures of relevant and other rows get two grades, with some of each."""
    if name not in ("mrr", "average_precision"):
        return grades
    return (grades > np.sort(grades)[0]).astype(float)


def check(measure, outputs, grades, scores, rescaling, slack):
    formulation = Formulation(rescaling, slack)
    highest = max(0.0, outputs.values(scores, rescaling, slack).max(initial=0.0))
    found = measure.search(scores, measure.prepare(grades, "the sample"), formulation)
    if found is None:
        assert highest <= 1e-12
        return
    assert found.exact
    assert found.value(scores, formulation) == pytest.approx(highest, rel=1e-10, abs=1e-12)
    same = outputs.same(found.coefficients)
    assert same.size, "not an output of this measure"
    if rescaling != "none":
        assert np.abs(same - found.loss).min() < 1e-12


@pytest.mark.parametrize("name", POSITIONS)
@QUICK
@given(group=groups(5))
def test_rankings_with_the_loss_added(name, group):
    grades = for_measure(name, group[0])
    check(as_ranking_measure(name), wrong_rankings(name, grades), grades, group[1], *PLAIN)


@pytest.mark.parametrize(
    "grades", [[2, 0, 1, 0, 2, 1], [1, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 0], [3, 2, 1, 0, 2, 0], range(6)]
)
@pytest.mark.parametrize("name", POSITIONS)
def test_rankings_of_six_rows(name, grades):
    rng = np.random.default_rng(len(name))
    grades = for_measure(name, np.array(grades, dtype=float))
    outputs, measure = wrong_rankings(name, grades), as_ranking_measure(name)
    for scale in (0.0, 0.1, 0.5, 3.0):
        check(measure, outputs, grades, np.round(scale * rng.standard_normal(6), 1), *PLAIN)


@pytest.mark.parametrize("gain", ["exponential", "linear"])
def test_gains_of_ndcg(gain):
    rng = np.random.default_rng(1)
    grades = np.array([4.0, 0.0, 1.0, 2.5, 0.0])
    measure = as_ranking_measure("ndcg(3)", gain)
    for _ in range(5):
        check(measure, wrong_rankings("ndcg(3)", grades, gain), grades, rng.standard_normal(5), *PLAIN)


@pytest.mark.parametrize(("rescaling", "slack"), FORMULATIONS)
@QUICK
@given(group=groups(5))
def test_sets_of_swapped_pairs(rescaling, slack, group):
    grades, scores = group
    check(as_ranking_measure("swapped_pairs"), wrong_pair_sets(grades), grades, scores, rescaling, slack)


@pytest.mark.parametrize("grades", [[1, 0, 0, 1, 0, 1], [1, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 0]])
def test_with_two_grades_swapped_pairs_are_a_ranking_and_the_roc_area(grades):
    rng = np.random.default_rng(3)
    grades = np.array(grades, dtype=float)
    measure, outputs = as_ranking_measure("swapped_pairs"), wrong_rankings("swapped_pairs", grades)
    for rescaling, slack in FORMULATIONS:
        for scale in (0.1, 1.0, 5.0):
            scores = scale * rng.standard_normal(6)
            check(measure, outputs, grades, scores, rescaling, slack)
            own = measure.search(scores, measure.prepare(grades), Formulation(rescaling, slack))
            other = RocArea().search(scores, RocArea().prepare(grades), Formulation(rescaling, slack))
            assert (own is None) == (other is None)
            if own is not None:
                np.testing.assert_allclose(own.coefficients, other.coefficients, atol=1e-12)


@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize(("rescaling", "slack"), FORMULATIONS)
@settings(max_examples=10)
@given(group=groups(5, grades=2))
def test_the_zero_one_loss_and_refusals(name, rescaling, slack, group):
    measure, formulation = as_ranking_measure(name), Formulation(rescaling, slack)
    if (rescaling, slack) in (PLAIN, *ZERO_ONE):
        assert measure.refusal(formulation) is None
        grades = for_measure(name, group[0])
        check(measure, wrong_rankings(name, grades), grades, group[1], rescaling, slack)
    else:
        assert str(formulation) in measure.refusal(formulation)
        assert measure.name in measure.refusal(formulation)


@pytest.mark.parametrize("name", ["swapped_pairs", *POSITIONS])
@QUICK
@given(group=groups(5))
def test_mistakes_are_rankings_by_score_with_a_loss(name, group):
    """For the perceptron: ties count as mistakes."""
    grades, scores = for_measure(name, group[0]), group[1]
    measure = as_ranking_measure(name)
    found = measure.search(scores, measure.prepare(grades), Formulation(mistakes=True))
    position = np.argsort(np.lexsort((grades, -scores)))
    loss = float(losses(name, grades, position[None])[0])
    if found is None:
        assert loss <= 1e-12
        return
    expected = np.zeros(grades.size)
    for i, j in pairs_of(grades):
        if scores[j] >= scores[i]:
            expected[i] += 1.0
            expected[j] -= 1.0
    np.testing.assert_allclose(found.coefficients * len(pairs_of(grades)), expected, atol=1e-9)
    assert found.loss == pytest.approx(loss)
    assert found.loss > 0.0


@pytest.mark.parametrize("name", ["swapped_pairs", *POSITIONS])
@pytest.mark.parametrize(("rescaling", "slack"), FORMULATIONS)
@pytest.mark.parametrize("threads", [1, 3])
def test_groups_together_are_groups_one_by_one(name, rescaling, slack, threads):
    rng = np.random.default_rng(5)
    measure, formulation = as_ranking_measure(name), Formulation(rescaling, slack)
    if measure.refusal(formulation) is not None:
        return
    sizes = rng.integers(2, 12, size=20)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    grades = rng.integers(0, 4, size=offsets[-1]).astype(float)
    grades[offsets[:-1]], grades[offsets[:-1] + 1] = 3.0, 0.0
    if name in ("mrr", "average_precision"):
        grades = (grades > 1).astype(float)
    scores = np.round(rng.standard_normal(offsets[-1]), 1)
    target = measure.prepare_groups(grades, offsets, [str(g) for g in range(20)])
    found = measure.search_groups(scores, target, formulation, threads)
    worth = found.values(scores, offsets, formulation)
    for g in range(20):
        part = slice(offsets[g], offsets[g + 1])
        alone = measure.search(scores[part], measure.prepare(grades[part]), formulation)
        assert found.found[g] == (alone is not None)
        if alone is not None:
            np.testing.assert_array_equal(found.coefficients[part], alone.coefficients)
            assert found.loss[g] == alone.loss
            assert worth[g] == pytest.approx(alone.value(scores[part], formulation), abs=1e-12)
        else:
            assert not found.coefficients[part].any()


def test_average_precision_searched_by_pairs_and_by_halving():
    """Two exact searches: for many small groups, and for one large one."""
    rng = np.random.default_rng(6)
    small, large = as_ranking_measure("average_precision"), AveragePrecision()
    for n in (10, 100, 400):
        truth = rng.random(n) < 0.2
        truth[:2] = True, False
        scores = 0.5 * rng.standard_normal(n) + truth
        by_pairs = small.search(scores, small.prepare(truth), Formulation())
        by_halving = large.search(scores, large.prepare(truth), Formulation())
        worth = by_pairs.value(scores, Formulation())
        assert worth == pytest.approx(by_halving.value(scores, Formulation()), abs=1e-10)


@pytest.mark.parametrize("every", [True, False])
def test_average_precision_of_large_groups_among_small_ones(every, monkeypatch):
    rng = np.random.default_rng(7)
    offsets = np.array([0, 30, 40, 90, 95], dtype=np.int64)
    truth = rng.random(95) < 0.4
    truth[offsets[:-1]], truth[offsets[:-1] + 1] = True, False
    scores = rng.standard_normal(95)
    measure, names = as_ranking_measure("average_precision"), list("abcd")
    expected = measure.search_groups(scores, measure.prepare_groups(truth, offsets, names), Formulation())
    monkeypatch.setattr("maxmargin.rankings.mean_average_precision.LARGE", 0 if every else 50)
    target = measure.prepare_groups(truth, offsets, names)
    assert len(target.alone) == (4 if every else 2)
    found = measure.search_groups(scores, target, Formulation())
    np.testing.assert_array_equal(found.found, expected.found)
    np.testing.assert_allclose(
        found.values(scores, offsets, Formulation()), expected.values(scores, offsets, Formulation()), atol=1e-12
    )


def test_pairs_with_many_grades_and_rows():
    """Ordinal regression on 300 different grades, against all pairs."""
    rng = np.random.default_rng(8)
    grades, scores = rng.permutation(300).astype(float), rng.standard_normal(300)
    measure = as_ranking_measure("swapped_pairs")
    i, j = np.nonzero(grades[:, None] > grades[None, :])
    for rescaling, slack in FORMULATIONS:
        formulation = Formulation(rescaling, slack)
        found = measure.search(scores, measure.prepare(grades), formulation)
        differences = np.sort(scores[i] - scores[j])
        m = np.arange(1, i.size + 1)
        best = formulation.margin(m / i.size) - formulation.scale(m / i.size) * np.cumsum(differences) / i.size
        assert found.value(scores, formulation) == pytest.approx(best.max(), abs=1e-12)

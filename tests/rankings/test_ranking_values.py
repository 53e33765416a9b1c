"""Ranking measures against scikit-learn's, and complaints about grades."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.metrics import (
    average_precision_score,
    label_ranking_average_precision_score,
    label_ranking_loss,
    ndcg_score,
    roc_auc_score,
)
from test_ranking_search import groups

from maxmargin.measures import ErrorRate
from maxmargin.rankings.naming import as_ranking_measure, is_binary
from maxmargin.rankings.ndcg import Ndcg

QUICK = settings(max_examples=30)


def value(name, truth, scores, gain="exponential"):
    measure = as_ranking_measure(name, gain)
    return measure.value(np.asarray(scores, float), measure.prepare(np.asarray(truth)))


@pytest.mark.parametrize("k", [None, 1, 3])
@QUICK
@given(group=groups(8))
def test_ndcg(k, group):
    grades, scores = group
    name = "ndcg" if k is None else f"ndcg({k})"
    assert value(name, grades, scores) == pytest.approx(ndcg_score([2**grades - 1], [scores], k=k))
    assert value(name, grades, scores, "linear") == pytest.approx(ndcg_score([grades], [scores], k=k))


@QUICK
@given(group=groups(8, grades=2))
def test_measures_of_relevant_rows(group):
    truth, scores = group[0] > 0, group[1]
    assert value("swapped_pairs", truth, scores) == pytest.approx(roc_auc_score(truth, scores))
    assert value("average_precision", truth, scores) == pytest.approx(average_precision_score(truth, scores))
    if len(set(scores)) == len(scores):
        assert 1 - value("swapped_pairs", truth, scores) == pytest.approx(label_ranking_loss([truth], [scores]))
    if truth.sum() == 1 and len(set(scores)) == len(scores):
        assert value("mrr", truth, scores) == pytest.approx(label_ranking_average_precision_score([truth], [scores]))


@QUICK
@given(group=groups(6, grades=2))
def test_mrr_is_the_mean_over_the_orders_of_ties(group):
    truth, scores = group[0] > 0, group[1]
    found = []
    for order in itertools.permutations(range(truth.size)):
        ranked = scores[list(order)]
        if (np.diff(ranked) <= 0).all():
            found.append(1.0 / (1 + int(np.argmax(truth[list(order)]))))
    assert value("mrr", truth, scores) == pytest.approx(np.mean(found))


@QUICK
@given(group=groups(6))
def test_swapped_pairs(group):
    grades, scores = group
    right = [
        0.5 + 0.5 * np.sign(scores[i] - scores[j])
        for i, j in itertools.permutations(range(grades.size), 2)
        if grades[i] > grades[j]
    ]
    assert value("swapped_pairs", grades, scores) == pytest.approx(np.mean(right))


@pytest.mark.parametrize("name", ["swapped_pairs", "ndcg", "ndcg(2)", "mrr", "average_precision"])
def test_the_value_of_several_groups_is_the_mean(name):
    rng = np.random.default_rng(0)
    measure, offsets = as_ranking_measure(name), np.array([0, 5, 8, 20], dtype=np.int64)
    truth, scores = rng.integers(0, 2, 20), rng.standard_normal(20)
    truth[offsets[:-1]], truth[offsets[:-1] + 1] = 1, 0
    parts = [value(name, truth[a:b], scores[a:b]) for a, b in itertools.pairwise(offsets)]
    target = measure.prepare_groups(truth, offsets, ["a", "b", "c"])
    assert measure.value(scores, target) == pytest.approx(np.mean(parts))


def test_names():
    assert as_ranking_measure("ndcg@10") == as_ranking_measure("ndcg( 10 )") == Ndcg(10)
    assert as_ranking_measure("ndcg", "linear") == Ndcg(None, "linear")
    assert as_ranking_measure(Ndcg(3)) == Ndcg(3)
    assert [is_binary(as_ranking_measure(name)) for name in ("swapped_pairs", "ndcg", "mrr", "average_precision")] == [
        False,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("wrong", ["ndgc", "ndcg(0.5)", "ndcg()", "f1", 3, Ndcg, ErrorRate(), None])
def test_measures_that_are_none(wrong):
    with pytest.raises(ValueError, match=r"'swapped_pairs', 'average_precision', 'ndcg', 'ndcg\(k\)', 'mrr'"):
        as_ranking_measure(wrong)


@pytest.mark.parametrize("k", [0, -1, 2.0, True, "3"])
def test_bad_k(k):
    with pytest.raises(ValueError, match="k must be a whole number of at least 1, or None, not"):
        Ndcg(k)


def test_bad_gain():
    with pytest.raises(ValueError, match="gain must be 'exponential' or 'linear', not 'log'"):
        as_ranking_measure("ndcg", "log")


def test_grades_that_drown_all_others():
    with pytest.raises(
        ValueError, match=r"The highest grade is 100, and 2\^grade - 1 would drown .* use gain='linear'"
    ):
        as_ranking_measure("ndcg").prepare(np.array([0, 100]))
    assert value("ndcg", [0, 100], [0.0, 1.0], "linear") == 1.0


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
@pytest.mark.parametrize("name", ["swapped_pairs", "ndcg"])
def test_bad_grades(name, bad):
    offsets = np.array([0, 2, 4], dtype=np.int64)
    with pytest.raises(
        ValueError, match=f"The grade of row 1 of query b is {bad}; grades must be finite and at least 0"
    ):
        as_ranking_measure(name).prepare_groups(np.array([0, 1, 2, bad]), offsets, ["query a", "query b"])


@pytest.mark.parametrize("name", ["swapped_pairs", "ndcg", "mrr", "average_precision"])
def test_groups_without_pairs(name):
    measure = as_ranking_measure(name)
    with pytest.raises(ValueError, match=f"All rows of query 7 have the grade 0; {name} needs two different grades"):
        measure.prepare(np.zeros(3), "query 7")
    with pytest.raises(ValueError, match="There are no rows in b; leave empty groups out"):
        measure.prepare_groups(np.array([0, 1]), np.array([0, 2, 2], dtype=np.int64), ["a", "b"])


def test_wrong_shapes():
    measure = as_ranking_measure("swapped_pairs")
    with pytest.raises(ValueError, match="The truth of x has 2 dimensions"):
        measure.prepare(np.zeros((2, 2)), "x")
    with pytest.raises(ValueError, match="There are 2 rows and scores of shape"):
        measure.value(np.zeros(3), measure.prepare(np.array([0, 1])))


def test_too_many_grades_to_search():
    grades = np.tile(np.arange(30.0), 3)
    with pytest.raises(
        ValueError, match=r"The 90 rows of q have 30 different grades, too many to search .* swapped_pairs"
    ):
        as_ranking_measure("ndcg", "linear").prepare(grades, "q")
    as_ranking_measure("swapped_pairs").prepare(grades, "q")

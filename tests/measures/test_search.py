"""The most violated output of every measure in every formulation against all outputs of small groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brute_force import jaccard_loss, ragged_loss, values, wrong_outputs
from maxmargin import Formulation, _core
from maxmargin.measures import as_measure
from maxmargin.measures.table_search import Tables, search_everywhere
from reference import FORMULATIONS

LABELLINGS = ["error_rate", "f1", "fbeta(0.5)", "fbeta(2)", "balanced_error", "mcc", jaccard_loss, ragged_loss]
CHOICES = ["prbep", "precision_at_k(1)", "precision_at_k(3)", "recall_at_k(2)", "recall_at_k(4)"]
RANKINGS = ["roc_area", "average_precision"]


def name_of(measure):
    return measure if isinstance(measure, str) else measure.__name__


def groups(largest: int) -> st.SearchStrategy:
    """Truths with both kinds of rows, and scores of which many tie."""
    few = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0])
    score = st.one_of(few, st.floats(-3, 3, allow_nan=False))
    scale = st.sampled_from([0.2, 1.0, 5.0])
    size = st.integers(4, largest)

    def make(n):
        truth = st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda t: 0 < sum(t) < n)
        scores = st.lists(score, min_size=n, max_size=n)
        return st.tuples(truth.map(np.array), scores.map(np.array), scale).map(lambda g: (g[0], g[1] * g[2]))

    return size.flatmap(make)


def check(name, truth, scores, rescaling, slack):
    measure, formulation = as_measure(name), Formulation(rescaling, slack)
    outputs = wrong_outputs(truth, name)
    all_values = values(outputs, scores, rescaling, slack)
    highest = max(0.0, all_values.max(initial=0.0))
    found = measure.search(scores, measure.prepare(truth, "the sample"), formulation)
    if found is None:
        assert highest <= 1e-12
        return
    assert found.exact
    assert found.value(scores, formulation) == pytest.approx(highest, rel=1e-10, abs=1e-12)
    same = [
        output
        for output in outputs
        if np.allclose(output.coefficients, found.coefficients, atol=1e-12) and abs(output.loss - found.loss) < 1e-12
    ]
    assert same, "not an output of this measure"


@pytest.mark.parametrize(("rescaling", "slack"), FORMULATIONS)
@pytest.mark.parametrize("name", LABELLINGS + CHOICES, ids=name_of)
@settings(max_examples=25)
@given(group=groups(6))
def test_labellings(name, rescaling, slack, group):
    check(name, *group, rescaling, slack)


@pytest.mark.parametrize(("rescaling", "slack"), FORMULATIONS)
@pytest.mark.parametrize("name", LABELLINGS + CHOICES, ids=name_of)
def test_labellings_of_ten_rows(name, rescaling, slack):
    rng = np.random.default_rng(1)
    truth = np.arange(10) < 4
    for scale in (0.3, 3.0):
        check(name, truth, np.round(scale * rng.standard_normal(10), 1), rescaling, slack)


@pytest.mark.parametrize(("rescaling", "slack"), FORMULATIONS)
@pytest.mark.parametrize("name", LABELLINGS[:6])
def test_tables_of_many_rows_are_those_of_a_search_cell_by_cell(name, rescaling, slack):
    rng = np.random.default_rng(2)
    measure, formulation = as_measure(name), Formulation(rescaling, slack)
    for n, positives, scale in ((300, 1, 1.0), (300, 20, 0.1), (400, 180, 3.0), (600, 590, 1.0)):
        target = measure.prepare(np.arange(n) < positives, "the sample")
        scores = scale * (rng.standard_normal(n).round(2) + target.signs)
        tables = Tables.at(measure.loss, scores, target, formulation)
        found, expected = measure.most_violated(tables), search_everywhere(tables)
        values = [0.0 if one is None else one.value(scores, formulation) for one in (found, expected)]
        assert values[0] == pytest.approx(values[1], rel=1e-10, abs=1e-12)


def test_rows_come_in_the_order_of_their_scores():
    rng = np.random.default_rng(3)
    for n in (0, 1, 5, 256, 257, 3000):
        rows = np.sort(rng.permutation(2 * n)[:n]).astype(np.int64)
        scores = np.concatenate([rng.standard_normal(2 * n) * 10.0 ** rng.integers(-300, 300, 2 * n)])
        scores[rng.random(2 * n) < 0.3] = rng.choice([0.0, -0.0, 1.0, -5e-324])
        order, sums = _core.sort_by_score(scores, rows)
        expected = rows[np.argsort(-scores[rows], kind="stable")]
        np.testing.assert_array_equal(order, expected)
        np.testing.assert_array_equal(sums, np.concatenate([[0.0], np.cumsum(scores[expected])]))


@pytest.mark.parametrize(("rescaling", "slack"), FORMULATIONS)
@pytest.mark.parametrize("name", RANKINGS)
@settings(max_examples=15)
@given(group=groups(5))
def test_rankings(name, rescaling, slack, group):
    measure = as_measure(name)
    refused = measure.refusal(Formulation(rescaling, slack))
    if refused is not None:
        assert name == "average_precision"
        assert (rescaling, slack) in {("slack", "linear"), ("margin", "squared"), ("slack", "squared")}
        assert str(Formulation(rescaling, slack)) in refused
        return
    check(name, *group, rescaling, slack)


@pytest.mark.parametrize("positives", [1, 3, 5])
@pytest.mark.parametrize("name", RANKINGS)
def test_rankings_of_six_rows(name, positives):
    rng = np.random.default_rng(positives)
    truth = np.arange(6) < positives
    for rescaling, slack in FORMULATIONS:
        if as_measure(name).refusal(Formulation(rescaling, slack)) is None:
            check(name, truth, np.round(rng.standard_normal(6), 1), rescaling, slack)


@pytest.mark.parametrize("name", LABELLINGS + CHOICES + RANKINGS, ids=name_of)
@settings(max_examples=25)
@given(group=groups(5))
def test_mistakes_are_predictions_with_a_loss(name, group):
    """For the perceptron: the output of the highest score, which may not be the truth; a tie counts as a mistake."""
    truth, scores = group
    measure = as_measure(name)
    found = measure.search(scores, measure.prepare(truth, "the sample"), Formulation(mistakes=True))
    outputs = wrong_outputs(truth, name)
    leads = np.array([output.coefficients @ scores for output in outputs])
    if not leads.size:
        assert found is None
        return
    if name in CHOICES:
        k = int(truth.sum()) if name == "prbep" else int(name.split("(")[1].rstrip(")"))
        right = np.sort(scores[truth])[::-1][:k].sum() + np.sort(scores[~truth])[::-1][: max(0, k - truth.sum())].sum()
        if found is None:
            assert np.sort(scores)[::-1][:k].sum() <= right + 1e-12
        else:
            assert found.loss > 0
            assert found.coefficients @ scores <= 1e-12
    elif found is not None:
        assert found.loss > 0
        assert found.coefficients @ scores == pytest.approx(leads.min(), abs=1e-12)
    else:
        assert leads.min() > -1e-12

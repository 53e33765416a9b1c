"""The values of the measures against scikit-learn's, their losses at the truth, names, and bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from maxmargin import Formulation
from maxmargin.groups.binary import BinaryTarget
from maxmargin.measures import ErrorRate, FBeta, PrecisionAtK, RocArea, UserMeasure, as_measure
from maxmargin.measures.threshold import Cuts

PEERS = {
    "error_rate": lambda t, s: metrics.accuracy_score(t, s > 0),
    "f1": lambda t, s: metrics.f1_score(t, s > 0, zero_division=0),
    "fbeta(0.5)": lambda t, s: metrics.fbeta_score(t, s > 0, beta=0.5, zero_division=0),
    "balanced_error": lambda t, s: metrics.balanced_accuracy_score(t, s > 0),
    "mcc": lambda t, s: metrics.matthews_corrcoef(t, s > 0),
    "roc_area": metrics.roc_auc_score,
    "average_precision": metrics.average_precision_score,
}
NAMES = [*PEERS, "prbep", "precision_at_k(2)", "recall_at_k(3)"]
samples = st.integers(4, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda t: 0 < sum(t) < n).map(np.array),
        st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]), min_size=n, max_size=n).map(np.array),
    )
)


def value(name, truth, scores):
    measure = as_measure(name)
    return measure.value(scores, measure.prepare(truth, "the sample"))


@pytest.mark.parametrize("name", PEERS)
@settings(max_examples=60)
@given(sample=samples)
def test_values_are_those_of_scikit_learn(name, sample):
    truth, scores = sample
    assert value(name, truth, scores) == pytest.approx(PEERS[name](truth, scores), abs=1e-12)


def test_the_break_even_point_is_where_precision_and_recall_meet():
    rng = np.random.default_rng(0)
    for _ in range(20):
        truth, scores = rng.random(30) < 0.3, rng.standard_normal(30)
        precision, recall, _ = metrics.precision_recall_curve(truth, scores)
        meets = np.flatnonzero(np.isclose(precision, recall) & (recall > 0))
        expected = recall[meets[0]] if meets.size else 0.0
        assert value("prbep", truth, scores) == pytest.approx(expected)


def test_the_first_k_rows():
    truth = np.array([True, False, True, False, True])
    scores = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    assert value("precision_at_k(2)", truth, scores) == 1 / 2
    assert value("recall_at_k(3)", truth, scores) == 2 / 3
    assert value("precision_at_k(2)", truth, np.zeros(5)) == pytest.approx(3 / 5)  # ties count with their share


@pytest.mark.parametrize("name", NAMES)
def test_scores_that_separate_with_a_wide_margin_violate_nothing(name):
    truth = np.array([True, False, True, False, False])
    scores = np.where(truth, 100.0, -100.0)
    measure = as_measure(name)
    target = measure.prepare(truth, "the sample")
    for rescaling in ("margin", "none"):
        assert measure.search(scores, target, Formulation(rescaling)) is None


def test_names_and_objects():
    assert as_measure("fbeta(0.5)") == FBeta(0.5)
    assert as_measure("precision_at_k(10)") == PrecisionAtK(10)
    assert as_measure(RocArea()) == RocArea()
    assert as_measure("f1").name == "f1"
    assert {name: as_measure(name).name for name in NAMES} == {name: name for name in NAMES}
    assert as_measure(jaccard).name == "jaccard"


def jaccard(tp, fp, fn, tn):
    return 1 - tp / (tp + fp + fn)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("f2", "There is no measure 'f2'; choose 'error_rate'"),
        ("fbeta", "The measure 'fbeta' needs its number, for example 'fbeta(2)'"),
        ("fbeta(x)", "needs a number in its brackets"),
        ("fbeta(0)", "beta must be a positive number"),
        ("precision_at_k(0)", "k must be a positive integer"),
        ("recall_at_k(1.5)", "k must be a positive integer, not 1.5"),
        (3, "measure must be a name, a measure object or a function"),
        (RocArea, "measure must be a name, a measure object or a function"),
    ],
)
def test_no_such_measure(given, sentence):
    with pytest.raises(ValueError) as refused:
        as_measure(given)
    assert sentence in str(refused.value)


NONE, ALL, MIXED = np.zeros(4, bool), np.ones(4, bool), np.array([True, False, True, False])


@pytest.mark.parametrize(
    ("name", "truth", "sentence"),
    [
        ("f1", NONE, "There is no positive row in group 3; f1 needs at least one in every group."),
        ("prbep", NONE, "There is no positive row in group 3"),
        ("mcc", ALL, "There is no negative row in group 3; mcc needs at least one"),
        ("roc_area", ALL, "There is no negative row in group 3"),
        ("average_precision", NONE, "There is no positive row in group 3"),
        ("precision_at_k(5)", MIXED, "precision_at_k(5) takes 5 rows, and group 3 has 4; choose a smaller k."),
        ("error_rate", np.zeros(0), "There are no rows in group 3; leave empty groups out."),
        ("f1", np.ones((2, 2)), "The truth of group 3 has 2 dimensions"),
    ],
)
def test_truths_that_a_measure_cannot_use(name, truth, sentence):
    with pytest.raises(ValueError) as refused:
        as_measure(name).prepare(truth, "group 3")
    assert sentence in str(refused.value)


def test_error_rate_needs_no_positive():
    assert as_measure("error_rate").prepare(NONE, "the sample").n == 4


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda tp, fp, fn, tn: tp / (tp + fp), "is 1 at the truth of the sample, tp=2, fp=0, fn=0, tn=2; a loss must"),
        (lambda tp, fp, fn, tn: 0.5, "gave an array of shape () for counts of shape (1,)"),
        (lambda tp, fp, fn, tn: fp / fn, "is nan at tp=2, fp=0, fn=0, tn=2; a loss must be finite and at least 0."),
        (lambda tp, fp, fn, tn: -tp, "is -2 at tp=2"),
    ],
)
def test_functions_that_are_no_loss(function, sentence):
    with pytest.raises(ValueError) as refused:
        UserMeasure(function).prepare(MIXED)
    assert sentence in str(refused.value)


def test_a_function_that_turns_bad_in_the_search_is_named_with_the_table():
    measure = UserMeasure(lambda tp, fp, fn, tn: (fp + fn) / (tp + fp))
    with pytest.raises(ValueError, match="at tp=0, fp=0, fn=2, tn=2; a loss must be finite"):
        measure.search(np.zeros(4), measure.prepare(MIXED), Formulation())


@pytest.mark.parametrize("name", NAMES)
def test_scores_of_the_wrong_length(name):
    measure = as_measure(name)
    target = measure.prepare(MIXED, "the sample")
    for ask in (lambda: measure.search(np.zeros(5), target, Formulation()), lambda: measure.value(np.zeros(3), target)):
        with pytest.raises(ValueError, match="There are 4 rows and scores of shape"):
            ask()


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("error_rate", 1.0),
        ("f1", 100 / 4),  # one positive of four missed and one negative taken: 1 - 3/4
        ("balanced_error", 100 * (1 / 8 + 1 / 192)),
        ("prbep", 100 / 8),
        ("precision_at_k(10)", 5.0),
        ("recall_at_k(10)", 100 / 8),
        ("roc_area", 1.0),
        ("average_precision", 100 / 8),
    ],
)
def test_the_unit_is_the_margin_that_the_least_mistake_asks_for(name, unit):
    measure = as_measure(name)
    assert measure.unit(measure.prepare(np.arange(100) < 4, "the sample")) == pytest.approx(unit)


def test_a_measure_that_forgives_single_mistakes_has_the_unit_of_the_error_rate():
    measure = UserMeasure(lambda tp, fp, fn, tn: np.where(fp + fn > 2, 1.0, 0.0))
    assert measure.unit(measure.prepare(MIXED)) == 1.0


@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_cut_of_scores_is_the_best_of_all(weighted):
    """The first cut lies above all rows, negative ones too: there a measure of labels is that of no row taken."""
    rng = np.random.default_rng(4)
    for _ in range(30):
        scores = rng.integers(-4, 5, 12).astype(float)
        positive = rng.random(12) < 0.4
        positive[0] = True
        weight = rng.integers(0, 3, 12).astype(float) if weighted else None
        if weight is not None:
            weight[0] = 1.0
        cuts = Cuts(scores, positive, weight)
        for measure in (FBeta(), FBeta(0.1), ErrorRate()):
            target = BinaryTarget(positive, weight)
            at, value = cuts.best(measure)
            every = [measure.of_prediction(scores > cut, target) for cut in np.append(scores, scores.min() - 1.0)]
            assert value == pytest.approx(measure.of_prediction(scores > at, target))
            assert value == pytest.approx(max(every))

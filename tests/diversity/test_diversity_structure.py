"""Diverse subsets: target, loss, searches and planes against plain recomputation and enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import Formulation, StructuralSVM, Unsupported, check_problem
from maxmargin.diversity.candidates import Candidates
from maxmargin.diversity.levels import Level
from maxmargin.diversity.structure import Diversity
from maxmargin.diversity.subtopics import pack_subtopics
from maxmargin.diversity.words import WordFeatures, cover_words
from maxmargin.oracles.from_problem import ProblemOracle
from reference import dense

FEATURES = WordFeatures((Level("text", 1), Level("text", 2)), (0.3, 0.6))
FORMULATIONS = [Formulation("margin", "linear"), Formulation("slack", "linear"), Formulation("slack", "squared")]


def random_set(rng, n=6, words=12, topics=4, features=FEATURES):
    counts = rng.poisson(0.6, size=(n, words)).astype(float)
    counts[0, 0] = 2.0
    covers = rng.random((n, topics)) < 0.35
    covers[0, 0] = True
    x = cover_words(Candidates({"text": sp.csr_array(counts)}, None, n), features)
    return x, pack_subtopics([covers])[0]


def random_sets(seed, count=4, k=3, **options):
    rng = np.random.default_rng(seed)
    structure = Diversity(k)
    pairs = [random_set(rng, **options) for _ in range(count)]
    return structure, [x for x, _ in pairs], [structure.judge(x, subtopics) for x, subtopics in pairs]


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_the_target_is_the_greedy_choice_by_subtopics(seed, k):
    structure, X, Y = random_sets(seed, k=k, count=1)
    label = Y[0]
    losses = [label.subtopics.loss(subset) for subset in combinations(range(6), k)]
    covered = 1.0 - label.least
    assert covered >= (1 - 1 / np.e) * (1.0 - min(losses)) - 1e-12
    assert structure.loss(label, structure.target(X[0], label)) == 0.0
    chosen = []
    for d in label.best:
        gains = [label.subtopics.loss(chosen) - label.subtopics.loss([*chosen, e]) for e in range(6)]
        assert gains[d] == pytest.approx(max(gains), abs=1e-12)
        chosen.append(int(d))


def test_of_equal_documents_the_target_has_the_one_with_more_words():
    counts = sp.csr_array(np.array([[1, 0, 0], [1, 1, 1], [0, 0, 1]], float))
    x = cover_words(Candidates({"text": counts}, None, 3), FEATURES)
    (subtopics,) = pack_subtopics([[{"a"}, {"a"}, {"b"}]])
    assert Diversity(1).judge(x, subtopics).best.tolist() == [1]
    assert Diversity(2).judge(x, subtopics).best.tolist() == [1, 2]


def check_greedy(found, value):
    """Each document in turn adds as much as any other would; which of equals is taken is a matter of rounding."""
    chosen = found.tolist()
    for t, document in enumerate(chosen):
        rivals = [value(np.array([*chosen[:t], d])) for d in range(6) if d not in chosen[:t]]
        assert value(np.array([*chosen[:t], document])) == pytest.approx(max(rivals), abs=1e-9)


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_searches_are_plain_greedy_on_their_objectives(seed, k):
    structure, (x,), (label,) = random_sets(seed, k=k, count=1)
    w = np.random.default_rng(seed).standard_normal(FEATURES.length)

    def score(y):
        return float(dense(structure.joint_feature(x, y)) @ w)

    check_greedy(structure.argmax(x, w), score)

    def augmented(y):
        return score(y) + label.subtopics.loss(y)

    check_greedy(structure.argmax(x, w, label), augmented)
    for loss, y in structure.argmax_by_loss(x, w, label):
        assert loss == structure.loss(label, y)
        assert len(set(y.tolist())) == k


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_the_prediction_is_within_the_bound_where_no_word_has_a_negative_benefit(seed):
    structure, (x,), _ = random_sets(seed, count=1)
    w = np.abs(np.random.default_rng(seed).standard_normal(FEATURES.length))
    assert x.benefit(w).min() >= 0.0

    def score(y):
        return float(dense(structure.joint_feature(x, y)) @ w)

    best = max(score(subset) for subset in combinations(range(6), 3))
    assert score(structure.argmax(x, w)) >= (1 - 1 / np.e) * best - 1e-12


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_documents_without_a_common_word_or_subtopic_are_searched_exactly(seed):
    """Then score and loss are modular, and greedy finds the loss-augmented maximum."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((5, 15))
    for d in range(5):
        counts[d, 3 * d : 3 * d + 3] = rng.integers(0, 3, 3)
        counts[d, 3 * d] = 1.0
    x = cover_words(Candidates({"text": sp.csr_array(counts)}, None, 5), FEATURES)
    structure = Diversity(2)
    label = structure.judge(x, pack_subtopics([np.eye(5, dtype=int)])[0])
    w = rng.standard_normal(FEATURES.length)

    def augmented(y):
        return float(dense(structure.joint_feature(x, y)) @ w) + label.subtopics.loss(y)

    best = max(augmented(subset) for subset in combinations(range(5), 2))
    assert augmented(structure.argmax(x, w, label)) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=str)
@pytest.mark.parametrize("own", [False, True])
def test_planes_against_plain_numpy(formulation, own):
    features = WordFeatures(FEATURES.levels, FEATURES.shares, {"w1": 0, "w4": 1} if own else {})
    rng = np.random.default_rng(5)
    structure, pairs = Diversity(3), []
    for _ in range(6):
        counts = rng.poisson(0.7, size=(6, 9)).astype(float)
        names = np.array([f"w{j}" for j in range(9)], dtype=object)
        x = cover_words(Candidates({"text": sp.csr_array(counts)}, None, 6, names), features)
        pairs.append((x, structure.judge(x, pack_subtopics([np.eye(6, 4, dtype=int)])[0])))
    X, Y = [x for x, _ in pairs], [label for _, label in pairs]
    oracle = ProblemOracle(structure, X, Y, formulation)
    assert not oracle.exact
    w = rng.standard_normal(features.length)
    planes = oracle.planes(w, np.arange(6, dtype=np.int32))
    assert not planes.exact
    values = planes.value(w)
    for i, (x, label) in enumerate(pairs):
        target = dense(x.psi(label.best))
        bounds = {0.0: np.zeros(features.length)}
        for y in combinations(range(6), 3):
            loss = max(0.0, label.subtopics.loss(y) - label.least)
            height = np.sqrt(loss) if formulation.slack == "squared" else loss
            a = (target - dense(x.psi(y))) * (height if formulation.rescaling == "slack" else 1.0)
            bounds[float(height - a @ w)] = a
        nearest = min(bounds, key=lambda value: abs(value - values[i]))
        assert values[i] == pytest.approx(nearest, abs=1e-9)  # the plane of some output, or of none
        assert 0.0 <= values[i] <= max(bounds) + 1e-9
    assert oracle.slacks(w) == pytest.approx(values, abs=1e-9)
    assert oracle.cut(w).slack == pytest.approx(values, abs=1e-9)


def test_as_a_problem():
    structure, X, Y = random_sets(1)
    check_problem(structure, X, Y)
    model = StructuralSVM(structure, solver="one-slack").fit(X, Y)
    assert model.solution_.gap is None
    assert model.score(X, Y) <= 0.0
    with pytest.raises(Unsupported, match="kbest"):
        StructuralSVM(structure, rescaling="none").fit(X, Y)
    with pytest.raises(ValueError, match="k must be at least 1"):
        Diversity(0)

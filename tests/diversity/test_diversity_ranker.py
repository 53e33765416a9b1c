"""DiversityRanker: input forms, habits of scikit-learn, what is learned, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score

from maxmargin import DiversityRanker, Status, Subgradient, Unsupported
from maxmargin.datasets import make_subtopics
from maxmargin.diversity import EssentialPages, OkapiBM25, RandomChoice, UnweightedCoverage, subtopic_losses
from maxmargin.diversity.candidates import pack_candidates

SIZES = {"n_documents": 12, "n_subtopics": 6}
X, Y = make_subtopics(16, **SIZES)
X_TEST, Y_TEST = make_subtopics(10, **SIZES, seed=1)
QUICK = {"k": 3, "importance": (0.1, 0.3, 0.6), "levels": {"text": (1, 2)}, "tol": 1e-2}


@pytest.fixture(scope="module")
def model():
    return DiversityRanker(**QUICK).fit(X, Y)


def test_predictions_are_rankings_whose_beginnings_are_shorter_choices(model):
    ranking = model.predict(X_TEST, k=12)
    assert ranking.shape == (10, 12)
    assert all(sorted(row) == list(range(12)) for row in ranking.tolist())
    assert (model.predict(X_TEST) == ranking[:, :3]).all()
    assert (model.predict(X_TEST, k=1) == ranking[:, :1]).all()
    assert model.predict([]).shape == (0, 3)


def test_the_score_is_minus_the_mean_loss(model):
    losses = subtopic_losses(Y_TEST, model.predict(X_TEST), 3)
    assert model.score(X_TEST, Y_TEST) == pytest.approx(-losses.mean())
    weight = np.arange(1.0, 11.0)
    assert model.score(X_TEST, Y_TEST, sample_weight=weight) == pytest.approx(-np.average(losses, weights=weight))
    equal = clone(model).set_params(weighting="equal").fit(X, Y)
    losses = subtopic_losses(Y_TEST, equal.predict(X_TEST), 3, weighting="equal")
    assert equal.score(X_TEST, Y_TEST) == pytest.approx(-losses.mean())


def test_nothing_is_claimed_that_greedy_cannot_prove(model):
    assert model.solution_.status is Status.INEXACT
    assert (model.solution_.primal, model.solution_.dual, model.solution_.gap) == (None, None, None)


def test_learned_weights_beat_every_baseline_on_the_generator():
    many, labels = make_subtopics(40)
    test, truth = make_subtopics(40, seed=1)
    learned = DiversityRanker(tol=1e-2).fit(many, labels).score(test, truth)
    rivals = [UnweightedCoverage(), EssentialPages(), EssentialPages(importance="entropy"), OkapiBM25(), RandomChoice()]
    assert learned > max(rival.fit(many, labels).score(test, truth) for rival in rivals) + 0.1


@pytest.mark.parametrize("solver", ["auto", "one-slack", "n-slack", "bcfw", Subgradient(passes=5), "perceptron"])
def test_every_solver(solver):
    fitted = DiversityRanker(**QUICK, solver=solver).fit(X, Y)
    assert fitted.solution_.gap is None
    assert fitted.score(X, Y) > UnweightedCoverage(3).score(X, Y)


def test_texts_and_matrices_of_their_words_give_the_same():
    given = [{name: part for name, part in x.items() if name != "query"} for x in X]
    packed = pack_candidates(given)
    matrices = [candidates.fields for candidates in packed]
    options = {**QUICK, "min_sets": None}
    of_texts, of_matrices = DiversityRanker(**options).fit(given, Y), DiversityRanker(**options).fit(matrices, Y)
    assert np.array_equal(of_texts.coef_, of_matrices.coef_)
    dense = [{name: part.toarray() for name, part in fields.items()} for fields in matrices]
    assert np.array_equal(DiversityRanker(**options).fit(dense, Y).coef_, of_matrices.coef_)
    binary = [np.array([[t in covered for t in sorted(set().union(*y))] for covered in y], dtype=int) for y in Y]
    assert np.array_equal(DiversityRanker(**options).fit(matrices, binary).coef_, of_matrices.coef_)
    sparse = [sp.csr_array(labels) for labels in binary]
    assert np.array_equal(DiversityRanker(**options).fit(matrices, sparse).coef_, of_matrices.coef_)


def test_a_plain_list_of_texts_is_enough():
    plain = [x["text"] for x in X]
    fitted = DiversityRanker(3, importance=(0.1, 0.3), tol=1e-2).fit(plain, Y)
    assert fitted.fields_ == ["text"]
    assert fitted.predict([x["text"] for x in X_TEST]).shape == (10, 3)


def test_shared_columns_have_weights_of_their_own():
    rng = np.random.default_rng(0)
    topics = [rng.permutation(8)[:4] for _ in range(60)]
    labels = [[{int(t)} for t in rng.choice(chosen, 10)] for chosen in topics]
    counts = []
    for y in labels:  # column t is the mark of subtopic t, columns 8..19 are noise
        matrix = (rng.random((10, 20)) < 0.4).astype(float)
        matrix[:, :8] = [[t in covered for t in range(8)] for covered in y]
        counts.append(matrix)
    options = {"k": 3, "levels": 1, "importance": (), "min_sets": 5, "tol": 1e-2}
    blind = DiversityRanker(**options).fit(counts[:40], labels[:40])
    seeing = DiversityRanker(**options, shared_columns=True).fit(counts[:40], labels[:40])
    assert blind.features_.length == 1
    assert len(seeing.features_.vocabulary) == 20
    assert seeing.score(counts[40:], labels[40:]) > blind.score(counts[40:], labels[40:]) + 0.05
    own = seeing.coef_[seeing.features_.own_start :]
    assert own[:8].min() > own[8:].max()
    assert {int(word) for word, _ in seeing.top_words(counts[40], 3)} <= set(range(8))


def test_top_words_are_what_covering_adds(model):
    best = model.top_words(X_TEST[0], 5)
    values = [value for _, value in best]
    assert values == sorted(values, reverse=True)
    only = DiversityRanker(1, levels=1, importance=(), min_sets=None, tol=1e-2)
    texts, labels = [["one two", "one"], ["one two", "three"]], [[{"a"}, set()], [{"a"}, set()]]
    only.fit(texts, labels)
    (first, second) = only.top_words(["alpha beta", "beta"])
    assert [first[0], second[0]] == ["alpha", "beta"]
    assert first[1] == second[1] == only.coef_[0] > 0.0
    with pytest.raises(ValueError, match="have no names"):
        only.top_words(np.ones((2, 2)))


def test_sample_weights_mean_repetition():
    weight = np.array([2.0] * 3 + [1.0] * 13)
    weighted = DiversityRanker(**{**QUICK, "tol": 1e-5}, solver="one-slack").fit(X, Y, sample_weight=weight)
    repeated = DiversityRanker(**{**QUICK, "tol": 1e-5}, solver="one-slack").fit(X + X[:3], Y + Y[:3])
    assert weighted.score(X_TEST, Y_TEST) == pytest.approx(repeated.score(X_TEST, Y_TEST), abs=0.05)
    with pytest.raises(ValueError, match="sample_weight has shape"):
        DiversityRanker(**QUICK).fit(X, Y, sample_weight=[1.0])


def test_habits_of_scikit_learn(model):
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "coef_")
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X_TEST) == model.predict(X_TEST)).all()
    before = {name: repr(value) for name, value in model.get_params().items()}
    model.fit(X, Y)
    assert {name: repr(value) for name, value in model.get_params().items()} == before
    search = GridSearchCV(
        DiversityRanker(**QUICK, vectorizer=CountVectorizer()),
        {"C": [0.1, 10.0], "vectorizer__binary": [False, True]},
        cv=2,
    ).fit(X, Y)
    assert -1.0 <= search.best_score_ <= 0.0
    assert cross_val_score(DiversityRanker(**QUICK), X, Y, cv=2).shape == (2,)
    same = DiversityRanker(**QUICK).fit(X, Y)
    assert np.array_equal(same.coef_, model.coef_)


def test_a_refused_fit_leaves_the_model_as_it_was(model):
    coef = model.coef_.copy()
    fields = model.fields_
    with pytest.raises(ValueError, match="covers a subtopic"):
        model.fit([x["text"] for x in X], [[set()] * 12] * 16)
    with pytest.raises(ValueError, match="they must match"):
        model.fit([x["text"] for x in X], [y[:-1] for y in Y])
    assert model.fields_ == fields
    assert np.array_equal(model.coef_, coef)


def test_warm_start_and_processes():
    warm = DiversityRanker(**QUICK, warm_start=True).fit(X, Y)
    first = warm.solution_.oracle_calls
    assert warm.fit(X, Y).solution_.oracle_calls <= first
    alone, shared = DiversityRanker(**QUICK).fit(X[:4], Y[:4]), DiversityRanker(**QUICK, n_jobs=2).fit(X[:4], Y[:4])
    assert np.array_equal(alone.coef_, shared.coef_)


TEXTS = [x["text"] for x in X[:2]]


@pytest.mark.parametrize(
    ("options", "given", "labels", "message"),
    [
        ({"k": 13}, X, Y, "Candidate set 0 has 12 documents, fewer than k = 13"),
        ({"k": 0}, X, Y, "k must be a positive integer, not 0"),
        ({"k": 2.5}, X, Y, "k must be a positive integer, not 2.5"),
        ({}, X, Y[:-1], "X has 16 candidate sets and y has 15; they must match"),
        ({}, X, None, "y must be a list with the subtopics of each candidate set, not of type NoneType"),
        ({}, None, Y, "X must be a list of candidate sets, not of type NoneType"),
        ({}, [], [], "At least one candidate set is needed"),
        ({}, X, [*Y[:-1], Y[-1][:-1]], "Candidate set 15 has 12 documents in X and 11 in y"),
        ({}, X, [*Y[:-1], [set()] * 12], "No document of candidate set 15 covers a subtopic"),
        ({"levels": {"anchor": (1,)}}, X, Y, "levels names the field 'anchor'"),
        ({"levels": {"text": (100,)}}, X, Y, "No word of candidate set 0 reaches the first level, at least 100"),
        ({"importance": (-0.5,)}, X, Y, "importance holds -0.5"),
        ({"weighting": "fame"}, X, Y, "weighting must be one of"),
        ({"min_sets": 0}, X, Y, "min_sets must be a positive integer or None"),
        ({"own_weight": -1.0}, X, Y, "own_weight must be a positive number"),
        ({"C": 0.0}, X, Y, "C must be a positive number"),
        ({}, [TEXTS[0], {"text": TEXTS[1], "anchor": TEXTS[1]}], Y[:2], "Candidate set 1 has a field 'anchor'"),
        ({}, [{"text": TEXTS[0], "anchor": TEXTS[0]}, TEXTS[1]], Y[:2], "Candidate set 1 lacks the field 'anchor'"),
    ],
)
def test_bad_input(options, given, labels, message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        DiversityRanker(**{"k": 3, **options}).fit(given, labels)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


def test_bad_input_to_predict(model):
    with pytest.raises(ValueError, match="Candidate set 0 lacks the field 'title'"):
        model.predict([x["text"] for x in X])
    with pytest.raises(ValueError, match="Candidate set 1 has 2 documents, fewer than k = 3"):
        model.predict([X[0], {"text": ["one", "two"], "title": ["one", "two"]}])
    with pytest.raises(ValueError, match="k must be a positive integer"):
        model.predict(X, k=0)
    with pytest.raises(ValueError, match="not fitted"):
        DiversityRanker().predict(X)


@pytest.mark.parametrize(("rescaling", "slack"), [("none", "linear"), ("none", "squared"), ("margin", "hard")])
def test_formulations_without_a_meaning_are_refused(rescaling, slack):
    with pytest.raises(Unsupported, match="equally wrong"):
        DiversityRanker(**QUICK, rescaling=rescaling, slack=slack).fit(X, Y)


def test_hashed_words_have_no_weights_of_their_own():
    vectorizer = HashingVectorizer(n_features=512, alternate_sign=False, norm=None)
    fitted = DiversityRanker(**QUICK, vectorizer=vectorizer, min_sets=1).fit(X, Y)
    assert not fitted.features_.vocabulary
    assert fitted.predict(X_TEST).shape == (10, 3)
    with pytest.raises(ValueError, match="of texts a HashingVectorizer keeps none"):
        fitted.top_words(X_TEST[0])
    with pytest.raises(ValueError, match="counts of words must be numbers from 0 to"):
        DiversityRanker(**QUICK, vectorizer=HashingVectorizer(n_features=512)).fit(X, Y)

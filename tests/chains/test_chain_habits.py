"""Lists in, lists out; empty sequences come back empty; what scikit-learn, seqeval and json make of predictions."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score

from maxmargin import ChainCRF, ChainHMM, ChainPerceptron, ChainSVC
from maxmargin.chains.sequences import PerSequence, pack
from maxmargin.datasets import make_sentences

WORDS, TAGS = make_sentences(60, seed=3)
MODELS = {"svm": ChainSVC, "crf": ChainCRF, "perceptron": ChainPerceptron, "hmm": ChainHMM}
KINDS = pytest.mark.parametrize("kind", MODELS)
QUIET = pytest.mark.filterwarnings("ignore::maxmargin.fitting.calibration.NotCalibratedWarning")


def words(kind, **params):
    return MODELS[kind](templates="tagging", **params)


@pytest.fixture(scope="module")
def fitted():
    return {kind: words(kind).fit(WORDS, TAGS) for kind in MODELS}


def with_empty(sequences):
    return [[], *sequences[:3], [], [], *sequences[3:6], []]


@QUIET
@KINDS
def test_empty_sequences_come_back_empty_and_change_nothing(kind, fitted):
    model, some = fitted[kind], WORDS[:6]
    mixed, places = with_empty(some), [1, 2, 3, 6, 7, 8]
    for X, expected in ((mixed, with_empty(model.predict(some))), ([[]], [[]]), ([[], ()], [[], []])):
        assert model.predict(X) == expected
        assert model.predict(X, steps=np.ones((model.classes_.size,) * 2, bool)) == expected
        assert model.predict(X, known=[[None] * len(x) for x in X]) == expected
    assert model.predict(mixed, decode="marginal")[0] == model.predict(mixed, abstain=0.5)[4] == []
    ranked, ranks = model.predict_kbest(mixed, 3), model.predict_kbest(some, 3)
    assert [ranked[i] for i in places] == ranks
    assert ranked[0] == [(0.0, [])]
    marginals = model.predict_marginals(mixed)
    assert marginals[0].shape == (0, model.classes_.size)
    np.testing.assert_array_equal(np.concatenate(marginals), np.concatenate(model.predict_marginals(some)))
    for method, at_nothing in ((model.predict_confidence, 1.0), (model.expected_loss, 0.0)):
        np.testing.assert_allclose(method(mixed)[places], method(some), rtol=1e-12)
        assert method(mixed)[[0, 4, 5, 9]].tolist() == [at_nothing] * 4
    truths = with_empty(TAGS[:6])
    assert model.decision_value(mixed, truths)[[0, *places]].tolist() == [0.0, *model.decision_value(some, TAGS[:6])]
    assert model.score(mixed, truths) == model.score(some, TAGS[:6])
    with pytest.raises(ValueError, match="There are no tokens to score"):
        model.score([[]], [[]])


@KINDS
def test_training_takes_no_notice_of_empty_sequences(kind, fitted):
    X, Y = [[], *WORDS, []], [[], *TAGS, []]
    weight = np.r_[7.0, np.ones(len(WORDS)), 0.5]
    for model in (words(kind).fit(X, Y), words(kind).fit(X, Y, sample_weight=weight)):
        np.testing.assert_allclose(model.coef_, fitted[kind].coef_, rtol=1e-12)
    with pytest.raises(ValueError, match="Sequence 0 has 0 tokens but 1 labels"):
        words(kind).fit(X, [["NOUN"], *TAGS, []])
    with pytest.raises(ValueError, match="All sample weights are zero"):
        words(kind).fit(X, Y, sample_weight=np.r_[1.0, np.zeros(len(WORDS) + 1)])


@KINDS
def test_empty_sequences_of_numbers(kind):
    rng = np.random.default_rng(0)
    X = [rng.random((n, 3)) for n in (3, 1, 4)]
    Y = [rng.integers(0, 2, len(x)) for x in X]
    model = MODELS[kind](window=1).fit([X[0], np.zeros((0, 3)), *X[1:], []], [Y[0], [], *Y[1:], []])
    np.testing.assert_allclose(model.coef_, MODELS[kind](window=1).fit(X, Y).coef_, rtol=1e-12)
    expected = model.predict(X)
    for given in ([[], X[0]], [np.zeros((0, 3)), X[0]], pack([[], X[0]])):
        found = model.predict(given)
        assert len(found[0]) == 0
        np.testing.assert_array_equal(found[1], expected[0])
    assert model.predict([[]]) == [[]]
    joined = model.predict(np.concatenate(X), lengths=[3, 0, 1, 4])
    np.testing.assert_array_equal(np.concatenate(joined), np.concatenate(expected))


@QUIET
@KINDS
def test_lists_where_the_input_was_lists(kind, fitted):
    model = fitted[kind]
    found = model.predict(WORDS)
    assert isinstance(found, list)
    assert all(type(labels) is list and all(type(label) is str for label in labels) for labels in found)
    assert json.loads(json.dumps(found)) == found == pickle.loads(pickle.dumps(found))
    best = model.predict_kbest(WORDS[:4], 2)
    assert [entries[0].output for entries in best] == found[:4]
    json.dumps(best)
    sure = model.predict(WORDS, abstain=0.9)
    assert {type(label) for labels in sure for label in labels} <= {str, type(None)}
    for given in ([np.array(x) for x in WORDS], np.array([*map(np.array, WORDS), None], dtype=object)[:-1]):
        arrays = model.predict(given)
        assert isinstance(arrays, list)
        assert all(isinstance(labels, np.ndarray) for labels in arrays)
        assert [labels.tolist() for labels in arrays] == found


@pytest.mark.parametrize(
    "labels",
    [[np.int64(3), np.int64(5)], [np.str_("a"), np.str_("b")], [np.float32(0.5), np.float32(1.5)], [False, np.True_]],
    ids=["int64", "str_", "float32", "bool"],
)
def test_numpy_scalars_become_plain_labels(labels):
    model = ChainPerceptron(templates="tagging").fit([["x", "y"], ["y"]], [labels, labels[1:]])
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
    assert model.classes_.tolist() == plain
    found = model.predict([["x", "y"]])
    assert found == [plain]
    assert [type(label) for label in found[0]] == [type(label) for label in plain]
    assert json.loads(json.dumps(found)) == [plain]


@pytest.mark.parametrize("kind", ["svm", "crf"])
def test_cross_validation_on_lists(kind):
    found = cross_val_predict(words(kind), WORDS, TAGS, cv=3)
    assert found.shape == (len(WORDS),)
    assert [len(labels) for labels in found] == [len(tags) for tags in TAGS]
    right = np.mean(np.concatenate(list(found)) == np.concatenate(TAGS))
    assert right > 0.7
    scores = cross_val_score(words(kind), WORDS, TAGS, cv=3)
    assert np.mean(scores) == pytest.approx(right, abs=0.01)
    search = GridSearchCV(words(kind), {"C": [0.01, 0.5]}, cv=2).fit(WORDS, TAGS)
    assert search.predict(WORDS[:2]) == search.best_estimator_.predict(WORDS[:2])


def test_cross_validation_where_all_sequences_have_one_length():
    X, Y = [["a", "b"], ["b", "a"], ["a", "a"], ["b", "b"]], [["x", "y"], ["y", "x"], ["x", "x"], ["y", "y"]]
    for given in (X, [np.array(x) for x in X]):
        found = cross_val_predict(ChainHMM(templates="tagging"), given, Y, cv=2)
        assert [list(labels) for labels in found] == Y


def test_seqeval_takes_predictions_as_they_are():
    metrics = pytest.importorskip("seqeval.metrics", reason="seqeval, of the extra [test], is the judge here")
    chunks = {"NOUN": "B-NP", "DET": "B-NP", "ADJ": "I-NP", "VERB": "B-VP", "ADV": "O"}
    Y = [[chunks.get(tag, "O") for tag in tags] for tags in TAGS]
    model = words("svm").fit(WORDS[:40], Y[:40])
    found = model.predict(WORDS[40:])
    f1 = metrics.f1_score(Y[40:], found)
    assert f1 == pytest.approx(model.chunk_score(WORDS[40:], Y[40:]).f1)
    scores = cross_val_score(words("svm"), WORDS, Y, cv=3, scoring=make_scorer(metrics.f1_score))
    assert np.all(scores > 0.5)


def test_an_array_of_sequences_is_one_of_objects():
    ragged = PerSequence([["a"], ["b", "c"]])
    assert np.asarray(ragged).shape == np.asarray(ragged, dtype=object).shape == (2,)
    with pytest.raises(ValueError, match="they make an array of objects, not of float64"):
        np.asarray(ragged, dtype=float)

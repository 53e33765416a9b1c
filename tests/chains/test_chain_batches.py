"""Sequences that arrive in batches: ``partial_fit`` with scikit-learn's contract."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import maxmargin
from maxmargin import ChainHMM, ChainPerceptron, SequenceVectorizer
from maxmargin.chains.features import parse_templates, tagging_templates
from maxmargin.datasets import make_sentences

WORDS, TAGS = make_sentences(260, seed=0)
NAMES = sorted({tag for tags in TAGS for tag in tags})
TRAIN, TEST = (WORDS[:200], TAGS[:200]), (WORDS[200:], TAGS[200:])
MODELS = pytest.mark.parametrize("kind", [ChainHMM, ChainPerceptron])
INPUT = {
    "text": {"templates": "tagging"},
    "window": {"templates": "tagging", "window": 1},
    "hashing": {"templates": "tagging", "hashing": 2**12},
    "order 2, no ends": {"templates": "tagging", "order": 2, "ends": False},
}


def in_batches(model, size=50, passes=1, data=TRAIN):
    X, Y = data
    for _ in range(passes):
        for start in range(0, len(X), size):
            part = slice(start, start + size)
            model.partial_fit(X[part], Y[part], classes=NAMES)
    return model


@pytest.mark.parametrize("params", INPUT.values(), ids=INPUT)
def test_counts_add_up_to_those_of_all(params):
    model = in_batches(ChainHMM(**params))
    whole = ChainHMM(**params).fit(*TRAIN)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-12)
    assert model.predict(TEST[0]) == whole.predict(TEST[0])
    assert model.n_features_in_ == whole.n_features_in_


def test_counts_with_weights_and_empty_sequences():
    weight = np.linspace(0.5, 2.0, 60)
    model = ChainHMM(templates="tagging").partial_fit(
        [*WORDS[:30], []], [*TAGS[:30], []], classes=NAMES, sample_weight=[*weight[:30], 9.0]
    )
    model.partial_fit([[]], [[]]).partial_fit(WORDS[30:60], TAGS[30:60], sample_weight=weight[30:])
    whole = ChainHMM(templates="tagging").fit(WORDS[:60], TAGS[:60], sample_weight=weight)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-12)


@pytest.mark.parametrize("params", INPUT.values(), ids=INPUT)
def test_the_perceptron_walks_on(params):
    model = in_batches(ChainPerceptron(**params), passes=5)
    assert model.score(*TEST) > ChainPerceptron(passes=5, **params).fit(*TRAIN).score(*TEST) - 0.02
    assert model.score(*TEST) > in_batches(ChainPerceptron(**params), data=(WORDS[:20], TAGS[:20])).score(*TEST)


def test_one_batch_in_order_is_one_pass_by_hand():
    """The mean of the weights after every step, in plain Python, over two batches with features that grow."""
    X, Y = WORDS[:12], TAGS[:12]
    model = ChainPerceptron(templates="tagging", random_state=3)
    whole = ChainPerceptron(passes=1, templates="tagging").fit(X, Y)  # for its features
    codes = [tuple(whole.classes_.tolist().index(tag) for tag in tags) for tags in Y]
    given, chain = whole.reader_.read(X), whole.chain_
    w, total, steps = np.zeros(whole.coef_.size), np.zeros(whole.coef_.size), 0
    for start in (0, 6):
        model.partial_fit(X[start : start + 6], Y[start : start + 6], classes=whole.classes_)
        for i in start + np.random.RandomState(3).permutation(6):
            x = given[int(i)]
            found = chain.argmax(x, w)
            if found != codes[i]:
                w = w + (chain.joint_feature(x, codes[i]) - chain.joint_feature(x, found)).toarray().ravel()
            total, steps = total + w, steps + 1
    np.testing.assert_allclose(model.coef_, total / steps, atol=1e-10)


def test_after_fit_it_goes_on_from_there():
    model = ChainPerceptron(passes=3, templates="tagging").fit(WORDS[:100], TAGS[:100])
    before = model.coef_.copy()
    model.partial_fit(WORDS[:100], TAGS[:100])
    assert model.coef_ @ before / (np.linalg.norm(model.coef_) * np.linalg.norm(before)) > 0.95
    fresh = ChainPerceptron(passes=3, templates="tagging").fit(WORDS[:100], TAGS[:100])
    np.testing.assert_array_equal(model.fit(WORDS[:100], TAGS[:100]).coef_, fresh.coef_)


@MODELS
def test_numbers_and_copies(kind):
    rng = np.random.default_rng(0)
    X = [rng.random((n, 3)) for n in (3, 2, 4, 5)]
    Y = [rng.integers(0, 2, len(x)) for x in X]
    model = kind().partial_fit(X[:2], Y[:2], classes=[1, 0]).partial_fit(X[2:], Y[2:])
    assert model.classes_.tolist() == [0, 1]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.partial_fit(X, Y).coef_, model.partial_fit(X, Y).coef_)
    with pytest.raises(ValueError, match=r"X has 2 features, but 3 are expected"):
        model.partial_fit([x[:, :2] for x in X], Y)
    with pytest.raises(ValueError, match="classes must be given in the first call"):
        clone(model).partial_fit(X, Y)


@MODELS
def test_a_refused_batch_leaves_the_model_as_it_was(kind):
    model = kind(templates="tagging").partial_fit(WORDS[:20], TAGS[:20], classes=NAMES)
    before, answers = model.coef_.copy(), model.predict(TEST[0])
    for X, Y, classes, words in (
        (WORDS[20:22], [["?"] * len(x) for x in WORDS[20:22]], None, r"label '\?', which is not one of the 5 known"),
        (WORDS[20:22], TAGS[20:22], ["a", "b"], r"classes are \['a', 'b'\], but those of the first batch were"),
        ([np.eye(2)], [NAMES[:2]], None, "The model was trained on tokens of text"),
    ):
        with pytest.raises(ValueError, match=words):
            model.partial_fit(X, Y, classes=classes)
        np.testing.assert_array_equal(model.coef_, before)
        assert model.predict(TEST[0]) == answers


def test_pair_features_grow_too():
    templates = tagging_templates() + parse_templates("B01:%x[0,0]\nB\n")
    model = in_batches(ChainPerceptron(templates=templates), size=100, passes=3)
    assert model.chain_.n_pair_features > 100
    assert model.score(*TEST) > 0.9


def test_what_needs_all_data_says_so():
    with pytest.raises(ValueError, match="min_count needs all data at once"):
        ChainHMM(templates="tagging", min_count=2).partial_fit(*TRAIN, classes=NAMES)
    vectorizer = SequenceVectorizer(templates="tagging", min_count=2).fit(WORDS)
    with pytest.raises(ValueError, match="min_count needs all data at once"):
        vectorizer.partial_fit(WORDS)
    for classes in ([], [None, "a"]):
        with pytest.raises(ValueError, match="classes must be a list of labels"):
            ChainHMM(templates="tagging").partial_fit(*TRAIN, classes=classes)
    with pytest.raises(ValueError, match="classes cannot be sorted"):
        ChainHMM(templates="tagging").partial_fit(*TRAIN, classes=["a", 1])


def test_models_from_files(tmp_path):
    hmm = ChainHMM(templates="tagging").fit(*TRAIN)
    hmm.save(tmp_path / "hmm.mm")
    with pytest.raises(ValueError, match="A model from a file has no counts to add to"):
        maxmargin.load(tmp_path / "hmm.mm").partial_fit(*TEST)
    perceptron = ChainPerceptron(templates="tagging").fit(*TRAIN)
    perceptron.save(tmp_path / "perceptron.mm")
    loaded = maxmargin.load(tmp_path / "perceptron.mm").partial_fit(*TEST)
    np.testing.assert_allclose(loaded.coef_, perceptron.partial_fit(*TEST).coef_)


def test_the_vectorizer_numbers_what_is_new_at_the_end():
    vectorizer = SequenceVectorizer().partial_fit([[["a", "b"]]]).partial_fit([[["c", "a"]], []])
    assert vectorizer.get_feature_names_out().tolist() == ["a", "b", "c"]
    assert vectorizer.transform([[["c"]]]).indices.tolist() == [2]

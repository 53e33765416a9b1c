"""The temperature of a softmax of scores: weights of sequences, pair features, folds that lack a label."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn.model_selection import KFold

from maxmargin import ChainPerceptron, ChainSVC, SequenceVectorizer
from maxmargin.chains.chain import ChainInput

LABELS = ["a", "b", "c"]


def draw(n, seed=0, length=3):
    rng = np.random.default_rng(seed)
    Y = [rng.choice(LABELS, length) for _ in range(n)]
    X = [np.eye(3)[[LABELS.index(label) for label in y]] + 0.9 * rng.standard_normal((length, 3)) for y in Y]
    return X, Y


def temperature_by_hand(make, X, Y, weight, folds):
    """Every labelling of every held-out sequence, listed."""
    terms = []
    for kept, left in KFold(folds, shuffle=True, random_state=0).split(X):
        model = make().fit([X[i] for i in kept], [Y[i] for i in kept], sample_weight=weight[kept])
        for i in left:
            every = list(itertools.product(LABELS, repeat=len(X[i])))
            scores = model.decision_value([X[i]] * len(every), every)
            terms.append((weight[i], scores, every.index(tuple(Y[i].tolist()))))

    def loss(log_t):
        t = np.exp(log_t)
        return sum(s * (logsumexp(scores / t) - scores[truth] / t) for s, scores, truth in terms)

    return np.exp(minimize_scalar(loss, bounds=(-7.0, 7.0), method="bounded", options={"xatol": 1e-6}).x)


@pytest.mark.parametrize("make", [lambda: ChainSVC(0.5), lambda: ChainPerceptron(passes=5)])
def test_sample_weights_count_in_training_and_in_the_likelihood(make):
    X, Y = draw(14)
    weight = np.random.default_rng(1).uniform(0.2, 3.0, len(X))
    model = make().fit(X, Y, sample_weight=weight)
    plain = model.calibrate(X, Y).temperature_
    assert plain == pytest.approx(temperature_by_hand(make, X, Y, np.ones(len(X)), 3), rel=3e-3)
    weighted = model.calibrate(X, Y, sample_weight=weight).temperature_
    assert weighted == pytest.approx(temperature_by_hand(make, X, Y, weight, 3), rel=3e-3)
    assert abs(np.log(weighted / plain)) > 0.01
    assert model.calibrate(X, Y, sample_weight=np.ones(len(X))).temperature_ == plain


def test_a_sequence_of_weight_zero_is_not_there():
    X, Y = draw(16)
    weight = np.ones(16)
    weight[[2, 3, 9, 15]] = 0.0
    there = np.flatnonzero(weight)
    part = [X[i] for i in there], [Y[i] for i in there]
    model = ChainSVC(0.5).fit(*part)
    assert model.calibrate(X, Y, sample_weight=weight).temperature_ == model.calibrate(*part).temperature_
    lengths = [len(x) for x in X]
    flat = model.calibrate(np.concatenate(X), np.concatenate(Y), lengths=lengths, sample_weight=weight)
    assert flat.temperature_ == model.calibrate(*part).temperature_
    with pytest.raises(ValueError, match="from 2 to the number of sequences, 12, not 13"):
        model.calibrate(X, Y, folds=13, sample_weight=weight)
    with pytest.raises(ValueError, match=r"sample_weight has shape \(3,\); one number for each of the 16"):
        model.calibrate(X, Y, sample_weight=[1, 2, 3])


def test_pair_features_in_matrices_give_the_temperature_that_text_gives():
    rng = np.random.default_rng(0)
    words = [list(rng.choice(list("uvwx"), 4)) for _ in range(30)]
    tags = [["a" if word in "uv" else LABELS[rng.integers(3)] for word in sentence] for sentence in words]
    text = "U00:%x[0,0]\nB00:%x[0,0]\nB\n"
    fine = {"C": 0.5, "tol": 1e-7, "max_iter": 5000}
    by_text = ChainSVC(**fine, templates=text).fit(words, tags).calibrate(words, tags)
    vectorizer = SequenceVectorizer(templates=text).fit(words)
    given = ChainInput(vectorizer.transform(words), vectorizer.transform_pairs(words))
    by_matrix = ChainSVC(**fine).fit(given, tags).calibrate(given, tags)
    assert by_matrix.chain_.n_pair_features == 4
    assert by_matrix.temperature_ == pytest.approx(by_text.temperature_, rel=3e-3)
    without = ChainSVC(**fine).fit(given.tokens, tags).calibrate(given.tokens, tags)
    assert abs(np.log(without.temperature_ / by_text.temperature_)) > 0.02
    with pytest.raises(ValueError, match="packed already and has its own lengths"):
        by_matrix.predict(given, lengths=[4] * 30)


def test_sequences_with_pair_features_are_picked_like_others():
    words = [["u", "v"], ["v"], ["u", "u", "v"]]
    vectorizer = SequenceVectorizer(templates="U00:%x[0,0]\nB00:%x[0,0]\n").fit(words)
    given = ChainInput(vectorizer.transform(words), vectorizer.transform_pairs(words))
    tokens, pairs = given[2]
    assert tokens.shape == (3, 2)
    assert pairs.shape == (3, 2)
    some = given[[2, 0]]
    assert some.tokens.lengths.tolist() == some.pairs.lengths.tolist() == [3, 2]
    assert (some.pairs[0] != pairs).nnz == 0
    assert ChainInput(given.tokens)[1].shape == (1, 2)
    assert ChainInput(given.tokens)[:2].pairs is None


@pytest.mark.parametrize(
    "costs", [{}, {"cost": 2.0 * (1 - np.eye(4))}, {"class_weight": {"a": 2.0, "z": 3.0}}, {"class_weight": "balanced"}]
)
def test_a_fold_may_lack_a_label(costs):
    X, Y = draw(12)
    X.append(np.ones((2, 3)))
    Y.append(np.array(["a", "z"]))
    model = ChainSVC(0.5, **costs).fit(X, Y)
    assert model.classes_.tolist() == ["a", "b", "c", "z"]
    assert model.calibrate(X, Y).temperature_ > 0.0  # the sequence with z has no probability where it is held out
    assert model.calibrated_


def test_nothing_left_to_judge_by_is_a_sentence():
    X, Y = [np.eye(2), np.eye(2)], [["a", "b"], ["c", "d"]]
    model = ChainSVC(0.5).fit(X, Y)
    with pytest.raises(ValueError, match="Every sequence has a label that the other folds lack"):
        model.calibrate(X, Y, folds=2)
    assert not model.calibrated_
    assert model.temperature_ == 1.0


def test_the_temperature_of_the_perceptron_follows_large_features():
    rng = np.random.default_rng(0)
    Y = [rng.integers(0, 3, 6) for _ in range(30)]
    X = [np.eye(3)[y] + 0.7 * rng.standard_normal((6, 3)) for y in Y]
    found = []
    for size in (2.0**10, 2.0**26):  # transitions are nothing beside them
        scaled = [x * size for x in X]
        model = ChainPerceptron().fit(scaled, Y).calibrate(scaled, Y)
        found.append((model.temperature_ / size**2, model.predict_confidence(scaled)))
    assert found[0][0] == pytest.approx(found[1][0], rel=0.01)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=0.02)
    assert found[0][1].mean() < 0.5

"""What a chain estimator says of new sequences: labels, several of them, probabilities, and what it may be told."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from scipy.special import logsumexp

from maxmargin import ChainSVC
from maxmargin.fitting.calibration import NotCalibratedWarning

TAGS = ["O", "B-X", "I-X", "B-Y", "I-Y"]


def draw(n, seed, noise=1.2):
    """Sequences of BIO tags and rows that hint at them."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for _ in range(n):
        tags = ["O"]
        while len(tags) < rng.integers(3, 6):
            allowed = ["O", "B-X", "B-Y"] + [tag for tag in ("I-X", "I-Y") if tags[-1][1:] == tag[1:]]
            tags.append(str(rng.choice(allowed)))
        X.append(np.eye(5)[[TAGS.index(tag) for tag in tags]] + noise * rng.standard_normal((len(tags), 5)))
        Y.append(np.array(tags))
    return X, Y


X, Y = draw(25, 0)
NEW, TRUE = draw(40, 1)


@pytest.fixture(scope="module")
def model():
    return ChainSVC(C=0.3).fit(X, Y)


@pytest.fixture(scope="module")
def sure(model):
    return ChainSVC(C=0.3).fit(X, Y).calibrate(X, Y)


def labellings(model, x, temperature=1.0):
    """Every labelling of a short sequence and the logarithm of its probability."""
    every = list(itertools.product(model.classes_, repeat=len(x)))
    codes = np.array(list(itertools.product(range(5), repeat=len(x))), dtype=np.int32)
    scores = [
        float((model.chain_.joint_feature(x, tuple(row)) @ model.coef_)[0]) / temperature for row in codes.tolist()
    ]
    return every, np.array(scores) - logsumexp(scores)


def is_bio(tags):
    before = "O"
    for tag in tags:
        if tag.startswith("I-") and before[1:] != tag[1:]:
            return False
        before = tag
    return True


def test_the_best_labelling(model):
    for x, found in zip(NEW[:4], model.predict(NEW)):
        every, log_probability = labellings(model, x[:3])
        assert tuple(model.predict([x[:3]])[0]) == every[int(np.argmax(log_probability))]
        assert found.shape == (len(x),)
    assert model.score(NEW, TRUE) == np.mean(np.concatenate(model.predict(NEW)) == np.concatenate(TRUE))
    assert 0.4 < model.score(NEW, TRUE) < 1.0
    assert model.chunk_score(NEW, TRUE).support == sum(tag.startswith("B") for tags in TRUE for tag in tags)


def test_the_k_best(model):
    short = [x[:3] for x in NEW[:5]] + [NEW[0][:1]]
    for x, ranked in zip(short, model.predict_kbest(short, 7)):
        every, log_probability = labellings(model, x)
        order = np.argsort(-log_probability)[:7]
        assert [tuple(entry.output) for entry in ranked] == [every[at] for at in order]
        assert len(ranked) == min(7, len(every))
        differences = [entry.score - ranked[0].score for entry in ranked]
        np.testing.assert_allclose(differences, log_probability[order] - log_probability[order[0]], atol=1e-9)
        value = model.decision_value([x], [list(ranked[-1].output)])
        assert value == pytest.approx([ranked[-1].score])
    for k in (0, 1.5, True, "2"):
        with pytest.raises(ValueError, match="k must be a positive integer"):
            model.predict_kbest(short, k)


def test_marginals_and_confidence(sure):
    short = [x[:3] for x in NEW[:5]]
    found, confidence = sure.predict_marginals(short), sure.predict_confidence(short)
    for x, marginals, whole in zip(short, found, confidence):
        every, log_probability = labellings(sure, x, sure.temperature_)
        for t, label in itertools.product(range(3), range(5)):
            expected = sum(np.exp(p) for tags, p in zip(every, log_probability) if tags[t] == sure.classes_[label])
            assert marginals[t, label] == pytest.approx(expected, abs=1e-10)
        assert whole == pytest.approx(np.exp(log_probability.max()))
    by_token = sure.predict(NEW, decode="marginal")
    for tags, marginals in zip(by_token, sure.predict_marginals(NEW)):
        assert tags.tolist() == sure.classes_[marginals.argmax(axis=1)].tolist()
    with pytest.raises(ValueError, match="decode must be 'auto', 'viterbi' or 'marginal', not 'best'"):
        sure.predict(NEW, decode="best")


def test_probabilities_that_are_none_say_so(model, sure):
    for ask in (model.predict_marginals, model.predict_confidence):
        with pytest.warns(NotCalibratedWarning, match="calibrate"):
            ask(NEW)
    with pytest.warns(NotCalibratedWarning):
        model.predict(NEW, abstain=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sure.predict_marginals(NEW)
        model.predict(NEW)


def held_out_loss(model, temperature):
    core = model.chain_.core(model._read(NEW, None))
    log_sum = core.marginals(model._native(), temperature, None, None, 1)[1]
    return float((log_sum - model.decision_value(NEW, TRUE) / temperature).mean())


def test_calibration_makes_new_sequences_more_probable(sure):
    temperature = sure.temperature_
    assert temperature != 1.0
    assert held_out_loss(sure, temperature) < held_out_loss(sure, 1.0) - 0.01
    best = min(held_out_loss(sure, t) for t in np.geomspace(0.05, 20.0, 60))
    assert held_out_loss(sure, temperature) < best + 0.1  # chosen without a look at these sequences
    confidence = sure.predict_confidence(NEW)
    right = [np.array_equal(a, b) for a, b in zip(sure.predict(NEW), TRUE)]
    assert abs(confidence.mean() - np.mean(right)) < 0.2


def test_calibration_takes_every_form_of_input(sure):
    expected = sure.temperature_
    labels, lengths = np.concatenate(Y), [len(x) for x in X]
    assert ChainSVC(C=0.3).fit(X, Y).calibrate(X, labels).temperature_ == expected
    flat = ChainSVC(C=0.3).fit(X, Y).calibrate(np.concatenate(X), labels, lengths=lengths)
    assert flat.temperature_ == expected
    assert flat.fit(X, Y).temperature_ == 1.0
    for folds in (1, 26, 2.5, True):
        with pytest.raises(ValueError, match="folds must be a whole number from 2 to the number of sequences, 25"):
            ChainSVC(C=0.3).fit(X, Y).calibrate(X, Y, folds=folds)


def test_known_labels(model):
    known = [[None] * len(x) for x in NEW]
    known[0][1] = "B-Y"
    known[2][0] = {"I-X", "B-X"}
    known[3] = None
    known[4] = list(TRUE[4])
    found = model.predict(NEW, known=known)
    assert found[0][1] == "B-Y"
    assert found[2][0] in ("I-X", "B-X")
    assert found[4].tolist() == TRUE[4].tolist()
    free = model.predict(NEW)
    for i in (1, 3, *range(5, 40)):
        assert found[i].tolist() == free[i].tolist()
    x = NEW[0][:3]
    every, log_probability = labellings(model, x)
    allowed = [p if tags[1] == "B-Y" else -np.inf for tags, p in zip(every, log_probability)]
    assert tuple(model.predict([x], known=[known[0][:3]])[0]) == every[int(np.argmax(allowed))]
    with pytest.warns(NotCalibratedWarning):
        marginals = model.predict_marginals(NEW, known=known)
    np.testing.assert_allclose(marginals[0][1], model.classes_ == "B-Y", atol=1e-12)
    ranked = model.predict_kbest(NEW, 3, known=known)
    assert all(entry.output[1] == "B-Y" for entry in ranked[0])
    assert len(ranked[4]) == 1


def test_bio_steps(model):
    noise = list(10.0 * np.random.default_rng(5).standard_normal((200, 4, 5)))
    loose, strict = model.predict(noise), model.predict(noise, steps="BIO")
    assert not all(is_bio(tags) for tags in loose)
    assert all(is_bio(tags) for tags in strict)
    for entry in itertools.chain.from_iterable(model.predict_kbest(NEW[:5], 4, steps="bio")):
        assert is_bio(entry.output)
    every, log_probability = labellings(model, NEW[0][:3])
    allowed = [p if is_bio(tags) else -np.inf for tags, p in zip(every, log_probability)]
    assert tuple(model.predict([NEW[0][:3]], steps="BIO")[0]) == every[int(np.argmax(allowed))]


def test_steps_as_a_mask_and_as_pairs(model):
    rng = np.random.default_rng(0)
    mask = rng.random((5, 5)) < 0.6
    mask[0] = True
    names = model.classes_.tolist()
    pairs = [(names[a], names[b]) for a, b in zip(*np.nonzero(mask))]
    by_mask, by_pairs = model.predict(NEW, steps=mask), model.predict(NEW, steps=pairs)
    for a, b in zip(by_mask, by_pairs):
        assert a.tolist() == b.tolist()
        assert all(mask[names.index(before), names.index(after)] for before, after in itertools.pairwise(a))
    ends = model.predict(NEW, steps=[*pairs, (None, "O"), ("B-X", None), ("O", None)])
    assert all(tags[0] == "O" and tags[-1] in ("B-X", "O") for tags in ends)
    whole = np.ones((6, 6), dtype=int)
    whole[5, :5] = model.classes_ == "B-X"
    assert all(tags[0] == "B-X" for tags in model.predict(NEW, steps=whole))


def test_a_mask_for_two_labels_is_no_list_of_pairs():
    labels = [(x[:, 0] > x[:, 1]).astype(int) for x in X]
    model = ChainSVC(C=0.3).fit(X, labels)
    for kind in (int, bool, np.uint8):
        found = model.predict(NEW, steps=np.array([[1, 1], [0, 1]], dtype=kind))  # no 0 after 1
        assert all((np.diff(y) >= 0).all() for y in found)
        assert any((np.diff(y) > 0).any() for y in found)
    assert [y.tolist() for y in model.predict(NEW, steps=[(0, 0), (0, 1), (1, 1)])] == [y.tolist() for y in found]


def test_abstention(sure):
    plain, marginals = sure.predict(NEW), sure.predict_marginals(NEW)
    careful = sure.predict(NEW, abstain=0.6)
    for tags, kept, probability in zip(plain, careful, marginals):
        own = probability[np.arange(len(tags)), np.searchsorted(sure.classes_, tags)]
        assert [tag is None for tag in kept] == (own < 0.6).tolist()
        assert all(b is None or a == b for a, b in zip(tags, kept))
    assert any(tag is None for tags in careful for tag in tags)
    assert [y.tolist() for y in sure.predict(NEW, abstain=0.0)] == [y.tolist() for y in plain]
    for share in (-0.1, 1.5):
        with pytest.raises(ValueError, match="abstain is a probability between 0 and 1"):
            sure.predict(NEW, abstain=share)


def test_limits_that_leave_nothing_and_limits_that_make_no_sense(model):
    nothing = [[{"I-X"}] + [None] * (len(x) - 1) for x in NEW]
    for ask in (model.predict, lambda *a, **k: model.predict_kbest(*a, k=2, **k)):
        with pytest.raises(ValueError, match="leave no labelling for sequence 0"):
            ask(NEW, known=nothing, steps="BIO")
    with pytest.warns(NotCalibratedWarning), pytest.raises(ValueError, match="leave no labelling for sequence 0"):
        model.predict_marginals(NEW, known=nothing, steps="BIO")
    other = [[None] * len(x) for x in NEW]
    other[3][2] = "B-Z"
    cases = [
        ({"known": other}, "'B-Z' at sequence 3, token 2, which was not seen in training; the labels are 'B-X'"),
        ({"known": other[:5]}, "known has 5 sequences, but X has 40"),
        ({"known": [other[0][:-1], *other[1:]]}, "entries for sequence 0"),
        (
            {"known": [[set(), *other[0][1:]], *other[1:3], None, *other[4:]]},
            "no label for sequence 0, token 0",
        ),
        ({"steps": "BOI"}, "steps must be one of BIO, .* BILOU, a mask or pairs of labels, not 'BOI'"),
        ({"steps": np.ones((4, 4), int)}, r"steps has shape \(4, 4\); there are 5 labels"),
        ({"steps": [("O", "B-Z")]}, "steps names the label 'B-Z'"),
        ({"steps": ["O"]}, "'O' is not a pair"),
        ({"steps": [[1, 1, 1, 1, 1]] * 5}, "is not a pair"),
    ]
    for options, words in cases:
        with pytest.raises(ValueError, match=words):
            model.predict(NEW, **options)

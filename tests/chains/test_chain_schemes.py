"""Predictions that are valid labellings of a scheme of chunks, against a list of all labellings."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from maxmargin import ChainPerceptron, ChainSVC
from maxmargin.metrics import chunk_score

# whole labellings of one kind of chunk, by letters
VALID = {
    "BIO": "(O|BI*)*",
    "IOB2": "(O|BI*)*",
    "IOB1": "(O|I(I|B)*)*",
    "IOBES": "(O|S|BI*E)*",
    "BIOES": "(O|S|BI*E)*",
    "BILOU": "(O|U|BI*L)*",
}


def is_valid(tags, scheme, kinds=("X", "Y")):
    """Tags of one kind after the other: a chunk of another kind is a break, where only whole chunks may end."""
    if not re.fullmatch(VALID[scheme], "".join(tag[0] for tag in tags)) and scheme != "IOB1":
        return False
    for kind in kinds:
        alone = "".join(tag[0] if tag.endswith(kind) else "O" for tag in tags)
        if not re.fullmatch(VALID[scheme], alone):
            return False
    return True


def draw(scheme, n=30):
    letters = sorted(set(VALID[scheme]) - set("O()*|"))
    labels = ["O", *(f"{letter}-{kind}" for letter in letters for kind in "XY")]
    rng = np.random.default_rng(0)
    Y = [rng.choice(labels, rng.integers(1, 5)) for _ in range(n)]
    Y[0] = np.array(labels)
    X = [
        np.eye(len(labels))[[labels.index(tag) for tag in y]] + 0.3 * rng.standard_normal((len(y), len(labels)))
        for y in Y
    ]
    return X, Y, labels


@pytest.mark.parametrize("scheme", VALID)
def test_the_best_valid_labelling(scheme):
    X, Y, labels = draw(scheme)
    model = ChainSVC(1.0).fit(X, Y)
    short = [x for x in X if len(x) < 4]
    loose, strict = model.predict(short), model.predict(short, steps=scheme)
    assert not all(is_valid(tags, scheme) for tags in loose)
    assert all(is_valid(tags, scheme) for tags in strict)
    for x, found in zip(short, strict):
        every = [tags for tags in itertools.product(labels, repeat=len(x)) if is_valid(tags, scheme)]
        scores = model.decision_value([x] * len(every), every)
        assert tuple(found) == every[int(np.argmax(scores))]
    for ranked in model.predict_kbest(X[:3], 4, steps=scheme.lower()):
        assert all(is_valid(entry.output, scheme) for entry in ranked)


def test_labels_that_do_not_fit_the_scheme_are_named():
    X, Y = [np.eye(3)], [["B-X", "I-X", "O"]]
    model = ChainPerceptron(passes=1).fit(X, Y)
    with pytest.raises(ValueError, match=r"steps='BILOU' does not fit .* none of them ends a chunk .* use steps='BIO'"):
        model.predict(X, steps="BILOU")
    model = ChainPerceptron(passes=1).fit(X, [["B-X", "E-X", "O"]])
    with pytest.raises(ValueError, match=r"steps='BIO' does not fit .* 'E-X' is not of the scheme BIO, whose labels"):
        model.predict(X, steps="BIO")
    model = ChainPerceptron(passes=1).fit(X, [["NOUN", "VERB", "ADV"]])
    with pytest.raises(ValueError, match=r"steps='BIO' does not fit .* 'ADV' is not of the scheme BIO"):
        model.predict(X, steps="BIO")


def test_chunk_scores_take_the_scheme():
    X, Y, _ = draw("IOBES")
    model = ChainSVC(1.0).fit(X, Y)
    expected = chunk_score(Y, model.predict(X), "IOBES")
    assert model.chunk_score(X, Y) == model.chunk_score(X, Y, scheme="IOBES") == expected
    with pytest.raises(ValueError, match="not of the scheme BIO"):
        model.chunk_score(X, Y, scheme="BIO")

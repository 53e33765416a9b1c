"""CRFsuite as the judge of likelihood, marginals and Viterbi's labels: its weights in our chain give its answers."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.features import SequenceVectorizer

pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite, of the extra [test], is the judge here")

LABELS = ["A", "B", "C", "D"]


def sentences(n, seed):
    """Tokens with attributes, some with values, whose labels follow the words and the label before."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for _ in range(n):
        words = rng.integers(0, 12, rng.integers(1, 9))
        labels = [int(words[0]) % 4]
        for word in words[1:]:
            labels.append(int(word) % 4 if rng.random() < 0.7 else (labels[-1] + 1) % 4)
        tokens = [{f"word={w}": 1.0, f"shape={w % 3}": 1.0, "size": float(w) / 8} for w in words]
        X.append([{name: value for name, value in token.items() if value} for token in tokens])
        Y.append([LABELS[label] for label in labels])
    return X, Y


def exact_weights(path, info):
    """(attribute or label, label, weight, is a transition) of a model file; ``info`` rounds weights to six decimals.

    The header names the place of the features, each of them four numbers: kind, from, to, weight.
    """
    data = Path(path).read_bytes()
    (at,) = struct.unpack_from("<I", data, 28)
    kind, _, count = struct.unpack_from("<4sII", data, at)
    assert kind == b"FEAT"
    labels = {int(number): name for name, number in info.labels.items()}
    attributes = {int(number): name for name, number in info.attributes.items()}
    for kind, source, target, weight in struct.iter_unpack("<IIId", data[at + 12 : at + 12 + 20 * count]):
        yield labels[source] if kind else attributes[source], labels[target], weight, bool(kind)


@pytest.fixture(scope="module", params=[{"c1": 0.0, "c2": 0.1}, {"c1": 0.2, "c2": 0.0}], ids=["l2", "l1"])
def tagger(request, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("crfsuite") / "model")
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({**request.param, "max_iterations": 60, "feature.possible_transitions": True})
    for x, y in zip(*sentences(40, seed=0)):
        trainer.append(x, y)
    trainer.train(path)
    found = pycrfsuite.Tagger()
    found.open(path)
    return found, path


@pytest.fixture(scope="module")
def ours(tagger):
    """The chain, its packed sentences and the weights of the tagger in its layout."""
    found, path = tagger
    X, _ = sentences(30, seed=1)
    vectorizer = SequenceVectorizer().fit(sentences(40, seed=0)[0])
    names = {name: column for column, name in enumerate(vectorizer.get_feature_names_out())}
    order = {label: number for number, label in enumerate(LABELS)}
    chain = Chain(len(LABELS), len(names), ends=False)
    w = np.zeros((chain.rows, len(LABELS)))
    info = found.info()
    for source, label, weight, is_transition in exact_weights(path, info):
        told = (info.transitions if is_transition else info.state_features)[source, label]
        assert weight == pytest.approx(told, abs=1e-6)
        w[len(names) + 2 + order[source] if is_transition else names[source], order[label]] = weight
    assert np.count_nonzero(w) > 20
    return chain, ChainInput(vectorizer.transform(X)), chain.from_public(w.ravel())


def test_labels(tagger, ours):
    chain, X, w = ours
    sequences = sentences(30, seed=1)[0]
    found = np.split(chain.core(X).decode(w, 1, None, None, 1)[0], X.tokens.offsets[1:-1])
    assert [[LABELS[code] for code in codes] for codes in found] == [tagger[0].tag(x) for x in sequences]


def test_likelihood(tagger, ours):
    chain, X, w = ours
    sequences, truth = sentences(30, seed=1)
    codes = np.array([LABELS.index(label) for labels in truth for label in labels], dtype=np.int32)
    losses = np.zeros(len(X))
    chain.core(X, codes).likelihood(w, None, None, losses, 1)
    for x, y, loss in zip(sequences, truth, losses):
        tagger[0].set(x)
        assert -loss == pytest.approx(np.log(tagger[0].probability(y)), abs=1e-9)


def test_marginals(tagger, ours):
    chain, X, w = ours
    found = chain.core(X).marginals(w, 1.0, None, None, 1)[0].reshape(-1, len(LABELS))
    for i, x in enumerate(sentences(30, seed=1)[0]):
        tagger[0].set(x)
        first = X.tokens.offsets[i]
        expected = [[tagger[0].marginal(label, t) for label in LABELS] for t in range(len(x))]
        np.testing.assert_allclose(found[first : first + len(x)], expected, atol=1e-9)

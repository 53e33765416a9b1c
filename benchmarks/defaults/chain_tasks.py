"""Tasks with label sequences: short and long ones, few and many labels, rows and attributes."""

from __future__ import annotations

from typing import Any

import numpy as np

from defaults.local_data import conll2000, spanish_names, ud_ewt, words
from defaults.making import Load, mapped
from defaults.task import Split, Task
from maxmargin.chains.features import SequenceVectorizer, chunking_templates, tagging_templates
from maxmargin.datasets import make_chain, make_sentences

_BOTH = ("ChainSVC", "ChainCRF")


def _made(train: int, test: int, **options: Any) -> Load:
    """``make_chain`` with one problem for all seeds, of which other sequences are drawn."""

    def load(seed: int) -> Split:
        X, Y = make_chain((train + test) * 4, seed=17, **options)
        rows = np.random.default_rng(seed).permutation(len(X))[: train + test]
        X, Y = [X[row] for row in rows], [Y[row] for row in rows]
        return Split(X[:train], Y[:train], X[train:], Y[train:])

    return load


def _long(train: int, test: int, tokens: int, *, labels: int, d: int, noise: float, loyalty: float = 0.8) -> Load:
    """Labels that last for a while, and features that tell them badly, as along a protein or a signal."""

    def load(seed: int) -> Split:
        rng, fixed = np.random.default_rng(seed), np.random.default_rng([labels, d])
        centres = fixed.standard_normal((labels, d))
        X, Y = [], []
        for _ in range(train + test):
            change = rng.random(tokens) > loyalty
            drawn = rng.permutation((np.arange(tokens) + rng.integers(labels)) % labels)
            change[0] = True
            y = drawn[np.maximum.accumulate(np.where(change, np.arange(tokens), 0))]
            X.append(centres[y] + noise * rng.standard_normal((tokens, d)))
            Y.append(y)
        return Split(X[:train], Y[:train], X[train:], Y[train:])

    return load


def _sentences(train: int, test: int) -> Load:
    def load(seed: int) -> Split:
        X, Y = make_sentences(train + test, seed=seed)
        return attributes(X, Y, train, tagging_templates())

    return load


def attributes(X: Any, Y: Any, train: int, templates: Any) -> Split:
    """The attributes of every token by name, as all methods read them."""
    vectorizer = SequenceVectorizer(templates=templates)
    packed = vectorizer.fit_transform(X)
    names = vectorizer.get_feature_names_out()
    cells = [names[run].tolist() for run in np.split(packed.indices, packed.indptr[1:-1])]
    rows = [cells[start:end] for start, end in zip(packed.offsets[:-1], packed.offsets[1:])]
    return Split(rows[:train], Y[:train], rows[train:], Y[train:])


def some_sentences(X: Any, Y: Any, n: int, seed: int) -> tuple[Any, Any]:
    rows = np.random.default_rng(seed).permutation(len(X))[:n]
    return [X[row] for row in rows], [list(Y[row]) for row in rows]


def _chunks(train: int) -> Load:
    def load(seed: int) -> Split:
        X, Y = some_sentences(*conll2000("train"), train, seed)
        X_test, Y_test = some_sentences(*conll2000("test"), 1000, 0)
        return attributes(X + X_test, Y + Y_test, train, chunking_templates())

    return load


def _tags(train: int) -> Load:
    def load(seed: int) -> Split:
        X, Y = some_sentences(*ud_ewt("train"), train, seed)
        X_test, Y_test = some_sentences(*ud_ewt("test"), 1000, 0)
        return attributes(X + X_test, Y + Y_test, train, tagging_templates())

    return load


def _names(train: int) -> Load:
    def load(seed: int) -> Split:
        X, Y = some_sentences(*spanish_names("esp.train"), train, seed)
        X_test, Y_test = some_sentences(*spanish_names("esp.testa"), 1200, 0)
        return attributes(X + X_test, Y + Y_test, train, tagging_templates())

    return load


def _words(train: int) -> Load:
    def load(seed: int) -> Split:
        X, Y = words()
        rows = np.random.default_rng(seed).permutation(len(X))
        X, Y = [X[row] for row in rows], [Y[row] for row in rows]
        return Split(X[:train], Y[:train], X[train:], Y[train:])

    return load


def chain_task(name: str, load: Load, *tags: str, splits: int = 3, score: str = "tokens", **options: Any) -> Task:
    return Task(name, "chains", load, score, tags, splits=splits, **options)


_SIGNAL = _long(40, 100, 100, labels=3, d=10, noise=2.5)
CHAIN_TASKS = (
    chain_task("symbols", _made(100, 800, noise=2.0), "length short"),
    chain_task("symbols, 20 strings", _made(20, 1500, noise=1.5), "n small", splits=6),
    chain_task("symbols of length 1", _made(400, 3000, lengths=(1, 1), noise=2.5), "length short"),
    chain_task("2 labels", _made(150, 1500, n_labels=2, n_features=10, noise=2.0), "labels few"),
    chain_task("40 labels", _made(300, 800, n_labels=40, n_features=64, noise=1.5), "labels many"),
    chain_task(
        "500 labels",
        _long(40, 40, 60, labels=500, d=60, noise=1.3, loyalty=0.3),
        "labels many",
        splits=1,
        peers=("token by token",),
        ours=_BOTH,
    ),
    chain_task(
        "100 labels", _long(60, 100, 40, labels=100, d=40, noise=1.5, loyalty=0.4), "labels many", splits=2, ours=_BOTH
    ),
    chain_task("signal, 100 tokens", _SIGNAL, "overlap"),
    chain_task("signal x 1e-4", mapped(_SIGNAL, lambda X: [rows * 1e-4 for rows in X]), "scale"),
    chain_task("signal x 1e4", mapped(_SIGNAL, lambda X: [rows * 1e4 for rows in X]), "scale"),
    chain_task("signal + 100", mapped(_SIGNAL, lambda X: [rows + 100.0 for rows in X]), "offset"),
    chain_task(
        "proteins of 200 residues",
        _long(120, 200, 200, labels=3, d=21, noise=3.0, loyalty=0.85),
        "length 200",
        "overlap",
    ),
    chain_task("13 x 1,000 tokens", _long(13, 20, 1000, labels=3, d=20, noise=2.5), "length 1,000"),
    chain_task(
        "3 x 16,000 tokens", _long(3, 3, 16_000, labels=3, d=10, noise=2.5), "length 10,000", splits=2, ours=_BOTH
    ),
    chain_task(
        "100,000 tokens", _long(1, 1, 100_000, labels=3, d=8, noise=2.5), "length 100,000", splits=2, ours=_BOTH
    ),
    chain_task("invented sentences", _sentences(150, 800), "attributes"),
    chain_task("invented sentences, 15", _sentences(15, 1500), "attributes", "n small", splits=5),
    chain_task("chunks, 300 sentences", _chunks(300), "data folder", "attributes", score="chunks"),
    chain_task("chunks, 1,200 sentences", _chunks(1200), "data folder", "attributes", score="chunks", splits=2),
    chain_task("parts of speech, 400 sentences", _tags(400), "data folder", "attributes"),
    chain_task("Spanish names, 600 sentences", _names(600), "data folder", "attributes", score="chunks"),
    chain_task("Spanish names, 2,000 sentences", _names(2000), "data folder", "attributes", score="chunks", splits=2),
    chain_task("handwritten words, 200", _words(200), "data folder"),
    chain_task("handwritten words, 800", _words(800), "data folder", splits=2, ours=_BOTH),
)

"""Tasks of the second list with label sequences: hidden Markov processes, periodic and ordered ones, other corpora."""

from __future__ import annotations

from typing import Any

import numpy as np

from defaults.chain_tasks import attributes, chain_task, some_sentences
from defaults.local_data import conll2000, spanish_names
from defaults.making import Floats, Load, mapped
from defaults.second.processes import units
from defaults.second.sources import novels, other_words, proteins
from defaults.task import Split
from maxmargin.chains.features import entity_templates, tagging_templates

_TOKENWISE = ("token by token",)
_BOTH = ("ChainSVC", "ChainCRF")


def _sequences(train: int, test: int, make: Any) -> Load:
    """``make(rng)`` draws a sequence: tokens and labels."""

    def load(seed: int) -> Split:
        rng = np.random.default_rng(seed)
        X, Y = zip(*(make(rng) for _ in range(train + test)))
        return Split(list(X[:train]), list(Y[:train]), list(X[train:]), list(Y[train:]))

    return load


def _states(rng: Any, length: int, transition: Floats) -> Any:
    """Labels of a Markov chain with these probabilities, row by row."""
    bounds, label = np.cumsum(transition, axis=1), int(rng.integers(len(transition)))
    found = np.empty(length, dtype=np.int64)
    for place, chance in enumerate(rng.random(length)):
        found[place] = label
        label = min(int(np.searchsorted(bounds[label], chance)), len(transition) - 1)
    return found


def _transitions(labels: int, sharpness: float) -> Floats:
    weight = np.random.default_rng(labels).gamma(sharpness, size=(labels, labels)) + 1e-9
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def _hidden_words(labels: int, words: int, lengths: tuple[int, int], *, kinds: float = 0.05) -> Any:
    """A hidden Markov process with words: labels share most of them, and a word's neighbours are attributes too."""
    transition = _transitions(labels, 0.1)
    emission = np.random.default_rng([labels, words]).gamma(kinds, size=(labels, words)) + 1e-9
    bounds = np.cumsum(emission / emission.sum(axis=1, keepdims=True), axis=1)

    def make(rng: Any) -> tuple[Any, Any]:
        y = _states(rng, int(rng.integers(lengths[0], lengths[1] + 1)), transition)
        word = [min(int(np.searchsorted(bounds[label], rng.random())), words - 1) for label in y]
        tokens = [
            [f"w{one}", f"before{before}", f"after{after}", "bias"]
            for before, one, after in zip([-1, *word[:-1]], word, [*word[1:], -1])
        ]
        return tokens, y.tolist()

    return make


def _hidden_rows(
    labels: int, d: int, lengths: Any, *, noise: float, tails: float | None = None, missing: float = 0.0
) -> Any:
    """A hidden Markov process with rows around a centre per label; ``lengths(rng)`` draws the length."""
    transition = 0.5 * _transitions(labels, 0.5) + 0.5 * np.eye(labels)
    centres = np.random.default_rng([labels, d]).standard_normal((labels, d))

    def make(rng: Any) -> tuple[Any, Any]:
        y = _states(rng, lengths(rng), transition)
        errors = rng.standard_normal((y.size, d)) if tails is None else rng.standard_t(tails, size=(y.size, d))
        rows = centres[y] + noise * errors
        return np.where(rng.random(rows.shape) < missing, 0.0, rows), y

    return make


def _periodic(length: int, *, noise: float = 0.8) -> Any:
    """A wave whose period drifts; the labels are the quarters of its phase, the features the wave now and before."""

    def make(rng: Any) -> tuple[Any, Any]:
        speed = np.exp(0.3 * np.cumsum(rng.standard_normal(length)) / np.sqrt(length)) * rng.uniform(0.2, 0.4)
        phase = rng.uniform(0.0, 2.0 * np.pi) + np.cumsum(speed)
        heard = np.sin(phase) + noise * rng.standard_normal(length)
        lags = np.stack([np.concatenate([np.zeros(lag), heard[: length - lag]]) for lag in range(6)], axis=1)
        return lags, (phase // (np.pi / 2.0)).astype(np.int64) % 4

    return make


def _bursts(length: int) -> Any:
    """Noise that remembers, and rare events in it which last for some tokens and are to be found as chunks."""
    shape = np.random.default_rng(27).standard_normal(8)

    def make(rng: Any) -> tuple[Any, Any]:
        rows = rng.standard_normal((length, 8))
        for place in range(1, length):
            rows[place] += 0.6 * rows[place - 1]
        labels = np.full(length, "O", dtype="<U3")
        for start in np.flatnonzero(rng.random(length - 12) < 0.01):
            end = int(start + rng.integers(3, 12))
            if (labels[max(0, start - 1) : end + 1] == "O").all():
                labels[start:end] = "I-E"
                labels[start] = "B-E"
                rows[start:end] += 1.5 * shape
                rows[start] += shape
        return rows, labels

    return make


def _stages(labels: int, d: int) -> Any:
    """Labels in a fixed order, each once and for a while, as the stages of a beat or of a machine's work."""
    centres = np.random.default_rng([labels, d, 1]).standard_normal((labels, d))

    def make(rng: Any) -> tuple[Any, Any]:
        y = np.repeat(np.arange(labels), rng.integers(2, 15, size=labels))
        return centres[y] + 2.0 * rng.standard_normal((y.size, d)), y

    return make


def _residues(train: int, test: int) -> Load:
    """Whether a residue of a protein is in a reliable column of its family's alignment, by its neighbours; families of
    the test part are others."""

    def load(seed: int) -> Split:
        sequences, family = proteins()
        order = np.random.default_rng(seed).permutation(np.unique(family))
        rows = np.concatenate(
            [np.random.default_rng(seed).permutation(np.flatnonzero(family == one))[:8] for one in order]
        )
        chosen = rows[:train]
        others = rows[~np.isin(family[rows], family[chosen])][:test]
        parts = [_residue_attributes(sequences[row]) for row in (*chosen, *others)]
        X, Y = [tokens for tokens, _ in parts], [labels for _, labels in parts]
        return Split(X[:train], Y[:train], X[train:], Y[train:])

    return load


def _residue_attributes(sequence: str) -> tuple[list[list[str]], list[str]]:
    padded = f"---{sequence.upper()}---"
    tokens = [[f"{place}{padded[at + place]}" for place in range(7)] for at in range(len(sequence))]
    return tokens, ["core" if letter.isupper() else "loop" for letter in sequence]


def _corpus(rows: Any, test_rows: Any, train: int, test: int, templates: Any) -> Load:
    """Sentences of a corpus, drawn anew for each seed, and the same ones to test on."""

    def load(seed: int) -> Split:
        X, Y = some_sentences(*rows(), train, seed)
        X_test, Y_test = some_sentences(*test_rows(), test, 0)
        return attributes(X + X_test, Y + Y_test, train, templates)

    return load


def _tagged(read: Any, part: str) -> Any:
    """Words with the part of speech, the second column of a corpus, as label."""

    def rows() -> tuple[Any, Any]:
        sentences, _ = read(part)
        return [[token[:1] for token in tokens] for tokens in sentences], [[token[1] for token in s] for s in sentences]

    return rows


def _handwriting(seed: int) -> Split:
    X, Y = other_words()
    rows = np.random.default_rng(seed).permutation(len(X))[:1100]
    X, Y = [X[row] for row in rows], [Y[row] for row in rows]
    return Split(X[:100], Y[:100], X[100:], Y[100:])


def _between(low: int, high: int) -> Any:
    return lambda rng: int(rng.integers(low, high + 1))


def _log_uniform(rng: Any) -> int:
    return int(np.exp(rng.uniform(0.0, np.log(2000.0))))


CHAIN_TASKS = (
    chain_task(
        "hidden words, 12 labels", _sequences(150, 500, _hidden_words(12, 300, (5, 25))), "attributes", "overlap"
    ),
    chain_task(
        "hidden words, 60 labels, 40 sentences",
        _sequences(40, 300, _hidden_words(60, 500, (10, 30))),
        "attributes",
        "labels many",
        "n small",
        splits=2,
    ),
    chain_task(
        "hidden rows, 200 labels",
        _sequences(60, 60, _hidden_rows(200, 50, _between(30, 60), noise=1.2)),
        "labels many",
        splits=1,
        peers=_TOKENWISE,
        ours=_BOTH,
    ),
    chain_task("phases of a wave", _sequences(20, 60, _periodic(300)), "overlap", "length 200"),
    chain_task(
        "one wave of 50,000 tokens", _sequences(1, 1, _periodic(50_000)), "length 100,000", splits=2, ours=_BOTH
    ),
    chain_task("rare bursts", _sequences(25, 60, _bursts(400)), "positives", score="chunks"),
    chain_task("stages in order", _sequences(40, 300, _stages(8, 12)), "overlap"),
    chain_task("stages in order, 5 sequences", _sequences(5, 300, _stages(5, 6)), "n small", splits=6),
    chain_task("lengths 1 to 2,000", _sequences(40, 60, _hidden_rows(5, 10, _log_uniform, noise=1.8)), "length 1,000"),
    chain_task(
        "heavy tails and gaps",
        _sequences(100, 400, _hidden_rows(6, 12, _between(5, 30), noise=0.8, tails=2.0, missing=0.3)),
        "heavy tails",
        "missing",
    ),
    chain_task(
        "tokens with columns of all units",
        mapped(
            _sequences(60, 300, _hidden_rows(4, 10, _between(10, 40), noise=1.5)), lambda X: [units(rows) for rows in X]
        ),
        "unscaled column",
        "offset",
        "scale",
    ),
    chain_task(
        "two labels, single tokens",
        _sequences(200, 3000, _hidden_rows(2, 3, _between(1, 1), noise=1.5)),
        "length short",
        "labels few",
        splits=5,
    ),
    chain_task(
        "Penn tags, 250 sentences",
        _corpus(_tagged(conll2000, "train"), _tagged(conll2000, "test"), 250, 500, tagging_templates()),
        "data folder",
        "attributes",
        splits=2,
    ),
    chain_task(
        "Spanish parts of speech, 200 sentences",
        _corpus(
            _tagged(spanish_names, "esp.testb"), _tagged(spanish_names, "esp.testa"), 200, 400, tagging_templates()
        ),
        "data folder",
        "attributes",
        splits=2,
    ),
    chain_task(
        "names in novels, 700 sentences",
        _corpus(lambda: novels("train"), lambda: novels("test"), 700, 1000, entity_templates()),
        "data folder",
        "attributes",
        score="chunks",
        splits=2,
    ),
    chain_task("residues of proteins", _residues(100, 200), "data folder", "attributes", "length 200", splits=2),
    chain_task("handwritten words of other folds, 100", _handwriting, "data folder", "n small"),
)

"""Tasks of the second list with label vectors: labels that exclude or contain each other, rare ones, many."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from defaults.label_tasks import label_task
from defaults.making import Floats, Load, first, parted
from defaults.second.processes import count_words, topic_shares
from defaults.second.sources import genes, news_topics
from defaults.task import Split, Task

_NEWS = ("grain", "wheat", "corn", "oilseed", "soybean", "veg-oil", "sugar", "coffee", "ship", "crude", "nat-gas")
_MONEY = ("money-fx", "interest", "dlr", "yen", "trade", "bop", "gnp", "cpi", "money-supply", "reserves")


def _ruled(train: int, test: int, labels: int, d: int, rule: Any, *, tails: float | None = None) -> Load:
    """Normal or heavy-tailed rows, linear scores of the labels with logistic noise, and the labels ``rule(scores)``."""

    def load(seed: int) -> Split:
        rng, fixed = np.random.default_rng(seed), np.random.default_rng([labels, d, 17])
        n = train + test
        X = rng.standard_normal((n, d)) if tails is None else rng.standard_t(tails, size=(n, d))
        score = 2.0 * X @ fixed.standard_normal((d, labels)) / np.sqrt(d) + 0.5 * rng.logistic(size=(n, labels))
        return first(X, rule(score).astype(np.int64), train)

    return load


def _exclusive(score: Floats) -> Any:
    return score == score.max(axis=1, keepdims=True)


def _contained(score: Floats) -> Any:
    """Each label only where the one before it is set: steps of one scale."""
    steps = np.linspace(-1.5, 1.5, score.shape[1])
    return score[:, :1] > steps


def _opposed(score: Floats) -> Any:
    """The second label mostly where the first is not."""
    one = score[:, 0] > 0.0
    return np.stack([one, score[:, 1] > np.where(one, 1.5, -1.5)], axis=1)


def _rare(score: Floats) -> Any:
    return score > np.linspace(2.0, 4.0, score.shape[1])


def _topics(train: int, test: int, labels: int) -> Load:
    """Counts of words; the labels are the topics with a tenth of the text or more."""

    def load(seed: int) -> Split:
        shares, _ = topic_shares(train + test, seed, k=labels // 2, per_class=2)
        return first(count_words(shares, seed, words=1500, length=80.0), (shares > 0.1).astype(np.int64), train)

    return load


def _properties(seed: int) -> Split:
    """What is true of the digit that is shown: odd, above four, prime, with a loop."""
    X, y = load_digits(return_X_y=True)
    digit = np.arange(10)
    truths = np.stack([digit % 2 == 1, digit > 4, np.isin(digit, [2, 3, 5, 7]), np.isin(digit, [0, 6, 8, 9])], axis=1)
    return parted(X, truths[y].astype(np.int64), 400, seed, stratify=False)


def _genes(train: int) -> Load:
    return lambda seed: parted(*genes(), train, seed, stratify=False)


LABEL_TASKS: tuple[Task, ...] = (
    label_task("zero-one", "labels that exclude each other", _ruled(800, 6000, 6, 15, _exclusive), "overlap"),
    label_task("hamming", "labels that contain each other", _ruled(800, 6000, 7, 12, _contained), "ordinal"),
    label_task("zero-one", "steps of a scale", _ruled(500, 6000, 4, 30, _contained), "ordinal"),
    label_task("hamming", "two opposed labels, 60 rows", _ruled(60, 5000, 2, 6, _opposed), "n small", splits=10),
    label_task("f1", "rare labels", _ruled(3000, 6000, 12, 20, _rare), "positives"),
    label_task(
        "hamming",
        "heavy tails, 8 labels",
        _ruled(700, 6000, 8, 15, lambda score: score > 0.0, tails=2.0),
        "heavy tails",
    ),
    label_task("f1", "topics of texts, 24 labels", _topics(700, 2500, 24), "counts", "d large", splits=2),
    label_task(
        "hamming",
        "150 labels",
        _ruled(800, 1500, 150, 60, lambda score: score > 1.5),
        "labels many",
        splits=1,
        peers=("OneVsRest LinearSVC", "OneVsRest LogisticRegression"),
    ),
    label_task("hamming", "properties of digits", _properties, "bundled", splits=4),
    label_task("hamming", "news of crops", news_topics(_NEWS, 600, single=False), "data folder", "d large", splits=2),
    label_task("zero-one", "news of money", news_topics(_MONEY, 700, single=False), "data folder", "d large", splits=2),
    label_task("f1", "functions of genes", _genes(1200), "data folder", "missing", splits=2),
)

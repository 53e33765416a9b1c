"""Label vectors made by rules that differ in how labels depend on each other, for the choice of a method."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import numpy.typing as npt
from sklearn.datasets import make_multilabel_classification

Data = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]
TEST = 3000


def counts(n: int, labels: int, d: int, seed: int, noise: float = 0.0) -> Data:
    """Words drawn from the mixture of the labels that are set; labels flipped at random."""
    X, Y = make_multilabel_classification(
        n + TEST, d, n_classes=labels, n_labels=min(3, labels // 2), random_state=seed, length=50
    )
    flipped = np.random.default_rng(seed).random(Y.shape) < noise
    return X.astype(np.float64), (Y ^ flipped).astype(np.int64)


def pairwise(n: int, labels: int, d: int, seed: int, pair: float = 1.5, binary: bool = False) -> Data:
    """The model itself: half of the pairs attract or repel each other."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n + TEST, d)) < 0.2).astype(float) if binary else rng.standard_normal((n + TEST, d))
    w = 2.0 * rng.standard_normal((labels, d)) / np.sqrt(d * (0.2 if binary else 1.0))
    v = np.triu(rng.normal(0.0, pair, (labels, labels)) * (rng.random((labels, labels)) < 0.5), 1)
    every = np.array(list(product((0, 1), repeat=labels)))
    scores = (X @ w.T + rng.normal(-0.7, 0.7, labels)) @ every.T + np.einsum("sj,jk,sk->s", every, v, every)
    return X, every[(scores + rng.gumbel(size=scores.shape)).argmax(axis=1)]


def factors(n: int, labels: int, d: int, seed: int) -> Data:
    """Signs of scores whose noise comes from two hidden factors."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n + TEST, d))
    noise = rng.standard_normal((n + TEST, 2)) @ rng.standard_normal((2, labels))
    scores = 1.5 * X @ rng.standard_normal((d, labels)) / np.sqrt(d) + noise
    scores += 0.5 * rng.standard_normal(scores.shape)
    return X, (scores > rng.normal(0.4, 0.5, labels)).astype(np.int64)


def prototypes(n: int, labels: int, d: int, seed: int) -> Data:
    """Twelve clusters, each with a label vector of its own."""
    rng = np.random.default_rng(seed)
    centres = 4.5 * rng.standard_normal((12, d)) / np.sqrt(d)
    vectors = (rng.random((12, labels)) < 0.35).astype(np.int64)
    cluster = rng.integers(12, size=n + TEST)
    X = centres[cluster] + rng.standard_normal((n + TEST, d))
    return X, vectors[cluster] ^ (rng.random((n + TEST, labels)) < 0.05)


def nested(n: int, labels: int, d: int, seed: int) -> Data:
    """A label is true only where the one before it is."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n + TEST, d))
    passed = 2.0 * X @ rng.standard_normal((d, labels)) / np.sqrt(d) + 1.0 + rng.logistic(size=(n + TEST, labels)) > 0
    return X, np.logical_and.accumulate(passed, axis=1).astype(np.int64)


Make = Callable[[], Data]
CHOSEN_BY: dict[str, tuple[int, Make]] = {
    "pairwise, 5 labels": (300, lambda: pairwise(300, 5, 10, 1)),
    "pairwise, 6 labels, binary": (1000, lambda: pairwise(1000, 6, 40, 2, binary=True)),
    "pairwise, 5 labels, 150 columns": (300, lambda: pairwise(300, 5, 150, 9)),
    "pairwise, 3 labels, 100 rows": (100, lambda: pairwise(100, 3, 5, 11)),
    "independent, 6 labels": (800, lambda: pairwise(800, 6, 20, 12, pair=0.0)),
    "factors, 4 labels": (500, lambda: factors(500, 4, 12, 3)),
    "factors, 7 labels": (1500, lambda: factors(1500, 7, 30, 4)),
    "prototypes, 6 labels": (400, lambda: prototypes(400, 6, 20, 5)),
    "prototypes, 5 labels, 100 columns": (200, lambda: prototypes(200, 5, 100, 10)),
    "nested, 5 labels": (600, lambda: nested(600, 5, 8, 6)),
    "counts, 4 labels": (400, lambda: counts(400, 4, 15, 7)),
    "counts, 7 labels": (1000, lambda: counts(1000, 7, 40, 8)),
}
JUDGED_ON: dict[str, tuple[int, Make]] = {
    "pairwise, 8 labels": (700, lambda: pairwise(700, 8, 25, 21)),
    "pairwise, 4 labels, 200 columns": (250, lambda: pairwise(250, 4, 200, 22, binary=True)),
    "independent, 3 labels": (150, lambda: pairwise(150, 3, 10, 23, pair=0.0)),
    "factors, 6 labels": (400, lambda: factors(400, 6, 50, 24)),
    "factors, 12 labels": (800, lambda: factors(800, 12, 20, 25)),
    "prototypes, 10 labels": (600, lambda: prototypes(600, 10, 30, 26)),
    "nested, 7 labels": (300, lambda: nested(300, 7, 15, 27)),
    "counts, 5 labels": (500, lambda: counts(500, 5, 30, 28)),
    "counts, 15 labels": (900, lambda: counts(900, 15, 60, 29)),
    "counts, 8 labels, 10 % flipped": (600, lambda: counts(600, 8, 20, 30, noise=0.1)),
}

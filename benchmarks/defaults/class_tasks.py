"""Tasks with one class per row: many sizes, scales, class counts, noise, and costs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.datasets import make_classification as sklearn_classes
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from defaults.local_data import covtype, letters, mnist, newsgroups20, optical_digits, svm_example
from defaults.making import (
    Load,
    clusters,
    first,
    linear_binary,
    one_column_scaled,
    one_hot,
    parted,
    scaled,
    standardised,
)
from defaults.task import Split, Task
from maxmargin.datasets import make_documents, make_multiclass

Rows = tuple[Any, Any]


def _bundled(read: Any, train: float = 0.6) -> Load:
    return lambda seed: parted(*read(return_X_y=True), train, seed)


def _fresh(make: Any, train: int) -> Load:
    """``make(seed)`` gives rows of which the first ``train`` are to train on."""
    return lambda seed: first(*make(seed), train)


def _generated(train: int, test: int, **options: Any) -> Load:
    """Scikit-learn's generator; the seed shuffles one fixed problem."""
    n = train + test

    def load(seed: int) -> Split:
        X, y = sklearn_classes(n, random_state=11, **options)
        return parted(X, y, train, seed)

    return load


def _of(rows: Callable[[], Rows], train: int, test: int | None = None) -> Load:
    """Random rows of a set of the data folder."""
    return lambda seed: parted(*rows(), train, seed, test=test)


def _news(train: int, vectorizer: Any) -> Load:
    def load(seed: int) -> Split:
        (texts, groups), (test_texts, test_groups) = newsgroups20("train"), newsgroups20("test")
        rows = np.random.default_rng(seed).permutation(len(texts))[:train]
        words = vectorizer()
        X = words.fit_transform([texts[row] for row in rows])
        return Split(X, np.array(groups)[rows], words.transform(test_texts), np.array(test_groups))

    return load


def _example(seed: int) -> Split:
    X, y, X_test, y_test = svm_example()
    rows = np.random.default_rng(seed).permutation(y.size)[:250]
    return Split(X[rows], y[rows].astype(int), X_test, y_test.astype(int))


def _heavy(seed: int, *, kind: str) -> Rows:
    """Features whose tails are heavy, and three classes by a linear rule of what is inside them."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng(5)
    n, d = 12_000, 15
    inside, rule = rng.standard_normal((n, d)), fixed.standard_normal((d, 3))
    y = (inside @ rule + 1.5 * rng.gumbel(size=(n, 3))).argmax(axis=1)
    if kind == "tails":
        return inside * (1.0 + np.abs(rng.standard_t(2.0, size=(n, 1)))), y
    return np.exp(1.5 * inside), y


def _wide(seed: int) -> Rows:
    """Many more features than rows, all made of a few hidden ones, as in gene expression."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng(7)
    hidden = rng.standard_normal((2080, 12))
    y = (hidden @ fixed.standard_normal((12, 4)) + 0.5 * rng.gumbel(size=(2080, 4))).argmax(axis=1)
    return hidden @ fixed.standard_normal((12, 2000)) + 2.0 * rng.standard_normal((2080, 2000)), y


def _counts(seed: int) -> Rows:
    rng, fixed = np.random.default_rng(seed), np.random.default_rng(3)
    rate = fixed.gamma(0.5, 4.0, size=(6, 30))
    y = rng.integers(6, size=8000)
    return rng.poisson(rate[y] * rng.gamma(2.0, 0.5, size=(8000, 1))).astype(np.float64), y


def _skewed(seed: int) -> Rows:
    share = 0.6 ** np.arange(10)
    return clusters(12_000, 20, 10, seed, share=share / share.sum())


def random_costs(k: int, factor: float = 1.0) -> Any:
    cost = factor * np.random.default_rng(k).gamma(1.0, 1.0, size=(k, k))
    np.fill_diagonal(cost, 0.0)
    return cost


def ordinal_costs(k: int, factor: float = 1.0) -> Any:
    return factor * np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)


def alarm_costs(k: int, factor: float) -> Any:
    """Missing class 0 costs ``factor``, everything else 1."""
    cost = 1.0 - np.eye(k)
    cost[0, 1:] = factor
    return cost


_DIGITS = _bundled(load_digits)
_FEW = ("RidgeClassifier", "SGDClassifier")


def class_task(name: str, load: Load, *tags: str, **options: Any) -> Task:
    return Task(name, "classes", load, options.pop("score", "accuracy"), tags, **options)


def cost_task(name: str, load: Load, cost: Any, *tags: str, **options: Any) -> Task:
    return class_task(name, load, "costs", *tags, score="cost", options={"cost": cost}, **options)


CLASS_TASKS = (
    class_task("iris", _bundled(load_iris), "bundled", "n small", splits=20),
    class_task("wine, raw", _bundled(load_wine), "bundled", "unscaled column", splits=20),
    class_task("wine, standardised", standardised(_bundled(load_wine)), "bundled", splits=20),
    class_task("breast cancer, raw", _bundled(load_breast_cancer), "bundled", "unscaled column", splits=10),
    class_task("breast cancer, standardised", standardised(_bundled(load_breast_cancer)), "bundled", splits=10),
    class_task("digits", _DIGITS, "bundled", splits=5),
    class_task("digits x 1e-4", scaled(_DIGITS, 1e-4), "scale", splits=5),
    class_task("digits x 0.01", scaled(_DIGITS, 0.01), "scale", splits=5),
    class_task("digits x 1e8", scaled(_DIGITS, 1e8), "scale", splits=5),
    class_task("digits + 1000", scaled(_DIGITS, 1.0, 1000.0), "offset", splits=5),
    class_task("digits, one column x 1e4", one_column_scaled(_DIGITS, 20, 1e4), "unscaled column", splits=5),
    class_task("30 rows", _fresh(lambda seed: clusters(5030, 5, 2, seed), 30), "n small", splits=20),
    class_task("60 rows, 500 features", _fresh(lambda seed: clusters(3060, 500, 3, seed), 60), "n small", splits=10),
    class_task(
        "overlap in a plane", _fresh(lambda seed: clusters(10_300, 2, 3, seed), 300), "d small", "overlap", splits=5
    ),
    class_task("2 of 20 features", _fresh(partial(linear_binary, 11_000, 20, used=2), 1000), "overlap", splits=5),
    class_task(
        "label noise 20 %", _fresh(partial(linear_binary, 22_000, 20, noise=0.2), 2000), "label noise", splits=5
    ),
    class_task(
        "label noise 60 %", _fresh(partial(linear_binary, 22_000, 20, noise=0.6), 2000), "label noise", splits=5
    ),
    class_task("separable", _fresh(partial(linear_binary, 12_000, 20, steep=1e3), 2000), "separable", splits=5),
    class_task("100,000 rows", _fresh(partial(linear_binary, 120_000, 10), 100_000), "n large", splits=2),
    class_task(
        "100,000 rows + 50",
        scaled(_fresh(partial(linear_binary, 120_000, 10), 100_000), 1.0, 50.0),
        "n large",
        splits=2,
    ),
    class_task(
        "nonlinear, 8 classes",
        _generated(4000, 8000, n_features=25, n_informative=10, n_classes=8, n_clusters_per_class=2),
        "overlap",
    ),
    class_task(
        "redundant features",
        _generated(1500, 8000, n_features=60, n_informative=8, n_redundant=40, n_classes=4, flip_y=0.1),
        "label noise",
    ),
    class_task("geometric class sizes", _fresh(_skewed, 2000), "rare classes"),
    class_task("5 % positives", _fresh(partial(linear_binary, 25_000, 15, positive=0.05), 5000), "positives", splits=5),
    class_task("100 classes", _fresh(lambda seed: clusters(13_000, 60, 100, seed, noise=0.5), 3000), "classes many"),
    class_task(
        "1,000 classes",
        _fresh(lambda seed: clusters(15_000, 64, 1000, seed, noise=0.35), 10_000),
        "classes many",
        peers=_FEW,
        splits=2,
    ),
    class_task(
        "5,000 classes",
        _fresh(lambda seed: clusters(24_000, 32, 5000, seed, noise=0.2), 20_000),
        "classes many",
        peers=("RidgeClassifier",),
        splits=1,
    ),
    class_task(
        "100,000 sparse features",
        _fresh(lambda seed: make_multiclass(6000, 100_000, 5, density=3e-4, noise=2.0, seed=seed), 2000),
        "d large",
    ),
    class_task("texts", _fresh(lambda seed: make_documents(10_000, 20_000, noise=0.1, seed=seed), 3000), "d large"),
    class_task(
        "rare texts",
        _fresh(lambda seed: make_documents(20_000, 5000, positive=0.03, seed=seed), 5000),
        "positives",
        "d large",
    ),
    class_task("one-hot, 10 x 40", _fresh(lambda seed: one_hot(14_000, 10, 40, 3, seed), 4000), "one-hot"),
    class_task("one-hot, 20 x 200", _fresh(lambda seed: one_hot(8_000, 20, 200, 4, seed), 2000), "one-hot", "d large"),
    class_task("heavy tails", _fresh(partial(_heavy, kind="tails"), 2000), "heavy tails"),
    class_task("log-normal features", _fresh(partial(_heavy, kind="log-normal"), 2000), "heavy tails"),
    class_task("2,000 features, 80 rows", _fresh(_wide, 80), "d large", "n small", splits=10),
    class_task("counts", _fresh(_counts, 2000), "counts"),
    class_task("letters, 1,000", _of(letters, 1000), "data folder"),
    class_task("letters, 12,000", _of(letters, 12_000), "data folder", splits=2),
    class_task("MNIST pixels, 2,000", _of(mnist, 2000, 6000), "data folder", "scale", splits=2),
    class_task("20 newsgroups, tf-idf", _news(2000, TfidfVectorizer), "data folder", "d large"),
    class_task("20 newsgroups, counts", _news(1500, CountVectorizer), "data folder", "d large", "counts", splits=2),
    class_task("covertype, raw", _of(covtype, 4000, 20_000), "data folder", "unscaled column", splits=2),
    class_task("covertype, standardised", standardised(_of(covtype, 8000, 20_000)), "data folder", splits=2),
    class_task("optical digits", _of(optical_digits, 1500), "data folder"),
    class_task("example of SVM-multiclass", _example, "data folder", splits=3),
    cost_task("digits, random costs", _DIGITS, random_costs(10), splits=5),
    cost_task("digits, random costs x 1000", _DIGITS, random_costs(10, 1000.0), "cost scale", splits=5),
    cost_task("digits, random costs x 0.001", _DIGITS, random_costs(10, 1e-3), "cost scale", splits=5),
    cost_task("wine, ordinal costs", standardised(_bundled(load_wine)), ordinal_costs(3), splits=20),
    cost_task(
        "overlapping clusters, random costs",
        _fresh(lambda seed: clusters(12_000, 10, 5, seed), 2000),
        random_costs(5),
        "overlap",
    ),
    cost_task(
        "overlapping clusters, random costs x 1000",
        _fresh(lambda seed: clusters(12_000, 12, 6, seed), 2000),
        random_costs(6, 1000.0),
        "overlap",
        "cost scale",
    ),
    cost_task("counts, alarm x 20", _fresh(_counts, 2000), alarm_costs(6, 20.0), "cost scale"),
    cost_task(
        "covertype, random costs", standardised(_of(covtype, 3000, 20_000)), random_costs(7), "data folder", splits=2
    ),
    cost_task(
        "unscaled, ordinal costs x 1000",
        one_column_scaled(_fresh(lambda seed: clusters(9000, 8, 4, seed), 1500), 0, 1e3),
        ordinal_costs(4, 1000.0),
        "unscaled column",
        "cost scale",
    ),
)

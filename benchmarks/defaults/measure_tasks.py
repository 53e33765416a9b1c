"""Tasks of two classes with a measure of all rows: rare and noisy positives above all."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.feature_extraction.text import TfidfVectorizer

from defaults.local_data import covtype, reuters21578
from defaults.making import Load, first, linear_binary, one_column_scaled, parted, scaled
from defaults.task import Split, Task
from maxmargin.datasets import make_documents


def _linear(train: int, test: int, d: int, **options: Any) -> Load:
    return lambda seed: first(*linear_binary(train + test, d, seed, **options), train)


def reuters(topic: str, train: int) -> Load:
    def load(seed: int) -> Split:
        (texts, topics), (test_texts, test_topics) = reuters21578("train"), reuters21578("test")
        rows = np.random.default_rng(seed).permutation(len(texts))[:train]
        words = TfidfVectorizer(sublinear_tf=True, min_df=2)
        X = words.fit_transform([texts[row] for row in rows])
        y, y_test = (np.array([topic in some for some in given]).astype(int) for given in (topics, test_topics))
        return Split(X, y[rows], words.transform(test_texts), y_test)

    return load


def _forest(kind: int, train: int) -> Load:
    def load(seed: int) -> Split:
        X, y = covtype()
        low, high = X.min(axis=0), X.max(axis=0)
        split = parted(
            (X - low) / np.where(high > low, high - low, 1.0), (y == kind - 1).astype(int), train, seed, test=30_000
        )
        return split

    return load


def _digit(digit: int) -> Load:
    X, y = load_digits(return_X_y=True)
    return lambda seed: parted(X, (y == digit).astype(int), 0.5, seed)


def _cancer(seed: int) -> Split:
    X, y = load_breast_cancer(return_X_y=True)
    return parted(X, 1 - y, 0.5, seed)


def _texts(train: int, test: int, positive: float, noise: float) -> Load:
    def load(seed: int) -> Split:
        X, y = make_documents(train + test, 5000, positive=positive, noise=noise, seed=seed)
        return first(X, y.astype(int), train)

    return load


def measure_task(measure: str, name: str, load: Load, *tags: str, splits: int = 4, **options: Any) -> Task:
    chosen = {"measure": measure}
    return Task(f"{measure}: {name}", "measures", load, "measure", tags, chosen, splits, **options)


_NOISY = {"noise": 0.1, "steep": 4.0}
_RARE = _linear(5000, 40_000, 20, positive=0.01, steep=4.0)
MEASURE_TASKS = (
    measure_task("f1", "0.5 % positives", _linear(8000, 60_000, 20, positive=0.005, steep=5.0), "positives", splits=5),
    measure_task("f1", "1 % positives", _RARE, "positives", "overlap", splits=5),
    measure_task(
        "f1",
        "1 % noisy positives",
        _linear(5000, 40_000, 20, positive=0.01, **_NOISY),
        "positives",
        "label noise",
        splits=5,
    ),
    measure_task("f1", "5 % positives", _linear(3000, 30_000, 20, positive=0.05, **_NOISY), "positives", "label noise"),
    measure_task("f1", "20 % positives", _linear(2000, 20_000, 30, positive=0.2, **_NOISY), "positives", "label noise"),
    measure_task("f1", "50 % positives", _linear(2000, 20_000, 30, positive=0.5, steep=1.0), "positives", "overlap"),
    measure_task(
        "f1", "100,000 rows", _linear(100_000, 30_000, 20, positive=0.05, steep=3.0), "n large", "positives", splits=3
    ),
    measure_task("f1", "100 rows", _linear(100, 20_000, 5, positive=0.2, steep=3.0), "n small", splits=10),
    measure_task("f1", "texts, 3 %", _texts(4000, 12_000, 0.03, 0.005), "positives", "d large"),
    measure_task("f1", "texts, 10 %, noise", _texts(3000, 10_000, 0.1, 0.03), "positives", "label noise", "d large"),
    measure_task("f1", "digit 8", _digit(8), "bundled", splits=5),
    measure_task("f1", "breast cancer, raw", _cancer, "bundled", "unscaled column", splits=6),
    measure_task("f1", "rare, x 1e6", scaled(_linear(3000, 30_000, 15, positive=0.03, steep=4.0), 1e6), "scale"),
    measure_task(
        "f1", "rare, + 100", scaled(_linear(3000, 30_000, 15, positive=0.03, steep=4.0), 1.0, 100.0), "offset"
    ),
    measure_task(
        "f1", "one column x 1e3", one_column_scaled(_linear(3000, 30_000, 15, positive=0.1), 3, 1e3), "unscaled column"
    ),
    measure_task("f1", "Reuters, corn", reuters("corn", 5000), "data folder", "positives"),
    measure_task("f1", "Reuters, money-fx", reuters("money-fx", 4000), "data folder", "positives"),
    measure_task("f1", "covertype, class 4", _forest(4, 10_000), "data folder", "positives"),
    measure_task("f1", "covertype, class 1", _forest(1, 10_000), "data folder"),
    measure_task("fbeta(2)", "3 % positives", _linear(4000, 30_000, 20, positive=0.03, steep=3.0), "positives"),
    measure_task("balanced_error", "2 % positives", _linear(4000, 40_000, 20, positive=0.02, steep=3.0), "positives"),
    measure_task("error_rate", "30 % positives", _linear(2000, 20_000, 20, positive=0.3, noise=0.2), "label noise"),
    measure_task("precision_at_k(20)", "1 % positives", _RARE, "positives", splits=6),
    measure_task(
        "precision_at_k(100)",
        "5 % positives",
        _linear(3000, 20_000, 20, positive=0.05, noise=0.2),
        "positives",
        splits=6,
    ),
    measure_task("recall_at_k(500)", "1 % positives", _RARE, "positives"),
    measure_task("prbep", "2 % positives", _linear(4000, 40_000, 20, positive=0.02, steep=3.0), "positives"),
    measure_task("roc_area", "1 % positives", _RARE, "positives"),
    measure_task("roc_area", "40 % positives", _linear(2000, 20_000, 40, positive=0.4, steep=1.0), "overlap"),
    measure_task(
        "average_precision", "2 % positives", _linear(3000, 30_000, 20, positive=0.02, steep=3.0), "positives"
    ),
)

"""Tasks of the third list of two classes with a measure of all rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits

from defaults.local_data import newsgroups20
from defaults.making import Load, parted
from defaults.measure_tasks import measure_task
from defaults.second.processes import drawn, rarest
from defaults.task import Split, Task
from defaults.third.class_tasks import profiles
from defaults.third.rows import blocks, interactions, many_levels, monomials, nearly_constant, repeated, table
from defaults.third.strings import hashed, hashed_names


def _rare(rows: Any, train: int, test: int, share: float, **options: Any) -> Load:
    return drawn(partial(rarest, rows), train, test, share=share, **options)


def alarms(n: int, seed: int, *, d: int = 10, bursts: float = 0.004, length: float = 15.0) -> tuple[Any, Any]:
    """Readings in the order of time, which remember the ones before; failures come in bursts and move some of them."""
    rng, fixed = np.random.default_rng([seed, d]), np.random.default_rng([d, 91])
    y = np.zeros(n, dtype=np.int64)
    for start in np.flatnonzero(rng.random(n) < bursts):
        y[start : start + int(rng.geometric(1.0 / length))] = 1
    X = rng.standard_normal((n, d))
    for row in range(1, n):
        X[row] += 0.8 * X[row - 1]
    return X + 2.0 * y[:, None] * fixed.standard_normal(d), y


def _few_tumours(seed: int) -> Split:
    """Malignant tumours by three of the thirty columns, 60 of them to train on."""
    X, y = load_breast_cancer(return_X_y=True)
    return parted(X[:, [1, 4, 8]], 1 - y, 60, seed)


def _nines(seed: int) -> Split:
    X, y = load_digits(return_X_y=True)
    return parted(profiles(X), (y == 9).astype(int), 500, seed)


def _postings(start: str, train: int) -> Load:
    """Postings of the groups whose names begin so, by the hashed letters of their first 300 characters."""

    def load(seed: int) -> Split:
        (texts, groups), (test_texts, test_groups) = newsgroups20("train"), newsgroups20("test")
        rows = np.random.default_rng(seed).permutation(len(texts))[:train]
        test = np.random.default_rng(0).permutation(len(test_texts))[:3000]
        X, X_test = hashed([texts[row][:300] for row in rows]), hashed([test_texts[row][:300] for row in test])
        y, y_test = (np.array([name.startswith(start) for name in some]).astype(int) for some in (groups, test_groups))
        return Split(X, y[rows], X_test, y_test[test])

    return load


MEASURE_TASKS: tuple[Task, ...] = (
    measure_task(
        "f1", "one column of many levels, 1.5 %", _rare(many_levels, 15_000, 15_000, 0.015), "positives", "one-hot"
    ),
    measure_task("f1", "rows that repeat, 25 %", _rare(repeated, 1200, 15_000, 0.25), "label noise", "duplicates"),
    measure_task("f1", "alarms in bursts", drawn(alarms, 4000, 15_000), "positives"),
    measure_task("f1", "monomials, 0.5 %", _rare(monomials, 10_000, 20_000, 0.005), "positives", "heavy tails"),
    measure_task("f1", "three columns of 60 tumours", _few_tumours, "bundled", "n small", "unscaled column", splits=12),
    measure_task(
        "f1", "postings about religion or politics, hashed", _postings("talk", 1000), "data folder", "d large", splits=2
    ),
    measure_task(
        "fbeta(2)", "a table, 4 %", _rare(table, 2500, 15_000, 0.04), "positives", "unscaled column", "offset"
    ),
    measure_task(
        "balanced_error", "columns that hardly vary, 1 %", _rare(nearly_constant, 4000, 15_000, 0.01), "positives"
    ),
    measure_task("precision_at_k(30)", "invented names, 2 %", _rare(hashed_names, 2500, 6000, 0.02), "d large"),
    measure_task("recall_at_k(300)", "products of features, 1 %", _rare(interactions, 5000, 20_000, 0.01), "positives"),
    measure_task(
        "roc_area", "blocks of like columns, 150 rows", _rare(blocks, 150, 8000, 0.12, width=40), "n small", splits=6
    ),
    measure_task("prbep", "nines by sums", _nines, "bundled", "positives", splits=5),
)

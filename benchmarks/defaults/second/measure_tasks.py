"""Tasks of the second list of two classes with a measure of all rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes, load_wine
from sklearn.feature_extraction.text import TfidfVectorizer

from defaults.local_data import newsgroups20
from defaults.making import Load, mapped, parted, scaled
from defaults.measure_tasks import measure_task, reuters
from defaults.second.processes import (
    drawn,
    mixtures,
    outliers,
    rarest,
    redrawn,
    spectra,
    switches,
    topics,
    units,
    with_gaps,
)
from defaults.second.sources import other_covtype
from defaults.task import Split, Task


def _rare(rows: Any, train: int, test: int, share: float, **options: Any) -> Load:
    return drawn(partial(rarest, rows), train, test, share=share, **options)


def _ill(seed: int) -> Split:
    """The fifth of the diabetes patients whose illness went farthest."""
    X, target = load_diabetes(return_X_y=True)
    return parted(X, (target > np.quantile(target, 0.8)).astype(int), 0.5, seed)


def _wine(seed: int) -> Split:
    X, y = load_wine(return_X_y=True)
    return parted(X[:, :6], (y == 2).astype(int), 90, seed)


def _forest(kind: int, train: int) -> Load:
    """One kind of forest, the measured columns as they are."""

    def load(seed: int) -> Split:
        X, y = other_covtype()
        return parted(X[:, :10], (y == kind - 1).astype(int), train, seed, test=25_000)

    return load


def _group(name: str, train: int) -> Load:
    """One newsgroup against the others, by counts of words scaled to length 1."""

    def load(seed: int) -> Split:
        (texts, groups), (test_texts, test_groups) = newsgroups20("train"), newsgroups20("test")
        rows = np.random.default_rng(seed).permutation(len(texts))[:train]
        words = TfidfVectorizer(use_idf=False, min_df=3)
        X = words.fit_transform([texts[row] for row in rows])
        y, y_test = ((np.array(some) == name).astype(int) for some in (groups, test_groups))
        return Split(X, y[rows], words.transform(test_texts), y_test)

    return load


MEASURE_TASKS: tuple[Task, ...] = (
    measure_task("f1", "three clusters of positives, 2 %", _rare(mixtures, 4000, 20_000, 0.02), "positives"),
    measure_task(
        "f1", "outliers in single cells, 5 %", _rare(outliers, 3000, 20_000, 0.05), "positives", "heavy tails"
    ),
    measure_task(
        "f1", "60,000 rows of switches, 0.7 %", _rare(switches, 60_000, 30_000, 0.007), "n large", "positives", splits=2
    ),
    measure_task("f1", "80 rows of switches, 30 %", _rare(switches, 80, 20_000, 0.3, d=8), "n small", splits=10),
    measure_task("f1", "wine, class 2 of six columns", _wine, "bundled", "n small", "unscaled column", splits=12),
    measure_task(
        "f1",
        "topics, 4 %",
        _rare(topics, 3000, 8000, 0.04, k=6, words=4000),
        "positives",
        "counts",
        "d large",
        splits=3,
    ),
    measure_task(
        "f1",
        "columns of all units, 15 %",
        mapped(_rare(mixtures, 1500, 15_000, 0.15, d=18), units),
        "unscaled column",
        "offset",
    ),
    measure_task("f1", "Reuters, grain, 2,000 texts", reuters("grain", 2000), "data folder", "positives", "d large"),
    measure_task("fbeta(2)", "missing as zero, 8 %", _rare(with_gaps, 2500, 20_000, 0.08), "positives", "missing"),
    measure_task(
        "fbeta(0.5)", "spectra x 1e-4, 10 %", scaled(_rare(spectra, 1200, 8000, 0.1), 1e-4), "scale", "positives"
    ),
    measure_task(
        "balanced_error", "mixtures x 1e8, 3 %", scaled(_rare(mixtures, 3000, 20_000, 0.03, d=8), 1e8), "scale"
    ),
    measure_task(
        "error_rate",
        "redrawn labels, 45 %",
        _rare(partial(redrawn, mixtures, share=0.3), 400, 10_000, 0.45, k=2, d=40),
        "label noise",
        "n small",
        splits=5,
    ),
    measure_task("precision_at_k(50)", "covertype, class 5, raw", _forest(5, 5000), "data folder", "positives"),
    measure_task(
        "recall_at_k(100)", "Reuters, ship", reuters("ship", 3000), "data folder", "positives", "d large", splits=3
    ),
    measure_task(
        "average_precision", "covertype, class 6, raw", _forest(6, 8000), "data folder", "unscaled column", splits=3
    ),
    measure_task("roc_area", "diabetes, upper fifth", _ill, "bundled", "n small", "overlap", splits=12),
    measure_task(
        "roc_area", "missing as zero, 0.6 %", _rare(with_gaps, 8000, 20_000, 0.006, d=15), "positives", "missing"
    ),
    measure_task(
        "prbep", "newsgroup about space", _group("sci.space", 2500), "data folder", "positives", "d large", splits=3
    ),
)

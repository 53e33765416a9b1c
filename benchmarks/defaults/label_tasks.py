"""Tasks with label vectors, for each of the losses of MultilabelSVC."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_multilabel_classification

from defaults.making import Load, first, parted
from defaults.task import Split, Task
from maxmargin.datasets import load_multilabel


def _mulan(name: str) -> Load:
    """Random halves of both parts together; dense features are standardised; labels of five rows at least."""

    def load(seed: int) -> Split:
        parts = load_multilabel(name, "train"), load_multilabel(name, "test")
        stack = sp.vstack if sp.issparse(parts[0].X) else np.vstack
        X, Y = stack([part.X for part in parts]), np.vstack([part.Y for part in parts])
        split = parted(X.tocsr() if sp.issparse(X) else X, Y[:, Y.sum(axis=0) >= 10], 0.5, seed, stratify=False)
        if sp.issparse(X):
            return split
        centre, size = split.X.mean(axis=0), np.maximum(split.X.std(axis=0), 1e-9)
        return Split((split.X - centre) / size, split.y, (split.X_test - centre) / size, split.y_test)

    return load


def _vectors(train: int, test: int, labels: int, d: int, noise: float = 0.0, factor: float = 1.0) -> Load:
    def load(seed: int) -> Split:
        X, Y = make_multilabel_classification(
            train + test, d, n_classes=labels, n_labels=min(3, labels), random_state=31, length=60
        )
        rng = np.random.default_rng(seed)
        rows = rng.permutation(len(X))
        Y = Y ^ (rng.random(Y.shape) < noise)
        return first(factor * X[rows].astype(np.float64), Y[rows].astype(int), train)

    return load


def _chained(train: int, test: int, labels: int, d: int) -> Load:
    """Labels each of which depends on a row and on the label before it."""

    def load(seed: int) -> Split:
        rng, fixed = np.random.default_rng(seed), np.random.default_rng(labels)
        rule = fixed.standard_normal((labels, d)) / np.sqrt(d)
        X = rng.standard_normal((train + test, d))
        Y = np.zeros((train + test, labels), dtype=int)
        for label in range(labels):
            before = 2.0 * (2 * Y[:, label - 1] - 1) if label else 0.0
            Y[:, label] = 1.5 * X @ rule[label] + before - 0.8 + rng.logistic(size=train + test) > 0
        return first(X, Y, train)

    return load


def label_task(loss: str, name: str, load: Load, *tags: str, **options: Any) -> Task:
    score = {"hamming": "hamming", "f1": "example_f1", "zero-one": "subset_accuracy"}[loss]
    return Task(f"{loss}: {name}", "labels", load, score, tags, {"loss": loss}, **options)


LABEL_TASKS = (
    label_task("hamming", "emotions", _mulan("emotions"), "data folder", splits=5),
    label_task("f1", "emotions", _mulan("emotions"), "data folder", splits=5),
    label_task("zero-one", "emotions", _mulan("emotions"), "data folder", splits=5),
    label_task("hamming", "scene", _mulan("scene"), "data folder", splits=2),
    label_task("zero-one", "scene", _mulan("scene"), "data folder", splits=2),
    label_task("f1", "enron", _mulan("enron"), "data folder", "d large", splits=2),
    label_task("hamming", "medical", _mulan("medical"), "data folder", "d large", splits=3),
    label_task("zero-one", "medical", _mulan("medical"), "data folder", "d large", splits=3),
    label_task("hamming", "counts, 6 labels", _vectors(500, 4000, 6, 20), "counts"),
    label_task("hamming", "counts, 6 labels, x 1e4", _vectors(500, 4000, 6, 20, factor=1e4), "scale"),
    label_task("f1", "counts, 20 labels, noise", _vectors(1000, 4000, 20, 50, noise=0.05), "label noise"),
    label_task("zero-one", "counts, 5 labels", _vectors(800, 4000, 5, 20), "counts"),
    label_task("hamming", "100 labels", _vectors(1000, 2000, 100, 100), "labels many", splits=1),
    label_task("hamming", "a chain of 8 labels", _chained(1000, 8000, 8, 15), "overlap"),
    label_task("zero-one", "a chain of 5 labels", _chained(1000, 8000, 5, 15), "overlap"),
)

"""Data of the benchmark of taxonomies: examples, the names of their classes, and the tree above them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import TfidfVectorizer

from maxmargin import Taxonomy
from maxmargin.datasets import load_imclef07a, load_newsgroups20, make_taxonomy

DATA = ("ImCLEF07A", "newsgroups20")
SIZES = {4: 3, 2: 5}  # training rows per class, and folds

Places = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Workload:
    """Examples, their classes, and the taxonomy of these classes."""

    X: Any
    y: npt.NDArray[Any]
    taxonomy: Taxonomy


def load(name: str) -> Workload:
    """``'ImCLEF07A'``, ``'newsgroups20'``, or ``'generated'``, which needs no file."""
    if name == "ImCLEF07A":
        X, y = load_imclef07a("all")
        return Workload(X, y, Taxonomy.from_names(np.unique(y).tolist(), "/"))
    if name == "newsgroups20":
        texts, groups = load_newsgroups20("all")
        y = np.array(groups)
        # Weights of words come from all texts and no label. Parts of names that divide nothing are no nodes.
        X = TfidfVectorizer(sublinear_tf=True, min_df=3, stop_words="english").fit_transform(texts)
        return Workload(X.tocsr(), y, Taxonomy.from_names(np.unique(y).tolist()).compact())
    X, y = make_taxonomy(400, branching=(2, 2, 2), n_features=200, seed=0)
    return Workload(X, y, Taxonomy.from_names(np.unique(y).tolist()))


@dataclass(frozen=True)
class Split:
    """Rows to train with, so many of each class, and rows to test with."""

    train: Places
    test: Places


def splits(y: npt.NDArray[Any], per_class: int, folds: int, seed: int) -> list[Split]:
    """Random folds; each is the test part once, and of each class ``per_class`` of the other rows train (all of them
    where there are fewer)."""
    rng = np.random.default_rng(seed)
    fold = np.empty(y.size, dtype=np.int64)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        fold[rows] = (rng.permutation(rows.size) + rng.integers(folds)) % folds
    found = []
    for k in range(folds):
        pool = np.flatnonzero(fold != k)
        train = [rng.permutation(pool[y[pool] == label])[:per_class] for label in np.unique(y)]
        found.append(Split(np.concatenate(train), np.flatnonzero(fold == k)))
    return found


def prepared(X: Any, split: Split) -> tuple[Any, Any]:
    """Training and test rows. Numbers are standardised by the training rows and divided by the root of their count;
    of texts the words stay that occur in training, as no linear method learns anything about others."""
    train, test = X[split.train], X[split.test]
    if isinstance(X, np.ndarray):
        centre, size = train.mean(axis=0), train.std(axis=0)
        size = np.where(size > 0.0, size, 1.0) * np.sqrt(X.shape[1])
        return (train - centre) / size, (test - centre) / size
    used = np.unique(train.indices)
    return train[:, used].tocsr(), test[:, used].tocsr()

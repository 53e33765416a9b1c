"""Two-class tasks for the benchmark of measures: each class of a set against the rest."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import TfidfVectorizer

from maxmargin.datasets import load_covtype, load_optdigits, load_reuters21578, make_documents

Truth = npt.NDArray[np.bool_]
SETS = ("reuters", "optdigits", "covertype")
_COVERTYPE_TRAIN, _COVERTYPE_TEST = 5_000, 20_000  # the paper does not say which of the rows it took


@dataclass(frozen=True, eq=False)
class Classes:
    """Rows for training and testing, and for each class which of them belong to it."""

    X: Any
    X_test: Any
    truths: dict[str, tuple[Truth, Truth]]


def load(name: str, quick: bool) -> Classes:
    """A set of ``SETS``; ``quick`` takes generated texts of three kinds instead."""
    if quick:
        return _generated()
    return {"reuters": _reuters, "optdigits": _optdigits, "covertype": _covertype}[name]()


def _reuters() -> Classes:
    """ModApte, the topics with documents in both parts, tf-idf of words that occur twice or more."""
    (texts, topics), (test_texts, test_topics) = load_reuters21578("train"), load_reuters21578("test")
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2)
    X, X_test = vectorizer.fit_transform(texts), vectorizer.transform(test_texts)
    seen = Counter(topic for some in topics for topic in set(some))
    names = [name for name, _ in seen.most_common() if any(name in some for some in test_topics)]
    truths = {
        name: (np.array([name in some for some in topics]), np.array([name in some for some in test_topics]))
        for name in names
    }
    return Classes(X, X_test, truths)


def _optdigits() -> Classes:
    (X, y), (X_test, y_test) = load_optdigits("train"), load_optdigits("test")
    return Classes(X / 16.0, X_test / 16.0, {str(k): (y == k, y_test == k) for k in range(10)})


def _covertype() -> Classes:
    X, y = load_covtype()
    rows = np.random.default_rng(0).permutation(y.size)[: _COVERTYPE_TRAIN + _COVERTYPE_TEST]
    X, y = unit_scaled(X[rows]), y[rows]
    train, test = slice(None, _COVERTYPE_TRAIN), slice(_COVERTYPE_TRAIN, None)
    return Classes(X[train], X[test], {str(k): (y[train] == k, y[test] == k) for k in np.unique(y).tolist()})


def _generated() -> Classes:
    X, y = make_documents(900, 400, positive=0.1)
    return Classes(X[:600], X[600:], {f"kind {k}": (y[:600] ^ (k > 0), y[600:] ^ (k > 0)) for k in range(2)})


def unit_scaled(X: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Every feature moved and scaled to [0, 1]; a constant one becomes 0."""
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / np.where(high > low, high - low, 1.0)

"""Tasks of the second list with rankings of graded documents, and with choices of documents that cover much."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_digits

from defaults.local_data import mq2008, reuters21578
from defaults.making import Floats, Load, mapped
from defaults.ranking_tasks import cover_task, rank_task, subtopic_sets, whole_queries
from defaults.second.processes import topic_shares, units
from defaults.task import Split


def _searches(train: int, test: int, sizes: tuple[int, int], d: int, merit: Any, grades: tuple[float, ...]) -> Load:
    """Queries of documents ``merit(rng, n, d)`` gives the features and worth of; ``grades`` are the shares of each
    query's documents from which on the grade is one higher."""

    def load(seed: int) -> Split:
        rng = np.random.default_rng([seed, d])
        counts = rng.integers(sizes[0], sizes[1] + 1, size=train + test)
        groups = np.repeat(np.arange(train + test), counts)
        X, worth = merit(rng, groups.size, d)
        starts = np.cumsum(counts) - counts
        grade = np.zeros(groups.size, dtype=np.int64)
        for start, count in zip(starts, counts):
            place = worth[start : start + count].argsort().argsort() / (count - 1)
            grade[start : start + count] = np.searchsorted(grades, place, side="right")
        cut = int(starts[train])
        return Split(X[:cut], grade[:cut], X[cut:], grade[cut:], groups[:cut], groups[cut:])

    return load


def _saturating(rng: Any, n: int, d: int) -> tuple[Floats, Floats]:
    """Counts whose worth grows ever slower, as that of words which a document has in common with a query."""
    X = rng.negative_binomial(1, 0.3, size=(n, d)).astype(np.float64)
    weight = np.random.default_rng(d).normal(0.5, 1.0, size=d)
    return X, np.log1p(X) @ weight + 1.5 * rng.standard_normal(n)


def _heavy(rng: Any, n: int, d: int) -> tuple[Floats, Floats]:
    X = rng.standard_t(2.0, size=(n, d))
    return X, np.tanh(X) @ np.random.default_rng(d).standard_normal(d) + rng.standard_normal(n)


def _linear(rng: Any, n: int, d: int) -> tuple[Floats, Floats]:
    X = rng.standard_normal((n, d)) @ np.linalg.qr(np.random.default_rng(d).standard_normal((d, d)))[0]
    X *= 0.7 ** np.minimum(np.arange(d), 12)
    return X, X @ np.random.default_rng(d + 1).standard_normal(d) + 0.7 * rng.standard_normal(n)


def _categories(rng: Any, n: int, d: int) -> tuple[Any, Floats]:
    """Six categories as indicator columns of a sparse matrix."""
    levels = d // 6
    value = np.minimum(rng.geometric(0.15, size=(n, 6)) - 1, levels - 1)
    effect = np.random.default_rng(d).standard_normal((6, levels))
    indices = (value + levels * np.arange(6)).astype(np.int32).ravel()
    ends = np.arange(0, 6 * n + 1, 6, dtype=np.int32)
    X = sp.csr_array((np.ones(6 * n), indices, ends), shape=(n, d))
    return X, effect[np.arange(6), value].sum(axis=1) + rng.standard_normal(n)


def _few_documents(seed: int) -> Split:
    """Queries of MQ2008 with eight documents or fewer."""
    X, y, queries = mq2008("all")
    groups = np.cumsum(np.diff(queries, prepend=queries[0]) != 0)
    rows = np.bincount(groups)[groups] <= 8
    return whole_queries((X[rows], y[rows], groups[rows]), 120, seed)


def _alike(seed: int) -> Split:
    """Each query is an image of a digit and ranks others: by how its pixels differ the same digit is to come first."""
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(seed)
    rows, grades, groups = [], [], []
    for number, query in enumerate(rng.permutation(len(X))[:150]):
        others = rng.permutation(np.delete(np.arange(len(X)), query))[:30]
        rows.append(np.abs(X[others] - X[query]))
        grades.append((y[others] == y[query]).astype(np.int64))
        groups.append(np.full(30, number))
    return whole_queries((np.vstack(rows), np.concatenate(grades), np.concatenate(groups)), 60, seed)


RANKING_TASKS = (
    rank_task("worth that saturates", _searches(120, 400, (10, 30), 15, _saturating, (0.6, 0.85)), "counts"),
    rank_task(
        "heavy tails of documents", _searches(100, 300, (5, 40), 12, _heavy, (0.5, 0.7, 0.85, 0.95)), "heavy tails"
    ),
    rank_task("one good document of 40", _searches(200, 400, (40, 40), 25, _linear, (0.99,)), "positives"),
    rank_task(
        "2 features, 8 queries", _searches(8, 400, (6, 15), 2, _linear, (0.5, 0.8)), "n small", "d small", splits=8
    ),
    rank_task(
        "4 lists of 2,000", _searches(4, 12, (2000, 2000), 10, _linear, (0.7, 0.9, 0.98)), "length long", splits=2
    ),
    rank_task(
        "categories of documents", _searches(150, 400, (10, 25), 300, _categories, (0.6, 0.9)), "one-hot", "d large"
    ),
    rank_task(
        "documents with columns of all units",
        mapped(_searches(120, 400, (10, 25), 14, _linear, (0.6, 0.9)), units),
        "unscaled column",
        "offset",
    ),
    rank_task("digits like the query", _alike, "bundled", splits=3),
    rank_task("web pages, few of each query", _few_documents, "data folder", "length short"),
)


def _mixed_texts(n: int, seed: int) -> tuple[list[Any], list[Any]]:
    """Sets of 30 texts; subtopics share words, and a text may be about several."""
    rng, fixed = np.random.default_rng([seed, n]), np.random.default_rng(19)
    words = [fixed.permutation(400)[:60] for _ in range(40)]
    X, Y = [], []
    for number in range(n):
        shares, _ = topic_shares(30, 1000 * seed + number, k=8, per_class=1, sharpness=0.2)
        names = rng.permutation(40)[: shares.shape[1]]
        texts, covered = [], []
        for share in shares:
            topic = rng.choice(names, size=int(rng.integers(20, 120)), p=share)
            own = [f"w{words[name][int(rng.geometric(0.06)) % 60]}" for name in topic]
            texts.append(" ".join([*own, *(f"c{word}" for word in rng.geometric(0.03, size=len(own)))]))
            covered.append({f"t{name}" for name, part in zip(names, share) if part > 0.2})
        X.append({"text": texts})
        Y.append(covered)
    return X, Y


def _mixed(train: int, test: int) -> Load:
    return lambda seed: Split(*_mixed_texts(train, seed), *_mixed_texts(test, 100 + seed))


def _news_sets(train: int, test: int) -> Load:
    """Sets of 25 Reuters texts that have topics, which are the subtopics."""

    def sets(part: str, count: int, seed: int) -> tuple[list[Any], list[Any]]:
        texts, topics = reuters21578(part)
        rows = np.random.default_rng(seed).permutation([row for row, some in enumerate(topics) if some])
        parts = [rows[25 * number : 25 * (number + 1)] for number in range(count)]
        return [{"text": [texts[row] for row in some]} for some in parts], [
            [set(topics[row]) for row in some] for some in parts
        ]

    return lambda seed: Split(*sets("train", train, seed), *sets("test", test, seed))


DIVERSITY_TASKS = (
    cover_task("30 subtopics of 60 documents", subtopic_sets(30, 100, n_documents=60, n_subtopics=30), "d large"),
    cover_task("subtopics that share words", _mixed(40, 120), "overlap"),
    cover_task("news of many topics", _news_sets(60, 100), "data folder"),
)

"""Tasks with rankings of graded documents, and with choices of documents that cover much."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes

from defaults.local_data import mq2008
from defaults.making import Load, scaled
from defaults.task import Split, Task
from maxmargin.datasets import load_newsgroup_sets, make_ranking, make_subtopics


def whole_queries(rows: Any, train: int, seed: int) -> Split:
    """Whole queries, drawn at random, to train on; the others to test on."""
    X, y, groups = rows
    order = np.random.default_rng(seed).permutation(np.unique(groups))
    chosen = np.isin(groups, order[:train])
    return Split(X[chosen], y[chosen], X[~chosen], y[~chosen], groups[chosen], groups[~chosen])


def _rankings(train: int, test: int, **options: Any) -> Load:
    return lambda seed: whole_queries(make_ranking(train + test, seed=41, **options), train, seed)


def _letor(train: int) -> Load:
    def load(seed: int) -> Split:
        X, y, groups = mq2008("all")
        return whole_queries((X, y, np.cumsum(np.diff(groups, prepend=groups[0]) != 0)), train, seed)

    return load


def _patients(seed: int) -> Split:
    """One long list: diabetes patients in groups of 20 by how far their illness went, in five grades."""
    X, target = load_diabetes(return_X_y=True)
    order = np.random.default_rng(seed).permutation(target.size)[:440]
    grade = np.searchsorted(np.quantile(target, [0.3, 0.6, 0.8, 0.93]), target)
    return whole_queries((X[order], grade[order], np.arange(440) // 20), 11, seed)


def rank_task(name: str, load: Load, *tags: str, **options: Any) -> Task:
    return Task(name, "rankings", load, "ndcg", tags, **options)


RANKING_TASKS = (
    rank_task("web pages, 100 queries", _letor(100), "data folder", "n small"),
    rank_task("web pages, 400 queries", _letor(400), "data folder"),
    rank_task("diabetes patients", _patients, "bundled", "n small", splits=10),
    rank_task("documents, 15 queries", _rankings(15, 400), "n small", splits=5),
    rank_task("documents, 300 queries", _rankings(300, 400), "overlap"),
    rank_task("noisy documents", _rankings(200, 400, noise=3.0), "label noise"),
    rank_task("5 grades, 200 features", _rankings(200, 300, grades=5, n_features=200), "d large"),
    rank_task("pairs of documents", _rankings(400, 1500, documents=(2, 2), grades=2), "length short"),
    rank_task("long lists", _rankings(10, 40, documents=(500, 1500)), "length long"),
    rank_task("documents x 1e6", scaled(_rankings(150, 400), 1e6), "scale"),
    rank_task("queries far apart", _rankings(150, 400, spread=50.0), "offset"),
)


def subtopic_sets(train: int, test: int, **options: Any) -> Load:
    def load(seed: int) -> Split:
        return Split(*make_subtopics(train, seed=seed, **options), *make_subtopics(test, seed=1000 + seed, **options))

    return load


def _newsgroup_sets(train: int, test: int) -> Load:
    def load(seed: int) -> Split:
        return Split(*load_newsgroup_sets("train", train, seed=seed), *load_newsgroup_sets("test", test, seed=seed))

    return load


def cover_task(name: str, load: Load, *tags: str, **options: Any) -> Task:
    return Task(name, "diversity", load, "coverage", tags, splits=options.pop("splits", 2), **options)


DIVERSITY_TASKS = (
    cover_task("subtopics of 20 sets", subtopic_sets(20, 150), "n small"),
    cover_task("subtopics, 80 sets", subtopic_sets(80, 150), "overlap"),
    cover_task("5 subtopics of 15 documents", subtopic_sets(50, 150, n_documents=15, n_subtopics=5), "d small"),
    cover_task("newsgroups, 60 sets", _newsgroup_sets(60, 100), "data folder"),
)

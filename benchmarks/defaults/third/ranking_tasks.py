"""Tasks of the third list with rankings of graded documents, and with choices of documents that cover much."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

from defaults.local_data import mq2008
from defaults.making import Floats, Load
from defaults.ranking_tasks import cover_task, rank_task, whole_queries
from defaults.second.sources import subjects
from defaults.task import Split
from defaults.third.strings import hashed, invented_words, misspelt


def _lists(sizes: Any, train: int, draw: Any) -> Load:
    """Lists of the lengths ``sizes(rng)``; ``draw(rng, groups)`` gives the features and grades of their documents."""

    def load(seed: int) -> Split:
        rng = np.random.default_rng([seed, train])
        lengths = sizes(rng)
        groups = np.repeat(np.arange(len(lengths)), lengths)
        X, grade = draw(rng, groups)
        cut = int(np.sum(lengths[:train]))
        return Split(X[:cut], grade[:cut], X[cut:], grade[cut:], groups[:cut], groups[cut:])

    return load


def _equal(lists: int, length: int) -> Any:
    return lambda rng: np.full(lists, length)


def _merit(rng: Any, n: int, d: int, noise: float) -> tuple[Floats, Floats]:
    """Features of different distributions, and a worth to which the last half of them adds nothing."""
    X = np.where(np.arange(d) % 3 == 0, rng.exponential(size=(n, d)), rng.standard_normal((n, d)))
    weight = np.random.default_rng([d, 93]).standard_normal(d // 2)
    worth = X[:, : d // 2] @ weight + 0.5 * X[:, 0] * X[:, 1] + noise * rng.standard_normal(n)
    return X, (worth - worth.mean()) / worth.std()


def _clicks(train: int, test: int, length: int, *, users: int = 4) -> Load:
    """The training grades are how many of a few users clicked: they look at the top of a poor ranking, and click by
    mistake too. The grades to test on are the true ones."""

    def load(seed: int) -> Split:
        rng = np.random.default_rng([seed, 94])
        lists = train + test
        X, worth = _merit(rng, lists * length, 14, 0.5)
        true = np.searchsorted([0.3, 1.0, 1.8], worth)
        shown = (X[:, 0] + rng.standard_normal(true.size)).reshape(lists, length)
        place = (-shown).argsort(axis=1).argsort(axis=1).ravel()
        seen = rng.random((users, true.size)) < 1.0 / (1.0 + place) ** 0.6
        clicked = (seen & (rng.random((users, true.size)) < 0.08 + 0.25 * true)).sum(axis=0)
        cut, groups = train * length, np.repeat(np.arange(lists), length)
        return Split(X[:cut], clicked[:cut], X[cut:], true[cut:], groups[:cut], groups[cut:])

    return load


def _short_and_long(rng: Any) -> Any:
    """305 lists to train on, five of them of 400 documents and the others of two to four; such ones to test on too."""
    train = rng.permutation(np.concatenate([np.full(5, 400), rng.integers(2, 5, size=300)]))
    return np.concatenate([train, np.full(8, 400), rng.integers(2, 5, size=600)])


def _graded(rng: Any, groups: Any) -> tuple[Floats, Any]:
    X, worth = _merit(rng, groups.size, 10, 0.8)
    return X, np.searchsorted([0.2, 1.2], worth)


def _tied(rng: Any, groups: Any) -> tuple[Floats, Any]:
    """Grades of 0 to 4 of which nearly all are 1, and half of the lists have nothing but it."""
    X, worth = _merit(rng, groups.size, 12, 0.6)
    grade = np.searchsorted([-1.6, 1.3, 1.8, 2.3], worth)
    dull = rng.random(groups.max() + 1) < 0.5
    return X, np.where(dull[groups], 1, grade)


def _own_scales(rng: Any, groups: Any) -> tuple[Floats, Any]:
    """Every query has features of a size and of a level of its own, in thousands."""
    X, worth = _merit(rng, groups.size, 9, 0.5)
    size = np.exp(0.7 * rng.standard_normal(groups.max() + 1))[groups, None]
    level = 5.0 * rng.standard_normal((groups.max() + 1, 9))[groups]
    return 1e3 * (size * X + level), np.searchsorted([0.5, 1.5], worth)


def _titles(rng: Any, groups: Any) -> tuple[Any, Any]:
    """Titles of goods, hashed: some words of 150 are wanted, some are not, and some are misspelt."""
    fixed = np.random.default_rng(95)
    words, wanted = invented_words(150, fixed), fixed.standard_normal(150)
    chosen = [rng.integers(150, size=int(rng.integers(2, 8))) for _ in range(groups.size)]
    texts = [" ".join(misspelt(words[w], rng) if rng.random() < 0.1 else words[w] for w in some) for some in chosen]
    worth = np.array([wanted[some].sum() / np.sqrt(len(some)) for some in chosen]) + 0.3 * rng.standard_normal(
        len(texts)
    )
    return hashed(texts, 2**12), np.searchsorted([0.5, 1.3], worth)


def _wards(seed: int) -> Split:
    """Patients in wards of twelve: benign tumours, malignant ones, and large malignant ones, by twenty columns."""
    X, benign = load_breast_cancer(return_X_y=True)
    rows = np.random.default_rng(seed).permutation(len(X))[:564]
    grade = np.where(benign == 1, 0, 1 + (X[:, 0] > 17.0))
    return whole_queries((X[rows][:, 10:], grade[rows], np.arange(564) // 12), 20, seed)


def _many_pages(seed: int) -> Split:
    """Queries of MQ2008 with 25 documents or more, of which few are to train on."""
    X, y, queries = mq2008("all")
    groups = np.cumsum(np.diff(queries, prepend=queries[0]) != 0)
    rows = np.bincount(groups)[groups] >= 25
    return whole_queries((X[rows], y[rows], groups[rows]), 40, seed)


RANKING_TASKS = (
    rank_task("clicks to train on, grades to test on", _clicks(150, 300, 20), "label noise"),
    rank_task("many short lists and five long ones", _lists(_short_and_long, 305, _graded), "length long"),
    rank_task("grades that are mostly the same", _lists(_equal(600, 15), 150, _tied), "ties"),
    rank_task("queries with scales of their own", _lists(_equal(450, 12), 120, _own_scales), "scale", "offset"),
    rank_task("titles of goods, hashed", _lists(_equal(400, 15), 150, _titles), "d large", splits=2),
    rank_task("wards of twelve patients", _wards, "bundled", "n small", "unscaled column", splits=6),
    rank_task("web pages, queries of 25 or more", _many_pages, "data folder", "n small"),
)


def _sets_of_all_sizes(n: int, seed: int) -> tuple[list[Any], list[Any]]:
    """Sets of 6 to 80 texts: every third text is about nothing, the others about one to three of twelve subtopics, of
    which a few are frequent; words are misspelt."""
    rng, fixed = np.random.default_rng([seed, n]), np.random.default_rng(96)
    vocabulary = [invented_words(25, fixed) for _ in range(30)]
    filler = invented_words(200, fixed)
    share = 1.0 / np.arange(1, 13)
    X, Y = [], []
    for _ in range(n):
        names = rng.permutation(30)[:12]
        texts, covered = [], []
        for _ in range(int(np.exp(rng.uniform(np.log(6.0), np.log(80.0))))):
            count = 0 if rng.random() < 1 / 3 else int(rng.integers(1, 4))
            about = rng.choice(names, size=count, replace=False, p=share / share.sum())
            words = [str(rng.choice(vocabulary[name])) for name in about for _ in range(int(rng.integers(3, 9)))]
            words += [str(word) for word in rng.choice(filler, size=int(rng.integers(5, 30)))]
            texts.append(" ".join(misspelt(word, rng) if rng.random() < 0.1 else word for word in words))
            covered.append({f"t{name}" for name in about})
        X.append({"text": texts})
        Y.append(covered)
    return X, Y


def _all_sizes(train: int, test: int) -> Load:
    return lambda seed: Split(*_sets_of_all_sizes(train, seed), *_sets_of_all_sizes(test, 500 + seed))


def _subject_sets(train: int, test: int) -> Load:
    """Sets of 30 subject lines of newsgroups, which are the subtopics; in each set some groups are frequent."""

    def sets(part: str, count: int, seed: int) -> tuple[list[Any], list[Any]]:
        lines, groups = subjects(part)
        rng, names = np.random.default_rng([seed, 97]), np.unique(groups)
        X, Y = [], []
        for _ in range(count):
            weight = rng.gamma(0.5, size=names.size)
            weight = weight[np.searchsorted(names, groups)]
            rows = rng.choice(len(lines), size=30, replace=False, p=weight / weight.sum())
            X.append({"text": [lines[row] for row in rows]})
            Y.append([{str(groups[row])} for row in rows])
        return X, Y

    return lambda seed: Split(*sets("train", train, seed), *sets("test", test, seed))


DIVERSITY_TASKS = (
    cover_task("sets of 6 to 80 documents", _all_sizes(40, 100), "overlap"),
    cover_task("subject lines of many groups", _subject_sets(60, 100), "data folder", "length short"),
)

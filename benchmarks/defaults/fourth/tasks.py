"""The tasks of the fourth list: three or so of each family."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from defaults.chain_tasks import chain_task
from defaults.class_tasks import class_task
from defaults.fourth.processes import (
    baskets,
    curves,
    dialects,
    menus,
    races,
    recipes,
    records,
    tagged_baskets,
    typed,
    waiting,
    walk,
)
from defaults.label_tasks import label_task
from defaults.local_data import letters, optical_digits, ud_ewt
from defaults.making import Load, first, parted
from defaults.measure_tasks import measure_task
from defaults.ranking_tasks import cover_task, rank_task
from defaults.second.processes import drawn
from defaults.task import Split
from defaults.taxonomy_tasks import tree_task
from defaults.third.signals import Draw, sequences
from defaults.third.sources import headlines

_BRANCHES = {
    "grain": ("wheat", "corn", "rice", "barley"),
    "oilseed": ("soybean", "rapeseed", "palm-oil"),
    "metal": ("gold", "silver", "copper", "alum", "zinc", "iron-steel"),
    "money": ("money-fx", "interest", "money-supply", "reserves"),
    "soft": ("sugar", "coffee", "cocoa", "cotton", "rubber"),
    "economy": ("gnp", "cpi", "trade", "jobs", "bop"),
}


def _virginica(seed: int) -> Split:
    """Irises by the two columns of their sepals."""
    X, y = load_iris(return_X_y=True)
    return parted(X[:, :2], (y == 2).astype(int), 60, seed)


def _letter(letter: str, train: int) -> Load:
    def load(seed: int) -> Split:
        X, y = letters()
        return parted(X, (y == letter).astype(int), train, seed, test=8000)

    return load


def _threes(seed: int) -> Split:
    """Digits of which 80 are to train on."""
    X, y = optical_digits()
    return parted(X, (y == 3).astype(int), 80, seed, test=4000)


def _trade(seed: int) -> Split:
    """Headlines about trade or the balance of payments, by their words."""
    (titles, topics), (test_titles, test_topics) = headlines("train"), headlines("test")
    rows = np.random.default_rng(seed).permutation(len(titles))[:2500]
    words = TfidfVectorizer(sublinear_tf=True)
    X = words.fit_transform([titles[row] for row in rows])
    y, y_test = (np.array([not {"trade", "bop"}.isdisjoint(some) for some in given]) for given in (topics, test_topics))
    return Split(X, y[rows].astype(int), words.transform(test_titles), y_test.astype(int))


def _adverbs(seed: int) -> Split:
    """Words of texts, and whether they are adverbs, by the letters that they begin and end with."""
    sentences, tags = ud_ewt("train")
    found = sorted({(str(token).lower(), str(tag)) for x, y in zip(sentences, tags) for token, tag in zip(x, y)})
    found = [pair for pair in found if pair[0].isalpha()]
    rng = np.random.default_rng(seed)
    chosen = [found[row] for row in rng.permutation(len(found))[:9000]]
    strings = CountVectorizer(
        analyzer=lambda word: [f"{word[:k]}-" for k in (1, 2, 3)] + [word[-k:] for k in range(1, 5)]
    )
    X = strings.fit_transform([word for word, _ in chosen])
    return first(X, np.array([tag == "ADV" for _, tag in chosen]).astype(int), 2500)


def _branches(seed: int) -> Split:
    """Headlines with one topic, below what the topic is a part of."""
    branch = {topic: f"{name}/{topic}" for name, some in _BRANCHES.items() for topic in some}

    def labelled(part: str) -> tuple[list[str], Any]:
        titles, topics = headlines(part)
        rows = [row for row, some in enumerate(topics) if sum(topic in branch for topic in some) == 1]
        return [titles[row] for row in rows], [next(branch[t] for t in topics[row] if t in branch) for row in rows]

    (titles, y), (test_titles, y_test) = labelled("train"), labelled("test")
    rows = np.random.default_rng(seed).permutation(len(titles))[:600]
    words = TfidfVectorizer(sublinear_tf=True)
    X = words.fit_transform([titles[row] for row in rows])
    return Split(X, np.array(y)[rows], words.transform(test_titles), np.array(y_test))


def _shapes(seed: int) -> Split:
    """Letters below the shape of their capitals: round, straight or both."""
    X, y = letters()
    shape = {
        letter: "round" if letter in "COQSGU" else "both" if letter in "BDJPR" else "straight" for letter in set(y)
    }
    return parted(X, np.array([f"{shape[letter]}/{letter}" for letter in y]), 400, seed, test=6000)


def _dialects(train: int, test: int) -> Load:
    """Phrases by the words and by the ends of words."""

    def load(seed: int) -> Split:
        texts, y = dialects(train + test, seed)
        words = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3))
        X = words.fit_transform(texts[:train])
        return Split(X, y[:train], words.transform(texts[train:]), y[train:])

    return load


def _typed(wrong: float) -> Draw:
    """Frequent words of the web treebank of four letters or more."""

    def draw(rng: Any) -> tuple[Any, Any]:
        if not known:
            said = [str(token).lower() for sentence in ud_ewt("train")[0] for token in sentence]
            words = sorted(word for word in set(said) if re.fullmatch("[a-z]{4,}", word))
            known.append(typed(words, wrong))
        return known[0](rng)

    known: list[Draw] = []
    return draw


def _counted(length: int) -> Draw:
    """Days of four kinds that last, and how much was sold of three goods, which depends on the kind a little."""
    rate = np.random.default_rng(211).gamma(3.0, 2.0, size=(4, 3))

    def draw(rng: Any) -> tuple[Any, Any]:
        kind = np.zeros(length, dtype=np.int64)
        for day in range(1, length):
            kind[day] = kind[day - 1] if rng.random() < 0.9 else int(rng.integers(4))
        return rng.poisson(rate[kind]).astype(np.float64), kind

    return draw


def _menus(train: int, test: int, documents: int) -> Load:
    return lambda seed: Split(*menus(train, seed, documents), *menus(test, 900 + seed, documents))


def _headline_sets(train: int, test: int) -> Load:
    """Sets of 40 headlines of Reuters; the subtopics are their topics."""

    def sets(part: str, count: int, seed: int) -> tuple[list[Any], list[Any]]:
        titles, topics = headlines(part)
        some = np.array([row for row, given in enumerate(topics) if given])
        rng = np.random.default_rng([seed, 212])
        drawn_rows = [rng.choice(some, size=40, replace=False) for _ in range(count)]
        return (
            [{"text": [titles[row] for row in rows]} for rows in drawn_rows],
            [[set(topics[row]) for row in rows] for rows in drawn_rows],
        )

    return lambda seed: Split(*sets("train", train, seed), *sets("test", test, seed))


FOURTH_LIST = (
    class_task("40 dialects of four phrases each", _dialects(160, 3000), "d large", "classes many"),
    class_task(
        "curves of five kinds, 100 rows", drawn(curves, 100, 4000), "n small", "d large", "correlated", splits=5
    ),
    class_task("baskets of six kinds of customers", drawn(baskets, 600, 4000, k=6), "d large", "one-hot"),
    tree_task("headlines below branches", _branches, "/", "data folder", "d large", "rare classes"),
    tree_task("recipes by ingredients", recipes(400, 4000), "/", "d large", "depth"),
    tree_task("letters below the shape of their capitals", _shapes, "/", "data folder", splits=4),
    label_task("hamming", "150 tags of baskets", tagged_baskets(1200, 3000, 150), "labels many", "d large", splits=2),
    label_task("f1", "30 tags of baskets", tagged_baskets(500, 3000, 30), "d large"),
    measure_task("balanced_error", "times of waiting x 1e7, 4 %", drawn(waiting, 3000, 15_000, factor=1e7), "scale"),
    measure_task("balanced_error", "letter Q", _letter("Q", 2000), "data folder", "positives"),
    measure_task("balanced_error", "baskets, 3 %", drawn(baskets, 2500, 15_000, share=0.03), "d large", "positives"),
    measure_task("f1", "sepals of 60 irises", _virginica, "bundled", "n small", "d small", splits=20),
    measure_task("f1", "threes of 80 optical digits", _threes, "data folder", "n small", splits=8),
    measure_task("f1", "headlines about trade", _trade, "data folder", "d large", "positives"),
    measure_task("f1", "baskets, 5 %", drawn(baskets, 2000, 15_000, share=0.05), "d large", "positives"),
    measure_task("f1", "times of waiting, 10 %", drawn(waiting, 400, 15_000, share=0.1), "positives", splits=6),
    measure_task("precision_at_k(30)", "adverbs by their letters", _adverbs, "data folder", "d large", splits=8),
    measure_task("precision_at_k(25)", "baskets, 2 %", drawn(baskets, 2000, 8000, share=0.02), "d large", splits=8),
    rank_task("races of ten runners", races(60, 400, 10), "unscaled column", "correlated"),
    rank_task("records beside a wanted one", records(40, 300, 20), "n small", "missing", splits=4),
    cover_task("menus of 60 dishes", _menus(40, 100, 60), "overlap"),
    cover_task("headlines of Reuters, 40 a set", _headline_sets(50, 100), "data folder", "length short"),
    chain_task("mistyped words, 26 labels", sequences(150, 1500, _typed(0.35)), "attributes", "overlap"),
    chain_task("walk on a ring of 70 places", sequences(60, 300, walk(70, 25, (10, 30), 0.3)), "labels many"),
    chain_task("kinds of days by what was sold", sequences(12, 150, _counted(60)), "overlap", "counts", splits=5),
)

"""Tasks of the third list with label vectors: forgotten tags, labels made of others, hundreds of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.feature_extraction.text import CountVectorizer

from defaults.label_tasks import label_task
from defaults.making import Load, first, parted
from defaults.second.sources import novels
from defaults.task import Split, Task
from defaults.third.rows import table
from defaults.third.strings import hashed, names

_FEW = ("OneVsRest LinearSVC",)


def _forgotten(train: int, test: int, labels: int, share: float) -> Load:
    """Counts that each label raises in some columns; a share of the tags was never given."""

    def load(seed: int) -> Split:
        rng, fixed = np.random.default_rng([seed, labels]), np.random.default_rng([labels, 81])
        n = train + test
        often = fixed.beta(1.0, 5.0, size=labels)
        truth = rng.random((n, labels)) < often
        rate = 0.3 + truth @ np.where(fixed.random((labels, 40)) < 0.12, fixed.gamma(2.0, 1.0, size=(labels, 40)), 0.0)
        given = truth & (rng.random((n, labels)) > share)
        return first(rng.poisson(rate).astype(np.float64), given.astype(np.int64), train)

    return load


def _parities(train: int, test: int) -> Load:
    """Two labels by linear rules, whether they differ, and whether both are set."""

    def load(seed: int) -> Split:
        rng, fixed = np.random.default_rng([seed, 82]), np.random.default_rng(82)
        X = rng.uniform(-1.0, 1.0, size=(train + test, 9))
        one, other = (3.0 * X @ fixed.standard_normal((9, 2)) + 0.7 * rng.logistic(size=(train + test, 2)) > 0.0).T
        return first(X, np.stack([one, other, one != other, one & other], axis=1).astype(np.int64), train)

    return load


def _superposed(train: int, test: int, labels: int, d: int) -> Load:
    """Each label adds its own direction to the row; a row has about four of very many labels."""

    def load(seed: int) -> Split:
        rng, fixed = np.random.default_rng([seed, labels]), np.random.default_rng([labels, d, 83])
        often = 1.0 / np.arange(10, labels + 10)
        Y = rng.random((train + test, labels)) < 4.0 * often / often.sum()
        directions = fixed.standard_normal((labels, d)) / np.sqrt(d)
        X = Y @ directions + 0.5 * rng.standard_normal((train + test, d)) / np.sqrt(d)
        return first(X, Y.astype(np.int64), train)

    return load


def _joined_names(train: int, test: int, labels: int) -> Load:
    """Names of several origins side by side, hashed; the labels are the origins."""

    def load(seed: int) -> Split:
        n = train + test
        texts, origin = names(3 * n, seed, k=labels)
        count = np.random.default_rng([seed, 84]).integers(1, 4, size=n)
        joined = [" ".join(texts[3 * row : 3 * row + count[row]]) for row in range(n)]
        Y = np.zeros((n, labels), dtype=np.int64)
        for place in range(3):
            rows = np.flatnonzero(count > place)
            Y[rows, origin[3 * rows + place]] = 1
        return first(hashed(joined, 2**11), Y, train)

    return load


def _bits_of_a_table(seed: int) -> Split:
    """The class of a table of all kinds of columns as two bits."""
    X, y = table(6090, seed, k=4, regions=8)
    return first(X, np.stack([y % 2, y // 2], axis=1), 90)


def _worst(seed: int) -> Split:
    """Which of the worst measurements of a tumour are above their medians, by the means."""
    X, _ = load_breast_cancer(return_X_y=True)
    worst = X[:, 20:]
    return parted(X[:, :10], (worst > np.median(worst, axis=0)).astype(np.int64), 250, seed, stratify=False)


def _kinds_of_names(train: int) -> Load:
    """Which kinds of names there are in a sentence of a novel, by its words; half of the sentences have none."""

    def labelled(part: str, rng: Any) -> tuple[list[Any], list[set[str]]]:
        sentences, tags = novels(part)
        kinds = [{tag[2:] for tag in labels if tag != "O"} for labels in tags]
        some = [row for row, found in enumerate(kinds) if found]
        none = [row for row, found in enumerate(kinds) if not found]
        rows = rng.permutation([*some, *rng.permutation(none)[: len(some)]])
        return [sentences[row] for row in rows], [kinds[row] for row in rows]

    def load(seed: int) -> Split:
        (X, kinds), (X_test, test_kinds) = (
            labelled("train", np.random.default_rng(seed)),
            labelled("test", np.random.default_rng(0)),
        )
        X, kinds = X[:train], kinds[:train]
        order = sorted({kind for found in kinds for kind in found if sum(kind in other for other in kinds) >= 10})
        words = CountVectorizer(analyzer=lambda sentence: [str(token) for token in sentence], binary=True, min_df=2)
        Y, Y_test = (np.array([[kind in found for kind in order] for found in some]) for some in (kinds, test_kinds))
        return Split(
            words.fit_transform(X).astype(np.float64), Y.astype(int), words.transform(X_test), Y_test.astype(int)
        )

    return load


LABEL_TASKS: tuple[Task, ...] = (
    label_task("f1", "tags that were forgotten", _forgotten(900, 5000, 15, 0.3), "label noise", "counts"),
    label_task("zero-one", "two labels, their parity and their product", _parities(600, 6000), "overlap"),
    label_task(
        "hamming", "400 labels", _superposed(1500, 1500, 400, 120), "labels many", "positives", splits=1, peers=_FEW
    ),
    label_task("f1", "origins of joined names", _joined_names(700, 3000, 12), "d large", splits=2),
    label_task(
        "hamming", "bits of a table, 90 rows", _bits_of_a_table, "n small", "unscaled column", "labels few", splits=10
    ),
    label_task("hamming", "worst measurements of tumours", _worst, "bundled", "unscaled column", splits=4),
    label_task("zero-one", "kinds of names in a sentence", _kinds_of_names(1500), "data folder", "d large", splits=2),
)

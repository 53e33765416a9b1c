"""The classification sets on which the default C is judged, each with its test part."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_svmlight_files, load_wine
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from maxmargin.datasets import (
    MissingDataError,
    data_file,
    load_covtype,
    load_mnist,
    load_newsgroups20,
    load_ocr_letters,
    load_optdigits,
    load_uci_letter,
    make_multiclass,
)


@dataclass(frozen=True)
class Split:
    """Training and test part of a set."""

    X_train: Any
    y_train: Any
    X_test: Any
    y_test: Any

    def standardised(self) -> Split:
        scaler = StandardScaler().fit(self.X_train)
        return Split(scaler.transform(self.X_train), self.y_train, scaler.transform(self.X_test), self.y_test)


def _random(data: tuple[Any, Any], seed: int) -> Split:
    X, y = data
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)
    return Split(X_train, y_train, X_test, y_test)


def _mnist(seed: int) -> Split:
    X_train, y_train = load_mnist("train")
    X_test, y_test = load_mnist("test")
    return Split(X_train / 255.0, y_train, X_test / 255.0, y_test)


def _covtype(seed: int) -> Split:
    X, y = load_covtype()
    rows = np.random.default_rng(seed).permutation(y.size)
    X, y = X[rows[:120_000]], y[rows[:120_000]]
    low, high = X[:20_000].min(axis=0), X[:20_000].max(axis=0)
    X = (X - low) / np.where(high > low, high - low, 1.0)
    return Split(X[:20_000], y[:20_000], X[20_000:], y[20_000:])


def _newsgroups(seed: int) -> Split:
    (train, y_train), (test, y_test) = load_newsgroups20("train"), load_newsgroups20("test")
    words = TfidfVectorizer()
    return Split(words.fit_transform(train), np.array(y_train), words.transform(test), np.array(y_test))


def _letters(seed: int) -> Split:
    """Single handwritten letters: fold 0 for training, fold 1 for testing."""
    parts = [load_ocr_letters([fold]) for fold in (0, 1)]
    return Split(*[np.concatenate(part[which]) for part in parts for which in (0, 1)])


def _example(seed: int) -> Split:
    """The 7 classes of the example that comes with SVM-multiclass."""
    files = [data_file(f"svm_multiclass_example/7class_example4_{part}.light.gz") for part in ("train", "test")]
    return Split(*load_svmlight_files([str(file) for file in files]))


def _xrays(seed: int) -> Split:
    """X-ray images of ImCLEF07A: 80 numbers each and the leaf of the tree of body regions as the class."""
    parts: list[Any] = []
    for part in ("Train", "Test"):
        with gzip.open(data_file(f"hierarchical/ImCLEF07A_{part}.arff.gz"), "rt") as lines:
            rows = [line.rsplit(",", 1) for line in lines if line[0] not in "@\n"]
        parts += [np.array([features.split(",") for features, _ in rows], dtype=np.float64)]
        parts += [np.array([leaf.strip() for _, leaf in rows])]
    return Split(*parts)


def _two_parts(load: Callable[[str], tuple[Any, Any]]) -> Callable[[int], Split]:
    return lambda seed: Split(*load("train"), *load("test"))


# name: how to read it, number of random splits (1 where the set has its own test part), whether to standardise as well
SETS: dict[str, tuple[Callable[[int], Split], int, bool]] = {
    "iris": (lambda seed: _random(load_iris(return_X_y=True), seed), 20, True),
    "wine": (lambda seed: _random(load_wine(return_X_y=True), seed), 20, True),
    "breast_cancer": (lambda seed: _random(load_breast_cancer(return_X_y=True), seed), 10, True),
    "digits": (lambda seed: _random(load_digits(return_X_y=True), seed), 5, True),
    "clusters": (lambda seed: _random(make_multiclass(3000, 50, 5, seed=seed), seed), 10, False),
    "sparse clusters": (lambda seed: _random(make_multiclass(3000, 5000, 8, density=0.01, seed=seed), seed), 3, False),
    "optdigits": (_two_parts(load_optdigits), 1, False),
    "uci_letter": (_two_parts(load_uci_letter), 1, True),
    "ocr_letters": (_letters, 1, False),
    "imclef07a": (_xrays, 1, False),
    "svm_multiclass_example": (_example, 1, False),
    "covtype 20k": (_covtype, 1, False),
    "newsgroups20": (_newsgroups, 1, False),
    "mnist": (_mnist, 1, False),
}


def splits(name: str) -> Iterator[tuple[str, list[Split]]]:
    """The splits of a set, raw and, where asked for, standardised; nothing if its file is not there."""
    read, count, standardise = SETS[name]
    try:
        found = [read(seed) for seed in range(count)]
    except MissingDataError as missing:
        print(f"{name} is left out. {missing}")
        return
    yield name, found
    if standardise:
        yield f"{name}, standardised", [split.standardised() for split in found]

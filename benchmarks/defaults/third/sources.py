"""Slices and targets of the data folder that the first two lists do not use, read once per process."""

from __future__ import annotations

import gzip
import json
import zipfile
from functools import cache
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from defaults.making import Load
from defaults.task import Split
from maxmargin.datasets import data_file, load_covtype

_SEEN = 100_000  # rows of covertype that the first two lists draw from
_MEASURED, _AREAS = 10, 4  # columns of covertype: measured ones, then indicators of areas, then of soils


@cache
def forests(n: int = 30_000) -> tuple[Any, Any, Any, Any]:
    """Rows of covertype that the first two lists leave: measured columns, area, soil and kind of forest, from 0 on."""
    X, y = load_covtype()
    rows = np.random.default_rng(0).permutation(y.size)[_SEEN : _SEEN + n]
    X = np.asarray(X[rows], dtype=np.float64)
    area = X[:, _MEASURED : _MEASURED + _AREAS].argmax(axis=1)
    return X[:, :_MEASURED], area, X[:, _MEASURED + _AREAS :].argmax(axis=1), y[rows] - 1


@cache
def headlines(part: str) -> tuple[list[str], list[list[str]]]:
    """Titles of Reuters articles that have one, and their topics."""
    titles, topics = [], []
    with gzip.open(data_file("reuters21578/reuters21578_modapte.jsonl.gz"), "rt", encoding="utf-8") as file:
        for line in file:
            article = json.loads(line)
            if article["split"] == part and article["title"]:
                titles.append(article["title"])
                topics.append(article["topics"])
    return titles, topics


def headline_topics(names: tuple[str, ...], train: int) -> Load:
    """Titles with exactly one of the topics, by their words."""

    def labelled(part: str) -> tuple[list[str], Any]:
        titles, topics = headlines(part)
        vectors = np.array([[name in some for name in names] for some in topics])
        rows = np.flatnonzero(vectors.sum(axis=1) == 1)
        return [titles[row] for row in rows], vectors[rows].argmax(axis=1)

    def load(seed: int) -> Split:
        (titles, y), (test_titles, y_test) = labelled("train"), labelled("test")
        rows = np.random.default_rng(seed).permutation(len(titles))[:train]
        words = TfidfVectorizer(token_pattern=r"\S+", lowercase=False)
        X = words.fit_transform([titles[row] for row in rows])
        return Split(X, y[rows], words.transform(test_titles), y_test)

    return load


@cache
def dependencies() -> tuple[list[Any], list[Any]]:
    """Sentences of the dependency treebank as tokens (word, tag), and for each token whether its head is to the left,
    to the right, next to it, or the root."""
    sentences, labels = [], []
    with zipfile.ZipFile(data_file("dependency_treebank/dependency_treebank.zip")) as archive:
        for name in sorted(name for name in archive.namelist() if name.endswith(".dp")):
            for block in archive.read(name).decode("ascii").split("\n\n"):
                cells = [line.split("\t") for line in block.splitlines() if line.strip()]
                if cells:
                    sentences.append([(row[0], row[1]) for row in cells])
                    labels.append([_side(place, int(row[2])) for place, row in enumerate(cells, 1)])
    return sentences, labels


def _side(place: int, head: int) -> str:
    if head == 0:
        return "root"
    side = "left" if head < place else "right"
    return f"next {side}" if abs(head - place) == 1 else side

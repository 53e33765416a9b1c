"""Slices of the data folder that the first list does not use, read once per process."""

from __future__ import annotations

import gzip
import zipfile
from functools import cache
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from defaults.local_data import letters, newsgroups20, reuters21578
from defaults.making import Load, parted
from defaults.task import Split
from maxmargin.datasets import data_file, load_covtype, load_litbank, load_mnist, load_ocr_letters, load_ud_ewt
from maxmargin.datasets.newsgroup_sets import split_posting

novels = cache(load_litbank)
_SEEN = 60_000  # rows of covertype that the first list draws from


@cache
def other_covtype(n: int = 40_000) -> tuple[Any, Any]:
    """Rows of covertype that the first list leaves; classes 0 to 6."""
    X, y = load_covtype()
    rows = np.random.default_rng(0).permutation(y.size)[_SEEN : _SEEN + n]
    return X[rows], y[rows] - 1


@cache
def other_mnist(digits: tuple[int, ...]) -> tuple[Any, Any]:
    """Rows of the test part of MNIST that show one of the digits."""
    X, y = load_mnist("test")
    rows = np.isin(y, digits)
    return X[rows].astype(np.float64), y[rows]


@cache
def vowels() -> tuple[Any, Any]:
    X, y = letters()
    rows = np.isin(y, list("AEIOU"))
    return X[rows].astype(np.float64), y[rows]


@cache
def other_words() -> tuple[Any, Any]:
    """Handwritten words of folds that the first list leaves."""
    return load_ocr_letters([5, 6, 7])


@cache
def web_words(tags: str) -> tuple[Any, Any]:
    """Words of the development part of EWT, each once, as it is most often tagged."""
    seen: dict[str, dict[str, int]] = {}
    for words, labels in zip(*load_ud_ewt("dev", tags=tags)):
        for word, label in zip(words, labels):
            counts = seen.setdefault(word, {})
            counts[label] = counts.get(label, 0) + 1
    items = [(word, max(sorted(counts), key=lambda label: counts[label])) for word, counts in sorted(seen.items())]
    return [word for word, _ in items], np.array([label for _, label in items])


def spelling(tags: str, train: int, least: int = 8) -> Load:
    """Words by their letters: counts of up to three in a row, with the ends marked; tags of few words are left out."""

    def load(seed: int) -> Split:
        words, labels = web_words(tags)
        names, counts = np.unique(labels, return_counts=True)
        kept = np.flatnonzero(np.isin(labels, names[counts >= least]))
        rows = np.random.default_rng(seed).permutation(kept)
        grams = CountVectorizer(analyzer="char", ngram_range=(1, 3), lowercase=False, min_df=2)
        texts = [f"<{words[row]}>" for row in rows]
        X = grams.fit_transform(texts[:train])
        return Split(X, labels[rows[:train]], grams.transform(texts[train:]), labels[rows[train:]])

    return load


@cache
def subjects(part: str) -> tuple[Any, Any]:
    """Subject lines of postings, and their groups."""
    texts, groups = newsgroups20(part)
    return [split_posting(text)[0] for text in texts], np.array(groups)


def subject_lines(train: int) -> Load:
    def load(seed: int) -> Split:
        (texts, groups), (test_texts, test_groups) = subjects("train"), subjects("test")
        rows = np.random.default_rng(seed).permutation(len(texts))[:train]
        words = TfidfVectorizer(sublinear_tf=True)
        X = words.fit_transform([texts[row] for row in rows])
        return Split(X, groups[rows], words.transform(test_texts), test_groups)

    return load


def news_topics(names: tuple[str, ...], train: int, *, single: bool) -> Load:
    """Reuters texts with at least one of the topics: with a single one its number, else the vector of them."""

    def labelled(part: str) -> tuple[list[str], Any]:
        texts, topics = reuters21578(part)
        vectors = np.array([[name in some for name in names] for some in topics], dtype=np.int64)
        rows = np.flatnonzero(vectors.sum(axis=1) == 1 if single else vectors.sum(axis=1) > 0)
        return [texts[row] for row in rows], vectors[rows].argmax(axis=1) if single else vectors[rows]

    def load(seed: int) -> Split:
        (texts, y), (test_texts, y_test) = labelled("train"), labelled("test")
        rows = np.random.default_rng(seed).permutation(len(texts))[:train]
        words = TfidfVectorizer(sublinear_tf=True, min_df=2, max_df=0.5)
        X = words.fit_transform([texts[row] for row in rows])
        return Split(X, y[rows], words.transform(test_texts), y_test)

    return load


@cache
def proteins() -> tuple[list[str], Any]:
    """Sequences as letters without gaps, capital where the alignment is reliable, and the numbers of their families."""
    sequences, families = [], []
    with zipfile.ZipFile(data_file("balifam_alignments/balifam_ref.zip")) as archive:
        for number, name in enumerate(sorted(name for name in archive.namelist() if name.endswith(".fa"))):
            for record in archive.read(name).decode("ascii").split(">")[1:]:
                text = "".join(record.split("\n")[1:]).replace(".", "").replace("-", "").strip()
                sequences.append(text)
                families.append(number)
    return sequences, np.array(families)


def families(train: int) -> Load:
    """Families of proteins by their pairs of neighbouring residues; families of few are left out."""

    def load(seed: int) -> Split:
        sequences, family = proteins()
        names, counts = np.unique(family, return_counts=True)
        rows = np.flatnonzero(np.isin(family, names[counts >= 10]))
        pairs = CountVectorizer(analyzer="char", ngram_range=(2, 2), min_df=1)
        X = pairs.fit_transform([sequences[row] for row in rows]).toarray().astype(np.float64)
        return parted(X, np.unique(family[rows], return_inverse=True)[1], train, seed)

    return load


@cache
def genes() -> tuple[Any, Any]:
    """Yeast genes: 77 numbers, zero where missing, and a 0/1 column for each main function of 50 genes or more."""
    X, functions = [], []
    for part in ("train", "valid", "test"):
        with gzip.open(data_file(f"hierarchical/cellcycle_FUN.{part}.arff.gz"), "rt", encoding="utf-8") as file:
            for line in file:
                cells = line.strip().split(",")
                if len(cells) > 70 and not line.startswith("@"):
                    X.append([0.0 if cell == "?" else float(cell) for cell in cells[:-1]])
                    functions.append({node.split("/")[0] for node in cells[-1].split("@")})
    names = sorted({name for some in functions for name in some})
    Y = np.array([[name in some for name in names] for some in functions], dtype=np.int64)
    return np.array(X), Y[:, Y.sum(axis=0) >= 50]

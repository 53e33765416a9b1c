"""Strings with classes for the tasks of the third list: strands with motifs, and names made of syllables."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import HashingVectorizer

from defaults.making import Floats

Integers = npt.NDArray[np.int64]
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "el", "or")]


def strands(n: int, length: int, rng: Any, repeats: float = 0.15) -> Integers:
    """Strings of four letters, 0 to 3, in which a letter tends to repeat the one before it."""
    letters = rng.integers(4, size=(n, length))
    again = rng.random((n, length)) < repeats
    for place in range(1, length):
        letters[:, place] = np.where(again[:, place], letters[:, place - 1], letters[:, place])
    return np.asarray(letters)


def count_kmers(letters: Integers, size: int) -> Floats:
    """How often each string of ``size`` letters occurs in each strand."""
    n, length = letters.shape
    code = sum(letters[:, part : length - size + 1 + part] * 4 ** (size - 1 - part) for part in range(size))
    places = np.asarray(code) + 4**size * np.arange(n)[:, None]
    return np.bincount(places.ravel(), minlength=n * 4**size).reshape(n, 4**size).astype(np.float64)


def kmers(n: int, seed: int, *, k: int = 3, length: int = 150, size: int = 4, motif: int = 9) -> tuple[Any, Integers]:
    """Counts of k-mers: in the strands of each class there are two copies of a motif, with mutations."""
    rng, fixed = np.random.default_rng([seed, k, length]), np.random.default_rng([k, length, 51])
    motifs = fixed.integers(4, size=(k, motif))
    y, letters = rng.integers(k, size=n), strands(n, length, rng)
    for _ in range(2):
        copies = np.where(rng.random((n, motif)) < 0.15, rng.integers(4, size=(n, motif)), motifs[y])
        start = rng.integers(length - motif, size=n)
        letters[np.arange(n)[:, None], start[:, None] + np.arange(motif)] = copies
    return count_kmers(letters, size), y


def invented_words(count: int, rng: Any) -> list[str]:
    return ["".join(rng.choice(_SYLLABLES, size=int(rng.integers(1, 5)))) for _ in range(count)]


def misspelt(word: str, rng: Any) -> str:
    """The word without one of its letters, or with two neighbours in the other order."""
    place = int(rng.integers(len(word)))
    if rng.random() < 0.5 or place == len(word) - 1:
        return word[:place] + word[place + 1 :]
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def names(n: int, seed: int, *, k: int, wrong: float = 0.2) -> tuple[list[str], Integers]:
    """Names of two to five words, some misspelt: each class prefers some of 400 words, all use the others too."""
    rng, fixed = np.random.default_rng([seed, k, 52]), np.random.default_rng([k, 52])
    words = invented_words(400, fixed)
    weight = fixed.gamma(0.3, size=(k, 400)) + 0.1
    bounds = np.cumsum(weight / weight.sum(axis=1, keepdims=True), axis=1)
    y, found = rng.integers(k, size=n), []
    for label in y:
        chosen = np.searchsorted(bounds[label], rng.random(int(rng.integers(2, 6)))).clip(max=399)
        found.append(" ".join(misspelt(words[w], rng) if rng.random() < wrong else words[w] for w in chosen))
    return found, y


def hashed(texts: list[str], columns: int = 2**14) -> Any:
    """Strings of two to four letters, hashed to columns with signs, rows of length 1."""
    return HashingVectorizer(analyzer="char_wb", ngram_range=(2, 4), n_features=columns).transform(texts)


def hashed_names(n: int, seed: int, *, k: int = 5, columns: int = 2**14) -> tuple[Any, Integers]:
    texts, y = names(n, seed, k=k)
    return hashed(texts, columns), y

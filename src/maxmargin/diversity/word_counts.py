"""Counts of the words of many small sets of texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer


class WordCounter:
    """Counts the words of one set of texts after another as a fresh copy of a vectoriser would.

    With the settings of ``CountVectorizer()`` the texts are only split into words by it, once for all sets, which
    is several times faster than a vectoriser for each of them.
    """

    def __init__(self, vectorizer: Any) -> None:
        self._vectorizer = vectorizer
        usual = type(vectorizer) is CountVectorizer and vectorizer.get_params() == CountVectorizer().get_params()
        self._words: Callable[[str], list[str]] | None = vectorizer.build_analyzer() if usual else None

    def __call__(self, texts: list[str]) -> tuple[Any, Any]:
        """Documents by words, as a CSR array, and the words, None where the vectoriser keeps none."""
        if self._words is not None:
            numbers: defaultdict[str, int] = defaultdict()
            numbers.default_factory = numbers.__len__
            split = [self._words(text) for text in texts]
            found = np.array(list(map(numbers.__getitem__, chain.from_iterable(split))), dtype=np.int64)
            if numbers:  # else the vectoriser raises, as it always does
                return _table(split, found, dict(numbers))
        reader = clone(self._vectorizer)
        counts = sp.csr_array(reader.fit_transform(texts))
        return counts, reader.get_feature_names_out() if hasattr(reader, "get_feature_names_out") else None


def _table(split: list[list[str]], found: Any, numbers: dict[str, int]) -> tuple[Any, Any]:
    """Words in alphabetical order."""
    names = sorted(numbers)
    place = np.empty(len(names), dtype=np.int64)
    place[[numbers[name] for name in names]] = np.arange(len(names))
    text = np.repeat(np.arange(len(split)), [len(words) for words in split])
    cells, counts = np.unique(text * len(names) + place[found], return_counts=True)
    ends = np.searchsorted(cells, np.arange(len(split) + 1) * len(names))
    table = sp.csr_array((counts, cells % len(names), ends), shape=(len(split), len(names)))
    return table, np.array(names, dtype=object)

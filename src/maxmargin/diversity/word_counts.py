"""Counts of the words of many small sets of texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer

from maxmargin import _core


class WordCounter:
    """Counts the words of one set of texts after another as a fresh copy of a vectoriser would.

    With the settings of ``CountVectorizer()`` the native core counts, and splits texts of ASCII characters into words;
    others are split by the vectoriser.
    """

    def __init__(self, vectorizer: Any) -> None:
        self._vectorizer = vectorizer
        usual = type(vectorizer) is CountVectorizer and vectorizer.get_params() == CountVectorizer().get_params()
        self._words: Callable[[str], list[str]] | None = vectorizer.build_analyzer() if usual else None

    def __call__(self, texts: list[str]) -> tuple[Any, Any]:
        """Documents by words, as a CSR array, and the words, None where the vectoriser keeps none."""
        if self._words is not None:
            parts = [text if text.isascii() else self._words(text) for text in texts]
            counts, columns, ends, names = _core.count_words(parts)
            if names:  # else the vectoriser raises, as it always does
                table = sp.csr_array((counts, columns, ends), shape=(len(texts), len(names)))
                return table, np.array(names, dtype=object)
        reader = clone(self._vectorizer)
        counts = sp.csr_array(reader.fit_transform(texts))
        return counts, reader.get_feature_names_out() if hasattr(reader, "get_feature_names_out") else None

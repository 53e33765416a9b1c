"""Counts of words beside a vectoriser that is fitted to every set."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from maxmargin.diversity.word_counts import WordCounter

SETS = [
    ["the cat sat on the mat", "", "A cat, a mat; naïve CAT"],
    ["one two two three three three", "x y z"],
    ["ünï cödé ünï", "2024 was 2024"],
]


@pytest.mark.parametrize("options", [{}, {"binary": True}, {"ngram_range": (1, 2)}, {"min_df": 2}])
def test_every_set_is_counted_as_by_a_vectoriser_of_its_own(options):
    sets = SETS[:1] if "min_df" in options else SETS
    counter = WordCounter(CountVectorizer(**options))
    for texts in sets:
        counts, names = counter(texts)
        own = CountVectorizer(**options)
        expected = own.fit_transform(texts).toarray()
        np.testing.assert_array_equal(counts.toarray(), expected)
        assert names.tolist() == own.get_feature_names_out().tolist()


def test_any_characters_are_split_as_by_a_vectoriser():
    rng = np.random.default_rng(0)
    letters = np.array(list("abcXYZ019_ .,-'\t\n\0é ß中İ"))
    counter = WordCounter(CountVectorizer())
    for _ in range(50):
        texts = ["ok", *("".join(rng.choice(letters, size)) for size in rng.integers(0, 40, 6))]
        counts, names = counter(texts)
        own = CountVectorizer()
        np.testing.assert_array_equal(counts.toarray(), own.fit_transform(texts).toarray())
        assert names.tolist() == own.get_feature_names_out().tolist()


def test_texts_without_words_are_refused_in_the_words_of_the_vectoriser():
    with pytest.raises(ValueError, match="empty vocabulary"):
        WordCounter(CountVectorizer())(["a", "b"])


def test_hashed_words_have_no_names():
    assert WordCounter(HashingVectorizer(n_features=16))(SETS[0])[1] is None

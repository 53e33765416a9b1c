"""Random sentences: the same for the same arguments, and learnable from words and their order."""

from collections import Counter
from itertools import pairwise

import pytest

from maxmargin.datasets import make_sentences


def test_sentences_are_repeatable_and_of_the_lengths_asked_for():
    X, Y = make_sentences(50, lengths=(2, 5), seed=3)
    assert make_sentences(50, lengths=(2, 5), seed=3) == (X, Y)
    assert make_sentences(50, lengths=(2, 5), seed=4) != (X, Y)
    assert {len(words) for words in X} == {2, 3, 4, 5}
    assert [len(words) for words in X] == [len(tags) for tags in Y]
    assert all(isinstance(word, str) for words in X for word in words)
    assert {tag for tags in Y for tag in tags} == {"DET", "ADJ", "NOUN", "VERB", "ADV"}


def test_endings_and_neighbours_tell_the_tag():
    X, Y = make_sentences(300)
    pairs = [(word, tag) for words, tags in zip(X, Y, strict=True) for word, tag in zip(words, tags, strict=True)]
    assert {tag for word, tag in pairs if word.endswith("ly")} == {"ADV"}
    after = Counter(second for tags in Y for first, second in pairwise(tags) if first == "DET")
    assert set(after) == {"ADJ", "NOUN"}


def test_complaints():
    for options in ({"n": 0}, {"n": 1, "n_words": 0}, {"n": 1, "lengths": (3, 2)}, {"n": 1, "lengths": (0, 2)}):
        with pytest.raises(ValueError, match="must be at least 1 and ascend"):
            make_sentences(**options)

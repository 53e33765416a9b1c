"""Random candidate sets: the same for the same arguments, and with the coverage structure that they promise."""

from collections import Counter

import numpy as np
import pytest

from maxmargin.datasets import make_subtopics


def test_sets_are_repeatable_and_of_the_sizes_asked_for():
    X, Y = make_subtopics(3, n_documents=7, n_subtopics=4, seed=5)
    assert make_subtopics(3, n_documents=7, n_subtopics=4, seed=5) == (X, Y)
    assert make_subtopics(3, n_documents=7, n_subtopics=4, seed=6) != (X, Y)
    assert [len(x["text"]) for x in X] == [len(x["title"]) for x in X] == [len(y) for y in Y] == [7, 7, 7]
    assert all(len(x["query"].split()) == 3 for x in X)
    assert {topic for y in Y for covered in y for topic in covered} <= {"s0", "s1", "s2", "s3"}


def test_key_words_and_nothing_else_tell_what_is_covered():
    X, Y = make_subtopics(20)
    missing = 0  # a subtopic none of whose twelve key words was drawn: once in 4096
    for x, y in zip(X, Y, strict=True):
        for text, title, covered in zip(x["text"], x["title"], y, strict=True):
            subtopics = {"s" + word.split("x")[1] for word in text.split() if word.startswith("k")}
            assert subtopics <= covered
            missing += len(covered - subtopics)
            assert {word for word in title.split() if word.startswith("k")} <= set(text.split())
            assert set(x["query"].split()) <= set(text.split())
    assert missing <= 3


def test_words_are_spread_as_described():
    X, Y = make_subtopics(50)
    spread, repeated = {kind: [] for kind in "kqctr"}, {kind: [] for kind in "kqctr"}
    for x in X:
        documents = [Counter(text.split()) for text in x["text"]]
        found = Counter(word for words in documents for word in words)
        for word, number in found.items():
            spread[word[0]].append(number / len(documents))
            repeated[word[0]].append(np.mean([words[word] for words in documents if word in words]))
    assert set(spread["q"]) == {1.0}
    assert set(spread["r"]) == {1 / 40}
    assert np.mean(spread["c"]) == pytest.approx(0.6, abs=0.02)
    assert np.mean(spread["t"]) == pytest.approx(0.12, abs=0.02)
    assert np.mean(repeated["k"]) == pytest.approx(2.0, abs=0.1)
    assert set(repeated["t"]) == {1.0}
    off_topic = np.mean([not covered for y in Y for covered in y])
    assert off_topic == pytest.approx(0.3, abs=0.03)


def test_complaints():
    for options in ({"n": 0}, {"n": 1, "n_documents": 0}, {"n": 1, "n_subtopics": 0}):
        with pytest.raises(ValueError, match="must be at least 1"):
            make_subtopics(**options)

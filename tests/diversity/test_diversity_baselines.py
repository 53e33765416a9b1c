"""The baselines against their formulas, in loops over words."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from maxmargin.datasets import make_subtopics
from maxmargin.diversity import EssentialPages, OkapiBM25, RandomChoice, UnweightedCoverage

X, Y = make_subtopics(4, n_documents=9, n_subtopics=4)


def words_of(x, d):
    return (x["text"][d] + " " + x["title"][d]).split()


def share(x, word):
    return np.mean([word in words_of(x, d) for d in range(9)])


def chosen_by(x, k, gain):
    """Plain greedy: ``gain(d, words covered so far)``."""
    chosen, covered = [], set()
    for _ in range(k):
        gains = [-np.inf if d in chosen else gain(d, covered) for d in range(9)]
        chosen.append(int(np.argmax(gains)))
        covered |= set(words_of(x, chosen[-1]))
    return chosen


@pytest.mark.parametrize("x", X)
def test_unweighted_coverage_counts_new_words(x):
    expected = chosen_by(x, 4, lambda d, covered: len(set(words_of(x, d)) - covered))
    assert UnweightedCoverage(4).predict([x])[0].tolist() == expected


@pytest.mark.parametrize("x", X)
def test_essential_pages(x):
    def tf_idf(d, covered):
        words = words_of(x, d)
        return sum(words.count(v) / len(words) * -np.log2(share(x, v)) for v in sorted(set(words) - covered))

    def entropy(d, covered):
        return sum(-share(x, v) * np.log2(share(x, v)) for v in sorted(set(words_of(x, d)) - covered))

    assert EssentialPages(4).predict([x])[0].tolist() == chosen_by(x, 4, tf_idf)
    assert EssentialPages(4, importance="entropy").predict([x])[0].tolist() == chosen_by(x, 4, entropy)


@pytest.mark.parametrize("x", X)
def test_okapi_ranks_by_the_query_alone(x):
    lengths = [len(words_of(x, d)) for d in range(9)]

    def score(d):
        total = 0.0
        for v in x["query"].split():
            df, f = 9 * share(x, v), words_of(x, d).count(v)
            damped = f + 1.2 * (0.25 + 0.75 * lengths[d] / np.mean(lengths))
            total += np.log(1 + (9 - df + 0.5) / (df + 0.5)) * f * 2.2 / damped
        return total

    expected = sorted(range(9), key=lambda d: -score(d))[:4]
    assert OkapiBM25(4).predict([x])[0].tolist() == expected


def test_random_choices_are_repeatable_and_different():
    first = RandomChoice(3).predict(X)
    assert (first == RandomChoice(3).predict(X)).all()
    assert not (first == RandomChoice(3, random_state=1).predict(X)).all()
    assert all(len(set(row)) == 3 for row in first.tolist())


@pytest.mark.parametrize("baseline", [UnweightedCoverage, EssentialPages, OkapiBM25, RandomChoice])
def test_baselines_have_the_interface_of_the_ranker(baseline):
    ranker = clone(baseline(2)).fit(X, Y)
    assert ranker.predict(X).shape == (4, 2)
    assert ranker.predict(X, k=5).shape == (4, 5)
    assert -1.0 <= ranker.score(X, Y) <= 0.0
    assert cross_val_score(ranker, X, Y, cv=2).shape == (2,)
    for wrong, message in ((baseline(10), "fewer than k = 10"), (baseline(0), "k must be a positive integer")):
        with pytest.raises(ValueError, match=message):
            wrong.predict(X)
    with pytest.raises(ValueError, match="k must be a positive integer"):
        baseline(0).fit(X, Y)


def test_complaints():
    with pytest.raises(ValueError, match="Candidate set 0 has no query; OkapiBM25 needs one"):
        OkapiBM25(2).predict([X[0]["text"]])
    with pytest.raises(ValueError, match="importance must be 'tf-idf' or 'entropy'"):
        EssentialPages(2, importance="fame").predict(X)
    with pytest.raises(ValueError, match="X has 3 candidate sets and y has 4"):
        RandomChoice(2).score(X[:3], Y)

"""Candidate sets of the diversity benchmark, fixed before any learner ran on them.

``generator``: 150 sets of ``make_subtopics`` to learn from and 150 of another seed to test, 40 documents each.
``newsgroups``: 240 sets of the training postings of 20 newsgroups and 160 of its test postings, 40 documents of eight
groups each, no posting in two sets. Words have three letters or more and are no stop words, for all methods alike.
There is no query.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer

from maxmargin.datasets import load_newsgroup_sets, make_subtopics

K = 5  # as in figure 4 of the paper
LONGEST = 10  # of the curve
CS = (0.1, 1.0, 10.0, 100.0)
HELD_OUT = 0.25  # the last part of the training sets, on which C is chosen


@dataclass(frozen=True)
class Workload:
    """``load(quick)`` gives training sets and their subtopics, test sets and theirs; other and fewer ones if quick."""

    name: str
    load: Callable[[bool], tuple[list[Any], list[Any], list[Any], list[Any]]]
    vectorizer: CountVectorizer
    has_query: bool


def _generated(quick: bool) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    if quick:
        return *make_subtopics(20, seed=0), *make_subtopics(20, seed=1)
    return *make_subtopics(150, seed=0), *make_subtopics(150, seed=2)


def _newsgroups(quick: bool) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    X, Y = load_newsgroup_sets("train", 60 if quick else 240)
    if quick:
        return X[:40], Y[:40], X[40:], Y[40:]
    return X, Y, *load_newsgroup_sets("test", 160)


WORKLOADS = {
    "generator": Workload("generator", _generated, CountVectorizer(), has_query=True),
    "newsgroups": Workload(
        "20 newsgroups", _newsgroups, CountVectorizer(stop_words="english", token_pattern="[a-z]{3,}"), has_query=False
    ),
}

"""What every ranker of documents by coverage has: the input, the prediction of k documents, the score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from maxmargin.core.ranked import checked_k
from maxmargin.diversity.candidates import Candidates, candidate_list, pack_candidates
from maxmargin.diversity.subtopics import Subtopics, pack_subtopics
from maxmargin.oracles.bind import check_sample_weight

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class SubsetRanker(BaseEstimator, ABC):  # type: ignore[misc]
    """Chooses ``k`` documents of each candidate set, one after the other.

    A subclass has the parameters ``k``, ``vectorizer`` and ``weighting``, and a method ``_choices``.
    """

    k: int
    vectorizer: Any
    weighting: str

    def predict(self, X: Iterable[Any], *, k: int | None = None) -> Indices:
        """Positions of the documents chosen, in the order of the choice, shape (n_sets, k).

        The first j of them are the choice for j documents. ``k`` replaces the parameter of that name.
        """
        size = checked_k(self.k if k is None else k)
        sets = self._packed(X)
        check_sizes(sets, size)
        return np.array(self._choices(sets, size), dtype=np.int32).reshape(len(sets), size)

    def score(self, X: Iterable[Any], y: Iterable[Any], *, sample_weight: Any = None) -> float:
        """Minus the mean weighted share of subtopics that the ``k`` documents leave out, so that larger is better."""
        X, labels = candidate_list(X), pack_subtopics(y, self.weighting)
        check_lengths(len(X), labels)
        weight = check_sample_weight(sample_weight, len(X))
        predicted = self.predict(X)
        losses = [subtopics.loss(chosen) for subtopics, chosen in zip(labels, predicted)]
        return 0.0 - float(np.average(losses, weights=weight))

    def _packed(self, X: Iterable[Any]) -> list[Candidates]:
        return pack_candidates(X, self.vectorizer)

    @abstractmethod
    def _choices(self, sets: list[Candidates], k: int) -> list[Indices]:
        """The ``k`` documents of each candidate set."""


class SetBySet(SubsetRanker):
    """Chooses from one candidate set after the other (``_chosen``)."""

    def _choices(self, sets: list[Candidates], k: int) -> list[Indices]:
        return [self._chosen(candidates, i, k) for i, candidates in enumerate(sets)]

    @abstractmethod
    def _chosen(self, candidates: Candidates, i: int, k: int) -> Indices:
        """The ``k`` documents of candidate set ``i``."""


def check_sizes(sets: list[Candidates], k: int) -> None:
    """Every candidate set has ``k`` documents."""
    for i, candidates in enumerate(sets):
        if candidates.n < k:
            raise ValueError(
                f"Candidate set {i} has {candidates.n} documents, fewer than k = {k}; leave it out or lower k."
            )


def check_lengths(n: int, labels: list[Subtopics]) -> None:
    """As many candidate sets as lists of subtopics."""
    if n != len(labels):
        raise ValueError(f"X has {n} candidate sets and y has {len(labels)}; they must match.")
    if n == 0:
        raise ValueError("At least one candidate set is needed.")


def check_documents(sets: list[Candidates], labels: list[Subtopics]) -> None:
    """As many documents as sets of subtopics in every candidate set."""
    for i, (candidates, subtopics) in enumerate(zip(sets, labels)):
        if candidates.n != subtopics.cover.n_documents:
            raise ValueError(
                f"Candidate set {i} has {candidates.n} documents in X and {subtopics.cover.n_documents} in y; "
                "they must match."
            )

"""Rankers of documents that learn nothing, to compare with: the baselines of paper 001, figure 4."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import check_random_state

from maxmargin.core.ranked import checked_k
from maxmargin.diversity.base import SetBySet, SubsetRanker
from maxmargin.diversity.candidates import Candidates
from maxmargin.diversity.cover import Cover, greedy

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


class Baseline(SubsetRanker):
    """A ranker with nothing to learn: ``fit`` looks at its parameters only, and ``predict`` works without it."""

    def __init__(self, k: int = 5, *, vectorizer: Any = None, weighting: str = "popularity") -> None:
        self.k = k
        self.vectorizer = vectorizer
        self.weighting = weighting

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Does nothing but check ``k``."""
        checked_k(self.k)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True


class UnweightedCoverage(SetBySet, Baseline):
    """Covers as many different words as possible, each worth the same.

    Parameters
    ----------
    k, vectorizer, weighting : as in DiversityRanker; a document has the words of all its fields
    """

    def _chosen(self, candidates: Candidates, i: int, k: int) -> Indices:
        counts = all_fields(candidates)
        return greedy(k, Cover.of(counts), np.ones(counts.shape[1]))


class EssentialPages(SetBySet, Baseline):
    """Covers words by a fixed function of the share ``r(v)`` of candidate documents that have the word v.

    ``'tf-idf'``: the next document d is the one with the largest ``sum tf(v, d) * log2(1 / r(v))`` over its words that
    no document chosen before has, with ``tf`` the share of v among the words of d. ``'entropy'``: covering v is worth
    ``r(v) * log2(1 / r(v))``, whatever the document.

    Parameters
    ----------
    k, vectorizer, weighting : as in DiversityRanker; a document has the words of all its fields
    importance : ``'tf-idf'`` or ``'entropy'``
    """

    def __init__(
        self, k: int = 5, *, importance: str = "tf-idf", vectorizer: Any = None, weighting: str = "popularity"
    ) -> None:
        super().__init__(k, vectorizer=vectorizer, weighting=weighting)
        self.importance = importance

    def _chosen(self, candidates: Candidates, i: int, k: int) -> Indices:
        if self.importance not in ("tf-idf", "entropy"):
            raise ValueError(f"importance must be 'tf-idf' or 'entropy', not {self.importance!r}.")
        counts = all_fields(candidates)
        share = np.bincount(counts.indices, minlength=counts.shape[1]) / candidates.n
        bits = -np.log2(np.where(share > 0.0, share, 1.0))
        if self.importance == "entropy":
            return greedy(k, Cover.of(counts), share * bits)
        length = np.maximum(np.asarray(counts.sum(axis=1)).ravel(), 1e-300)
        rows = np.repeat(np.arange(candidates.n), np.diff(counts.indptr))
        worth = sp.csr_array((counts.data / length[rows], counts.indices, counts.indptr), shape=counts.shape)
        chosen: list[int] = []
        for _ in range(k):
            gains = worth @ bits
            gains[chosen] = -np.inf
            chosen.append(int(np.argmax(gains)))
            bits[counts.indices[counts.indptr[chosen[-1]] : counts.indptr[chosen[-1] + 1]]] = 0.0
        return np.array(chosen, dtype=np.int32)


class OkapiBM25(SetBySet, Baseline):
    """The documents that match the query best, without a thought for what the others say.

    ``sum_v idf(v) * f (k1 + 1) / (f + k1 (1 - b + b |d| / mean |d|))`` over the words v of the query, with f the count
    of v in d and ``idf(v) = log(1 + (n - df + 1/2) / (df + 1/2))`` in the candidate set.

    Parameters
    ----------
    k, vectorizer, weighting : as in DiversityRanker; a document has the words of all its fields
    k1, b : of the formula
    """

    def __init__(
        self,
        k: int = 5,
        *,
        k1: float = 1.2,
        b: float = 0.75,
        vectorizer: Any = None,
        weighting: str = "popularity",
    ) -> None:
        super().__init__(k, vectorizer=vectorizer, weighting=weighting)
        self.k1 = k1
        self.b = b

    def _chosen(self, candidates: Candidates, i: int, k: int) -> Indices:
        if candidates.query is None:
            raise ValueError(f"Candidate set {i} has no query; OkapiBM25 needs one, under the key 'query'.")
        counts = all_fields(candidates)
        asked = np.flatnonzero(candidates.query)
        found = counts[:, asked].toarray()
        df = (found > 0.0).sum(axis=0)
        idf = np.log1p((candidates.n - df + 0.5) / (df + 0.5))
        length = np.asarray(counts.sum(axis=1)).ravel()
        relative = length / max(float(length.mean()), 1e-300)
        weight = found * (self.k1 + 1.0) / (found + self.k1 * (1.0 - self.b + self.b * relative)[:, None] + 1e-300)
        return np.argsort(-(weight @ idf), kind="stable")[:k].astype(np.int32)


class RandomChoice(Baseline):
    """Documents at random.

    Parameters
    ----------
    k, vectorizer, weighting : as in DiversityRanker
    random_state : seed
    """

    def __init__(
        self, k: int = 5, *, random_state: Any = 0, vectorizer: Any = None, weighting: str = "popularity"
    ) -> None:
        super().__init__(k, vectorizer=vectorizer, weighting=weighting)
        self.random_state = random_state

    def _choices(self, sets: list[Candidates], k: int) -> list[Indices]:
        random = check_random_state(self.random_state)
        return [np.asarray(random.permutation(candidates.n)[:k], dtype=np.int32) for candidates in sets]


def all_fields(candidates: Candidates) -> Any:
    """Counts of words in all fields together, documents by words."""
    first, *others = candidates.fields.values()
    counts = first.copy()
    for field in others:
        counts = counts + field
    counts = sp.csr_array(counts)
    counts.sum_duplicates()
    return counts

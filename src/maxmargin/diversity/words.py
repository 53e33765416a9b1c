"""Words as something to cover: the features of a word, and which documents cover it at which level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.diversity.candidates import Candidates
from maxmargin.diversity.cover import Cover
from maxmargin.diversity.levels import Level

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Counts = npt.NDArray[np.intp]

_DENSE = 16_384  # components of Psi up to which a dense vector is faster than a sparse one


@dataclass(frozen=True)
class WordFeatures:
    """The joint feature map of coverage.

    With ``V_l(y)`` the words that the documents ``y`` cover at level l and ``share_l(v, x)`` the share of all candidate
    documents that cover the word v at level l,

        phi(v, x) = (1, 1[share_1 >= r_1], 1[share_1 >= r_2], ..., 1[share_L >= r_R])
        Psi(x, y) = s(x) * (sum_{v in V_1(y)} phi(v, x), ..., sum_{v in V_L(y)} phi(v, x), own(x, y))

    where ``1 / s(x)`` is the mean number of words of a document at the first level. ``own`` has a component for each
    word v of a vocabulary, ``own_weight * share_1 * (1 - share_1)`` if v is in ``V_1(y)`` and 0 if not, so that words
    met in several training sets have a weight of their own, and all words one by how they are spread.

    Parameters
    ----------
    levels : L levels
    shares : the thresholds r_1 < ... < r_R, above 0 and at most 1
    vocabulary : words to component numbers of ``own``
    own_weight : factor on ``own``
    """

    levels: tuple[Level, ...]
    shares: tuple[float, ...]
    vocabulary: Mapping[Any, int] = field(default_factory=dict)
    own_weight: float = 30.0

    @property
    def width(self) -> int:
        """Length of ``phi``."""
        return 1 + len(self.levels) * len(self.shares)

    @property
    def own_start(self) -> int:
        """Where ``own`` begins in ``Psi``."""
        return len(self.levels) * self.width

    @property
    def length(self) -> int:
        """Length of ``Psi``."""
        return self.own_start + len(self.vocabulary)

    def names(self) -> list[str]:
        """A name for each component of ``Psi``: the level that is covered, and what is asked of the word."""
        asked = [
            "any word",
            *(f"{level} in {share:.4g} of documents" for level in self.levels for share in self.shares),
        ]
        spread = [f"{covered}: {words}" for covered in self.levels for words in asked]
        return spread + [f"{self.levels[0]}: {word}" for word in self.vocabulary]

    def shares_of(self, there: Sequence[Reached]) -> Floats:
        """``share_l(v, x)`` from what ``reached`` gives for each level, shape (n_words, L)."""
        return np.stack([np.bincount(at.word, minlength=at.n_words) / at.n for at in there], axis=1)

    def own_value(self, share: Floats) -> Floats:
        """The components of words in ``own`` by their shares at the first level."""
        return self.own_weight * share * (1.0 - share)

    def phi(self, shares: Floats) -> npt.NDArray[np.bool_]:
        """The features of words by how they are spread, shape (n_words, width)."""
        at_least = shares[:, :, None] >= np.array(self.shares) - 1e-12
        return np.concatenate([np.ones((len(shares), 1), np.bool_), at_least.reshape(len(shares), -1)], axis=1)


@dataclass(frozen=True, eq=False)
class WordCover:
    """A candidate set as ``Psi`` sees it: words that are in the same documents and have equal features are one item.

    Parameters
    ----------
    cover : documents by items
    kind : of each item, a row of ``kinds``
    count : of each item, how many words it stands for
    kinds : the different features of words, each in the slot of its level, shape (n_kinds, own_start)
    own, own_value : of each item, its component of ``own`` (-1 if it has none) and its value
    scale, length : the factor ``s(x)``, and the length of ``Psi``
    """

    cover: Cover
    kind: Indices
    count: Floats
    kinds: Floats
    own: Indices
    own_value: Floats
    scale: float
    length: int

    @property
    def n(self) -> int:
        """Documents."""
        return self.cover.n_documents

    @cached_property
    def _single(self) -> npt.NDArray[np.intp]:
        """Items with a component of ``own``, in its order."""
        order = np.argsort(self.own, kind="stable")
        return order[self.own[order] >= 0]

    def benefit(self, w: Floats) -> Floats:
        """What covering each item adds to ``<w, Psi>``, shape (n_items,)."""
        start = self.kinds.shape[1]
        spread = (self.kinds @ w[:start])[self.kind] * self.count
        if self.length > start:
            spread += self.own_value * w[start + np.maximum(self.own, 0)]
        return self.scale * spread

    def psi(self, documents: npt.ArrayLike) -> Any:
        """``Psi(x, y)`` of a set of documents, sparse if very many single words have weights."""
        there = self.cover.covered(documents)
        per_kind = np.bincount(self.kind[there], self.count[there], minlength=len(self.kinds))
        spread = self.scale * (per_kind @ self.kinds)
        if self.length == spread.size:
            return spread
        single = self._single[there[self._single]]
        if self.length <= _DENSE:
            psi = np.zeros(self.length)
            psi[: spread.size] = spread
            psi[spread.size + self.own[single]] = self.scale * self.own_value[single]
            return psi
        index = np.concatenate([np.arange(spread.size, dtype=np.int32), spread.size + self.own[single]])
        value = np.concatenate([spread, self.scale * self.own_value[single]])
        return sp.csr_array((value, index, [0, index.size]), shape=(1, self.length))


@dataclass(frozen=True, eq=False)
class Reached:
    """Which of ``n`` documents cover which of ``n_words`` words at a level, document after document."""

    document: Counts
    word: Counts
    n: int
    n_words: int


def reached(candidates: Candidates, level: Level) -> Reached:
    """What the documents cover at the level."""
    counts = candidates.fields[level.field]
    n, n_words = counts.shape
    kept = counts.data >= level.least
    document = np.repeat(np.arange(n), np.diff(counts.indptr))[kept]
    return Reached(document, counts.indices[kept].astype(np.intp), n, n_words)


def common_words(sets: Iterable[Candidates], level: Level, min_sets: int) -> dict[Any, int]:
    """The words that at least ``min_sets`` candidate sets have at the level, numbered in alphabetical order."""
    seen: Counter[Any] = Counter()
    for candidates in sets:
        if candidates.names is not None:
            used = np.bincount(reached(candidates, level).word, minlength=candidates.names.size) > 0
            seen.update(candidates.names[used].tolist())
    return {word: k for k, word in enumerate(sorted(word for word, number in seen.items() if number >= min_sets))}


def cover_words(candidates: Candidates, features: WordFeatures) -> WordCover:
    """Packs a candidate set for a feature map."""
    there = [reached(candidates, level) for level in features.levels]
    shares = features.shares_of(there)
    phi = features.phi(shares)
    first, pattern = _equal_rows(np.packbits(phi, axis=1))
    patterns = phi[first]
    number = _numbers(candidates, features)
    document, item = [], []
    words: list[Counts] = []
    for at in there:
        there_at_all = np.bincount(at.word, minlength=at.n_words) > 0
        used = np.flatnonzero(there_at_all)
        place = np.cumsum(there_at_all) - 1 + sum(used.size for used in words)
        document.append(at.document)
        item.append(place[at.word])
        words.append(used)
    word, level = np.concatenate(words), np.repeat(np.arange(len(there)), [len(used) for used in words])
    own = np.where(level == 0, number[word], -1)
    slot = pattern[word] * len(there) + level
    first, count, ends, items = _core.group_items(
        np.concatenate(document), np.concatenate(item), slot, own, candidates.n
    )
    used, kind = np.unique(slot[first], return_inverse=True)
    table = np.zeros((used.size, len(there), features.width))
    table[np.arange(used.size), used % len(there)] = patterns[used // len(there)]
    own = own[first]
    return WordCover(
        Cover(ends, items, first.size),
        kind.ravel().astype(np.int32),
        count.astype(np.float64),
        table.reshape(used.size, features.own_start),
        own.astype(np.int32),
        np.where(own >= 0, features.own_value(shares[word[first], 0]), 0.0),
        candidates.n / max(1, there[0].word.size),
        features.length,
    )


def _numbers(candidates: Candidates, features: WordFeatures) -> npt.NDArray[np.int64]:
    """The number of each word in the vocabulary, -1 for others."""
    n_words = next(iter(candidates.fields.values())).shape[1]
    if not features.vocabulary or candidates.names is None:
        return np.full(n_words, -1)
    numbers = map(features.vocabulary.get, candidates.names.tolist(), repeat(-1))
    return np.fromiter(numbers, dtype=np.int64, count=n_words)


def _equal_rows(rows: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The first of every group of equal rows, and the group of every row; groups in the order in which they appear.

    Rows are told apart by a sum of their words times odd numbers, modulo 2^64, and compared with the first of their
    group; where two different rows share a sum, which next to never happens, by their bytes.
    """
    words = np.zeros((len(rows), -(-rows.shape[1] // 8) * 8), dtype=np.uint8)
    words[:, : rows.shape[1]] = rows
    factors = np.random.default_rng(0).integers(0, 2**63, words.shape[1] // 8, dtype=np.uint64) * np.uint64(
        2
    ) + np.uint64(1)
    _, first, group = np.unique(words.view(np.uint64) @ factors, return_index=True, return_inverse=True)
    group = group.ravel()
    if not np.array_equal(rows[first[group]], rows):
        _, first, group = np.unique([row.tobytes() for row in rows], return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return first[order].astype(np.int64), place[group].astype(np.int64)

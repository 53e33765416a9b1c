"""Features of the arcs of dependency trees: words and tags at both ends, around them and between them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Keys = npt.NDArray[np.uint64]

_BOUNDS = np.array([1, 2, 3, 4, 5, 10], dtype=np.int64)  # classes of distances
_ODD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


class TaggedWords(Protocol):
    """A sentence: its words, and their parts of speech, universal and of the language; see ``Sentence``."""

    @property
    def words(self) -> Sequence[str]: ...
    @property
    def upos(self) -> Sequence[str]: ...
    @property
    def xpos(self) -> Sequence[str]: ...


class DependencyFeatures:
    """The features of a first-order parser (McDonald, Crammer and Pereira 2005), hashed to ``2 ** bits`` columns.

    Calling it with a sentence of n words gives a CSR matrix with ``n (n + 1)`` rows, word by word, the arc from the
    root first, as :class:`TreeProblem` and :class:`ProjectiveTrees` take it; arcs from a word to itself have none. A
    feature is a combination of the word and tag of the head, the word and tag of the dependent, and the tags
    next to them; each is there once alone, and once with the direction and distance of the arc. Then come the
    tags between the two. There is nothing to fit, and nothing is stored; values are 1.

    Parameters
    ----------
    bits : of the numbers of columns; 22 are 4.2 million weights
    """

    def __init__(self, bits: int = 22) -> None:
        if not 8 <= bits <= 30:
            raise ValueError(f"bits must be from 8 to 30, not {bits!r}.")
        self.bits = bits

    def __call__(self, sentence: TaggedWords) -> Any:
        n = len(sentence.words)
        if n == 0 or len(sentence.upos) != n or len(sentence.xpos) != n:
            raise ValueError(
                f"A sentence needs as many tags as words, at least one: it has {n} words, {len(sentence.upos)} and "
                f"{len(sentence.xpos)} tags."
            )
        head, word = _sides(sentence)
        plain = _mixed(head[:, None, :] + word[:, :, None])  # (templates, n, n + 1)
        place = np.arange(1, n + 1)[:, None] - np.arange(n + 1)[None, :]
        shift = _distance_keys(place)
        ends = np.concatenate([plain, _mixed(plain + shift)]).reshape(2 * len(plain), -1).T
        arc, between = self._between(sentence, head[0], word[0], shift)
        real = (place != 0).ravel()
        extra = np.bincount(arc, minlength=real.size)
        indptr = np.concatenate([[0], np.cumsum(real * ends.shape[1] + extra)])
        keys = np.empty(indptr[-1], dtype=np.uint64)
        keys[(indptr[:-1][real, None] + np.arange(ends.shape[1])).ravel()] = ends[real].ravel()
        rank = np.arange(arc.size) - (np.cumsum(extra) - extra)[arc]
        keys[indptr[arc] + ends.shape[1] + rank] = between
        matrix = sp.csr_array((real.size, 1 << self.bits))
        matrix.indptr = indptr.astype(np.int32)
        matrix.indices = (keys >> np.uint64(64 - self.bits)).astype(np.int32)
        matrix.data = _ones(matrix.indices.size)  # set here because the constructor would copy it
        return matrix

    def _between(
        self, sentence: TaggedWords, head: Keys, word: Keys, shift: Keys
    ) -> tuple[npt.NDArray[np.int64], Keys]:
        """Arcs, ascending, with keys of each tag that is between their ends."""
        n = len(sentence.words)
        names = sorted(set(sentence.upos))
        codes = np.array([0, *(1 + names.index(tag) for tag in sentence.upos)])
        count = np.zeros((n + 2, len(names) + 1), dtype=np.int32)  # of each tag before each place
        np.add.at(count, (np.arange(1, n + 2), codes), 1)
        count = np.cumsum(count, axis=0)
        d, h = np.arange(1, n + 1)[:, None], np.arange(n + 1)[None, :]
        low, high = np.minimum(d, h), np.maximum(d, h)
        there = count[high, 1:] > count[np.minimum(low + 1, high), 1:]
        d, h, tag = np.nonzero(there)
        keys = np.array([_key("between " + name) for name in names], dtype=np.uint64)[tag]
        keys = _mixed(keys + head[h] + word[d] * _ODD[2])
        pair = np.stack([keys, _mixed(keys + shift[d, h])], axis=1).ravel()
        return np.repeat(d * (n + 1) + h, 2), pair


def _sides(sentence: TaggedWords) -> tuple[Keys, Keys]:
    """Keys of both sides of each template: (templates, n + 1) for the head, the root first, (templates, n) for the
    dependent. The first template is the pair of tags."""
    words = np.array([_key(text) for text in ("<root>", *(word.lower() for word in sentence.words))], dtype=np.uint64)
    pairs = (f"{fine} {coarse}" for fine, coarse in zip(sentence.xpos, sentence.upos))
    tags = np.array([_key(text) for text in ("<root>", *pairs)], dtype=np.uint64)
    coarse = np.array([_key("coarse " + text) for text in ("<root>", *sentence.upos)], dtype=np.uint64)
    both = _mixed(words + tags * _ODD[0])
    next_to, behind = _with_neighbours(tags)
    coarse_next, coarse_behind = _with_neighbours(coarse)
    none = np.zeros_like(words)
    head = [tags, coarse, both, words, tags, none, none, none, both, tags, words, both, both, words]
    word = [tags, coarse, none, none, none, both, words, tags, both, both, both, tags, words, words]
    head += [next_to, behind, next_to, behind, coarse, words]
    word += [behind, behind, next_to, next_to, words, coarse]
    head += [coarse_next, coarse_behind, coarse_next, coarse_behind]
    word += [coarse_behind, coarse_behind, coarse_next, coarse_next]
    salt = np.array([_key(f"template {k}") for k in range(len(head))], dtype=np.uint64)[:, None]
    return _mixed(np.stack(head) + salt), _mixed(np.stack(word)[:, 1:] * _ODD[1] + salt)


def _with_neighbours(tags: Keys) -> tuple[Keys, Keys]:
    """Each tag together with the one after it, and with the one before it."""
    edge = np.array([_key("<edge>")], dtype=np.uint64)
    after: Keys = np.concatenate([tags[1:], edge])
    before: Keys = np.concatenate([edge, tags[:-1]])
    return _mixed(tags + after * _ODD[0]), _mixed(tags + before * _ODD[1])


def _distance_keys(place: npt.NDArray[np.int64]) -> Keys:
    """Of the direction and the class of the distance of each arc."""
    kinds = np.searchsorted(_BOUNDS, np.abs(place), side="right") * 2 + (place > 0)
    return np.array([_key(f"distance {k}") for k in range(2 * _BOUNDS.size + 2)], dtype=np.uint64)[kinds]


def _mixed(keys: Keys) -> Keys:
    """Every bit of the result depends on every bit of a key (the finish of SplitMix64)."""
    keys = (keys ^ (keys >> np.uint64(30))) * _ODD[1]
    keys = (keys ^ (keys >> np.uint64(27))) * _ODD[2]
    return keys ^ (keys >> np.uint64(31))


@lru_cache(maxsize=1 << 18)
def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


_shared = np.ones(1 << 16)
_shared.flags.writeable = False


def _ones(count: int) -> npt.NDArray[np.float64]:
    """So many ones, which all matrices share."""
    global _shared
    if _shared.size < count:
        _shared = np.ones(2 * count)
        _shared.flags.writeable = False
    return _shared[:count]

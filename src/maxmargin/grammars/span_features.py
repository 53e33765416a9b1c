"""Features of a rule with its span: the words around its ends and its split, and its length.

A rule ``A -> B C`` over words i to j - 1, divided at k, can have the tag or word at i (``first``), at j - 1 (``last``),
at i - 1 (``before``), at j (``after``), those at k - 1 and k (``split``) and j - i (``length``), in two forms: with
the rule, for tags, and with the label of A alone, for tags and words. Where the input is words, classes of words are in
place of tags, which have no part in it then, even if sentences are pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.input_checks import quoted
from maxmargin.grammars.grammar import Grammar
from maxmargin.grammars.lexicon import word_class, words_and_tags
from maxmargin.grammars.probabilities import rule_parents

Numbers = npt.NDArray[np.int32]

NAMES = ("first", "last", "before", "after", "split", "length")
_LENGTHS = (1, 2, 3, 4, 5, 7, 10, 15, 25)  # the last of each class but the longest
# Where each kind of features is, and what it sees: names and the word beside the place, counted from it.
_PLACES = {
    "start": (("first", 0), ("before", -1)),
    "end": (("last", -1), ("after", 0)),
    "split": (("split", -1), ("split", 0)),
    "length": (("length", 0),),
}


@dataclass(frozen=True, eq=False)
class SpanFeatures:
    """The features ``names``, and what they know: ``tags`` (or classes of words) and ``words``."""

    names: tuple[str, ...]
    tags: tuple[str, ...]
    words: tuple[str, ...]

    @classmethod
    def learn(cls, names: Sequence[str], grammar: Grammar, X: Sequence[Any]) -> SpanFeatures:
        """The tags of sentences, and the words that they have more than once."""
        if not _are_names(names):
            known = ", ".join(map(repr, NAMES))
            raise ValueError(f"features must be a list of some of {known}, not {quoted(names)}.")
        names = [str(name) for name in names]
        tags: dict[str, None] = {}
        words: Counter[str] = Counter()
        if len(names):
            for sentence in X:
                small, large = _texts(grammar, sentence)
                tags |= dict.fromkeys(small)
                words.update(large)
        return cls(tuple(names), tuple(tags), tuple(word for word, count in words.items() if count > 1))

    def add_to(self, core: _core.Sentences, grammar: Grammar, X: Sequence[Any]) -> None:
        """Gives packed sentences their features."""
        if not grammar.n_rules:  # all sentences have one word
            return
        blocks = _blocks(grammar)
        texts = [self._numbers(*_texts(grammar, sentence)) for sentence in X] if self.names else []
        for place, seen in self._parts():
            for with_words, (block, count) in zip((False, True), blocks, strict=True):
                starts, indices = [0], list[int]()
                size = self._size(with_words)
                for small, large in texts:
                    for row in range(len(small) + 1):
                        indices += self._row(place, seen, row, small, large if with_words else None, size)
                        starts.append(len(indices))
                offsets, columns = np.array(starts, dtype=np.int64), np.array(indices, dtype=np.int32)
                core.add_part(place, self._columns(place, seen, size), count, block, offsets, columns, None)

    def weight_count(self, grammar: Grammar) -> int:
        """Weights of the rules and of these features."""
        total = grammar.n_rules
        for place, seen in self._parts() if total else ():
            for with_words, (_, count) in zip((False, True), _blocks(grammar), strict=True):
                total += self._columns(place, seen, self._size(with_words)) * count
        return total

    def written(self) -> dict[str, Any]:
        """What a model file keeps."""
        return {"tags": list(self.tags), "words": list(self.words)}

    @classmethod
    def restored(cls, names: Sequence[str], given: Any) -> SpanFeatures:
        lists = [given[key] for key in ("tags", "words")]
        if not all(isinstance(own, list) and all(isinstance(text, str) for text in own) for own in lists):
            raise ValueError("the tags and words of features must be lists of texts")
        return cls(tuple(names), tuple(lists[0]), tuple(lists[1]))

    def _parts(self) -> list[tuple[str, tuple[tuple[str, int], ...]]]:
        chosen = ((place, tuple(s for s in seen if s[0] in self.names)) for place, seen in _PLACES.items())
        return [(place, seen) for place, seen in chosen if seen]

    def _size(self, with_words: bool) -> int:
        return len(self.tags) + (len(self.words) if with_words else 0)

    def _columns(self, place: str, seen: tuple[tuple[str, int], ...], size: int) -> int:
        return len(_LENGTHS) + 1 if place == "length" else len(seen) * (size + 1)

    def _row(
        self,
        place: str,
        seen: tuple[tuple[str, int], ...],
        row: int,
        small: list[int],
        large: list[int] | None,
        size: int,
    ) -> list[int]:
        """The columns of one place; the last of each kind is for places outside of the sentence."""
        if place == "length":
            return [int(np.searchsorted(_LENGTHS, row))] if row else []
        found = []
        for number, (_, shift) in enumerate(seen):
            at, base = row + shift, number * (size + 1)
            if not 0 <= at < len(small):
                found.append(base + size)
                continue
            found += [base + small[at]] if small[at] >= 0 else []
            found += [base + len(self.tags) + large[at]] if large is not None and large[at] >= 0 else []
        return found

    @cached_property
    def _places(self) -> tuple[dict[str, int], dict[str, int]]:
        return {text: n for n, text in enumerate(self.tags)}, {text: n for n, text in enumerate(self.words)}

    def _numbers(self, small: list[str], large: list[str]) -> tuple[list[int], list[int]]:
        tags, words = self._places
        return [tags.get(text, -1) for text in small], [words.get(text, -1) for text in large] or [-1] * len(small)


def _texts(grammar: Grammar, sentence: Any) -> tuple[list[str], list[str]]:
    """Tags and words, or nothing where there are none; where the input is words, their classes in place of tags."""
    words, tags = words_and_tags(sentence)
    if not grammar.lexicon.by_tags:
        return [word_class(word) for word in words], words
    return (words, []) if tags is None else (tags, words)


def _are_names(given: Any) -> bool:
    texts = not isinstance(given, str) and isinstance(given, Collection | np.ndarray)
    return texts and all(isinstance(name, str) and name in NAMES for name in given)


def _blocks(grammar: Grammar) -> list[tuple[Numbers, int]]:
    """Blocks by rule, and by the label above: for each rule a number, and how many there are."""
    symbols = [(symbol.label, symbol.siblings is None) for symbol in grammar.symbols]
    numbers = {pair: number for number, pair in enumerate(dict.fromkeys(symbols))}
    labels = np.array([numbers[pair] for pair in symbols], dtype=np.int32)[rule_parents(grammar)]
    return [(np.arange(grammar.n_rules, dtype=np.int32), grammar.n_rules), (labels, len(numbers))]

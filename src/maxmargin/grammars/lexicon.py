"""How words, or tags, become the terminals of a grammar, also those that no training sentence had.

With tags as input a tag is a terminal; one that was never seen may be any tag of the grammar. With words as input a
word that was seen more than ``rare`` times is a terminal. Every other word is represented by its class (capitals,
digits, hyphen, ending), whose rules come from the rare words of the treebank; a word of a class without rules becomes
the last terminal, which every tag may have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from maxmargin.core.input_checks import quoted

Ints: TypeAlias = npt.NDArray[np.int32]
Sentence: TypeAlias = Sequence[str | tuple[str, str]]
"""Tags, or words, or pairs of a word and its tag."""

UNKNOWN = "<unknown>"
_ENDINGS = (
    "ing",
    "ed",
    "ly",
    "tion",
    "ment",
    "ness",
    "ity",
    "ous",
    "able",
    "al",
    "ic",
    "er",
    "or",
    "est",
    "ies",
    "s",
    "y",
)


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The terminals of a grammar and what each may be.

    Terminal ``t`` can be the symbols ``symbols[offsets[t]:offsets[t + 1]]``, each by the rule of that number in
    ``rules`` (-1 where tags are the input, which needs no rule). The last terminal stands for all that is unknown.

    Parameters
    ----------
    by_tags : whether tags are the input, not words
    known : tags or words
    classes : of words that are rare or unknown
    offsets, symbols, rules : int32 arrays (n_terminals + 1,), (n_entries,), (n_entries,)
    """

    by_tags: bool
    known: tuple[str, ...]
    classes: tuple[str, ...]
    offsets: Ints
    symbols: Ints
    rules: Ints

    @property
    def unknown(self) -> int:
        """The number of the last terminal."""
        return len(self.known) + len(self.classes)

    @property
    def terminals(self) -> tuple[str, ...]:
        """Names of the terminals: words or tags, then classes of words, then the unknown one."""
        return (*self.known, *(f"<{name}>" for name in self.classes), UNKNOWN)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.known)}

    @cached_property
    def _class_numbers(self) -> dict[str, int]:
        return {name: len(self.known) + number for number, name in enumerate(self.classes)}

    def number(self, text: str) -> int:
        """The terminal of a word or tag; never fails."""
        found = self._numbers.get(text)
        if found is not None:
            return found
        return self.unknown if self.by_tags else self._class_numbers.get(word_class(text), self.unknown)

    def symbols_of(self, terminal: int) -> Ints:
        """The numbers of the symbols that a terminal can be."""
        return self.symbols[self.offsets[terminal] : self.offsets[terminal + 1]]

    @cached_property
    def allowed(self) -> list[frozenset[int]]:
        """The same for all terminals."""
        return [frozenset(self.symbols_of(terminal).tolist()) for terminal in range(self.unknown + 1)]

    def numbers(self, sentence: Sentence) -> Ints:
        """The terminals of a sentence, int32 (n_words,)."""
        words, tags = words_and_tags(sentence)
        if self.by_tags and tags is None:
            tags = words
        texts = tags if self.by_tags and tags is not None else words
        return np.array([self.number(text) for text in texts], dtype=np.int32)


def words_and_tags(sentence: Any) -> tuple[list[str], list[str] | None]:
    """The words of a sentence and, if it is one of pairs, their tags."""
    if isinstance(sentence, str) or not isinstance(sentence, Sequence | np.ndarray):
        raise TypeError(
            f"A sentence must be a list of tags, of words, or of (word, tag) pairs, not {quoted(sentence)}; split "
            "texts at white space."
        )
    if not len(sentence):
        raise ValueError("A sentence is empty; leave it out.")
    if all(isinstance(token, str) and token for token in sentence):
        return [str(token) for token in sentence], None
    for token in sentence:
        if not (isinstance(token, tuple | list) and len(token) == 2 and all(isinstance(t, str) and t for t in token)):
            raise TypeError(
                f"A sentence must be a list of tags, of words, or of (word, tag) pairs; it has {quoted(token)}."
            )
    return [word for word, _ in sentence], [tag for _, tag in sentence]


def word_class(word: str) -> str:
    """What is visible of a word: capitals, digits, a hyphen, its ending; '9' for a number, 'Aa-ing' for Boing-Going."""
    letters = [c for c in word if c.isalpha()]
    digits = any(c.isdigit() for c in word)
    if not letters:
        return "9" if digits else "?"
    shape = "AA" if all(c.isupper() for c in letters) and len(letters) > 1 else "Aa" if letters[0].isupper() else "aa"
    lower = word.lower()
    ending = next((e for e in _ENDINGS if lower.endswith(e) and len(lower) > len(e) + 2), "")
    return f"{shape}{'9' if digits else ''}{'-' if '-' in word else ''}{ending and '~' + ending}"

"""From a derivation back to its tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from maxmargin.core.input_checks import quoted
from maxmargin.grammars.lexicon import Sentence, words_and_tags
from maxmargin.grammars.tree import Tree, checked_tree

if TYPE_CHECKING:
    from maxmargin.grammars.grammar import Grammar

_NONE = "The rows are no derivation of the sentence"


def tree_of(grammar: Grammar, rows: npt.ArrayLike, sentence: Sentence) -> Tree:
    """The tree that rows ``(rule, start, split, end)`` derive; raises a ValueError where they are no derivation."""
    undoing = _Undoing(grammar, sentence)
    for row in reversed(np.asarray(rows, dtype=np.int64).reshape(-1, 4).tolist()):
        undoing.apply(*row)
    return undoing.tree()


def best_trees(grammar: Grammar, derivations: Sequence[npt.NDArray[np.int32]], sentence: Sentence) -> list[Tree]:
    """``tree_of`` for derivations that the core has found, which need no check: several times as fast.

    Rules are undone from the last to the first, so the last thing that begins at a word is what is below.
    """
    words, tags = words_and_tags(sentence)
    by_tags, labels, lexical = grammar.lexicon.by_tags, grammar.node_labels, len(grammar.binary) + len(grammar.unary)
    leaves: list[tuple[Tree, ...]] = [()] * len(words)
    if by_tags:
        leaves = [(checked_tree(tag, (word,)),) for word, tag in zip(words, tags or words)]
    found = []
    for rows in derivations:
        below = leaves.copy()
        for rule, start, split, _ in reversed(rows.tolist()):
            label = labels[rule]
            if rule >= lexical:
                below[start] = (checked_tree(label or "", (words[start],)),)
                continue
            trees = below[start] if split < 0 else below[start] + below[split]
            below[start] = trees if label is None else (checked_tree(label, trees),)
        root: Tree | str = below[0][0]
        if grammar.wrapped:
            root = below[0][0].children[0]
        assert isinstance(root, Tree)
        found.append(root)
    return found


class _Part(NamedTuple):
    """What is above a span: a symbol, and the tree, or the children of a node that comes later."""

    symbol: int
    start: int
    end: int
    trees: tuple[Tree, ...]


class _Undoing:
    """Rules are applied from the last to the first, so what is below a rule lies on the stack, left above right."""

    def __init__(self, grammar: Grammar, sentence: Sentence) -> None:
        words, tags = words_and_tags(sentence)
        self.grammar = grammar
        self.words = words
        self.tags = (tags or words) if grammar.lexicon.by_tags else None
        self.stack: list[_Part] = []
        self.bounds = len(grammar.binary), len(grammar.binary) + len(grammar.unary), grammar.n_rules

    def apply(self, rule: int, start: int, split: int, end: int) -> None:
        grammar = self.grammar
        first, second, last = self.bounds
        inside = 0 <= rule < last and 0 <= start < end <= len(self.words)
        if inside and rule >= second:
            inside = end == start + 1 and grammar.lexicon.number(self.words[start]) == grammar.rule_symbols[rule][2]
        if not (inside and (start < split < end if rule < first else split == -1)):
            raise ValueError(f"{_NONE}: {(rule, start, split, end)} is no rule at a place of it.")
        if rule >= second:
            self.stack.append(self._leaf(start, grammar.rule_symbols[rule][0]))
            return
        parent, *children = grammar.rule_symbols[rule]
        if rule < first:
            trees = (*self._below(children[0], start, split), *self._below(children[1], split, end))
        else:
            trees = self._below(children[0], start, end)
        symbol = grammar.symbols[parent]
        self.stack.append(
            _Part(parent, start, end, trees if symbol.siblings is not None else (Tree(symbol.label, trees),))
        )

    def tree(self) -> Tree:
        grammar = self.grammar
        parts = self.stack or [self._leaf(0, grammar.start)]
        if len(parts) != 1 or parts[0][:3] != (grammar.start, 0, len(self.words)):
            raise ValueError(f"{_NONE}: they do not end in the start symbol above all of it.")
        root = parts[0].trees[0]
        inner = root.children[0] if grammar.wrapped else root
        assert isinstance(inner, Tree)
        return inner

    def _below(self, symbol: int, start: int, end: int) -> tuple[Tree, ...]:
        if self.stack and self.stack[-1][:3] == (symbol, start, end):
            return self.stack.pop().trees
        if self.tags is not None and end == start + 1 and not (self.stack and self.stack[-1][1:3] == (start, end)):
            return self._leaf(start, symbol).trees
        raise ValueError(f"{_NONE}: there is no {self.grammar.symbols[symbol]} from word {start} to {end}.")

    def _leaf(self, place: int, symbol: int) -> _Part:
        lexicon = self.grammar.lexicon
        label = self.grammar.symbols[symbol].label
        if self.tags is not None:
            label = self.tags[place]
            if symbol not in lexicon.allowed[lexicon.number(label)]:
                raise ValueError(
                    f"{_NONE}: word {place} has the tag {quoted(label)}, and they take it for "
                    f"{self.grammar.symbols[symbol]}."
                )
        return _Part(symbol, place, place + 1, (Tree(label, (self.words[place],)),))

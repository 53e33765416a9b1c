"""Collects the rules of a grammar, gives them numbers, and lists the chains of unary rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from maxmargin.grammars.lexicon import Ints, Lexicon, word_class
from maxmargin.grammars.symbols import Application, Symbol

Chain: TypeAlias = tuple[int, ...]

MOST_CHAINS = 1_000_000
MOST_CHAIN_RULES = 10_000_000  # in all chains of a treebank and their parts: those of a chain of 390


class RuleTable:
    """Symbols, rules and chains in the order in which they are first met."""

    def __init__(self) -> None:
        self.symbols: dict[Symbol, int] = {}
        self.binary: dict[tuple[int, int, int], int] = {}
        self.unary: dict[tuple[int, int], int] = {}
        self.words: Counter[tuple[int, str]] = Counter()
        self.chains: dict[Chain, int] = {}
        self._chain_rules = 0

    def number(self, symbol: Symbol) -> int:
        return self.symbols.setdefault(symbol, len(self.symbols))

    def add(self, derivation: Sequence[Application]) -> None:
        """The rules of one tree, its chains and their parts."""
        for application in derivation:
            parent = self.number(application.parent)
            children = application.children
            if isinstance(children, str):
                self.words[parent, children] += 1
            elif len(children) == 1:
                self.unary.setdefault((parent, self.number(children[0])), len(self.unary))
            else:
                rule = (parent, self.number(children[0]), self.number(children[1]))
                self.binary.setdefault(rule, len(self.binary))
        for chain in chains_in(derivation):
            numbers = tuple(self.unary[self.symbols[a], self.symbols[b]] for a, b in chain)
            if numbers in self.chains:
                continue
            self._chain_rules += len(numbers) * (len(numbers) + 1) * (len(numbers) + 2) // 6
            if self._chain_rules > MOST_CHAIN_RULES:
                raise ValueError(
                    f"A tree has {len(numbers)} nodes with one child above each other, and the parts of all such "
                    f"chains have more than {MOST_CHAIN_RULES:,} rules; leave out trees with long ones."
                )
            for first in range(len(numbers)):
                for last in range(first, len(numbers)):
                    self.chains.setdefault(numbers[first : last + 1], len(self.chains))

    def close(self, length: int) -> None:
        """Adds all chains of at most ``length`` unary rules in which no symbol comes twice."""
        above: dict[int, list[tuple[int, int]]] = {}
        for (parent, child), rule in self.unary.items():
            above.setdefault(child, []).append((parent, rule))
        pairs = self.unary.items()
        grown: list[tuple[Chain, Chain]] = [((rule,), pair) for pair, rule in pairs if pair[0] != pair[1]]
        for _ in range(length):
            for chain, _symbols in grown:
                self.chains.setdefault(chain, len(self.chains))
            if len(self.chains) > MOST_CHAINS:
                raise ValueError(
                    f"There are more than {MOST_CHAINS:,} chains of {length} unary rules; allow shorter ones."
                )
            grown = [
                ((rule, *chain), (parent, *symbols))
                for chain, symbols in grown
                for parent, rule in above.get(symbols[0], ())
                if parent not in symbols
            ]

    def binary_rules(self) -> Ints:
        return np.array(list(self.binary), dtype=np.int32).reshape(-1, 3)

    def unary_rules(self) -> Ints:
        return np.array(list(self.unary), dtype=np.int32).reshape(-1, 2)

    def tag_lexicon(self, tags: Iterable[str]) -> Lexicon:
        """Tags are terminals, each the symbol of its name."""
        known = tuple(tags)
        own = [self.number(Symbol(tag)) for tag in known]
        offsets = [*range(len(known) + 1), 2 * len(known)]
        symbols = np.array([*own, *own], dtype=np.int32)
        return Lexicon(True, known, (), np.array(offsets, dtype=np.int32), symbols, np.full_like(symbols, -1))

    def word_lexicon(self, rare: int) -> tuple[Lexicon, Ints]:
        """Words are terminals, with the lexical rules (symbol, terminal); those seen up to ``rare`` times by class."""
        counts: Counter[str] = Counter()
        for (_, word), count in self.words.items():
            counts[word] += count
        known = tuple(word for word, count in counts.items() if count > rare)
        numbers = {word: number for number, word in enumerate(known)}
        classes: dict[str, int] = {}
        entries: dict[tuple[int, int], None] = {}
        for symbol, word in self.words:
            if word in numbers:
                entries[numbers[word], symbol] = None
            else:
                entries[len(known) + classes.setdefault(word_class(word), len(classes)), symbol] = None
        unknown = len(known) + len(classes)
        entries |= {(unknown, symbol): None for symbol, _ in self.words}
        rows = np.array(sorted(entries), dtype=np.int32).reshape(-1, 2)
        offsets = np.searchsorted(rows[:, 0], np.arange(unknown + 2)).astype(np.int32)
        first = len(self.binary) + len(self.unary)
        rules = np.arange(first, first + len(rows), dtype=np.int32)
        symbols = np.ascontiguousarray(rows[:, 1])
        lexicon = Lexicon(False, known, tuple(classes), offsets, symbols, rules)
        return lexicon, np.ascontiguousarray(rows[:, ::-1])


def chains_in(derivation: Sequence[Application]) -> Iterator[list[tuple[Symbol, Symbol]]]:
    """The maximal runs of unary rules in a derivation, from top to bottom."""
    run: list[tuple[Symbol, Symbol]] = []
    for application in derivation:
        if isinstance(application.children, tuple) and len(application.children) == 1:
            run.append((application.parent, application.children[0]))
        else:
            if run:
                yield run
            run = []
    if run:
        yield run

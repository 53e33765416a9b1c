"""Context-free grammars with binary, unary and lexical rules, and the way from trees to rules and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.input_checks import quoted
from maxmargin.grammars.given import check_options, checked_trees
from maxmargin.grammars.lexicon import Ints, Lexicon, Sentence, words_and_tags
from maxmargin.grammars.rule_table import Chain, RuleTable, chains_in
from maxmargin.grammars.rule_text import read_rules, rule_table
from maxmargin.grammars.symbols import Application, Symbol, applications
from maxmargin.grammars.tree import Tree
from maxmargin.grammars.undoing import tree_of


class NotDerivable(ValueError):
    """A tree that the rules of a grammar cannot derive."""


@dataclass(frozen=True, eq=False)
class Grammar:
    """A grammar whose rules have at most two symbols on the right.

    Rules are numbered: first the binary ones, then the unary ones, then the lexical ones. A *chain* is a sequence of
    unary rules, each below the one before; a span has at most one chain above its binary rule, word or tag. There
    are finitely many derivations then, and a tree has exactly one, unless it has a tag that the grammar does not know:
    that may be any tag, and each that rules allow is a derivation of the same tree.

    A derivation is an int32 array (n_rules_used, 4) with rows ``(rule, start, split, end)``: the number of the rule,
    the first word of its span, the first word of its right child (-1 for unary and lexical rules) and one past its
    last word. A rule stands before those below it, the left child before the right one.

    Parameters
    ----------
    symbols : the symbols, by number
    start : the number of the symbol above whole sentences
    wrapped : whether that symbol is above the root of every tree and is no part of it
    binary : int32 (n_binary, 3), the numbers of parent, left and right child
    unary : int32 (n_unary, 2), parent and child
    lexical : int32 (n_lexical, 2), symbol and terminal; none where tags are the input
    chains : the numbers of unary rules from top to bottom, counted from 0 within the unary rules
    lexicon : words or tags as terminals
    horizontal, vertical : what symbols remember, as in ``from_treebank``
    """

    symbols: tuple[Symbol, ...]
    start: int
    wrapped: bool
    binary: Ints
    unary: Ints
    lexical: Ints
    chains: tuple[Chain, ...]
    lexicon: Lexicon
    horizontal: int | None
    vertical: int

    @classmethod
    def from_treebank(
        cls,
        trees: Iterable[Any],
        *,
        horizontal: int | None = None,
        vertical: int = 1,
        input: str = "tags",
        chains: str | int = "seen",
        rare: int = 1,
    ) -> Grammar:
        """The grammar of all rules that occur in trees.

        Parameters
        ----------
        trees : trees, bracketed texts or trees of NLTK, without traces (``maxmargin.grammars.plain_tree``)
        horizontal : how many of the next children a symbol inside of a node with three or more children remembers; None
            is all of them, so that exactly the nodes of the treebank can be predicted
        vertical : 1 for plain labels, 2 for labels with that of the node above (parent annotation), and so on
        input : ``'tags'`` or ``'words'``
        chains : which unary rules may follow each other: ``'seen'`` for the chains of the treebank and their
            parts, or the number of rules up to which all are allowed that repeat no symbol, beside those seen
        rare : with words as input, words seen at most so many times are represented by their class
        """
        check_options(horizontal, vertical, input, chains, rare)
        given = checked_trees(trees)
        roots = Counter(tree.label for tree in given)
        # labels that know what is above them tell phrases from tags, but not the root, which has nothing above
        wrapped = len(roots) > 1 or (vertical > 1 and any(tag in roots for tree in given for _, tag in tree.tokens()))
        start = _free_label({node.label for tree in given for node in tree.nodes()}) if wrapped else given[0].label
        table = RuleTable()
        table.number(Symbol(start))
        tags: dict[str, None] = {}
        commonest = [tree.label for tree in given].index(roots.most_common(1)[0][0])  # its rule is the first
        for tree in [given[commonest], *given[:commonest], *given[commonest + 1 :]]:
            derivation = applications(Tree(start, [tree]) if wrapped else tree, horizontal, vertical)
            table.add(derivation)
            tags |= {a.parent.label: None for a in derivation if isinstance(a.children, str)}
        if not isinstance(chains, str):
            table.close(chains)
        return cls.from_table(table, wrapped, tags if input == "tags" else None, rare, horizontal, vertical)

    @classmethod
    def from_text(cls, text: str, *, chains: int = 8) -> Grammar:
        """The grammar that a text writes, one symbol and its alternatives per line: ``NP -> DT NN | NP PP``.

        The first symbol is the start, or that of a line ``%start NP``. Words are quoted (``NN -> 'dog'``) and alone on
        their side; where there are none, the symbols without rules are tags, which are then the input. A sharp begins a
        comment, and a backslash at the end of a line goes on with the next one. Probabilities in square brackets, as
        NLTK writes them, are left to ``PCFG.from_text``.

        ``chains``: how many unary rules may follow each other. They never repeat a symbol; a rule of a symbol to itself
        is left out.
        """
        check_options(None, 1, "tags", chains, 0)
        table, tags = rule_table(read_rules(text), chains)
        return cls.from_table(table, False, tags, 0, None, 1)

    @classmethod
    def from_table(
        cls,
        table: RuleTable,
        wrapped: bool,
        tags: Iterable[str] | None,
        rare: int,
        horizontal: int | None,
        vertical: int,
    ) -> Grammar:
        """The grammar of collected rules, whose first symbol is the start; ``tags`` are the input, or words if None."""
        if tags is None:
            lexicon, lexical = table.word_lexicon(rare)
        else:
            lexicon, lexical = table.tag_lexicon(tags), np.empty((0, 2), dtype=np.int32)
        return cls(
            symbols=tuple(table.symbols),
            start=0,
            wrapped=wrapped,
            binary=table.binary_rules(),
            unary=table.unary_rules(),
            lexical=lexical,
            chains=tuple(table.chains),
            lexicon=lexicon,
            horizontal=horizontal,
            vertical=vertical,
        )

    @property
    def n_rules(self) -> int:
        return len(self.binary) + len(self.unary) + len(self.lexical)

    @property
    def terminals(self) -> tuple[str, ...]:
        """The names of the terminals; see ``Lexicon``."""
        return self.lexicon.terminals

    @cached_property
    def chain_arrays(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The chains as arrays: the top symbol and the bottom symbol of each (n_chains,), offsets (n_chains + 1,), and
        the numbers of their rules among all rules, from top to bottom."""
        rules = [rule for chain in self.chains for rule in chain]
        offsets = np.cumsum([0, *(len(chain) for chain in self.chains)]).astype(np.int32)
        tops = np.array([self.unary[chain[0], 0] for chain in self.chains], dtype=np.int32)
        bottoms = np.array([self.unary[chain[-1], 1] for chain in self.chains], dtype=np.int32)
        return tops, bottoms, offsets, np.array(rules, dtype=np.int32) + np.int32(len(self.binary))

    @cached_property
    def bracket_labels(self) -> tuple[str, ...]:
        """The labels that nodes above tags can have."""
        return tuple(dict.fromkeys(self.symbols[p].label for p in self._node_parents if p >= 0))

    @cached_property
    def rule_brackets(self) -> Ints:
        """For each rule the number of the label of the node that it makes, int32 (n_rules,): -1 for rules of words,
        rules inside of a node with many children, and those of a symbol that is no part of trees."""
        numbers = {label: number for number, label in enumerate(self.bracket_labels)}
        labels = [numbers[self.symbols[p].label] if p >= 0 else -1 for p in self._node_parents]
        return np.array([*labels, *([-1] * len(self.lexical))], dtype=np.int32)

    @cached_property
    def _node_parents(self) -> list[int]:
        """Of binary and unary rules the parent, -1 where it makes no node of a tree."""
        none = {k for k, symbol in enumerate(self.symbols) if symbol.siblings is not None}
        none |= {self.start} if self.wrapped else set()
        return [-1 if p in none else p for p in [*self.binary[:, 0].tolist(), *self.unary[:, 0].tolist()]]

    @property
    def root_label(self) -> str:
        """The label of the root of trees, the commonest one where they differ: its rule is the first."""
        child = int(self.unary[self.unary[:, 0] == self.start][0, 1]) if self.wrapped else self.start
        return self.symbols[child].label

    def rule_name(self, rule: int) -> str:
        """A rule as text: ``NP -> DT NN``."""
        names = self.symbols
        first, second = len(self.binary), len(self.binary) + len(self.unary)
        if not 0 <= rule < self.n_rules:
            raise IndexError(f"There is no rule {rule}; the grammar has {self.n_rules}, counted from 0.")
        if rule < first:
            parent, left, right = self.binary[rule]
            return f"{names[parent]} -> {names[left]} {names[right]}"
        if rule < second:
            parent, child = self.unary[rule - first]
            return f"{names[parent]} -> {names[child]}"
        symbol, terminal = self.lexical[rule - second]
        return f"{names[symbol]} -> {self.terminals[terminal]!r}"

    def numbers(self, sentence: Sentence) -> Ints:
        """A sentence as terminal numbers, int32 (n_words,); what was never seen has a number too."""
        return self.lexicon.numbers(sentence)

    def rules_of(self, tree: Any, words: Sentence | None = None) -> Ints:
        """The derivation of a tree, int32 (n_rules_used, 4).

        ``words``: the sentence that the tree must be over, if it shall be checked. Raises ``NotDerivable`` where the
        grammar lacks a rule or a chain of the tree.
        """
        given = Tree.of(tree)
        tokens = given.tokens()
        if words is not None:
            self._check_words(tokens, words)
        top = self.symbols[self.start].label
        derivation = applications(Tree(top, [given]) if self.wrapped else given, self.horizontal, self.vertical)
        if derivation[0].parent != self.symbols[self.start]:
            raise NotDerivable(f"The tree has the root {given.label!r}, and the grammar starts with {top!r}.")
        self._check_tags(tokens)
        rows = [(self.rule(a), a.start, a.split, a.end) for a in derivation]
        for run in chains_in(derivation):
            self._check_chain(run)
        return np.array([row for row in rows if row[0] >= 0], dtype=np.int32).reshape(-1, 4)

    def tree(self, rows: npt.ArrayLike, words: Sentence) -> Tree:
        """The tree of a derivation over a sentence: the inverse of ``rules_of``.

        Where tags are the input they are those of the tree; sentences of tags alone have them for words too. Raises a
        ValueError where the rows are no derivation.
        """
        return tree_of(self, rows, words)

    @cached_property
    def rule_symbols(self) -> list[tuple[int, ...]]:
        """The numbers in each rule: parent and children, of lexical ones symbol, -1 and terminal."""
        rows = [tuple(row) for row in self.binary.tolist()] + [tuple(row) for row in self.unary.tolist()]
        return rows + [(symbol, -1, terminal) for symbol, terminal in self.lexical.tolist()]

    @cached_property
    def node_labels(self) -> list[str | None]:
        """For each rule the label of the node above what it makes, None where it is inside of a node with many
        children."""
        labels = [None if symbol.siblings is not None else symbol.label for symbol in self.symbols]
        return [labels[parent] for parent, *_ in self.rule_symbols]

    @cached_property
    def _rules(self) -> dict[tuple[int, ...], int]:
        return {row: number for number, row in enumerate(self.rule_symbols)}

    @cached_property
    def _symbol_numbers(self) -> dict[Symbol, int]:
        return {symbol: number for number, symbol in enumerate(self.symbols)}

    @cached_property
    def _chain_names(self) -> set[Chain]:
        return set(self.chains)

    def rule(self, application: Application) -> int:
        """The number of the rule that is applied, -1 for the tag of a word where tags are the input."""
        parent = self._symbol_numbers.get(application.parent, -1)
        if isinstance(application.children, str):
            if self.lexicon.by_tags:
                return -1
            key: tuple[int, ...] = (parent, -1, self.lexicon.number(application.children))
        else:
            key = (parent, *(self._symbol_numbers.get(child, -1) for child in application.children))
        rule = self._rules.get(key)
        if rule is None:
            raise NotDerivable(f"The tree has the rule {application}, which the grammar does not have.")
        return rule

    def _check_chain(self, run: Sequence[tuple[Symbol, Symbol]]) -> None:
        rules = [self._rules[tuple(self._symbol_numbers[symbol] for symbol in pair)] for pair in run]
        if tuple(rule - len(self.binary) for rule in rules) not in self._chain_names:
            symbols = [run[0][0], *(child for _, child in run)]
            repeats = len(set(symbols)) < len(symbols)
            remedy = "only chains of a treebank may repeat a symbol" if repeats else "allow longer chains"
            raise NotDerivable(
                f"The tree has the unary rules {' -> '.join(map(str, symbols))} above each other, which the grammar "
                f"allows one by one only; {remedy}."
            )

    def _check_tags(self, tokens: list[tuple[str, str]]) -> None:
        if not self.lexicon.by_tags:
            return
        for place, (_, tag) in enumerate(tokens):
            if self.lexicon.number(tag) == self.lexicon.unknown:
                raise NotDerivable(f"The grammar has no tag {tag!r}, which the tree has at word {place}.")

    def _check_words(self, tokens: list[tuple[str, str]], sentence: Sentence) -> None:
        words, tags = words_and_tags(sentence)
        if len(words) != len(tokens):
            raise ValueError(f"The tree is over {len(tokens)} words, and the sentence has {len(words)}.")
        if tags is None and self.lexicon.by_tags:
            if words == [word for word, _ in tokens] != [tag for _, tag in tokens]:
                raise ValueError(
                    "The sentence has words, and this grammar reads tags: give the tags or pairs (word, tag), or learn "
                    "a grammar with input='words'."
                )
            words, tags = [word for word, _ in tokens], words
        for place, (word, tag) in enumerate(tokens):
            if words[place] != word or (self.lexicon.by_tags and tags is not None and tags[place] != tag):
                own, other = (word, words[place]) if words[place] != word else (tag, tags[place] if tags else "")
                raise ValueError(f"At word {place} the tree has {quoted(own)}, and the sentence has {quoted(other)}.")


def _free_label(used: set[str]) -> str:
    label = "TOP"
    while label in used:
        label += "'"
    return label

"""Grammars written as text, one symbol and its alternatives per line: NP -> DT NN | NP PP [0.4]."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from maxmargin.core.input_checks import quoted
from maxmargin.grammars.rule_table import RuleTable
from maxmargin.grammars.symbols import Application, Symbol

_TOKEN = re.compile(r"""'[^']*'|"[^"]*"|\[[^\]]*\]|->|\||\#.*|[^\s|'"\[\]]+|\S""")


class TextRule(NamedTuple):
    """A rule as it is written: symbols on the right, or a word, and its probability if there is one."""

    line: int
    parent: str
    children: tuple[str, ...]
    word: str | None
    probability: float | None

    @property
    def is_loop(self) -> bool:
        """Whether the rule is one of a symbol to itself."""
        return self.children == (self.parent,)

    @property
    def applications(self) -> list[Application]:
        """The rules with at most two symbols on the right that it is made of; the first is its own."""
        if self.word is not None:
            return [Application(Symbol(self.parent), self.word, 0, -1, 1)]
        parts: list[Application] = []
        own = Symbol(self.parent)
        for first in range(max(1, len(self.children) - 1)):
            rest = self.children[first + 1 :]
            last = Symbol(self.parent, (), rest) if len(rest) > 1 else None
            below = (Symbol(self.children[first]), *([last] if last else map(Symbol, rest)))
            parts.append(Application(own, below, 0, -1 if len(below) == 1 else 1, 2))
            own = last or own
        return parts


def read_rules(text: str) -> list[TextRule]:
    """The rules in a text, those of the start symbol first. Words are quoted, a sharp begins a comment, a backslash at
    the end of a line goes on with the next one; raises a ValueError with the line of a fault."""
    found: list[TextRule] = []
    start: tuple[int, str] | None = None
    for number, line in _whole_lines(text):
        tokens = [token for token in _TOKEN.findall(line) if not token.startswith("#")]
        if not tokens:
            continue
        if tokens[0] == "%start" and tokens[1:2] != ["->"]:
            if len(tokens) != 2 or start is not None:
                raise ValueError(f"Line {number} is {quoted(line)}; the start is one symbol, such as %start S.")
            start = number, tokens[1]
            continue
        if len(tokens) < 3 or tokens[1] != "->" or _is_word(tokens[0]):
            raise ValueError(f"Line {number} is {quoted(line)}; a rule is written as NP -> DT NN.")
        alternatives: list[list[str]] = [[]]
        for token in tokens[2:]:
            if token == "|":
                alternatives.append([])
            else:
                alternatives[-1].append(token)
        found += [_rule(number, tokens[0], tokens_of) for tokens_of in alternatives]
    if not found:
        raise ValueError("The grammar has no rules; write one per line, such as S -> NP VP.")
    if start is not None and all(rule.parent != start[1] for rule in found):
        raise ValueError(f"Line {start[0]} names the start {quoted(start[1])}, which has no rules.")
    return found if start is None else sorted(found, key=lambda rule: rule.parent != start[1])


def _whole_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with the number of the first of those that they go on over."""
    begun, first = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        first = first or number
        begun += line.rstrip()
        if begun.endswith("\\"):
            begun = begun[:-1] + " "
            continue
        yield first, begun
        begun, first = "", 0
    if begun:
        yield first, begun


def rule_table(rules: list[TextRule], chains: int) -> tuple[RuleTable, list[str] | None]:
    """The rules collected, and the tags if these are the input: symbols without rules, where no rule has a word.

    Rules of a symbol to itself are left out: chains repeat no symbol.
    """
    table = RuleTable()
    table.number(Symbol(rules[0].parent))
    parents = {rule.parent for rule in rules}
    for rule in rules:
        if not rule.is_loop:
            table.add(rule.applications)
    table.close(chains)
    missing = [(rule, child) for rule in rules for child in rule.children if child not in parents]
    if any(rule.word is not None for rule in rules):
        if missing:
            rule, child = missing[0]
            raise ValueError(
                f"Line {rule.line} has the symbol {quoted(child)}, which has no rules; words are quoted, such as "
                "NN -> 'dog'."
            )
        return table, None
    if not missing:
        raise ValueError("The grammar never ends: every symbol has rules with symbols only; add words, or tags.")
    return table, list(dict.fromkeys(child for _, child in missing))


def _rule(number: int, parent: str, tokens: list[str]) -> TextRule:
    probability = None
    if tokens and tokens[-1].startswith("["):
        try:
            probability = float(tokens[-1][1:-1])
        except ValueError:
            probability = -1.0
        if not 0.0 < probability <= 1.0:
            raise ValueError(f"Line {number} has the probability {quoted(tokens[-1])}; it must be above 0, at most 1.")
        tokens = tokens[:-1]
    odd = next((token for token in tokens if token in ("->", "'", '"') or token[0] in "[]"), None)
    if odd is not None:
        raise ValueError(f"Line {number} has {quoted(odd)} where a symbol or a quoted word belongs.")
    if not tokens or tokens[0] in ("''", '""'):
        raise ValueError(f"Line {number} has an empty right-hand side for {quoted(parent)}; symbols need words.")
    words = [token for token in tokens if _is_word(token)]
    if words and len(tokens) > 1:
        raise ValueError(
            f"Line {number} has the word {words[0]} beside other symbols; give it a symbol of its own, such as X -> "
            f"{words[0]}."
        )
    return TextRule(number, parent, () if words else tuple(tokens), words[0][1:-1] if words else None, probability)


def _is_word(token: str) -> bool:
    return token[0] in "'\"" and len(token) > 1

"""Sentences of a grammar in the native core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from maxmargin import _core
from maxmargin.grammars.grammar import Grammar
from maxmargin.grammars.lexicon import Ints


def core_rules(grammar: Grammar) -> _core.GrammarRules:
    """The rules as charts read them."""
    _, _, first, rules = grammar.chain_arrays
    lexicon = grammar.lexicon
    return _core.GrammarRules(
        len(grammar.symbols),
        grammar.start,
        grammar.binary,
        grammar.unary,
        len(grammar.lexical),
        first,
        rules,
        lexicon.offsets,
        lexicon.symbols,
        lexicon.rules,
        grammar.rule_brackets,
    )


def core_sentences(grammar: Grammar, rules: _core.GrammarRules, X: Sequence[Any]) -> _core.Sentences:
    """Sentences as terminal numbers; raises an error that names the first that is none."""
    numbers = []
    for i, sentence in enumerate(X):
        try:
            numbers.append(grammar.numbers(sentence))
        except (TypeError, ValueError) as error:
            raise type(error)(f"Example {i}: {error}") from error
    first = np.cumsum([0, *map(len, numbers)], dtype=np.int64)
    return _core.Sentences(rules, first, np.concatenate([np.empty(0, dtype=np.int32), *numbers]))


def derivations_of(grammar: Grammar, X: Sequence[Any], y: Sequence[Any]) -> list[Ints]:
    """The rules of each tree over its sentence; raises an error that names the first that the grammar cannot derive."""
    found = []
    for i, (sentence, tree) in enumerate(zip(X, y, strict=True)):
        try:
            found.append(grammar.rules_of(tree, sentence))
        except (TypeError, ValueError) as error:
            raise type(error)(f"Example {i}: {error}") from error
    return found

"""Grammars to model files and back."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from maxmargin.fitting.estimator import FileParts
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.grammars.grammar import Grammar
from maxmargin.grammars.lexicon import Lexicon
from maxmargin.grammars.symbols import Symbol


def grammar_parts(grammar: Grammar) -> FileParts:
    """The rules as arrays, and the names of symbols and words as plain values."""
    lexicon = grammar.lexicon
    arrays = {
        "grammar_binary": grammar.binary,
        "grammar_unary": grammar.unary,
        "grammar_lexical": grammar.lexical,
        "grammar_chain_first": grammar.chain_arrays[2].astype(np.int64),
        "grammar_chain_rules": grammar.chain_arrays[3] - np.int32(len(grammar.binary)),
        "grammar_word_first": lexicon.offsets.astype(np.int64),
        "grammar_word_symbols": lexicon.symbols,
        "grammar_word_rules": lexicon.rules,
    }
    structure = {
        "symbols": [[symbol.label, symbol.parents, symbol.siblings] for symbol in grammar.symbols],
        "start": grammar.start,
        "wrapped": grammar.wrapped,
        "by_tags": lexicon.by_tags,
        "known": list(lexicon.known),
        "word_classes": list(lexicon.classes),
        "horizontal": grammar.horizontal,
        "vertical": grammar.vertical,
    }
    return FileParts(arrays, {"grammar": structure})


def restored_grammar(arrays: ModelArrays, structure: ModelValues) -> Grammar:
    """The grammar of a model file; whatever does not fit together is a ValueError."""
    values = ModelValues(structure["grammar"])
    symbols = _symbols(values["symbols"])
    count = len(symbols)
    binary = arrays.whole("grammar_binary", np.int32, None, 3, below=count)
    unary = arrays.whole("grammar_unary", np.int32, None, 2, below=count)
    known, classes = _texts(values["known"], "known"), _texts(values["word_classes"], "word_classes")
    terminals = len(known) + len(classes) + 1
    lexical = arrays.whole("grammar_lexical", np.int32, None, 2, below=max(count, terminals))
    if len(lexical) and (lexical[:, 0].max() >= count or lexical[:, 1].max() >= terminals):
        raise ValueError("grammar_lexical names a symbol or a word that the grammar does not have")
    n_rules = len(binary) + len(unary) + len(lexical)
    entries = arrays.whole("grammar_word_symbols", np.int32, None, below=count)
    rules = arrays.whole("grammar_word_rules", np.int32, len(entries), least=-1, below=max(n_rules, 1))
    first = arrays.offsets("grammar_word_first", terminals, len(entries)).astype(np.int32)
    by_tags = values.flag("by_tags")
    if ((rules >= 0) == by_tags).any() or (by_tags and (len(lexical) or classes)):
        raise ValueError("a grammar has rules of words where words are its input, and else none")
    horizontal = None if values["horizontal"] is None else values.count("horizontal")
    start = values.count("start")
    if start >= count:
        raise ValueError(f"the start is symbol {start}, and there are {count}")
    return Grammar(
        symbols=symbols,
        start=start,
        wrapped=values.flag("wrapped"),
        binary=binary,
        unary=unary,
        lexical=lexical,
        chains=_chains(arrays, unary),
        lexicon=Lexicon(by_tags, known, classes, first, entries, rules),
        horizontal=horizontal,
        vertical=values.count("vertical", least=1),
    )


def _chains(arrays: ModelArrays, unary: Any) -> tuple[tuple[int, ...], ...]:
    rules = arrays.whole("grammar_chain_rules", np.int32, None, below=max(len(unary), 1))
    first = arrays["grammar_chain_first"]
    if first.ndim != 1 or not first.size:
        raise ValueError("grammar_chain_first must say where chains begin")
    first = arrays.offsets("grammar_chain_first", first.size - 1, rules.size)
    chains = tuple(tuple(rules[a:b].tolist()) for a, b in pairwise(first.tolist()))
    if (len(rules) and not len(unary)) or not all(
        chain and all(unary[a, 1] == unary[b, 0] for a, b in pairwise(chain)) for chain in chains
    ):
        raise ValueError("the chains of unary rules must each have rules that follow each other")
    return chains


def _symbols(given: Any) -> tuple[Symbol, ...]:
    if not isinstance(given, list) or not given:
        raise ValueError("symbols must be a list")
    found = []
    for entry in given:
        if not isinstance(entry, list) or len(entry) != 3 or not isinstance(entry[0], str):
            raise ValueError(f"a symbol must be a label, the labels above and the next ones, not {entry!r:.80}")
        siblings = None if entry[2] is None else _texts(entry[2], "a symbol")
        found.append(Symbol(entry[0], _texts(entry[1], "a symbol"), siblings))
    if len(set(found)) != len(found):
        raise ValueError("symbols must be different")
    return tuple(found)


def _texts(given: Any, name: str) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
        raise ValueError(f"{name} must be a list of texts, not {given!r:.80}")
    return tuple(given)

"""Grammars in model files: back as they were, and damaged ones refused."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.grammars import Grammar
from maxmargin.grammars.model_file import grammar_parts, restored_grammar
from tree_cases import treebank, trees


def again(grammar):
    parts = grammar_parts(grammar)
    return restored_grammar(ModelArrays(parts.arrays), ModelValues(json.loads(json.dumps(parts.structure))))


@given(st.lists(trees(), min_size=1, max_size=3), st.sampled_from(["tags", "words"]), st.sampled_from([1, 2]))
def test_a_grammar_comes_back(bank, kind, vertical):
    grammar = Grammar.from_treebank(bank, input=kind, vertical=vertical, horizontal=1)
    other = again(grammar)
    for tree in bank:
        np.testing.assert_array_equal(other.rules_of(tree), grammar.rules_of(tree))
        assert other.tree(other.rules_of(tree), tree.tokens()) == tree
        np.testing.assert_array_equal(other.numbers(tree.tokens()), grammar.numbers(tree.tokens()))
    assert (other.symbols, other.chains, other.terminals) == (grammar.symbols, grammar.chains, grammar.terminals)
    assert (other.start, other.wrapped, other.horizontal, other.vertical) == (
        grammar.start,
        grammar.wrapped,
        grammar.horizontal,
        grammar.vertical,
    )


def damage(arrays, values, what):
    if isinstance(what, str) and what in arrays:
        arrays[what] = arrays[what].copy()
        arrays[what].flat[0] = 10**6
    elif what == "no chain":
        arrays["grammar_chain_first"] = np.zeros(0, dtype=np.int64)
    elif what == "chains that do not meet":
        arrays["grammar_chain_rules"] = arrays["grammar_chain_rules"][::-1].copy()
    else:
        name, value = what
        values["grammar"][name] = value


@pytest.mark.parametrize("kind", ["tags", "words"])
@pytest.mark.parametrize(
    "what",
    [
        "grammar_binary",
        "grammar_unary",
        "grammar_chain_first",
        "grammar_chain_rules",
        "grammar_word_first",
        "grammar_word_symbols",
        "grammar_word_rules",
        "no chain",
        "chains that do not meet",
        ("symbols", []),
        ("symbols", [["A", [], None]] * 40),
        ("symbols", [3]),
        ("start", 10**6),
        ("start", "S"),
        ("wrapped", 1),
        ("by_tags", "yes"),
        ("known", [1]),
        ("known", []),
        ("word_classes", None),
        ("horizontal", -1),
        ("vertical", 0),
    ],
    ids=str,
)
def test_damaged_parts_are_refused(kind, what):
    parts = grammar_parts(Grammar.from_treebank(treebank(), input=kind, vertical=2))
    arrays, values = dict(parts.arrays), json.loads(json.dumps(parts.structure))
    damage(arrays, values, what)
    with pytest.raises((ValueError, KeyError)):
        restored_grammar(ModelArrays(arrays), ModelValues(values))

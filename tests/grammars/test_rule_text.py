"""Grammars from text: NLTK reads the same rules; trees and rules are inverses; faults have lines."""

import nltk
import numpy as np
import pytest

from maxmargin.grammars import PCFG, Grammar, NotDerivable, Tree
from maxmargin.grammars.rule_text import read_rules

WORDS = """
S -> NP VP [0.9] | VP [0.1]
# a comment
NP -> DT JJ JJ NN [0.2] | DT NN [0.5] | 'Ann' [0.3]
VP -> V NP NP [0.3] | V NP [0.4] | V [0.3]
DT -> 'the' [1.0]
JJ -> 'old' [0.5] | "d'or" [0.5]
NN -> 'dog' [1.0]
V -> 'gives' [1.0]
"""
TREE = "(S (NP (DT the) (JJ old) (JJ d'or) (NN dog)) (VP (V gives) (NP Ann) (NP (DT the) (NN dog))))"


def test_nltk_reads_the_same_rules():
    theirs = nltk.PCFG.fromstring(WORDS)
    ours = read_rules(WORDS)
    assert {(str(p.lhs()), tuple(map(str, p.rhs())), p.prob()) for p in theirs.productions()} == {
        (rule.parent, rule.children or (rule.word,), rule.probability) for rule in ours
    }


def test_words_as_input():
    grammar = Grammar.from_text(WORDS)
    tree = Tree.from_text(TREE)
    rows = grammar.rules_of(tree, tree.words())
    assert grammar.tree(rows, tree.words()) == tree
    names = [grammar.rule_name(rule) for rule in rows[:, 0]]
    assert names[:4] == ["S -> NP VP", "NP -> DT NP|<JJ-JJ-NN>", "DT -> 'the'", "NP|<JJ-JJ-NN> -> JJ NP|<JJ-NN>"]
    assert not grammar.lexicon.by_tags
    assert {len(chain) for chain in grammar.chains} == {1, 2}
    assert len(Grammar.from_text(WORDS, chains=1).chains) == 2
    with pytest.raises(NotDerivable, match="root 'NP', and the grammar starts with 'S'"):
        grammar.rules_of("(NP Ann)")


def test_tags_as_input():
    grammar = Grammar.from_text("S -> NP VP\nNP -> DT NN\nVP -> V NP | V")
    assert grammar.lexicon.by_tags
    assert set(grammar.lexicon.known) == {"DT", "NN", "V"}
    tree = Tree.from_text("(S (NP (DT a) (NN dog)) (VP (V barks)))")
    assert grammar.tree(grammar.rules_of(tree), tree.tokens()) == tree


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no rules"),
        ("# nothing\n", "has no rules"),
        ("S NP VP", "Line 1 is 'S NP VP'; a rule is written as"),
        ("S ->", "Line 1 is 'S ->'"),
        ("S -> A\n'a' -> B", "Line 2 is"),
        ("S -> 'a' | ", "Line 1 has an empty right-hand side for 'S'"),
        ("S -> ''", "Line 1 has an empty right-hand side"),
        ("S -> A 'b'", "Line 1 has the word 'b' beside other symbols"),
        ("S -> A -> B", "Line 1 has '->' where a symbol"),
        ("S -> 'a", 'Line 1 has "\'" where a symbol'),
        ("S -> A [2]", r"Line 1 has the probability '\[2\]'"),
        ("S -> A [x]", r"Line 1 has the probability '\[x\]'"),
        ("S -> A [0.5] B", r"Line 1 has '\[0.5\]' where a symbol"),
        ("S -> A\nA -> 'a' | B", "Line 2 has the symbol 'B', which has no rules"),
        ("S -> A\nA -> S", "never ends"),
    ],
)
def test_faults_are_sentences_with_line_numbers(text, message):
    with pytest.raises(ValueError, match=message):
        Grammar.from_text(text)


def test_the_start_and_lines_that_go_on_are_read_as_nltk_reads_them():
    text = "%start NP\nDT -> 'the' [1.0]\nNP -> DT NN [0.4] \\\n  | NP PP \\\n [0.6]\nPP -> 'in' [1]\nNN -> 'dog' [1]\n"
    theirs = nltk.PCFG.fromstring(text)
    ours = read_rules(text)
    assert {(str(p.lhs()), tuple(map(str, p.rhs())), p.prob()) for p in theirs.productions()} == {
        (rule.parent, rule.children or (rule.word,), rule.probability) for rule in ours
    }
    grammar = Grammar.from_text(text)
    assert grammar.symbols[grammar.start].label == str(theirs.start()) == "NP"
    for odd, message in (
        ("%start\nS -> 'a'", "Line 1 is '%start'; the start is one symbol"),
        ("S -> 'a'\n%start A B", "Line 2 is"),
        ("S -> 'a'\n%start A", "Line 2 names the start 'A', which has no rules"),
        ("S -> 'a'\nA -> \\\n 'b' 'c'", "Line 2 has the word 'b' beside"),
    ):
        with pytest.raises(ValueError, match=message):
            Grammar.from_text(odd)


def test_rules_of_a_symbol_to_itself_are_left_out():
    """Chains repeat no symbol; the best tree and its probability are NLTK's, which never uses them either."""
    text = "S -> S [0.3] | A A [0.5] | 'a' [0.2]\nA -> A [0.1] | 'a' [0.6] | S [0.3]"
    grammar = Grammar.from_text(text)
    assert sorted(grammar.rule_name(rule) for rule in range(grammar.n_rules) if "'" not in grammar.rule_name(rule)) == [
        "A -> S",
        "S -> A A",
    ]
    model, words = PCFG.from_text(text), ["a"] * 4
    theirs = next(nltk.ViterbiParser(nltk.PCFG.fromstring(text)).parse(words))
    assert model.predict_kbest([words], 1)[0][0].score == pytest.approx(np.log(theirs.prob()))
    ranked = model.predict_kbest([["a", "a"]], 100)[0]
    assert len(ranked) == len({each.output for each in ranked}) == 4  # each A is a word or an S above one
    with pytest.raises(ValueError, match="never ends"):
        Grammar.from_text("S -> S")

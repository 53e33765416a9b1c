"""Grammars from treebanks: rules and back are exact inverses, and binarisation is that of NLTK."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree as NltkTree

from maxmargin.grammars import Grammar, NotDerivable, Tree
from maxmargin.grammars.undoing import best_trees
from tree_cases import TREEBANK, treebank, trees

OPTIONS = st.fixed_dictionaries(
    {
        "horizontal": st.sampled_from([None, 0, 1, 2]),
        "vertical": st.sampled_from([1, 2, 3]),
        "input": st.sampled_from(["tags", "words"]),
        "chains": st.sampled_from(["seen", 1, 3]),
        "rare": st.sampled_from([0, 1]),
    }
)


@given(st.lists(trees(), min_size=1, max_size=4), OPTIONS)
def test_derivations_and_trees_are_inverses(bank, options):
    grammar = Grammar.from_treebank(bank, **options)
    for tree in bank:
        rows = grammar.rules_of(tree, tree.tokens())
        assert grammar.tree(rows, tree.tokens()) == tree
        assert best_trees(grammar, [rows, rows], tree.tokens()) == [tree, tree]
        lengths = rows[:, 3] - rows[:, 1]
        binary = rows[:, 0] < len(grammar.binary)
        assert (rows[binary, 1] < rows[binary, 2]).all()
        assert (rows[binary, 2] < rows[binary, 3]).all()
        assert (rows[~binary, 2] == -1).all()
        assert np.count_nonzero(binary) == len(tree.words()) - 1
        assert (lengths[rows[:, 0] >= len(grammar.binary) + len(grammar.unary)] == 1).all()


@given(st.lists(trees(), min_size=1, max_size=3), st.sampled_from([None, 0, 1, 2]), st.sampled_from([1, 2, 3]))
def test_rules_are_those_of_the_binarised_trees_of_nltk(bank, horizontal, vertical):
    """NLTK binarises in place and writes what it remembers into the labels; so does str(symbol)."""
    grammar = Grammar.from_treebank(bank, horizontal=horizontal, vertical=vertical, input="words", rare=0)
    theirs = set()
    for tree in bank:
        other = NltkTree.fromstring(str(Tree("TOP", [tree]) if grammar.wrapped else tree))
        other.chomsky_normal_form(horzMarkov=horizontal, vertMarkov=vertical - 1)
        theirs |= {str(production) for production in other.productions()}
    ours = [grammar.rule_name(rule) for rule in range(grammar.n_rules)]
    assert {name for name in ours if not name.endswith("'<unknown>'")} == theirs


def test_tags_as_input():
    grammar = Grammar.from_treebank(treebank())
    assert grammar.wrapped
    assert str(grammar.symbols[grammar.start]) == "TOP"
    assert grammar.lexical.shape == (0, 2)
    assert "NP -> DT NP|<JJ-NN>" in {grammar.rule_name(rule) for rule in range(grammar.n_rules)}
    rows = grammar.rules_of(TREEBANK[0], ["DT", "NN", "VBZ"])
    assert [grammar.rule_name(rule) for rule in rows[:, 0]] == ["TOP -> S", "S -> NP VP", "NP -> DT NN", "VP -> VBZ"]
    assert rows[:, 1:].tolist() == [[0, -1, 3], [0, 2, 3], [0, 1, 2], [2, -1, 3]]
    assert str(grammar.tree(rows, ["DT", "NN", "VBZ"])) == "(S (NP (DT DT) (NN NN)) (VP (VBZ VBZ)))"


def test_one_kind_of_root_is_the_start():
    grammar = Grammar.from_treebank([TREEBANK[0], TREEBANK[1]])
    assert not grammar.wrapped
    assert str(grammar.symbols[grammar.start]) == "S"
    single = Grammar.from_treebank(["(NN dog)"])
    assert single.rules_of("(NN dog)").shape == (0, 4)
    assert single.tree([], ["NN"]) == Tree("NN", ["NN"])


def test_the_label_above_all_is_not_one_of_the_trees():
    bank = ["(TOP (NN a))", "(S (TOP (NN b)) (NN c))"]
    grammar = Grammar.from_treebank(bank)
    assert str(grammar.symbols[grammar.start]) == "TOP'"
    assert [str(grammar.tree(grammar.rules_of(tree), Tree.of(tree).tokens())) for tree in bank] == bank


def test_chains_of_unary_rules():
    bank = ["(A (B (C c)))", "(B (D (C c)))", "(D (A a))"]
    seen = Grammar.from_treebank(bank)
    names = {" ".join(str(seen.symbols[seen.unary[rule, 1]]) for rule in chain) for chain in seen.chains}
    assert names == {"A B C", "A B", "B C", "A", "B", "C", "B D C", "B D", "D C", "D", "D A"}
    tops, bottoms, offsets, rules = seen.chain_arrays
    for chain, (top, bottom) in enumerate(zip(tops, bottoms, strict=True)):
        own = rules[offsets[chain] : offsets[chain + 1]] - len(seen.binary)
        assert (seen.unary[own[0], 0], seen.unary[own[-1], 1]) == (top, bottom)
        assert tuple(own) == seen.chains[chain]
    everything = Grammar.from_treebank(bank, chains=4)
    assert all(len({everything.unary[c[0], 0], *everything.unary[list(c), 1]}) == len(c) + 1 for c in everything.chains)
    assert len({*everything.chains}) == len(everything.chains) == len(_simple_paths(everything, 4))
    with pytest.raises(NotDerivable, match="TOP -> A -> B -> D -> C above each other"):
        seen.rules_of("(A (B (D (C c))))")
    assert len(everything.rules_of("(A (B (D (C c))))")) == 4


def _simple_paths(grammar, length):
    edges = [tuple(row) for row in grammar.unary.tolist()]
    paths, grown = [], [(p, c) for p, c in edges if p != c]
    for _ in range(length):
        paths += grown
        grown = [(*path, c) for path in grown for p, c in edges if p == path[-1] and c not in path]
    return set(paths)


def test_unknown_words_and_tags():
    words = Grammar.from_treebank(treebank(), input="words")
    assert "the" in words.lexicon.known
    assert "barks" not in words.lexicon.known  # seen once
    names = words.terminals
    assert [names[t] for t in words.numbers(["the", "barks", "meows", "Éva", "9.5", "xyzzy-ing"])] == [
        "the",
        "<aa~s>",
        "<aa~s>",
        "<Aa>",
        "<unknown>",
        "<unknown>",
    ]
    entries = words.lexicon.offsets
    last = words.lexicon.symbols[entries[-2] : entries[-1]]
    assert {str(words.symbols[s]) for s in last} == {tag for tree in treebank() for _, tag in tree.tokens()}
    tags = Grammar.from_treebank(treebank())
    assert tags.numbers([("dog", "NN"), ("x", "NEVER")]).tolist() == [
        tags.lexicon.known.index("NN"),
        tags.lexicon.unknown,
    ]
    assert tags.numbers(["NN"]) == tags.numbers([("dog", "NN")])
    entries = tags.lexicon.offsets
    assert entries[-1] - entries[-2] == len(tags.lexicon.known)
    assert (tags.lexicon.rules == -1).all()


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ("(S (NP (NN dog)) (XP (NN cat)))", "rule S -> NP XP, which the grammar does not have"),
        ("(S (NP (DT a) (XX b)) (VP (VBZ barks)))", "no tag 'XX', which the tree has at word 1"),
        ("(XX dog)", "no tag 'XX', which the tree has at word 0"),
        ("(S (VP (VBZ barks)) (NP (NN dog)))", "rule S -> VP NP"),
    ],
)
def test_trees_that_cannot_be_derived(tree, message):
    with pytest.raises(NotDerivable, match=message):
        Grammar.from_treebank(treebank()).rules_of(tree)


def test_a_sentence_that_is_not_that_of_the_tree():
    grammar = Grammar.from_treebank(treebank())
    with pytest.raises(ValueError, match="over 3 words, and the sentence has 2"):
        grammar.rules_of(TREEBANK[0], ["DT", "NN"])
    with pytest.raises(ValueError, match=r"has words, and this grammar reads tags.*input='words'"):
        grammar.rules_of(TREEBANK[0], Tree.of(TREEBANK[0]).words())
    with pytest.raises(ValueError, match="At word 1 the tree has 'NN', and the sentence has 'JJ'"):
        grammar.rules_of(TREEBANK[0], ["DT", "JJ", "VBZ"])
    with pytest.raises(ValueError, match="At word 1 the tree has 'dog', and the sentence has 'cat'"):
        grammar.rules_of(TREEBANK[0], [("the", "DT"), ("cat", "NN"), ("barks", "VBZ")])
    with pytest.raises(ValueError, match="A sentence is empty"):
        grammar.numbers([])
    for wrong in ("the dog", [3], [("a", "b", "c")], [("a", "")], 5):
        with pytest.raises(TypeError, match="A sentence must be a list of tags"):
            grammar.numbers(wrong)


@given(st.data())
def test_rows_that_are_no_derivation(data):
    """A changed row either raises or is another tree with exactly these rows."""
    grammar = Grammar.from_treebank(treebank(), horizontal=1, chains=3)
    tree = data.draw(st.sampled_from(treebank()))
    rows = grammar.rules_of(tree)
    k, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, 3))
    rows[k, column] = data.draw(st.integers(-2, grammar.n_rules + 1))
    try:
        other = grammar.tree(rows, tree.tokens())
    except ValueError as error:
        if "no derivation" not in str(error):
            raise
    else:
        np.testing.assert_array_equal(grammar.rules_of(other), rows)


@pytest.mark.parametrize(
    ("bank", "options", "message"),
    [
        ([], {}, "There are no trees"),
        (["(S (NP (-NONE- *)) (VB go))"], {}, "Tree 0 has a trace at word 0"),
        (["(S (NN a))", "(S (NN a)"], {}, "Tree 1: line 1, column 1: this bracket is never closed"),
        (["(S the (NN a))"], {}, "Tree 0: The word 'the' shares the node 'S'"),
        ("(S (NN a))", {}, "must be a list of trees"),
        ([3], {}, "Tree 0: A tree must be"),
        (["(S (NN a))"], {"horizontal": -1}, "horizontal must be None or a whole number from 0"),
        (["(S (NN a))"], {"vertical": 0}, "vertical must be a whole number from 1"),
        (["(S (NN a))"], {"input": "letters"}, "input must be 'tags' or 'words', not 'letters'"),
        (["(S (NN a))"], {"chains": 0}, "chains must be 'seen' or a whole number from 1"),
        (["(S (NN a))"], {"rare": -1}, "rare must be a whole number from 0"),
    ],
)
def test_bad_treebanks(bank, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Grammar.from_treebank(bank, **options)


def test_rules_have_names():
    grammar = Grammar.from_treebank(["(S (A a) (B b))"], input="words", rare=0)
    assert [grammar.rule_name(k) for k in range(3)] == ["S -> A B", "A -> 'a'", "B -> 'b'"]
    with pytest.raises(IndexError, match="There is no rule 99"):
        grammar.rule_name(99)


def test_chains_of_hundreds_of_rules_are_refused_at_once():
    def tower(height):
        tree = Tree("T", ["a"])
        for k in range(height):
            tree = Tree(f"L{k}", [tree])
        return tree

    assert len(Grammar.from_treebank([tower(50)] * 3).chains) == 50 * 51 // 2
    begin = time.process_time()
    with pytest.raises(ValueError, match=r"2000 nodes with one child above each other, .* leave out trees"):
        Grammar.from_treebank([tower(2000)])
    assert time.process_time() - begin < 5.0


def test_a_number_of_chains_is_beside_those_seen():
    grammar = Grammar.from_treebank(["(S (A (B (C (X x)))))"], chains=1)
    assert max(map(len, grammar.chains)) == 4

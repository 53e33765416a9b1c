"""Trees: text in and out, NLTK in and out, spans, and bad input."""

import copy
import pickle

import pytest
from hypothesis import given
from nltk.tree import Tree as NltkTree

from maxmargin.grammars import Tree
from tree_cases import TREEBANK, trees

TREE = Tree("S", [Tree("NP", [Tree("DT", ["the"]), Tree("NN", ["dog"])]), Tree("VP", [Tree("VBZ", ["barks"])])])


@given(trees())
def test_text_is_read_again(tree):
    again = Tree.from_text(str(tree))
    assert again == tree
    assert hash(again) == hash(tree)
    assert eval(repr(tree)) == tree
    assert pickle.loads(pickle.dumps(tree)) == copy.deepcopy(tree) == tree


@given(trees())
def test_nltk_reads_and_writes_the_same(tree):
    theirs = NltkTree.fromstring(str(tree))
    assert Tree.of(theirs) == tree
    assert tree.to_nltk() == theirs
    assert tree.words() == theirs.leaves()
    assert tree.tokens() == theirs.pos()


@given(trees())
def test_spans_are_those_of_the_nodes(tree):
    words = tree.words()
    spans = tree.spans()
    for node, span in zip(tree.nodes(), spans, strict=True):
        assert span.label == node.label
        assert words[span.start : span.end] == node.words()


@given(trees(), trees())
def test_equal_trees_have_equal_texts(a, b):
    assert (a == b) == (str(a) == str(b))
    assert (a != b) == (str(a) != str(b))


def test_a_tree_is_a_value():
    assert len({TREE, Tree.of(TREEBANK[0]), Tree("S", ["x"])}) == 2
    assert TREE != "S"
    with pytest.raises(AttributeError, match="cannot be changed"):
        TREE.label = "X"
    assert Tree("NP", TREE.children[0].children).children == TREE.children[0].children
    assert not TREE.is_tag
    assert TREE.children[0].children[0].is_tag


def test_brackets_and_white_space_in_words_are_escaped():
    assert str(Tree("A B", ["(", "x y", ")"])) == "(A_B -LRB- x_y -RRB-)"


def test_deep_trees_need_no_recursion():
    tree = Tree("T", ["w"])
    other = Tree("T", ["v"])
    for _ in range(20_000):
        tree, other = Tree("X", [tree]), Tree("X", [other])
    assert Tree.from_text(str(tree)) == tree
    assert hash(Tree.from_text(str(tree))) == hash(tree)
    assert tree != other
    assert len(tree.spans()) == 20_001
    assert tree.tokens() == [("w", "T")]
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert copy.deepcopy([tree]) == [tree]
    assert copy.copy(tree) is tree


def test_pickles_keep_the_order_of_words_and_nodes():
    tree = Tree("S", ["a", Tree("X", [Tree("Y", ["b"]), "c", Tree("Z", ["d", "e"])]), Tree("X", ["f"]), "g"])
    again = pickle.loads(pickle.dumps(tree))
    assert (again, again.words(), again.spans()) == (tree, tree.words(), tree.spans())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("S", []), "'S' has no children"),
        (("S", "dog"), "must be a sequence of trees and words, not 'dog'"),
        (("S", None), "must be a sequence"),
        (("S", [1]), "child of 'S' must be a tree or a word, not 1"),
        (("S", [""]), "must be a tree or a word, not ''"),
        ((3, ["a"]), "label of a tree must be a string, not 3"),
    ],
)
def test_what_is_no_tree(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Tree(*arguments)


def test_what_stands_for_no_tree():
    for wrong in (3, None, ["a"], NltkTree("S", [("dog", "NN")])):
        with pytest.raises(TypeError, match="must be a Tree, bracketed text or a tree of NLTK"):
            Tree.of(wrong)
    with pytest.raises(ValueError, match="'S' has no children"):
        Tree.of(NltkTree("S", []))
    with pytest.raises(ValueError, match="'the' shares the node 'NP' with others"):
        Tree.of("(NP the (NN dog))").tokens()


def test_words_between_nodes_are_in_their_order():
    assert Tree.from_text("(S a (NP b) c (VP (VB d) e))").words() == ["a", "b", "c", "d", "e"]

"""Steps that clean trees of the Penn treebank."""

import pytest

from maxmargin.grammars import (
    Tree,
    plain_tree,
    without_empty_nodes,
    without_function_tags,
    without_indices,
    without_repeats,
)
from maxmargin.grammars.penn import without_function_tag, without_index

TREE = Tree.from_text(
    "(S (NP-SBJ-1 (-LRB- -LRB-) (NP (NN-x dog) (NP (-NONE- *))))"
    " (VP=2 (VBD was) (VP (VBN seen) (NP (-NONE- *-1)))) (. .))"
)


def test_each_step():
    assert str(without_empty_nodes(TREE)) == (
        "(S (NP-SBJ-1 (-LRB- -LRB-) (NP (NN-x dog))) (VP=2 (VBD was) (VP (VBN seen))) (. .))"
    )
    assert str(without_function_tags(TREE)) == (
        "(S (NP (-LRB- -LRB-) (NP (NN-x dog) (NP (-NONE- *)))) (VP (VBD was) (VP (VBN seen) (NP (-NONE- *-1)))) (. .))"
    )
    assert str(without_repeats(Tree.from_text("(S (NP (NP (NP (NN a)))) (X (X x)) (VP (S (VP (V b)))))"))) == (
        "(S (NP (NN a)) (X (X x)) (VP (S (VP (V b)))))"
    )


def test_labels_that_begin_with_a_hyphen_stay():
    labels = ["-LRB-", "-NONE-", "=X-1", "NP", "NP-SBJ-1", "NP=2", "WHNP-1=3", ""]
    assert [*map(without_function_tag, labels)] == ["-LRB-", "-NONE-", "=X-1", "NP", "NP", "NP", "WHNP", ""]


def test_all_steps():
    tree = Tree.from_text("(S (NP-SBJ (NP (NN dog)) (SBAR (-NONE- 0))) (VP-TMP (VBD ran)))")
    assert str(plain_tree(tree)) == "(S (NP (NN dog)) (VP (VBD ran)))"
    assert plain_tree(plain_tree(TREE)) == plain_tree(TREE)


def test_a_tree_of_traces():
    with pytest.raises(ValueError, match="has no words but traces"):
        without_empty_nodes(Tree.from_text("(S (NP (-NONE- *)))"))


def test_numbers_beside_function_tags():
    labels = ["NP-SBJ-1", "NP-SBJ", "NP=2", "WHNP-1=3", "NP-101", "-LRB-", "-1", "X-1-Y", "QP1", ""]
    found = ["NP-SBJ", "NP-SBJ", "NP", "WHNP", "NP", "-LRB-", "-1", "X-1-Y", "QP1", ""]
    assert [*map(without_index, labels)] == found
    assert str(without_indices("(S-TPC-1 (NP-SBJ-12 (NN-1 a)) (VP=2 (V b)))")) == "(S-TPC (NP-SBJ (NN-1 a)) (VP (V b)))"
    assert str(plain_tree("(S (NP-SBJ-1 (NN a)) (VP (V b) (S (-NONE- *-1))))", function_tags=True)) == (
        "(S (NP-SBJ (NN a)) (VP (V b)))"
    )

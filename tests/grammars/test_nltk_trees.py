"""Trees of NLTK, and bracketed texts, wherever trees are taken."""

import pytest
from nltk.tree import Tree as NltkTree

from maxmargin.datasets import make_treebank
from maxmargin.grammars import (
    PCFG,
    Grammar,
    Tree,
    plain_tree,
    read_trees,
    without_empty_nodes,
    without_function_tags,
    without_repeats,
    write_trees,
)
from maxmargin.grammars.parseval import bracket_score, brackets_of

TEXT = "(S (NP-SBJ (NP-SBJ (NN dog) (NP (-NONE- *)))) (VP (VBZ barks)))"
FORMS = pytest.mark.parametrize("form", [NltkTree.fromstring, str], ids=["nltk", "text"])


@FORMS
@pytest.mark.parametrize("step", [plain_tree, without_empty_nodes, without_function_tags, without_repeats])
def test_cleaning(step, form):
    assert step(form(TEXT)) == step(Tree.from_text(TEXT))


@FORMS
def test_pictures(form):
    tree = plain_tree(TEXT)
    other = "(S (NN dog) (VP (VBZ barks)))"
    assert tree.text(against=form(other)) == tree.text(against=Tree.from_text(other))
    assert " *" in tree.text(against=form(other))
    assert tree.svg(against=form(other)) == tree.svg(against=Tree.from_text(other))


@FORMS
def test_files(form, tmp_path):
    trees = make_treebank(20)
    write_trees(tmp_path / "a.mrg", [form(str(tree)) for tree in trees])
    assert len((tmp_path / "a.mrg").read_text().splitlines()) == 20
    assert read_trees(tmp_path / "a.mrg") == trees


@FORMS
def test_grammars_parsers_and_scores(form):
    trees = make_treebank(20)
    given = [form(str(tree)) for tree in trees]
    X = [tree.tokens() for tree in trees]
    grammar = Grammar.from_treebank(given)
    assert (grammar.rules_of(given[3]) == grammar.rules_of(trees[3])).all()
    model = PCFG().fit(X, given)
    assert model.score(X, given) == model.score(X, trees)
    assert bracket_score(given, given).f1 == 1.0
    assert brackets_of(given[0]) == brackets_of(trees[0])


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        (["(S (NN a))", 3, None], "Tree 1: A tree must be a Tree, bracketed text or a tree of NLTK, not 3"),
        ([None], "Tree 0: A tree must be"),
        (["(S (NN a))", "(S"], "Tree 1: line 1, column 1: this bracket is never closed"),
        (TEXT, "must be a list of trees, not one of them"),
        (Tree.from_text(TEXT), "must be a list of trees, not one of them"),
        (NltkTree.fromstring(TEXT), "must be a list of trees, not one of them"),
        (3, "must be a list of trees, not 3"),
    ],
)
def test_what_is_no_list_of_trees(tmp_path, trees, message):
    path = tmp_path / "a.mrg"
    for take in (lambda: write_trees(path, trees), lambda: Grammar.from_treebank(trees)):
        with pytest.raises((TypeError, ValueError), match=message):
            take()
    assert not path.exists()


def test_an_error_of_a_cleaning_step_is_a_sentence():
    with pytest.raises(TypeError, match="A tree must be a Tree, bracketed text or a tree of NLTK, not 3"):
        plain_tree(3)
    with pytest.raises(ValueError, match=r"The tree \(S \(-NONE- \*\)\) has no words but traces"):
        plain_tree(NltkTree.fromstring("(S (-NONE- *))"))

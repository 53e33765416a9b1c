"""Files of bracketed trees: what is read, and the line and column of what is wrong."""

import gzip

import pytest

from maxmargin.grammars import Tree, iter_trees, read_trees, write_trees
from maxmargin.grammars.brackets import parse_trees
from tree_cases import TREEBANK, treebank

PENN = """
( (S
    (NP-SBJ (DT The) (NN café) )
    (VP (VBZ opens)
      (NP (-NONE- *T*-1) ))
    (. .) ))
( (S (X y)) (Z z))
(NP (NN dog))(NP (NN cat))
"""


@pytest.mark.parametrize("name", ["trees.mrg", "trees.mrg.gz"])
def test_trees_over_several_lines(tmp_path, name):
    path = tmp_path / name
    data = b"\xef\xbb\xbf" + PENN.replace("\n", "\r\n").encode()
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    first, second, third, fourth = read_trees(path)
    assert str(first) == "(S (NP-SBJ (DT The) (NN café)) (VP (VBZ opens) (NP (-NONE- *T*-1))) (. .))"
    assert second == Tree("", [Tree("S", [Tree("X", ["y"])]), Tree("Z", ["z"])])
    assert [str(third), str(fourth)] == ["(NP (NN dog))", "(NP (NN cat))"]


@pytest.mark.parametrize("name", ["out.mrg", "out.mrg.gz"])
def test_written_trees_are_read(tmp_path, name):
    write_trees(tmp_path / name, treebank())
    assert read_trees(tmp_path / name) == treebank()
    assert parse_trees("\n".join(TREEBANK)) == treebank()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (NP (NN dog))", "line 1, column 1: this bracket is never closed"),
        ("(S (NN a))\n(S\n  (NP (NN dog)", "line 3, column 3: this bracket is never closed"),
        ("(S (NN dog)))", "line 1, column 13: a closing bracket without an opening one"),
        ("(NN a)\n dog (NN b)", "line 2, column 2: 'dog' stands outside of all brackets"),
        ("(S (NP) (NN a))", "line 1, column 4: the node 'NP' has no children"),
        ("(S\n ())", "line 2, column 2: an empty tree"),
        ("()", "line 1, column 1: an empty tree"),
        ("(S ((NP (NN a))))", "line 1, column 4: a bracket without a label"),
        ("\n\n", "holds no trees"),
    ],
)
def test_faults_have_line_and_column(tmp_path, text, message):
    path = tmp_path / "bad.mrg"
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"bad\.mrg.*{message}"):
        list(iter_trees(path))


def test_a_file_of_another_encoding(tmp_path):
    path = tmp_path / "latin.mrg"
    path.write_bytes("(NN café)".encode("latin-1"))
    with pytest.raises(ValueError, match=r"line 1 is not utf-8"):
        read_trees(path)
    assert read_trees(path, encoding="latin-1") == [Tree("NN", ["café"])]


def test_one_tree_is_one_tree():
    for text, count in (("", 0), ("(A a) (B b)", 2)):
        with pytest.raises(ValueError, match=f"One tree in brackets is expected.* has {count}"):
            Tree.from_text(text)

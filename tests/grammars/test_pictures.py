"""Trees drawn as text and as SVG."""

import xml.etree.ElementTree as Xml

import pytest
from hypothesis import given

from maxmargin.grammars import Tree
from tree_cases import trees

SVG = "{http://www.w3.org/2000/svg}"
TREE = Tree.from_text("(S (NP (DT the) (NN <dog>)) (VP (VBZ barks)))")
OTHER = Tree.from_text("(S (NP (DT the)) (VP (NN <dog>) (VBZ barks)))")


def test_text():
    assert TREE.text().split("\n") == [
        "S",
        "├─ NP",
        "│  ├─ DT the",
        "│  └─ NN <dog>",
        "└─ VP",
        "   └─ VBZ barks",
    ]
    assert [line for line in TREE.text(against=OTHER).split("\n") if "*" in line] == ["├─ NP *", "└─ VP *"]


def test_wrong_nodes_are_red():
    root = Xml.fromstring(TREE.svg(against=OTHER))
    assert [node.text for node in root.iter(f"{SVG}text") if node.get("fill") == "#c0392b"] == ["NP", "VP"]
    assert TREE._repr_svg_() == TREE.svg()


@pytest.mark.parametrize("word", ["a\x0cb", "a\x00b", "\x1c", "a\ud800", "\ufffe", "\x7f", "é<>&\"'😀"])
def test_every_word_makes_well_formed_xml(word):
    root = Xml.fromstring(Tree("S", [Tree("NN", [word])]).svg().encode())
    shown = [node.text for node in root.iter(f"{SVG}text")][-1]
    assert len(shown) == len(word)
    assert shown == word or "\ufffd" in shown


@given(trees())
def test_every_node_is_drawn_above_its_words(tree):
    root = Xml.fromstring(tree.svg())
    drawn = list(root.iter(f"{SVG}text"))
    nodes = [node for node in drawn if not node.get("font-style")]
    words = [node for node in drawn if node.get("font-style")]
    assert [node.text for node in nodes] == [node.label for node in tree.nodes()]
    assert [node.text for node in words] == tree.words()
    assert len(list(root.iter(f"{SVG}line"))) == len(drawn) - 1
    places = [float(word.get("x")) for word in words]
    assert places == sorted(set(places))
    for node, (_, start, end) in zip(nodes, tree.spans(), strict=True):
        assert places[start] - 1 <= float(node.get("x")) <= places[end - 1] + 1
    assert all(0 < float(node.get("x")) < float(root.get("width")) for node in drawn)
    assert len(tree.text().split("\n")) == sum(1 for _ in tree.nodes())

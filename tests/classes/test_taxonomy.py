"""Taxonomies: every form in which they are given, against networkx, and what is wrong with bad ones."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin.classes.taxonomies import Taxonomy, as_taxonomy, taxonomy_losses

QUICK = settings(max_examples=100)


def random_edges(seed: int, nodes: int, parents: int) -> list[tuple[int, int]]:
    """Node 0 is above all; others have up to so many parents, and labels are shuffled."""
    rng = np.random.default_rng(seed)
    name = rng.permutation(nodes).tolist()
    edges = []
    for z in range(1, nodes):
        above = set(rng.integers(0, z, int(rng.integers(1, parents + 1))).tolist())
        edges += [(name[p], name[z]) for p in above]
    rng.shuffle(edges)
    return [(int(a), int(b)) for a, b in edges]


EDGES = st.builds(random_edges, seed=st.integers(0, 10**6), nodes=st.integers(2, 14), parents=st.integers(1, 3))


@given(edges=EDGES)
@QUICK
def test_orders_heights_and_ancestors_are_those_of_networkx(edges):
    networkx = pytest.importorskip("networkx", reason="networkx, of the extra [test], is the judge here")
    graph = networkx.DiGraph(edges)
    taxonomy = Taxonomy(edges)
    assert set(taxonomy.nodes) == set(graph.nodes)
    assert sorted(taxonomy.edges()) == sorted(edges)
    place = {label: number for number, label in enumerate(taxonomy.nodes)}
    assert all(place[a] < place[b] for a, b in edges)
    assert taxonomy.is_tree == networkx.is_arborescence(graph)
    assert {taxonomy.nodes[z] for z in taxonomy.leaves} == {z for z in graph if graph.out_degree(z) == 0}
    assert {taxonomy.nodes[z] for z in taxonomy.roots} == {z for z in graph if graph.in_degree(z) == 0}
    for label in taxonomy.nodes:
        assert set(taxonomy.ancestors(label)) == networkx.ancestors(graph, label) | {label}
        assert set(taxonomy.parents(label)) == set(graph.predecessors(label))
        below = graph.subgraph(networkx.descendants(graph, label) | {label})
        assert taxonomy.heights[place[label]] == networkx.dag_longest_path_length(below)
        above = graph.subgraph(networkx.ancestors(graph, label) | {label})
        assert taxonomy.depths[place[label]] == networkx.dag_longest_path_length(above)
    assert Taxonomy.from_graph(graph) == Taxonomy(graph.edges(), graph.nodes())


@given(edges=EDGES)
@QUICK
def test_losses_are_those_of_brute_force(edges):
    networkx = pytest.importorskip("networkx", reason="networkx, of the extra [test], is the judge here")
    taxonomy, graph = Taxonomy(edges), networkx.DiGraph(edges)
    up = dict(networkx.all_pairs_shortest_path_length(graph.reverse()))
    height = dict(zip(taxonomy.nodes, taxonomy.heights.tolist()))
    truths, answers = zip(*[(a, b) for a in graph for b in graph])
    by_height = taxonomy_losses(taxonomy, truths, answers)
    by_path = taxonomy_losses(taxonomy, truths, answers, "path")
    for truth, answer, one, other in zip(truths, answers, by_height, by_path):
        common = up[truth].keys() & up[answer].keys()
        assert one == (0 if truth == answer else min(height[z] for z in common))
        assert other == min(up[truth][z] + up[answer][z] for z in common)
    wrong = taxonomy_losses(taxonomy, truths, answers, "zero-one")
    np.testing.assert_array_equal(wrong, [a != b for a, b in zip(truths, answers)])
    if taxonomy.is_tree:
        for truth, answer, loss in zip(truths, answers, by_height):
            if truth != answer:
                assert loss == height[networkx.lowest_common_ancestor(graph, truth, answer)]


FAMILY = {"animal": {"cat": {"lynx": None, "lion": {}}, "dog": None}, "plant": ["oak", "ash"]}
EDGES_OF_FAMILY = [
    ("root", "animal"),
    ("root", "plant"),
    ("animal", "cat"),
    ("animal", "dog"),
    ("plant", "oak"),
    ("plant", "ash"),
    ("cat", "lynx"),
    ("cat", "lion"),
]
LEAVES = ("lynx", "lion", "dog", "oak", "ash")


@pytest.mark.parametrize(
    "form",
    [
        FAMILY,
        EDGES_OF_FAMILY,
        np.array(EDGES_OF_FAMILY),
        {child: parent for parent, child in EDGES_OF_FAMILY},
        {"root": None, **{child: parent for parent, child in EDGES_OF_FAMILY}},
        {"root": FAMILY},
        Taxonomy(EDGES_OF_FAMILY),
    ],
    ids=["nested", "edges", "array of edges", "parents", "parents with a root", "one key", "itself"],
)
def test_every_form_gives_the_same_tree(form):
    taxonomy = as_taxonomy(form, LEAVES)
    assert taxonomy.is_tree
    assert sorted(taxonomy.edges()) == sorted(EDGES_OF_FAMILY)
    assert taxonomy.ancestors("lion") == ("root", "animal", "cat", "lion")
    assert {taxonomy.nodes[z] for z in taxonomy.leaves} == set(LEAVES)


@pytest.mark.parametrize(("separator", "given_"), [(".", "."), ("/", "/"), ("::", "::")])
def test_names_with_parts(separator, given_):
    names = [separator.join(parts) for parts in (("a", "b", "c"), ("a", "b", "d"), ("a", "e"), ("f",))]
    taxonomy = as_taxonomy(given_, names)
    assert taxonomy.ancestors(names[1]) == ("root", "a", f"a{separator}b", names[1])
    np.testing.assert_array_equal(taxonomy_losses(taxonomy, [names[0]] * 4, names), [0, 1, 2, 3])
    np.testing.assert_array_equal(taxonomy_losses(taxonomy, [names[0]] * 4, names, "path"), [0, 2, 3, 4])


def test_numbers_of_parents():
    taxonomy = as_taxonomy([-1, 0, 0, 1, 1], range(5))
    assert taxonomy == as_taxonomy(np.array([-1, 0, 0, 1, 1]), range(5))
    assert taxonomy.ancestors(4) == (0, 1, 4)
    assert Taxonomy.from_parents({"c": ["a", "b"], "b": "a"}).parents("c") == ("a", "b")


def test_no_taxonomy_is_one_level():
    taxonomy = as_taxonomy(None, ["b", "a", "b", "root"])
    assert taxonomy.nodes == ("(root)", "b", "a", "root")
    assert taxonomy.heights.tolist() == [1, 0, 0, 0]


def test_equality_copies_and_pickles():
    taxonomy = Taxonomy(EDGES_OF_FAMILY)
    for copied in (copy.deepcopy(taxonomy), pickle.loads(pickle.dumps(taxonomy)), Taxonomy(taxonomy.edges())):
        assert copied == taxonomy
        assert hash(copied) == hash(taxonomy)
    assert taxonomy != Taxonomy(EDGES_OF_FAMILY[:-1])
    assert taxonomy != "tree"
    assert repr(taxonomy) == "Taxonomy(tree of 9 nodes, 5 leaves, height 3)"
    assert "cat" in taxonomy
    assert "cow" not in taxonomy


BAD = [
    (lambda: Taxonomy([("a", "b"), ("b", "c"), ("c", "b")]), r"a cycle, 'b' -> 'c' -> 'b'.*remove one"),
    (lambda: Taxonomy([("a", "a")]), r"a cycle, 'a' -> 'a'"),
    (lambda: Taxonomy([]), "empty"),
    (lambda: Taxonomy([("a", "b", "c")]), r"Edge 0 of the taxonomy is \('a', 'b', 'c'\)"),
    (lambda: Taxonomy(["ab"]), "Edge 0 of the taxonomy is 'ab'"),
    (lambda: Taxonomy([("a", ["b"])]), r"\['b'\]; labels must be hashable"),
    (lambda: Taxonomy([("a", None)]), "is None; give every node a label"),
    (lambda: Taxonomy([("a", float("nan"))]), "is nan; give every node a label"),
    (lambda: Taxonomy.from_parents([0, 5]), "The parent of node 1 is 5"),
    (lambda: Taxonomy.from_parents([0.5]), "one number for each node"),
    (lambda: Taxonomy.from_parents([-1, 2, 1]), r"a cycle, 1 -> 2 -> 1|a cycle, 2 -> 1 -> 2"),
    (lambda: Taxonomy.from_nested({"a": 3}), "Below 'a' the nested taxonomy has 3"),
    (lambda: Taxonomy.from_nested({"root": None, "b": None}), "'root' is a node of the taxonomy already.*root="),
    (lambda: Taxonomy.from_names(["a..b"]), r"The name 'a\.\.b' has an empty part"),
    (lambda: Taxonomy.from_names([3]), "The name 3 is not a string"),
    (lambda: Taxonomy.from_names(["a"], ""), "separator must be"),
    (lambda: Taxonomy.from_names(["root.a"]), "'root' is a node of the taxonomy already"),
    (lambda: Taxonomy.from_graph(3), "networkx DiGraph, not int"),
    (lambda: as_taxonomy(["a.b", "a.c"], ["a.b"]), "The taxonomy is a list, which is none of the forms"),
    (lambda: as_taxonomy(3, ["a"]), "The taxonomy is a int"),
    (lambda: Taxonomy(EDGES_OF_FAMILY).number("cow"), "'cow' is not a node of the taxonomy"),
    (lambda: Taxonomy(EDGES_OF_FAMILY).number(["cow"]), r"\['cow'\] is not a node of the taxonomy"),
    (
        lambda: taxonomy_losses(Taxonomy([("a", "b"), ("c", "d")]), ["b"], ["d"]),
        "2 roots, 'a' and 'c' among them, and the loss 'height' needs one.*add a node above",
    ),
    (lambda: taxonomy_losses(Taxonomy([("a", "b")]), ["b"], ["b"], "width"), "loss must be one of .* not 'width'"),
    (lambda: taxonomy_losses(Taxonomy([("a", "b")]), ["b"], ["b", "a"]), "1 true and 2 predicted labels"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_what_is_wrong_is_said(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_an_undirected_graph_is_refused():
    networkx = pytest.importorskip("networkx", reason="networkx, of the extra [test], makes the graph")
    with pytest.raises(ValueError, match="not directed"):
        as_taxonomy(networkx.Graph([("a", "b")]), ["b"])
    assert as_taxonomy(networkx.DiGraph([("a", "b")]), ["b"]).edges() == [("a", "b")]


def test_compact_leaves_out_what_has_one_child():
    names = ["a.b.c", "a.b.d", "e.f.g", "h"]
    taxonomy = Taxonomy.from_names(names).compact()
    assert sorted(taxonomy.edges()) == [
        ("a.b", "a.b.c"),
        ("a.b", "a.b.d"),
        ("root", "a.b"),
        ("root", "e.f.g"),
        ("root", "h"),
    ]
    assert "e.f" in Taxonomy.from_names(names).compact(keep=["e.f"])
    assert Taxonomy([("a", "b"), ("b", "c"), ("b", "d")]).compact().edges() == [("b", "c"), ("b", "d")]
    both = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("b", "d"), ("c", "e")]).compact()
    assert sorted(both.edges()) == [("b", "d"), ("b", "e"), ("r", "b"), ("r", "e")]
    assert Taxonomy([("a", "b"), ("b", "c")]).compact().nodes == ("c",)
    with pytest.raises(ValueError, match="'x' is not a node"):
        taxonomy.compact(keep=["x"])


@given(edges=EDGES)
@QUICK
def test_compact_keeps_the_order_of_what_is_left(edges):
    taxonomy = Taxonomy(edges)
    compact = taxonomy.compact()
    for label in compact.nodes:
        expected = [above for above in taxonomy.ancestors(label) if above in compact]
        assert sorted(compact.ancestors(label), key=str) == sorted(expected, key=str)


def test_a_deep_chain_needs_no_stack():
    taxonomy = Taxonomy((z, z + 1) for z in range(5000))
    assert taxonomy.heights[0] == 5000
    assert len(taxonomy.ancestors(5000)) == 5001

"""The ready spaces against lists of all their outputs, made in another way."""

from __future__ import annotations

import pickle
from itertools import combinations, product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from enumerated_choices import all_trees
from maxmargin.programs.features import as_parts
from maxmargin.programs.spaces import Lattices, MonotoneAlignment, ProjectiveTrees, Segments, Selection
from maxmargin.programs.topology import Topology


def derivations(topology: Topology) -> list[tuple[int, ...]]:
    """The edges of every output, ascending; the recursion of the definition."""
    into: dict[int, list[int]] = {}
    for edge, head in enumerate(topology.head.tolist()):
        into.setdefault(head, []).append(edge)

    def of(cell: int) -> list[tuple[int, ...]]:
        found = []
        for edge in into.get(cell, []):
            tails = [t for t in topology.tail[edge].tolist() if t >= 0]
            found += [(edge, *sum(rest, ())) for rest in product(*map(of, tails))]
        return found

    return [tuple(sorted(edges)) for edges in of(topology.goal)]


def joint_features(program, edges) -> np.ndarray:
    matrix = np.hstack([part.toarray(program.n_edges) for part in as_parts(program.features)])
    return matrix[list(edges)].sum(axis=0)


def hashable(y):
    return tuple(y.tolist()) if isinstance(y, np.ndarray) else tuple(y)


def check(space, x, outputs, loss=None) -> None:
    """Derivations and outputs are the same; costs add up to the loss, risks to its expectation."""
    program = space.program(x)
    ways = derivations(program.topology)
    found = [hashable(space.output(x, np.array(edges, dtype=np.int32)[::-1])) for edges in ways]
    assert len(set(found)) == len(found)
    assert set(found) == set(outputs)
    for edges, y in zip(ways, found):
        assert tuple(sorted(int(e) for e in space.edges(x, y if len(y) else []))) == edges
    if loss is None:
        return
    truths = range(0, len(found), max(1, len(found) // 5))
    for truth in truths:
        costs = space.costs(x, found[truth])
        assert costs.shape == (program.n_edges,)
        assert costs.min() >= 0
        assert [int(costs[list(edges)].sum()) for edges in ways] == [loss(found[truth], y) for y in found]
    p = np.random.default_rng(0).dirichlet(np.ones(len(ways)))
    marginals = np.zeros(program.n_edges)
    for edges, share in zip(ways, p):
        marginals[list(edges)] += share
    risks = space.risks(x, marginals)
    expected = [sum(share * loss(truth, y) for share, truth in zip(p, found)) for y in found]
    assert [risks[list(edges)].sum() for edges in ways] == pytest.approx(expected, abs=1e-9)


def segmentations(n: int, labels: tuple[str, ...], longest: int, outside: bool) -> list[tuple]:
    if n == 0:
        return [()]
    found = list(segmentations(n - 1, labels, longest, outside)) if outside else []
    for size in range(1, min(n, longest) + 1):
        found += [
            (*rest, (n - size, n, label))
            for rest in segmentations(n - size, labels, longest, outside)
            for label in labels
        ]
    return found


def tags(y, n: int) -> list[str]:
    found = ["O"] * n
    for begin, end, label in y:
        found[begin:end] = ["B" + label] + ["I" + label] * (end - begin - 1)
    return found


@pytest.mark.parametrize("outside", [True, False])
@settings(max_examples=15)
@given(n=st.integers(1, 5), longest=st.integers(1, 6), n_labels=st.integers(1, 2))
def test_segments(outside, n, longest, n_labels):
    labels = ("X", "Y")[:n_labels]
    space = Segments(labels, longest, outside=outside)
    outputs = segmentations(n, labels, longest, outside)
    check(space, np.eye(n), outputs, lambda a, b: sum(s != t for s, t in zip(tags(a, n), tags(b, n))))


def test_segment_features_are_sums_of_tokens_and_rows_of_segments():
    x = np.random.default_rng(0).standard_normal((5, 3))
    own = lambda x, begin, end: np.stack([end - begin, x[begin, 0] * x[end - 1, 1]], axis=1)  # noqa: E731
    space = Segments(("X", "Y"), 3, segment_features=own)
    program = space.program(x)
    y = [(0, 1, "Y"), (2, 5, "X")]
    v = joint_features(program, space.edges(x, y))
    table, lengths, steps, segment = np.split(v, np.cumsum([3 * 5, 3 * 2, 3 * 5]))
    expected = np.zeros((3, 5))  # first X, first Y, outside, others X, others Y
    expected[:, 1], expected[:, 2], expected[:, 0], expected[:, 3] = x[0], x[1], x[2], x[3] + x[4]
    np.testing.assert_allclose(table.reshape(3, 5), expected)
    np.testing.assert_array_equal(lengths.reshape(3, 2), [[0, 1], [0, 0], [1, 0]])
    np.testing.assert_array_equal(steps.reshape(5, 3), [[0, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0]])
    np.testing.assert_allclose(segment.reshape(2, 2).T, [[3, x[2, 0] * x[4, 1]], [1, x[0, 0] * x[0, 1]]])


def is_projective(heads) -> bool:
    def below(word):
        while word:
            yield word
            word = heads[word - 1]

    arcs = [(h, d) for d, h in enumerate(heads, 1) if h]
    return all(h in below(k) for h, d in arcs for k in range(min(h, d), max(h, d) + 1))


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_projective_trees(n, single_root):
    space = ProjectiveTrees(single_root=single_root)
    x = sp.csr_array(np.random.default_rng(n).standard_normal((n * (n + 1), 2)))
    trees = [heads for heads in all_trees(n, single_root) if is_projective(heads)]
    check(space, x, trees)
    program = space.program(x)
    rows = x.toarray()
    for heads in trees:
        arcs = [d * (n + 1) + h for d, h in enumerate(heads)]
        np.testing.assert_allclose(joint_features(program, space.edges(x, heads)), rows[arcs].sum(axis=0), atol=1e-12)
    assert program.topology is space.program(x).topology


def paths(source, target, node: int, last: int) -> list[tuple[int, ...]]:
    if node == last:
        return [()]
    return [
        (arc, *rest)
        for arc in range(len(source))
        if source[arc] == node
        for rest in paths(source, target, target[arc], last)
    ]


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 5))
def test_lattices(seed, n):
    rng = np.random.default_rng(seed)
    chain = [(k, k + 1) for k in range(n - 1)]
    more = [sorted(rng.choice(n, 2, replace=False).tolist()) for _ in range(4)]
    source, target = np.array([*chain, *more])[rng.permutation(n + 3)].T
    check(Lattices(), (source, target, np.ones((n + 3, 2))), paths(source, target, 0, n - 1))


def alignments(n: int, transcript: str, blank: bool) -> list[tuple[int, ...]]:
    found = []
    for y in product(range(-blank, len(transcript)), repeat=n):
        places = [p for k, p in enumerate(y) if p >= 0 and (k == 0 or y[k - 1] != p)]
        gaps = [
            k
            for k in range(1, n)
            if y[k - 1] >= 0 and y[k] == y[k - 1] + 1 and transcript[y[k]] == transcript[y[k - 1]]
        ]
        if places == list(range(len(transcript))) and not (blank and gaps):
            found.append(y)
    return found


@pytest.mark.parametrize("blank", [False, True])
@pytest.mark.parametrize("transcript", ["a", "ab", "aa", "aba", "baa"])
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_monotone_alignments(n, transcript, blank):
    space, x = MonotoneAlignment("ab", blank=blank), (np.eye(n), transcript)
    outputs = alignments(n, transcript, blank)
    if not outputs:
        with pytest.raises(ValueError, match="too few"):
            space.program(x)
        return
    check(space, x, outputs, lambda a, b: sum(s != t for s, t in zip(a, b)))


@settings(max_examples=30)
@given(sizes=st.lists(st.integers(0, 4), min_size=1, max_size=5), budget=st.integers(0, 10))
def test_selections(sizes, budget):
    n = len(sizes)
    outputs = [y for k in range(n + 1) for y in combinations(range(n), k) if sum(sizes[item] for item in y) <= budget]
    x = (np.eye(n), np.array(sizes), budget)
    check(Selection(), x, outputs, lambda a, b: len(set(a) ^ set(b)))
    program = Selection().program(x)
    for y in outputs:
        found = joint_features(program, Selection().edges(x, list(y)))
        np.testing.assert_array_equal(np.flatnonzero(found), y)


BAD = [
    (Segments("X", 2), np.eye(4), [(0, 3, "X")], "max_length=2"),
    (Segments("X", 2), np.eye(4), [(0, 2, "X"), (1, 2, "X")], "does not fit after token 2"),
    (Segments("X", 2), np.eye(4), [(0, 1, "Z")], "none of"),
    (Segments("X", 2), np.eye(4), [(0, 1)], r"must be \(begin, end, label\).*not \(0, 1\)"),
    (Segments("X", 2), np.eye(4), [(0.0, 1.0, "X")], r"whole numbers begin and end"),
    (Segments("X", 2), np.eye(4), "X", r"must be \(begin, end, label\).*not 'X'"),
    (Segments("X", 2), np.eye(4), None, "list of segments .* not None"),
    (Segments("X", 2), np.zeros((0, 3)), [], r"at least one, not ndarray of shape \(0, 3\)"),
    (Segments("X", 2), [[1.0]], [], r"a matrix with one row per token.*not \[\[1.0\]\]"),
    (Segments("X", 2), np.eye(4), [(0, 2, None)], "none of"),
    (Segments("X", 2), np.eye(4), [(1, 1, "X")], "at least one token"),
    (Segments("X", 2, outside=False), np.eye(2), [(0, 1, "X")], "Token 1 is in no segment"),
    (ProjectiveTrees(), np.eye(12), [3, 0], "3 whole numbers"),
    (ProjectiveTrees(), np.eye(5), [0], "n .n . 1. rows"),
    (ProjectiveTrees(), np.eye(12), [2, 1, 0], "on a cycle"),
    (ProjectiveTrees(), np.eye(20), [3, 0, 2, 1], "not projective.*word 1"),
    (Lattices(), ([0, 1], [1, 2], np.eye(2)), [1], "does not start at node 0"),
    (Lattices(), ([0, 1], [1, 2], np.eye(2)), [0], "ends at node 1"),
    (Lattices(), ([0, 1], [1, 2], np.eye(3)), [0, 1], "one row of features"),
    (Lattices(), ([0, 1], [1, 2]), [0, 1], "a triple"),
    (Lattices(), ([0, 1], [1, 2], np.eye(2)), [0.0, 1.0], r"list of arcs, not \[0.0, 1.0\]"),
    (Lattices(), ([0, 1], [1, 2], np.eye(2)), None, "list of arcs, not None"),
    (MonotoneAlignment("ab"), (np.zeros((0, 3)), "ab"), [], "at least one frame"),
    (MonotoneAlignment("ab"), (np.eye(3), "abc"), [0, 1, 2], "'c'"),
    (MonotoneAlignment("ab"), (np.eye(3), "aba"), [0, 2, 2], "cannot be at place 2 at frame 1"),
    (MonotoneAlignment("ab"), (np.eye(3), "ab"), [0, 0, 0], "cannot be at place 0 at frame 2"),
    (MonotoneAlignment("ab"), (np.eye(3), "ab"), [0, 1], "3 places"),
    (Selection(), (np.eye(2), np.array([3, 4]), 5), [0, 1], "size 7, more than the budget 5"),
    (Selection(), (np.eye(2), np.array([3, 4]), 5), [2], "from 0 to 1"),
    (Selection(), (np.eye(2), np.array([3, 4]), 5), [0, 0], "once"),
    (Selection(), (np.eye(2), np.array([0.5, 4]), 5), [0], "whole numbers"),
    (Selection(), (np.zeros((0, 2)), [], 5), [], "at least one item"),
]


@pytest.mark.parametrize(("space", "x", "y", "message"), BAD, ids=range(len(BAD)))
def test_truths_that_a_space_cannot_derive_are_named(space, x, y, message):
    with pytest.raises(ValueError, match=message):
        space.edges(x, y)


@pytest.mark.parametrize(
    "space", [Segments("XY", 3), ProjectiveTrees(), Lattices(), MonotoneAlignment("ab"), Selection()]
)
def test_spaces_can_be_pickled(space):
    if isinstance(space, ProjectiveTrees):
        space.program(np.eye(6))
    again = pickle.loads(pickle.dumps(space))
    assert type(again) is type(space)
    if isinstance(space, ProjectiveTrees):
        assert again.program(np.eye(6)).n_edges == space.program(np.eye(6)).n_edges

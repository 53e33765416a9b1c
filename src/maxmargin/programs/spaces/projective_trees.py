"""Projective dependency trees: arcs that do not cross, by the algorithm of Eisner (1996)."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from maxmargin.core.outputs import shown
from maxmargin.programs.features import Rows
from maxmargin.programs.program import Program
from maxmargin.programs.spaces.shapes import Shapes
from maxmargin.programs.topology import Topology
from maxmargin.programs.tree_problem import TreeProblem

Ints = npt.NDArray[np.int64]


class _Chart(NamedTuple):
    topology: Topology
    arc: Ints  # the edges of arcs, ascending, and the head and the word of each
    head: Ints
    word: Ints
    number: Ints  # of a head and a word: the edge of their arc
    join: Ints  # of words i < j: the first of the edges that join a span from i with one to j, split after i, ...
    right: Ints  # of the edges that complete a span from i to j below i, whose last child is i + 1, ...
    left: Ints  # of the edges that complete one below j, whose first child is i, ...


class ProjectiveTrees:
    """Dependency trees without crossing arcs; inputs, outputs and weights are those of :class:`TreeProblem`.

    The output of a sentence of n words is an array of n heads: ``y[d - 1]`` is the head of word ``d``, from 0 (the
    root) to n. The loss is the number of words with a wrong head. A program has about ``n^3 / 2`` edges, of which only
    the ``n^2`` arcs have features and costs; sentences of one length share it.

    Parameters
    ----------
    features : from an input to the features of its arcs, a dense or CSR matrix with ``n (n + 1)`` rows, word by word,
        the arc from the root first; arcs from a word to itself are there and ignored. None: the input is that
    single_root : exactly one word hangs on the root, as in Universal Dependencies; False: at least one
    """

    def __init__(self, features: Callable[[Any], Any] | None = None, *, single_root: bool = True) -> None:
        self.features, self.single_root = features, single_root
        self._charts = Shapes(_chart)

    def program(self, x: Any) -> Program:
        """Spans of words below their first or last word, joined two at a time."""
        matrix, n = self._arcs(x)
        chart = self._charts(n, self.single_root)
        return Program.of(chart.topology, Rows(matrix, chart.arc, (chart.word - 1) * (n + 1) + chart.head))

    def edges(self, x: Any, y: npt.ArrayLike) -> Ints:
        """The edges of a tree: its arcs, and for each arc what it joins and where its span ends."""
        n = self._arcs(x)[1]
        heads = np.asarray(y)
        if heads.shape != (n,) or heads.dtype.kind not in "iu":
            raise ValueError(f"A tree of {n} words must be {n} whole numbers, not {shown(y)}.")
        TreeProblem(single_root=self.single_root).check_choice(heads.astype(np.int32), n + 1)
        first, last = _spans(heads)
        chart = self._charts(n, self.single_root)
        word = np.arange(1, n + 1)
        right = (heads < word) & ((heads > 0) | (not self.single_root))
        left = heads > word
        h, d, a, b = heads[right], word[right], first[right], last[right]
        joined = [chart.join[h, d] + a - 1 - h, chart.right[h, b] + d - h - 1]
        h, d, a, b = heads[left], word[left], first[left], last[left]
        joined += [chart.join[d, h] + b - d, chart.left[a, h] + d - a]
        return np.concatenate([chart.number[heads, word], *joined])

    def output(self, x: Any, edges: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int32]:
        """The heads that the arcs among the edges say."""
        n = self._arcs(x)[1]
        chart = self._charts(n, self.single_root)
        arcs = np.flatnonzero(np.isin(chart.arc, edges))
        heads = np.empty(n, dtype=np.int32)
        heads[chart.word[arcs] - 1] = chart.head[arcs]
        return heads

    def _arcs(self, x: Any) -> tuple[Any, int]:
        matrix = x if self.features is None else self.features(x)
        rows = matrix.shape[0] if getattr(matrix, "ndim", 0) == 2 else 0
        n = (isqrt(4 * rows + 1) - 1) // 2
        if n < 1 or n * (n + 1) != rows:
            raise ValueError(
                f"The features of arcs must be a matrix with n (n + 1) rows for n words: 2, 6, 12, 20, ..., not {rows}."
            )
        return matrix, n


def _spans(heads: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """The first and the last word below each word, or the word itself; raises where there is a gap between them."""
    n = heads.size
    above = [0, *heads.tolist()]
    first, last, size = list(range(n + 1)), list(range(n + 1)), [1] * (n + 1)
    for word in range(1, n + 1):
        up = above[word]
        while up:
            first[up], last[up], size[up] = min(first[up], word), max(last[up], word), size[up] + 1
            up = above[up]
    for word in range(1, n + 1):
        if last[word] - first[word] + 1 != size[word]:
            raise ValueError(
                f"The tree is not projective: not all words from {first[word]} to {last[word]} are below word {word}. "
                "Leave it out, change its heads, or use TreeProblem."
            )
    return np.array(first[1:]), np.array(last[1:])


def _chart(n: int, single_root: bool) -> _Chart:
    """Cells of words i < j, by their distance: a span from i joined with one to j; an arc from j to i or from i to j
    over it; and the spans below j and below i that begin at i and end at j. A span of one word is no cell.

    With a single root, the goal joins the spans on both sides of a word; else the root is a word before all others.
    """
    low = 1 if single_root else 0
    i, j = np.triu_indices(n + 1 - low, 1)
    order = np.lexsort((i, j - i))
    i, j = i[order] + low, j[order] + low
    there = np.ones((i.size, 5), dtype=np.bool_)
    there[i == 0, 1] = there[i == 0, 3] = False  # nothing is above the root
    numbers = np.where(there, np.cumsum(there).reshape(there.shape) - 1, -1)
    cell = np.full((5, n + 2, n + 2), -1, dtype=np.int32)  # -1 too where a span has one word
    cell[:, i, j] = numbers.T
    joined, arc_left, arc_right, below_last, below_first = cell
    goal = int(there.sum()) - (not single_root)

    head, word = np.nonzero(np.arange(n + 1)[:, None] != np.arange(1, n + 1))
    word = word + 1
    over = np.where(head < word, arc_right[head, word], arc_left[word, head])
    under = joined[np.minimum(head, word), np.maximum(head, word)]
    beside = np.full(head.size, -1, dtype=np.int32)
    if single_root:
        root = head == 0
        over[root] = goal
        under[root], beside[root] = below_last[1, word[root]], below_first[word[root], n]
    heads, tails = [over], [np.stack([under, beside], axis=1)]

    # Every pair has one edge per place to split: after i, ..., after j - 1.
    pair = np.repeat(np.arange(i.size), j - i)
    begin = np.cumsum(j - i) - (j - i)
    a, b = i[pair], j[pair]
    split = a + np.arange(pair.size) - begin[pair]
    own = a > 0
    heads += [joined[a, b], below_first[a, b], below_last[a, b][own]]
    tails += [
        np.stack([below_first[a, split], below_last[split + 1, b]], axis=1),
        np.stack([arc_right[a, split + 1], below_first[split + 1, b]], axis=1),
        np.stack([arc_left[split, b], below_last[a, split]], axis=1)[own],
    ]
    tail = np.concatenate(tails)
    swapped = tail[:, 0] < 0
    tail[swapped] = tail[swapped, ::-1]
    first = np.zeros((3, n + 1, n + 1), dtype=np.int64)
    size = np.where(i > 0, j - i, 0)
    first[:, i, j] = head.size + np.stack([begin, pair.size + begin, 2 * pair.size + np.cumsum(size) - size])
    first[2, 0] = 0

    into = np.concatenate(heads)  # edges are numbered by the cells that they lead into, which saves sorting scores
    order = np.argsort(into, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    number = np.full((n + 1, n + 1), -1, dtype=np.int64)
    number[head, word] = place[: head.size]
    arcs = np.argsort(place[: head.size])
    topology = Topology(into[order], tail[order], cells=goal + 1, goal=goal)
    return _Chart(topology, place[arcs], head[arcs], word[arcs], number, *place[first])

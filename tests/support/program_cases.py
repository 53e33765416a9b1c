"""Small dynamic programs at random, and every output of them listed: nothing here uses the queries of the library."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from maxmargin.programs import Topology

MOST_OUTPUTS = 3000


@dataclass(eq=False)
class ProgramCase:
    """A program with a score per edge and all of its outputs, each a sorted tuple of edges."""

    topology: Topology
    scores: np.ndarray
    outputs: list[tuple[int, ...]]

    @classmethod
    def listed(cls, topology: Topology, scores: np.ndarray) -> ProgramCase:
        return cls(topology, scores, all_outputs(topology.head, topology.tail, topology.goal))

    @property
    def values(self) -> np.ndarray:
        """The score of every output."""
        return np.array([self.scores[list(output)].sum() for output in self.outputs])

    @property
    def possible(self) -> bool:
        return bool((self.values > -np.inf).any())

    def probabilities(self) -> np.ndarray:
        values = self.values
        parts = np.exp(values - values.max())
        return parts / parts.sum()

    def uses(self) -> np.ndarray:
        """How often each output (row) has each edge (column)."""
        table = np.zeros((len(self.outputs), self.topology.n_edges))
        for row, output in enumerate(self.outputs):
            np.add.at(table[row], list(output), 1.0)
        return table


def size_of(case: ProgramCase) -> float:
    """The size of the scores, to which rounding is relative."""
    return float(max(1.0, np.abs(case.scores[np.isfinite(case.scores)]).max(initial=0.0)))


def chain_program(length: int, labels: int) -> Topology:
    """Labellings of a chain: cell ``t * labels + y`` says that token t has label y, the last cell is the goal.

    Edges: one per label of the first token; for each label of a later token one per label before; one per last label.
    """
    own = np.arange(labels)
    head, tail = [own], [np.full(labels, -1)]
    for t in range(1, length):
        head.append(np.repeat(t * labels + own, labels))
        tail.append(np.tile((t - 1) * labels + own, labels))
    head.append(np.full(labels, length * labels))
    tail.append((length - 1) * labels + own)
    return Topology(np.concatenate(head), np.concatenate(tail))


def all_outputs(head: np.ndarray, tail: np.ndarray, goal: int) -> list[tuple[int, ...]]:
    """Every derivation of the goal, by the definition."""

    def derive(cell: int) -> list[tuple[int, ...]]:
        found = []
        for edge in np.flatnonzero(head == cell):
            below = [derive(t) for t in tail[edge] if t >= 0]
            found += [(int(edge), *itertools.chain(*parts)) for parts in itertools.product(*below)]
        return found

    return [tuple(sorted(output)) for output in derive(goal)]


def count_outputs(head: np.ndarray, tail: np.ndarray, goal: int) -> int:
    counts: dict[int, int] = {-1: 1}
    for cell in range(int(head.max()) + 1):
        counts[cell] = sum(int(np.prod([counts[int(t)] for t in tail[e]])) for e in np.flatnonzero(head == cell))
    return counts[goal]


@st.composite
def program_cases(
    draw: st.DrawFn, most_tails: int = 2, extremes: bool = True, forbidden: bool = True, most_cells: int = 6
) -> ProgramCase:
    """Programs of up to ``most_cells`` cells whose edges stand in any order."""
    cells = draw(st.integers(1, most_cells))
    tails = draw(st.integers(1, most_tails))
    edges = []
    for cell in range(cells):
        for _ in range(draw(st.integers(1, 3))):
            edges.append((cell, [draw(st.integers(-1, cell - 1)) for _ in range(tails)]))
    order = draw(st.permutations(range(len(edges))))
    head = np.array([edges[e][0] for e in order])
    tail = np.array([edges[e][1] for e in order]).reshape(len(edges), tails)
    goal = draw(st.sampled_from([cells - 1, draw(st.integers(0, cells - 1))]))
    while count_outputs(head, tail, goal) > MOST_OUTPUTS:
        goal -= 1
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    scores = rng.normal(scale=draw(st.sampled_from([0.0, 0.5, 3.0, 50.0])), size=len(edges))
    kind = draw(st.sampled_from(["plain", "whole", "huge"] if extremes else ["plain", "whole"]))
    if kind == "whole":  # ties, and sums without rounding
        scores = np.round(scores)
    if kind == "huge":
        scores = np.where(rng.random(len(edges)) < 0.3, np.sign(scores) * 1e300, scores)
    if forbidden and draw(st.booleans()):
        scores[rng.random(len(edges)) < 0.25] = -np.inf
    return ProgramCase(Topology(head, tail, cells=cells, goal=goal), scores, all_outputs(head, tail, goal))

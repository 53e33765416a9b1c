"""Spaces of outputs for tests, and every plane of them by listing their outputs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import solver_cases
from maxmargin import Formulation
from maxmargin.programs import Program, Rows
from maxmargin.programs.structure import ProgramStructure
from program_cases import all_outputs
from reference import EveryPlane, plane_of


@dataclass(eq=False)
class Listed:
    """An input: a program, and what its edges cost beside the true ones, where the space has costs."""

    program: Program
    units: np.ndarray

    @property
    def features(self) -> np.ndarray:
        return np.hstack([part.toarray(self.program.n_edges) for part in self.program.parts])

    @property
    def outputs(self) -> list[tuple[int, ...]]:
        topology = self.program.topology
        return all_outputs(topology.head, topology.tail, topology.goal)


class Paths:
    """Inputs are programs, outputs tuples of edges; an edge with features that is not true costs 1."""

    def program(self, x):
        return x.program

    def edges(self, x, y):
        return list(y)

    def output(self, x, edges):
        return tuple(sorted(edges.tolist()))

    def loss(self, x, y_true, y):
        has = np.zeros(x.program.n_edges, bool)
        for part in x.program.parts:
            has[part.edge] = True
        return float(sum(has[e] and e not in y_true for e in y))


class CostlyPaths(Paths):
    """The same with costs of its own, in halves; some mistakes are free."""

    cost_unit = 0.5

    def costs(self, x, y):
        units = np.array(x.units)
        units[list(y)] = 0
        return units

    def risks(self, x, marginals):
        return 0.5 * x.units * (1.0 - marginals)

    def loss(self, x, y_true, y):
        return float(0.5 * self.costs(x, y_true)[list(y)].sum())


class CountedPaths(Paths):
    """1 - F1 of the edges: a function of how many are right and how many there are."""

    def counts(self, x, y):
        edge = np.arange(x.program.n_edges)
        return edge, np.stack([np.isin(edge, y), np.ones(edge.size, int)], axis=1)

    def count_loss(self, x, y, totals):
        return 1.0 - 2.0 * totals[:, 0] / (len(y) + totals[:, 1])

    def loss(self, x, y_true, y):
        return 1.0 - 2.0 * sum(e in y_true for e in y) / (len(y_true) + len(y))


def grid(rng: np.random.Generator, wide: int, long: int, columns: int = 3) -> Listed:
    """Paths through ``long`` layers of ``wide`` cells, whose edges stand in any order."""
    edges = [(cell, -1) for cell in range(wide)]
    edges += [
        (layer * wide + to, (layer - 1) * wide + at)
        for layer in range(1, long)
        for to in range(wide)
        for at in range(wide)
    ]
    edges += [(long * wide, (long - 1) * wide + at) for at in range(wide)]
    return _listed(rng, edges, columns)


def tree(rng: np.random.Generator, words: int, columns: int = 3) -> Listed:
    """Binary trees over words: cells are spans, the shortest first; a span has two kinds of edges for each split."""
    spans = [(i, i + size) for size in range(1, words + 1) for i in range(words - size + 1)]
    number = {span: k for k, span in enumerate(spans)}
    edges: list[Any] = []
    for i, j in spans:
        if j == i + 1:
            edges += [(number[i, j], (-1, -1))] * 2
        edges += [(number[i, j], (number[i, k], number[k, j])) for k in range(i + 1, j)]
    return _listed(rng, edges, columns)


def _listed(rng: np.random.Generator, edges: list[Any], columns: int) -> Listed:
    """With features in two parts: a row per edge, and ranges of rows in blocks for some of them."""
    edges = [edges[k] for k in rng.permutation(len(edges))]
    head, tail = np.array([e[0] for e in edges]), np.array([e[1] for e in edges])
    count = len(edges)
    dense = np.round(4 * rng.standard_normal((count, columns))) / 4
    some = rng.permutation(count)[: max(1, count // 2)]
    row = rng.integers(0, 3, some.size)
    stop = row + rng.integers(1, 3, some.size)
    shared = Rows(rng.random((4, 2)) < 0.5, some, row, np.minimum(stop, 4), rng.integers(0, 2, some.size), 2)
    return Listed(Program(head, tail, [dense, shared]), rng.integers(0, 4, count))


@cache
def examples(kind: str, noise: float = 1.0) -> tuple[list[Listed], list[tuple[int, ...]]]:
    """Six inputs, and outputs that weights prefer up to noise."""
    rng = np.random.default_rng(3)
    make = {"paths": lambda: grid(rng, 2, int(rng.integers(1, 4))), "trees": lambda: tree(rng, int(rng.integers(2, 5)))}
    X = [make[kind]() for _ in range(6)]
    w = rng.standard_normal(X[0].features.shape[1])
    Y = []
    for x in X:
        scores = [(x.features[list(y)] @ w).sum() + noise * rng.standard_normal() for y in x.outputs]
        Y.append(x.outputs[int(np.argmax(scores))])
    return X, Y


def every_plane(space: Any, X: Any, Y: Any, rescaling: str, slack: str) -> EveryPlane:
    """Every plane of a space, output by output."""
    rows, heights, example = [], [], []
    for i, (x, truth) in enumerate(zip(X, Y)):
        features = x.features
        for y in x.outputs:
            if y != truth:
                psi = features[list(truth)].sum(axis=0) - features[list(y)].sum(axis=0)
                a, b = plane_of(psi, space.loss(x, truth, y), rescaling, slack)
                rows.append(a), heights.append(b), example.append(i)
    return EveryPlane(np.array(rows), np.array(heights), np.array(example), len(Y), slack)


class LabelChain:
    """The linear chain as a program: cells are a token with a label, edges are a label after another.

    Weights: features times labels, then label after label, then the labels at both ends, as in ``Chain``.
    """

    def __init__(self, labels: int) -> None:
        self.labels = labels

    def program(self, x):
        n, k = len(x), self.labels
        token, label, before = (part.ravel() for part in np.indices((n, k, k)))
        step = (token > 0) | (before == 0)  # the first token has no label before it
        token, label, before = token[step], label[step], before[step]
        head = np.concatenate([token * k + label, np.full(k, n * k)])
        tail = np.concatenate([np.where(token > 0, (token - 1) * k + before, -1), (n - 1) * k + np.arange(k)])
        edge = np.arange(token.size)
        one, later, first = np.ones((1, 1)), token > 0, token == 0
        ends = np.concatenate([edge[first], token.size + np.arange(k)])
        end_block = np.concatenate([label[first], k + np.arange(k)])
        return Program(
            head,
            tail,
            [
                Rows(x, edge, token, block=label, n_blocks=k),
                Rows(one, edge[later], 0 * edge[later], block=(before * k + label)[later], n_blocks=k * k),
                Rows(one, ends, 0 * ends, block=end_block, n_blocks=2 * k),
            ],
            cells=n * k + 1,
        )

    def edges(self, x, y):
        n, k = len(x), self.labels
        steps = [k + (t - 1) * k * k + y[t] * k + y[t - 1] for t in range(1, n)]
        return [y[0], *steps, k + (n - 1) * k * k + y[-1]]

    def output(self, x, edges):
        n, k = len(x), self.labels
        found = np.sort(edges)
        return (int(found[0]), *(int((e - k) % (k * k)) // k for e in found[1:n]))

    def costs(self, x, y):
        n, k = len(x), self.labels
        token = np.concatenate([np.zeros(k, int), np.repeat(np.arange(1, n), k * k)])
        label = np.concatenate([np.arange(k), np.tile(np.repeat(np.arange(k), k), n - 1)])
        return np.concatenate([label != np.asarray(y)[token], np.zeros(k, bool)]).astype(int)

    def risks(self, x, marginals):
        n, k = len(x), self.labels
        found = np.zeros(marginals.size)
        found[: k + (n - 1) * k * k] = 1.0
        found[:k] -= marginals[:k]
        rest = marginals[k : k + (n - 1) * k * k].reshape(n - 1, k, k).sum(axis=2)
        found[k : k + (n - 1) * k * k] -= np.repeat(rest.ravel(), k)
        return found


SPACES = {"plain": Paths(), "costly": CostlyPaths(), "counted": CountedPaths()}


class SpaceCase(solver_cases.Case):
    """Inputs and outputs of a space, for the tests of all solvers."""

    def planes(self, rescaling: str, slack: str) -> EveryPlane:
        return every_plane(self.problem, self.X, self.Y, rescaling, slack)

    def bind(self, formulation: Formulation, weight: np.ndarray | None) -> Any:
        return ProgramStructure(self.problem).bind(self.X, self.Y, formulation, sample_weight=weight)


def space_case(name: str) -> SpaceCase:
    """``"program paths costly"``; ``"program trees plain separable"`` has outputs that weights prefer."""
    _, kind, space, *more = name.split()
    return SpaceCase(SPACES[space], *examples(kind, 0.0 if more else 1.0))


solver_cases.MORE_CASES.update(program=space_case)

"""Label vectors few enough to list, and the formulas of ``Multilabel`` written out over all of them.

Nothing here uses the searches of the library: scores and losses are sums over the terms, one label vector a row.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from maxmargin import Formulation, _core
from maxmargin.labels.multilabel import Multilabel
from maxmargin.labels.oracle import MultilabelOracle
from maxmargin.rows.matrices import as_rows

FORMULATIONS = [Formulation(r, s) for r in ("margin", "slack", "none") for s in ("linear", "squared")]
FORMULATIONS.append(Formulation("none", "hard"))


def every_vector(labels: int) -> np.ndarray:
    """All of them, shape (2 ** labels, labels)."""
    return np.array(list(itertools.product((0, 1), repeat=labels)), dtype=np.uint8).reshape(-1, labels)


def scores_of(structure: Multilabel, x: np.ndarray, Y: np.ndarray, w: np.ndarray) -> np.ndarray:
    """``F(x, y)`` of the label vectors that are the rows of ``Y``; ``w`` in the layout of ``joint_feature``."""
    size = structure.n_labels * x.size
    unary = w[:size].reshape(structure.n_labels, x.size) @ x
    total = Y @ unary
    for (j, k), weight in zip(structure.pairs, w[size:]):
        total = total + structure.eta * weight * (Y[:, j] & Y[:, k])
    return total


def losses_of(structure: Multilabel, truth: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """The three losses as the documentation states them, vector by vector."""
    found = []
    for y in Y:
        wrong = truth != y
        if structure.loss_name == "hamming":
            found.append(sum(structure.costs[k, truth[k]] for k in np.flatnonzero(wrong)))
        elif structure.loss_name == "zero-one":
            found.append(float(wrong.any()))
        else:
            sizes = int(truth.sum()) + int(y.sum())
            found.append(0.0 if sizes == 0 else 1.0 - 2.0 * int((truth & y).sum()) / sizes)
    return np.array(found)


@dataclass(eq=False)
class LabelCase:
    """A training set with a point ``w`` to ask at, in the layout of ``joint_feature``."""

    structure: Multilabel
    rows: _core.Rows
    X: np.ndarray  # with the constant column
    Y: np.ndarray
    w: np.ndarray
    weight: np.ndarray | None

    @property
    def n(self) -> int:
        return len(self.Y)

    @property
    def everyone(self) -> np.ndarray:
        return np.arange(self.n, dtype=np.int32)

    @property
    def native(self) -> np.ndarray:
        return self.structure.from_public(self.w, self.X.shape[1])

    def bind(self, formulation: Formulation, threads: int = 1) -> MultilabelOracle:
        return self.structure.bind(self.rows, self.Y, formulation, sample_weight=self.weight, threads=threads)

    def scores(self, i: int, w: np.ndarray | None = None) -> np.ndarray:
        """``F(x_i, y)`` of every label vector."""
        return scores_of(self.structure, self.X[i], every_vector(self.structure.n_labels), self.w if w is None else w)

    def values(self, i: int, formulation: Formulation, w: np.ndarray | None = None) -> np.ndarray:
        """``b - <a, w>`` of every label vector; 0 at the truth."""
        Y = every_vector(self.structure.n_labels)
        loss, score = losses_of(self.structure, self.Y[i], Y), self.scores(i, w)
        own = (self.Y[i] == Y).all(axis=1)
        value = formulation.margin(loss) - formulation.scale(loss) * (score[own] - score)
        value[own] = 0.0
        return value

    def slacks(self, formulation: Formulation, w: np.ndarray | None = None) -> np.ndarray:
        return np.array([max(0.0, self.values(i, formulation, w).max()) for i in range(self.n)])

    def place(self, y: Any) -> int:
        """The row of a label vector in ``every_vector``."""
        return int("".join(map(str, np.asarray(y).tolist())), 2)


def make_pairs(kind: str, labels: int, rng: np.random.Generator) -> np.ndarray:
    """``'none'``, a random ``'forest'``, a random ``'graph'``, or ``'full'``."""
    every = np.stack(np.triu_indices(labels, 1), axis=1)
    if kind == "none" or labels < 2:
        return np.zeros((0, 2), np.int32)
    if kind == "full":
        return every.astype(np.int32)
    if kind == "graph":
        return every[rng.random(len(every)) < 0.6].astype(np.int32)
    order = rng.permutation(labels)
    edges = [(order[k], order[rng.integers(k)]) for k in range(1, labels) if rng.random() < 0.8]
    return np.array([sorted(edge) for edge in edges], dtype=np.int32).reshape(-1, 2)


def make_case(
    kind: str = "forest",
    labels: int = 4,
    loss: str = "hamming",
    method: str | None = None,
    n: int = 6,
    d: int = 3,
    bias: float = 0.0,
    sparse: bool = False,
    costs: bool = False,
    weighted: bool = False,
    eta: float = 1.0,
    scale: float = 1.0,
    whole: bool = False,
    seed: int = 0,
) -> LabelCase:
    """``method`` replaces the search that the pairs ask for; ``whole`` makes scores whole numbers: many ties."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.7)
    if whole:
        X = np.round(X)
    rows = as_rows(sp.csr_array(X) if sparse else X, bias, True)
    columns = np.c_[X, np.full(n, bias)] if bias else X
    pairs = make_pairs(kind, labels, rng)
    cost = np.round(4 * rng.random((labels, 2))) / 2 if costs else None  # not true but set; true but missed
    structure = Multilabel(labels, pairs, loss, cost, 1.0 if whole else eta)
    if method is not None:
        structure.__dict__["method"] = method
    w = scale * rng.standard_normal(labels * columns.shape[1] + len(pairs))
    Y = (rng.random((n, labels)) < rng.choice([0.1, 0.5, 0.9])).astype(np.uint8)
    weight = rng.random(n) * (rng.random(n) < 0.8) + (np.arange(n) == 0) if weighted else None
    return LabelCase(structure, rows, columns, Y, np.round(w) if whole else w, weight)


def cases(
    kinds: list[tuple[str, str | None]], losses: tuple[str, ...] = ("hamming", "f1", "zero-one")
) -> st.SearchStrategy[LabelCase]:
    return st.tuples(st.sampled_from(kinds), st.integers(0, 10**6), st.booleans()).flatmap(
        lambda chosen: st.builds(
            make_case,
            kind=st.just(chosen[0][0]),
            method=st.just(chosen[0][1]),
            labels=st.integers(1, 6),
            loss=st.sampled_from(losses),
            n=st.integers(1, 6),
            d=st.sampled_from([1, 3, 9]),
            bias=st.sampled_from([0.0, 2.0]),
            sparse=st.booleans(),
            costs=st.just(chosen[2]),
            weighted=st.booleans(),
            eta=st.sampled_from([1.0, 0.3]),
            scale=st.sampled_from([0.0, 0.3, 1.0]),
            whole=st.booleans(),
            seed=st.just(chosen[1]),
        )
    )


# With a forest both searches are exact for every formulation; with cycles only the list is.
CASES = cases(
    [("none", None), ("forest", None), ("forest", "list"), ("graph", "list"), ("full", None), ("none", "list")]
)

"""Labelled chains small enough to list every output, and the formula of ``Chain`` written out over all of them.

Nothing here uses the searches of the library: scores are sums over the terms of ``F``, one output per row.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from maxmargin import Formulation
from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.oracle import ChainOracle
from maxmargin.chains.sequences import Sequences, pack

FORMULATIONS = [Formulation(r, s) for r in ("margin", "slack", "none") for s in ("linear", "squared")]
FORMULATIONS.append(Formulation("none", "hard"))
MOST_OUTPUTS = 800


@dataclass(eq=False)
class ChainCase:
    """A training set with a point ``w`` to ask at, in the layout of ``Chain``: shape (rows, n_labels)."""

    chain: Chain
    X: ChainInput
    tokens: list[np.ndarray]
    pairs: list[np.ndarray] | None
    Y: list[np.ndarray]
    w: np.ndarray
    weight: np.ndarray | None

    @property
    def n(self) -> int:
        return len(self.Y)

    @property
    def codes(self) -> np.ndarray:
        return np.concatenate(self.Y).astype(np.int32)

    @property
    def native(self) -> np.ndarray:
        return self.chain.from_public(self.w.ravel())

    @property
    def everyone(self) -> np.ndarray:
        return np.arange(self.n, dtype=np.int32)

    def core(self) -> Any:
        return self.chain.core(self.X, self.codes)

    def bind(self, formulation: Formulation, threads: int = 1) -> ChainOracle:
        return self.chain.bind(self.X, self.codes, formulation, sample_weight=self.weight, threads=threads)

    def problem_input(self, i: int) -> Any:
        """Sequence i as the methods of a ``Problem`` take it."""
        return self.tokens[i] if self.pairs is None else (self.tokens[i], self.pairs[i])

    def outputs(self, i: int) -> np.ndarray:
        """Every output, shape (n_labels ** length, length), in the order of ``itertools.product``."""
        return every_output(self.chain.n_labels, len(self.Y[i]))

    def scores(self, i: int, w: np.ndarray | None = None) -> np.ndarray:
        """``F(x_i, y)`` of every output."""
        return scores_of(self.chain, self.tokens[i], self.pairs and self.pairs[i], self.outputs(i), self._at(w))

    def score(self, i: int, y: Any, w: np.ndarray | None = None) -> float:
        """``F(x_i, y)`` of one output."""
        one = np.asarray(y).reshape(1, -1)
        return float(scores_of(self.chain, self.tokens[i], self.pairs and self.pairs[i], one, self._at(w))[0])

    def losses(self, i: int) -> np.ndarray:
        """The loss of every output."""
        return self.chain.costs[self.Y[i], self.outputs(i)].sum(axis=1)

    def values(self, i: int, formulation: Formulation, w: np.ndarray | None = None) -> np.ndarray:
        """``b - <a, w>`` of every output; 0 at the truth."""
        loss = self.losses(i)
        psi = self.score(i, self.Y[i], w) - self.scores(i, w)
        value = formulation.margin(loss) - formulation.scale(loss) * psi
        value[(self.outputs(i) == self.Y[i]).all(axis=1)] = 0.0
        return value

    def slacks(self, formulation: Formulation, w: np.ndarray | None = None) -> np.ndarray:
        return np.array([max(0.0, self.values(i, formulation, w).max()) for i in range(self.n)])

    def place(self, i: int, y: Any) -> int:
        """The row of an output in ``outputs``."""
        return int(np.flatnonzero((self.outputs(i) == np.asarray(y)).all(axis=1))[0])

    def _at(self, w: np.ndarray | None) -> np.ndarray:
        return self.w if w is None else w.reshape(self.w.shape)


def every_output(labels: int, length: int) -> np.ndarray:
    return np.array(list(itertools.product(range(labels), repeat=length)), dtype=np.int32)


def scores_of(chain: Chain, x: np.ndarray, pairs: np.ndarray | None, Y: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The formula in the docstring of ``Chain``, term by term, for the outputs that are the rows of ``Y``."""
    k, length = chain.n_labels, Y.shape[1]
    nodes = x @ w[: chain.n_features]
    if chain.constant:
        nodes = nodes + chain.constant * w[chain.n_features]
    total = nodes[np.arange(length), Y].sum(axis=1)
    at = chain.columns
    if pairs is not None:
        tied = w[at : at + chain.n_pair_features * k].reshape(chain.n_pair_features, k, k)
        for t in range(1, length):
            total += np.tensordot(pairs[t], tied, axes=1)[Y[:, t - 1], Y[:, t]]
        at += chain.n_pair_features * k
    grams = np.zeros(len(Y))
    if chain.ends:
        grams += w[at, Y[:, 0]] + w[at + 1, Y[:, -1]]
    at += 2
    for known in range(1, chain.order + 1):
        table = w[at : at + k**known].reshape((k,) * (known + 1))
        for t in range(known, length):
            grams += table[tuple(Y[:, t - known + j] for j in range(known + 1))]
        at += k**known
    assert at == len(w)
    return total + chain.eta * grams


def make_case(
    labels: int = 3,
    lengths: tuple[int, ...] = (1, 2, 4),
    order: int = 1,
    ends: bool = True,
    constant: float = 0.0,
    pairs: int = 0,
    eta: float = 1.0,
    kind: str = "float64",
    costs: str = "hamming",
    whole: bool = False,
    weighted: bool = False,
    features: int = 3,
    scale: float = 1.0,
    seed: int = 0,
) -> ChainCase:
    """``whole`` makes weights and values small whole numbers, so that many outputs tie."""
    rng = np.random.default_rng(seed)
    while labels ** max(lengths) > MOST_OUTPUTS and len(lengths) < 10:
        lengths = tuple(min(length, max(lengths) - 1) for length in lengths)
    cost = {
        "hamming": None,
        "costs": np.round(1 + 7 * rng.random((labels, labels))) / 4 * (1 - np.eye(labels)),
        "free": np.round(2 * rng.random((labels, labels))) / 2 * (1 - np.eye(labels)),  # some mistakes cost nothing
    }[costs]
    chain = Chain(labels, features, cost, order, eta, ends, pairs, constant)
    tokens = [cells(rng, length, features, kind, whole) for length in lengths]
    tied = [cells(rng, length, pairs, kind, whole) for length in lengths] if pairs else None
    w = scale * rng.standard_normal((chain.rows, labels))
    return ChainCase(
        chain,
        ChainInput(packed(tokens, kind), packed(tied, kind) if tied else None),
        tokens,
        tied,
        [rng.integers(0, labels, length) for length in lengths],
        np.round(w) if whole else w,
        rng.random(len(lengths)) * (rng.random(len(lengths)) < 0.7) if weighted else None,
    )


def cells(rng: np.random.Generator, length: int, width: int, kind: str, whole: bool) -> np.ndarray:
    """Values that float32 holds exactly; about a third are zero, and some rows altogether."""
    X = np.ones((length, width)) if kind == "binary" else np.round(rng.standard_normal((length, width)) * 8) / 8
    X[rng.random(X.shape) < 0.35] = 0.0
    X[rng.random(length) < 0.15] = 0.0
    return np.round(X) if whole else X


def packed(matrices: list[np.ndarray], kind: str) -> Sequences:
    found = pack([matrix.astype(np.float32) if kind == "float32" else matrix for matrix in matrices])
    assert kind != "binary" or found.values is None
    return found


CASES = st.builds(
    make_case,
    labels=st.integers(1, 5),
    lengths=st.lists(st.integers(1, 6), min_size=1, max_size=4).map(tuple),
    order=st.integers(1, 3),
    ends=st.booleans(),
    constant=st.sampled_from([0.0, 1.0, -0.5]),
    pairs=st.sampled_from([0, 0, 1, 2]),
    eta=st.sampled_from([0.0, 0.3, 1.0, 2.0]),
    kind=st.sampled_from(["float64", "float32", "binary"]),
    costs=st.sampled_from(["hamming", "costs", "free"]),
    whole=st.booleans(),
    weighted=st.booleans(),
    features=st.integers(1, 4),
    scale=st.sampled_from([0.1, 1.0, 5.0]),
    seed=st.integers(0, 10**6),
)

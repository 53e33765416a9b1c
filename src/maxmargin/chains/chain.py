"""Labelled chains: emissions, transitions and, where wanted, longer label n-grams and features of label pairs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.chains.loss import ChainLoss
from maxmargin.chains.oracle import ChainOracle
from maxmargin.chains.sequences.labels import pack_labels
from maxmargin.chains.sequences.packed import SequenceError, Sequences
from maxmargin.chains.sequences.packing import pack
from maxmargin.chains.sequences.partial import PartialLabels
from maxmargin.core.formulation import Formulation
from maxmargin.rows.costs import checked_cost

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Labels = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Chain:
    """``F(x, y; w) = sum_t <W_{y_t}, phi(x_t)> + sum_t <V_{y_{t-1} y_t}, chi(x_t)> + eta * (start + end + n-grams)``.

    As a ``Problem`` it takes a matrix of shape (length, n_features) as ``x`` (with ``n_pair_features`` a pair of
    matrices) and a tuple of label numbers as ``y``. ``w`` has a row of ``n_labels`` weights, one for each value of the
    newest label, for: each feature; the constant one; each pair feature and previous label; the start; the end; each
    tuple of 1 to ``order`` previous labels. ``bind`` gives the native oracle, whose rows are padded.

    Parameters
    ----------
    n_labels : number of labels
    n_features : number of columns of a token
    cost : ``cost[y_true, y]`` of one token, zero on the diagonal; None counts mistakes (Hamming loss)
    order : how many previous labels a transition looks at, 1 to 3; shorter n-grams have weights of their own
    eta : factor on the features of label n-grams and ends
    ends : whether the first and the last label have weights
    n_pair_features : number of columns of the features tied to pairs of labels
    constant : value of one more feature that every token has, for the intercept; 0 is none
    """

    n_labels: int
    n_features: int
    cost: Any = None
    order: int = 1
    eta: float = 1.0
    ends: bool = True
    n_pair_features: int = 0
    constant: float = 0.0

    def __post_init__(self) -> None:
        if self.n_labels < 1:
            raise ValueError(f"n_labels must be at least 1, not {self.n_labels}.")
        if isinstance(self.order, bool) or not isinstance(self.order, int | np.integer) or self.order not in (1, 2, 3):
            raise ValueError(f"order must be 1, 2 or 3, not {self.order!r}.")
        eta: Any = self.eta
        if isinstance(eta, bool) or not isinstance(eta, Real) or not 0.0 <= float(eta) < np.inf:
            raise ValueError(f"eta must be a finite number of at least 0, not {self.eta!r}.")
        tuples = int(self.n_labels) ** (self.order + 1)
        if tuples > 5_000_000:
            raise ValueError(
                f"order={self.order} with {self.n_labels} labels means {tuples:,} weights "
                "for label tuples alone; choose a smaller order."
            )
        object.__setattr__(self, "cost", checked_cost(self.cost, self.n_labels))

    @property
    def costs(self) -> Floats:
        """The loss of one token as a matrix."""
        costs: Floats = 1.0 - np.eye(self.n_labels) if self.cost is None else self.cost
        return costs

    @property
    def rows(self) -> int:
        """Rows of ``n_labels`` weights."""
        steps = sum(int(self.n_labels**k) for k in range(1, self.order + 1))
        return self.columns + self.n_pair_features * self.n_labels + 2 + steps

    @property
    def columns(self) -> int:
        """Features of a token, with the constant one."""
        return self.n_features + (1 if self.constant else 0)

    def core(self, X: ChainInput, labels: Indices | None = None, label_offset: Floats | None = None) -> _core.Chain:
        """The native form of sequences and, for training, of their labels; then no sequence may be empty."""
        X.check(self.n_features, self.n_pair_features)
        if labels is not None:
            X.check_filled()
        pairs = None if X.pairs is None else as_token_rows(X.pairs, 0.0)
        tokens = as_token_rows(X.tokens, float(self.constant)) if X.units is None else X.units
        return _core.Chain(
            tokens,
            pairs,
            X.tokens.offsets,
            labels,
            self.n_labels,
            self.order,
            float(self.eta),
            self.ends,
            label_offset,
        )

    def bind(
        self,
        X: Any,
        Y: Any,
        formulation: Formulation,
        *,
        sample_weight: Floats | None = None,
        threads: int = 1,
    ) -> ChainOracle:
        """The native oracle for sequences and their label numbers: those of all tokens, or a tuple a sequence.

        With ``PartialLabels`` the loss of a label is the least over the labels that its token may have, and the truth
        is the completion given: see ``ChainOracle.completed``.
        """
        given = ChainInput.of(X)
        allowed = Y.allowed if isinstance(Y, PartialLabels) else None
        labels = Y.codes if isinstance(Y, PartialLabels) else self._label_numbers(Y, given.tokens)
        if labels.size != given.tokens.tokens:
            raise ValueError(f"X has {given.tokens.tokens} tokens and Y has {labels.size} labels; they must match.")
        longest = int(given.tokens.lengths.max())
        loss = ChainLoss(self.costs, formulation, longest, allowed)
        return ChainOracle(self, given, labels, loss, sample_weight, threads, allowed)

    def joint_feature(self, x: Any, y: Labels) -> sp.csr_array:
        """``Psi(x, y)`` in the layout of ``w``."""
        given = ChainInput.of_one(x)
        return self.joint_features(given, np.zeros(1, np.int32), np.asarray(y, np.int32))

    def loss(self, y_true: Labels, y: Labels) -> float:
        return float(self.costs[np.asarray(y_true), np.asarray(y)].sum())

    def argmax(self, x: Any, w: Floats, y_true: Labels | None = None) -> Labels:
        given = ChainInput.of_one(x)
        native = self.from_public(w)
        if y_true is None:
            return _as_labels(self.core(given).decode(native, 1, None, None, 1)[0])
        oracle = self.bind(given, y_true, Formulation())
        return _as_labels(oracle.worst(native, np.zeros(1, np.int32))[1])

    def kbest(self, x: Any, w: Floats, k: int) -> list[Labels]:
        given = ChainInput.of_one(x)
        found, scores, _ = self.core(given).decode(self.from_public(w), k, None, None, 1)
        ranked = found.reshape(k, -1)
        return [_as_labels(labels) for labels, score in zip(ranked, scores) if score > -np.inf]

    def outputs(self, x: Any) -> Iterable[Labels]:
        length = len(ChainInput.of_one(x).tokens.indptr) - 1
        return product(range(self.n_labels), repeat=length)

    def public_weights(self, w: Floats) -> Floats:
        """Native weights in the layout of ``joint_feature``."""
        return np.ascontiguousarray(w.reshape(self.rows, -1)[:, : self.n_labels]).ravel()

    def from_public(self, w: Floats) -> Floats:
        """The other way."""
        native = np.zeros((self.rows, _core.padded(self.n_labels)))
        native[:, : self.n_labels] = w.reshape(self.rows, self.n_labels)
        return native.ravel()

    def joint_features(self, X: ChainInput, examples: Indices, labels: Indices) -> sp.csr_array:
        """``Psi`` of several labelled sequences as rows; ``labels`` are those of their tokens, one after the other."""
        lengths = X.tokens.lengths[examples]
        ends = np.cumsum(lengths)
        starts = ends - lengths
        owner = np.repeat(np.arange(examples.size), lengths)
        token = np.arange(labels.size) - np.repeat(starts, lengths) + np.repeat(X.tokens.offsets[examples], lengths)
        parts = [_cells(X.tokens, token, owner, labels, self.n_labels)]
        position = np.arange(labels.size) - np.repeat(starts, lengths)
        if self.constant:
            index = self.n_features * self.n_labels + labels.astype(np.int64)
            parts.append((owner, index, np.full(labels.size, float(self.constant))))
        base = self.columns
        if X.pairs is not None:
            later = np.flatnonzero(position >= 1)
            previous = labels[later - 1].astype(np.int64)
            found, column, value = _cells(X.pairs, token[later], np.arange(later.size), np.zeros(1, np.int32), 1)
            index = (base + column * self.n_labels + previous[found]) * self.n_labels + labels[later][found]
            parts.append((owner[later][found], index.astype(np.int64), value))
            base += self.n_pair_features * self.n_labels
        if self.ends:
            for end, token_at in enumerate((starts, ends - 1)):
                index = (base + end) * self.n_labels + labels[token_at].astype(np.int64)
                parts.append((np.arange(examples.size), index, np.full(examples.size, self.eta)))
        base += 2
        for k in range(1, self.order + 1):
            later = np.flatnonzero(position >= k)
            state = np.zeros(later.size, dtype=np.int64)
            for back in range(k, 0, -1):
                state = state * self.n_labels + labels[later - back]
            index = (base + state) * self.n_labels + labels[later]
            parts.append((owner[later], index, np.full(later.size, self.eta)))
            base += self.n_labels**k
        row, index, value = (np.concatenate(column) for column in zip(*parts))
        return sp.coo_array((value, (row, index)), shape=(examples.size, self.rows * self.n_labels)).tocsr()

    def _label_numbers(self, Y: Any, X: Sequences) -> Indices:
        if isinstance(Y, list | tuple) and len(Y) and hasattr(Y[0], "__len__"):  # as the outputs of a Problem
            return pack_labels(Y, X, classes=np.arange(self.n_labels))[1]
        labels = np.asarray(Y)
        if labels.ndim != 1 or labels.dtype.kind not in "iu":
            raise ValueError(
                "Y must be one array of label numbers, one for each token; ChainSVC takes labels of any kind."
            )
        bad = np.flatnonzero((labels < 0) | (labels >= self.n_labels))
        if bad.size:
            raise ValueError(f"The label of token {bad[0]} is {labels[bad[0]]}; labels are 0 to {self.n_labels - 1}.")
        return np.ascontiguousarray(labels, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class ChainInput:
    """Packed sequences and, where there are any, the features tied to pairs of labels, for the same tokens.

    ``units`` are the tokens as unit vectors whose inner products are those of a kernel (``KernelCache.unit_rows``).
    """

    tokens: Sequences
    pairs: Sequences | None = None
    units: _core.Rows | None = None

    @classmethod
    def of(cls, X: Any) -> ChainInput:
        return X if isinstance(X, ChainInput) else cls(pack(X))

    @classmethod
    def of_one(cls, x: Any) -> ChainInput:
        """From one sequence: a matrix, or a pair of matrices."""
        if isinstance(x, ChainInput):
            return x
        return cls(pack([x[0]]), pack([x[1]])) if isinstance(x, tuple) else cls(pack([x]))

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, key: Any) -> Any:
        """Sequence ``key`` as a pair of CSR arrays (one where there are no pairs), or the ``ChainInput`` of several."""
        tokens, pairs = self.tokens[key], None if self.pairs is None else self.pairs[key]
        if isinstance(tokens, Sequences):
            return ChainInput(tokens, pairs)
        return tokens if pairs is None else (tokens, pairs)

    @property
    def shape(self) -> tuple[int]:
        """``(n_sequences,)``, by which scikit-learn tells that many sequences can be picked at once."""
        return (len(self),)

    def check_filled(self) -> None:
        """Raises for a sequence from which nothing can be learned."""
        empty = np.flatnonzero(self.tokens.lengths == 0)
        if empty.size:
            first = int(empty[0])
            raise SequenceError(f"Sequence {first} is empty; leave it out, or give it at least one token.", first)

    def check(self, n_features: int, n_pair_features: int) -> None:
        if self.tokens.n_features != n_features:
            raise ValueError(f"X has {self.tokens.n_features} features, but {n_features} are expected.")
        found = 0 if self.pairs is None else self.pairs.n_features
        if found != n_pair_features:
            raise ValueError(f"X has {found} pair features, but {n_pair_features} are expected.")
        if self.pairs is not None and not np.array_equal(self.pairs.offsets, self.tokens.offsets):
            raise ValueError("The pair features do not have the same sequences as the features of tokens.")


def as_token_rows(X: Sequences, constant: float) -> _core.Rows:
    """The tokens as rows of the native core, read in place."""
    return _core.Rows(X.values, X.indices, X.indptr, X.n_features, constant, False)


def _as_labels(found: Indices) -> Labels:
    return tuple(found.tolist())


def _cells(
    X: Sequences, token: npt.NDArray[Any], owner: npt.NDArray[Any], labels: Indices, stride: int
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64], Floats]:
    """(owner, column * stride + label, value) of every stored cell of the tokens."""
    counts = np.diff(X.indptr)[token]
    first = np.repeat(X.indptr[token] - np.cumsum(counts) + counts, counts)
    cell = np.arange(int(counts.sum())) + first
    label = np.repeat(np.broadcast_to(labels, token.shape), counts).astype(np.int64)
    value = np.ones(cell.size) if X.values is None else X.values[cell].astype(np.float64)
    return np.repeat(owner, counts), X.indices[cell].astype(np.int64) * stride + label, value

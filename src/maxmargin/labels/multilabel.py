"""Label vectors: ``Psi(x, y)`` is ``x`` in the slot of every label that is set, and 1 for every pair of set labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.labels.loss import LOSSES, LabelLoss, bound_loss, label_losses
from maxmargin.labels.oracle import MultilabelOracle
from maxmargin.labels.pairs import search_method
from maxmargin.rows.matrices import as_rows, bound_rows

Floats = npt.NDArray[np.float64]
Vector = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Multilabel:
    """``F(x, y; w) = sum_k y_k <w_k, x> + eta * sum_p v_p y_j(p) y_k(p)`` over ``y`` in ``{0, 1}^n_labels``.

    A pair has one weight, for both labels being set. With a constant among the features it can express whatever four
    weights, one for each state of the pair, can: the other three states are sums of a constant, ``y_j`` and ``y_k``.

    As a ``Problem`` it takes a feature vector as ``x``, a tuple of 0 and 1 as ``y``, and weights of shape
    (n_labels * n_features + pairs,): the slots of the labels one after the other, then the pairs. ``bind`` gives the
    native oracle, whose weights are feature-major and padded.

    Parameters
    ----------
    n_labels : number of labels
    pairs : labels that interact, shape (pairs, 2); none by default
    loss_name : ``'hamming'`` (number of wrong labels), ``'f1'`` (``1 - F1`` of the example) or ``'zero-one'``
    costs : of the wrong labels, in place of 1, for the Hamming loss; shape (n_labels,), or (n_labels, 2) for labels
        that are set and should not be, and for labels that are missed
    eta : factor on the features of pairs
    """

    n_labels: int
    pairs: Any = ()
    loss_name: str = "hamming"
    costs: Any = None
    eta: float = 1.0

    def __post_init__(self) -> None:
        if self.n_labels < 1:
            raise ValueError(f"n_labels must be at least 1, not {self.n_labels}.")
        if self.loss_name not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(map(repr, LOSSES))}, not {self.loss_name!r}.")
        object.__setattr__(self, "pairs", np.asarray(self.pairs, dtype=np.int32).reshape(-1, 2))
        costs = np.ones(self.n_labels) if self.costs is None else np.asarray(self.costs, dtype=np.float64)
        object.__setattr__(self, "costs", np.stack([costs, costs], axis=1) if costs.ndim == 1 else costs)

    @cached_property
    def method(self) -> str:
        """How the best label vector is found: ``'forest'``, ``'list'`` or ``'branch'``."""
        return search_method(self.n_labels, self.pairs)

    def joint_feature(self, x: Any, y: Vector) -> Floats:
        row, on = _as_row(x), np.asarray(y, dtype=np.float64)
        both = self.eta * on[self.pairs[:, 0]] * on[self.pairs[:, 1]]
        return np.concatenate([np.outer(on, row).ravel(), both])

    def loss(self, y_true: Vector, y: Vector) -> float:
        return float(self.losses(np.asarray(y_true), np.asarray(y)))

    def losses(self, Y_true: Any, Y: Any) -> Floats:
        """Of many label vectors, the rows of two arrays."""
        return label_losses(self.loss_name, self.costs, Y_true, Y)

    def argmax(self, x: Any, w: Floats, y_true: Vector | None = None) -> Vector:
        row = _as_row(x)[None, :]
        if y_true is None:
            return _as_vector(self.decode(as_rows(row, 0.0, False), self.from_public(w, row.shape[1]), 1)[0])
        oracle = self.bind(row, [y_true], Formulation())
        return _as_vector(oracle.worst(self.from_public(w, row.shape[1]), np.zeros(1, np.int32))[1])

    def kbest(self, x: Any, w: Floats, k: int) -> list[Vector]:
        row = _as_row(x)[None, :]
        core = self.core(as_rows(row, 0.0, False))
        found, scores = core.decode_lists(self.from_public(w, row.shape[1]), k, 1)
        return [_as_vector(y) for y, score in zip(found.reshape(k, self.n_labels), scores) if score > -np.inf]

    def outputs(self, x: Any) -> Iterable[Vector]:
        return product((0, 1), repeat=self.n_labels)

    @property
    def zero_one(self) -> bool:
        return self.loss_name == "zero-one"

    def core(
        self, rows: _core.Rows, truths: npt.NDArray[np.uint8] | None = None, loss: LabelLoss | None = None
    ) -> _core.Labels:
        """The native form of examples and, for training, of their label vectors and the loss."""
        if loss is None:
            loss = bound_loss("hamming", self.costs, Formulation(mistakes=True), np.zeros(0, np.int64), self.method)
        return _core.Labels(
            rows,
            truths,
            self.n_labels,
            self.pairs,
            float(self.eta),
            self.method,
            loss.goal,
            loss.costs,
            loss.units,
            loss.margin,
            loss.scale,
            loss.table_start,
        )

    def bind(
        self,
        X: Any,
        Y: Any,
        formulation: Formulation,
        *,
        sample_weight: Floats | None = None,
        threads: int = 1,
    ) -> MultilabelOracle:
        """The native oracle for a matrix (or packed rows) and label vectors."""
        rows = bound_rows(X)
        truths = self._vectors(Y)
        if len(truths) != rows.n:
            raise ValueError(f"X has {rows.n} examples and Y has {len(truths)}; they must match.")
        loss = bound_loss(self.loss_name, self.costs, formulation, truths.sum(axis=1, dtype=np.int64), self.method)
        return MultilabelOracle(self, rows, truths, loss, formulation, sample_weight, threads)

    def _vectors(self, Y: Any) -> npt.NDArray[np.uint8]:
        truths = np.asarray(Y)
        wanted = f"{self.n_labels} numbers that are 0 or 1; MultilabelSVC takes labels of other kinds."
        if truths.ndim != 2 or truths.shape[1] != self.n_labels:
            raise ValueError(f"Y has shape {truths.shape}; each example needs a vector of {wanted}")
        bad = np.flatnonzero(((truths != 0) & (truths != 1)).any(axis=1))
        if bad.size:
            raise ValueError(f"The label vector of example {bad[0]} is {truths[bad[0]]}; each needs {wanted}")
        return np.ascontiguousarray(truths, dtype=np.uint8)

    def decode(self, rows: _core.Rows, w: Floats, threads: int) -> npt.NDArray[np.uint8]:
        """The best label vector of every example at native weights, shape (n, n_labels)."""
        found: npt.NDArray[np.uint8] = self.core(rows).decode(w, threads)[0]
        return found.reshape(-1, self.n_labels)

    def to_coef(self, w: Floats) -> tuple[Floats, Floats]:
        """Native weights as (n_labels, columns) and (pairs,)."""
        stride = _core.padded(self.n_labels)
        size = w.size - _core.padded(len(self.pairs))
        coef = np.ascontiguousarray(w[:size].reshape(-1, stride)[:, : self.n_labels].T)
        return coef, np.array(w[size : size + len(self.pairs)])

    def from_coef(self, coef: Floats, interaction: Floats) -> Floats:
        """(n_labels, columns) and (pairs,) as native weights."""
        unary = np.zeros((coef.shape[1], _core.padded(self.n_labels)))
        unary[:, : self.n_labels] = coef.T
        pairs = np.zeros(_core.padded(len(self.pairs)))
        pairs[: len(self.pairs)] = interaction
        return np.concatenate([unary.ravel(), pairs])

    def public_weights(self, w: Floats) -> Floats:
        """Native weights in the layout of ``joint_feature``."""
        coef, interaction = self.to_coef(w)
        return np.concatenate([coef.ravel(), interaction])

    def from_public(self, w: Floats, columns: int) -> Floats:
        """The other way."""
        size = self.n_labels * columns
        return self.from_coef(w[:size].reshape(self.n_labels, columns), w[size:])


def _as_row(x: Any) -> Floats:
    return np.asarray(x.toarray() if sp.issparse(x) else x, dtype=np.float64).ravel()


def _as_vector(y: npt.NDArray[Any]) -> Vector:
    return tuple(y.tolist())

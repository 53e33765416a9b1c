"""Multiclass classification: ``Psi(x, k)`` is ``x`` in the ``k``-th of ``n_classes`` slots (Crammer and Singer)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.input_checks import check_sparse
from maxmargin.rescaling import Formulation
from maxmargin.structures.class_losses import ClassLosses, class_losses
from maxmargin.structures.multiclass_oracle import MulticlassOracle

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Multiclass:
    """Classes ``0 .. n_classes - 1`` with a cost matrix as loss.

    As a ``Problem`` it takes a feature vector as ``x``, a class number as ``y``, and weights of shape
    (n_classes * n_features,), the slots one after the other. ``bind`` gives the native oracle, whose weights are
    feature-major and padded; ``to_coef`` and ``from_coef`` translate.

    Parameters
    ----------
    n_classes : number of classes
    cost : ``cost[y_true, y]``, shape (n_classes, n_classes), zero on the diagonal; None is the zero-one loss
    """

    n_classes: int
    cost: Any = None

    def __post_init__(self) -> None:
        if self.n_classes < 2:
            raise ValueError(f"n_classes must be at least 2, not {self.n_classes}.")
        object.__setattr__(self, "cost", checked_cost(self.cost, self.n_classes))

    def joint_feature(self, x: Any, y: int) -> Floats:
        x = x.toarray().ravel() if sp.issparse(x) else np.asarray(x, dtype=np.float64)
        slots = np.zeros((self.n_classes, x.size))
        slots[y] = x
        return slots.ravel()

    def loss(self, y_true: int, y: int) -> float:
        return float(self.costs[y_true, y])

    def argmax(self, x: Any, w: Floats, y_true: int | None = None) -> int:
        scores = self._scores(x, w)
        return int(np.argmax(scores if y_true is None else scores + self.costs[y_true]))

    def kbest(self, x: Any, w: Floats, k: int) -> list[int]:
        return [int(y) for y in np.argsort(-self._scores(x, w), kind="stable")[:k]]

    def outputs(self, x: Any) -> Iterable[int]:
        return range(self.n_classes)

    @property
    def zero_one(self) -> bool:
        return self.cost is None

    @property
    def losses(self) -> ClassLosses:
        return class_losses(self.cost, self.n_classes)

    @property
    def costs(self) -> Floats:
        """The loss as a matrix."""
        costs: Floats = 1.0 - np.eye(self.n_classes) if self.cost is None else self.cost
        return costs

    def _scores(self, x: Any, w: Floats) -> Floats:
        return np.asarray(w.reshape(self.n_classes, -1) @ (x.toarray().ravel() if sp.issparse(x) else x))

    def bind(
        self,
        X: _core.Rows,
        Y: Indices,
        formulation: Formulation,
        *,
        sample_weight: Floats | None = None,
        threads: int = 1,
    ) -> MulticlassOracle:
        """The native oracle for a matrix (or packed rows) and class numbers."""
        rows, labels = bound_input(X, Y, self.n_classes)
        return MulticlassOracle(self.n_classes, self.cost, rows, labels, formulation, sample_weight, threads)

    def public_weights(self, w: Floats) -> Floats:
        """Native weights in the layout of ``joint_feature``."""
        return self.to_coef(w).ravel()

    def to_coef(self, w: Floats) -> Floats:
        """Native weights as (n_classes, columns)."""
        return np.ascontiguousarray(w.reshape(-1, _core.padded(self.n_classes))[:, : self.n_classes].T)

    def from_coef(self, coef: Floats) -> Floats:
        """(n_classes, columns) as native weights."""
        return feature_major(coef)


def bound_input(X: Any, Y: Any, n_classes: int) -> tuple[_core.Rows, Indices]:
    """Packed rows and class numbers that fit together."""
    rows = bound_rows(X)
    labels = _class_numbers(Y, n_classes)
    if labels.size != rows.n:
        raise ValueError(f"X has {rows.n} examples and Y has {labels.size}; they must match.")
    return rows, labels


def bound_rows(X: Any) -> _core.Rows:
    """A matrix, or a list of rows, packed for training; rows that are packed have been checked before."""
    if isinstance(X, _core.Rows):
        return X
    matrix = _as_matrix(X)
    rows = as_rows(matrix, 0.0, True)
    check_values(rows, matrix)
    return rows


def _class_numbers(Y: Any, n_classes: int) -> Indices:
    labels = np.asarray(Y)
    allowed = f"classes are the integers 0 to {n_classes - 1}; MulticlassSVC takes labels of any kind."
    if labels.ndim != 1 or labels.dtype.kind not in "biu":
        odd = next((i for i, y in enumerate(Y) if not isinstance(y, int | np.integer | float) or y != int(y)), 0)
        raise ValueError(f"The class of example {odd} is {Y[odd]!r}; {allowed}")
    bad = np.flatnonzero((labels < 0) | (labels >= n_classes))
    if bad.size:
        raise ValueError(f"The class of example {bad[0]} is {labels[bad[0]]}; {allowed}")
    return np.ascontiguousarray(labels, dtype=np.int32)


def feature_major(coef: Floats) -> Floats:
    """(slots, columns) as native weights: one padded row a column."""
    w = np.zeros((coef.shape[1], _core.padded(len(coef))))
    w[:, : len(coef)] = coef.T
    return w.ravel()


def as_rows(X: Any, bias: float, analyse: bool, copy_density: float = 0.2) -> _core.Rows:
    """Packs a validated matrix; ``analyse`` prepares it for training (norms, non-finite values, zeros).

    ``copy_density`` is the share of non-zero cells up to which a dense matrix is copied; see ``pack.hpp``.
    """
    if not sp.issparse(X):
        return _core.Rows(np.ascontiguousarray(X), bias, analyse, copy_density)
    data, indices, starts = X.data, X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64)
    if _core.repeats_columns(indices, starts, X.shape[1]):
        X = sp.csr_array((data, indices, starts), shape=X.shape, copy=True)
        X.sum_duplicates()
        data, indices, starts = X.data, X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64)
    return _core.Rows(data, indices, starts, X.shape[1], bias, analyse)


def check_values(rows: _core.Rows, X: Any) -> None:
    """Raises for the first row of ``X`` with a value that is not finite, or too large to square."""
    if rows.first_bad < 0:
        return
    row = X[[rows.first_bad]].toarray().ravel() if sp.issparse(X) else X[rows.first_bad]
    column = int(np.argmax(np.where(np.isfinite(row), np.abs(row), np.inf)))
    raise ValueError(
        f"Input X contains NaN or infinity, or a value too large to square: row {rows.first_bad}, column {column} is "
        f"{row[column]}. Remove or impute it, or rescale the feature."
    )


def checked_cost(given: Any, k: int, name: str = "cost") -> Floats | None:
    """A cost matrix for ``k`` classes as floats, or None for the zero-one loss; complaints are about ``name``."""
    if given is None:
        return None
    try:
        cost = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a square matrix of numbers, or None for the zero-one loss.") from error
    if cost.shape != (k, k):
        raise ValueError(f"{name} has shape {cost.shape}; there are {k} classes, so it must be ({k}, {k}).")
    if not np.isfinite(cost).all() or (cost < 0.0).any():
        i, j = np.argwhere(~(np.isfinite(cost) & (cost >= 0.0)))[0]
        raise ValueError(f"{name}[{i}, {j}] is {cost[i, j]}; costs must be finite and at least 0.")
    if np.diag(cost).any():
        i = int(np.flatnonzero(np.diag(cost))[0])
        raise ValueError(f"{name}[{i}, {i}] is {cost[i, i]}; the right answer must cost 0.")
    return cost


def _as_matrix(X: Any) -> Any:
    if sp.issparse(X):
        check_sparse(X)
        return sp.csr_array(X)
    if isinstance(X, list | tuple) and len(X) and all(sp.issparse(row) for row in X):
        for i, row in enumerate(X):
            check_sparse(row, f"X[{i}]")
        return sp.csr_array(sp.vstack(X))
    try:
        shape = np.shape(X)
    except ValueError as error:
        raise ValueError("The rows of X have different lengths; X must be a matrix with one row an example.") from error
    if len(shape) != 2:
        raise ValueError(f"X must be a matrix with one row an example, not of {len(shape)} dimensions.")
    return np.ascontiguousarray(
        X if isinstance(X, np.ndarray) and X.dtype == np.float32 else np.asarray(X, dtype=np.float64)
    )

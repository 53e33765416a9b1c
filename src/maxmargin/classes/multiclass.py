"""Multiclass classification: ``Psi(x, k)`` is ``x`` in the ``k``-th of ``n_classes`` slots (Crammer and Singer)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.classes.losses import ClassLosses, class_losses
from maxmargin.classes.multiclass_oracle import MulticlassOracle
from maxmargin.core.formulation import Formulation
from maxmargin.rows.costs import checked_cost
from maxmargin.rows.matrices import bound_rows, feature_major

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

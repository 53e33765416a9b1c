"""Classes that know each other: ``Psi(x, y) = x (x) Lambda(y)``, where classes share output features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.classes.losses import ClassLosses, class_losses
from maxmargin.classes.multiclass import bound_input
from maxmargin.classes.output_maps import ClassFeatures, MatrixFeatures
from maxmargin.classes.output_oracle import OutputOracle
from maxmargin.core.formulation import Formulation
from maxmargin.rows.costs import checked_cost
from maxmargin.rows.matrices import feature_major

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class OutputFeatures:
    """Classes ``0 .. n_classes - 1``, the score of class ``y`` being ``sum_z Lambda[y, z] <w_z, x>``.

    With the identity as ``Lambda`` it is ``Multiclass``. As a ``Problem`` it takes a feature vector as ``x``, a class
    number as ``y``, and weights of shape (n_nodes * n_features,), one slot per node. ``bind`` gives the native oracle,
    whose weights are feature-major and padded; ``to_coef`` and ``from_coef`` translate.

    Parameters
    ----------
    features : ``Lambda``, a dense or sparse matrix of shape (n_classes, n_nodes), or ``TreeFeatures``
    cost : ``cost[y_true, y]``, zero on the diagonal; or a ``TaxonomyLoss``; None is the zero-one loss
    """

    features: Any
    cost: Any = None

    def __post_init__(self) -> None:
        given = self.features
        features: ClassFeatures = given if hasattr(given, "native") else MatrixFeatures(given)
        if features.n_classes < 2:
            raise ValueError(f"At least two classes need output features, not {features.n_classes}.")
        losses = self.cost
        if not hasattr(losses, "native"):
            losses = class_losses(checked_cost(self.cost, features.n_classes), features.n_classes)
        if losses.n_classes != features.n_classes:
            raise ValueError(f"The loss is of {losses.n_classes} classes, and {features.n_classes} have features.")
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "cost", losses)

    @property
    def n_classes(self) -> int:
        return int(self.features.n_classes)

    @property
    def n_nodes(self) -> int:
        return int(self.features.n_nodes)

    @property
    def losses(self) -> ClassLosses:
        losses: ClassLosses = self.cost
        return losses

    @property
    def zero_one(self) -> bool:
        return self.losses.zero_one

    def joint_feature(self, x: Any, y: int) -> Floats:
        x = x.toarray().ravel() if sp.issparse(x) else np.asarray(x, dtype=np.float64)
        return np.outer(self.features.matrix[[y]].toarray().ravel(), x).ravel()

    def loss(self, y_true: int, y: int) -> float:
        return float(self.losses.row(y_true)[y])

    def argmax(self, x: Any, w: Floats, y_true: int | None = None) -> int:
        scores = self._scores(x, w)
        return int(np.argmax(scores if y_true is None else scores + self.losses.row(y_true)))

    def kbest(self, x: Any, w: Floats, k: int) -> list[int]:
        return [int(y) for y in np.argsort(-self._scores(x, w), kind="stable")[:k]]

    def outputs(self, x: Any) -> Iterable[int]:
        return range(self.n_classes)

    def _scores(self, x: Any, w: Floats) -> Floats:
        nodes = w.reshape(self.n_nodes, -1) @ (x.toarray().ravel() if sp.issparse(x) else x)
        return np.asarray(self.features.matrix @ nodes)

    def bind(
        self,
        X: Any,
        Y: Any,
        formulation: Formulation,
        *,
        sample_weight: Floats | None = None,
        threads: int = 1,
    ) -> OutputOracle:
        """The native oracle for a matrix (or packed rows) and class numbers."""
        rows, labels = bound_input(X, Y, self.n_classes)
        return OutputOracle(self.features, self.losses, rows, labels, formulation, sample_weight, threads)

    def public_weights(self, w: Floats) -> Floats:
        """Native weights in the layout of ``joint_feature``."""
        return np.ascontiguousarray(self.to_coef(w)).ravel()

    def to_coef(self, w: Floats) -> Floats:
        """Native weights as (n_nodes, columns), a view."""
        return w.reshape(-1, _core.padded(self.n_nodes))[:, : self.n_nodes].T

    def from_coef(self, coef: Floats) -> Floats:
        """(n_nodes, columns) as native weights."""
        return feature_major(coef)

"""What estimators with one class per row share: reading examples, the constant feature, C, weights of examples."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from maxmargin import _core
from maxmargin.classes.losses import ClassLosses, loss_size
from maxmargin.classes.overlap import classes_overlap
from maxmargin.core.formulation import Formulation
from maxmargin.core.ranked import Ranked
from maxmargin.fitting.kernels import KernelEstimator
from maxmargin.fitting.regularisation import resolved_c
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.rows.class_weights import with_class_weight
from maxmargin.rows.columns import Columns
from maxmargin.rows.feature_scale import FeatureScale, packed
from maxmargin.rows.kernel_rows import KernelRows
from maxmargin.rows.table_input import encode_labels, read_new, read_table

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Packed rows with their constant feature, the weights of the examples, and what was done to the columns."""

    rows: _core.Rows
    weight: Floats | None
    columns: Columns | None
    scale: FeatureScale
    kernel: KernelRows | None = None  # the rows are unit vectors then

    def restored(self, w: Floats, constant: float) -> Floats:
        """Native weights, for the columns as they were given; over rows of a kernel the coefficients of these."""
        if self.kernel is not None:
            stride = w.size // (2 * self.rows.n + (constant != 0.0))
            return w[self.rows.n * stride :]
        if self.columns is None:
            return w
        copy = w.reshape(self.columns.factor.size + 1, -1).copy()
        self.columns.restore(copy, constant)
        return copy.ravel()


class ClassEstimator(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    """Base of ``MulticlassSVC`` and ``TaxonomySVC``, which say what the parameters mean."""

    C: float | str
    rescaling: str
    slack: str
    solver: Any
    class_weight: Any
    fit_intercept: bool
    intercept_scaling: float | str
    n_jobs: int | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _read_training(self, X: Any, y: Any) -> tuple[Any, npt.NDArray[np.int32]]:
        """A matrix, not yet known to be finite, and class numbers; sets ``classes_``."""
        X, y = read_table(self, X, y=y)
        self.classes_, labels = _classes_of(y)
        if self.classes_.size < 2:
            raise ValueError(
                f"y has one class only, {self.classes_[0]}; at least two classes are needed to learn anything."
            )
        return X, labels

    def _prepare(
        self,
        X: Any,
        labels: npt.NDArray[np.int32],
        sample_weight: Any,
        losses: ClassLosses,
        factor: float = 1.0,
        slack: str | None = None,
        by_rows: bool | None = None,
    ) -> TrainingData:
        """What is trained on; sets ``C_`` and ``intercept_scaling_``.

        A default C follows the size of the losses, and is multiplied by ``factor``. ``slack`` is that of the estimator
        where it is None. ``by_rows`` says whether training over rows of a kernel matrix is wanted; None, not possible.
        """
        own = check_sample_weight(sample_weight, labels.size)
        weight = self._weights(labels, own)
        kernel = None if by_rows is None else self._kernel_rows(X, own, by_rows, weight)
        scale: FeatureScale
        if kernel is not None:
            rows, scale = kernel.cache.unit_rows(), kernel.scale(weight)
        else:
            X = self._training_rows(X, own)
            rows = packed(X)
            scale = self._scale(rows, weight)
        columns = None
        if self.kernel_ is None and self.fit_intercept and self.intercept_scaling == "scale":
            columns = Columns.of(scale, X.dtype)
        if columns is not None:
            rows = packed(columns.apply(X))
            scale = FeatureScale(rows, weight)
        size = loss_size(losses, labels, weight)
        formulation = Formulation(self.rescaling, self.slack if slack is None else slack)
        self.C_ = resolved_c(self.C, lambda: factor * formulation.c_factor(size) * scale.regularisation)
        self.intercept_scaling_ = self._add_constant(rows, scale)
        return TrainingData(rows, weight, columns, scale, kernel)

    def _overlap_of_many(self, X: Any, labels: npt.NDArray[np.int32], sample_weight: Any) -> bool:
        """Whether the classes of many rows with a kernel overlap; True where rows are few or there is none."""
        if not self._has_many_rows(X):
            return True
        own = check_sample_weight(sample_weight, labels.size)
        kernel = self._resolved_kernel(X, own)
        return classes_overlap(kernel, X, labels, self._weights(labels, own), self.classes_.size)

    def _read(self, X: Any) -> Any:
        """A matrix to predict for."""
        check_is_fitted(self)
        return read_new(self, X)

    def _add_constant(self, rows: _core.Rows, scale: FeatureScale) -> float:
        """Gives the rows their constant feature and returns its value."""
        if not self.fit_intercept:
            return 0.0
        value = scale.constant if self.intercept_scaling == "scale" else float(self.intercept_scaling)
        rows.set_bias(value)
        return value

    def _weights(self, labels: npt.NDArray[np.int32], weight: Floats | None) -> Floats | None:
        return with_class_weight(self.class_weight, self.classes_, labels, weight)


def best_classes(scores: Floats, labels: npt.NDArray[Any], k: int) -> tuple[Floats, npt.NDArray[Any]]:
    """The scores and labels of the ``k`` classes of highest score of every row, best first; all where k is larger."""
    best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(scores, best, axis=1), labels[best]


def as_ranked(scores: Floats, labels: npt.NDArray[Any]) -> list[list[Ranked[Any]]]:
    """Scores and labels, shapes (n, k), as lists of named tuples."""
    return [list(map(Ranked, row, names)) for row, names in zip(scores.tolist(), labels.tolist())]


def _classes_of(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """The sorted classes and the class numbers; raises for numbers that are no classes.

    Few examples per class are no sign of those where labels are names. Whole numbers and names need no look at every
    label unless there are hardly more examples than classes.
    """
    if y.dtype.kind in "biuU":
        classes, labels = encode_labels(y)
        if 2 * classes.size <= y.size:
            return classes, labels
    with warnings.catch_warnings():
        if y.dtype.kind not in "iuf":
            warnings.filterwarnings("ignore", "The number of unique classes is greater than", UserWarning)
        check_classification_targets(y)
    return encode_labels(y)

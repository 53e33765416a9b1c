"""Multiclass classification with scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin import _core
from maxmargin.estimators.feature_scale import FeatureScale, chosen_c, packed
from maxmargin.estimators.training import job_count, positive, train
from maxmargin.io.models import save_model
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Record
from maxmargin.solvers.online import Perceptron
from maxmargin.structures.multiclass import Multiclass, as_rows

Floats = npt.NDArray[np.float64]


class MulticlassSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Multiclass support vector machine of Crammer and Singer, with any cost matrix as loss.

    Minimises ``1/2 sum_k |w_k|^2 + C * sum_i s_i * risk_i`` with, for margin rescaling and linear slack,
    ``risk_i = max_k cost[y_i, k] - <w_{y_i}, x_i> + <w_k, x_i>``.

    Parameters
    ----------
    C : weight of the sum of the risks, as in LinearSVC; ``'scale'`` adapts it to the features, see ``FeatureScale``
    cost : ``cost[i, j]``, the loss of answering ``classes_[j]`` where ``classes_[i]`` is true; None is zero-one
    rescaling, slack, solver, tol, max_iter, max_time, warm_start, random_state, callback, verbose :
        as in StructuralSVM
    class_weight : dict of class to weight, or ``'balanced'``
    fit_intercept : adds a constant feature of value ``intercept_scaling``, which is regularised like any other
    intercept_scaling : a number (1 in LinearSVC); ``'scale'`` is the size of a typical feature (``FeatureScale``), so
        that features far from zero do not make the intercept dear
    n_jobs : threads for passes over all examples (one-slack, prediction); -1 is all cores

    Attributes
    ----------
    classes_ : class labels, shape (n_classes,)
    coef_ : weights, shape (n_classes, n_features)
    intercept_ : shape (n_classes,)
    C_, intercept_scaling_ : the values that were used
    solution_, n_iter_, n_features_in_, feature_names_in_
    """

    def __init__(
        self,
        C: float | str = "scale",
        *,
        cost: Any = None,
        rescaling: str = "margin",
        slack: str = "linear",
        solver: Any = "auto",
        class_weight: Any = None,
        fit_intercept: bool = True,
        intercept_scaling: float | str = "scale",
        tol: float = 1e-3,
        max_iter: int | None = 1000,
        max_time: float | None = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        random_state: Any = 0,
        callback: Callable[[Record], Any] | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.cost = cost
        self.rescaling = rescaling
        self.slack = slack
        self.solver = solver
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MulticlassSVC:
        """Learns from a dense or CSR matrix or a data frame, and one label a row."""
        if self.fit_intercept and self.intercept_scaling != "scale":
            positive("intercept_scaling", self.intercept_scaling)
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", ensure_all_finite=False
        )
        check_classification_targets(y)
        self.classes_, labels = encode_labels(y)
        if self.classes_.size < 2:
            raise ValueError(
                f"y has one class only, {self.classes_[0]}; at least two classes are needed to learn anything."
            )
        if self.cost is not None and getattr(self.solver, "name", self.solver) == Perceptron.name:
            raise Unsupported(
                "The perceptron has no loss, so it cannot train with a cost matrix; choose another solver."
            )
        rows = packed(X)
        structure = Multiclass(self.classes_.size, self.cost)
        given = check_sample_weight(sample_weight, labels.size)
        weight = self._weights(labels, given)
        scale = FeatureScale(rows, weight)
        self.C_ = chosen_c(self.C, scale)
        self.intercept_scaling_ = self._add_constant(rows, scale)
        self.solution_ = train(self, structure, rows, labels, rows.n, self.C_, weight)
        coef = structure.to_coef(self.solution_.w)
        self.coef_ = np.ascontiguousarray(coef[:, : self.n_features_in_])
        self.intercept_ = coef[:, -1] * self.intercept_scaling_ if self.fit_intercept else np.zeros(self.classes_.size)
        self.n_iter_ = self.solution_.n_iter
        return self

    def decision_function(self, X: Any) -> Floats:
        """Scores of the classes, shape (n, n_classes); for two classes the difference, shape (n,)."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if self.classes_.size == 2 else scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of highest score, shape (n,)."""
        best = np.argmax(self._scores(X), axis=1)
        return np.asarray(self.classes_[best])

    def predict_topk(self, X: Any, k: int) -> npt.NDArray[Any]:
        """The ``k`` classes of highest score, best first, shape (n, k)."""
        scores = self._scores(X)
        if not 1 <= k <= self.classes_.size:
            raise ValueError(f"k must be between 1 and the number of classes, {self.classes_.size}, not {k}.")
        return np.asarray(self.classes_[np.argsort(-scores, axis=1, kind="stable")[:, :k]])

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a model file that ``maxmargin.load`` reads."""
        check_is_fitted(self)
        arrays = {"coef_": self.coef_, "intercept_": self.intercept_, "classes_": self.classes_}
        if hasattr(self, "feature_names_in_"):
            arrays["feature_names_in_"] = self.feature_names_in_
        save_model(path, self, arrays)

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
        structure = Multiclass(self.classes_.size)
        scores = as_rows(X, 0.0, False).scores(
            structure.from_coef(self.coef_), self.classes_.size, job_count(self.n_jobs)
        )
        return scores.reshape(-1, self.classes_.size) + self.intercept_

    def _add_constant(self, rows: _core.Rows, scale: FeatureScale) -> float:
        """Gives the rows their constant feature and returns its value."""
        if not self.fit_intercept:
            return 0.0
        value = scale.constant if self.intercept_scaling == "scale" else float(self.intercept_scaling)
        rows.set_bias(value)
        return value

    def _weights(self, labels: npt.NDArray[np.int32], weight: Floats | None) -> Floats | None:
        if self.class_weight is None:
            return weight
        try:
            by_class = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_[labels])
            by_class = np.asarray(by_class, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError("class_weight must map classes to numbers, or be 'balanced'.") from error
        if not (np.isfinite(by_class) & (by_class >= 0.0)).all():
            raise ValueError("class_weight must hold finite weights of at least 0.")
        each: Floats = by_class[labels] if weight is None else by_class[labels] * weight
        if not each.any():
            raise ValueError("class_weight and sample_weight leave every example with weight zero.")
        return each


def encode_labels(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """The sorted classes and the class number of every label."""
    if y.dtype.kind in "iu" and y.size:
        low, high = int(y.min()), int(y.max())
        if high - low < 2 * y.size and max(abs(low), abs(high)) < 2**62:  # a table is many times faster than sorting
            shifted = y.astype(np.int64) - low
            present = np.zeros(high - low + 1, dtype=bool)
            present[shifted] = True
            number = np.cumsum(present, dtype=np.int32) - 1
            return (np.flatnonzero(present) + low).astype(y.dtype), number[shifted].astype(np.int32)
    classes, labels = np.unique(y, return_inverse=True)
    return classes, labels.astype(np.int32)

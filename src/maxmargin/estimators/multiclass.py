"""Multiclass classification with scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from maxmargin import _core
from maxmargin.estimators.class_estimator import ClassEstimator
from maxmargin.estimators.multiclass_outputs import (
    chosen_classes,
    described_arrays,
    described_classes,
    difference_scale,
)
from maxmargin.estimators.training import all_or_nothing, job_count, train
from maxmargin.io.models import save_model
from maxmargin.solvers.base import Record
from maxmargin.structures.multiclass import Multiclass, feature_major
from maxmargin.structures.output_features import OutputFeatures

Floats = npt.NDArray[np.float64]


class MulticlassSVC(ClassEstimator):
    """Multiclass support vector machine of Crammer and Singer, with any cost matrix as loss.

    Minimises ``1/2 sum_k |w_k|^2 + C * sum_i s_i * risk_i`` with, for margin rescaling and linear slack,
    ``risk_i = max_k cost[y_i, k] - <w_{y_i}, x_i> + <w_k, x_i>``.

    Parameters
    ----------
    C : weight of the sum of the risks, as in LinearSVC; ``'scale'`` adapts it to the features, see ``FeatureScale``
    cost : ``cost[i, j]``, the loss of answering ``classes_[j]`` where ``classes_[i]`` is true; None is zero-one
    output_features : None, or ``Lambda`` with one row a class: the score of class y is then
        ``sum_r Lambda[y, r] <v_r, x>``, so classes with similar rows learn from each other's examples. A dense or
        sparse matrix with rows in the order of the sorted classes; ``DescribedClasses`` (texts, attributes,
        similarities), which may hold classes without examples; a mapping of labels to texts, rows or attributes; or a
        data frame whose index holds the labels
    rescaling, slack, solver, tol, max_iter, max_time, warm_start, random_state, callback, verbose :
        as in StructuralSVM
    class_weight : dict of class to weight, or ``'balanced'``
    fit_intercept : adds a constant feature of value ``intercept_scaling``, which is regularised like any other
    intercept_scaling : ``'scale'``: columns far from zero or of another size than the others are brought together
        before training (``Columns``), and the constant has the size of a typical one; a number (1 in LinearSVC) leaves
        the columns alone. ``coef_`` and ``intercept_`` are for the features as given in any case
    n_jobs : threads for passes over all examples (one-slack, prediction); -1 is all cores

    Attributes
    ----------
    classes_ : class labels, shape (n_classes,)
    coef_ : weights, shape (n_classes, n_features)
    intercept_ : shape (n_classes,)
    output_coef_, output_intercept_ : with output features the weights ``v_r`` of each, of which ``coef_`` is a mixture
    described_ : with output features the ``DescribedClasses``
    C_, intercept_scaling_ : the values that were used
    solution_, n_iter_, n_features_in_, feature_names_in_
    """

    def __init__(
        self,
        C: float | str = "scale",
        *,
        cost: Any = None,
        output_features: Any = None,
        rescaling: str = "margin",
        slack: str = "linear",
        solver: Any = "auto",
        class_weight: Any = None,
        fit_intercept: bool = True,
        intercept_scaling: float | str = "scale",
        tol: float | str = "auto",
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
        self.output_features = output_features
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MulticlassSVC:
        """Learns from a dense or CSR matrix or a data frame, and one label a row."""
        with all_or_nothing(self):
            X, labels = self._read_training(X, y)
            self._check_perceptron(self.cost is not None)
            structure = self._structure()
            factor = difference_scale(structure.features.matrix) if isinstance(structure, OutputFeatures) else 1.0
            ready = self._prepare(X, labels, sample_weight, structure.losses, factor)
            self.solution_ = train(self, structure, ready.rows, labels, labels.size, self.C_, ready.weight)
            coef = structure.to_coef(ready.restored(self.solution_.w, self.intercept_scaling_))
            intercept = coef[:, -1] * self.intercept_scaling_ if self.fit_intercept else np.zeros(len(coef))
            self.coef_, self.intercept_ = np.ascontiguousarray(coef[:, : self.n_features_in_]), intercept
            self.n_iter_ = self.solution_.n_iter
            if isinstance(structure, OutputFeatures):
                self._set_outputs(self.coef_, self.intercept_)
        return self

    def _structure(self) -> Multiclass | OutputFeatures:
        for old in ("described_", "output_coef_", "output_intercept_"):
            self.__dict__.pop(old, None)
        if self.output_features is None:
            return Multiclass(self.classes_.size, self.cost)
        self.described_ = described_classes(self.output_features, self.classes_)
        return OutputFeatures(self.described_.rows(self.classes_), self.cost)

    def _set_outputs(self, coef: Floats, intercept: Floats) -> None:
        """From the weights of output features to those of classes: ``w_y = sum_r Lambda[y, r] v_r``."""
        features = self.described_.rows(self.classes_)
        self.output_coef_, self.output_intercept_ = coef, intercept
        self.coef_, self.intercept_ = np.asarray(features @ coef), np.asarray(features @ intercept)

    def decision_function(self, X: Any, *, classes: Any = None) -> Floats:
        """Scores of the classes, shape (n, number of classes); for the two of a model the difference, shape (n,).

        ``classes`` as in ``predict``.
        """
        scores = self._scores(X, classes)[0]
        return scores[:, 1] - scores[:, 0] if classes is None and self.classes_.size == 2 else scores

    def predict(self, X: Any, *, classes: Any = None) -> npt.NDArray[Any]:
        """The class of highest score, shape (n,).

        Parameters
        ----------
        classes : None is those of the training data; with ``output_features`` also ``'all'`` that were described, a
            list of some of them, or ``DescribedClasses`` that were not known at training: they need no example
        """
        scores, labels = self._scores(X, classes)
        return np.asarray(labels[np.argmax(scores, axis=1)])

    def predict_topk(self, X: Any, k: int, *, classes: Any = None) -> npt.NDArray[Any]:
        """The ``k`` classes of highest score, best first, shape (n, k); ``classes`` as in ``predict``."""
        scores, labels = self._scores(X, classes)
        if not 1 <= k <= labels.size:
            raise ValueError(f"k must be between 1 and the number of classes, {labels.size}, not {k}.")
        return np.asarray(labels[np.argsort(-scores, axis=1, kind="stable")[:, :k]])

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a model file that ``maxmargin.load`` reads."""
        check_is_fitted(self)
        arrays = {"coef_": self.coef_, "intercept_": self.intercept_, "classes_": self.classes_}
        if hasattr(self, "feature_names_in_"):
            arrays["feature_names_in_"] = self.feature_names_in_
        if hasattr(self, "described_"):
            arrays |= {"output_coef_": self.output_coef_, "output_intercept_": self.output_intercept_}
            arrays |= described_arrays(self.described_)
        save_model(path, self, arrays, without=("output_features",))

    def _scores(self, X: Any, asked: Any) -> tuple[Floats, npt.NDArray[Any]]:
        """Scores, shape (n, number of classes), and the labels of these classes."""
        rows = self._read(X)
        if asked is None:
            return self._products(rows, self.coef_) + self.intercept_, self.classes_
        if not hasattr(self, "described_"):
            raise ValueError(
                "This model has no output features, so it knows the classes of its training data only; fit it with "
                "output_features, or leave classes out."
            )
        among = chosen_classes(asked, self.described_)
        nodes = self._products(rows, self.output_coef_) + self.output_intercept_
        return np.asarray((among.matrix @ nodes.T).T), np.array(among.labels)

    def _products(self, rows: _core.Rows, coef: Floats) -> Floats:
        return rows.scores(feature_major(coef), len(coef), job_count(self.n_jobs)).reshape(-1, len(coef))

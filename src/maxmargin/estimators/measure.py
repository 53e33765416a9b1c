"""Binary classification for a measure of the whole sample, with scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin import _core
from maxmargin.estimators.feature_scale import FeatureScale, chosen_c, packed
from maxmargin.estimators.measure_input import (
    as_sample,
    mean_unit,
    repetitions,
    two_classes,
    with_positives,
)
from maxmargin.estimators.pickling import SlimPickle
from maxmargin.estimators.query_groups import QueryGroups, read_groups
from maxmargin.estimators.table_input import read_new, read_table
from maxmargin.estimators.training import all_or_nothing, job_count, positive, train
from maxmargin.estimators.warning import warn_caller
from maxmargin.io.models import save_model
from maxmargin.measures import BinaryMeasure, Contingency, ErrorRate, as_measure
from maxmargin.measures.binary import BinaryTarget
from maxmargin.measures.threshold import best_threshold
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.base import Record, Solution, Status
from maxmargin.solvers.online import Perceptron
from maxmargin.structures.multiclass import as_rows
from maxmargin.structures.sample import Sample
from maxmargin.structures.signed import SignedRows

Floats = npt.NDArray[np.float64]


class MeasureSVC(ClassifierMixin, SlimPickle, BaseEstimator):  # type: ignore[misc]
    """Linear classifier of two classes, trained for a measure of all rows together, or of groups of them.

    Minimises ``1/2 |w|^2 + C * sum_g n_g * risk_g`` over groups of ``n_g`` rows, of which there is one unless ``fit``
    is told otherwise. For margin rescaling with linear slack

        ``risk_g = max over outputs of loss(output) - <w, Psi(truth) - Psi(output)>``,

    where an output labels (or ranks) all rows of the group and ``loss`` is one minus the measure. With
    ``measure='error_rate'`` that is ``LinearSVC(loss='hinge')`` with the same C.

    Parameters
    ----------
    measure : ``'error_rate'``, ``'f1'``, ``'fbeta(2)'``, ``'balanced_error'``, ``'mcc'``, ``'prbep'``,
        ``'precision_at_k(10)'``, ``'recall_at_k(10)'``, ``'roc_area'``, ``'average_precision'``, an object of
        ``maxmargin.measures``, or a function ``(tp, fp, fn, tn) -> loss`` of arrays that is 0 at the truth
    C : weight of the sum of the risks, as in LinearSVC; ``'scale'`` adapts it to the features (``FeatureScale``) and
        to the measure: ``n`` times the loss of its least mistakes, ``n / P`` for F1 with ``P`` positive rows
    pos_label : the label that is positive; None is the second of the sorted two
    positive_weight : how often a positive row counts in training, a whole number unless the measure is the error rate;
        2 to 10 help where a rare class is hard to tell from the rest. ``threshold_for`` counts every row once
    threshold_for : the measure for which the threshold of ``predict`` is set on the training set; None leaves it at 0,
        ``'auto'`` is ``'f1'`` where the measure is one of rankings, which say nothing about it, and None elsewhere
    rescaling, slack, solver, tol, max_iter, max_time, warm_start, random_state, callback, verbose :
        as in StructuralSVM; the slack is that of a group
    fit_intercept, intercept_scaling : as in MulticlassSVC; the threshold becomes part of ``intercept_`` in any case
    n_jobs : threads for passes over all rows; -1 is all cores

    Attributes
    ----------
    classes_ : the two labels, sorted; a score above 0 stands for the second
    coef_ : weights, shape (1, n_features)
    intercept_ : shape (1,)
    threshold_ : what ``threshold_for`` took off the scores, 0 where it did nothing
    C_, intercept_scaling_ : the values that were used
    solution_, n_iter_, n_features_in_, feature_names_in_
    """

    def __init__(
        self,
        measure: Any = "f1",
        C: float | str = "scale",
        *,
        pos_label: Any = None,
        positive_weight: float = 1.0,
        threshold_for: Any = "auto",
        rescaling: str = "margin",
        slack: str = "linear",
        solver: Any = "auto",
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
        self.measure = measure
        self.C = C
        self.pos_label = pos_label
        self.positive_weight = positive_weight
        self.threshold_for = threshold_for
        self.rescaling = rescaling
        self.slack = slack
        self.solver = solver
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
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> MeasureSVC:
        """Learns from a dense or CSR matrix or a data frame, and one of two labels a row.

        ``groups``, the name of the group of each row or the sizes of groups of consecutive rows, divides the rows: the
        measure is then that of each group, summed with the sizes as weights. ``sample_weight`` are numbers of
        repetitions; for the error rate any numbers that are not negative.
        """
        if self.fit_intercept and self.intercept_scaling != "scale":
            positive("intercept_scaling", self.intercept_scaling)
        positive("positive_weight", self.positive_weight)
        measure, cut_for = as_measure(self.measure), self._threshold_measure()
        if getattr(self.solver, "name", self.solver) == Perceptron.name and not isinstance(measure, ErrorRate):
            raise Unsupported(
                f"The perceptron has no loss, so it cannot train for {measure.name}; choose another solver."
            )
        with all_or_nothing(self):
            X, y = read_table(self, X, y=y)
            self.classes_, truth = two_classes(y, self.pos_label)
            rows = packed(X, copy_density=0.5)
            weight = check_sample_weight(sample_weight, rows.n)
            counted = with_positives(weight, truth, self.positive_weight, measure)
            scale = FeatureScale(rows, counted)
            self.C_ = chosen_c(self.C, scale)
            self.intercept_scaling_ = self._add_constant(rows, scale)
            self.solution_ = self._trained(
                measure, rows, truth, None if groups is None else read_groups(groups, rows.n), counted
            )
            self.n_iter_ = self.solution_.n_iter
            self._set_weights(rows, truth, weight, cut_for)
            if self.solution_.status is Status.CONVERGED and not self.coef_.any():
                warn_caller(
                    f"All weights are 0: within tol no others bound the loss of {measure.name} better than one class "
                    "for all rows does. Raise positive_weight (2 to 10), or C.",
                    UserWarning,
                )
        return self

    def decision_function(self, X: Any) -> Floats:
        """Scores of the rows, shape (n,); above 0 for ``classes_[1]``."""
        check_is_fitted(self)
        X = read_new(self, X)
        scores: Floats = as_rows(X, 0.0, False).products(self.coef_[0], None, job_count(self.n_jobs))
        scores += self.intercept_[0]
        return scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The label of each row, shape (n,)."""
        second = self.decision_function(X) > 0.0
        return np.asarray(self.classes_[second.astype(np.intp)])

    def score(self, X: Any, y: Any, groups: Any = None) -> float:
        """The measure of the scores, larger is better (one minus the loss for a function of your own); with ``groups``
        the mean over them."""
        scores = self.decision_function(X)
        y = np.asarray(y)
        if y.shape != scores.shape:
            raise ValueError(f"X has {scores.size} rows and y has shape {y.shape}; one label a row is needed.")
        unknown = np.flatnonzero(~np.isin(y, self.classes_))
        if unknown.size:
            raise ValueError(
                f"The label of row {unknown[0]} is {y[unknown[0]]!r}, and the model knows {self.classes_.tolist()}."
            )
        label = self.classes_[1] if self.pos_label is None else self.pos_label
        truth, measure = y == label, as_measure(self.measure)
        oriented = scores if label == self.classes_[1] else -scores
        if groups is None:
            return measure.value(oriented, measure.prepare(truth, "the sample"))
        chosen = read_groups(groups, scores.size)
        values = [
            measure.value(oriented[rows], measure.prepare(truth[rows], name))
            for rows, name in zip(chosen.rows, chosen.names)
        ]
        return float(np.mean(values))

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a model file that ``maxmargin.load`` reads."""
        check_is_fitted(self)
        arrays = {"coef_": self.coef_, "intercept_": self.intercept_, "classes_": self.classes_}
        if hasattr(self, "feature_names_in_"):
            arrays["feature_names_in_"] = self.feature_names_in_
        save_model(path, self, arrays, structure={"threshold_": self.threshold_})

    def _threshold_measure(self) -> Contingency | None:
        if self.threshold_for is None:
            return None
        if isinstance(self.threshold_for, str) and self.threshold_for == "auto":
            return as_measure("f1") if as_measure(self.measure).ranking else None  # type: ignore[return-value]
        measure = as_measure(self.threshold_for, "threshold_for")
        if not isinstance(measure, Contingency):
            raise ValueError(
                f"threshold_for={self.threshold_for!r} does not depend on a threshold; choose a measure of labels "
                "such as 'f1', 'auto' or None."
            )
        return measure

    def _add_constant(self, rows: _core.Rows, scale: FeatureScale) -> float:
        """Gives the rows their constant feature and returns its value."""
        if not self.fit_intercept:
            return 0.0
        value = scale.constant if self.intercept_scaling == "scale" else float(self.intercept_scaling)
        rows.set_bias(value)
        return value

    def _trained(
        self,
        measure: BinaryMeasure,
        rows: _core.Rows,
        truth: npt.NDArray[np.bool_],
        groups: QueryGroups | None,
        weight: Floats | None,
    ) -> Solution:
        by_rows = (self.rescaling, self.slack) == ("margin", "linear") and isinstance(measure, ErrorRate)
        if by_rows:  # a sum over rows, whatever their groups
            return train(self, SignedRows(), rows, truth, rows.n, self.C_, weight)
        sample = as_sample(rows, groups, repetitions(weight, truth, measure.name))
        if isinstance(self.C, str):
            self.C_ *= mean_unit(measure, sample, truth)
        sizes = np.array([rows.n if group is None else group.size for group in sample.members], dtype=np.float64)
        return train(self, Sample(measure), sample, truth, len(sizes), self.C_, sizes)

    def _set_weights(
        self, rows: _core.Rows, truth: npt.NDArray[np.bool_], weight: Floats | None, cut_for: Contingency | None
    ) -> None:
        w = np.ascontiguousarray(self.solution_.w)
        self.threshold_ = 0.0
        if cut_for is not None:
            scores, counted = rows.products(w, None, job_count(self.n_jobs)), repetitions(weight, truth, cut_for.name)
            if counted is not None:
                scores, truth = np.repeat(scores, counted), np.repeat(truth, counted)
            self.threshold_ = best_threshold(scores, BinaryTarget(truth), cut_for)
        sign = 1.0 if self.pos_label is None or self.pos_label == self.classes_[1] else -1.0
        constant = w[-1] * self.intercept_scaling_ if self.fit_intercept else 0.0
        self.coef_ = sign * w[None, : self.n_features_in_]
        self.intercept_ = sign * np.array([constant - self.threshold_])

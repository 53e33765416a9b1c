"""Binary classification for a measure of the whole sample, with scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.fitting.estimator import FileParts, saved
from maxmargin.fitting.kernels import KERNEL, KernelEstimator
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.fitting.parameters import ANYTHING, INTERCEPT, MARGINS, TRAINING, Allowed
from maxmargin.fitting.training import job_count, refuse_loss
from maxmargin.groups.base import BinaryMeasure
from maxmargin.measures.contingency import Contingency, ErrorRate
from maxmargin.measures.input import class_weighted, two_classes
from maxmargin.measures.model_file import measure_parts, restore_measure
from maxmargin.measures.naming import as_measure
from maxmargin.measures.reduction import Given, Reduced, reduced
from maxmargin.measures.selection import Candidate, measured
from maxmargin.measures.structural import Structural, structural
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.rows.columns import Columns, near_columns
from maxmargin.rows.feature_scale import packed
from maxmargin.rows.kernel_rows import KernelRows
from maxmargin.rows.matrices import as_rows
from maxmargin.rows.query_groups import read_groups
from maxmargin.rows.table_input import read_new, read_table
from maxmargin.solvers.base import Record

Floats = npt.NDArray[np.float64]


@saved
@dataclass(eq=False, repr=False)
class MeasureSVC(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    """Classifier of two classes, linear or with a kernel, trained for a measure of all rows together or of groups.

    With ``method='auto'`` rows are trained one by one, with the logistic loss or the squared hinge,

        ``1/2 sum_j p_j w_j^2 + C * sum_i loss(y_i <w, x_i>)``,

    and the measure decides: which of the losses, which C on a path of them, whether columns are taken in units of
    their standard deviation (``p_j``) and, for the balanced error, whether rows are weighed so that both classes count
    the same, is chosen by the measure of scores on folds of the training rows, and the
    threshold of ``predict`` on the same scores, none of them by a model that has seen the row. Then the best is
    trained on all rows.

    ``method='structural'`` minimises ``1/2 |w|^2 + C * sum_g n_g * risk_g`` over groups of ``n_g`` rows, of which
    there is one unless ``fit`` is told otherwise. For margin rescaling with linear slack

        ``risk_g = max over outputs of loss(output) - <w, Psi(truth) - Psi(output)>``,

    where an output labels (or ranks) all rows of the group and ``loss`` is one minus the measure: a bound of the loss,
    which is of no use where the classes overlap much (``w = 0`` is then its minimum). With ``measure='error_rate'``
    that is ``LinearSVC(loss='hinge')`` with the same C.

    Parameters
    ----------
    measure : ``'error_rate'``, ``'f1'``, ``'fbeta(2)'``, ``'balanced_error'``, ``'mcc'``, ``'prbep'``,
        ``'precision_at_k(10)'``, ``'recall_at_k(10)'``, ``'roc_area'``, ``'average_precision'``, an object of
        ``maxmargin.measures``, or a function ``(tp, fp, fn, tn) -> loss`` of arrays that is 0 at the truth
    C : weight of the sum of the losses; ``'scale'`` adapts it to the features (``FeatureScale``) and, with
        ``method='auto'``, is where the path begins, with ``'structural'`` times the unit of the measure: ``n`` times
        the loss of its least mistakes, ``n / P`` for F1 with ``P`` positive rows. A number is kept as it is
    method : ``'auto'`` or ``'structural'``
    pos_label : the label that is positive; None is the second of the sorted two
    threshold_for : the measure for which the threshold of ``predict`` is set; None leaves it at 0, ``'auto'`` is
        ``'f1'`` where the measure is one of rankings, which say nothing about it; elsewhere it is the measure itself,
        and None for ``'structural'``, which brings its own threshold
    kernel, rank : as in MulticlassSVC
    class_weight : weights of the two classes, a dictionary or ``'balanced'``: a row of a class counts so often, in
        training and in the measure. For ``'structural'`` they are whole numbers unless the measure is the error rate
    rescaling, slack, solver : as in StructuralSVM, for ``method='structural'`` only; the slack is that of a group
    fit_intercept, intercept_scaling : as in MulticlassSVC; the threshold always becomes part of ``intercept_``.
        ``'scale'`` makes the constant feature of ``method='auto'`` so large that its weight costs next to nothing
    tol : training stops when the gap is at most ``tol`` times what weights can gain over none; for ``'structural'``
        when it is at most ``C * n * tol``
    max_iter, max_time : as in StructuralSVM; ``max_time`` is for everything, ``max_iter`` for the fit on all rows
    n_jobs : threads for folds and for passes over all rows; -1 is all cores
    warm_start : as in StructuralSVM for ``method='structural'``; with ``'auto'`` the path of C begins where the fit
        before ended
    random_state, callback, verbose : as in StructuralSVM; nothing is random in ``method='auto'``, and ``callback`` is
        for the fit on all rows

    Attributes
    ----------
    classes_ : the two labels, sorted; a score above 0 stands for the second
    coef_ : weights, shape (1, n_features); with a kernel coefficients of the reference rows
    intercept_ : shape (1,)
    threshold_ : what ``threshold_for`` took off the scores, 0 where it did nothing
    loss_ : ``'logistic'``, ``'squared_hinge'`` or ``'structural'``
    C_, intercept_scaling_ : the values that were used
    kernel_ : as in MulticlassSVC
    support_ : with a kernel the numbers of its reference rows in the X of ``fit``; None where they are not from there
    candidates_ : what was tried, in order: ``loss``, ``C``, ``standardised``, ``balanced`` and ``value``, the measure
        on held-out scores
    value_ : that of the candidate that was chosen; None where there was no choice
    solution_ : of the problem that was solved last, that of ``loss_`` with ``C_`` on all rows, with its objective and
        gap
    n_iter_, n_features_in_, feature_names_in_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {
        **TRAINING,
        **MARGINS,
        **INTERCEPT,
        "measure": ANYTHING,
        "method": ("auto", "structural"),
        "pos_label": ANYTHING,
        "threshold_for": ANYTHING,
        **KERNEL,
        "class_weight": ANYTHING,
    }

    measure: Any = "f1"
    C: float | str = "scale"
    _: KW_ONLY
    method: str = "auto"
    pos_label: Any = None
    threshold_for: Any = "auto"
    kernel: Any = "linear"
    rank: Any = None
    class_weight: Any = None
    rescaling: str = "margin"
    slack: str = "linear"
    solver: Any = "auto"
    fit_intercept: bool = True
    intercept_scaling: float | str = "scale"
    tol: float | str = "auto"
    max_iter: int | None = 1000
    max_time: float | None = None
    n_jobs: int | None = None
    warm_start: bool = False
    random_state: Any = 0
    callback: Callable[[Record], Any] | None = None
    verbose: int = 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, *, groups: Any = None, sample_weight: Any = None) -> MeasureSVC:
        """Learns from a dense or CSR matrix or a data frame, and one of two labels per row.

        ``groups``, the name of the group of each row or the sizes of groups of consecutive rows, divides the rows: the
        measure is then that of each group; folds of ``method='auto'`` are made of whole groups. ``sample_weight`` says
        how often a row counts, whole numbers for ``method='structural'`` unless the measure is the error rate.
        """
        with self._fitting():
            measure, cut_for = as_measure(self.measure), self._threshold_measure()
            self._check_method(measure)
            sparse = sp.issparse(X)
            X, y = read_table(self, X, y=y)
            self.classes_, truth = two_classes(y, self.pos_label)
            own = check_sample_weight(sample_weight, X.shape[0])
            X = self._brought_together(X, own)
            kernel = self._kernel_rows(X, own, True) if self.method == "structural" else None
            X = self._training_rows(X, own) if kernel is None else X
            rows = packed(X, copy_density=0.5) if kernel is None else kernel.cache.unit_rows()
            weight = class_weighted(self, y, own, measure)
            linear = self.kernel_ is None
            free = self.method != "structural" and self.fit_intercept and self.intercept_scaling == "scale"
            rows, columns = near_columns(X, rows, weight, 0.5) if free and linear else (rows, None)
            parts = None if groups is None else read_groups(groups, rows.n)
            self.candidates_: tuple[Candidate, ...] = ()
            self.value_: float | None = None
            found: Structural | Reduced
            if self.method == "structural":
                found = structural(self, measure, cut_for, rows, truth, parts, weight)
                self.loss_ = "structural"
            else:
                found = reduced(self, measure, cut_for, Given(rows, truth, weight, parts), sparse or not linear)
                self.loss_, self.value_ = found.chosen.loss, found.chosen.value
                self.candidates_ = found.tried
            self._keep(found.solution)
            self.threshold_, self.intercept_scaling_ = found.threshold, found.constant
            self._set_weights(columns)
        return self

    def _check_method(self, measure: BinaryMeasure) -> None:
        if self.method == "structural":
            refuse_loss(self.solver, None if isinstance(measure, ErrorRate) else f"for {measure.name}")
            return
        for name, usual in (("rescaling", "margin"), ("slack", "linear"), ("solver", "auto")):
            if getattr(self, name) != usual:
                raise ValueError(
                    f"{name}={getattr(self, name)!r} is for method='structural'; name that method, or leave {name} out."
                )

    def decision_function(self, X: Any) -> Floats:
        """Scores of the rows, shape (n,); above 0 for ``classes_[1]``."""
        check_is_fitted(self)
        X, coef = self._scored(read_new(self, X), self.coef_)
        scores: Floats = as_rows(X, 0.0, False).products(coef[0], None, job_count(self.n_jobs))
        scores += self.intercept_[0]
        return scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The label of each row, shape (n,)."""
        second = self.decision_function(X) > 0.0
        return np.asarray(self.classes_[second.astype(np.intp)])

    def score(self, X: Any, y: Any, *, groups: Any = None, sample_weight: Any = None) -> float:
        """The measure of the scores, larger is better (one minus the loss for a function of your own); with ``groups``
        the mean over them. ``sample_weight`` says how often a row counts in the measure."""
        scores = self.decision_function(X)
        y = np.asarray(y)
        if y.shape != scores.shape:
            raise ValueError(f"X has {scores.size} rows and y has shape {y.shape}; one label per row is needed.")
        unknown = np.flatnonzero(~np.isin(y, self.classes_))
        if unknown.size:
            raise ValueError(
                f"The label of row {unknown[0]} is {y[unknown[0]]!r}, and the model knows {self.classes_.tolist()}."
            )
        label = self.classes_[1] if self.pos_label is None else self.pos_label
        truth, measure = y == label, as_measure(self.measure)
        oriented = scores if label == self.classes_[1] else -scores
        weight = check_sample_weight(sample_weight, scores.size)
        if groups is None:
            return measured(measure, oriented, truth, weight)
        chosen = read_groups(groups, scores.size)
        values = [
            measured(measure, oriented[rows], truth[rows], None if weight is None else weight[rows], name)
            for rows, name in zip(chosen.rows, chosen.names)
            if weight is None or weight[rows].any()
        ]
        return float(np.mean(values))

    def _file_parts(self) -> FileParts:
        return measure_parts(self)

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        restore_measure(self, arrays, structure)

    def _threshold_measure(self) -> Contingency | None:
        if self.threshold_for is None:
            return None
        if isinstance(self.threshold_for, str) and self.threshold_for == "auto":
            measure = as_measure(self.measure)
            if measure.ranking:
                return as_measure("f1")  # type: ignore[return-value]
            return measure if isinstance(measure, Contingency) and self.method != "structural" else None
        measure = as_measure(self.threshold_for, "threshold_for")
        if not isinstance(measure, Contingency):
            raise ValueError(
                f"threshold_for={self.threshold_for!r} does not depend on a threshold; choose a measure of labels "
                "such as 'f1', 'auto' or None."
            )
        return measure

    def _set_weights(self, columns: Columns | None) -> None:
        w = self.solution_.w
        w = w[self.kernel_.width :] if isinstance(self.kernel_, KernelRows) else w  # without scores of the rows
        sign = 1.0 if self.pos_label is None or self.pos_label == self.classes_[1] else -1.0
        constant = w[-1] * self.intercept_scaling_ if self.fit_intercept else 0.0
        own = w[: self._width] if columns is None else w[: self._width] * columns.factor
        moved = 0.0 if columns is None else float(columns.shift @ own)
        self.coef_ = sign * np.ascontiguousarray(self._concluded(own[None]))
        self.intercept_ = sign * np.array([constant - moved - self.threshold_])

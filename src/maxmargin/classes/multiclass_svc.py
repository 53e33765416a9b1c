"""Multiclass classification with scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from maxmargin.classes.calibration import FOLDS, calibrated, has_probabilities
from maxmargin.classes.costs import cost_of_classes, mean_cost, mistakes_differ
from maxmargin.classes.described_outputs import chosen_classes, described_classes
from maxmargin.classes.estimator import ClassEstimator, as_ranked, best_classes
from maxmargin.classes.multiclass import Multiclass
from maxmargin.classes.multiclass_model_file import multiclass_parts, restore_multiclass
from maxmargin.classes.output_features import OutputFeatures
from maxmargin.classes.start import EarlierClasses
from maxmargin.classes.training import ClassTraining
from maxmargin.core.formulation import SLACKS
from maxmargin.core.ranked import Ranked, checked_k
from maxmargin.fitting.estimator import FileParts, saved
from maxmargin.fitting.kernels import KERNEL
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.fitting.parameters import ANYTHING, INTERCEPT, MARGINS_OR_LIKELIHOOD, TRAINING, Allowed
from maxmargin.fitting.training import job_count, refuse_loss
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.oracles.search import Unsupported
from maxmargin.rows.matrices import as_rows, feature_major
from maxmargin.rows.table_input import encode_labels, read_new
from maxmargin.solvers.base import Record

Floats = npt.NDArray[np.float64]


@saved
@dataclass(eq=False, repr=False)
class MulticlassSVC(ClassEstimator):
    """Multiclass support vector machine of Crammer and Singer, with any cost matrix as loss, or the likelihood instead.

    Minimises ``1/2 sum_k |w_k|^2 + C * sum_i s_i * risk_i`` with, for margin rescaling and linear slack,
    ``risk_i = max_k cost[y_i, k] - <w_{y_i}, x_i> + <w_k, x_i>``. Squared slack has half the square of such a maximum,
    with the root of the cost; the likelihood has ``-log p(y_i | x_i)`` with ``p(k | x) ~ exp <w_k, x>``.

    Parameters
    ----------
    C : weight of the sum of the risks, as in LinearSVC; ``'scale'`` adapts it to the features, see ``FeatureScale``
    method : ``'structural'`` (margins), ``'likelihood'``, or ``'auto'``: the likelihood where it errs on many of the
        training examples, for there the classes overlap and margins say little about them; else what makes fewer
        mistakes on folds of the training data that are not trained on. Margins where anything is asked for that only
        they have (a rescaling, a slack, a solver, costs within training, output features), where examples times
        classes are more than 2^25, and where the matrix of an exact kernel does not fit into its cache. A warm start
        keeps the method
    cost : ``cost[i, j]``, the loss of answering ``classes_[j]`` where ``classes_[i]`` is true, or a data frame with the
        true classes as labels of its rows and the answers as labels of its columns; None is zero-one
    decision : what ``predict`` answers. ``'score'``: the class of highest score, the machine being trained with the
        costs. ``'expected-cost'``: the class of lowest expected cost, under probabilities that are calibrated on
        held-out folds within ``fit`` where the machine is trained with margins (and the zero-one loss); the likelihood
        has probabilities of its own. ``'auto'`` is ``'expected-cost'`` where mistakes differ in cost, unless a
        rescaling, a slack or output features are asked for
    output_features : None, or ``Lambda`` with one row per class: the score of class y is then
        ``sum_r Lambda[y, r] <v_r, x>``, so classes with similar rows learn from each other's examples. A dense or
        sparse matrix with rows in the order of the sorted classes; ``DescribedClasses`` (texts, attributes,
        similarities), which may hold classes without examples; a mapping of labels to texts, rows or attributes; or a
        data frame whose index holds the labels
    kernel : ``'linear'``; ``'rbf'``, ``'poly'``, ... (``Kernel``); ``'precomputed'``, for which X holds the values of
        the kernel with all training rows; or a function ``k(A, B)``. ``<w_k, x>`` is then a sum over reference rows r
        of ``coef_[k, r] k(r, x)``, and columns are taken as they are
    rank : None for the exact kernel; a number of basis functions that approximate it, or ``LowRank``
    class_weight : dict of class to weight, or ``'balanced'``, by which the weights of the examples of the class are
        multiplied
    rescaling : as in StructuralSVM
    slack : ``'linear'``, ``'squared'``, ``'hard'``, or ``'auto'``: squared for the zero-one loss, else linear
    solver : as in StructuralSVM; for the likelihood ``'auto'``, ``'dual'`` or ``'lbfgs'``, which ask for it
    fit_intercept : adds a constant feature of value ``intercept_scaling``, which is regularised like any other
    intercept_scaling : ``'scale'``: columns far from zero or of another size than the others are brought together
        before training (``Columns``), and the constant has the size of a typical one; a number (1 in LinearSVC) leaves
        the columns alone. ``coef_`` and ``intercept_`` are always for the features as given
    tol : as in StructuralSVM; ``'auto'`` of the likelihood is 1e-3, down to 1e-4 where there are fewer than 40,000
        examples
    max_iter, max_time : as in StructuralSVM
    n_jobs : threads for passes over all examples (one-slack, prediction); -1 is all cores
    warm_start, random_state, callback, verbose : as in StructuralSVM

    Attributes
    ----------
    classes_ : class labels, shape (n_classes,)
    coef_ : weights, shape (n_classes, n_features); with a kernel coefficients of the reference rows
    intercept_ : shape (n_classes,)
    output_coef_, output_intercept_ : with output features the weights ``v_r`` of each, of which ``coef_`` is a mixture
    described_ : with output features the ``DescribedClasses``
    C_, intercept_scaling_, decision_, method_, slack_ : the values that were used; the likelihood has no slack
    cost_ : the costs in the order of ``classes_``, or None
    kernel_ : None, or the kernel with its reference rows (``ReferenceRows``)
    support_ : with a kernel the numbers of its reference rows in the X of ``fit``; None where they are not from there
    calibration_ : from scores to probabilities, where ``fit`` or ``calibrate`` has fitted it
    solution_, n_iter_, n_features_in_, feature_names_in_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {
        **TRAINING,
        **MARGINS_OR_LIKELIHOOD,
        **INTERCEPT,
        "slack": ("auto", *SLACKS),
        "cost": ANYTHING,
        "decision": ("auto", "score", "expected-cost"),
        "output_features": ANYTHING,
        **KERNEL,
        "class_weight": ANYTHING,
    }

    C: float | str = "scale"
    _: KW_ONLY
    method: str = "auto"
    cost: Any = None
    decision: str = "auto"
    output_features: Any = None
    kernel: Any = "linear"
    rank: Any = None
    class_weight: Any = None
    rescaling: str = "margin"
    slack: str = "auto"
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

    def fit(self, X: Any, y: Any, *, sample_weight: Any = None) -> MulticlassSVC:
        """Learns from a dense or CSR matrix or a data frame, and one label per row."""
        with self._fitting():
            earlier = EarlierClasses.of(self)
            X, labels = self._read_training(X, y)
            refuse_loss(self.solver, None if self.cost is None else "with a cost matrix")
            self.cost_ = cost_of_classes(self.cost, self.classes_)
            self.decision_ = self._chosen_decision()
            structure = self._structure(self.cost_ if self.decision_ == "score" else None)
            training = ClassTraining.of(self, structure, X, labels, sample_weight, earlier)
            trained, data = training.run(), training.data
            self._keep(trained.solution)
            self._candidate, self.method_ = trained.candidate, trained.candidate.method
            self.slack_ = trained.slack
            coef = structure.to_coef(data.restored(self.solution_.w, self.intercept_scaling_))
            self.intercept_ = coef[:, -1] * self.intercept_scaling_ if self.fit_intercept else np.zeros(len(coef))
            self.coef_ = np.ascontiguousarray(self._concluded(coef[:, : self._width]))
            if isinstance(structure, OutputFeatures):
                self._set_outputs(self.coef_, self.intercept_)
            self.__dict__.pop("calibration_", None)
            if trained.calibration is not None:
                self.calibration_ = trained.calibration
            elif self.decision_ == "expected-cost":
                self.calibration_ = calibrated(self._fold_model(), X, labels, data.weight)
        return self

    def calibrate(self, X: Any, y: Any, *, folds: int = FOLDS, sample_weight: Any = None) -> MulticlassSVC:
        """Fits what makes probabilities of scores, on folds of the training data that are not trained on.

        ``predict_proba`` is there afterwards; with ``method='auto'``, with a likelihood and with a decision of lowest
        expected cost it is there from the start, but for exact kernels of more than 1,000 rows that are trained with
        margins.
        """
        check_is_fitted(self)
        X, y = read_new(self, X, y)
        classes, labels = encode_labels(y)
        if not np.array_equal(classes, self.classes_):
            raise ValueError("y has other classes than the data that the model was fitted to; calibrate with those.")
        weight = self._weights(labels, check_sample_weight(sample_weight, labels.size))
        self.calibration_ = calibrated(self._fold_model(), X, labels, weight, folds)
        return self

    def _fold_model(self) -> MulticlassSVC:
        """What is trained without a fold: class weights are part of the weights of the examples."""
        if self.output_features is not None:
            raise Unsupported("Models with output features have no calibrated probabilities; use predict.")
        cost = self.cost_ if self.decision_ == "score" else None
        settings = {"method": self.method_, "slack": self.slack_ or "auto", "C": self.C_}
        return cast(MulticlassSVC, clone(self).set_params(cost=cost, decision="score", class_weight=None, **settings))

    def _settings_for(self, classes: npt.NDArray[Any]) -> dict[str, Any]:
        """The cost matrix without other classes; those of ``calibrate`` are all that the model has."""
        if self.cost is None:
            return {}
        known = np.isin(np.arange(len(self.cost)), classes)
        return {"cost": np.asarray(self.cost)[np.ix_(known, known)]}

    def _chosen_decision(self) -> str:
        if self.decision == "expected-cost":
            if self.cost_ is None or self.output_features is not None:
                raise Unsupported("decision='expected-cost' needs a cost matrix, and no output features; use 'score'.")
            return "expected-cost"
        usual = self.rescaling == "margin" and self.slack == "auto" and self.output_features is None
        return "expected-cost" if self.decision == "auto" and usual and mistakes_differ(self.cost_) else "score"

    def _structure(self, cost: Floats | None) -> Multiclass | OutputFeatures:
        for old in ("described_", "output_coef_", "output_intercept_"):
            self.__dict__.pop(old, None)
        if self.output_features is None:
            return Multiclass(self.classes_.size, cost)
        self.described_ = described_classes(self.output_features, self.classes_)
        return OutputFeatures(self.described_.rows(self.classes_), cost)

    def _set_outputs(self, coef: Floats, intercept: Floats) -> None:
        """From the weights of output features to those of classes: ``w_y = sum_r Lambda[y, r] v_r``."""
        features = self.described_.rows(self.classes_)
        self.output_coef_, self.output_intercept_ = coef, intercept
        self.coef_, self.intercept_ = np.asarray(features @ coef), np.asarray(features @ intercept)

    def decision_function(self, X: Any, *, classes: Any = None) -> Floats:
        """Scores of the classes, shape (n, number of classes); for the two of a model the difference, shape (n,).

        With ``decision='expected-cost'`` a score is minus the expected cost. ``classes`` as in ``predict``.
        """
        scores = self._values(X, classes)[0]
        return scores[:, 1] - scores[:, 0] if classes is None and self.classes_.size == 2 else scores

    def predict(self, X: Any, *, classes: Any = None) -> npt.NDArray[Any]:
        """The class of highest score or of lowest expected cost (``decision``), shape (n,).

        Parameters
        ----------
        classes : None is those of the training data; with ``output_features`` also ``'all'`` that were described, a
            list of some of them, or ``DescribedClasses`` that were not known at training: they need no example
        """
        scores, labels = self._values(X, classes)
        return np.asarray(labels[np.argmax(scores, axis=1)])

    @available_if(has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, shape (n, n_classes): those of the likelihood, or scores of margins that were
        calibrated on folds not trained on. Margins that were asked for have them after ``calibrate`` only."""
        check_is_fitted(self)
        return self.calibration_.probabilities(self._all_scores(X))

    @available_if(has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of ``predict_proba``."""
        check_is_fitted(self)
        return self.calibration_.logarithms(self._all_scores(X))

    def score(self, X: Any, y: Any, *, sample_weight: Any = None) -> float:
        """With costs minus the mean cost of the predictions, so that a search for the best model finds the cheapest;
        else the accuracy."""
        answers = self.predict(X)
        weight = check_sample_weight(sample_weight, len(answers))
        if self.cost_ is None:
            return float(accuracy_score(y, answers, sample_weight=weight))
        return -mean_cost(self.cost_, self.classes_, y, answers, weight)

    def predict_kbest(self, X: Any, k: int, *, classes: Any = None) -> list[list[Ranked[Any]]]:
        """The ``k`` best classes of every row, best first; fewer where there are fewer.

        A score is that of the class, with ``decision='expected-cost'`` minus its expected cost. ``classes`` as in
        ``predict``.
        """
        return as_ranked(*best_classes(*self._values(X, classes), checked_k(k)))

    def _file_parts(self) -> FileParts:
        return multiclass_parts(self)

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        restore_multiclass(self, arrays, structure)

    def _values(self, X: Any, asked: Any) -> tuple[Floats, npt.NDArray[Any]]:
        """What the decision maximises, shape (n, number of classes), and the labels of these classes."""
        scores, labels = self._scores(X, asked)
        if asked is None and self.decision_ == "expected-cost":
            assert self.cost_ is not None
            scores = -np.asarray(self.calibration_.probabilities(scores) @ self.cost_)
        return scores, labels

    def _all_scores(self, X: Any) -> Floats:
        return self._scores(X, None)[0]

    def _scores(self, X: Any, asked: Any) -> tuple[Floats, npt.NDArray[Any]]:
        """Scores, shape (n, number of classes), and the labels of these classes."""
        X = self._read(X)
        if asked is None:
            return self._products(X, self.coef_) + self.intercept_, self.classes_
        if not hasattr(self, "described_"):
            raise ValueError(
                "This model has no output features, so it knows the classes of its training data only; fit it with "
                "output_features, or leave classes out."
            )
        among = chosen_classes(asked, self.described_)
        nodes = self._products(X, self.output_coef_) + self.output_intercept_
        return np.asarray((among.matrix @ nodes.T).T), np.array(among.labels)

    def _products(self, X: Any, coef: Floats) -> Floats:
        if self.kernel_ is not None:
            return np.asarray(self._scored(X, coef)[0])
        rows = as_rows(X, 0.0, False)
        return rows.scores(feature_major(coef), len(coef), job_count(self.n_jobs)).reshape(-1, len(coef))

"""Multi-label classification with scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from maxmargin import _core
from maxmargin.core.ranked import Ranked, checked_k
from maxmargin.fitting.estimator import FileParts, saved
from maxmargin.fitting.kernels import KERNEL, KernelEstimator
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.fitting.parameters import ANYTHING, INTERCEPT, MARGINS, METHODS, SCALED, TRAINING, Allowed
from maxmargin.fitting.training import job_count, refuse_loss
from maxmargin.fitting.warning import warn_caller
from maxmargin.labels.likelihood import log_odds
from maxmargin.labels.loss import LOSSES
from maxmargin.labels.model_file import multilabel_parts, restore_multilabel
from maxmargin.labels.multilabel import Multilabel
from maxmargin.labels.pairs import NO_PAIRS, choose_pairs
from maxmargin.labels.targets import LabelTargets, label_sets, read_targets
from maxmargin.labels.training import LabelTrainer, check_method, decide, leads
from maxmargin.labels.weights import class_costs, label_costs
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.oracles.search import Unsupported
from maxmargin.rows.class_weights import with_class_weight
from maxmargin.rows.columns import near_columns
from maxmargin.rows.feature_scale import packed
from maxmargin.rows.matrices import as_rows
from maxmargin.rows.table_input import encode_labels, read_new, read_table
from maxmargin.solvers.base import Record

Floats = npt.NDArray[np.float64]


@saved
@dataclass(eq=False, repr=False)
class MultilabelSVC(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    """Classifier for label vectors, linear or with a kernel, with interactions between labels.

    The score of a label vector is ``F(x, y) = sum_k y_k (<w_k, x> + b_k) + sum_(j, k) v_jk y_j y_k``.

    ``method='likelihood'`` minimises ``1/2 |w|^2 - C * sum_i s_i * log P(y_i | x_i)`` with ``P(y | x)`` proportional to
    ``exp F(x, y)``, and predicts the ``y`` of lowest expected loss. ``method='structural'`` minimises ``1/2 |w|^2 + C *
    sum_i s_i * risk_i`` with, for margin rescaling and linear slack, ``risk_i = max_y loss(y_i, y) - F(x_i, y_i) +
    F(x_i, y)``, and predicts the ``y`` of highest score; without interactions and with the Hamming loss that is a
    ``LinearSVC(loss="hinge")`` with the same C for each label.

    A one-dimensional target, one class per example, is taken as label vectors with exactly one label set (of two
    classes: one label, set for the second), and the best of such vectors is predicted. ``MulticlassSVC`` is the machine
    for that; here it is one against the rest, trained together.

    Parameters
    ----------
    C : weight of the sum of the risks, as in LinearSVC; ``'scale'`` adapts it to the features, see ``FeatureScale``;
        it is twice that of MulticlassSVC, by which one label is what two classes are there
    method : ``'likelihood'``; ``'structural'``; ``'auto'``, the likelihood, but with few examples per column what is
        best on held-out ones, of a path of C and the structural risk; ``'structural'`` for one class per example, where
        ``rescaling``, ``slack``, ``solver`` or ``label_weight`` are set, and for pairs with cycles among many labels
    loss : ``'hamming'``, the number of wrong labels; ``'f1'``, ``1 - F1`` of the example, 0 where no label is true and
        none predicted; ``'zero-one'``, 1 unless all labels are right
    interactions : ``'independent'``; ``'tree'``, the spanning tree of the labels of largest mutual information;
        ``'full'``, all pairs; ``'auto'``, all pairs of up to 8 labels, the tree of more, but none of more than 16 with
        the Hamming loss and the likelihood, which needs nothing but each label's probability; or a list of pairs of
        labels
    interaction_scaling : value of the feature of a pair of labels that are both set, given as ``intercept_scaling`` is
    kernel, rank : as in MulticlassSVC
    label_weight : how much each label counts in the Hamming loss, in place of 1, whichever mistake is made at it: a
        dict, or one number per label. ``class_weight`` tells the two mistakes at a label apart; the two are multiplied
    class_weight : cost of a mistake by whether the label is true, in the Hamming loss: ``'balanced'``, for
        rare labels to be found more often (``labels.weights.class_costs``); or a dict of labels to the weight of
        being true, or to ``{0: weight, 1: weight}``. Of one class per example as in MulticlassSVC. How much one label
        counts compared with another is ``label_weight``
    rescaling, slack, solver : as in StructuralSVM, for the structural risk
    fit_intercept : adds a constant feature of value ``intercept_scaling``, which is regularised like any other
    intercept_scaling : a number (1 in LinearSVC); ``'scale'`` is the size of a typical feature (``FeatureScale``), for
        the likelihood ten times that
    tol : as in StructuralSVM; the likelihood stops where the gap is at most ``tol`` times what can be gained over the
        frequencies of the labels
    max_iter, max_time : as in StructuralSVM
    n_jobs : threads for passes over all examples (one-slack, prediction); -1 is all cores
    warm_start, random_state, callback, verbose : as in StructuralSVM

    Attributes
    ----------
    classes_ : the labels, shape (n_labels,): names of label sets or columns, else the numbers of the columns; of a
        one-dimensional target the classes
    single_ : whether the target had one dimension
    coef_ : weights, shape (n_labels, n_features); with a kernel coefficients of the reference rows
    intercept_ : shape (n_labels,)
    pairs_ : numbers of the labels that interact, shape (pairs, 2)
    interaction_ : what each pair adds to the score where both labels are set, shape (pairs,)
    method_ : ``'likelihood'`` or ``'structural'``
    kernel_ : as in MulticlassSVC
    support_ : with a kernel the numbers of its reference rows in the X of ``fit``; None where they are not from there
    C_, intercept_scaling_, interaction_scaling_ : the values that were used
    ways_ : what was compared on held-out examples, in order: ``method``, ``C`` and ``loss``; often nothing
    costs_ : of a label that is set and should not be, and of one that is missed, shape (n_labels, 2)
    solution_, n_iter_, n_features_in_, feature_names_in_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {
        **TRAINING,
        **MARGINS,
        **INTERCEPT,
        "method": METHODS,
        "loss": LOSSES,
        "interactions": ANYTHING,
        "interaction_scaling": SCALED,
        **KERNEL,
        "label_weight": ANYTHING,
        "class_weight": ANYTHING,
    }

    C: float | str = "scale"
    _: KW_ONLY
    method: str = "auto"
    loss: str = "hamming"
    interactions: Any = "auto"
    interaction_scaling: float | str = "scale"
    kernel: Any = "linear"
    rank: Any = None
    label_weight: Any = None
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
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags

    def fit(self, X: Any, y: Any, *, sample_weight: Any = None) -> MultilabelSVC:
        """Learns from a dense or CSR matrix or a data frame, and the labels of each row.

        Parameters
        ----------
        X : shape (n, n_features)
        y : a matrix of 0 and 1, dense, sparse or a data frame, shape (n, n_labels); or a list of label sets; or one
            class an example, shape (n,)
        sample_weight : one weight for each row
        """
        with self._fitting():
            X = read_table(self, X)
            targets = read_targets(y)
            if len(targets.vectors) != X.shape[0]:
                raise ValueError(f"X has {X.shape[0]} examples and y has {len(targets.vectors)}; they must match.")
            self.single_ = targets.classes is not None
            self.classes_ = targets.names if targets.classes is None else targets.classes
            own, before = check_sample_weight(sample_weight, X.shape[0]), self.kernel_
            weight = self._example_weight(y, own)
            X, labels = self._brought_together(X, own), targets.names.size
            asked = check_method(self, NO_PAIRS, labels)
            kernel = None if asked == "likelihood" else self._kernel_rows(X, own, asked == "structural", weight)
            X = self._training_rows(X, own) if kernel is None else X
            rows = packed(X) if kernel is None else kernel.cache.unit_rows()
            one_by_one = self.loss == "hamming" and asked != "structural"
            self.pairs_ = choose_pairs(self.interactions, targets.vectors, targets.names, weight, one_by_one=one_by_one)
            method = check_method(self, self.pairs_, labels) if kernel is None else "structural"
            costs = self._costs(targets, weight)
            free = method != "structural" and self.fit_intercept and self.intercept_scaling == "scale"
            rows, columns = near_columns(X, rows, weight) if free and self.kernel_ is None else (rows, None)
            found = LabelTrainer(self, rows, targets, weight, costs, columns, before, kernel).train(method)
            self._keep(found.solution)
            structure, self.ways_ = found.structure, found.tried
            self.method_ = found.way.method
            self.costs_ = structure.costs
            self.intercept_scaling_, self.interaction_scaling_ = found.constant, structure.eta
            coef, interaction = structure.to_coef(found.weights(kernel))
            constant = coef[:, -1] * self.intercept_scaling_ if self.fit_intercept else np.zeros(labels)
            of_features = coef[:, : self._width] if columns is None else coef[:, : self._width] * columns.factor
            self.coef_ = np.ascontiguousarray(self._concluded(of_features))
            moved = 0.0 if columns is None else of_features @ columns.shift
            self.intercept_ = np.ascontiguousarray(constant - moved)
            self.interaction_ = interaction * self.interaction_scaling_
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The label vector of highest score, or of lowest expected loss, of each row, shape (n, n_labels); its class,
        shape (n,), where each example of the training set had one. Warns where branch and bound gave up."""
        check_is_fitted(self)
        if self.single_:
            scores = self.decision_function(X)
            number = scores > 0.0 if scores.ndim == 1 else scores.argmax(axis=1)
            return np.asarray(self.classes_[number.astype(np.intp)])
        core, w = self._opened(X)
        found, missed = decide(self.method_, self._structure(), core, w, job_count(self.n_jobs))
        _warn_of(missed, len(found))
        return np.asarray(found, dtype=np.int64)

    def predict_sets(self, X: Any) -> list[tuple[Any, ...]]:
        """The labels of each row by name, in the order of ``classes_``."""
        self._check_vectors("predict_sets")
        return label_sets(self.predict(X), self.classes_)

    def predict_kbest(self, X: Any, k: int) -> list[list[Ranked[npt.NDArray[np.int64]]]]:
        """The ``k`` label vectors of highest score of every row, best first; fewer where there are fewer."""
        self._check_vectors("predict_kbest")
        core, w = self._opened(X)
        labels = self.classes_.size
        k = min(checked_k(k), 2 ** min(labels, 60))
        if self._structure().method == "branch":
            raise Unsupported(
                "The k best label vectors are found where the pairs of labels make no cycle, or for at most "
                f"{_core.MOST_LISTED} labels; here are {labels}: use interactions='tree'."
            )
        found, scores = core.decode_lists(w, k, job_count(self.n_jobs))
        vectors = np.asarray(found, dtype=np.int64).reshape(k, -1, labels).transpose(1, 0, 2)
        return [list(map(Ranked, row.tolist(), each)) for row, each in zip(scores.reshape(-1, k), vectors)]

    def decision_function(self, X: Any) -> Floats:
        """For each label how much the best label vector with it leads over the best without it, shape (n, n_labels).

        Vectors are compared by score, or by expected F1; by the likelihood with the Hamming loss it is the logarithm of
        the odds of the label, beyond what its costs ask for. A label is predicted where that is positive. Without
        interactions the lead in score is ``<w_k, x> + b_k``, and so it is, being the score of the label vector with
        this label alone, for one class per example; of two classes shape (n,).
        """
        check_is_fitted(self)
        if self.single_:
            X, coef = self._scored(self._checked(X), self.coef_)
            scores = safe_sparse_dot(X, coef.T, dense_output=True) + self.intercept_
            return np.asarray(scores.ravel() if len(self.coef_) == 1 else scores, dtype=np.float64)
        core, w = self._opened(X)
        margins, missed = leads(self.method_, self._structure(), core, w, job_count(self.n_jobs))
        _warn_of(missed, margins.size)
        return np.asarray(margins, dtype=np.float64)

    @available_if(lambda model: getattr(model, "method_", "") == "likelihood")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probability of every label, shape (n, n_labels); where ``method_`` is ``'likelihood'``."""
        core, w = self._opened(X)
        return np.asarray(expit(log_odds(core, w, self.classes_.size, job_count(self.n_jobs))))

    def score(self, X: Any, y: Any, *, sample_weight: Any = None) -> float:
        """Share of the rows whose labels are all right."""
        found = self.predict(X)
        weight = check_sample_weight(sample_weight, len(found))
        if self.single_:
            return float(accuracy_score(y, found, sample_weight=weight))
        vectors = read_targets(y, self.classes_).vectors
        if len(vectors) != len(found):
            raise ValueError(f"X has {len(found)} examples and y has {len(vectors)}; they must match.")
        return float(accuracy_score(vectors, found, sample_weight=weight))

    def _file_parts(self) -> FileParts:
        return multilabel_parts(self)

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        restore_multilabel(self, arrays, structure)

    def _structure(self) -> Multilabel:
        return Multilabel(len(self.coef_), self.pairs_, self.loss, self.costs_)

    def _check_vectors(self, method: str) -> None:
        check_is_fitted(self)
        if self.single_:
            raise Unsupported(f"The model was trained with one class per example, and {method} is for label vectors.")

    def _checked(self, X: Any) -> Any:
        return read_new(self, X)

    def _opened(self, X: Any) -> tuple[_core.Labels, Floats]:
        """Rows in native form and the weights that belong to them; the intercept is that of a constant 1."""
        check_is_fitted(self)
        structure = self._structure()
        X, coef = self._scored(self._checked(X), self.coef_)
        w = structure.from_coef(np.c_[coef, self.intercept_], self.interaction_)
        return structure.core(as_rows(X, 1.0, False)), w

    def _example_weight(self, y: Any, weight: Floats | None) -> Floats | None:
        """Class weights of one class per example are weights of examples."""
        if not self.single_ or self.class_weight is None:
            return weight
        return with_class_weight(self.class_weight, self.classes_, encode_labels(np.asarray(y).ravel())[1], weight)

    def _costs(self, targets: LabelTargets, weight: Floats | None) -> Floats | None:
        by_state = None if self.single_ else self.class_weight
        given = {"label_weight": self.label_weight, "class_weight": by_state}
        name = next((name for name, value in given.items() if value is not None), None)
        refuse_loss(self.solver, "with loss='f1' or label weights" if name is not None or self.loss == "f1" else None)
        if name is None:
            return None
        if self.loss != "hamming":
            raise ValueError(f"{name} is for loss='hamming'; leave it out with loss={self.loss!r}.")
        costs = np.ones((targets.names.size, 2))
        if self.label_weight is not None:
            costs *= label_costs(self.label_weight, targets.names)[:, None]
        if by_state is not None:
            costs *= class_costs(by_state, targets.names, targets.vectors, weight)
        return costs


def _warn_of(missed: int, searches: int) -> None:
    if missed:
        warn_caller(
            f"{missed} of {searches} searches for the best label vector gave up; better ones may exist. "
            "interactions='tree' is always searched to the end.",
            UserWarning,
        )

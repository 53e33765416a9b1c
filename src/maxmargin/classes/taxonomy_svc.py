"""Classification into the nodes of a taxonomy with scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import softmax
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from maxmargin import _core
from maxmargin.classes.calibration import FOLDS, held_out_class_temperature
from maxmargin.classes.described_outputs import difference_scale
from maxmargin.classes.estimator import ClassEstimator, as_ranked, best_classes
from maxmargin.classes.output_maps import ClassFeatures
from maxmargin.classes.placed_classes import PlacedClasses
from maxmargin.classes.taxonomies.paths import Levels, found_separator, read_levels
from maxmargin.classes.taxonomies.reading import AUTO, as_taxonomy, check_separator
from maxmargin.classes.taxonomy_model_file import restore_taxonomy, taxonomy_parts
from maxmargin.classes.taxonomy_places import ClassPlaces, label_array
from maxmargin.classes.taxonomy_score import all_mistakes_alike, answer_losses, expected_loss
from maxmargin.classes.taxonomy_training import TaxonomyTraining
from maxmargin.core.ranked import Ranked, checked_k
from maxmargin.fitting.calibration import say_not_calibrated
from maxmargin.fitting.estimator import FileParts, saved
from maxmargin.fitting.kernels import KERNEL
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.fitting.parameters import ANYTHING, INTERCEPT, MARGINS, METHODS, TRAINING, Allowed
from maxmargin.fitting.training import check_probability, job_count, refuse_loss
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.rows.costs import in_order
from maxmargin.rows.matrices import as_rows, feature_major
from maxmargin.solvers.base import Record

Floats = npt.NDArray[np.float64]
_PART = 1 << 23  # scores held at once where not all are asked for


@saved
@dataclass(eq=False, repr=False)
class TaxonomySVC(ClassEstimator):
    """Support vector machine whose classes are nodes of a taxonomy: related classes learn from each other's examples,
    and a mistake costs more the further away it is.

    Every node z has a weight vector, and the score of class y is ``sum_z beta_z <w_z, x>`` over its own node and all
    above it. Minimises ``1/2 sum_z |w_z|^2 + C * sum_i s_i * risk_i`` as ``MulticlassSVC`` does, with margins or with
    the likelihood.

    Parameters
    ----------
    C : weight of the sum of the risks; ``'scale'`` is that of ``MulticlassSVC`` over half the mean squared distance of
        the output features of two classes
    method : ``'structural'`` (margins), ``'likelihood'``, ``'squares'`` (least squares: scores that estimate minus the
        expected loss, or the probability, of each class), or ``'auto'``: what costs less on folds of the training data
        that are not trained on, the likelihood and, with fewer than 2500 examples in more columns, least squares with
        one of several C. Inner nodes have no weights with least squares, and in many columns with the likelihood.
        Margins with fewer than 60 examples, where C is a number, with a warm start, and where anything is asked for
        that only they have (a rescaling, a slack, a solver, several parents of a node)
    loss : ``'height'`` of the first common ancestor of truth and answer; ``'path'``, the edges between them;
        ``'zero-one'``; or a matrix ``loss[i, j]`` of answering ``classes_[j]`` where ``classes_[i]`` is true
    taxonomy : a ``Taxonomy``; nested mappings; a mapping of children to parents; pairs (parent, child); a list of
        parent numbers; a networkx ``DiGraph``; or a string such as ``'.'`` that divides the labels into parts.
        ``'auto'`` finds that string where the labels have one (``taxonomies.found_separator``); else, and for None, all
        classes are below one root. Classes may be leaves or inner nodes
    node_weight : ``beta_z``: ``'scale'`` goes from 1 for leaves to 0.25 for the highest nodes below the root, in equal
        ratios from one height to the next; a number q is ``q ** height``, so with q below 1 less for the nodes above
        the leaves, which classes share; a mapping of nodes to numbers, 1 for those not in it; None is 1 everywhere
    kernel, rank, class_weight : as in MulticlassSVC
    rescaling, slack, solver : as in StructuralSVM
    fit_intercept, intercept_scaling : as in MulticlassSVC
    tol, max_iter, max_time : as in StructuralSVM
    n_jobs : as in MulticlassSVC
    warm_start, random_state, callback, verbose : as in StructuralSVM

    Attributes
    ----------
    classes_ : class labels seen in training, shape (n_classes,); of columns the values with a separator between them
    levels_ : how names stand for columns, or None
    separator_ : what divides the names of the classes, or None
    taxonomy_ : the ``Taxonomy``
    nodes_ : labels of the nodes above some class, which have weights, shape (n_nodes,)
    coef_ : weights, shape (n_nodes, n_features); with a kernel coefficients of the reference rows
    support_ : with a kernel the numbers of its reference rows in the X of ``fit``; None where they are not from there
    intercept_ : shape (n_nodes,)
    method_ : ``'structural'``, ``'likelihood'`` or ``'squares'``
    decision_ : what ``predict`` answers, ``'score'`` or ``'expected-cost'``: the better one on the folds
    C_, intercept_scaling_, kernel_, temperature_, solution_, n_iter_, n_features_in_, feature_names_in_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {
        **TRAINING,
        **MARGINS,
        **INTERCEPT,
        "method": (*METHODS, "squares"),
        "loss": ANYTHING,
        "taxonomy": ANYTHING,
        "node_weight": ANYTHING,
        **KERNEL,
        "class_weight": ANYTHING,
    }

    C: float | str = "scale"
    _: KW_ONLY
    method: str = "auto"
    loss: Any = "height"
    taxonomy: Any = AUTO
    node_weight: Any = "scale"
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

    def fit(self, X: Any, y: Any, *, sample_weight: Any = None) -> TaxonomySVC:
        """Learns from a dense or CSR matrix or a data frame, and one node of the taxonomy per row.

        Parameters
        ----------
        X : shape (n, n_features)
        y : labels, shape (n,); or one column per level of the taxonomy, highest first, shape (n, levels), with None,
            NaN or ``''`` below the end of a label, and then predictions have that form, too
        sample_weight : one weight for each row
        """
        with self._fitting():
            y = self._read_labels(y)
            X, labels = self._read_training(X, y)
            refuse_loss(self.solver, None if isinstance(self.loss, str) else "with a cost matrix")
            classes = self.classes_.tolist()
            self.separator_ = self._separator(classes)
            check_separator(self.separator_, classes)
            given = None if isinstance(self.taxonomy, str) else self.taxonomy
            placed = PlacedClasses(as_taxonomy(self.separator_ or given, classes), classes)
            structure = placed.structure(in_order(self.loss, self.classes_, "loss"), self.node_weight)
            factor = difference_scale(structure.features.matrix)
            X = self._brought_together(X, check_sample_weight(sample_weight, labels.size))
            by_rows = None if self.method in ("likelihood", "squares") else self.method == "structural"
            data = self._prepare(X, labels, sample_weight, structure.losses, factor, by_rows=by_rows)
            trained = TaxonomyTraining(self, placed, structure, data, labels, factor).run()
            self._keep(trained.solution)
            self.method_, self.decision_ = trained.method, trained.decision
            self._place(placed, structure.features)
            self.weights_ = self._of_reference_rows(data.restored(self.solution_.w, self.intercept_scaling_))
            self.calibrated_ = trained.temperature is not None
            self.temperature_ = 1.0 if trained.temperature is None else trained.temperature
        return self

    def _read_labels(self, y: Any) -> Any:
        """Names in place of columns; sets ``levels_``."""
        found = read_levels(y)
        if found is None:
            self.levels_: Levels | None = None
            return y
        if self.taxonomy is not None and not (isinstance(self.taxonomy, str) and self.taxonomy == AUTO):
            raise ValueError(
                f"y has {len(found[1].values)} columns, one per level, which are a taxonomy themselves; leave "
                "taxonomy= out, or give one label per row."
            )
        names, self.levels_ = found
        return names

    def _separator(self, classes: list[Any]) -> str | None:
        """What divides the names of the classes, or None."""
        if self.levels_ is not None:
            return self.levels_.separator
        if not isinstance(self.taxonomy, str):
            return None
        return found_separator(classes) if self.taxonomy == AUTO else self.taxonomy

    def _in_form(self, labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Labels as the training data had them, with one column more where that had columns."""
        if self.levels_ is None:
            return np.asarray(labels)
        return self.levels_.rows(labels.ravel()).reshape(*labels.shape, -1)

    def _place(self, placed: PlacedClasses, features: ClassFeatures) -> None:
        """Sets what follows from the taxonomy and the classes."""
        self.taxonomy_ = placed.taxonomy
        self.nodes_ = label_array(placed.labels)
        self.features_ = features
        self.places_ = ClassPlaces(placed)

    @property
    def coef_(self) -> Floats:
        """Weights of the nodes, shape (n_nodes, n_features): a view of ``weights_``, which is in native layout."""
        view: Floats = self._columns()[: self._width].T
        return view

    @property
    def intercept_(self) -> Floats:
        """Constant part of the score of every node, shape (n_nodes,)."""
        if self.intercept_scaling_ == 0.0:
            return np.zeros(self.nodes_.size)
        return np.asarray(self._columns()[-1] * self.intercept_scaling_)

    def _columns(self) -> Floats:
        columns = self._width + (self.intercept_scaling_ != 0.0)
        return self.weights_.reshape(columns, -1)[:, : self.nodes_.size]

    def _of_reference_rows(self, w: Floats) -> Floats:
        """Native weights for the rows of a kernel in place of its features; with the linear kernel as they are."""
        if self.kernel_ is None:
            return w
        width, columns = self._width, w.reshape(-1, _core.padded(self.nodes_.size))[:, : self.nodes_.size].T
        return feature_major(np.c_[self._concluded(columns[:, :width]), columns[:, width:]])

    def _opened(self, X: Any) -> tuple[_core.Rows, Floats]:
        """Rows of a matrix that was read, and the native weights that go with them."""
        constant = self._constant()
        if self.kernel_ is None:
            return as_rows(X, constant, False), self.weights_
        scores, coef = self._scored(X, self.coef_)
        return as_rows(scores, constant, False), feature_major(np.c_[coef, self._columns()[self._width :].T])

    def decision_function(self, X: Any) -> Floats:
        """Scores of the classes, shape (n, n_classes); for two classes the difference, shape (n,)."""
        scores = self._all_scores(X)
        return scores[:, 1] - scores[:, 0] if self.classes_.size == 2 else scores

    def predict(self, X: Any, *, until: float | None = None, decision: str = "auto") -> npt.NDArray[Any]:
        """The class of highest score or of lowest expected loss, shape (n,), or (n, levels) where y had columns.

        Parameters
        ----------
        until : a probability: where that of the best class is lower, the answer is the lowest node above it whose
            classes have this probability together (``node_probability``), at last a root
        decision : ``'score'``; ``'expected-cost'``, the class of lowest expected loss under the probabilities;
            ``'auto'`` is the better one (``decision_``)
        """
        if decision not in ("auto", "score", "expected-cost"):
            raise ValueError(f"decision must be 'auto', 'score' or 'expected-cost', not {decision!r}.")
        if decision == "auto":
            decision = "score" if until is not None else self._decision()
        if decision == "expected-cost":
            if until is not None:
                raise ValueError("until= and decision='expected-cost' are two rules for one answer; give one of them.")
            self._say_if_not_calibrated()
            cheapest = [self._expected_loss(scores).argmin(axis=1) for scores in self._score_parts(X)]
            return self._in_form(self.classes_[np.concatenate(cheapest)])
        if until is None:
            rows, weights = self._opened(self._read(X))
            best = self.features_.native.best(rows, weights, job_count(self.n_jobs))
            return self._in_form(self.classes_[best])
        check_probability("until", until)
        self._say_if_not_calibrated()
        found = [self.places_.lowest(softmax(s / self.temperature_, axis=1), until) for s in self._score_parts(X)]
        return self._in_form(self.nodes_[np.concatenate(found)])

    def predict_kbest(self, X: Any, k: int) -> list[list[Ranked[Any]]]:
        """The ``k`` best classes of every row, best first; fewer where there are fewer.

        A score is that of the class, minus its expected loss where ``decision_`` is ``'expected-cost'``.
        """
        k = checked_k(k)
        by_score = self._decision() == "score"
        parts = (scores if by_score else -self._expected_loss(scores) for scores in self._score_parts(X))
        best = [best_classes(values, self.classes_, k) for values in parts]
        scores, labels = (np.concatenate(part) for part in zip(*best))
        return as_ranked(scores, self._in_form(labels))

    @available_if(lambda model: getattr(model, "calibrated_", False))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, shape (n, n_classes): there where the method was chosen on folds, and after
        ``calibrate``."""
        return np.asarray(softmax(self._all_scores(X) / self.temperature_, axis=1))

    def _expected_loss(self, scores: Floats) -> Floats:
        """Of answering each class, shape (n, n_classes)."""
        return expected_loss(self, self.places_, np.asarray(softmax(scores / self.temperature_, axis=1)))

    def node_probability(self, X: Any) -> Floats:
        """Probability that the class is a node of ``nodes_`` or below it, shape (n, n_nodes): sums of a softmax of the
        scores at the temperature that ``calibrate`` found."""
        scores = self._all_scores(X)
        self._say_if_not_calibrated()
        return self.places_.node_probability(softmax(scores / self.temperature_, axis=1))

    def calibrate(self, X: Any, y: Any, *, folds: int = FOLDS, sample_weight: Any = None) -> TaxonomySVC:
        """Fits the temperature at which the softmax of the scores has the highest likelihood on held-out folds.

        Trains ``folds`` models, each without one part of the examples, and asks each about the part it has not seen.
        ``sample_weight``, one weight for each row, counts in both.
        """
        check_is_fitted(self)
        labels = np.asarray(y) if self.levels_ is None else self.levels_.names(y)
        # The same tree also where a fold lacks a class.
        same_tree = clone(self).set_params(taxonomy=self.taxonomy_, method=self.method_, C=self.C_)
        same_tree.classes_ = self.classes_
        self.temperature_ = held_out_class_temperature(
            same_tree, X, labels, folds, check_sample_weight(sample_weight, len(labels))
        )
        self.calibrated_ = True
        return self

    def _settings_for(self, classes: npt.NDArray[Any]) -> dict[str, Any]:
        """The matrix of losses, where there is one, without other classes."""
        if isinstance(self.loss, str):
            return {}
        known = np.isin(self.classes_, classes)
        return {"loss": np.asarray(in_order(self.loss, self.classes_, "loss"))[np.ix_(known, known)]}

    def score(self, X: Any, y: Any, *, sample_weight: Any = None) -> float:
        """Minus the mean loss of the answers, the loss trained with; the share of right answers where every mistake
        costs 1 (the zero-one loss, or no taxonomy).

        With a separator or columns the loss of an answer depends on the two labels alone, as in ``metrics.tree_loss``,
        so that the scores of folds and of models can be compared, and labels may be new.
        """
        answers = self.predict(X)
        losses = answer_losses(self, y, answers)
        mean = float(np.average(losses, weights=check_sample_weight(sample_weight, len(losses))))
        return 1.0 - mean if all_mistakes_alike(self) else -mean

    def _file_parts(self) -> FileParts:
        return taxonomy_parts(self)

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        restore_taxonomy(self, arrays, structure)

    def _decision(self) -> str:
        check_is_fitted(self)
        return str(self.decision_)

    def _constant(self) -> float:
        check_is_fitted(self)
        return float(self.intercept_scaling_)

    def _all_scores(self, X: Any) -> Floats:
        rows, weights = self._opened(self._read(X))
        scores = self.features_.native.scores(rows, weights, job_count(self.n_jobs))
        return scores.reshape(-1, self.classes_.size)

    def _score_parts(self, X: Any) -> Iterator[Floats]:
        """Scores of some rows after the other: those of many classes would fill the memory."""
        X = self._read(X)
        size = max(1, _PART // self.classes_.size)
        for start in range(0, X.shape[0], size):
            rows, weights = self._opened(X[start : start + size])
            scores = self.features_.native.scores(rows, weights, job_count(self.n_jobs))
            yield scores.reshape(-1, self.classes_.size)

    def _say_if_not_calibrated(self) -> None:
        if not self.calibrated_:
            say_not_calibrated(self)

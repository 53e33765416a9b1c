"""Rankings of the documents of queries, with scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from maxmargin.fitting.estimator import FileParts, restore_features, saved
from maxmargin.fitting.kernels import KERNEL, KernelEstimator
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.fitting.parameters import ANYTHING, MARGINS, POSITIVE, TRAINING, Allowed
from maxmargin.fitting.regularisation import resolved_c
from maxmargin.fitting.training import refuse_loss, train
from maxmargin.fitting.warning import warn_caller
from maxmargin.groups.base import Measure
from maxmargin.groups.graded import check_grades
from maxmargin.groups.sample import Sample, SampleInput
from maxmargin.groups.swapped_pairs import SwappedPairs
from maxmargin.rankings.naming import as_ranking_measure, is_binary
from maxmargin.rankings.ndcg import GAINS, Ndcg
from maxmargin.rankings.scale import brought_together, ranking_c
from maxmargin.rankings.squashing import KINDS, Squashing, better_squashing, heavy_columns, restored_squashing
from maxmargin.rows.feature_scale import packed
from maxmargin.rows.kernel import as_kernel
from maxmargin.rows.query_groups import QueryGroups, read_groups
from maxmargin.rows.table_input import read_new, read_table
from maxmargin.solvers.base import Record

Floats = npt.NDArray[np.float64]


_REMEDY = "train with measure='swapped_pairs', whose bound is close in long lists, too, and score by this measure"


@saved
@dataclass(eq=False, repr=False)
class RankingSVM(KernelEstimator):
    """Learns to rank the documents of each query: ``<w, x>`` is a document's score, and the highest comes first.

    Minimises ``1/2 |w|^2 + C * sum over groups g of s_g * risk_g(w)`` with, for margin rescaling and linear slack,

        ``risk_g = max over rankings of  loss - 1/M sum over swapped pairs of <w, x_i - x_j>``

    where the ``M`` pairs are those of rows of the group with ``y_i > y_j``, and the loss is one minus the measure.

    Parameters
    ----------
    measure : ``'swapped_pairs'`` (share of pairs in the right order; one grade pair is SVM-rank, several are ordinal
        regression), ``'average_precision'``, ``'ndcg'``, ``'ndcg(10)'`` for the first ten positions, ``'mrr'``, or a
        measure object
    C : weight of the sum of the risks of all groups; ``'scale'`` adapts it to the features, see ``ranking_c``, after
        columns of another size than the rest were brought together (``Columns``); ``coef_`` is for X as given
    relevant : the lowest grade that counts as relevant, for average precision and MRR
    gain : of NDCG: ``'exponential'``, ``2^grade - 1``, or ``'linear'``
    uninformative : what becomes of groups from which nothing can be learned, since all their grades are equal (or all
        rows are relevant, or none is): ``'skip'`` leaves them out, ``'warn'`` does so with a warning, ``'refuse'`` is
        an error
    squash : what becomes of columns of a dense X with heavy tails where C is ``'scale'``: ``'asinh'`` and ``'tanh'``
        squash them around their median (``Squashing``), None leaves them alone, and ``'auto'`` is whichever of the
        three puts most pairs in order in halves of the groups that were not trained on. With a kernel ``'auto'`` leaves
        them alone, and what is squashed is squashed before the kernel sees it
    kernel, rank : as in MulticlassSVC
    rescaling, slack, solver, tol, max_iter, max_time : as in StructuralSVM
    n_jobs : threads for passes over all groups; -1 is all cores
    warm_start, random_state, callback, verbose : as in StructuralSVM

    Attributes
    ----------
    coef_ : weights, shape (n_features,); of the columns as ``squashing_`` makes them where that is not None. With a
        kernel coefficients of the reference rows
    kernel_ : as in MulticlassSVC
    support_ : with a kernel the numbers of its reference rows in the X of ``fit``; None where they are not from there
    squashing_ : the Squashing of columns with heavy tails, None where no column is squashed
    C_ : the value that was used
    n_uninformative_ : groups that were left out
    solution_, n_iter_, n_features_in_, feature_names_in_
    """

    _parameters: ClassVar[Mapping[str, Allowed]] = {
        **TRAINING,
        **MARGINS,
        "measure": ANYTHING,
        "relevant": (POSITIVE,),
        "gain": tuple(GAINS),
        "uninformative": ("warn", "skip", "refuse"),
        "squash": ("auto", *KINDS, None),
        **KERNEL,
    }

    measure: Any = "swapped_pairs"
    C: float | str = "scale"
    _: KW_ONLY
    relevant: float = 1
    gain: str = "exponential"
    uninformative: str = "skip"
    squash: str | None = "auto"
    kernel: Any = "linear"
    rank: Any = None
    rescaling: str = "margin"
    slack: str = "linear"
    solver: Any = "auto"
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
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        return tags

    def fit(
        self, X: Any, y: Any, *, groups: Any = None, group: Any = None, qid: Any = None, sample_weight: Any = None
    ) -> RankingSVM:
        """Learns from a dense or CSR matrix or a data frame, one row per document.

        Parameters
        ----------
        y : the grade of each row, at least 0, the higher the better
        groups : the query of each row, by any names; or, in fewer entries than rows, the sizes of groups of consecutive
            rows. Without groups all rows are one query, with a warning: ``group=[len(X)]`` says it on purpose.
        group, qid : the same in the words of LightGBM and XGBoost: sizes, or one name per row
        sample_weight : the weight of each group in the order in which they first appear; or of each row. Rows of equal
            weight give it to their group; different weights in one group are whole numbers that repeat the rows
        """
        with self._fitting():
            _check_numbers(y)
            X, y = read_table(self, X, y=y, y_numeric=True, ensure_min_samples=2)
            measure, truth = self._measured(y)
            purpose = None if isinstance(measure, SwappedPairs) else f"for {measure.name}"
            refuse_loss(self.solver, purpose, ", or measure='swapped_pairs', whose wrong pairs it corrects")
            found, weight = read_groups(groups, X.shape[0], group=group, qid=qid).weighted(sample_weight)
            if groups is None and group is None and qid is None:
                warn_caller(
                    f"fit was given no groups, so all {X.shape[0]} rows are ranked as one query; name the query of "
                    "each row by groups= or qid=, or give the sizes of the groups by group=.",
                    UserWarning,
                )
            kept = self._informative(truth, found)
            self.n_uninformative_ = int(len(found) - kept.sum())
            used = found.take(kept)
            _check_k(measure, used)
            weight = None if weight is None else weight[kept]
            if weight is not None and not weight.any():
                raise ValueError("All groups from which something can be learned have weight zero.")
            self.squashing_ = self._squashing(X, truth, used if weight is None else used.take(weight > 0.0))
            X = X if self.squashing_ is None else self.squashing_.apply(X)
            counts = _row_weight(used, weight, X.shape[0])
            X = self._brought_together(X, counts)
            kernel = self._kernel_rows(X, counts, True)
            X = self._training_rows(X, counts) if kernel is None else X
            linear, wrapped, factor = self.kernel_ is None, None, None
            if kernel is not None:
                rows = kernel.cache.unit_rows()
                wrapped = partial(kernel.oracle, rows=rows, width=1, groups=used.rows)
            else:
                rows, factor = brought_together(X) if isinstance(self.C, str) and linear else (packed(X), None)
            C = resolved_c(self.C, lambda: ranking_c(kernel or rows, used.rows, weight, linear))
            sample = SampleInput(rows, used.rows, used.names)
            names, n = used.names, len(used)
            solution = train(
                self, Sample(measure), sample, truth, n, C, weight, names=names, wrapped=wrapped, remedy=_REMEDY
            )
            self._keep(solution)
            w = np.array(solution.w if kernel is None else solution.w[kernel.width :])  # without scores of the rows
            self.coef_ = self._concluded((w if factor is None else w * factor)[None])[0]
        return self

    def predict(self, X: Any) -> Floats:
        """The score of each row, shape (n,): within a group the higher comes first. Scores of different groups do not
        compare."""
        check_is_fitted(self)
        X = read_new(self, X)
        X = X if self.squashing_ is None else self.squashing_.apply(X)
        X, coef = self._scored(X, self.coef_[None])
        return np.asarray(safe_sparse_dot(X, coef[0]), dtype=np.float64)

    def predict_ranking(
        self, X: Any, *, groups: Any = None, group: Any = None, qid: Any = None
    ) -> list[npt.NDArray[np.int32]]:
        """Row numbers of each group, best first, groups in the order in which they first appear; rows of equal score in
        their own order. ``groups``, ``group`` and ``qid`` as in ``fit``."""
        scores = self.predict(X)
        found = read_groups(groups, scores.size, group=group, qid=qid)
        return [rows[np.argsort(-scores[rows], kind="stable")] for rows in found.rows]

    def score(
        self, X: Any, y: Any, *, groups: Any = None, group: Any = None, qid: Any = None, sample_weight: Any = None
    ) -> float:
        """The mean of the measure over all groups that have two different grades (for average precision and MRR:
        relevant rows and others); larger is better, 1 is perfect. Other arguments as in ``fit``."""
        scores = self.predict(X)
        _check_numbers(y)
        truths = np.asarray(y)
        if truths.shape != scores.shape:
            raise ValueError(f"X has {scores.size} rows and y has shape {truths.shape}; one grade per row is needed.")
        measure, truth = self._measured(truths)
        found, weight = read_groups(groups, scores.size, group=group, qid=qid).weighted(sample_weight)
        kept = _has_pairs(truth, found)
        if not kept.any():
            raise ValueError(_nothing(measure, "score"))
        values = [
            measure.value(scores[rows], measure.prepare(truth[rows], name))
            for rows, name, useful in zip(found.rows, found.names, kept)
            if useful
        ]
        return float(np.average(values, weights=None if weight is None else weight[kept]))

    def _file_parts(self) -> FileParts:
        squashing = self.squashing_
        kind, arrays = (None, {}) if squashing is None else (squashing.kind, squashing.arrays())
        structure = {"n_uninformative_": self.n_uninformative_, "squashing_": kind}
        return FileParts({"coef_": self.coef_, **arrays}, structure)

    def _restore(self, arrays: ModelArrays, structure: ModelValues) -> None:
        self.coef_ = arrays.floats("coef_", None)
        self.n_uninformative_ = structure.count("n_uninformative_")
        squashed = structure["squashing_"] is not None
        self.squashing_ = restored_squashing(structure, arrays, self.coef_.size) if squashed else None
        restore_features(self, arrays, self.coef_.size)

    def _measured(self, y: npt.NDArray[Any]) -> tuple[Measure, npt.NDArray[Any]]:
        """The measure, and the truth of each row as it takes it."""
        measure = as_ranking_measure(self.measure, self.gain)
        grades = check_grades(y)
        return measure, grades >= self.relevant if is_binary(measure) else grades

    def _informative(self, truth: npt.NDArray[Any], found: QueryGroups) -> npt.NDArray[np.bool_]:
        kept = _has_pairs(truth, found)
        measure = as_ranking_measure(self.measure, self.gain)
        if not kept.any():
            raise ValueError(_nothing(measure, "learn"))
        flat = np.flatnonzero(~kept)
        if not flat.size or self.uninformative == "skip":
            return kept
        name, first = found.names[flat[0]], truth[found.rows[flat[0]][0]]
        if truth.dtype == bool:
            why = f"{'every' if first else 'no'} row of {name} is relevant (a grade of at least {self.relevant:g})"
        else:
            why = f"all rows of {name} have the grade {first:g}"
        if self.uninformative == "refuse":
            raise ValueError(
                f"There is nothing to learn where {why}; leave the group out, or use uninformative='skip'."
            )
        warn_caller(
            f"{flat.size} of {len(found)} groups are left out, since nothing can be learned from them: {why}, for "
            "example. uninformative='skip', the default, leaves them out without this warning.",
            UserWarning,
        )
        return kept

    def _squashing(self, X: Any, truth: npt.NDArray[Any], used: QueryGroups) -> Squashing | None:
        if self.squash is None or not isinstance(self.C, str):
            return None
        if self.squash == "auto" and as_kernel(self.kernel).kind != "linear":
            return None
        heavy = heavy_columns(X)
        if not heavy.size:
            return None
        if self.squash == "auto":
            return better_squashing(X, truth.astype(np.float64), used.rows, heavy)
        return Squashing.of(X, self.squash, heavy)


def _row_weight(used: QueryGroups, weight: Floats | None, n: int) -> Floats | None:
    """How much each row counts, by the weight of its group; those of groups that were left out do not."""
    if weight is None and used.rows.members.size == n:
        return None
    found = np.zeros(n)
    found[used.rows.members] = 1.0 if weight is None else np.repeat(weight, used.rows.sizes)
    return found


def _check_numbers(y: Any) -> None:
    """Raises for the first grade that is no number; what has no rows is left to scikit-learn's checks."""
    if y is None or getattr(getattr(y, "dtype", None), "kind", "O") in "biufc":
        return
    try:
        grades = np.asarray(y)
    except ValueError:
        return
    for row, grade in enumerate(grades.tolist() if grades.ndim == 1 and grades.dtype.kind not in "biufc" else ()):
        try:
            float(grade)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"The grade of row {row} is {grade!r}; grades must be numbers, the higher the better."
            ) from error


def _has_pairs(truth: npt.NDArray[Any], found: QueryGroups) -> npt.NDArray[np.bool_]:
    """Whether each group has two rows of different grade."""
    starts = found.rows.offsets[:-1]
    values = truth[found.rows.members].astype(np.float64)
    different: npt.NDArray[np.bool_] = np.maximum.reduceat(values, starts) > np.minimum.reduceat(values, starts)
    return different


def _check_k(measure: Measure, used: QueryGroups) -> None:
    longest = int(used.rows.sizes.max())
    if isinstance(measure, Ndcg) and measure.k is not None and measure.k > longest:
        raise ValueError(
            f"The measure is {measure.name}, but no group has more than {longest} rows; use a smaller k, or 'ndcg'."
        )


def _nothing(measure: Measure, what: str) -> str:
    needed = "relevant rows and others" if is_binary(measure) else "rows of different grades"
    return f"There is nothing to {what}: {measure.name} needs a group with {needed}."

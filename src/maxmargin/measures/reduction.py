"""Training for a measure by losses of single rows, chosen on folds, with a threshold on held-out scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.fitting.method_choice import Deadline
from maxmargin.fitting.regularisation import resolved_c
from maxmargin.fitting.training import job_count, run_of, train_smooth
from maxmargin.groups.base import BinaryMeasure
from maxmargin.measures.contingency import BalancedError, Contingency
from maxmargin.measures.folds import Folds, folds_of_groups, folds_of_rows
from maxmargin.measures.selection import Candidate, Form, Judge, Path
from maxmargin.measures.threshold import Cuts
from maxmargin.rows.feature_scale import FeatureScale
from maxmargin.rows.query_groups import QueryGroups
from maxmargin.rows.row_keys import row_keys
from maxmargin.rows.smooth import LOSSES, SmoothRows
from maxmargin.solvers.base import Run, Solution
from maxmargin.solvers.certify import check_product

Floats = npt.NDArray[np.float64]
Truth = npt.NDArray[np.bool_]

FOLDS = 5
FEWER_FOLDS = 3  # where a fold costs as much as a fit, and positives are not rare
_RARE = 30  # positive rows
_ROWS = 20_000  # that candidates are compared on; more tell hardly more about C and the loss, and cost as much again
_CELLS = 4_000_000
_MANY = 10  # rows of the rarer class per column from which the scores hardly depend on C
_TOL = 1e-3  # of what can be gained, where the tolerance is left to us
_UNBALANCED = 0.3  # share of the rarer class up to which both are tried with the same weight
_UNEVEN = 3.0  # ratio of the sizes of columns from which their scale is looked at


@dataclass(frozen=True, eq=False)
class Reduced:
    """What came out: the fit on all rows, the threshold, and the candidates of which it was the best."""

    solution: Solution
    constant: float
    threshold: float
    chosen: Candidate
    tried: tuple[Candidate, ...]


@dataclass(frozen=True, eq=False)
class Given:
    """The training rows: which are positive, how much each counts, and their groups."""

    rows: _core.Rows
    positive: Truth
    weight: Floats | None
    groups: QueryGroups | None

    @property
    def used(self) -> Truth:
        return np.ones(self.rows.n, dtype=bool) if self.weight is None else self.weight > 0.0

    @property
    def rarer(self) -> float:
        """The number of rows of the smaller class, by weight."""
        sides = (self.positive, ~self.positive)
        return min(float(np.count_nonzero(side) if self.weight is None else self.weight[side].sum()) for side in sides)

    @property
    def total(self) -> float:
        return float(self.rows.n if self.weight is None else self.weight.sum())

    def balanced(self) -> Floats:
        """Weights of the rows by which both classes have half of the total."""
        weight = np.ones(self.rows.n) if self.weight is None else self.weight
        mine = float(weight[self.positive].sum())
        factor = np.where(self.positive, 0.5 * self.total / mine, 0.5 * self.total / (self.total - mine))
        return np.asarray(weight * factor)

    def check(self, measure: BinaryMeasure) -> None:
        """Refuses rows from which the measure cannot be computed."""
        used = self.used
        left = self.positive[used]
        if left.all() or not left.any():
            raise ValueError("The weights leave one class only; at least two classes are needed to learn anything.")
        if self.groups is None:
            measure.prepare(left, "the sample")
            return
        for rows, name in zip(self.groups.rows, self.groups.names):
            kept = rows[used[rows]]
            if kept.size:
                measure.prepare(self.positive[kept], name)

    def folds(self, keys: Floats, most: int, direct: bool) -> Folds | None:
        """Of about as many rows; fewer folds where each of them costs as much as a fit."""
        rare = np.count_nonzero(self.positive & self.used) < _RARE
        count = FOLDS if direct or rare else FEWER_FOLDS
        if self.groups is not None and len(self.groups) > 1:
            return folds_of_groups(keys, self.groups.rows, self.weight, count, most)
        return folds_of_rows(keys, self.positive, self.used, count, most)

    def judge(self, measure: BinaryMeasure, cut_for: Contingency | None, folds: Folds) -> Judge:
        weight = None if self.weight is None else self.weight[folds.members]
        return Judge(measure, cut_for, folds, self.positive[folds.members], weight)


def reduced(estimator: Any, measure: BinaryMeasure, cut_for: Contingency | None, given: Given, sparse: bool) -> Reduced:
    """Trains ``estimator`` on rows that have no constant feature yet."""
    scale = estimator._scale(given.rows, given.weight)
    C = _first_c(estimator, scale)
    late, run = Deadline(estimator.max_time), run_of(estimator)
    given.check(measure)
    check_product(C, given.total, given.rows.n, lambda: float(np.max(given.rows.squared_norms)))
    rows, used = given.rows, np.flatnonzero(given.used).astype(np.int32)
    constant = _add_constant(estimator, rows, scale)
    problems = _problems(given, measure, scale, constant, sparse)
    keys = row_keys(rows, scale.sizes)
    most = int(max(min(_ROWS, _CELLS * rows.n // max(1, rows.cells)), 10 * getattr(measure, "k", 0), 2_000))
    direct = problems[False, False].fit(LOSSES[0], C, used).direct
    folds = given.folds(keys, most, direct)
    path = None
    if folds is not None:
        judge = given.judge(measure, cut_for, folds)
        path = Path(
            problems,
            judge,
            C,
            fixed=not isinstance(estimator.C, str) or given.rarer >= _MANY * rows.columns,
            direct=direct,
            late=late,
            threads=job_count(estimator.n_jobs),
        )
    chosen = Candidate(LOSSES[0], C, False) if path is None else path.chosen
    problem = problems[chosen.form]
    fit = problem.fit(chosen.loss, chosen.C, used)
    if path is not None:
        fit.start(np.ascontiguousarray(path.weights))
    solution, target = _solved(fit, problem, chosen, used, late.cut(run))
    if path is None or folds is None:
        threshold = _of_training_scores(cut_for, given, solution.w)
    else:
        scores = path.scores
        more = direct and folds.members.size < used.size and not late()
        everything = given.folds(keys, used.size, direct) if more else None
        if everything is not None and cut_for is not None:
            folds, fit = everything, problem.fit(chosen.loss, chosen.C, everything.members)
            fit.start(solution.w)
            scores = fit.fold_scores(folds.offsets, target, job_count(estimator.n_jobs))
        threshold = given.judge(measure, cut_for, folds).threshold(scores)
    return Reduced(solution, constant, threshold, chosen, () if path is None else tuple(path.tried))


def _first_c(estimator: Any, scale: FeatureScale) -> float:
    """Where the path begins: at the default, or at the C of the fit before."""
    before = getattr(estimator, "C_", None) if getattr(estimator, "loss_", None) in LOSSES else None
    if estimator.warm_start and isinstance(estimator.C, str) and before is not None:
        return float(before)
    return resolved_c(estimator.C, lambda: scale.regularisation)


def _add_constant(estimator: Any, rows: _core.Rows, scale: FeatureScale) -> float:
    """A constant feature so large that the penalty of its weight is next to nothing."""
    if not estimator.fit_intercept:
        return 0.0
    value = 10.0 * scale.length if estimator.intercept_scaling == "scale" else float(estimator.intercept_scaling)
    value = value if np.isfinite(value) and value > 0.0 else 1.0
    rows.set_bias(value)
    return value


def _problems(
    given: Given, measure: BinaryMeasure, scale: FeatureScale, constant: float, sparse: bool
) -> dict[Form, SmoothRows]:
    """The columns as they are, and in units of their sizes where these differ; not for sparse rows, where a rare
    feature would become a large one. Each also with both classes counting the same, where they do so in the measure."""
    plain = np.ones(given.rows.columns)
    problems = {(False, False): SmoothRows(given.rows, given.positive, given.weight, plain, constant)}
    sizes = scale.sizes
    varying = sizes[sizes > 0.0]
    if not sparse and varying.size > 1 and np.quantile(varying, 0.9) > _UNEVEN * np.quantile(varying, 0.1):
        penalty = plain.copy()
        penalty[: sizes.size] = np.where(sizes > 0.0, (sizes / scale.typical) ** 2, 1.0)
        problems[True, False] = replace(problems[False, False], penalty=penalty)
    if isinstance(measure, BalancedError) and given.rarer < _UNBALANCED * given.total:
        balanced = given.balanced()
        problems |= {(form[0], True): replace(problem, weight=balanced) for form, problem in problems.items()}
    return problems


def _solved(
    fit: _core.SmoothFit, problem: SmoothRows, chosen: Candidate, used: npt.NDArray[np.int32], run: Run
) -> tuple[Solution, float]:
    total = float(used.size) if problem.weight is None else float(problem.weight.sum())
    target = (run.tol or _TOL) * chosen.C * total * problem.baseline_loss(chosen.loss, used)
    return train_smooth(fit, chosen.C, target, int(used.size), run), target


def _of_training_scores(cut_for: Contingency | None, given: Given, w: Floats) -> float:
    """For samples that are too small for folds."""
    if cut_for is None:
        return 0.0
    used = given.used
    scores = given.rows.products(w, None, 1)[used]
    return Cuts(scores, given.positive[used], None if given.weight is None else given.weight[used]).best(cut_for)[0]

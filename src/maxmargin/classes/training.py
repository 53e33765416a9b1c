"""Training of ``MulticlassSVC`` between reading the examples and taking the weights apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import softmax
from sklearn.utils import check_random_state

from maxmargin import _core
from maxmargin.classes.calibration import Calibration, held_out_sharpness
from maxmargin.classes.described_outputs import difference_scale
from maxmargin.classes.estimator import TrainingData
from maxmargin.classes.likelihood_fit import likelihood_tolerance, maximise_likelihood
from maxmargin.classes.methods import CONFIDENT, MARGIN, Choice, Decision, Inspect, too_many_cells
from maxmargin.classes.multiclass import Multiclass
from maxmargin.classes.output_features import OutputFeatures
from maxmargin.classes.start import EarlierClasses
from maxmargin.core.formulation import Formulation
from maxmargin.fitting.likelihood_training import LIKELIHOOD_SOLVERS, concluded_likelihood, likelihood_solver
from maxmargin.fitting.method_choice import LIKELIHOOD, Candidate
from maxmargin.fitting.training import as_trial, job_count, run_of, train, without_loss
from maxmargin.oracles.bind import check_sample_weight
from maxmargin.oracles.search import Unsupported
from maxmargin.rows.class_likelihood import ClassLikelihood
from maxmargin.rows.row_keys import row_keys
from maxmargin.rows.turned_rows import turned_rows
from maxmargin.solvers.base import Solution
from maxmargin.solvers.certify import check_product
from maxmargin.solvers.likelihood import Objective

Floats = npt.NDArray[np.float64]

_APART = Candidate("structural", 1.0)  # margins of many rows with a kernel, whose classes do not overlap


@dataclass(frozen=True, eq=False)
class Trained:
    """A solution and how it was found; ``calibration`` makes probabilities of its scores, where that is known."""

    solution: Solution
    candidate: Candidate
    slack: str | None
    calibration: Calibration | None


@dataclass(frozen=True, eq=False)
class ClassTraining:
    """What an estimator asks for, the examples as they are trained on, and the slack that margins would have."""

    estimator: Any
    structure: Multiclass | OutputFeatures
    data: TrainingData
    labels: npt.NDArray[np.int32]
    slack: str
    earlier: EarlierClasses | None
    overlap: bool = True  # as far as it is known

    @classmethod
    def of(
        cls,
        estimator: Any,
        structure: Multiclass | OutputFeatures,
        X: Any,
        labels: npt.NDArray[np.int32],
        sample_weight: Any,
        earlier: EarlierClasses | None,
    ) -> ClassTraining:
        """``earlier`` is what the estimator goes on from, if anything."""
        plain = isinstance(structure, Multiclass) and structure.zero_one and not without_loss(estimator.solver)
        slack = estimator.slack if estimator.slack != "auto" else "squared" if plain else "linear"
        factor = difference_scale(structure.features.matrix) if isinstance(structure, OutputFeatures) else 1.0
        X = estimator._brought_together(X, check_sample_weight(sample_weight, labels.size))
        exact = estimator.method != "likelihood"
        margins = estimator.method == "structural" or why_margins(estimator, structure) is not None
        asked = exact and plain and (estimator.method == "auto" or isinstance(estimator.C, str))
        asked = asked and estimator.decision_ == "score"
        overlap = estimator._overlap_of_many(X, labels, sample_weight) if asked else True
        by_rows = margins or not overlap if exact else None
        data = estimator._prepare(X, labels, sample_weight, structure.losses, factor, slack, by_rows)
        return cls(estimator, structure, data, labels, slack, earlier, overlap)

    def run(self) -> Trained:
        """Chooses the method, where it is to be chosen, and trains."""
        if self.slack != "hard":
            self._check_c()
        margins, start = why_margins(self.estimator, self.structure), perf_counter()
        if not self.overlap:
            return self._answer(Decision(_APART), start)
        if self.data.kernel is not None:
            return self._answer(Decision(MARGIN), start)
        if self.estimator.method == "structural" or (self.estimator.method == "auto" and margins):
            return self._answer(Decision(MARGIN), start)
        if self.estimator.method == "likelihood":
            if margins:
                raise Unsupported(f"method='likelihood' cannot be had with {margins}; use method='structural'.")
            return self._answer(Decision(LIKELIHOOD), start)
        if self.estimator.solver != "auto":  # one that only the likelihood has
            return self._answer(Decision(LIKELIHOOD), start)
        if self.earlier is not None:
            return self._answer(Decision(self.earlier.candidate), start)
        if too_many_cells(self.labels.size, self.structure.n_classes) and self.estimator.decision_ == "score":
            return self._answer(Decision(MARGIN), start)
        return self._answer(self._choice().decide(), start)

    def _answer(self, decision: Decision, start: float) -> Trained:
        """Trains unless it was done already, and warns where training did not converge."""
        C, limit = self._c(decision.candidate), self.estimator.max_time
        left = None if limit is None else max(1e-3, limit - (perf_counter() - start))
        if decision.candidate.method == "structural":
            solution = self._margin(C, self.data.weight, left, False)
            return Trained(solution, decision.candidate, self.slack, self._sharpened(decision))
        solution = decision.solution or self._likelihood(C, self.data.weight, left, False, decision.near)
        problem = self._problem(self.data.weight)
        objective = Objective(problem, C, 0.0, 1.0, likelihood_tolerance(self.estimator.tol, problem.total_weight))
        solution = concluded_likelihood(solution, likelihood_solver(self.estimator.solver).name, objective)
        return Trained(solution, decision.candidate, None, self._unbiased(1.0))

    def _sharpened(self, decision: Decision) -> Calibration | None:
        """Of scores that folds were asked about; the class of highest score stays that of highest probability."""
        return self._unbiased(held_out_sharpness(decision.held_out)) if decision.held_out else None

    def _unbiased(self, sharpness: float) -> Calibration:
        return Calibration(sharpness, np.zeros(self.structure.n_classes))

    @property
    def _slots(self) -> int:
        """Weights of a row in the native layout."""
        slots = self.structure.n_nodes if isinstance(self.structure, OutputFeatures) else self.structure.n_classes
        return _core.padded(slots)

    def _choice(self) -> Choice:
        model, classes = self.estimator, self.structure.n_classes
        by_cost = model.decision_ == "expected-cost"
        candidates = (LIKELIHOOD,) if by_cost else (MARGIN, LIKELIHOOD)
        scale = self.data.scale
        return Choice(
            self._solve,
            lambda: self._trial_rows,
            self.data.rows,
            self.labels,
            classes,
            self.data.weight,
            partial(_costs, model.cost_, self.labels) if by_cost else None,
            lambda: row_keys(self.data.rows, scale.sizes),
            (*candidates, CONFIDENT) if isinstance(model.C, str) else candidates,
            self._c(LIKELIHOOD),
            model.max_time,
            job_count(model.n_jobs),
        )

    @cached_property
    def _trial_rows(self) -> _core.Rows:
        """The examples for fits that are only asked about them."""
        return turned_rows(self.data.rows)

    @cached_property
    def _trial_orders(self) -> np.random.RandomState:
        """One generator for all trials: seeding one takes as long as several passes over a hundred examples."""
        orders: np.random.RandomState = check_random_state(self.estimator.random_state)
        return orders

    def _solve(
        self, candidate: Candidate, weight: Floats | None, seconds: float | None, trial: bool, inspect: Inspect | None
    ) -> Solution:
        C = self._c(candidate)
        if candidate.method == "structural":
            return self._margin(C, weight, seconds, trial)
        return self._likelihood(C, weight, seconds, trial, inspect=inspect)

    def _c(self, candidate: Candidate) -> float:
        """A default C follows the method; with linear slack it is meant for margins already."""
        C: float = self.estimator.C_
        if not isinstance(self.estimator.C, str) or (candidate.method == "structural" and self.slack != "squared"):
            return C
        return C * candidate.factor

    def _margin(self, C: float, weight: Floats | None, seconds: float | None, trial: bool) -> Solution:
        run = replace(run_of(self.estimator, slack=self.slack), max_time=seconds)
        run = replace(as_trial(run), random_state=self._trial_orders) if trial else run
        n, kernel = self.labels.size, self.data.kernel
        return train(
            self.estimator,
            self.structure,
            self._trial_rows if trial else self.data.rows,
            self.labels,
            n,
            C,
            weight,
            formulation=Formulation(self.estimator.rescaling, self.slack),
            run=run,
            trial=trial,
            wrapped=None if kernel is None else partial(kernel.oracle, rows=self.data.rows, width=self._slots),
        )

    def _likelihood(
        self,
        C: float,
        weight: Floats | None,
        seconds: float | None,
        trial: bool,
        near: Floats | None = None,
        inspect: Inspect | None = None,
    ) -> Solution:
        run = replace(run_of(self.estimator, slack="linear"), max_time=seconds, inspect=inspect)
        if trial:
            run = replace(run, random_state=self._trial_orders, verbose=0, callback=None, rough=True)
        solver, tol = self.estimator.solver, self.estimator.tol
        again = None if trial or self.earlier is None else self.earlier.weights(self.estimator, self.data.columns)
        problem = self._problem(weight, again, self._trial_rows if trial else self.data.rows)
        if problem.few_weights and problem.start is None:  # dual ascent gains nothing from weights for another C
            problem.start = near
        return maximise_likelihood(problem, C, solver, tol, run)

    def _check_c(self) -> None:
        rows, weight = self.data.rows, self.data.weight
        total = float(rows.n if weight is None else weight.sum())
        steepness = 2.0 * float(np.max(rows.squared_norms))
        check_product(self.estimator.C_, total, rows.n, lambda: steepness, ", or slack='hard'")

    def _problem(
        self, weight: Floats | None, start: Floats | None = None, rows: _core.Rows | None = None
    ) -> ClassLikelihood:
        threads, rows = job_count(self.estimator.n_jobs), self.data.rows if rows is None else rows
        return ClassLikelihood(rows, self.labels, self.structure.n_classes, weight, threads, start)


def why_margins(model: Any, structure: Multiclass | OutputFeatures) -> str | None:
    """What is asked for that only margins have."""
    asked = {
        "output features": model.output_features is not None,
        "costs within training": not structure.zero_one,
        f"rescaling={model.rescaling!r}": model.rescaling != "margin",
        f"slack={model.slack!r}": model.slack != "auto",
        "this solver": not (isinstance(model.solver, str) and model.solver in LIKELIHOOD_SOLVERS),
    }
    return next((name for name, is_asked in asked.items() if is_asked), None)


def _costs(cost: Floats, labels: npt.NDArray[np.int32], scores: Floats) -> Floats:
    """Of the answers of lowest expected cost."""
    answers = (softmax(scores, axis=1) @ cost).argmin(axis=1)
    return np.asarray(cost[labels, answers])

"""Training of ``TaxonomySVC``: margins, the likelihood of classes that share the weights of nodes, or least squares.

Margins are best where texts have many words for each class and the tree says which of them classes share. Where classes
overlap, or the tree says little about the features, the likelihood makes cheaper mistakes. So both are judged on folds;
where classes overlap and there are as many examples as weights of classes, only the likelihood is, as in MulticlassSVC.
Where there are few examples, and fewer than columns, least squares are judged, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

from maxmargin import _core
from maxmargin.classes.calibration import held_out_sharpness
from maxmargin.classes.estimator import TrainingData
from maxmargin.classes.likelihood_fit import likelihood_tolerance, maximise_likelihood
from maxmargin.classes.methods import CONFIDENT, too_many_cells
from maxmargin.classes.output_features import OutputFeatures
from maxmargin.classes.placed_classes import PlacedClasses
from maxmargin.classes.shared_likelihood import SharedLikelihood
from maxmargin.classes.squares import SOLVER, Combination, LeastSquares
from maxmargin.classes.taxonomy_trials import MARGIN, SQUARES, Judged, Trials, following_candidate
from maxmargin.fitting.likelihood_training import concluded_likelihood, likelihood_solver
from maxmargin.fitting.method_choice import FEWEST, LIKELIHOOD, Candidate
from maxmargin.fitting.training import as_trial, concluded, job_count, run_of, train
from maxmargin.oracles.search import Unsupported
from maxmargin.rows.class_likelihood import ClassLikelihood
from maxmargin.solvers.base import Run, Solution, Status
from maxmargin.solvers.likelihood import Objective

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.integer[Any]]

_TRIAL_PASSES = 5  # of margins: later ones hardly change how good their answers are, where they might win
_LATER = 3  # times as many iterations before a trial renews its second derivatives: most have ended by then
_FEW_EXAMPLES = 2500  # up to so many least squares cost little beside margins


@dataclass(frozen=True, eq=False)
class TrainedTaxonomy:
    """A solution with weights of nodes, how it was found, and how to decide: by ``'score'`` or ``'expected-cost'``.

    ``temperature`` makes probabilities of scores, None where it is not known.
    """

    solution: Solution
    method: str
    decision: str = "score"
    temperature: float | None = None


@dataclass(frozen=True, eq=False)
class TaxonomyTraining:
    """What an estimator asks for, its classes in their taxonomy, and the examples as they are trained on.

    ``sharing`` is what a default C is multiplied by where classes share features (``difference_scale``).
    """

    estimator: Any
    placed: PlacedClasses
    structure: OutputFeatures
    data: TrainingData
    labels: Codes
    sharing: float

    def run(self) -> TrainedTaxonomy:
        """Chooses the method, where it is to be chosen, and trains."""
        model, start = self.estimator, perf_counter()
        margins = self._why_margins()
        if model.method in ("likelihood", "squares") and margins:
            raise Unsupported(f"method={model.method!r} cannot be had with {margins}; use method='structural'.")
        repeats = np.bincount(self.labels).max() > 1  # else folds say nothing of classes that others have
        free = isinstance(model.C, str) and not model.warm_start and self._total >= FEWEST and repeats
        by_rows = self.data.kernel is not None  # of a kernel matrix, whose features would not fit
        if model.method == "structural" or (model.method == "auto" and (margins or not free or by_rows)):
            return self._answer(MARGIN, start)
        if not free:
            return self._answer(LIKELIHOOD if model.method == "likelihood" else SQUARES[0], start)
        limit = None if model.max_time is None else start + model.max_time
        trials = Trials(self, limit)
        found = self._choice(trials)
        if found is Status.INTERRUPTED:
            return self._interrupted(*trials.last)
        if isinstance(found, Status):
            trained = self._answer(MARGIN, start)
            return replace(trained, solution=replace(trained.solution, status=found))
        trained = self._answer(found.candidate, start, found.decision, found.near)
        return replace(trained, temperature=1.0 / held_out_sharpness(found.held_out))

    @cached_property
    def weight(self) -> Floats:
        return np.ones(self.labels.size) if self.data.weight is None else self.data.weight

    @property
    def _total(self) -> float:
        return float(self.weight.sum())

    def _why_margins(self) -> str | None:
        """What is asked for that only margins have, or that the likelihood cannot do."""
        model = self.estimator
        asked = {
            f"rescaling={model.rescaling!r}": model.rescaling != "margin",
            f"slack={model.slack!r}": model.slack != "linear",
            "this solver": model.solver != "auto",
            "several roots or parents": isinstance(model.loss, str) and not self.placed.taxonomy.is_tree,
            "so many examples and classes": too_many_cells(self.labels.size, self.structure.n_classes),
            "a class whose node has no weight": not self._own_features.diagonal().all(),
        }
        return next((name for name, is_asked in asked.items() if is_asked), None)

    def _choice(self, trials: Trials) -> Judged | Status:
        """The candidate of lowest loss on folds; a still larger C, or smaller one of least squares, as long as that
        gains."""
        candidates = self._candidates(trials)
        best = Status.INTERRUPTED if trials.interrupted else trials.best(candidates)
        while not isinstance(best, Status) and (following := following_candidate(best.candidate)):
            better = trials.best([best.candidate, following], True)
            if isinstance(better, Status) or better.candidate == best.candidate:
                return better
            best = better
        return best

    def _candidates(self, trials: Trials) -> list[Candidate]:
        method, columns = self.estimator.method, self.data.rows.columns
        if method == "squares":
            return [*SQUARES]
        if method == "likelihood":
            return [LIKELIHOOD, CONFIDENT]
        determined = self._total >= columns * self.structure.n_classes
        margins = [] if determined and trials.classes_overlap() else [MARGIN]
        squares = SQUARES if self._total < min(columns, _FEW_EXAMPLES) else ()
        return [LIKELIHOOD, CONFIDENT, *squares, *margins]

    def _answer(
        self, candidate: Candidate, start: float, decision: str | None = None, near: Any = None
    ) -> TrainedTaxonomy:
        """Trains on all examples, and warns where that does not converge; ``decision`` is the one that folds chose,
        ``near`` are weights of a trial to start from."""
        limit = self.estimator.max_time
        left = None if limit is None else max(1e-3, limit - (perf_counter() - start))
        if decision is None:
            decision = "score" if self.structure.zero_one or candidate == MARGIN else "expected-cost"
        by_cost = decision == "expected-cost"
        solution = self.solve(candidate, self.data.weight, left, False, near, by_cost)
        if candidate.method == "likelihood":
            return TrainedTaxonomy(solution, "likelihood", decision, 1.0)
        return TrainedTaxonomy(solution, candidate.method)

    def _interrupted(self, candidate: Candidate, solution: Solution) -> TrainedTaxonomy:
        """The weights of the last trial, without a third of the examples: somebody wants an end now."""
        w = self._trial_weights(candidate, solution.w)
        solution = replace(solution, w=w, primal=None, dual=None, status=Status.INTERRUPTED)  # known of the trial only
        name, n = solution.details["solver"], self.labels.size
        return TrainedTaxonomy(concluded(solution, name, n, solution.details["C"], None), candidate.method)

    def _c(self, candidate: Candidate) -> float:
        """A default C follows the features of the examples and, where they are shared, those of the classes."""
        if not isinstance(self.estimator.C, str):
            return float(self.estimator.C_)
        factor = self.sharing if self._shared and candidate.method == "likelihood" else 1.0
        return candidate.factor * factor * self.data.scale.regularisation

    def solve(
        self,
        candidate: Candidate,
        weight: Floats | None,
        seconds: float | None,
        trial: bool,
        near: Any = None,
        by_cost: bool = False,
        inspect: Callable[[int, Any], None] | None = None,
    ) -> Solution:
        """Trains a candidate; a ``trial`` is rough and silent, and its weights are for ``trial_scores``. ``near`` are
        those of a trial to start from. Scores of least squares are shares of the classes, or ``by_cost`` minus the
        expected losses of the answers. ``inspect`` is called after each pass of margins."""
        run = replace(run_of(self.estimator), max_time=seconds)
        if trial:
            run = replace(run, verbose=0, callback=None, rough=True)
        model, rows, n = self.estimator, self.data.rows, self.labels.size
        if candidate.method == "structural":
            kernel, width = self.data.kernel, _core.padded(self.structure.n_nodes)
            wrapped = None if kernel is None else partial(kernel.oracle, rows=rows, width=width)
            run = replace(as_trial(run, _TRIAL_PASSES), inspect=inspect) if trial else run
            return train(
                model, self.structure, rows, self.labels, n, model.C_, weight, run=run, trial=trial, wrapped=wrapped
            )
        if candidate.method == "squares":
            return self._solve_squares(candidate, weight, run, by_cost)
        C, problem = self._c(candidate), self._problem(weight, trial)
        if self._shared:
            problem.start = near
        solution = maximise_likelihood(problem, C, "auto", model.tol, run)
        objective = Objective(problem, C, 0.0, 1.0, likelihood_tolerance(model.tol, problem.total_weight))
        solution = concluded_likelihood(solution, likelihood_solver("auto").name, objective, trial)
        return solution if self._shared or trial else replace(solution, w=self._of_nodes(solution.w))

    def trial_scores(self, candidate: Candidate, w: Any, asked: Numbers) -> Floats:
        """Of the examples of these numbers by the weights of a trial, shape (examples asked, n_classes)."""
        if isinstance(w, Combination):
            return w.scores(asked)
        rows, jobs, some = self.data.rows, job_count(self.estimator.n_jobs), asked.astype(np.int32)
        if candidate.method == "likelihood" and not self._shared:
            found = rows.scores(w, self.structure.n_classes, jobs, some)
        else:
            found = self.structure.features.native.scores(rows, w, jobs, some)
        return np.asarray(found).reshape(asked.size, -1)

    def _trial_weights(self, candidate: Candidate, w: Any) -> Floats:
        """Weights of nodes from those of a trial."""
        if isinstance(w, Combination):
            return self._of_nodes(w.weights())
        flat = candidate.method == "likelihood" and not self._shared
        return self._of_nodes(w) if flat else np.asarray(w)

    def _solve_squares(self, candidate: Candidate, weight: Floats | None, run: Run, by_cost: bool) -> Solution:
        model, C = self.estimator, self._c(candidate)
        targets = -self.losses if by_cost else np.eye(self.structure.n_classes)
        solution = self._squares.fit(targets[self.labels], C, weight, model.tol, run)
        allowed = np.nan if isinstance(model.tol, str) else C * self._total * float(model.tol)
        solution = concluded(solution, SOLVER, self.labels.size, C, allowed, trial=run.rough)
        return solution if run.rough else replace(solution, w=self._trial_weights(candidate, solution.w))

    @cached_property
    def _squares(self) -> LeastSquares:
        return LeastSquares(self.data.rows, float(self.estimator.intercept_scaling_))

    @cached_property
    def losses(self) -> Floats:
        """Of every answer for every true class, shape (n_classes, n_classes)."""
        return self.structure.losses.table

    def _problem(self, weight: Floats | None, trial: bool) -> SharedLikelihood | ClassLikelihood:
        threads, rows = job_count(self.estimator.n_jobs), self.data.rows
        if self._shared:
            problem = SharedLikelihood(rows, self.labels, self.structure.features, weight, threads, self._all)
            problem.renewal *= _LATER if trial else 1
            return problem
        return ClassLikelihood(rows, self.labels, self.structure.n_classes, weight, threads)

    @property
    def _shared(self) -> bool:
        """Whether the likelihood shares the weights of nodes: in few columns. In many, dual ascent over flat classes is
        much faster."""
        return self._all.invertible

    @cached_property
    def _all(self) -> SharedLikelihood:
        """The problem of all examples with equal weights."""
        return SharedLikelihood(self.data.rows, self.labels, self.structure.features, None, 1)

    @cached_property
    def _own_places(self) -> npt.NDArray[np.int64]:
        """The places of the classes among the nodes with weights."""
        return np.searchsorted(self.placed.nodes, self.placed.class_node)

    @cached_property
    def _own_features(self) -> sp.csr_array:
        """The output features of the classes at the nodes of the classes."""
        return sp.csr_array(self.structure.features.matrix[:, self._own_places])

    def _of_nodes(self, w: Floats) -> Floats:
        """Native weights of nodes that give the same scores as native weights of classes: 0 where no class is."""
        own, classes, columns = self._own_features, self.structure.n_classes, self.data.rows.columns
        given = w.reshape(columns, -1)[:, :classes]
        found = np.zeros((columns, _core.padded(self.structure.n_nodes)))
        if own.nnz == classes:
            found[:, self._own_places] = given / own.diagonal()
        else:
            found[:, self._own_places] = spsolve(sp.csc_array(own), np.ascontiguousarray(given.T)).T
        return found.ravel()

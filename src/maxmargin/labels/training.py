"""How label vectors are learnt and decided: by the likelihood or by the structural risk, whichever serves the loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.fitting.method_choice import Deadline
from maxmargin.fitting.regularisation import resolved_c
from maxmargin.fitting.training import job_count, run_of, train, train_smooth
from maxmargin.labels.likelihood import baseline_loss, expected_f1, label_fit, log_odds
from maxmargin.labels.multilabel import Multilabel
from maxmargin.labels.pairs import search_method
from maxmargin.labels.targets import LabelTargets
from maxmargin.oracles.base import Oracle
from maxmargin.oracles.search import Unsupported
from maxmargin.rows.columns import Columns
from maxmargin.rows.feature_scale import FeatureScale
from maxmargin.rows.kernel_rows import KernelRows
from maxmargin.solvers.base import Solution
from maxmargin.solvers.certify import check_budget
from maxmargin.solvers.choose import choose_solver

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.uint8]

_OF_TWO_CLASSES = 2.0  # two weight vectors w and -w with C are one with 2 C
_FREE = 10.0  # times the size of a typical column: a constant whose weight is hardly regularised
_MANY = 20  # examples per column from which the likelihood hardly depends on C, and nothing has to be tried
_STEP = 8.0  # between neighbours on the path of C
_STEPS = 2
_MOST_UP = 6  # steps to a larger C, as long as they pay
_FALL = 0.05  # of the loss, for which another step is made
_FOLDS = 3
_HELD_OUT = 150  # examples that are enough to choose by
_TOL = 1e-3  # of what can be gained, where the tolerance is left to us
_ROUGH = 1e-2  # of the same, what a step may be expected to gain at the end of fits that are compared
_MOST_STEPS = 50
_MOST_PASSES = 30  # of margins that are only compared


@dataclass(frozen=True)
class Way:
    """A way to train: ``'likelihood'`` or ``'structural'`` with a C, and the mean loss of held-out examples.

    ``losses`` are those of the examples, ``start`` the weights of one of the fits, for the fit on all to start from.
    """

    method: str
    C: float
    loss: float | None = None
    losses: Floats | None = field(default=None, repr=False, compare=False)
    start: Floats | None = field(default=None, repr=False, compare=False)

    def beats(self, other: Way) -> bool:
        """Whether it is better by more than the standard error of the difference."""
        if self.losses is None or other.losses is None:
            return self.losses is not None
        gain = other.losses - self.losses
        return bool(gain.mean() > gain.std() / np.sqrt(gain.size))

    def slim(self) -> Way:
        return replace(self, losses=None, start=None)


@dataclass(frozen=True, eq=False)
class Trained:
    """What came out, and what was compared with it."""

    way: Way
    structure: Multilabel
    solution: Solution
    constant: float
    tried: tuple[Way, ...]

    def weights(self, kernel: KernelRows | None) -> Floats:
        """Native weights; over rows of a kernel the coefficients of these in place of columns."""
        w: Floats = self.solution.w
        return w if kernel is None else w[kernel.width * _core.padded(self.structure.n_labels) :]


def check_method(estimator: Any, pairs: npt.NDArray[np.int32], labels: int) -> str:
    """``'likelihood'``, ``'structural'``, or ``'auto'`` where both are possible and nothing speaks for one of them."""
    method = estimator.method
    if method == "structural":
        return "structural"
    usual = {"rescaling": "margin", "slack": "linear", "solver": "auto", "label_weight": None}
    other = next((name for name, value in usual.items() if not _same(getattr(estimator, name), value)), None)
    branched = search_method(labels, pairs) == "branch"
    if method == "auto":
        return "structural" if estimator.single_ or other is not None or branched else "auto"
    if other is not None:
        raise ValueError(
            f"{other}={getattr(estimator, other)!r} is for method='structural'; name that method, or leave {other} out."
        )
    if estimator.single_:
        raise Unsupported(
            "The likelihood is that of label vectors, and y has one class per example; use MulticlassSVC."
        )
    if branched:
        raise Unsupported(
            "The likelihood sums over all label vectors, which is possible where the pairs of labels make no cycle, or "
            f"for at most {_core.MOST_LISTED} labels; here are {labels}: use interactions='tree'."
        )
    return "likelihood"


class LabelTrainer:
    """Fits ``estimator`` to rows that have no constant feature yet; ``columns`` is what was done to them, and
    ``before`` the kernel of the fit before. With ``kernel`` the rows are unit vectors, those of its matrix."""

    def __init__(
        self,
        estimator: Any,
        rows: _core.Rows,
        targets: LabelTargets,
        weight: Floats | None,
        costs: Floats | None,
        columns: Columns | None = None,
        before: Any = None,
        kernel: KernelRows | None = None,
    ) -> None:
        self.before, self.kernel = before, kernel
        self.estimator, self.rows, self.weight, self.costs, self.columns = estimator, rows, weight, costs, columns
        self.vectors, self.labels = targets.vectors, targets.names.size
        self.scale: FeatureScale = estimator._scale(rows, weight) if kernel is None else kernel.scale(weight)
        self.C = resolved_c(estimator.C, lambda: _OF_TWO_CLASSES * self.scale.regularisation)
        self.threads = job_count(estimator.n_jobs)

    def train(self, method: str) -> Trained:
        late, tried = Deadline(self.estimator.max_time), []
        chosen = Way("likelihood" if method == "auto" else method, self.C)
        if method == "auto" and 2 * _FOLDS <= self.rows.n < _MANY * self.rows.columns:
            for way in self._ways(late):
                tried.append(way)
                if not chosen.beats(way) if way.method == "structural" else way.beats(chosen):
                    chosen = way
        structure, constant = self.structure(chosen.method)
        if chosen.method == "structural":
            solution = train(
                self.estimator,
                structure,
                self.rows,
                self.vectors,
                self.rows.n,
                chosen.C,
                self.weight,
                wrapped=self._wrapped,
            )
        else:
            run = late.cut(run_of(self.estimator))
            check_budget(structure.bind(self.rows, self.vectors, Formulation()), chosen.C)
            fit, target = self._likelihood(structure, constant, chosen.C, self.weight, run.tol or _TOL)
            self._continue(structure, fit, constant)
            if chosen.start is not None:
                fit.start(chosen.start)
            solution = train_smooth(fit, chosen.C, target, self.rows.n, run)
        return Trained(chosen, structure, solution, constant, tuple(way.slim() for way in tried))

    def structure(self, method: str) -> tuple[Multilabel, float]:
        """The problem with its constants, which the rows then have."""
        factor = _FREE if method == "likelihood" else 1.0
        estimator = self.estimator
        constant = self._constant("intercept_scaling", factor) if estimator.fit_intercept else 0.0
        eta = self._constant("interaction_scaling", factor)
        self.rows.set_bias(constant)
        return Multilabel(self.labels, estimator.pairs_, estimator.loss, self.costs, eta), constant

    @property
    def _wrapped(self) -> Callable[[Oracle], Oracle] | None:
        """What makes an oracle of the kernel of one of unit vectors."""
        if self.kernel is None:
            return None
        return partial(self.kernel.oracle, rows=self.rows, width=_core.padded(self.labels))

    def _constant(self, name: str, factor: float) -> float:
        value = getattr(self.estimator, name)
        return factor * self.scale.constant if isinstance(value, str) else float(value)

    def _likelihood(
        self, structure: Multilabel, constant: float, C: float, weight: Floats | None, tol: float
    ) -> tuple[_core.LabelFit, float]:
        total = float(self.rows.n if weight is None else weight.sum())
        fit = label_fit(structure, self.rows, self.vectors, weight, C, constant, self.threads)
        return fit, tol * C * total * baseline_loss(self.vectors, weight)

    def _continue(self, structure: Multilabel, fit: _core.LabelFit, constant: float) -> None:
        """From the weights of the fit before, where they are wanted and are those of the same labels and columns."""
        estimator, known = self.estimator, getattr(self.estimator, "coef_", None)
        if not estimator.warm_start or known is None or len(known) != self.labels:
            return
        before = estimator._going_on(self.before, known)
        if before is None:
            return
        if estimator.interaction_.size != len(estimator.pairs_):
            return
        intercept = estimator.intercept_
        if self.columns is not None:
            before, intercept = before / self.columns.factor, intercept + before @ self.columns.shift
        coef = np.c_[before, intercept / constant] if constant else before
        fit.start(structure.from_coef(coef, estimator.interaction_ / structure.eta))

    def _ways(self, late: Deadline) -> Iterator[Way]:
        """The likelihood along a path of C, upwards or else downwards as long as that pays well, each with its loss.

        Where two steps up pay, labels are all but certain, and the margin is compared with it.
        """
        folds = self._folds()
        starts: list[Floats | None] = [None] * len(folds)
        first = self._tried("likelihood", self.C, folds, starts, late)
        yield first
        if not isinstance(self.estimator.C, str):
            return
        for factor, most in ((_STEP, _MOST_UP), (1.0 / _STEP, _STEPS)):
            best = first
            for step in range(1, most + 1):
                if late():
                    return
                way = self._tried("likelihood", self.C * factor**step, folds, starts, late)
                yield way
                fell = 1.0 - way.loss / best.loss if best.loss else 0.0  # type: ignore[operator]
                best = way if fell > 0.0 else best
                if factor > 1.0 and step == _STEPS and best is way:
                    yield self._tried("structural", self.C, folds, starts, late)
                if fell < _FALL:
                    break
            if best is not first:
                return

    def _folds(self) -> list[npt.NDArray[np.bool_]]:
        """Which examples are held out; no more folds than hold out enough."""
        number = np.random.default_rng(0).permutation(self.rows.n) % _FOLDS
        count = min(_FOLDS, max(1, -(-_HELD_OUT * _FOLDS // self.rows.n)))
        return [number == fold for fold in range(count)]

    def _tried(
        self, method: str, C: float, folds: list[npt.NDArray[np.bool_]], starts: list[Floats | None], late: Deadline
    ) -> Way:
        """Fits without each fold, from the weights of the last call, and the losses of the folds."""
        structure, constant = self.structure(method)
        each = np.ones(self.rows.n) if self.weight is None else self.weight
        losses = []
        for number, held_out in enumerate(folds):
            weight = np.where(held_out, 0.0, each)
            if not weight.any():
                continue
            if method == "likelihood":
                fit, target = self._likelihood(structure, constant, C, weight, _ROUGH)
                start = starts[number]
                if start is not None:
                    fit.start(start)
                fit.run(target, _MOST_STEPS)
                w = starts[number] = np.ascontiguousarray(fit.weights)
            else:
                w = self._structural(structure, C, weight, late)
            found = decide(method, structure, structure.core(self.rows), w, self.threads)[0]
            losses.append(each[held_out] * structure.losses(self.vectors[held_out], found[held_out]))
        paid = np.concatenate(losses)
        return Way(method, C, float(paid.mean()), paid, starts[0] if method == "likelihood" else None)

    def _structural(self, structure: Multilabel, C: float, weight: Floats, late: Deadline) -> Floats:
        estimator = self.estimator
        formulation = Formulation(estimator.rescaling, estimator.slack)
        oracle = structure.bind(self.rows, self.vectors, formulation, sample_weight=weight, threads=self.threads)
        passes = _MOST_PASSES if estimator.max_iter is None else min(_MOST_PASSES, int(estimator.max_iter))
        run = replace(late.cut(run_of(estimator)), max_iter=passes, callback=None, verbose=0)
        w: Floats = choose_solver(estimator.solver, formulation)(oracle, C, run).w
        return w


def decide(method: str, structure: Multilabel, core: _core.Labels, w: Floats, threads: int) -> tuple[Vectors, int]:
    """The label vector of each row, and the number of searches that gave up: the best by score, or that of lowest
    expected loss."""
    labels = structure.n_labels
    if method == "likelihood" and structure.loss_name == "hamming":
        return (leads(method, structure, core, w, threads)[0] > 0.0).astype(np.uint8), 0
    if method == "likelihood" and structure.loss_name == "f1":
        return expected_f1(core, w, labels, threads)[0], 0
    found, missed = core.decode(w, threads)
    return found.reshape(-1, labels), missed


def leads(method: str, structure: Multilabel, core: _core.Labels, w: Floats, threads: int) -> tuple[Floats, int]:
    """For each label what speaks for it, positive where it is set, and the number of searches that gave up."""
    labels = structure.n_labels
    if method == "likelihood" and structure.loss_name == "hamming":
        added, missed = structure.costs.T
        with np.errstate(divide="ignore"):
            needed = np.where(added == missed, 0.0, np.log(added) - np.log(missed))
        return log_odds(core, w, labels, threads) - needed, 0
    if method == "likelihood" and structure.loss_name == "f1":
        return expected_f1(core, w, labels, threads)[1], 0
    margins, gave_up = core.margins(w, threads)
    return margins.reshape(-1, labels), gave_up


def _same(given: Any, usual: Any) -> bool:
    return given is usual or (isinstance(given, str) and given == usual)

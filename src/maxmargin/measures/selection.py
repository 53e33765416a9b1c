"""Which loss, C and scale of the columns serve a measure best: a path of fits, judged on folds of the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.fitting.method_choice import Deadline
from maxmargin.groups.average_precision import AveragePrecision
from maxmargin.groups.base import BinaryMeasure
from maxmargin.measures.at_k import AtK
from maxmargin.measures.contingency import Contingency, FBeta
from maxmargin.measures.folds import Folds
from maxmargin.measures.modelled_cut import modelled_cut
from maxmargin.measures.threshold import Cuts
from maxmargin.rows.smooth import LOSSES, SmoothRows

Floats = npt.NDArray[np.float64]

STEP = 8.0  # between neighbours on the path of C
_REACH = 4  # steps in one direction
_GAIN = 1e-3  # of the measure, for which another step is made
_LARGE_GAIN = 1e-2  # the same where a step is made of many passes over the rows
_ACCURACY = 1e-3  # of what can be gained, for fits that are compared
_ROUGH = 1e-2  # the same where a step is made of many passes over the rows
_MOST_STEPS = 50
_SURE = 30.0  # positive rows of whose best cut as much is chance as is wrong with that by a model of probabilities
_LEAST_SHARE = 0.02  # of the latter
_SETTLED = 0.02  # of what weights owe to chance: another C that moves them less is not tried

Form = tuple[bool, bool]  # standardised, balanced


@dataclass(frozen=True)
class Candidate:
    """A way to train, and what it was worth.

    Attributes
    ----------
    loss : ``'logistic'`` or ``'squared_hinge'``
    C : weight of the sum of the losses
    standardised : whether every column is taken in units of its size
    balanced : whether both classes count as much as each other
    value : the measure of scores by models that were trained without the row, at the best threshold where it depends
        on one; None where there are too few rows for folds
    """

    loss: str
    C: float
    standardised: bool
    balanced: bool = False
    value: float | None = None

    @property
    def form(self) -> Form:
        """What the problem is but for the loss and C."""
        return self.standardised, self.balanced


@dataclass(frozen=True, eq=False)
class Judge:
    """The measure on held-out scores of the members of folds, in their order."""

    measure: BinaryMeasure
    cut_for: Contingency | None
    folds: Folds
    positive: npt.NDArray[np.bool_]
    weight: Floats | None

    def value(self, scores: Floats) -> tuple[float, float]:
        """What candidates are compared by: the measure, and average precision where the first few rows tie."""
        if self.cut_for is not None and self.cut_for == self.measure:
            return round(self._cuts(scores, self.folds.group).best(self.cut_for, apart=self._apart)[1], 9), 0.0
        moved = scores if self.cut_for is None or self.measure.ranking else scores - self.threshold(scores)
        second = self._of(AveragePrecision(), scores) if isinstance(self.measure, AtK) else 0.0
        return round(self._of(self.measure, moved), 9), round(second, 9)

    def threshold(self, scores: Floats) -> float:
        """The mean of the best cuts of parts of the rows, for F-measures of few positives drawn towards that by a model
        of their probabilities."""
        if self.cut_for is None:
            return 0.0
        parts = self.folds.fold if self.folds.group is None else self.folds.group
        typical = self._cuts(scores, parts).typical(self.cut_for, self.folds.fold_of_group, apart=self._apart)
        positives = float(np.count_nonzero(self.positive) if self.weight is None else self.weight[self.positive].sum())
        share = _SURE / (_SURE + positives)
        if self._apart or share < _LEAST_SHARE or not isinstance(self.cut_for, FBeta):
            return typical
        modelled = modelled_cut(self.cut_for, scores, self.positive, self.weight)
        return typical if modelled is None else (1.0 - share) * typical + share * modelled

    @property
    def _apart(self) -> bool:
        return self.folds.group is not None

    def _cuts(self, scores: Floats, part: npt.NDArray[np.intp] | None) -> Cuts:
        return Cuts(scores, self.positive, self.weight, part, 1 if part is None else int(part.max()) + 1)

    def _of(self, measure: BinaryMeasure, scores: Floats) -> float:
        if self.folds.group is None:
            return measured(measure, scores, self.positive, self.weight)
        groups = [np.flatnonzero(self.folds.group == g) for g in range(self.folds.groups)]
        weights = [None if self.weight is None else self.weight[rows] for rows in groups]
        values = [measured(measure, scores[rows], self.positive[rows], own) for rows, own in zip(groups, weights)]
        return float(np.mean(values))


def measured(
    measure: BinaryMeasure,
    scores: Floats,
    positive: npt.NDArray[np.bool_],
    weight: Floats | None,
    where: str = "the sample",
) -> float:
    """The measure of scores where rows count by weight; ``where`` names the rows in messages."""
    if weight is None:
        return measure.value(scores, measure.prepare(positive, where))
    used = weight > 0.0
    target = measure.prepare(positive[used], where)
    return measure.value(scores[used], replace(target, weight=weight[used]))


class Path:
    """Tries candidates one after the other, each from the weights of the one before.

    From the first C the path climbs in steps of 8 as long as the measure rises, upwards or else downwards, and as
    long as the weights still move by more than a small part of what they owe to chance. The second loss starts where
    the first was best; where fits are expensive it goes on only if it is no worse there, and with fewer rows than
    columns there is no second: both losses then rank rows alike, and folds choose by chance. Balanced classes, where
    they are among the problems, start where both losses have ended.
    """

    def __init__(
        self,
        problems: dict[Form, SmoothRows],
        judge: Judge,
        C: float,
        *,
        fixed: bool,
        direct: bool,
        late: Deadline,
        threads: int,
    ) -> None:
        self.tried: list[Candidate] = []
        self.best: Candidate | None = None
        self.weights: Floats = np.zeros(0)  # of the best
        self.scores: Floats = np.zeros(0)
        self._problems, self._judge, self._fixed, self._late, self._threads = problems, judge, fixed, late, threads
        self._direct = direct
        self._fits: dict[Form, _core.SmoothFit] = {}
        self._keys: dict[tuple[str, bool], tuple[float, float]] = {}  # the best of each loss, balanced or not
        self._sums: dict[tuple[str, bool], float] = {}
        wide = not direct and judge.folds.members.size < problems[False, False].rows.columns
        losses = LOSSES if direct else LOSSES[1:] if wide else LOSSES[::-1]
        for standardised, balanced in problems:
            if not balanced and not (self.tried and late()):
                self._try(Candidate(losses[0], C, standardised))
        for loss in losses:
            self._climb(loss, False)
        if any(balanced for _, balanced in problems):
            self._climb(self.chosen.loss, True)

    def _climb(self, loss: str, balanced: bool) -> None:
        start = replace(self.chosen, loss=loss, balanced=balanced)
        if start.form not in self._fits or loss != self.chosen.loss:
            if self._late():
                return
            self._try(start)
        key = self._keys[loss, balanced]
        if self._fixed or not (self._direct or key == max(self._keys.values())):
            return
        for factor in (STEP, 1.0 / STEP):
            C = start.C
            for _ in range(_REACH):
                C *= factor
                if self._late() or self._settled(start.form, C) or not self._try(replace(start, C=C)):
                    break
            if start.C * factor != C:  # it was better at least once
                break

    @property
    def chosen(self) -> Candidate:
        assert self.best is not None
        return self.best

    def _settled(self, form: Form, C: float) -> bool:
        """Whether there is next to nothing between the last weights and those that are best for this C."""
        fit = self._fits[form]
        return fit.direct and fit.distance(C) < _SETTLED

    def _try(self, candidate: Candidate) -> bool:
        """Whether the candidate is better than those of its loss so far, by enough to go on."""
        members = self._judge.folds.members
        problem = self._problems[candidate.form]
        fit = self._fits.get(candidate.form)
        if fit is None:
            fit = self._fits[candidate.form] = problem.fit(candidate.loss, candidate.C, members)
            if self._late.left is not None:
                fit.limit(max(self._late.left, 0.0))
        fit.change(candidate.loss, candidate.C)
        target = (_ACCURACY if fit.direct else _ROUGH) * candidate.C * self._to_gain(candidate)
        if fit.direct:  # folds then start from the fit on all rows
            fit.run(target, _MOST_STEPS)
        scores = fit.fold_scores(self._judge.folds.offsets, target, self._threads)
        key = self._judge.value(scores)
        self.tried.append(replace(candidate, value=key[0]))
        if key > max(self._keys.values(), default=(-np.inf, 0.0)):
            self.best, self.weights, self.scores = self.tried[-1], fit.weights, scores
        kind = candidate.loss, candidate.balanced
        before = self._keys.get(kind, (-np.inf, 0.0))
        self._keys[kind] = max(key, before)
        return key[0] > before[0] + (_GAIN if self._direct else _LARGE_GAIN)

    def _to_gain(self, candidate: Candidate) -> float:
        """The sum of the losses of the members at the baseline."""
        kind = candidate.loss, candidate.balanced
        if kind not in self._sums:
            problem, members = self._problems[False, candidate.balanced], self._judge.folds.members
            total = members.size if problem.weight is None else float(problem.weight[members].sum())
            self._sums[kind] = total * problem.baseline_loss(candidate.loss, members)
        return self._sums[kind]

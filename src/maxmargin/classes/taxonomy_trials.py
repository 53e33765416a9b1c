"""Which way of training a taxonomy makes the cheapest mistakes on folds that it was not trained on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from maxmargin.classes.calibration import HeldOutScores, held_out_sharpness
from maxmargin.classes.methods import CONFIDENT, LARGEST_FACTOR, OVERLAP
from maxmargin.classes.taxonomy_places import ClassPlaces
from maxmargin.classes.taxonomy_score import expected_loss
from maxmargin.fitting.method_choice import LIKELIHOOD, Candidate, Contest, Mask, dealt_folds
from maxmargin.rows.row_keys import row_keys
from maxmargin.solvers.base import Solution, Status

if TYPE_CHECKING:
    from maxmargin.classes.taxonomy_training import TaxonomyTraining

Floats = npt.NDArray[np.float64]

MARGIN = Candidate("structural", 1.0)
SQUARES = (Candidate("squares", 0.125), Candidate("squares", 1.0))
_STEP = 8.0  # from one C of a method to the next
_FEW_CLASSES = 128  # whose expected losses are faster by a table than by sums over the taxonomy
_FIRST_PASSES = 3  # of margins, after which their answers tell anything
_FAR = 2.0  # standard errors behind another candidate: more passes do not make up for so much
_FURTHEST = 64.0  # times the default C of least squares, up and down


@dataclass(frozen=True, eq=False)
class Judged:
    """The candidate that won, the better decision, the scores of examples by weights not trained on them, and the
    weights of its first trial."""

    candidate: Candidate
    decision: str
    held_out: list[HeldOutScores]
    near: Any


class Trials:
    """Candidates of a training on folds; what was trained once is kept, and ``last`` is what was trained last."""

    last: tuple[Candidate, Solution]

    def __init__(self, training: TaxonomyTraining, limit: float | None) -> None:
        self._training, self._limit = training, limit
        self._labels, self._structure, self._weight = training.labels, training.structure, training.weight
        self._places = ClassPlaces(training.placed)
        keys = row_keys(training.data.rows, training.data.scale.sizes)
        self._fold = dealt_folds(keys, self._labels, self._weight > 0.0)
        self._known: dict[tuple[Candidate, bytes], Solution] = {}
        self._tried: dict[Candidate, _Trial] = {}

    def classes_overlap(self) -> bool:
        """Whether the likelihood errs on more than 15 % of its training examples that guessing would err on."""
        kept = self._fold > 0
        left = None if self._limit is None else max(1e-3, self._limit - perf_counter())
        found = self._train(LIKELIHOOD, kept, left)
        weight = np.where(kept, self._weight, 0.0)
        guess = float(weight.sum() - np.bincount(self._labels, weight).max())
        scores = self._training.trial_scores(LIKELIHOOD, found.w, np.arange(self._labels.size))
        wrong = float(weight @ (scores.argmax(axis=1) != self._labels))
        return wrong > OVERLAP * guess

    def best(self, candidates: list[Candidate], clearly: bool = False) -> Judged | Status:
        """The candidate of lowest loss, or why that was not found; ``clearly`` prefers the first unless it is beaten by
        more than a standard error."""
        trials = [self._tried.setdefault(one, _Trial(one, self._labels.size)) for one in candidates]
        seen, before = np.zeros(self._labels.size, dtype=bool), [0.0] * len(trials)

        def train(candidate: Candidate, kept: Mask, seconds: float | None) -> Solution:
            return self._train(candidate, kept, seconds)

        def loss(place: int, w: Any, asked: Mask) -> float:
            seen[asked] = True
            if not trials[place].asked[asked].any():
                self._ask(trials[place], w, asked)
            earlier, before[place] = before[place], float(self._weight[seen] @ trials[place].losses[seen])
            return before[place] - earlier

        def error(one: int, other: int) -> float:
            share = 0.5 if clearly and one else 1.0  # one that has to win by an error is out before it is behind by one
            between = (trials[one].losses - trials[other].losses)[seen]
            return share * float(np.sqrt(self._weight[seen] @ between**2))

        total = float(self._weight.sum())
        found = Contest(candidates, train, loss, self._fold, self._limit, error).losses(total)
        if isinstance(found, Status):
            return found
        best = int(found.argmin())
        if clearly and found[0] < np.inf and found[0] - found[best] <= error(0, best):
            best = 0
        near = self._known[candidates[best], (self._fold > 0).tobytes()].w
        return Judged(candidates[best], trials[best].decision, self._held_out(trials[best]), near)

    def _train(self, candidate: Candidate, kept: Mask, seconds: float | None) -> Solution:
        key = candidate, kept.tobytes()
        if key not in self._known:
            near = [self._known[c, k] for c, k in self._known if k == key[1] and c.method == candidate.method]
            weight, asked = np.where(kept, self._weight, 0.0), (self._fold >= 0) & ~kept
            begin = near[-1].w if near else None
            inspect = partial(self._give_up, candidate, asked)
            try:
                found = self._training.solve(candidate, weight, seconds, True, begin, False, inspect)
            except _Behind as behind:
                found = behind.solution
            self._known[key] = found
            self.last = candidate, found
        return self._known[key]

    def _give_up(self, candidate: Candidate, asked: Mask, passes: int, w: Any) -> None:
        """Ends the training of margins that are more than two standard errors behind another candidate on the fold."""
        others = [trial for trial in self._tried.values() if trial.asked[asked].all()]
        if passes != _FIRST_PASSES or not others:
            return
        trial, weight = _Trial(candidate, self._labels.size), self._weight[asked]
        w = np.asarray(w, dtype=np.float64).copy()
        self._ask(trial, w, asked)
        best = min(others, key=lambda other: float(weight @ other.losses[asked]))
        between = (trial.losses - best.losses)[asked]
        if weight @ between > _FAR * np.sqrt(weight @ between**2):
            calls = passes * self._labels.size
            raise _Behind(Solution(w, Status.MAX_ITER, None, None, passes, calls))

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the last training."""
        return bool(self._known) and self.last[1].status is Status.INTERRUPTED

    def _ask(self, trial: _Trial, w: Any, asked: Mask) -> None:
        """About the examples of a fold."""
        structure, losses = self._structure, self._structure.losses
        scores = self._training.trial_scores(trial.candidate, w, np.flatnonzero(asked))
        truth, weight = self._labels[asked], self._weight[asked]
        known = np.bincount(self._labels[(self._fold >= 0) & ~asked], minlength=structure.n_classes) > 0
        told = known[truth]
        if told.all():
            part = HeldOutScores(scores, truth, weight, known)
        else:
            part = HeldOutScores(scores[told], truth[told], weight[told], known)
        trial.held_out.append(part)
        trial.asked[asked] = True
        trial.by_score[asked] = losses.of_pairs(truth, scores.argmax(axis=1).astype(np.int32))
        trial.by_cost[asked] = trial.by_score[asked]
        if trial.candidate != MARGIN and not structure.zero_one:
            cheapest = self._costs(trial, part, scores).argmin(axis=1)
            trial.by_cost[asked] = losses.of_pairs(truth, cheapest.astype(np.int32))
        gain = self._weight @ (trial.by_score - trial.by_cost)
        trial.decision = "expected-cost" if gain > 0.0 else "score"

    def _costs(self, trial: _Trial, part: HeldOutScores, scores: Floats) -> Floats:
        """Expected losses of the answers. Scores of least squares are shares of the classes themselves."""
        if trial.candidate.method == "squares":
            return np.asarray(scores @ self._training.losses)
        probability = softmax(held_out_sharpness([part]) * scores, axis=1)
        if self._structure.n_classes <= _FEW_CLASSES:
            return np.asarray(probability @ self._training.losses)
        return expected_loss(self._training.estimator, self._places, probability)

    def _held_out(self, trial: _Trial) -> list[HeldOutScores]:
        """Scores as the chosen decision needs them."""
        if trial.candidate.method != "squares" or trial.decision == "score":
            return trial.held_out
        return [replace(part, scores=-part.scores @ self._training.losses) for part in trial.held_out]


def following_candidate(best: Candidate) -> Candidate | None:
    """What is worth a trial after a candidate has won: the next C of its method, away from those tried."""
    if best.method == "squares":
        factor = best.factor * (_STEP if best.factor >= 1.0 else 1.0 / _STEP)
        return replace(best, factor=factor) if 1.0 / _FURTHEST <= factor <= _FURTHEST else None
    if best.method == "likelihood" and CONFIDENT.factor <= best.factor < LARGEST_FACTOR:
        return replace(best, factor=_STEP * best.factor)
    return None


class _Behind(Exception):
    """What margins that were given up had found."""

    def __init__(self, solution: Solution) -> None:
        super().__init__()
        self.solution = solution


class _Trial:
    """A candidate, and the losses of the examples that it was asked about by two decisions; 0 for the others."""

    def __init__(self, candidate: Candidate, n: int) -> None:
        self.candidate, self.decision = candidate, "score"
        self.asked: Mask = np.zeros(n, dtype=bool)
        self.by_score: Floats = np.zeros(n)
        self.by_cost: Floats = np.zeros(n)
        self.held_out: list[HeldOutScores] = []

    @property
    def losses(self) -> Floats:
        """Of the better decision."""
        return self.by_cost if self.decision == "expected-cost" else self.by_score

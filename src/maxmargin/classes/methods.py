"""Margins or likelihood: how ``MulticlassSVC`` trains, and which of them suits the data.

Where the classes can be told apart, or nearly so, margins and likelihood are about equally good. Where they overlap,
and no class of an example has a probability of one half, the smallest risk of margins is that of weights that say
nothing; the likelihood has no such weakness.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.classes.calibration import HeldOutScores
from maxmargin.classes.shrinkage import share_held_back
from maxmargin.fitting.method_choice import FEWEST, LIKELIHOOD, Candidate, Contest, Mask, dealt_folds
from maxmargin.solvers.base import Solution, Status

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Inspect = Callable[[int, Floats], None]

OVERLAP = 0.15  # mistakes on the training data, as a share of those of guessing: from there on classes overlap
_APART = 0.5  # of that: with so few after two passes the classes do not overlap
_PASSES = 2
_HELD_BACK = 0.05  # of the objective, or of the directions: where the penalty is more, C matters however many examples
_MANY = 20  # examples for each column from which on C hardly matters where classes overlap
_MOST_CELLS = 2**25  # examples times classes, beyond which a likelihood needs too much memory
LARGEST_FACTOR = 4096.0  # times the default C: no larger one is tried
_STEP = 8.0  # from one C to the next
_SURE = 2.0  # standard errors behind the best at which a candidate is out


MARGIN = Candidate("structural", 1.0 / 3.0)
CONFIDENT = Candidate("likelihood", 8.0)
_FEW_EXAMPLES = 1000  # in twice as many columns: up to so many, nearly hard margins are tried at once
_NEARLY_HARD = 64.0  # times the default C of margins: beyond, they are slow


def too_many_cells(n: int, classes: int) -> bool:
    """Whether a likelihood would need much more memory than margins do."""
    return n * classes > _MOST_CELLS


@dataclass(frozen=True, eq=False)
class Decision:
    """The chosen candidate, its solution where it has been trained already, and its scores on folds not trained on.

    ``near`` are native weights that training may start from.
    """

    candidate: Candidate
    solution: Solution | None = None
    near: Floats | None = None
    held_out: list[HeldOutScores] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class _Judged:
    """A candidate, and the scores of examples by weights not trained on them."""

    candidate: Candidate
    held_out: list[HeldOutScores]


class _ClassesApart(Exception):
    """Ends the training of the first likelihood where it shows that one with a larger C is the answer."""

    def __init__(self, w: Floats) -> None:
        super().__init__()
        self.w = w


@dataclass(frozen=True, eq=False)
class Choice:
    """Compares candidates on the data that the chosen one is then trained on.

    Parameters
    ----------
    solve : trains a candidate with given weights of the examples, in at most so many seconds, silently or not; the last
        argument is called with passes and native weights on the way to a likelihood
    trial_rows : the examples as silent training sees them, with weights in other coordinates
    rows, labels, classes : the examples, their class numbers, and the number of classes
    weight : of the examples; None is 1
    losses : of all examples, from scores of shape (n, classes); None is 1 where the truth has not the highest score
    keys : a number for each row, the same for equal rows: folds depend on what the rows are, not on where they stand
    candidates : those to choose from where the classes do not overlap; of equals the first
    C : that of LIKELIHOOD
    """

    solve: Callable[[Candidate, Floats | None, float | None, bool, Inspect | None], Solution]
    trial_rows: Callable[[], _core.Rows]
    rows: _core.Rows
    labels: Codes
    classes: int
    weight: Floats | None
    losses: Callable[[Floats], Floats] | None
    keys: Callable[[], Floats]
    candidates: tuple[Candidate, ...]
    C: float
    max_time: float | None
    threads: int

    def decide(self) -> Decision:
        """The candidate to train, and what is known about it.

        A likelihood is trained first; it is the answer with fewer than 60 examples. If it errs on more than 15 % of the
        training examples that guessing the largest class would err on, the classes overlap: only likelihoods are
        candidates then, until a larger C turns out to be better. Few examples in twice as many columns can be told
        apart, so that nearly hard margins are a candidate. Where there are as many examples as weights (classes times
        columns) no folds are needed: the first is the answer where classes overlap, because C hardly matters there (as
        it does not with 20 examples for each column), unless the penalty holds the weights back, as where columns are
        much alike; and the one with the larger C where they do not, unless mistakes differ in cost: two passes of the
        first likelihood are enough where they show that already. Else the candidates are compared on folds: all three
        up to 1000 examples, one where there are more, and those that are behind by more than two standard errors drop
        out. Where the likelihood with the largest C wins, still larger ones, of margins, too, are tried as long as they
        win by more than a standard error.
        """
        start, guess = perf_counter(), self._wrong_guesses
        total, columns = float(self._weight.sum()), self.rows.columns
        determined = total >= self.classes * columns
        confident = determined and CONFIDENT in self.candidates and self.losses is None
        try:
            look = self._look() if confident and total >= FEWEST else None
            first = self.solve(LIKELIHOOD, self.weight, self.max_time, False, look)
        except _ClassesApart as apart:
            return Decision(CONFIDENT, None, apart.w)
        if first.status not in (Status.CONVERGED, Status.MAX_ITER, Status.STALLED):
            return Decision(LIKELIHOOD, first)
        overlap = self._wrong(first.w) > OVERLAP * guess
        many = determined or total >= _MANY * columns
        if total < FEWEST or (overlap and many and not self._is_held_back(first)):
            return Decision(LIKELIHOOD, first)
        if confident and not overlap:
            return Decision(CONFIDENT, None, first.w)
        candidates = [c for c in self.candidates if not overlap or c.method == "likelihood"]
        if total < min(0.5 * columns, _FEW_EXAMPLES) and MARGIN in self.candidates and CONFIDENT in self.candidates:
            candidates.append(replace(MARGIN, factor=_NEARLY_HARD * MARGIN.factor))
        return self._compared(first, candidates, start)

    def _look(self) -> Inspect:
        """Looks once, after two passes, whether the classes can be told apart already, and ends the training then."""
        looks = 0

        def inspect(passes: int, w: Floats) -> None:
            nonlocal looks
            if passes >= _PASSES and not looks:
                looks += 1
                if self._wrong(w) <= _APART * OVERLAP * self._wrong_guesses:
                    raise _ClassesApart(w)

        return inspect

    @cached_property
    def _wrong_guesses(self) -> float:
        """The weight of all examples but those of the largest class."""
        return float(self._weight.sum() - np.bincount(self.labels, self._weight).max())

    def _wrong(self, w: Floats) -> float:
        """The weight of the examples that weights err on."""
        return float(self._weight @ self._mistakes(self._scores(self.rows, w)))

    def _is_held_back(self, first: Solution) -> bool:
        """Whether the penalty is a good part of the objective, or counts for more than the examples in some directions:
        then C matters, however many examples there are."""
        penalty = 0.5 * float(first.w @ first.w)
        if first.primal is None or penalty > _HELD_BACK * first.primal:
            return True
        return share_held_back(self.rows, self.labels, self._weight, self.C) > _HELD_BACK

    def _compared(self, first: Solution, candidates: list[Candidate], start: float) -> Decision:
        """The candidate of lowest loss on held-out folds; ``first`` is the solution of LIKELIHOOD."""
        if len(candidates) < 2:
            return Decision(LIKELIHOOD, first)
        limit = None if self.max_time is None else start + self.max_time
        fold = dealt_folds(self.keys(), self.labels, self._weight > 0.0)
        known: dict[tuple[Candidate, bytes], Solution] = {}
        best = self._winner(candidates, fold, limit, known)
        while not isinstance(best, Status) and (larger := self._larger(best.candidate)):
            won = self._winner([best.candidate, *larger], fold, limit, known, clearly=True)
            if won is not Status.INTERRUPTED and (isinstance(won, Status) or won.candidate == best.candidate):
                break
            best = won
        if isinstance(best, Status):
            return Decision(LIKELIHOOD, replace(first, status=best))
        solution = first if best.candidate == LIKELIHOOD else None
        return Decision(best.candidate, solution, first.w, best.held_out)

    def _larger(self, best: Candidate) -> list[Candidate]:
        """What is worth a trial with a still larger C, where the larger one is best: the likelihood, and margins up to
        where they are nearly hard."""
        step = best.factor / MARGIN.factor if best.method == "structural" else best.factor
        if CONFIDENT not in self.candidates or not CONFIDENT.factor <= step < LARGEST_FACTOR:
            return []
        larger = [replace(LIKELIHOOD, factor=_STEP * step)]
        if MARGIN in self.candidates and step < _NEARLY_HARD:
            larger.append(replace(MARGIN, factor=MARGIN.factor * _STEP * step))
        return larger

    def _winner(
        self,
        candidates: list[Candidate],
        fold: Codes,
        limit: float | None,
        known: dict[tuple[Candidate, bytes], Solution],
        clearly: bool = False,
    ) -> _Judged | Status:
        """The candidate of lowest loss on the folds, or why that was not found; ``clearly`` prefers the first unless it
        is beaten by more than a standard error. ``known`` is what was trained before."""
        weight = self._weight
        held_out: list[list[HeldOutScores]] = [[] for _ in candidates]
        each = np.zeros((len(candidates), self.labels.size))

        def train(candidate: Candidate, kept: Mask, seconds: float | None) -> Solution:
            key = candidate, kept.tobytes()
            if key not in known:
                known[key] = self.solve(candidate, np.where(kept, weight, 0.0), seconds, True, None)
            return known[key]

        def loss(place: int, w: Floats, asked: Mask) -> float:
            scores = self._scores(self.trial_rows(), w)
            losses = self._mistakes(scores) if self.losses is None else self.losses(scores)
            present = np.bincount(self.labels[(fold >= 0) & ~asked], minlength=self.classes) > 0
            told = asked & present[self.labels]
            held_out[place].append(HeldOutScores(scores[told], self.labels[told], weight[told], present))
            each[place, asked] = losses[asked]
            return float(weight[asked] @ losses[asked])

        def error(one: int, other: int) -> float:
            share = 0.5 if clearly and one else _SURE  # one that has to win is out sooner
            return share * float(np.sqrt(weight @ (each[one] - each[other]) ** 2))

        losses = Contest(candidates, train, loss, fold, limit, error).losses(float(weight.sum()))
        if isinstance(losses, Status):
            return losses
        best = int(losses.argmin())
        if clearly and losses[0] < np.inf and losses[0] - losses[best] <= error(0, best):
            best = 0
        return _Judged(candidates[best], held_out[best])

    @cached_property
    def _weight(self) -> Floats:
        return np.ones(self.labels.size) if self.weight is None else self.weight

    def _scores(self, rows: _core.Rows, w: Floats) -> Floats:
        return rows.scores(w, self.classes, self.threads).reshape(-1, self.classes)

    def _mistakes(self, scores: Floats) -> Floats:
        # NumPy takes long over many short rows.
        best = scores[:, 1] > scores[:, 0] if self.classes == 2 else scores.argmax(axis=1)
        return np.asarray(best != self.labels, dtype=np.float64)

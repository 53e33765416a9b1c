"""Margins or likelihood: ways to train, and which of them does best on examples that it was not trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
import numpy.typing as npt

from maxmargin.solvers.base import Run, Solution, Status

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

_FOLDS = 3
_FEW = 1000  # examples up to which all folds are asked; one is enough where there are more
FEWEST = 60  # examples from which on folds tell anything


class Deadline:
    """Tells whether so many seconds have passed since it was made, and how many are left; None is no limit."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else perf_counter() + float(seconds)

    def __call__(self) -> bool:
        return self.left is not None and self.left <= 0.0

    @property
    def left(self) -> float | None:
        return None if self._end is None else self._end - perf_counter()

    def cut(self, run: Run) -> Run:
        """The run with what is left of its time."""
        return run if self.left is None else replace(run, max_time=max(self.left, 1e-9))


@dataclass(frozen=True)
class Candidate:
    """A method, and what a default C is multiplied by."""

    method: str
    factor: float


LIKELIHOOD = Candidate("likelihood", 1.0)


@dataclass(frozen=True, eq=False)
class Contest:
    """Compares candidates on folds of the examples.

    Parameters
    ----------
    candidates : of equals the first wins
    train : trains a candidate on the examples of a mask, in at most so many seconds; it may not warn
    loss : of the candidate at a place in the list, with weights ``w``, on the examples of a mask
    fold : the fold of each example, -1 for those that do not count
    limit : seconds until ``perf_counter`` reads this; None is no limit
    error : the standard error of the difference between the losses so far of two candidates, by their places; a
        candidate that is behind the best by more is out, and no more folds are asked once one is left. With None all
        are asked about all folds
    """

    candidates: Sequence[Candidate]
    train: Callable[[Candidate, Mask, float | None], Solution]
    loss: Callable[[int, Floats, Mask], float]
    fold: Codes
    limit: float | None
    error: Callable[[int, int], float] | None = None

    def winner(self, total: float) -> int | Status:
        """The place of the candidate of lowest loss, or why that was not found: MAX_TIME or INTERRUPTED."""
        losses = self.losses(total)
        return losses if isinstance(losses, Status) else int(losses.argmin())

    def losses(self, total: float) -> Floats | Status:
        """The loss of every candidate on examples that it was not trained on, or why that was not found.

        All three folds are asked where the weights of the examples sum up to a ``total`` of at most 1000, else one.
        The loss of a candidate that is out is infinite.
        """
        losses = np.zeros(len(self.candidates))
        for number in range(_FOLDS if total <= _FEW else 1):
            kept, asked = (self.fold >= 0) & (self.fold != number), self.fold == number
            for place, candidate in enumerate(self.candidates):
                if losses[place] == np.inf:
                    continue
                left = None if self.limit is None else self.limit - perf_counter()
                if left is not None and left <= 0.0:
                    return Status.MAX_TIME
                found = self.train(candidate, kept, left)
                if found.status is Status.INTERRUPTED:
                    return found.status
                losses[place] += self.loss(place, found.w, asked)
            if self.error is not None:
                best = int(losses.argmin())
                behind = [place for place in range(losses.size) if place != best and losses[place] < np.inf]
                for place in behind:
                    if losses[place] - losses[best] > self.error(place, best):
                        losses[place] = np.inf
                if np.count_nonzero(losses < np.inf) == 1:
                    break
        return losses


def dealt_folds(keys: Floats, groups: Codes, used: Mask) -> Codes:
    """The fold of each example in use, else -1.

    Every group (a class) is dealt out evenly, and examples of a group that have the same key are in one fold: folds
    depend on what the examples are, not on where they stand or whether they are there twice.
    """
    order = np.lexsort((keys, groups))
    order = order[used[order]]
    same = (np.diff(keys[order]) == 0.0) & (np.diff(groups[order]) == 0)
    fold = np.full(keys.size, -1, dtype=np.int32)
    fold[order] = np.concatenate([[0], np.cumsum(~same)]) % _FOLDS
    return fold

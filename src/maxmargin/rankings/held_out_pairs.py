"""What may be done to columns, compared by the pairs of held-out documents that a ranking puts in order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.fitting.training import RELATIVE_GAP
from maxmargin.rows.groups import RowGroups
from maxmargin.rows.matrices import as_rows

Floats = npt.NDArray[np.float64]
Pairs = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]

_SHIFTS = (1, 2, 3, 5, 8)  # rows of a group so far apart are compared
_NEWTON_COLUMNS = 64
_MOST_STEPS = 2  # of Newton's method: the order of the rows hardly changes after that


class HeldOutPairs:
    """Two halves of the groups, each ranked by what the other has learned from its pairs of unequal grade.

    With few columns that is a ranking by Newton's method, as training ends with; with many a least-squares ranking.
    Columns are given the size 1 within groups, and C is the default one for that.

    Parameters
    ----------
    grades : of all rows
    groups : at least two groups; every second one belongs to the second half
    """

    def __init__(self, grades: Floats, groups: RowGroups) -> None:
        second = np.arange(len(groups)) % 2 == 1
        halves = [groups.take(~second), groups.take(second)]
        self.members = np.concatenate([half.members for half in halves])
        self._sizes = np.concatenate([half.sizes for half in halves])
        middle = halves[0].members.size
        self._starts = np.concatenate([halves[0].offsets, middle + halves[1].offsets[1:]])[:-1]
        own = np.ascontiguousarray(grades[self.members])
        places = zip((0, middle), halves)
        self._halves = [_Half(slice(first, first + half.members.size), half.offsets, own) for first, half in places]

    def prepared(self, X: Floats) -> Floats:
        """The rows ``members`` of X less the mean of their group, columns of size 1."""
        means = np.add.reduceat(X, self._starts) / self._sizes[:, None]
        Z: Floats = X - np.repeat(means, self._sizes, axis=0)
        size = np.sqrt(np.einsum("ij,ij->j", Z, Z) / len(Z))
        Z /= np.where(size > 0.0, size, 1.0)
        return Z

    def share(self, Z: Floats) -> float:
        """The share of the pairs compared that are in order, of what ``prepared`` gives; half where a number is not
        finite."""
        if not np.isfinite(Z).all():
            return 0.5
        right, count = 0.0, 0
        for own, other in (self._halves, self._halves[::-1]):
            scores = Z[other.rows] @ own.weights(Z[own.rows])
            above = scores[other.high] - scores[other.low]
            right += np.count_nonzero(above > 0.0) + 0.5 * np.count_nonzero(above == 0.0)
            count += above.size
        return right / max(1, count)


class _Half:
    """Some of the rows in whole groups: ``high`` and ``low`` are the rows of the pairs that are compared."""

    def __init__(self, rows: slice, offsets: npt.NDArray[np.int64], grades: Floats) -> None:
        self.rows, self._offsets = rows, offsets
        own = grades[rows]
        self._rank, self._pairs = _core.rank_grades(own, offsets)
        group = np.repeat(np.arange(self._pairs.size), np.diff(offsets))
        found = []
        for shift in _SHIFTS:
            first = np.flatnonzero((group[shift:] == group[:-shift]) & (own[shift:] != own[:-shift]))
            other = first + shift
            better = own[first] > own[other]
            found.append(np.where(better, (first, other), (other, first)))
        self.high, self.low = np.concatenate(found, axis=1)

    def weights(self, Z: Floats) -> Floats:
        C = 2.0 / np.sqrt(Z.shape[1])  # ranking_c of columns of size 1
        return self._by_newton(Z, C) if Z.shape[1] <= _NEWTON_COLUMNS else self._by_least_squares(Z, C)

    def _by_newton(self, Z: Floats, C: float) -> Floats:
        fit = _core.PairNewton(as_rows(Z, 0.0, True), None, self._offsets, self._rank, None, C, 1)
        fit.start()
        for _ in range(_MOST_STEPS):
            allowed = RELATIVE_GAP * fit.dual_square
            if fit.primal - fit.dual <= allowed or not fit.step(allowed):
                break
        return fit.weights

    def _by_least_squares(self, Z: Floats, C: float) -> Floats:
        """``1/2 |w|^2 + C/2 sum over groups of 1/M sum over pairs of (1 - <w, x_i - x_j>)^2`` at its least, with 0 in
        place of 1 for pairs of equal grade, by a system in the columns or in the rows, whichever are fewer."""
        sizes = np.diff(self._offsets)
        weight = np.repeat(sizes / self._pairs, sizes)
        none = np.zeros(sizes.size, dtype=np.int64)
        order = np.arange(len(Z), dtype=np.int32)
        _, net = _core.take_pairs(np.zeros(len(Z)), self._offsets, self._rank, order, np.ones(sizes.size), none, 1)
        target = net / np.repeat(self._pairs, sizes)
        if Z.shape[1] <= len(Z):
            return np.linalg.solve((Z.T * weight) @ Z + np.eye(Z.shape[1]) / C, Z.T @ target)
        return np.asarray(Z.T @ np.linalg.solve(weight[:, None] * (Z @ Z.T) + np.eye(len(Z)) / C, target))

"""Average precision: the mean, over the positive rows, of the precision at their places in the ranking.

``Psi`` is that of the ROC area (``pairs``), so that an output is known by how many negatives stand above each positive.
The exact search is that of Yue, Finley, Radlinski and Joachims (2007): both sides stand in the order of their scores,
and the best place of one negative does not depend on the places of the others. Theirs looks at every pair; here the
places, which do not rise with the score, are found by halving in ``O(n log n)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.formulation import Formulation
from maxmargin.groups.base import Violation, check_lengths
from maxmargin.groups.binary import BinaryTarget, binary_target
from maxmargin.groups.pairs import Pairs

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.intp]


@dataclass(frozen=True)
class AveragePrecision:
    """``1/P sum over positives of (positives up to here) / (rows up to here)``."""

    name: ClassVar[str] = "average_precision"
    ranking: ClassVar[bool] = True

    def refusal(self, formulation: Formulation) -> str | None:
        if formulation.mistakes or formulation.rescaling == "none":
            return None
        if (formulation.rescaling, formulation.slack) == ("margin", "linear"):
            return None
        return (
            f"average_precision cannot be trained with {formulation}: the most violated ranking is known for margin "
            "rescaling with linear slack and for the zero-one loss only."
        )

    def prepare(self, truth: npt.NDArray[Any], where: str = "the sample") -> BinaryTarget:
        return binary_target(truth, where, self.name, negative=True)

    def search(self, scores: Floats, target: BinaryTarget, formulation: Formulation) -> Violation | None:
        check_lengths(scores, target.n)
        pairs = Pairs(scores, target)
        if formulation.mistakes or formulation.rescaling == "none":
            swapped = pairs.most_violated(formulation)  # which wrong ranking it is does not depend on its loss
        else:
            swapped = negatives_above(best_places(pairs.own, pairs.other), pairs.own.size)
        if swapped is None or not swapped.any():
            return None
        return Violation(pairs.coefficients(swapped), loss_of(swapped))

    def unit(self, target: BinaryTarget) -> float:
        """That of the break-even point: a negative on top of ``P`` positives costs about ``1 / P``."""
        return 0.5 * target.n / target.positives.size

    def value(self, scores: Floats, target: BinaryTarget) -> float:
        """Rows that tie are taken together: each positive counts with the precision at the last of them."""
        check_lengths(scores, target.n)
        scores = np.ascontiguousarray(scores, dtype=np.float64)
        cuts = np.ascontiguousarray(np.sort(scores[target.positive])[::-1])
        tp, fp, positives, _, _ = _core.cut_tables(scores, target.positive, target.weight, None, 1, cuts)
        taken = tp + fp
        precision = np.divide(tp, taken, out=np.zeros_like(tp), where=taken > 0.0)
        return float(np.diff(tp, prepend=0.0) @ precision / positives[0])


def loss_of(swapped: Counts) -> float:
    """One minus the average precision, from the number of negatives above each positive, best positive first."""
    place = np.arange(1, swapped.size + 1)
    return float(np.mean(swapped / (place + swapped)))


def negatives_above(places: Counts, P: int) -> Counts:
    """How many negatives stand above each positive, from the number of positives above each negative."""
    return np.cumsum(np.bincount(places, minlength=P + 1))[:P]


def best_places(own: Floats, other: Floats) -> Counts:
    """For each negative, best first, how many positives stand above it in the most violated ranking.

    The ``j``-th negative above the positives ``k + 1 .. P`` gives

        ``value_j(k) = 1/P * sum_{i > k} [i / ((i + j) (i + j - 1)) - (own_i - other_j) / N]``,

    the first part being what precision loses, in all ``1/(k+j+1) + .. + 1/(P+j) - (j-1) (1/(k+j) - 1/(P+j))``.
    A difference of values of one negative falls with ``j``, so the best ``k`` does not.
    """
    P, N = own.size, other.size
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, P + N + 1))])
    rest = np.concatenate([np.cumsum(own[::-1])[::-1], [0.0]])  # sums of own[k:]

    def value(j: Counts, k: Counts) -> Floats:
        lost = harmonic[P + j] - harmonic[k + j] - (j - 1) * (1.0 / (k + j) - 1.0 / (P + j))
        value: Floats = lost - (rest[k] - (P - k) * other[j - 1]) / N
        return value

    places = np.zeros(N, dtype=np.intp)
    done = np.array([0, N + 1])  # negatives whose place is known, with one before and one after all of them
    bounds = np.array([0, P])
    while done.size < N + 2:
        middle = (done[:-1] + done[1:]) // 2
        open_ = (middle > done[:-1]) & (middle < done[1:])
        j, low, high = middle[open_], bounds[:-1][open_], bounds[1:][open_]
        best = _highest(value, j, low, high)
        places[j - 1] = best
        done, where = np.concatenate([done, j]), np.concatenate([bounds, best])
        order = np.argsort(done, kind="stable")
        done, bounds = done[order], where[order]
    return places


def _highest(value: Any, j: Counts, low: Counts, high: Counts) -> Counts:
    """For each ``j`` the ``k`` in ``low .. high`` with the largest value, the first of them."""
    sizes = high - low + 1
    ends = np.cumsum(sizes)
    starts = ends - sizes
    line = np.repeat(np.arange(j.size), sizes)
    k = np.arange(ends[-1]) - starts[line] + low[line]
    values = value(j[line], k)
    highest = np.maximum.reduceat(values, starts)
    hits = np.flatnonzero(values == highest[line])
    _, first = np.unique(line[hits], return_index=True)
    return np.asarray(k[hits[first]])

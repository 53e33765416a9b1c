"""Where to cut scores, for a measure of the labels that come of it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.measures.contingency import Contingency

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.intp]

_CELLS = 1 << 24  # of the tables of all parts, so that many groups do not fill the memory
_DIGITS = 5  # of a measure: cuts that differ by less are equal, and the highest of them is taken


class Cuts:
    """The contingency tables of every place at which a row of scores may be cut, for each part of the rows.

    A part is a fold or a group. ``values`` falls: first the cut above all rows, then one below each positive score,
    half-way to the next score. No other cut is better for a measure that a positive row taken does not lower and a
    negative one does not raise.

    Parameters
    ----------
    scores : shape (n,)
    positive : the truth, shape (n,)
    weight : how much each row counts; None is 1
    part : the part of each row, from 0 to ``parts - 1``
    """

    def __init__(
        self,
        scores: Floats,
        positive: npt.NDArray[np.bool_],
        weight: Floats | None = None,
        part: Counts | None = None,
        parts: int = 1,
    ) -> None:
        scores = np.ascontiguousarray(scores, dtype=np.float64)
        if weight is not None and not weight.all():
            kept = weight > 0.0
            scores, positive, weight = scores[kept], positive[kept], weight[kept]
            part = None if part is None else part[kept]
        own = np.sort(scores[positive])[::-1]
        if own.size * parts > _CELLS:
            own = own[np.unique(np.linspace(0, own.size - 1, max(1, _CELLS // parts)).astype(np.intp))]
        self.parts = parts
        own = np.ascontiguousarray(own)
        number = None if part is None else np.ascontiguousarray(part, dtype=np.int64)
        tp, fp, self.positives, self.negatives, below = _core.cut_tables(scores, positive, weight, number, parts, own)
        nothing = np.zeros((parts, 1))
        self.tp, self.fp = (np.hstack([nothing, table.reshape(parts, own.size)]) for table in (tp, fp))
        ends = np.where(np.isfinite(below), 0.5 * (own + np.where(np.isfinite(below), below, 0.0)), own - 1.0)
        self.values = np.concatenate([[scores.max() + 1.0 if scores.size else 0.0], ends])

    def curves(self, measure: Contingency, inside: npt.NDArray[np.bool_], *, apart: bool) -> Floats:
        """The measure at every cut, shape (m, cuts), for each of m choices of parts, ``inside`` of shape (m, parts).

        It is that of the parts together or, where they stand ``apart``, the mean of theirs.
        """
        chosen = inside.astype(np.float64)
        if apart:
            fn, tn = self.positives[:, None] - self.tp, self.negatives[:, None] - self.fp
            each = np.asarray(measure.score(self.tp, self.fp, fn, tn), dtype=np.float64)
            each = np.where(np.asarray(inside.any(axis=0))[:, None], each, 0.0)  # the measure of others may not exist
            means: Floats = chosen @ each / chosen.sum(axis=1, keepdims=True)
            return means
        tp, fp = chosen @ self.tp, chosen @ self.fp
        fn, tn = (chosen @ self.positives)[:, None] - tp, (chosen @ self.negatives)[:, None] - fp
        return np.asarray(measure.score(tp, fp, fn, tn), dtype=np.float64)

    def curve(self, measure: Contingency, *, apart: bool) -> Floats:
        """The measure of all parts at every cut."""
        whole: Floats = self.curves(measure, np.ones((1, self.parts), dtype=bool), apart=apart)[0]
        return whole

    def best(self, measure: Contingency, *, apart: bool = False) -> tuple[float, float]:
        """The best cut, the highest of several, and the measure there."""
        curve = self.curve(measure, apart=apart)
        at = int(np.argmax(np.round(curve, _DIGITS)))
        return float(self.values[at]), float(curve[at])

    def typical(self, measure: Contingency, fold: Counts, *, apart: bool = False) -> float:
        """The mean of the best cuts of all halves of the folds (the larger half of an odd number).

        The best cut of one sample is noise where positives are few; the mean over parts of it is steadier. The best
        cut of all rows is taken where the mean has less than half its value, as where a mistake costs very much.
        ``fold`` is that of each part.
        """
        folds = np.unique(fold)
        halves = np.array(list(combinations(folds.tolist(), (folds.size + 1) // 2)))
        inside = (fold[None, :, None] == halves[:, None, :]).any(axis=2)
        filled = self.positives > 0.0
        inside = inside[(filled | ~inside).all(axis=1) if apart else (filled & inside).any(axis=1)]
        at_best = np.argmax(np.round(self.curves(measure, inside, apart=apart), _DIGITS), axis=1)
        mean = float(np.mean(self.values[at_best]))
        curve = self.curve(measure, apart=apart)
        at = int(np.searchsorted(-self.values, -mean, side="right")) - 1  # the lowest cut that is not below the mean
        there = float(curve[max(0, at) : at + 2].min())
        return mean if there >= 0.5 * float(curve.max()) else self.best(measure, apart=apart)[0]

"""Alignments with as many right pairs as can be expected, by the probabilities of pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.alignments.limits import PairLimits
from maxmargin.alignments.shape import Shape
from maxmargin.core.input_checks import quoted

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_EXACT = 0.1  # what a pair without a shift is worth beyond others
_EVERYWHERE = (True, True, True, True)


def checked_shift(shift: object, own: int) -> int:
    """The parameter of ``predict``; None is the shift of the loss of the estimator."""
    if shift is None:
        return own
    if isinstance(shift, bool) or not isinstance(shift, int | np.integer) or shift < 0:
        raise ValueError(f"shift must be None or a whole number from 0, not {quoted(shift)}.")
    return int(shift)


def most_expected_hits(probabilities: Floats, shift: int, shape: Shape, limits: PairLimits | None = None) -> Indices:
    """The alignment of which most pairs are expected to be right, rows (i, j).

    A pair (i, j) is right where i is truly aligned with a position at most ``shift`` from j, which has the probability
    ``sum over |k - j| <= shift of P(i, k)``. Where all these are alike, a shifted alignment would be as good as any;
    each pair therefore counts a tenth of ``P(i, j)`` more.

    Parameters
    ----------
    probabilities : of aligned pairs, shape (m, n)
    shift : how far from the true position a pair is right
    shape : the band is that of the alignments which the probabilities are of
    limits : pairs that the alignment must and must not have
    """
    m, n = probabilities.shape
    gains = probabilities
    if shift:
        sums = np.concatenate([np.zeros((m, 1)), np.cumsum(probabilities, axis=1)], axis=1)
        at = np.arange(n)
        near = sums[:, np.minimum(n, at + shift + 1)] - sums[:, np.maximum(0, at - shift)]
        gains = near + _EXACT * probabilities
    free_x, free_y = np.zeros(m), np.zeros(n)
    within = (None, None) if limits is None else (limits.required, limits.forbidden)
    table = np.ascontiguousarray(gains, dtype=np.float64)
    grid = _core.AlignmentGrid(table, None, free_x, free_x, free_y, free_y, "global", _EVERYWHERE, shape.band, *within)
    pairs: Indices = grid.best()[1]
    return pairs

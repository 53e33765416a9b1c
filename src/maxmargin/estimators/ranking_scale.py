"""The default C of rankings, chosen by ``benchmarks/ranking_default_c.py`` on held-out queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Floats = npt.NDArray[np.float64]


class Spread:
    """How much features vary within groups; what is the same for all rows of a group cannot matter for their order.

    ``variance`` is the sum over features of their variance within a group, averaged over groups (by weight).
    ``features`` is the number of features that this amounts to: the square of the sum of variances over the sum of
    their squares, which is their number if all vary alike, and less if few of them rule.
    """

    def __init__(self, X: Any, groups: Sequence[npt.NDArray[np.int32]], weight: Floats | None) -> None:
        members = np.concatenate(list(groups))
        sizes = np.array([rows.size for rows in groups])
        share = np.ones(sizes.size) if weight is None else weight
        share = share / share.sum()
        square, centre = _moments(X[members], sizes, share)
        each = np.maximum(square - centre, 0.0)
        each[each <= 1e-12 * square] = 0.0  # rounding
        self.variance = float(each.sum())
        self.features = float(each.sum() ** 2 / (each @ each)) if self.variance > 0.0 else 1.0


def ranking_c(X: Any, groups: Sequence[npt.NDArray[np.int32]], weight: Floats | None) -> float:
    """``C = 2 * sqrt(e) / v`` with ``v`` the variance within groups and ``e`` the number of features of ``Spread``.

    Multiplying all features by f divides C by f^2, which leaves the rankings alone.
    """
    spread = Spread(X, groups, weight)
    if spread.variance == 0.0:
        return 1.0
    C = 2.0 * float(np.sqrt(spread.features)) / spread.variance
    return C if np.isfinite(C) and C > 0.0 else 1.0


def _moments(rows: Any, sizes: npt.NDArray[np.intp], share: Floats) -> tuple[Floats, Floats]:
    """The mean over groups of the mean square of every feature, and of the square of its mean."""
    each = np.repeat(share / sizes, sizes)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    if not sp.issparse(rows):
        rows = np.asarray(rows, dtype=np.float64)
        means = np.add.reduceat(rows, starts[:-1], axis=0) / sizes[:, None]
        return np.asarray(each @ rows**2), np.asarray(share @ means**2)
    rows = sp.csr_array(rows).astype(np.float64)
    pick = sp.csr_array((np.ones(rows.shape[0]), np.arange(rows.shape[0]), starts), shape=(sizes.size, rows.shape[0]))
    sums = sp.csr_array(pick @ rows)
    return np.asarray(rows.multiply(rows).T @ each), np.asarray(sums.multiply(sums).T @ (share / sizes**2))

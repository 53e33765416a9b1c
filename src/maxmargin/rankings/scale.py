"""Columns as rankings are trained on them, and the default C, chosen by ``benchmarks/rankings/studies/default_c.py`` on
held-out queries."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.rows.columns import Columns
from maxmargin.rows.feature_scale import FeatureScale, packed
from maxmargin.rows.groups import RowGroups
from maxmargin.rows.kernel_rows import KernelRows

Floats = npt.NDArray[np.float64]

_KERNEL_FEATURES = 25.0


def brought_together(X: Any) -> tuple[_core.Rows, Floats | None]:
    """The rows with columns changed as ``Columns`` says, and what weights are multiplied by then; None by nothing.

    A mean that is subtracted does not matter for the order of the rows of a group, so nothing has to make up for it.
    """
    rows = packed(X)
    columns = Columns.of(FeatureScale(rows, None), X.dtype)
    return (rows, None) if columns is None else (packed(columns.apply(X)), columns.factor)


class Spread:
    """How much features vary within groups; what is the same for all rows of a group cannot matter for their order.

    ``variance`` is the sum over features of their variance within a group, averaged over groups (by weight).
    ``features`` is the number of features that this amounts to: the square of the sum of variances over the sum of
    their squares, which is their number if all vary alike, and less if few of them rule.
    """

    def __init__(self, rows: _core.Rows, groups: RowGroups, weight: Floats | None) -> None:
        share = np.ones(len(groups)) if weight is None else weight
        members = None if groups.all_in_order(rows.n) else groups.members
        square, centre = rows.group_moments(members, groups.offsets, share / share.sum())
        each = np.maximum(square - centre, 0.0)
        each[each <= 1e-12 * square] = 0.0  # rounding
        self.variance = float(each.sum())
        self.features = float(each.sum() ** 2 / (each @ each)) if self.variance > 0.0 else 1.0


def ranking_c(rows: _core.Rows | KernelRows, groups: RowGroups, weight: Floats | None, linear: bool = True) -> float:
    """``C = 2 * sqrt(e) / v`` with ``v`` the variance within groups and ``e`` the number of features of ``Spread``.

    Multiplying all features by f divides C by f^2, which leaves the rankings alone. The features of a kernel, which is
    not ``linear``, say nothing one by one: e is 25 there.
    """
    if isinstance(rows, KernelRows):
        variance, features = _spread_of_kernel(rows, groups, weight), _KERNEL_FEATURES
    else:
        spread = Spread(rows, groups, weight)
        variance, features = spread.variance, spread.features if linear else _KERNEL_FEATURES
    if variance == 0.0:
        return 1.0
    C = 2.0 * float(np.sqrt(features)) / variance
    return C if np.isfinite(C) and C > 0.0 else 1.0


def _spread_of_kernel(rows: KernelRows, groups: RowGroups, weight: Floats | None) -> float:
    """``Spread.variance`` in the space of a kernel."""
    share = np.ones(len(groups)) if weight is None else weight
    square = centre = 0.0
    for g in np.flatnonzero(share > 0.0):
        own = share[g] / groups.sizes[g] / share.sum()
        members, counts = np.unique(groups[int(g)], return_counts=True)
        square += own * float(rows.cache.diagonal[members] @ counts)
        centre += own / groups.sizes[g] * rows.cache.square(members, counts.astype(np.float64))
    return square - centre if square - centre > 1e-12 * square else 0.0

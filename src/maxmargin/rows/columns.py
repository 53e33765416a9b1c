"""Columns that are far from zero or of another size than the rest, brought together before training.

A machine that is trained on ``(x - shift) * factor`` gives one for ``x`` by ``Columns.restore``, with the same scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.rows.feature_scale import FeatureScale, packed

Floats = npt.NDArray[np.float64]

_NEAR = 2.0  # times the typical size or a fraction of it: such a column is left alone
_EXTREME = 1e12
_UNLIKE = 1e6  # times the typical size: columns of another unit, where sizes are information otherwise
_RARE = 3.0  # the same for columns that are mostly zero: how much a rare word counts is information


@dataclass(frozen=True, eq=False)
class Columns:
    """What is subtracted from every column, and what it is then multiplied by; both have shape (n_features,)."""

    shift: Floats
    factor: Floats

    @classmethod
    def of(cls, scale: FeatureScale, dtype: npt.DTypeLike, *, unit: bool = False) -> Columns | None:
        """What the columns need; None where they can stay as they are.

        The mean of every column that is far from zero is subtracted. In a table most of whose columns are filled, each
        filled column gets the typical size unless it is within a factor of 2 of it. Columns that are mostly zero, and
        all columns where most are, are only brought to within a factor of 3. A typical size that float32 can hardly
        square becomes 1, and with ``unit`` every typical size.
        """
        sizes, typical = scale.sizes, scale.typical
        shift = np.where(scale.far, scale.means, 0.0).astype(dtype).astype(np.float64)
        used = sizes > 0.0
        ratio = np.where(used, sizes / typical, 1.0)
        factor = np.clip(ratio, 1.0 / _RARE, _RARE) / ratio
        filled = scale.filled > 0.5
        if used.any() and np.median(scale.filled[used]) > 0.5:
            factor[filled] = np.where(np.abs(np.log(ratio[filled])) <= np.log(_NEAR), 1.0, 1.0 / ratio[filled])
        if unit or not 1.0 / _EXTREME < typical < _EXTREME:
            factor /= typical
        factor = factor.astype(dtype).astype(np.float64)
        if not shift.any() and (factor == 1.0).all():
            return None
        return cls(shift, factor)

    def within(self, deviations: Floats, dtype: npt.DTypeLike) -> Columns:
        """The same, but no column is made larger than to the standard deviation of a typical one: distances would be
        those of the few rows where a column is not what it usually is."""
        used = deviations > 0.0
        typical = float(np.median(deviations[used])) if used.any() else 1.0
        most = np.maximum(1.0, typical / np.where(used, deviations, typical))
        return Columns(self.shift, np.minimum(self.factor, most).astype(dtype).astype(np.float64))

    @staticmethod
    def same(one: Columns | None, other: Columns | None) -> bool:
        """Whether two of them, or None, do the same."""
        if one is None or other is None:
            return one is other
        return np.array_equal(one.shift, other.shift) and np.array_equal(one.factor, other.factor)

    def apply(self, X: Any) -> Any:
        """The matrix that is trained on, of the same dtype; CSR stays CSR."""
        shift, factor = self.shift.astype(X.dtype), self.factor.astype(X.dtype)
        if not sp.issparse(X):
            moved = X - shift
            moved *= factor
            return moved
        starts = X.indptr.astype(np.int64, copy=False)
        used = int(starts[-1])  # there may be more room than cells
        indices = X.indices[:used].astype(np.int32, copy=False)
        cells = _core.shifted_cells(X.data[:used], indices, starts, shift, factor)
        return sp.csr_array(cells, shape=X.shape)

    def restore(self, weights: Floats, constant: float) -> None:
        """Changes weights for the changed columns, shape (n_features + 1, any), into those for the columns as they are.

        The last row holds the weights of the constant feature of the value ``constant``.
        """
        features = weights[:-1]
        features *= self.factor[:, None]
        weights[-1] -= (self.shift @ features) / constant


def near_columns(
    X: Any, rows: _core.Rows, weight: Floats | None, copy_density: float = 0.2
) -> tuple[_core.Rows, Columns | None]:
    """The rows without the means of columns that are far from zero, and with columns of the typical size in place of
    those that are a million times as large or small; and what was done to them, None where nothing was.

    With a constant feature whose weight is all but free the first changes nothing but the weight of the constant, and
    Newton's method needs fewer steps. Without the second a default C would be too large for floating point.
    ``copy_density`` as in ``packed``.
    """
    scale = FeatureScale(rows, weight)
    ratio, spread = np.ones(scale.means.size), scale.deviations[scale.deviations > 0.0]
    if spread.max(initial=0.0) > np.sqrt(_UNLIKE) * spread.min(initial=np.inf):  # else no need to ask for sizes
        ratio = np.where(scale.sizes > 0.0, scale.sizes / scale.typical, 1.0)
    unlike = (ratio > _UNLIKE) | (ratio < 1.0 / _UNLIKE)
    if not scale.far.any() and not unlike.any():
        return rows, None
    shift = np.where(scale.far, scale.means, 0.0).astype(X.dtype).astype(np.float64)
    found = Columns(shift, np.where(unlike, 1.0 / ratio, 1.0).astype(X.dtype).astype(np.float64))
    return packed(found.apply(X), copy_density), found

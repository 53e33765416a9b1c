"""Defaults that follow the scale of the features.

``benchmarks/defaults/studies/default_c/rules.py`` chose them on held-out data.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.rows.matrices import as_rows, check_values

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_MOST = 3.0  # times the typical size that a column counts for


class FeatureScale:
    """The weighted moments of packed rows, taken once and only when one of them is needed.

    A column is far from zero where its mean is larger than its standard deviation; more than half of its cells are
    then not zero, so that subtracting the mean keeps sparse data sparse. Its size is the mean of the absolute values of
    its cells that are not zero, or the mean absolute deviation of a column that is far from zero. Absolute values
    rather than squares: a few outliers do not decide.
    """

    def __init__(self, rows: _core.Rows, sample_weight: Floats | None) -> None:
        self._rows, self._weight = rows, sample_weight
        self._total = float(rows.n if sample_weight is None else sample_weight.sum())

    @cached_property
    def _moments(self) -> tuple[Floats, Floats, Floats]:
        """Mean, mean square and share of the cells that are not zero, of every column."""
        first, second, filled = self._rows.column_moments(self._weight)
        return first / self._total, second / self._total, filled / self._total

    @property
    def means(self) -> Floats:
        return self._moments[0]

    @property
    def deviations(self) -> Floats:
        """The standard deviation of every column."""
        mean, square, _ = self._moments
        deviations: Floats = np.sqrt(np.maximum(square - mean**2, 0.0))
        return deviations

    @property
    def filled(self) -> Floats:
        """The share of the cells of every column that are not zero."""
        return self._moments[2]

    @property
    def length(self) -> float:
        """The root of the mean squared length of a row."""
        return float(np.sqrt(self._moments[1].sum()))

    @cached_property
    def far(self) -> Flags:
        """Whether a column is far from zero."""
        mean, square, _ = self._moments
        return 2.0 * mean**2 > square

    @cached_property
    def sizes(self) -> Floats:
        """The size of every column; 0 for one that does not vary."""
        mean, square, filled = self._moments
        centre = np.where(self.far, mean, 0.0)
        absolute, squared = self._rows.column_deviations(self._weight, centre)
        empty = np.maximum(1.0 - filled, 0.0) * self.far
        spread = absolute / self._total + empty * np.abs(centre)
        variance = squared / self._total + empty * centre**2 - np.where(self.far, 0.0, mean**2)
        varies = (variance > 1e-12 * np.where(self.far, 1e-12 * square, square)) & (spread > 0.0)
        return np.where(varies, spread / np.where(self.far, 1.0, np.maximum(filled, 1e-300)), 0.0)

    @cached_property
    def typical(self) -> float:
        """The median of the sizes of the columns that vary; 1 where none does."""
        used = self.sizes[self.sizes > 0.0]
        typical = float(np.median(used)) if used.size else 1.0
        return typical if 0.0 < typical < np.inf else 1.0

    @property
    def constant(self) -> float:
        """The default value of the constant feature: the size of a typical column."""
        return self.typical

    @cached_property
    def active(self) -> float:
        """The mean number of features of an example: columns far from zero, and cells of others that are not zero."""
        return float(np.where(self.far, 1.0, self.filled)[self.sizes > 0.0].sum())

    @cached_property
    def total(self) -> float:
        """The sum of the squared sizes of the features of an example, about the mean of ``|x|^2``; no size counts for
        more than three times the typical one."""
        share = np.where(self.far, 1.0, self.filled)
        return float((share * np.minimum(self.sizes, _MOST * self.typical) ** 2).sum())

    @property
    def regularisation(self) -> float:
        """``C = r / total`` with ``r = 2 * n / active^2``, but at least 1 and at most 32; n is the sum of the weights.

        Scaling all features by c divides C by c^2, which leaves the predictions alone; ``r`` lets C grow with many
        examples of few features.
        """
        if not 0.0 < self.total < np.inf:
            return 1.0
        C = float(np.clip(2.0 * self._total / self.active**2, 1.0, 32.0)) / self.total
        return C if np.isfinite(C) and C > 0.0 else 1.0


def packed(X: Any, copy_density: float = 0.2) -> _core.Rows:
    """A validated matrix as rows for training; raises for the first value that is not finite.

    A dense matrix with at most ``copy_density`` of its cells not zero is copied. A fifth is right for many classes;
    with weights of one column the bytes of a row count for more, and a half is.
    """
    rows = as_rows(X, 0.0, True, copy_density)
    check_values(rows, X)
    return rows

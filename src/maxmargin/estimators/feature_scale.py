"""Defaults that follow the scale of the features, chosen by ``benchmarks/default_c_rules.py`` on held-out data."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.estimators.training import positive
from maxmargin.structures.multiclass import as_rows

Floats = npt.NDArray[np.float64]


class FeatureScale:
    """The weighted moments of packed rows, looked at once and only when one of them is needed."""

    def __init__(self, rows: _core.Rows, sample_weight: Floats | None) -> None:
        self._rows, self._weight = rows, sample_weight
        self._total = float(rows.n if sample_weight is None else sample_weight.sum())

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """Mean and mean square of every column."""
        first, second = self._rows.column_moments(self._weight)
        return first / self._total, second / self._total

    @property
    def regularisation(self) -> float:
        """``C = r / (d * v)`` with ``r = 2 * n / d^2``, but at least 2 and at most 64.

        ``d`` counts the features that vary, ``v`` is the median or the geometric mean of their variances, whichever is
        larger, and ``n`` the sum of the weights. Scaling all features by c divides C by c^2, which leaves the
        predictions alone; neither mean is ruled by one feature of large scale; ``r`` lets C grow with many examples of
        few features.
        """
        mean, square = self._moments
        variance = np.maximum(square - mean**2, 0.0)
        varying = variance[variance > 1e-12 * square]
        if not varying.size:
            return 1.0
        median = float(np.median(varying))
        typical = median * max(1.0, float(np.exp(np.log(varying / median).mean())))
        r = float(np.clip(2.0 * self._total / varying.size**2, 2.0, 64.0))
        C = r / (varying.size * typical)
        return C if np.isfinite(C) and C > 0.0 else 1.0

    @property
    def constant(self) -> float:
        """The root of the median mean square of a feature that is not always zero, but at least 1."""
        square = self._moments[1]
        used = square[square > 0.0]
        typical = float(np.sqrt(np.median(used))) if used.size else 1.0
        return typical if 1.0 <= typical < np.inf else 1.0


def chosen_c(given: float | str, scale: FeatureScale, factor: float = 1.0) -> float:
    """The parameter C as a number; ``'scale'`` is that of the features times ``factor``."""
    if isinstance(given, str):
        if given != "scale":
            raise ValueError(f"C must be a positive number or 'scale', not {given!r}.")
        return factor * scale.regularisation
    positive("C", given)
    return float(given)


def packed(X: Any, copy_density: float = 0.2) -> _core.Rows:
    """A validated matrix as rows for training, or a complaint that names the first value that is not finite.

    A dense matrix with at most ``copy_density`` of its cells not zero is copied. A fifth is right for many classes;
    with weights of one column the bytes of a row count for more, and a half is.
    """
    rows = as_rows(X, 0.0, True, copy_density)
    if rows.first_bad >= 0:
        row = X[[rows.first_bad]].toarray().ravel() if sp.issparse(X) else X[rows.first_bad]
        column = int(np.argmax(np.where(np.isfinite(row), np.abs(row), np.inf)))
        raise ValueError(
            f"Input X contains NaN or infinity, or a value too large to square: row {rows.first_bad}, "
            f"column {column} is {row[column]}. Remove or impute it, or rescale the feature."
        )
    return rows

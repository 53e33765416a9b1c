"""Numbers by which rows are dealt out to folds, whatever their order and scale."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin import _core

Floats = npt.NDArray[np.float64]


def row_keys(rows: _core.Rows, sizes: Floats) -> Floats:
    """A number for each row that is the same for equal rows, and by which rows come in no particular order.

    It is a projection in random direction, with columns in units of their size, so that neither the
    order of the rows nor the scale of a column decides about folds, and a weight of 2 is the same as a row that is
    there twice.
    """
    direction = np.random.default_rng(0).standard_normal(sizes.size)
    w = np.zeros(rows.columns)
    w[: sizes.size] = np.divide(direction, sizes, out=np.zeros_like(direction), where=sizes > 0.0)
    keys: Floats = rows.products(w, None, 1)
    return keys

"""The default C of rankings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Floats = npt.NDArray[np.float64]

FACTOR = 1.0


def ranking_c(X: Any, groups: Sequence[npt.NDArray[np.int32]], weight: Floats | None) -> float:
    """``C = r / v`` where ``v`` is the mean, over groups, of the variance within the group, summed over features."""
    members = np.concatenate(list(groups))
    sizes = np.array([rows.size for rows in groups], dtype=np.float64)
    share = np.ones(sizes.size) if weight is None else weight
    each = np.repeat(share / sizes, sizes.astype(np.int64))
    starts = np.concatenate([[0], np.cumsum(sizes).astype(np.int64)[:-1]])
    rows = X[members]
    if sp.issparse(rows):
        square = float(each @ np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel())
        pick = sp.csr_array(
            (np.ones(members.size), (np.repeat(np.arange(sizes.size), sizes.astype(np.int64)), np.arange(members.size)))
        )
        sums = sp.csr_array(pick @ rows)
        centre = np.asarray(sums.multiply(sums).sum(axis=1), dtype=np.float64).ravel() / sizes**2
    else:
        square = float(each @ np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
        sums = np.add.reduceat(rows, starts, axis=0, dtype=np.float64)
        centre = np.einsum("ij,ij->i", sums, sums) / sizes**2
    variance = (square - float(share @ centre)) / float(share.sum())
    C = FACTOR / variance if variance > 1e-12 * square else 1.0
    return C if np.isfinite(C) and C > 0.0 else 1.0

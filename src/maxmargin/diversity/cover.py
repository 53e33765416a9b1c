"""Which items each document has, and the greedy choice of documents that cover the most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin import _core

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Cover:
    """Document d has ``items[offsets[d]:offsets[d + 1]]``, each once, out of ``n_items``."""

    offsets: npt.NDArray[np.int64]
    items: Indices
    n_items: int

    @classmethod
    def of(cls, matrix: Any) -> Cover:
        """From a sparse matrix of documents by items: an item is there if its value is not zero."""
        rows = sp.csr_array(matrix)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        return cls(rows.indptr.astype(np.int64), rows.indices.astype(np.int32), int(rows.shape[1]))

    @property
    def n_documents(self) -> int:
        return self.offsets.size - 1

    def covered(self, documents: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Which items the documents have between them, shape (n_items,)."""
        there = np.zeros(self.n_items, dtype=np.bool_)
        _core.mark_covered(self.offsets, self.items, np.ascontiguousarray(documents, dtype=np.int64), there)
        return there


def greedy(
    k: int, cover: Cover, benefit: Floats, more: Cover | None = None, more_benefit: Floats | None = None
) -> Indices:
    """``k`` documents, each in turn the one that adds most by items not covered before; ties go to the first.

    The benefit of a set is ``sum_{j covered} benefit[j]``, over the items of both covers if there are two. Where no
    benefit is negative it is monotone and submodular, and the greedy set has at least ``1 - 1/e`` of the best.
    """
    if more is None or more_benefit is None:
        found: Indices = _core.choose_greedily(cover.offsets, cover.items, benefit, k)[0]
        return found
    found = _core.choose_greedily(cover.offsets, cover.items, benefit, k, more.offsets, more.items, more_benefit)[0]
    return found

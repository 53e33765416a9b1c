"""Features of the edges of a program: rows of a matrix, times blocks, that edges share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.core.input_checks import LARGEST, check_sparse, quoted

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_MOST = 2**31 - 1


class Rows:
    """Features of edges as sums of rows of a matrix, each row in the columns of a block.

    Entry k says that edge ``edge[k]`` has the sum of the rows ``row[k], ..., stop[k] - 1`` as its features, in the
    columns of block ``block[k]``. An edge may be in many entries, which add up, or in none: it then has no features.
    The weights of such a part are an (F, n_blocks) table, flattened: weight ``f * n_blocks + b`` belongs to column
    ``f`` of the matrix in block ``b``. A range of rows costs no more than one row when edges are scored.

    Parameters
    ----------
    matrix : (R, F), dense or sparse; sparse ones whose values are all 1 are kept as column numbers alone
    edge, row : entry by entry, whole numbers; None is 0, 1, ..., R - 1, an entry per row
    stop : one past the last row of an entry; None is ``row + 1``
    block : of the entry; None is 0
    n_blocks : number of blocks
    """

    def __init__(
        self, matrix: Any, edge: Any = None, row: Any = None, stop: Any = None, block: Any = None, n_blocks: int = 1
    ) -> None:
        self.n_rows, self.n_columns, self.indptr, self.indices, self.values = _read(matrix)
        if isinstance(n_blocks, bool) or not isinstance(n_blocks, int | np.integer) or n_blocks < 1:
            raise ValueError(f"n_blocks must be a whole number of at least 1, not {n_blocks!r}.")
        self.n_blocks = int(n_blocks)
        if self.n_columns * self.n_blocks > 2**62:
            raise ValueError(f"{self.n_columns} columns times {self.n_blocks} blocks are too many weights.")
        self.given = edge is not None  # else row k belongs to edge k
        self.edge = _numbers("edge", edge, self.n_rows if row is None else None, _MOST)
        self.row = _numbers("row", row, self.edge.size, self.n_rows + (stop is not None))  # an empty range may be last
        self.stop = None if stop is None else _numbers("stop", stop, self.edge.size, self.n_rows + 1)
        self.block = None if block is None else _numbers("block", block, self.edge.size, self.n_blocks)
        if self.row.size != self.edge.size:
            raise ValueError(
                f"edge has {self.edge.size} entries and row has {self.row.size}; entry k says which row edge[k] has."
            )
        if self.stop is not None:
            bad = np.flatnonzero(self.stop < self.row)
            if bad.size:
                k = int(bad[0])
                raise ValueError(f"Entry {k} ends at row {self.stop[k]}, before it starts, at row {self.row[k]}.")
            if np.array_equal(self.stop, self.row + 1):
                self.stop = None

    @property
    def n_weights(self) -> int:
        return self.n_columns * self.n_blocks

    def check_edges(self, n_edges: int) -> None:
        """Raises where an entry names an edge that is not there, or rows and edges should be as many and are not."""
        if not self.given and self.n_rows != n_edges:
            raise ValueError(
                f"The features have {self.n_rows} rows and the program has {n_edges} edges; give one row per edge, or "
                "say in Rows(matrix, edge=...) which edge a row belongs to."
            )
        if self.edge.size and int(self.edge.max()) >= n_edges:
            k = int(np.flatnonzero(self.edge >= n_edges)[0])
            raise ValueError(
                f"Entry {k} of the features belongs to edge {self.edge[k]}, and edges are numbered from 0 to "
                f"{n_edges - 1}."
            )

    def toarray(self, n_edges: int) -> Floats:
        """The features of every edge written out, shape (n_edges, F * n_blocks); for small programs."""
        values = np.ones(self.indices.size) if self.values is None else self.values
        matrix = sp.csr_array((values, self.indices, self.indptr), shape=(self.n_rows, self.n_columns)).toarray()
        found = np.zeros((n_edges, self.n_columns, self.n_blocks))
        sums = np.vstack([np.zeros((1, self.n_columns)), np.cumsum(matrix, axis=0)])
        for k, (edge, row) in enumerate(zip(self.edge.tolist(), self.row.tolist())):
            block = 0 if self.block is None else int(self.block[k])
            found[edge, :, block] += matrix[row] if self.stop is None else sums[self.stop[k]] - sums[row]
        return found.reshape(n_edges, self.n_weights)


def as_parts(features: Any) -> tuple[Rows, ...]:
    """The parts of the features of a program: a matrix or a ``Rows``, or a sequence of them."""
    if isinstance(features, Rows):
        return (features,)
    if sp.issparse(features) or isinstance(features, np.ndarray):
        return (Rows(features),)
    if isinstance(features, Sequence) and not isinstance(features, str | bytes):
        if len(features) and all(isinstance(part, Rows | np.ndarray) or sp.issparse(part) for part in features):
            return tuple(part if isinstance(part, Rows) else Rows(part) for part in features)
        return (Rows(features),)
    raise TypeError(f"features must be a matrix, a Rows, or a sequence of them, not {type(features).__name__}.")


def _read(matrix: Any) -> tuple[int, int, npt.NDArray[np.int64], Indices, Floats | None]:
    """Rows, columns and CSR arrays; values are None where all are 1."""
    if sp.issparse(matrix):
        check_sparse(matrix, "features")
        if matrix.ndim == 1:
            matrix = matrix.reshape(1, -1)
        found = sp.csr_array(matrix)
    else:
        try:
            array = np.asarray(matrix)
            array = array if array.dtype.kind == "c" else array.astype(np.float64, copy=False)
        except (TypeError, ValueError) as error:
            raise ValueError(f"Features must be a matrix of numbers, not {quoted(matrix)}.") from error
        if array.ndim != 2:
            raise ValueError(f"Features must be a matrix with one row per edge, not of {array.ndim} dimensions.")
        found = sp.csr_array(array)
    if found.dtype.kind not in "biuf":
        raise ValueError(f"Features must be real numbers, not of dtype {found.dtype}.")
    used = int(found.indptr[-1])
    data = found.data[:used]
    if data.dtype.kind == "f" and data.size and not float(np.abs(data).max()) <= LARGEST:
        at = int(np.flatnonzero(~(np.abs(data.astype(np.float64)) <= LARGEST))[0])
        line = int(np.searchsorted(found.indptr, at, side="right")) - 1
        raise ValueError(
            f"The features contain NaN or infinity, or a value too large to square: row {line}, column "
            f"{found.indices[at]} is {data[at]}. Remove or impute it, or rescale the feature."
        )
    ones = bool((data == 1).all())
    return (
        int(found.shape[0]),
        int(found.shape[1]),
        found.indptr.astype(np.int64),
        found.indices[:used].astype(np.int32, copy=False),
        None if ones else data.astype(np.float64),
    )


def _numbers(name: str, given: Any, count: int | None, limit: int) -> Indices:
    """Whole numbers from 0 to ``limit - 1``; 0, 1, ... where None is given."""
    if given is None:
        if count is None:
            raise ValueError(f"{name} must be given too; it says what row[k] belongs to.")
        return np.arange(count, dtype=np.int32)
    array = np.asarray(given)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be a list of whole numbers, not {quoted(given)}.")
    if count is not None and array.size != count and name != "row":
        raise ValueError(f"{name} has {array.size} entries, and edge has {count}; give one per entry.")
    bad = np.flatnonzero((array < 0) | (array >= limit))
    if bad.size:
        k = int(bad[0])
        raise ValueError(f"{name} of entry {k} is {array[k]}; it must be from 0 to {limit - 1}.")
    return array.astype(np.int32)

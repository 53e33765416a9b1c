"""From the forms in which people hold sequences to the packed one."""

from __future__ import annotations

from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.chains.sequences.packed import Offsets, Sequences
from maxmargin.core.input_checks import check_sparse

Columns: TypeAlias = npt.NDArray[np.int32]
Values: TypeAlias = npt.NDArray[Any]

_BLOCK_CELLS = 1 << 16  # dense rows are gone through in pieces that stay in the cache


def pack(X: Any, lengths: Any = None, *, n_features: int | None = None, if_empty: int | None = None) -> Sequences:
    """Packs sequences of tokens; every complaint names the sequence.

    Zeros are not stored, whether they come from a dense array or stand in a sparse one: they mean the same as
    nothing. Where all values that remain are 1, none are stored (``values`` is None). Values are float32 where all
    of ``X`` is, else float64.

    Parameters
    ----------
    X : a ``Sequences``, which is returned as it is; a list, tuple or array of matrices of shape (length, n_features),
        dense or in any format of scipy.sparse, one per sequence; or one matrix of all tokens, with ``lengths``
    lengths : the number of tokens of each sequence, where X is one matrix
    n_features : the number of columns that X must have
    if_empty : the number of columns where all sequences are empty lists, which have none of their own
    """
    if isinstance(X, Sequences):
        if lengths is not None:
            raise ValueError("X is packed already and has its own lengths; leave lengths out.")
        packed = X
    elif lengths is not None:
        packed = _cut(X, lengths, if_empty)
    else:
        packed = _joined(_as_list(X), if_empty)
    if n_features is not None and packed.n_features != n_features:
        raise ValueError(f"X has {packed.n_features} features, but {n_features} are expected; give it those columns.")
    return packed


def _as_list(X: Any) -> list[Any]:
    if sp.issparse(X) or (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype != object):
        raise ValueError(
            f"X is one matrix of {X.shape[0]} rows; pass lengths= to say how many belong to each sequence, "
            "or give a list of matrices."
        )
    if isinstance(X, str | bytes | dict) or not hasattr(X, "__len__") or not hasattr(X, "__iter__"):
        raise ValueError(f"X must be a list of matrices, one per sequence, not {type(X).__name__}.")
    if isinstance(X, np.ndarray) and X.ndim != 3 and X.dtype != object:
        raise ValueError(f"X is an array of {X.ndim} dimensions; give a list of matrices, one per sequence.")
    if is_frame(X):
        raise ValueError(
            f"X is one data frame of {len(X)} rows; pass lengths= to say how many belong to each sequence, or give a "
            "list of frames such as [part for _, part in X.groupby(...)]."
        )
    return list(X)


def is_frame(X: Any) -> bool:
    """Whether X is a data frame, whose items are its columns."""
    return hasattr(X, "iloc") and getattr(X, "ndim", 0) == 2


def _joined(items: list[Any], if_empty: int | None) -> Sequences:
    if not items:
        raise ValueError("There are no sequences; give at least one.")
    matrices = [item if sp.issparse(item) else _dense(item, f"Sequence {i}") for i, item in enumerate(items)]
    width = next((matrix.shape[1] for matrix in matrices if matrix.ndim == 2), if_empty)
    for i, matrix in enumerate(matrices):
        if matrix.ndim == 1:  # an empty list, which fits any number of columns
            matrices[i] = _nothing(width)
        elif matrix.shape[1] != width:
            raise ValueError(
                f"Sequence {i} has {matrix.shape[1]} columns, those before it have {width}; give all the same columns."
            )
    offsets = _offsets([matrix.shape[0] for matrix in matrices])
    assert width is not None
    if not any(sp.issparse(matrix) for matrix in matrices):
        return _packed(offsets, *_from_dense(matrices, offsets, width), width)
    return _packed(offsets, *_from_sparse(matrices), width)


def _cut(X: Any, lengths: Any, if_empty: int | None) -> Sequences:
    counts = np.asarray(lengths)
    if counts.ndim != 1 or not counts.size or counts.dtype.kind not in "iu":
        raise ValueError("lengths must be a list of whole numbers, the number of tokens of each sequence.")
    matrix = X if sp.issparse(X) else _dense(X, "X")
    if matrix.ndim == 1:
        matrix = _nothing(if_empty)
    _check_lengths(counts)
    offsets = _offsets(counts)
    if offsets[-1] != matrix.shape[0]:
        raise ValueError(
            f"lengths add up to {offsets[-1]}, but X has {matrix.shape[0]} rows; give each row to one sequence."
        )
    width = matrix.shape[1]
    if sp.issparse(matrix) or not matrix.shape[0]:
        return _packed(offsets, *_from_sparse([matrix]), width)
    rows = np.arange(matrix.shape[0] + 1, dtype=np.int64)
    return _packed(offsets, *_from_dense(matrix[:, None, :], rows, width), width)


def _nothing(n_features: int | None) -> npt.NDArray[Any]:
    """The matrix of a sequence without tokens."""
    if n_features is None:
        raise ValueError("All sequences are empty; give at least one token.")
    return np.zeros((0, n_features), dtype=bool)


def _dense(item: Any, name: str) -> npt.NDArray[Any]:
    try:
        array = _as_floats(item) if _is_mixed(item) else np.asarray(item)
    except ValueError as error:
        raise ValueError(f"{name} is not a matrix: its rows differ in length; give all the same columns.") from error
    if array.dtype.kind not in "biuf":
        kind = {"U": "text", "S": "bytes"}.get(array.dtype.kind, "objects")
        raise ValueError(
            f"{name} holds {kind}, not numbers; turn tokens into numbers with SequenceVectorizer, or give a chain "
            "estimator its tokens as strings or as tuples of strings, such as list(zip(words, tags))."
        )
    if array.shape == (0,):
        return array
    if array.ndim != 2:
        raise ValueError(f"{name} has {array.ndim} dimensions; give a matrix, one row per token.")
    return array


def _as_floats(item: Any) -> npt.NDArray[np.float64]:
    found = item.to_numpy(dtype=np.float64, na_value=np.nan) if is_frame(item) else item.astype(np.float64)
    return np.asarray(found)


def _is_mixed(item: Any) -> bool:
    """Whether cells are numbers of several kinds, or of one that numbers may be missing of: NumPy has no dtype for
    these but that of objects."""
    if is_frame(item):
        plain = all(isinstance(kind, np.dtype) for kind in item.dtypes) and len(set(item.dtypes)) <= 1
        return not plain and all(getattr(kind, "kind", "O") in "biuf" for kind in item.dtypes)
    if not (isinstance(item, np.ndarray) and item.dtype == object):
        return False
    return all(issubclass(kind, Real | np.bool_) for kind in set(map(type, item.ravel())))


def _check_lengths(lengths: Offsets) -> None:
    bad = np.flatnonzero(lengths < 0)
    if bad.size:
        raise ValueError(f"Sequence {bad[0]} has the length {lengths[bad[0]]}; give the number of its tokens.")


def _offsets(lengths: Any) -> Offsets:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def _from_dense(matrices: Any, offsets: Offsets, width: int) -> tuple[Offsets, Columns, Values]:
    """The cells that are not zero (a NaN is one), row by row."""
    cells_before = offsets * max(width, 1)
    cuts = np.searchsorted(cells_before, np.arange(0, cells_before[-1], _BLOCK_CELLS), side="right") - 1
    starts = np.unique([0, *cuts])
    columns, values, counts = [], [], []
    for start, stop in zip(starts, [*starts[1:], len(matrices)], strict=True):
        cells = np.concatenate(matrices[start:stop])
        filled = cells != 0
        flat = np.flatnonzero(filled)
        columns.append((flat % max(width, 1)).astype(np.int32))
        values.append(cells.ravel()[flat])
        counts.append(np.count_nonzero(filled, axis=1))
    return _offsets(np.concatenate(counts)), np.concatenate(columns), np.concatenate(values)


def _from_sparse(matrices: list[Any]) -> tuple[Offsets, Columns, Values]:
    for i, matrix in enumerate(matrices):
        if sp.issparse(matrix):
            check_sparse(matrix, f"Sequence {i}" if len(matrices) > 1 else "X")
    rows = [matrix if sp.issparse(matrix) and matrix.format == "csr" else sp.csr_array(matrix) for matrix in matrices]
    width = rows[0].shape[1]
    indptr = _offsets(np.concatenate([np.diff(matrix.indptr) for matrix in rows]))
    columns = np.concatenate([matrix.indices[: matrix.indptr[-1]] for matrix in rows])
    values = np.concatenate([matrix.data[: matrix.indptr[-1]] for matrix in rows])
    if values.dtype.kind not in "biuf":
        raise ValueError(f"X holds values of dtype {values.dtype}; give real numbers.")
    joined = sp.csr_array((values, columns, indptr), shape=(len(indptr) - 1, width), copy=False)
    if not joined.has_canonical_format:
        joined = joined.copy()
        joined.sum_duplicates()
    if not joined.data.all():
        joined = joined.copy()
        joined.eliminate_zeros()
    return joined.indptr.astype(np.int64), joined.indices.astype(np.int32), joined.data


def _packed(offsets: Offsets, indptr: Offsets, columns: Columns, values: Values, width: int) -> Sequences:
    if values.dtype == bool or (values == 1).all():
        return Sequences(offsets, indptr, columns, None, width)
    return Sequences(offsets, indptr, columns, values.astype(_value_type(values), copy=False), width)


def _value_type(values: Values) -> type[np.floating[Any]]:
    return np.float32 if values.dtype in (np.float16, np.float32) else np.float64

"""Features of a token and of its neighbours side by side."""

from __future__ import annotations

import numpy as np

from maxmargin.chains.sequences.packed import Sequences


def widen(X: Sequences, reach: int) -> Sequences:
    """Gives every token the features of the ``reach`` tokens before it and after it, in columns of their own.

    Column ``(o + reach) * n_features + j`` of token t is column j of token t + o, for o from -reach to reach; beyond
    the ends of a sequence there is nothing.
    """
    if isinstance(reach, bool) or not isinstance(reach, int | np.integer) or reach < 0:
        raise ValueError(f"window must be a whole number of at least 0, not {reach!r}.")
    if reach == 0:
        return X
    if X.n_features * (2 * reach + 1) >= 2**31:
        raise ValueError(f"A window of {reach} makes {X.n_features * (2 * reach + 1):,} columns; choose a smaller one.")
    if not X.tokens:
        return Sequences(X.offsets, X.indptr, X.indices, X.values, X.n_features * (2 * reach + 1))
    token = np.arange(X.tokens)
    sequence = np.repeat(np.arange(len(X)), X.lengths)
    offsets = np.arange(-reach, reach + 1)
    source = token[:, None] + offsets
    inside = (source >= X.offsets[sequence][:, None]) & (source < X.offsets[sequence + 1][:, None])
    source = np.where(inside, source, 0)
    counts = np.where(inside, np.diff(X.indptr)[source], 0)
    flat = counts.ravel()
    ends = np.cumsum(flat)
    cell = np.arange(int(ends[-1])) + np.repeat(X.indptr[source].ravel() - ends + flat, flat)
    shift = np.repeat(np.broadcast_to((offsets + reach) * X.n_features, counts.shape).ravel(), flat)
    indptr = np.concatenate([[0], np.cumsum(counts.sum(axis=1))])
    values = None if X.values is None else X.values[cell]
    columns = (X.indices[cell] + shift).astype(np.int32)
    return Sequences(X.offsets, indptr.astype(np.int64), columns, values, X.n_features * (2 * reach + 1))

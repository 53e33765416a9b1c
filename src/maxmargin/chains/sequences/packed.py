"""The packed form of a list of sequences of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.core.input_checks import LARGEST, MOST_COLUMNS

Offsets: TypeAlias = npt.NDArray[np.int64]
Key: TypeAlias = Any
"""A slice, an array or list of positions, or a mask."""


class SequenceError(ValueError):
    """Something is wrong with a sequence, or with one of its tokens, given by their positions from 0.

    Who knows from which line of a file they came can say that as well.
    """

    def __init__(self, text: str, sequence: int = 0, token: int | None = None) -> None:
        super().__init__(text)
        self.sequence, self.token = sequence, token


@dataclass(frozen=True, eq=False, repr=False)
class Sequences:
    """Sequences of tokens, each token a sparse row of features: two levels of offsets into one array of columns.

    Tokens ``offsets[i] : offsets[i + 1]`` are those of sequence i; token t holds the columns
    ``indices[indptr[t] : indptr[t + 1]]``, which ascend, and the values at the same places.
    Tokens and sequences may be empty. Every instance is checked when it is made.

    Parameters
    ----------
    offsets : int64 array of shape (n_sequences + 1,)
    indptr : int64 array of shape (n_tokens + 1,)
    indices : int32 array of shape (n_entries,), below ``n_features``
    values : float32 or float64 array of shape (n_entries,), finite; None where every value is 1
    n_features : number of columns
    """

    offsets: Offsets
    indptr: Offsets
    indices: npt.NDArray[np.int32]
    values: npt.NDArray[Any] | None
    n_features: int

    def __post_init__(self) -> None:
        _check_offsets("offsets", self.offsets, len(self.indptr) - 1, "tokens")
        _check_offsets("indptr", self.indptr, len(self.indices), "entries")
        if len(self) == 0:
            raise ValueError("There are no sequences; give at least one.")
        if self.indices.dtype != np.int32:
            raise ValueError(f"indices have dtype {self.indices.dtype}; make it int32.")
        if not 0 <= self.n_features <= MOST_COLUMNS:
            raise ValueError(f"n_features is {self.n_features}; it must be at least 0 and at most {MOST_COLUMNS}.")
        self._check_columns()
        if self.values is not None:
            self._check_values(self.values)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        kind = "all 1" if self.values is None else str(self.values.dtype)
        return (
            f"<Sequences: {len(self)} sequences, {self.tokens} tokens, {self.n_features} features, "
            f"{len(self.indices)} values ({kind})>"
        )

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, key: int | np.integer[Any]) -> sp.csr_array: ...
    @overload
    def __getitem__(self, key: Key) -> Sequences: ...
    def __getitem__(self, key: Key) -> Any:
        """Sequence ``key`` as a CSR array of shape (length, n_features), or the ``Sequences`` at several places."""
        if isinstance(key, tuple) and len(key) == 2 and isinstance(key[1], EllipsisType):
            key = key[0]  # how scikit-learn asks for the rows of a fold
        if isinstance(key, int | np.integer):
            position = int(key) + (len(self) if key < 0 else 0)
            if not 0 <= position < len(self):
                raise IndexError(f"There is no sequence {key}; there are {len(self)}.")
            return self._run(position, position + 1).matrix()
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            return self._run(start, stop) if step == 1 else self._pick(np.arange(start, stop, step))
        return self._pick(np.arange(len(self))[np.asarray(key, dtype=None if len(key) else np.intp)])

    @property
    def shape(self) -> tuple[int]:
        """``(n_sequences,)``, by which scikit-learn tells that many sequences can be picked at once."""
        return (len(self),)

    @property
    def tokens(self) -> int:
        """The number of tokens of all sequences."""
        return len(self.indptr) - 1

    @property
    def lengths(self) -> Offsets:
        """The number of tokens of each sequence."""
        return np.diff(self.offsets)

    def matrix(self) -> sp.csr_array:
        """All tokens as the rows of one CSR array of shape (n_tokens, n_features)."""
        values = np.ones(len(self.indices)) if self.values is None else self.values
        return sp.csr_array((values, self.indices, self.indptr), shape=(self.tokens, self.n_features))

    def place(self, token: int) -> tuple[int, int]:
        """The sequence of a token, and its position there; both count from 0."""
        sequence = int(np.searchsorted(self.offsets, token, side="right")) - 1
        return sequence, token - int(self.offsets[sequence])

    def regrouped(self, tokens: npt.NDArray[Any], offsets: Offsets) -> Sequences:
        """Some tokens, in the sequences that ``offsets`` make of them."""
        entries, indptr = _joined(self.indptr, tokens)
        values = None if self.values is None else self.values[entries]
        return Sequences(offsets, indptr, self.indices[entries], values, self.n_features)

    def _run(self, start: int, stop: int) -> Sequences:
        """Consecutive sequences, without a copy of their columns and values."""
        offsets = self.offsets[start : max(start, stop) + 1]
        indptr = self.indptr[offsets[0] : offsets[-1] + 1]
        part = slice(indptr[0], indptr[-1])
        values = None if self.values is None else self.values[part]
        return Sequences(offsets - offsets[0], indptr - indptr[0], self.indices[part], values, self.n_features)

    def _pick(self, positions: npt.NDArray[np.intp]) -> Sequences:
        return self.regrouped(*_joined(self.offsets, positions))

    def _check_columns(self) -> None:
        if not len(self.indices):
            return
        if self.indices.min() < 0 or self.indices.max() >= self.n_features:
            entry = int(np.flatnonzero((self.indices < 0) | (self.indices >= self.n_features))[0])
            raise self._complaint(entry, f"is outside the {self.n_features} features; correct it.")
        ascends = self.indices[1:] > self.indices[:-1]
        starts = self.indptr[1:-1]
        ascends[starts[(starts > 0) & (starts < len(self.indices))] - 1] = True
        if not ascends.all():
            entry = int(np.flatnonzero(~ascends)[0]) + 1
            raise self._complaint(entry, "follows a column not below it; sort them, each once.")

    def _check_values(self, values: npt.NDArray[Any]) -> None:
        if values.dtype not in (np.float32, np.float64) or values.shape != self.indices.shape:
            raise ValueError(
                f"values have dtype {values.dtype} and shape {values.shape}; give float32 or float64 of shape "
                f"{self.indices.shape}, or None where all are 1."
            )
        if not np.isfinite(values).all():
            entry = int(np.flatnonzero(~np.isfinite(values))[0])
            raise self._complaint(entry, f"is {values[entry]}; replace it by a finite number.")

    def check_squares(self) -> None:
        """Raises for the first value that is too large to square, for training."""
        if self.values is None or self.values.dtype == np.float32 or not (np.abs(self.values) > LARGEST).any():
            return  # float32 has no such numbers
        entry = int(np.flatnonzero(np.abs(self.values) > LARGEST)[0])
        raise self._complaint(entry, f"is {self.values[entry]:g}, which is too large to square; rescale the feature.")

    def place_of_entry(self, entry: int) -> tuple[int, int]:
        """The sequence and the token of a stored value."""
        return self.place(int(np.searchsorted(self.indptr, entry, side="right")) - 1)

    def _complaint(self, entry: int, text: str) -> SequenceError:
        sequence, token = self.place_of_entry(entry)
        return SequenceError(
            f"Sequence {sequence}, token {token}: column {self.indices[entry]} {text}", sequence, token
        )


def _check_offsets(name: str, offsets: Offsets, total: int, what: str) -> None:
    if offsets.dtype != np.int64 or offsets.ndim != 1 or not len(offsets):
        raise ValueError(f"{name} must be an int64 array of one dimension, not {offsets.dtype} of {offsets.shape}.")
    if offsets[0] != 0 or offsets[-1] != total or (offsets[1:] < offsets[:-1]).any():
        raise ValueError(f"{name} must go up from 0 to {total}, the number of {what}; it ends with {offsets[-1]}.")


def _joined(offsets: Offsets, picked: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], Offsets]:
    """The places ``offsets[i] : offsets[i + 1]`` of all picked i, one after the other, and their own offsets."""
    starts, lengths = offsets[picked], offsets[picked + 1] - offsets[picked]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    return np.arange(ends[-1]) + np.repeat(starts - ends[:-1], lengths), ends

"""Checks of matrices from outside, made before native code or SciPy follows their pointers."""

from __future__ import annotations

import os
import reprlib
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

MOST_COLUMNS = 2**31 - 1
"""Column numbers have 32 bits in the core."""

LARGEST = 1e100
"""Beyond this size sums of squares of features could overflow."""


def quoted(value: Any, limit: int = 80) -> str:
    """A value for a message: as Python writes it, on one line, and shortened where it is long."""
    if isinstance(value, str | bytes | list | tuple):
        value = value if len(value) <= limit else value[:limit]  # a repr of all of it could take long
    short = reprlib.Repr()
    short.maxstring, short.maxother, short.maxlevel = limit + 10, limit, 3
    text = " ".join(short.repr(value).split())
    return text if len(text) <= limit else f"{text[: limit - 4]}...{text[-1]}"


def is_whole(value: Any, least: float = -np.inf) -> bool:
    """Whether a value is a whole number, Python's or NumPy's, from ``least`` on; true and false are none."""
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= least


def check_sparse(matrix: Any, name: str = "X") -> None:
    """Raises a ValueError that names the row unless every pointer and index of a SciPy matrix stays inside of it.

    SciPy looks at parts of this when a matrix is made, and at nothing when its arrays are changed later; its own
    conversions write to memory that is not theirs where an index is wrong. One pass over the indices.
    """
    if matrix.ndim != 2:
        return
    if max(matrix.shape) > MOST_COLUMNS:
        raise ValueError(
            f"{name} has shape {matrix.shape}; at most {MOST_COLUMNS} rows and columns are possible: give the columns "
            "smaller numbers, or hash them."
        )
    if matrix.format in ("csr", "csc", "bsr"):
        _check_compressed(matrix, name)
    elif matrix.format == "coo":
        _check_coordinates(matrix, name)
    elif matrix.format == "lil":
        _check_lists(matrix, name)


def _check_compressed(matrix: Any, name: str) -> None:
    lines, across = ("column", "row") if matrix.format == "csc" else ("row", "column")
    major, minor = matrix.shape[::-1] if matrix.format == "csc" else matrix.shape
    if matrix.format == "bsr":
        high, wide = matrix.blocksize
        major, minor = major // high, minor // wide
        lines, across = "row of blocks", "column of blocks"
    pointers, indices, stored = matrix.indptr, matrix.indices, len(matrix.data)
    for part, array in (("indptr", pointers), ("indices", indices)):
        if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError(f"{name} is damaged: its {part} must be an array of whole numbers.")
    if pointers.size != major + 1:
        raise ValueError(f"{name} is damaged: it has {major} {lines}s, and its indptr has {pointers.size} entries.")
    falls = np.flatnonzero(pointers[1:] < pointers[:-1])
    if falls.size:
        raise ValueError(f"{name} is damaged: its indptr goes down at {lines} {falls[0]}; it must never decrease.")
    used = int(pointers[-1])
    if pointers[0] != 0 or used > min(indices.size, stored):
        raise ValueError(
            f"{name} is damaged: its indptr goes from {pointers[0]} to {used}, and there are {indices.size} indices "
            "and "
            f"{stored} values."
        )
    at = _outside(indices[:used], minor)
    if at is not None:
        line = int(np.searchsorted(pointers, at, side="right")) - 1
        raise _no_such(name, f"{lines} {line}", across, indices[at], minor)


def _check_coordinates(matrix: Any, name: str) -> None:
    rows, columns = matrix.coords
    if not rows.shape == columns.shape == matrix.data.shape or rows.ndim != 1:
        raise ValueError(f"{name} is damaged: rows, columns and values differ in number.")
    for array, what, size in ((rows, "row", matrix.shape[0]), (columns, "column", matrix.shape[1])):
        at = _outside(array, size)
        if at is not None:
            raise _no_such(name, f"the value at place {at}", what, array[at], size)


def _check_lists(matrix: Any, name: str) -> None:
    for i, (columns, values) in enumerate(zip(matrix.rows, matrix.data, strict=True)):
        if len(columns) != len(values):
            raise ValueError(f"{name} is damaged: row {i} has {len(columns)} indices and {len(values)} values.")
        odd = next((j for j in columns if not 0 <= j < matrix.shape[1]), None)
        if odd is not None:
            raise _no_such(name, f"row {i}", "column", odd, matrix.shape[1])


def _outside(indices: npt.NDArray[Any], size: int) -> int | None:
    """The place of the first index that is not from 0 to ``size - 1``."""
    if not indices.size or (indices.min() >= 0 and indices.max() < size):
        return None
    return int(np.flatnonzero((indices < 0) | (indices >= size))[0])


def _no_such(name: str, where: str, what: str, index: Any, size: int) -> ValueError:
    return ValueError(
        f"{name} is damaged: {where} has an entry in {what} {index}, and {what}s are numbered from 0 to {size - 1}. "
        "Build the matrix again from its parts."
    )


def check_values(values: npt.NDArray[Any], what: str) -> None:
    """Raises a ValueError if a vector holds NaN, infinity or a number too large to square; ``what`` names the "
    "vector."""
    with np.errstate(over="ignore", invalid="ignore"):
        square = np.dot(values, values)
    if square <= LARGEST**2:
        return
    if not np.isfinite(values).all():
        raise ValueError(f"{what} contains NaN or an infinite value.")
    raise ValueError(
        f"{what} holds {values[np.argmax(np.abs(values))]:g}, which is too large to square: rescale the features to "
        f"numbers below {LARGEST:g}."
    )


def check_room(dimension: int) -> None:
    """Raises before any work where the machine cannot hold the weights twice in float64, as every solver must."""
    room = _memory()
    if room is not None and 16 * dimension > room:
        raise MemoryError(
            f"The model has {dimension:,} weights, which take {16e-9 * dimension:.0f} GB in training, and this machine "
            f"has {1e-9 * room:.0f} GB; use fewer features (with text: min_count, or a smaller hashing; in a file: "
            "number them without gaps) or classes."
        )


def _memory() -> int | None:
    """Bytes that this process may use, where the system tells."""
    try:
        import resource

        room = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    except (ImportError, AttributeError, ValueError, OSError):  # not told on every system
        return None
    return room if limit == resource.RLIM_INFINITY else min(room, limit)


def positive(name: str, value: Any, *, optional: bool = False) -> None:
    """Raises unless ``value`` is a positive finite number (or None where that is allowed)."""
    if value is None and optional:
        return
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 < float(value) < np.inf:
        raise ValueError(f"{name} must be a positive number, not {value!r}.")


def check_finite_weights(coef: npt.NDArray[np.float64]) -> None:
    """Raises where the weights of a model are not finite, as they can be once somebody has set them."""
    bad = np.flatnonzero(~np.isfinite(coef))
    if bad.size:
        raise ValueError(
            f"coef_[{bad[0]}] is {coef[bad[0]]}, and weights must be finite numbers; change it, or fit again."
        )


def random_generator(random_state: Any) -> np.random.Generator:
    """What draws from a seed, a generator of NumPy, or None for numbers that nobody can repeat."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"random_state must be None, a whole number from 0 or a generator of NumPy, not {quoted(random_state)}."
        ) from error

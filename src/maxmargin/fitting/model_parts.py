"""What a model file holds, checked completely before an estimator gets it: one validator for all of them.

Every fault is a ValueError (a KeyError where a part is missing) that ``load`` makes one sentence of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.core.input_checks import check_sparse

Floats = npt.NDArray[np.float64]


class ModelArrays(Mapping[str, npt.NDArray[Any]]):
    """The arrays of a model file; every method returns one that has been checked."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._arrays = arrays

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        if name not in self._arrays:
            raise KeyError(f"the array {name} is missing")
        return self._arrays[name]

    def __contains__(self, name: object) -> bool:
        return name in self._arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def floats(self, name: str, *shape: int | None) -> Floats:
        """Finite float64 numbers; None in ``shape`` is any length of at least 1."""
        array = self[name]
        fits = array.ndim == len(shape) and all(
            have >= 1 if want is None else have == want for have, want in zip(array.shape, shape)
        )
        if array.dtype != np.float64 or not fits or not np.isfinite(array).all():
            raise ValueError(f"{name} must hold finite numbers of shape {_shape(shape)}, not {_kind(array)}")
        return array

    def whole(self, name: str, dtype: Any, *shape: int | None, least: int = 0, below: int) -> npt.NDArray[Any]:
        """Whole numbers of one dtype, from ``least`` to ``below - 1``."""
        array = self[name]
        fits = array.ndim == len(shape) and all(want in (None, have) for have, want in zip(array.shape, shape))
        inside = fits and array.dtype == np.dtype(dtype) and ((array >= least) & (array < below)).all()
        if not inside:
            raise ValueError(
                f"{name} must hold {np.dtype(dtype)} from {least} to {below - 1} of shape {_shape(shape)}, not "
                f"{_kind(array)}"
            )
        return array

    def offsets(self, name: str, count: int, total: int) -> npt.NDArray[np.int64]:
        """``count + 1`` pointers that go up from 0 to ``total``."""
        array = self.whole(name, np.int64, count + 1, below=total + 1)
        if array[0] != 0 or array[-1] != total or (array[1:] < array[:-1]).any():
            raise ValueError(f"{name} must go up from 0 to {total}")
        return array

    def labels(self, name: str = "classes_", least: int = 2) -> npt.NDArray[Any]:
        """Different labels in one dimension: numbers that are not NaN, or text."""
        array = self[name]
        if array.ndim != 1 or array.size < least:
            raise ValueError(f"{name} must be at least {least} labels, not {_kind(array)}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite where they are numbers")
        if len(set(array.tolist())) != array.size:
            raise ValueError(f"{name} must be different labels")
        return array

    def feature_names(self, count: int) -> npt.NDArray[Any] | None:
        """The names of the features as text, or None where the model has none."""
        if "feature_names_in_" not in self:
            return None
        names = self["feature_names_in_"]
        if names.shape != (count,) or not all(isinstance(name, str) for name in names.tolist()):
            raise ValueError(f"feature_names_in_ must be {count} texts, one per feature, not {_kind(names)}")
        return names.astype(object)

    def csr(self, prefix: str) -> sp.csr_array:
        """A sparse matrix from ``prefix`` + ``_shape``, ``_indptr``, ``_indices`` and ``_values``."""
        rows, columns = (int(size) for size in self.whole(f"{prefix}_shape", np.int64, 2, least=1, below=2**31))
        values = self[f"{prefix}_values"]
        count = values.shape[0] if values.ndim == 1 else -1
        if values.dtype != np.float64 or count < 0 or not np.isfinite(values).all():
            raise ValueError(f"{prefix}_values must hold finite numbers, not {_kind(values)}")
        indptr = self.offsets(f"{prefix}_indptr", rows, count)
        indices = self.whole(f"{prefix}_indices", np.int64, count, below=columns)
        matrix = sp.csr_array((values, indices, indptr), shape=(rows, columns))
        check_sparse(matrix, prefix)
        matrix.sum_duplicates()
        return matrix


class ModelValues:
    """The plain values of a model file by name."""

    def __init__(self, values: Any) -> None:
        if not isinstance(values, dict):
            raise ValueError("the structure must be names and values")
        self._values = values

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            raise KeyError(f"the value {name} is missing")
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self[name]
        if not isinstance(value, bool):
            raise ValueError(f"{name} must be true or false, not {value!r:.80}")
        return value

    def one_of(self, name: str, allowed: tuple[str, ...]) -> str:
        value = self[name]
        if not isinstance(value, str) or value not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}"[:200])
        return value

    def count(self, name: str, least: int = 0) -> int:
        """A whole number of at least ``least``, and at most what 32 bits hold."""
        value = self[name]
        if type(value) is not int or not least <= value < 2**31:
            raise ValueError(f"{name} must be a whole number from {least} on, not {value!r:.80}")
        return value

    def number(self, name: str, above: float | None = None, least: float | None = None) -> float:
        """A finite number."""
        value = self[name]
        if type(value) not in (int, float) or not abs(value) < np.inf:
            raise ValueError(f"{name} must be a number, not {value!r:.80}")
        if (above is not None and not value > above) or (least is not None and not value >= least):
            raise ValueError(f"{name} is {value:g}, which it cannot be")
        return float(value)


def _shape(shape: tuple[int | None, ...]) -> str:
    return "(" + ", ".join("any" if length is None else str(length) for length in shape) + ")"


def _kind(array: npt.NDArray[Any]) -> str:
    return f"{array.dtype} of shape {array.shape}"

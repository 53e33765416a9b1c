"""Lists with an entry for each sequence."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Entry = TypeVar("Entry")


class PerSequence(list[Entry]):
    """A list with an entry for each sequence, which NumPy reads as an array of so many objects.

    NumPy refuses plain lists of lists of different lengths; ``cross_val_predict`` joins those of the folds by it.
    """

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if dtype is not None and np.dtype(dtype) != object:
            raise ValueError(f"Sequences differ in length, so they make an array of objects, not of {np.dtype(dtype)}.")
        array = np.empty(len(self), dtype=object)
        for i, entry in enumerate(self):
            array[i] = entry
        return array


def is_in_lists(X: Any) -> bool:
    """Whether X holds sequences as lists or tuples of tokens, rather than in arrays, matrices or packed."""
    return all(isinstance(sequence, list | tuple) for sequence in X)

"""Output features of ``MulticlassSVC``: from what the user gives to one row per class, and scores of any classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.classes.described import DescribedClasses
from maxmargin.fitting.model_parts import ModelArrays

Floats = npt.NDArray[np.float64]


def described_classes(given: Any, classes: npt.NDArray[Any]) -> DescribedClasses:
    """Features of at least the classes of y; a matrix has its rows in their order."""
    if isinstance(given, DescribedClasses):
        described = given
    elif isinstance(given, Mapping):
        texts = any(isinstance(value, str) for value in given.values())
        described = DescribedClasses.from_texts(given) if texts else DescribedClasses.from_attributes(given)
    elif _has_labels(given, classes):
        described = DescribedClasses.from_attributes(given)
    else:
        shape = np.shape(given)
        if len(shape) != 2 or shape[0] != classes.size:
            raise ValueError(
                f"output_features has shape {shape}; y has {classes.size} classes, so one row for each of them is "
                "needed, in sorted order. Classes without examples need DescribedClasses(labels, matrix)."
            )
        described = DescribedClasses(classes, given)
    described.rows(classes)
    return described


def _has_labels(given: Any, classes: npt.NDArray[Any]) -> bool:
    """Whether this is a data frame whose index holds the classes, in any order."""
    if not (hasattr(given, "index") and hasattr(given, "columns")):
        return False
    return set(classes.tolist()) <= set(given.index.tolist())


def chosen_classes(asked: Any, described: DescribedClasses) -> DescribedClasses:
    """The classes to predict among: ``'all'`` described ones, a list of labels, or others with their own features."""
    if not isinstance(asked, DescribedClasses | Iterable):
        raise ValueError(f"classes must be 'all', a list of labels, or DescribedClasses, not {asked!r}.")
    if isinstance(asked, Sized) and len(asked) == 0:
        raise ValueError("classes holds no class; name those to predict among, or leave it out.")
    if isinstance(asked, DescribedClasses):
        if asked.matrix.shape[1] != described.matrix.shape[1]:
            raise ValueError(
                f"These classes have {asked.matrix.shape[1]} features, those of the model {described.matrix.shape[1]}; "
                "describe them in the same columns, for instance by more()."
            )
        return asked
    if isinstance(asked, str):
        if asked != "all":
            raise ValueError(f"classes must be 'all', a list of labels, or DescribedClasses, not {asked!r}.")
        return described
    return DescribedClasses(asked, described.rows(asked))


def difference_scale(matrix: Any) -> float:
    """2 over the mean of ``|Lambda(y) - Lambda(k)|^2`` over pairs of different classes: the factor on a C for classes
    without features, for which that mean is 2."""
    rows = matrix if isinstance(matrix, sp.csr_array) and matrix.has_canonical_format else _summed(matrix)
    k = rows.shape[0]
    squares = float(rows.data @ rows.data)
    total = np.bincount(rows.indices, rows.data, minlength=rows.shape[1])
    mean = 2.0 * (k * squares - float(total @ total)) / (k * (k - 1))
    return 2.0 / mean if mean > 1e-12 * max(squares, 1e-300) else 1.0


def _summed(matrix: Any) -> sp.csr_array:
    """A copy without two values in one cell."""
    rows = sp.csr_array(matrix, copy=True)
    rows.sum_duplicates()
    return rows


def described_arrays(described: DescribedClasses) -> dict[str, Any]:
    """For a model file."""
    matrix = sp.csr_array(described.matrix)
    return {
        "described_labels": np.array(described.labels),
        "described_indptr": matrix.indptr.astype(np.int64),
        "described_indices": matrix.indices.astype(np.int64),
        "described_values": matrix.data,
        "described_shape": np.array(matrix.shape, dtype=np.int64),
    }


def described_from_arrays(arrays: ModelArrays) -> DescribedClasses:
    """Back from a model file; parts that do not fit are a ValueError or KeyError."""
    return DescribedClasses(arrays.labels("described_labels", least=1), arrays.csr("described"))

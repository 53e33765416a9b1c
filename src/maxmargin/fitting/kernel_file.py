"""What a model file keeps of a kernel: its name and numbers, and the reference rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.fitting.estimator import FileParts
from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.rows.columns import Columns
from maxmargin.rows.kernel import Kernel, as_kernel
from maxmargin.rows.kernel_map import FourierMap, ReferenceRows
from maxmargin.rows.kernel_pairs import PairFeatures

_FORMS = ("dense", "sparse", "numbers", "fourier", "pairs")


def kernel_parts(parts: FileParts, fitted: Any, given: Any) -> FileParts:
    """The parts of a model with those of its kernel; a function that was given is left out."""
    without = (*parts.without, "kernel") if as_kernel(given).kind == "function" else parts.without
    if fitted is None:
        return replace(parts, without=without)
    kernel: Kernel = fitted.kernel
    arrays: Mapping[str, Any]
    if isinstance(fitted, FourierMap):
        form, arrays = "fourier", {"kernel_frequencies": fitted.frequencies}
    elif isinstance(fitted, PairFeatures):
        form, arrays = "pairs", {"kernel_pairs": fitted.pairs}
    elif kernel.kind == "precomputed":
        form, arrays = "numbers", {"kernel_numbers": fitted.rows.astype(np.int64)}
    elif sp.issparse(fitted.rows):
        rows = sp.csr_array(fitted.rows)
        form = "sparse"
        arrays = {
            "kernel_indptr": rows.indptr.astype(np.int64),
            "kernel_indices": rows.indices.astype(np.int64),
            "kernel_values": rows.data.astype(np.float64),
            "kernel_shape": np.array(rows.shape, dtype=np.int64),
        }
    else:
        form, arrays = "dense", {"kernel_rows": fitted.rows.astype(np.float64)}
    brought = getattr(fitted, "brought", None)
    if brought is not None:
        arrays = {**arrays, "kernel_shift": brought.shift, "kernel_factor": brought.factor}
    places = getattr(fitted, "places", None)
    if places is not None:
        arrays = {**arrays, "kernel_places": places.astype(np.int64)}
    head = {
        "form": form,
        "places": 0 if places is None else int(places.ndim),
        "brought": brought is not None,
        "name": kernel.name if isinstance(kernel.name, str) else None,
        "function": None if isinstance(kernel.name, str) else getattr(kernel.name, "__name__", "function"),
        "gamma": kernel.gamma if isinstance(kernel.gamma, str) else float(kernel.gamma),
        "degree": int(kernel.degree),
        "coef0": float(kernel.coef0),
        "cache": int(kernel.cache),
        "columns": int(fitted.columns),
    }
    return FileParts({**parts.arrays, **arrays}, {**parts.structure, "kernel": head}, without)


def needed_function(structure: Any) -> str | None:
    """The name of the kernel function that a model file was trained with; None where it needs none."""
    head = structure.get("kernel") if isinstance(structure, dict) else None
    name = head.get("function") if isinstance(head, dict) else None
    return name if isinstance(name, str) else None


def restored_kernel(
    arrays: ModelArrays, structure: ModelValues, function: Any
) -> ReferenceRows | FourierMap | PairFeatures | None:
    """What ``kernel_`` was when the model was saved; what does not fit together is a ValueError or KeyError."""
    if "kernel" not in structure:
        return None
    head = ModelValues(structure["kernel"])
    gamma = head["gamma"] if head["gamma"] == "scale" else head.number("gamma", above=0.0)
    name = head["name"] if function is None else as_kernel(function).name
    if not isinstance(name, str) and not callable(name):
        raise ValueError("the kernel must have a name")
    cache = head["cache"]
    kernel = Kernel(name, gamma, head.count("degree", least=1), head.number("coef0"), cache)
    columns, form = head.count("columns", least=1), head.one_of("form", _FORMS)
    if (form == "numbers") != (kernel.kind == "precomputed"):
        raise ValueError("numbers of rows belong to a precomputed kernel")
    brought = _restored_columns(arrays, columns) if "brought" in head and head.flag("brought") else None
    if form == "fourier":
        return FourierMap(kernel, arrays.floats("kernel_frequencies", columns, None), brought)
    if form == "pairs":
        pairs = arrays.whole("kernel_pairs", np.int64, None, below=columns * columns)
        if kernel.kind != "poly" or isinstance(gamma, str) or (np.diff(pairs) <= 0).any():
            raise ValueError("pairs of features ascend, and belong to a polynomial kernel with a number for gamma")
        if kernel.degree > 2 or kernel.coef0 < 0.0:
            raise ValueError("pairs of features are those of degree 1 or 2, with a coef0 of at least 0")
        return PairFeatures(kernel, pairs, columns)
    if form == "numbers":
        numbers = arrays.whole("kernel_numbers", np.int64, None, below=columns)
        return ReferenceRows(kernel, numbers, columns, places=_restored_places(arrays, head, numbers.size))
    rows = arrays.csr("kernel") if form == "sparse" else arrays.floats("kernel_rows", None, columns)
    if rows.shape[1] != columns:
        raise ValueError("the reference rows must have the columns of the data")
    if isinstance(gamma, str) and kernel.resolved(rows) != kernel:
        raise ValueError("the kernel needs a number for gamma")
    return ReferenceRows(kernel, rows, columns, brought, _restored_places(arrays, head, rows.shape[0]))


def _restored_places(arrays: ModelArrays, head: ModelValues, width: int) -> Any:
    """Of the reference rows in the training data, or of tokens their sequences and positions."""
    dimensions = head.count("places") if "places" in head else 0
    if dimensions not in (0, 1, 2):
        raise ValueError("places are numbers of rows, or of sequences and positions")
    shape = (width,) if dimensions == 1 else (2, width)
    return arrays.whole("kernel_places", np.int64, *shape, below=2**62) if dimensions else None


def _restored_columns(arrays: ModelArrays, columns: int) -> Columns:
    return Columns(arrays.floats("kernel_shift", columns), arrays.floats("kernel_factor", columns))

"""The text format of SVM-light and LIBSVM: ``label index:value index:value ... # comment``."""

from __future__ import annotations

import re
from array import array
from os import PathLike, fspath
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_svmlight_file

from maxmargin.core.input_checks import quoted
from maxmargin.io.labelled import LabelledData, is_number, open_data, whole_labels

_WHOLE = re.compile("[+-]?[0-9]+")
_TOO_LARGE = 2**63


def read_svmlight(
    path: str | PathLike[str], *, n_features: int | None = None, zero_based: bool = False, labelled: bool = True
) -> LabelledData:
    """Reads a file into a CSR matrix and whole numbers as labels.

    ``n_features`` fixes the number of columns: features beyond it are dropped and counted, since a model that never
    saw them gives them no weight. Indices start at 1 unless ``zero_based``; this is never guessed, because two files
    of one data set could be guessed differently. ``labelled=False`` ignores the labels, which the format demands.
    """
    name = fspath(path)
    with open_data(name) as file:
        lines = array("q", (number for number, line in enumerate(file, 1) if line.split(b"#", 1)[0].strip()))
    if not lines:
        raise ValueError(f"{name} holds no examples; each line must be a label followed by index:value pairs.")
    try:
        with open_data(name) as file:
            X, values = load_svmlight_file(file, zero_based=zero_based)
    except (ValueError, OverflowError) as error:
        _find_fault(name, zero_based)
        raise ValueError(f"{name} cannot be read as svmlight text ({error}); check its format.") from error
    _check_finite(name, X, lines, 0 if zero_based else 1)
    labels = whole_labels(name, values, lines) if labelled else None
    ignored = 0
    if n_features is not None:
        ignored = int(np.unique(X.indices[X.indices >= n_features]).size)
        X.resize((X.shape[0], n_features))
    return LabelledData(name, X, labels, lines, None, ignored)


def _check_finite(name: str, X: Any, lines: array[int], first: int) -> None:
    bad: npt.NDArray[np.intp] = np.flatnonzero(~np.isfinite(X.data))
    if bad.size:
        row = int(np.searchsorted(X.indptr, bad[0], side="right")) - 1
        raise ValueError(
            f"{name}, line {lines[row]}: feature {X.indices[bad[0]] + first} is {X.data[bad[0]]}; "
            "replace it by a finite number or leave it out."
        )


def _find_fault(name: str, zero_based: bool) -> None:
    """Raises a complaint about the first line that breaks the format."""
    with open_data(name) as file:
        for number, line in enumerate(file, 1):
            fault = fault_of(fields_of(line), zero_based)
            if fault is not None:
                raise ValueError(f"{name}, line {number}: {fault}")


def fields_of(line: bytes) -> list[str]:
    """The fields of a line before its comment; ASCII white space divides them, and nothing else does."""
    return [field.decode("utf-8", "replace") for field in line.split(b"#", 1)[0].split()]


def is_whole(text: str) -> bool:
    """Whether a field is written as a whole number."""
    return _WHOLE.fullmatch(text) is not None


def fault_of(parts: list[str], zero_based: bool) -> str | None:
    """What is wrong with the fields of a line; None if nothing is."""
    if not parts:
        return None
    label, pairs = parts[0], parts[1:]
    if ":" in label:
        return f"there is no label before {quoted(label)}; put the class, or 0 if it is unknown, first."
    if "," in label and all(map(is_number, label.split(","))):
        return f"{quoted(label)} is more than one label; give each example one class."
    if not is_number(label):
        return (
            f"the label {quoted(label)} is not a number; number the classes, or use a csv file, whose labels may be "
            "words."
        )
    if pairs and pairs[0].startswith("qid:"):
        pairs = pairs[1:]
    previous = -1
    for pair in pairs:
        index, colon, value = pair.partition(":")
        if not colon or not is_whole(index) or not is_number(value):
            return f"{quoted(pair)} is not an index:value pair; write for example 3:0.5."
        position = int(index) if len(index) < 20 else _TOO_LARGE if index[0] != "-" else -1
        if position < 0 or (position == 0 and not zero_based):
            return f"the index {position} is too small, indices start at {0 if zero_based else 1}" + (
                "; number the features again."
                if zero_based
                else "; if this file counts from 0, read it with zero_based (--zero-based)."
            )
        if position > np.iinfo(np.int32).max:
            return f"the index {index[:20]} is too large; number the features from 1 without such gaps."
        if position <= previous:
            return f"the index {position} follows {previous}; sort the indices and give each once."
        previous = position
    return None

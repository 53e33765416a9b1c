"""Templates over columns of strings, evaluated in the native core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.chains.features.string_functions import Change
from maxmargin.chains.features.templates import Field, Template

Column: TypeAlias = tuple[npt.NDArray[np.int32], list[str]]
"""The number of each token's string, and the strings in order of first sight."""
Rows: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64] | None]


def apply_templates(
    templates: Sequence[Template],
    offsets: npt.NDArray[np.int64],
    columns: Sequence[Column],
    attributes: _core.Attributes,
    *,
    learn: bool,
) -> Rows:
    """``(indptr, indices, values)`` of all tokens; values is None where all are 1.

    Parameters
    ----------
    offsets : of the sequences among the tokens, shape (n_sequences + 1,)
    columns : what ``_core.read_columns`` found
    attributes : columns of the attributes
    learn : whether new attributes get a column, or are ignored
    """
    if len(offsets) < 2:
        raise ValueError("There are no sequences; give at least one.")
    if not offsets[-1]:
        return np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), None
    views: dict[tuple[int, Change | None], int] = {}
    arguments = []
    for template in templates:
        fields = []
        for field in template.fields:
            _check_column(field, len(columns))
            fields.append((views.setdefault((field.column, field.change), len(views)), field.offset))
        arguments.append((template.literals, fields, template.marks))
    made = [_view(columns[column], change) for column, change in views]
    rows: Any = _core.apply_templates(attributes, offsets, made, arguments, learn)
    return rows[0], rows[1], rows[2]


def _check_column(field: Field, columns: int) -> None:
    if field.column >= columns:
        raise ValueError(
            f"The templates use column {field.column}, but the tokens have {columns}, counted from 0; "
            "give tokens with more columns or change the templates."
        )


def _view(column: Column, change: Change | None) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], list[str]]:
    numbers, strings = column
    if change is None:
        return numbers, np.arange(len(strings), dtype=np.int32), strings
    found: dict[str, int] = {}
    becomes = np.full(len(strings), -1, dtype=np.int32)
    for i, text in enumerate(strings):
        new = change(text)
        if new is not None:
            if not isinstance(new, str):
                raise ValueError(f"The change {change!r} made {new!r} of {text!r}; it must return a string or None.")
            becomes[i] = found.setdefault(new, len(found))
    return numbers, becomes, list(found)

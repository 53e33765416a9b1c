"""Tables of numbers with a header row: comma- or tab-separated, one column of labels."""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from os import PathLike, fspath

import numpy as np
import numpy.typing as npt

from maxmargin.core.input_checks import quoted
from maxmargin.io.labelled import LabelledData, is_number, open_data, shortened, whole_labels


@dataclass(frozen=True)
class _Columns:
    """Positions in a row: the features in their order, and the label if there is one."""

    names: tuple[str, ...]
    features: tuple[int, ...]
    label: int | None


def read_table(
    path: str | PathLike[str],
    *,
    delimiter: str = ",",
    label_column: str | None = None,
    feature_names: Sequence[str] | None = None,
    n_features: int | None = None,
    labelled: bool = True,
    text_labels: bool | None = None,
) -> LabelledData:
    """Reads a table whose first row names the columns and whose features are numbers.

    Parameters
    ----------
    label_column : name of the column of labels; None is the last one
    feature_names : columns to take as features, by name and in this order; None is all but the label's
    n_features : how many features there must be
    labelled : False leaves the labels out, and their column may be missing
    text_labels : True keeps labels as strings, False wants whole numbers, None takes numbers where all labels are
    """
    name = fspath(path)
    values, lines, texts = array("d"), array("q"), []
    rows = _rows(name, delimiter)
    _, header = next(rows, (1, []))
    columns = _choose(name, _checked_header(name, header), label_column, feature_names, n_features, labelled)
    for line, row in rows:
        if len(row) != len(header):
            raise ValueError(
                f"{name}, line {line}: there are {len(row)} fields where the header has {len(header)} columns; "
                "add or remove fields."
            )
        try:
            values.extend([float(row[column]) for column in columns.features])
        except ValueError:
            _complain_about_row(name, line, row, columns)
        lines.append(line)
        if columns.label is not None and labelled:
            texts.append(row[columns.label].strip())
    if not lines:
        raise ValueError(f"{name} holds no examples below its header; add rows.")
    X = np.frombuffer(values, dtype=np.float64).reshape(len(lines), -1)
    _check_finite(name, X, lines, columns)
    labels = _labels(name, texts, lines, text_labels) if texts else None
    return LabelledData(name, X, labels, lines, columns.names)


def _rows(name: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, with their lines; faults of encoding and quoting are sentences."""
    with open_data(name) as file:
        text = TextIOWrapper(file, encoding="utf-8-sig", newline="")
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        try:
            for row in reader:
                if any(cell.strip() for cell in row):
                    yield reader.line_num, row
        except csv.Error as error:
            raise ValueError(f"{name}, line {reader.line_num}: {error}; correct the quoting of that line.") from error
        except UnicodeDecodeError as error:
            raise ValueError(f"{name} is not UTF-8 text after line {reader.line_num}; save it as UTF-8.") from error


def _checked_header(name: str, header: list[str]) -> list[str]:
    header = [cell.strip() for cell in header]
    if not header:
        raise ValueError(f"{name} is empty; its first row must name the columns.")
    names = [cell for cell in header if not is_number(cell)]
    if not names:
        raise ValueError(
            f"{name}, line 1: the first row holds only numbers; put a row with names of the columns first."
        )
    if len(names) == 1 and any(is_number(cell) and not _is_whole(cell) for cell in header):
        raise ValueError(
            f"{name}, line 1: the first row holds numbers and {quoted(names[0])}, so it looks like an example; put a "
            "row "
            "with names of the columns first."
        )
    for position, column in enumerate(header):
        if not column:
            raise ValueError(f"{name}, line 1: column {position + 1} has no name; give it one.")
        if column in header[:position]:
            raise ValueError(f"{name}, line 1: the column {quoted(column)} is there twice; rename one of them.")
    return header


def _choose(
    name: str,
    header: list[str],
    label_column: str | None,
    feature_names: Sequence[str] | None,
    n_features: int | None,
    labelled: bool,
) -> _Columns:
    if label_column is not None and label_column not in header and labelled:
        raise ValueError(
            f"{name} has no column {quoted(label_column)} for the labels; its columns are {shortened(header)}."
        )
    if feature_names is not None:
        label = _label_beside(name, header, label_column, feature_names) if labelled else None
        missing = [column for column in feature_names if column not in header]
        if missing:
            raise ValueError(f"{name} lacks columns that the model was trained with: {shortened(missing)}; add them.")
        return _Columns(tuple(feature_names), tuple(map(header.index, feature_names)), label)
    bare = not labelled and label_column not in header and len(header) == n_features
    label = None if bare else header.index(label_column) if label_column in header else len(header) - 1
    features = tuple(column for column in range(len(header)) if column != label)
    if not features:
        raise ValueError(f"{name} has only one column; it needs features and labels, separated as its format says.")
    if n_features is not None and len(features) != n_features:
        raise ValueError(
            f"{name} has {len(features)} columns of features, but the model was trained with {n_features}; "
            "give it the same columns."
        )
    return _Columns(tuple(header[column] for column in features), features, label)


def _label_beside(name: str, header: list[str], label_column: str | None, feature_names: Sequence[str]) -> int:
    """The column of labels where the names of the features are known."""
    if label_column is not None:
        if label_column in feature_names:
            raise ValueError(
                f"The column {quoted(label_column)} is a feature of the model; name another one for the labels."
            )
        return header.index(label_column)
    others = [column for column in header if column not in feature_names]
    if header[-1] not in feature_names:
        return len(header) - 1
    if len(others) == 1:
        return header.index(others[0])
    raise ValueError(
        f"{name} has no label column that can be told from its features; name it with label_column."
        if others
        else f"{name} has no column beside the features of the model; add a column of labels."
    )


def _complain_about_row(name: str, line: int, row: list[str], columns: _Columns) -> None:
    for column, position in zip(columns.names, columns.features):
        cell = row[position].strip()
        if not is_number(cell):
            what = f"holds {quoted(cell)}, which is not a number" if cell else "is empty"
            raise ValueError(
                f"{name}, line {line}: the column {quoted(column)} {what}; "
                "features must be numbers, so fill it in or encode it (labels go in the label column)."
            )


def _check_finite(name: str, X: npt.NDArray[np.float64], lines: Sequence[int], columns: _Columns) -> None:
    bad = np.argwhere(~np.isfinite(X))
    if bad.size:
        row, column = bad[0]
        raise ValueError(
            f"{name}, line {lines[row]}: the column {quoted(columns.names[column])} is {X[row, column]}; "
            "replace it by a finite number."
        )


def _labels(
    name: str, texts: list[str], lines: Sequence[int], text_labels: bool | None
) -> npt.NDArray[np.int64] | npt.NDArray[np.str_]:
    if "" in texts:
        raise ValueError(f"{name}, line {lines[texts.index('')]}: the label is empty; fill it in or remove the line.")
    if text_labels or (text_labels is None and not all(map(_is_whole, texts))):
        return np.array(texts, dtype=np.str_)
    for line, text in zip(lines, texts):
        if not is_number(text):
            raise ValueError(
                f"{name}, line {line}: the label {quoted(text)} is not a number, as the classes of the model are; "
                "correct it."
            )
    return whole_labels(name, np.array(texts, dtype=np.float64), lines)


def _is_whole(text: str) -> bool:
    """Numbers such as 3, -3 and 3.0; not 007, which as a number would lose its zeros."""
    if not is_number(text) or not math.isfinite(float(text)) or float(text) != round(float(text)):
        return False
    digits = text.lstrip("+-")
    return not (digits.startswith("0") and digits[1:2].isdigit())

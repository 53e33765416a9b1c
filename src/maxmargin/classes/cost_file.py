"""Cost matrices in csv files."""

from __future__ import annotations

import csv
from os import PathLike, fspath
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.input_checks import quoted
from maxmargin.io.labelled import shortened


def read_cost(path: str | PathLike[str], classes: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Reads ``cost[true class, answer]`` in the order of ``classes``.

    The file is either bare numbers, one row a true class, in the order of ``classes``; or it has an empty first
    cell, the classes along the top and along the left, in any order.
    """
    name = fspath(path)
    with open(name, encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        try:
            rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(map(str.strip, row))]
        except (csv.Error, UnicodeDecodeError) as error:
            raise ValueError(f"{name} is not a csv file of numbers ({error}); save it as UTF-8 text.") from error
    if not rows:
        raise ValueError(f"{name} is empty; it must hold a row of costs for each class.")
    named = not rows[0][1][0]
    answers = rows[0][1][1:] if named else []
    truths = [row[0] for _, row in rows[1:]] if named else []
    cells = [(line, row[1:]) for line, row in rows[1:]] if named else rows
    matrix = np.array([_numbers(name, line, row, len(classes)) for line, row in cells])
    if len(matrix) != len(classes):
        raise ValueError(f"{name} has {len(matrix)} rows of costs for {len(classes)} classes; give each class one row.")
    if not named:
        return matrix
    down, across = _positions(name, "on the left", truths, classes), _positions(name, "on top", answers, classes)
    return matrix[np.ix_(down, across)]


def _numbers(name: str, line: int, row: list[str], count: int) -> list[float]:
    if len(row) != count:
        raise ValueError(f"{name}, line {line}: there are {len(row)} costs for {count} classes; give each one cost.")
    numbers = []
    for column, cell in enumerate(row, 1):
        try:
            numbers.append(float(cell))
        except ValueError:
            raise ValueError(
                f"{name}, line {line}: cost {column} is {quoted(cell)}, which is not a number; correct it, "
                "or leave the first cell of the file empty if its first row and column name the classes."
            ) from None
    return numbers


def _positions(name: str, where: str, found: list[str], classes: npt.NDArray[Any]) -> list[int]:
    """Where each class stands among the names of the file."""
    wanted = [str(item) for item in classes.tolist()]
    if sorted(found) != sorted(wanted):
        raise ValueError(
            f"{name} names the classes {shortened(found)} {where}, but there are {shortened(wanted)}; name each once."
        )
    return [found.index(item) for item in wanted]

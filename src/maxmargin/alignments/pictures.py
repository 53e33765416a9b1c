"""Alignments as plain text and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Scores: TypeAlias = npt.NDArray[np.floating[Any]] | Sequence[float] | None
_Numbers: TypeAlias = npt.NDArray[np.float64]
_Columns: TypeAlias = npt.NDArray[np.int64]

_STYLE = (
    "font-family:monospace;white-space:pre;line-height:1.3;margin:0 0 1em 0",
    "background:rgba({colour},{strength:.2f})",
)
_GOOD, _BAD = "46,160,67", "218,54,51"


def text_picture(
    columns: _Columns, pairs: _Columns, x: Sequence[Any], y: Sequence[Any], scores: Scores, width: int
) -> str:
    """Blocks of three lines: x, a mark per pair, y, with the positions of the first and last letters."""
    values = column_scores(columns, pairs, (len(x), len(y)), scores)
    rows = [_cells(columns[:, side], sequence) for side, sequence in enumerate((x, y))]
    cell = max((len(text) for row in rows for text in row), default=1)
    marks = [_mark(i, j, x, y, value) for (i, j), value in zip(columns.tolist(), values.tolist())]
    digits = len(str(max(len(x), len(y))))
    blocks = []
    for begin, end in _blocks(len(columns), width):
        lines = [
            f"{name} {_from(columns[:end, side], begin):>{digits}} {_joined(row[begin:end], cell)} "
            f"{_until(columns[:end, side]):>{digits}}"
            for side, (name, row) in enumerate(zip("xy", rows))
        ]
        between = (" " * (digits + 3) + _joined(marks[begin:end], cell)).rstrip()
        blocks.append("\n".join([lines[0], between, lines[1]]))
    return "\n\n".join(blocks)


def html_picture(
    columns: _Columns, pairs: _Columns, x: Sequence[Any], y: Sequence[Any], scores: Scores, width: int
) -> str:
    """The blocks of ``text_picture`` without marks, with a background per pair that shows its score."""
    values = column_scores(columns, pairs, (len(x), len(y)), scores)
    if scores is None:
        values = np.array([float(i >= 0 and j >= 0 and x[i] == y[j]) for i, j in columns.tolist()])
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
    rows = [_cells(columns[:, side], sequence) for side, sequence in enumerate((x, y))]
    cell = max((len(text) for row in rows for text in row), default=1)
    digits = len(str(max(len(x), len(y))))
    paired = columns.min(axis=1) >= 0
    parts = []
    for begin, end in _blocks(len(columns), width):
        lines = []
        for side, (name, row) in enumerate(zip("xy", rows)):
            letters = (
                _coloured(row[at].rjust(cell), values[at] / largest, values[at], scores is not None)
                if paired[at]
                else escape(row[at].rjust(cell))
                for at in range(begin, end)
            )
            lines.append(
                f"{name} {_from(columns[:end, side], begin):>{digits}} {''.join(letters)} "
                f"{_until(columns[:end, side]):>{digits}}"
            )
        parts.append(f'<div style="{_STYLE[0]}">' + "\n".join(lines) + "</div>")
    return '<div class="maxmargin-alignment">' + "".join(parts) + "</div>"


def column_scores(columns: _Columns, pairs: _Columns, lengths: tuple[int, int], scores: Scores) -> _Numbers:
    """The score of each column, 0 at gaps; scores of another shape are a ``ValueError``."""
    values: _Numbers = np.zeros(len(columns))
    if scores is None:
        return values
    given = np.asarray(scores, dtype=np.float64)
    if given.shape == lengths:
        given = given[pairs[:, 0], pairs[:, 1]]
    if given.shape != (len(pairs),):
        raise ValueError(
            f"Scores must have shape ({len(pairs)},), one per pair, or {lengths}, one per position of x and of y, "
            f"not {given.shape}."
        )
    values[(columns >= 0).all(axis=1)] = given
    return values


def _blocks(count: int, width: int) -> list[tuple[int, int]]:
    if width < 1:
        raise ValueError(f"width must be a positive integer, not {width!r}.")
    return [(begin, min(begin + width, count)) for begin in range(0, count, width)]


def _cells(column: _Columns, sequence: Sequence[Any]) -> list[str]:
    return ["-" if at < 0 else str(sequence[at]) for at in column.tolist()]


def _joined(cells: list[str], width: int) -> str:
    return "".join(cell.rjust(width) for cell in cells)


def _from(column: _Columns, begin: int) -> int:
    """The number, from 1, of the first letter at or after a column; of the last one before it where there is none."""
    there = column[begin:]
    there = there[there >= 0]
    return int(there[0]) + 1 if there.size else _until(column)


def _until(column: _Columns) -> int:
    there = column[column >= 0]
    return int(there[-1]) + 1 if there.size else 0


def _mark(i: int, j: int, x: Sequence[Any], y: Sequence[Any], value: float) -> str:
    if i < 0 or j < 0:
        return " "
    return "|" if x[i] == y[j] else ":" if value > 0 else "."


def _coloured(text: str, share: float, value: float, scored: bool) -> str:
    colour = _STYLE[1].format(colour=_GOOD if share >= 0 else _BAD, strength=0.8 * min(abs(share), 1.0))
    title = f' title="{value:.3g}"' if scored else ""
    return f'<span style="{colour}"{title}>{escape(text)}</span>'

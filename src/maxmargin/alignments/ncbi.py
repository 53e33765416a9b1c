"""Substitution matrices as text in the format of NCBI, which Biopython, parasail, BLAST and EMBOSS read."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath

import numpy as np
import numpy.typing as npt

from maxmargin.core.input_checks import quoted
from maxmargin.io.text import numbered_lines, text_writer

Floats = npt.NDArray[np.float64]


def write_matrix(
    path: str | PathLike[str],
    matrix: npt.ArrayLike,
    letters: Sequence[str],
    *,
    whole: bool = True,
    largest: int = 100,
    gaps: tuple[float, float] | None = None,
) -> float:
    """Writes scores of pairs of letters as a table; gives the factor by which they were multiplied.

    Many programs take whole numbers only. ``whole`` therefore multiplies all scores so that the largest in size becomes
    ``largest``, and rounds them. Gap scores must be multiplied by the same factor: the first lines of the file, which
    readers ignore, have them where ``gaps`` gives them.

    Parameters
    ----------
    path : the file; it is overwritten
    matrix : scores, shape (letters, letters), rows for x and columns for y; parasail takes its second sequence for rows
    letters : single characters
    whole : whether to write whole numbers; False writes six digits of each score, for Biopython
    largest : the size of the largest number
    gaps : the scores of the first and of each later position of a gap, both negative as a rule
    """
    scores = np.asarray(matrix, dtype=np.float64)
    size = len(letters)
    if scores.shape != (size, size) or not np.isfinite(scores).all():
        raise ValueError(
            f"The matrix must have a finite number for each pair of the {size} letters, shape {(size, size)}, not "
            f"{scores.shape}."
        )
    odd = next((one for one in letters if not isinstance(one, str) or len(one) != 1 or one.isspace() or one == "#"), "")
    if odd != "" or len(set(letters)) != size or not size:
        raise ValueError(f"The letters must be different single characters, not {quoted(odd or list(letters))}.")
    if largest < 1:
        raise ValueError(f"largest must be at least 1, not {largest!r}.")
    biggest = float(np.abs(scores).max())
    factor = largest / biggest if whole and biggest > 0.0 else 1.0
    cells = [[_cell(value * factor, whole) for value in row] for row in scores.tolist()]
    width = max(len(cell) for row in cells for cell in row) + 1
    with text_writer(path) as file:
        file.write(f"# Scores multiplied by {factor:.6g}\n")
        if gaps is not None:
            first, later = (_cell(value * factor, whole) for value in gaps)
            file.write(f"# Gaps: {first} for the first position, {later} for each later one\n")
        file.write(" " + "".join(letter.rjust(width) for letter in letters) + "\n")
        for letter, row in zip(letters, cells):
            file.write(letter + "".join(cell.rjust(width) for cell in row) + "\n")
    return factor


def read_matrix(path: str | PathLike[str]) -> tuple[Floats, str]:
    """The scores, shape (letters, letters), and the letters of a file in the format of NCBI."""
    letters: list[str] | None = None
    rows: list[list[float]] = []
    for number, line in numbered_lines(path, "utf-8"):
        cells = line.split()
        if not cells or cells[0].startswith("#"):
            continue
        if letters is None:
            letters = cells
            continue
        where = f"{fspath(path)}, line {number}"
        if len(rows) == len(letters):
            raise ValueError(f"{where} is one too many: there is a row for each letter already.")
        if cells[0] != letters[len(rows)] or len(cells) != len(letters) + 1:
            raise ValueError(f"{where} must have the letter {letters[len(rows)]!r} and {len(letters)} numbers.")
        try:
            rows.append([float(cell) for cell in cells[1:]])
        except ValueError:
            raise ValueError(f"{where} has something that is no number: {quoted(line, 60)}.") from None
    if letters is None or len(rows) != len(letters):
        raise ValueError(f"{fspath(path)} has {len(rows)} rows of scores and names {len(letters or [])} letters.")
    return np.array(rows), "".join(letters)


def _cell(value: float, whole: bool) -> str:
    return str(round(value)) if whole else f"{value:.6g}"

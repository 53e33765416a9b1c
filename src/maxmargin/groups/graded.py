"""Groups of rows that have grades, the higher the better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core

Floats = npt.NDArray[np.float64]
Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GradedTarget:
    """The truth of all groups: group ``g`` is rows ``offsets[g]`` to ``offsets[g + 1]``.

    ``grades`` are as given, ``rank`` numbers the different grades of a group from 0, both of shape (n,). ``pairs``
    counts the pairs of rows of unequal grade in each group, at least 1.
    """

    offsets: Offsets
    grades: Floats
    rank: npt.NDArray[np.int32]
    pairs: Floats

    @property
    def n(self) -> int:
        return self.grades.size

    @cached_property
    def group(self) -> npt.NDArray[np.intp]:
        """The group of every row."""
        return np.repeat(np.arange(self.offsets.size - 1), np.diff(self.offsets))

    def order(self, scores: Floats, threads: int) -> npt.NDArray[np.int32]:
        """Row numbers, group by group, from the lowest score to the highest."""
        return _core.order_in_groups(scores, self.offsets, threads)

    def each_row(self, numbers: Floats) -> Floats:
        """One number per group, for every row of the group."""
        return np.repeat(numbers, np.diff(self.offsets))


def check_grades(
    grades: npt.NDArray[Any], names: Sequence[str] | None = None, offsets: Offsets | None = None
) -> Floats:
    """Grades as floats, or a complaint about the first that is negative or not finite."""
    values = np.asarray(grades, dtype=np.float64)
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0.0)))
    if bad.size:
        row = int(bad[0])
        where = f"row {row}"
        if names is not None and offsets is not None:
            g = int(np.searchsorted(offsets, row, side="right")) - 1
            where = f"row {row - int(offsets[g])} of {names[g]}"
        raise ValueError(f"The grade of {where} is {values[row]}; grades must be finite and at least 0.")
    return values


def graded_target(truth: npt.NDArray[Any], offsets: Offsets, names: Sequence[str], measure: str) -> GradedTarget:
    """Checks the grades of all groups, each of which must have rows of two different grades at least."""
    empty = np.flatnonzero(np.diff(offsets) <= 0)
    if empty.size:
        raise ValueError(f"There are no rows in {names[empty[0]]}; leave empty groups out.")
    grades = check_grades(truth, names, offsets)
    rank, pairs = _core.rank_grades(grades, offsets)
    flat = np.flatnonzero(pairs == 0.0)
    if flat.size:
        g = int(flat[0])
        raise ValueError(
            f"All rows of {names[g]} have the grade {grades[offsets[g]]:g}; {measure} needs two different grades in "
            "every group."
        )
    return GradedTarget(offsets, grades, rank, pairs)

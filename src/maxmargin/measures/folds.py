"""Folds of the training rows that depend on what the rows are, not on where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Counts = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Folds:
    """``members``, rows in the order of their folds; the fold and the group of each; and where the folds begin."""

    members: Indices
    fold: Counts
    group: Counts | None
    groups: int

    @cached_property
    def offsets(self) -> npt.NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(np.bincount(self.fold))]).astype(np.int64)

    @property
    def fold_of_group(self) -> Counts:
        """The fold of each group; that of each fold itself where there are no groups."""
        if self.group is None:
            return np.arange(int(self.fold[-1]) + 1)
        found = np.zeros(self.groups, dtype=np.intp)
        found[self.group] = self.fold
        return found


def folds_of_rows(
    keys: Floats, positive: npt.NDArray[np.bool_], used: npt.NDArray[np.bool_], count: int, most: int
) -> Folds | None:
    """``count`` folds of at most about ``most`` of the rows in use, each class dealt out evenly.

    They are fewer where a class has fewer different rows, and None where one has less than two.
    """
    sides = [np.flatnonzero(used & side) for side in (positive, ~positive)]
    places = [np.unique(keys[rows], return_inverse=True)[1] for rows in sides]
    count = min(count, *(int(place.max()) + 1 for place in places))
    if count < 2:
        return None
    each = max(1, -(-int(np.count_nonzero(used)) // most))
    kept = [(place // count) % each == 0 for place in places]
    members = np.concatenate([rows[keep] for rows, keep in zip(sides, kept)]).astype(np.int32)
    fold = np.concatenate([place[keep] % count for place, keep in zip(places, kept)])
    order = np.argsort(fold, kind="stable")
    return Folds(members[order], fold[order], None, 1)


def folds_of_groups(
    keys: Floats, groups: Sequence[Indices], weight: Floats | None, count: int, most: int
) -> Folds | None:
    """Folds of whole groups, dealt out in the order of the mean keys of their rows; None where there is one group."""
    members = [rows if weight is None else rows[weight[rows] > 0.0] for rows in groups]
    members = [rows for rows in members if rows.size]
    means = [np.average(keys[rows], weights=None if weight is None else weight[rows]) for rows in members]
    members = [members[g] for g in np.argsort(means, kind="stable")]
    each = max(1, -(-sum(rows.size for rows in members) // most))
    members = [rows for g, rows in enumerate(members) if (g // count) % each == 0]
    count = min(count, len(members))
    if count < 2:
        return None
    sizes = [rows.size for rows in members]
    group = np.repeat(np.arange(len(members)), sizes)
    fold = group % count
    order = np.argsort(fold, kind="stable")
    return Folds(np.concatenate(members)[order].astype(np.int32), fold[order], group[order], len(members))

"""Groups of rows as one array of row numbers and where each group begins."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int32]


class RowGroups(Sequence[Indices]):
    """A sequence of the row numbers of each group, without an array of its own for each of many small groups.

    Parameters
    ----------
    members : row numbers, group after group
    offsets : group ``g`` is ``members[offsets[g]:offsets[g + 1]]``
    """

    def __init__(self, members: Indices, offsets: npt.NDArray[np.int64]) -> None:
        self.members, self.offsets = members, offsets

    @classmethod
    def of(cls, groups: Sequence[Indices]) -> RowGroups:
        """The same groups in this form."""
        if isinstance(groups, cls):
            return groups
        sizes = [group.size for group in groups]
        return cls(np.concatenate(list(groups)), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

    def __len__(self) -> int:
        return self.offsets.size - 1

    def __getitem__(self, g: int) -> Indices:  # type: ignore[override]
        if not 0 <= g < len(self):
            raise IndexError(f"There are {len(self)} groups; number {g} is none of them.")
        return self.members[self.offsets[g] : self.offsets[g + 1]]

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        return np.diff(self.offsets)

    def all_in_order(self, n: int) -> bool:
        """Whether the members are rows 0 to n - 1 as they stand."""
        return self.members.size == n and bool((self.members == np.arange(n, dtype=np.int32)).all())

    def take(self, kept: npt.NDArray[np.bool_]) -> RowGroups:
        """Some of the groups."""
        if kept.all():
            return self
        offsets = np.concatenate([[0], np.cumsum(self.sizes[kept])]).astype(np.int64)
        return RowGroups(self.members[np.repeat(kept, self.sizes)], offsets)

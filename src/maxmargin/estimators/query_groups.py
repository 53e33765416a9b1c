"""Which rows belong to which query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class QueryGroups:
    """Groups in the order in which they first appear: ``rows`` of each, and what to call them in messages."""

    rows: Sequence[Rows]
    names: Sequence[str]
    n: int

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, kept: npt.NDArray[np.bool_]) -> QueryGroups:
        """Some of the groups."""
        chosen = np.flatnonzero(kept).tolist()
        return QueryGroups([self.rows[g] for g in chosen], [self.names[g] for g in chosen], self.n)

    def weights(self, sample_weight: Any) -> Floats | None:
        """One weight a group, from one a group or from one a row that is the same for all rows of a group."""
        if sample_weight is None:
            return None
        try:
            weight = np.ascontiguousarray(sample_weight, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError("sample_weight must hold one number for each group, or for each row.") from error
        if weight.shape not in ((self.n,), (len(self),)):
            raise ValueError(
                f"sample_weight has shape {weight.shape}; one number for each of the {len(self)} groups or for each "
                f"of the {self.n} rows is needed."
            )
        bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0.0)))
        if bad.size:
            raise ValueError(f"sample_weight[{bad[0]}] is {weight[bad[0]]}; weights must be finite and at least 0.")
        if weight.shape == (self.n,) and len(self) != self.n:
            for rows, name in zip(self.rows, self.names):
                if (weight[rows] != weight[rows[0]]).any():
                    raise ValueError(
                        f"The rows of {name} have different weights; give all rows of a group the same weight."
                    )
            weight = weight[[rows[0] for rows in self.rows]]
        if not weight.sum() > 0.0:
            raise ValueError("All sample weights are zero; at least one must be positive.")
        return weight


def read_groups(groups: Any, n: int) -> QueryGroups:
    """Groups of ``n`` rows.

    None is one group of all rows. One entry a row is the name of its group, and rows of a group need not stand
    together. Fewer entries are the sizes of groups of consecutive rows.
    """
    if groups is None:
        return QueryGroups([np.arange(n, dtype=np.int32)], ["the only group"], n)
    given = np.asarray(groups)
    if given.ndim != 1:
        raise ValueError(f"groups has {given.ndim} dimensions; give one name a row, or the sizes of the groups.")
    if given.size != n:
        return _of_sizes(given, n)
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        row = int(np.flatnonzero(~np.isfinite(given))[0])
        raise ValueError(f"The group of row {row} is {given[row]}; name the group of every row.")
    try:
        names, first, number = np.unique(given, return_index=True, return_inverse=True)
    except TypeError as error:
        raise ValueError("groups holds names of several types; use numbers or strings for all rows.") from error
    order = np.argsort(number, kind="stable").astype(np.int32)
    parts = np.split(order, np.cumsum(np.bincount(number, minlength=names.size))[:-1])
    ranked = np.argsort(first)
    return QueryGroups([parts[g] for g in ranked], [f"group {names[g]}" for g in ranked], n)


def _of_sizes(sizes: npt.NDArray[Any], n: int) -> QueryGroups:
    rule = f"one name for each of the {n} rows, or the sizes of the groups, which add up to {n}"
    if sizes.dtype.kind not in "iu" or sizes.size > n:
        raise ValueError(f"groups has {sizes.size} entries; give {rule}.")
    if (sizes < 1).any():
        g = int(np.flatnonzero(sizes < 1)[0])
        raise ValueError(f"The size of group {g} is {sizes[g]}; leave groups without rows out.")
    if int(sizes.sum()) != n:
        raise ValueError(f"groups has {sizes.size} sizes that add up to {int(sizes.sum())}; give {rule}.")
    parts = np.split(np.arange(n, dtype=np.int32), np.cumsum(sizes)[:-1])
    return QueryGroups(parts, [f"group {g}" for g in range(sizes.size)], n)

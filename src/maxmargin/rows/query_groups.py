"""Which rows belong to which query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.rows.groups import RowGroups

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int32]

_MOST_ROWS = 2**31 - 1


class GroupNames(Sequence[str]):
    """What to call groups in messages, written out when it is asked for."""

    def __init__(self, labels: npt.NDArray[Any]) -> None:
        self.labels = labels

    def __len__(self) -> int:
        return int(self.labels.size)

    def __getitem__(self, g: int) -> str:  # type: ignore[override]
        return f"group {self.labels[g]}"


@dataclass(frozen=True, eq=False)
class QueryGroups:
    """Groups in the order in which they first appear: ``rows`` of each, and what to call them in messages."""

    rows: RowGroups
    names: Sequence[str]
    n: int

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, kept: npt.NDArray[np.bool_]) -> QueryGroups:
        """Some of the groups."""
        if kept.all():
            return self
        if isinstance(self.names, GroupNames):
            names: Sequence[str] = GroupNames(self.names.labels[kept])
        else:
            names = [self.names[int(g)] for g in np.flatnonzero(kept)]
        return QueryGroups(self.rows.take(kept), names, self.n)

    def weighted(self, sample_weight: Any) -> tuple[QueryGroups, Floats | None]:
        """The groups, some with rows repeated, and the weight of each.

        ``sample_weight`` has one weight per group, or one per row. Rows of equal weight give it to their group; where
        the rows of a group have different weights, these are whole numbers, and each row counts so many times.
        """
        if sample_weight is None:
            return self, None
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
        if not weight.sum() > 0.0:
            raise ValueError("All sample weights are zero; at least one must be positive.")
        if weight.shape == (len(self),) and len(self) != self.n:
            return self, weight
        members, totals = [], np.ones(len(self))
        for g, (rows, name) in enumerate(zip(self.rows, self.names)):
            own = weight[rows]
            if (own == own[0]).all():
                totals[g] = own[0]
                members.append(rows)
            else:
                counts = whole_repetitions(own, _uneven(name, rows, own))
                members.append(np.repeat(rows, counts))
        return QueryGroups(RowGroups.of(members), self.names, self.n), totals


def _uneven(name: str, rows: Rows, weight: Floats) -> Callable[[int], str]:
    return lambda at: (
        f"The rows of {name} have different weights, and that of row {rows[at]} is {weight[at]:g}; give all rows of a "
        "group the same weight, or whole numbers, which repeat a row."
    )


def whole_repetitions(weight: Floats, refusal: Callable[[int], str]) -> npt.NDArray[np.int64]:
    """Weights as numbers of repetitions; ``refusal`` is the sentence about the first of them that is not whole."""
    counts = np.rint(weight)
    odd = np.flatnonzero(counts != weight)
    if odd.size:
        raise ValueError(refusal(int(odd[0])))
    if counts.sum() > _MOST_ROWS:
        raise ValueError(f"The repetitions in sample_weight add up to {counts.sum():.3g} rows, more than 2^31.")
    return counts.astype(np.int64)


def read_groups(groups: Any, n: int, *, group: Any = None, qid: Any = None) -> QueryGroups:
    """Groups of ``n`` rows, from the one argument that is not None; without any, one group of all rows.

    Parameters
    ----------
    groups : one entry per row is the name of its group, and rows of a group need not stand together; fewer entries
        are the sizes of groups of consecutive rows
    group : sizes, as in LightGBM
    qid : one name per row, as in XGBoost
    """
    words = {name: given for name, given in (("groups", groups), ("group", group), ("qid", qid)) if given is not None}
    if not words:
        whole = RowGroups(np.arange(n, dtype=np.int32), np.array([0, n], dtype=np.int64))
        return QueryGroups(whole, ["the only group"], n)
    if len(words) > 1:
        raise ValueError(f"{' and '.join(words)} say the same thing; give one of them.")
    ((word, value),) = words.items()
    given = np.asarray(value)
    if given.ndim != 1:
        raise ValueError(f"{word} has {given.ndim} dimensions; give one name per row, or the sizes of the groups.")
    if word == "qid" and given.size != n:
        raise ValueError(f"qid has {given.size} entries for {n} rows; give one name for each row, or sizes by group=.")
    if word == "group" or given.size != n:
        return _of_sizes(given, n, word)
    return _of_names(given, word)


def _of_names(given: npt.NDArray[Any], word: str) -> QueryGroups:
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        row = int(np.flatnonzero(~np.isfinite(given))[0])
        raise ValueError(f"The group of row {row} is {given[row]}; name the group of every row.")
    starts = np.flatnonzero(np.concatenate([[True], given[1:] != given[:-1]]))
    try:
        if np.unique(given[starts]).size == starts.size:  # the rows of each group stand together
            members, offsets = np.arange(given.size, dtype=np.int32), np.append(starts, given.size)
            return QueryGroups(RowGroups(members, offsets.astype(np.int64)), GroupNames(given[starts]), given.size)
        names, first, number = np.unique(given, return_index=True, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"{word} holds names of several types; use numbers or strings for all rows.") from error
    ranked = np.argsort(first)
    place = np.empty_like(ranked)
    place[ranked] = np.arange(ranked.size)
    number = place[number]
    members = np.argsort(number, kind="stable").astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(number, minlength=names.size))])
    return QueryGroups(RowGroups(members, offsets.astype(np.int64)), GroupNames(names[ranked]), given.size)


def _of_sizes(sizes: npt.NDArray[Any], n: int, word: str) -> QueryGroups:
    total = f"the sizes of the groups, which add up to {n}"
    rule = total if word == "group" else f"one name for each of the {n} rows, or {total}"
    if sizes.dtype.kind not in "iu" or sizes.size > n:
        raise ValueError(f"{word} has {sizes.size} entries; give {rule}.")
    if (sizes < 1).any():
        g = int(np.flatnonzero(sizes < 1)[0])
        raise ValueError(f"The size of group {g} is {sizes[g]}; leave groups without rows out.")
    if int(sizes.sum()) != n:
        raise ValueError(f"{word} has {sizes.size} sizes that add up to {int(sizes.sum())}; give {rule}.")
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return QueryGroups(RowGroups(np.arange(n, dtype=np.int32), offsets), GroupNames(np.arange(sizes.size)), n)

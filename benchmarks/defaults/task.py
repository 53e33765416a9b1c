"""What a task is: data in several splits, who is compared on it, and by which score."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

FAMILIES = ("classes", "taxonomies", "labels", "measures", "rankings", "diversity", "chains")
HELD_OUT_SHARE = 3  # one task of so many
PARTS = ("open", "held-out", "fresh")


@dataclass(frozen=True, eq=False)
class Split:
    """Rows (or sequences, or candidate sets) to train on and to test on; rankings have groups of rows too."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    groups: Any = None
    groups_test: Any = None

    def short(self, n: int) -> Split:
        """About ``n`` examples of both parts, some of each class, of sequences their first tokens; groups are whole."""
        if isinstance(self.X, list):
            parts = [part[:n] for part in (self.X, self.y, self.X_test, self.y_test)]
            if not isinstance(self.X[0], dict):
                parts = [[tokens[:n] for tokens in part] for part in parts]
            return Split(*parts)
        if self.groups is None:
            train, test = (_some(labels, n) for labels in (self.y, self.y_test))
            return Split(self.X[train], self.y[train], self.X_test[test], self.y_test[test])
        train, test = (np.isin(ids, np.unique(ids)[:n]) for ids in (self.groups, self.groups_test))
        parts = self.X[train], self.y[train], self.X_test[test], self.y_test[test]
        return Split(*parts, self.groups[train], self.groups_test[test])


@dataclass(frozen=True, eq=False)
class Task:
    """A data set in ``splits`` splits, made by ``load(seed)``, and the score by which everybody is compared on it.

    Parameters
    ----------
    name : says what is special about it; decides whether the task is open or held out
    family : one of FAMILIES, which decides the estimators and the peers
    score : name of a function in ``scores.py``
    options : what the task is about, for the estimators and for the score: ``cost``, ``measure``, ``loss``, ...
    tags : the properties that the task stands for
    splits : number of seeds; the standard error is that over them
    peers : the names of the peers, where not all of the family are to run (they would take minutes)
    ours : the names of our estimators, where not all of the family are to run
    fresh : whether the task is of the newest list, which nobody looks at before defaults have been chosen
    """

    name: str
    family: str
    load: Callable[[int], Split]
    score: str
    tags: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    splits: int = 3
    peers: tuple[str, ...] | None = None
    ours: tuple[str, ...] | None = None
    fresh: bool = False

    @property
    def part(self) -> str:
        """``"open"`` to those who choose defaults, or ``"held-out"`` (a fixed third of all names), or ``"fresh"``."""
        if self.fresh:
            return PARTS[2]
        return PARTS[zlib.crc32(self.name.encode()) % HELD_OUT_SHARE == 0]


def digest(split: Split) -> str:
    """A number that changes with the data, so that stored results are not taken for those of other data."""
    total = 0
    for part in (split.X, split.y, split.X_test, split.y_test):
        total = zlib.crc32(_content(part), total)
    return f"{total:08x}"


def shape(split: Split) -> dict[str, int]:
    """``n`` examples, ``d`` features, ``k`` classes or labels, as far as they are known without training."""
    X, y = split.X, split.y
    if isinstance(X, np.ndarray) or sp.issparse(X):
        labels = y.shape[1] if getattr(y, "ndim", 1) == 2 else np.unique(y).size
        return {"n": int(X.shape[0]), "d": int(X.shape[1]), "k": int(labels)}
    if isinstance(X[0], np.ndarray):
        return {"n": len(X), "d": int(X[0].shape[1]), "k": len({label for labels in y for label in np.unique(labels)})}
    if isinstance(X[0], dict):
        return {"n": len(X), "d": 0, "k": 0}
    words = {word for tokens in X for token in tokens for word in token}
    return {"n": len(X), "d": len(words), "k": len({label for labels in y for label in labels})}


def _some(labels: Any, n: int) -> Any:
    """The first ``n`` rows and, of one class per row, the first five rows of the first 20 classes."""
    rows = set(range(min(n, len(labels))))
    if labels.ndim == 1:
        for label in np.unique(labels)[:20]:
            rows.update(np.flatnonzero(labels == label)[:5].tolist())
    return np.array(sorted(rows))


def _content(part: Any) -> bytes:
    if sp.issparse(part):
        return bytes(part.data.tobytes() + part.indices.tobytes())
    if isinstance(part, np.ndarray):
        return part.tobytes() if part.dtype != object else repr(part.tolist()).encode()
    if len(part) and isinstance(part[0], np.ndarray):
        return b"".join(np.ascontiguousarray(item).tobytes() for item in part)
    return repr(_ordered(part)).encode()


def _ordered(part: Any) -> Any:
    """The same with sets as sorted lists: the order of a set differs from process to process."""
    if isinstance(part, set):
        return sorted(part)
    return [_ordered(item) for item in part] if isinstance(part, list) else part

"""Columns with heavy tails, squashed where that puts more pairs of held-out documents in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.fitting.model_parts import ModelArrays, ModelValues
from maxmargin.rankings.held_out_pairs import HeldOutPairs
from maxmargin.rows.groups import RowGroups

Floats = npt.NDArray[np.float64]

KINDS: dict[str, Callable[..., Any]] = {"asinh": np.arcsinh, "tanh": np.tanh}
_HEAVY = 6.0  # kurtosis from which on a column is looked at, that of Laplace's distribution; it is 3 for the normal one
_LOOKED_AT = 1000  # rows whose kurtosis is taken
_COMPARED_ON = 2400  # rows
_FEWEST_GROUPS = 8
_FAR = 1e300
_GAIN = 0.005  # share of pairs, from which on squashing is worth having


@dataclass(frozen=True, eq=False)
class Squashing:
    """Some columns x become ``f((x - centre) / spread)``, with f = asinh or tanh; the others stay as they are.

    ``columns`` are the numbers of those columns; ``centre`` and ``spread``, of the same shape, are the median and 1.48
    times the median distance from it (the standard deviation, were it a normal distribution).
    """

    kind: str
    columns: npt.NDArray[np.int64]
    centre: Floats
    spread: Floats

    @classmethod
    def of(cls, X: Any, kind: str, heavy: npt.NDArray[np.int64]) -> Squashing | None:
        """For the heavy columns of which more than half of the values differ from the median; None if there is none."""
        values = np.array(X[:, heavy].T, dtype=np.float64, order="C")
        centre = _medians(values)
        values -= centre[:, None]
        spread = 1.4826 * _medians(np.abs(values, out=values))
        used = (spread > 0.0) & np.isfinite(spread)
        return cls(kind, heavy[used], centre[used], spread[used]) if used.any() else None

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """For model files."""
        return {"squashed_columns": self.columns, "squashed_centre": self.centre, "squashed_spread": self.spread}

    def apply(self, X: Any) -> Any:
        """The matrix with those columns squashed, of the same dtype; a sparse one becomes dense."""
        changed = X.toarray() if sp.issparse(X) else np.array(X)
        if changed.dtype.kind != "f":
            changed = changed.astype(np.float64)
        apart = changed[:, self.columns].astype(np.float64, copy=False)
        with np.errstate(over="ignore"):
            apart -= self.centre
            apart /= self.spread
            np.clip(apart, -_FAR, _FAR, out=apart)
        changed[:, self.columns] = KINDS[self.kind](apart, out=apart)
        return changed


def _medians(values: Floats) -> Floats:
    """Of each row: ``np.median``, which takes several times as long on few of them."""
    middle = values.shape[1] // 2
    parted = np.partition(values, middle, axis=1)
    above: Floats = parted[:, middle]
    return above if values.shape[1] % 2 else 0.5 * (parted[:, :middle].max(axis=1) + above)


def heavy_columns(X: Any) -> npt.NDArray[np.int64]:
    """The columns of a dense matrix whose tails are heavier than those of Laplace's distribution."""
    if sp.issparse(X):
        return np.zeros(0, dtype=np.int64)
    some = np.array(X[:: max(1, X.shape[0] // _LOOKED_AT)].T, dtype=np.float64, order="C")  # rows of columns: long sums
    with np.errstate(all="ignore"):
        some -= some.mean(axis=1)[:, None]
        largest = np.maximum(some.max(axis=1), -some.min(axis=1))
        some /= np.where(largest > 0.0, largest, 1.0)[:, None]
        some *= some
        kurtosis = some.shape[1] * np.einsum("ij,ij->i", some, some) / some.sum(axis=1) ** 2
    return np.flatnonzero(kurtosis > _HEAVY)


def better_squashing(X: Any, grades: Floats, groups: RowGroups, heavy: npt.NDArray[np.int64]) -> Squashing | None:
    """The squashing of heavy columns that puts most pairs of documents in order in halves of the groups that were not
    trained on, ``HeldOutPairs``; None if none gains half a percent of the pairs."""
    ends = np.cumsum(groups.sizes)
    groups = groups.take(ends <= max(_COMPARED_ON, ends[0]))
    if len(groups) < _FEWEST_GROUPS:
        return None
    pairs, first = HeldOutPairs(grades, groups), next(iter(KINDS))
    plain = np.asarray(X[pairs.members], dtype=np.float64)
    rough = Squashing.of(plain[:: max(1, len(plain) // _LOOKED_AT)], first, heavy)
    if rough is None:
        return None

    def share(kind: str | None) -> float:
        changed = plain if kind is None else replace(rough, kind=kind).apply(plain)
        return pairs.share(pairs.prepared(changed))

    with np.errstate(all="ignore"):  # values that are too large to square are refused later, with a message
        unchanged, tried = share(None), share(first)
        if tried <= unchanged + 0.5 * _GAIN:  # that is all where nothing is to be gained
            return None
        shares = {kind: tried if kind == first else share(kind) for kind in KINDS}
    best = max(shares, key=lambda kind: shares[kind])
    return Squashing.of(X, best, heavy) if shares[best] > unchanged + _GAIN else None


def restored_squashing(values: ModelValues, arrays: ModelArrays, n_features: int) -> Squashing:
    """That of a model file; what is impossible is a ValueError."""
    kind = values["squashing_"]
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"squashing_ is {kind!r:.80}, which is no squashing")
    columns = arrays.whole("squashed_columns", np.int64, None, below=n_features)
    centre, spread = (arrays.floats(f"squashed_{name}", columns.size) for name in ("centre", "spread"))
    if np.unique(columns).size != columns.size:
        raise ValueError("squashed_columns has a column twice")
    if not (spread > 0.0).all():
        raise ValueError("squashed_spread must be positive")
    return Squashing(kind, columns, centre, spread)

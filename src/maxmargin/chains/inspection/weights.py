"""The strongest weights of a chain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt

from maxmargin.chains.chain import Chain
from maxmargin.chains.inspection.names import ChainNames, aligned
from maxmargin.chains.weight_parts import chain_parts

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FeatureWeight:
    """What a feature of value 1 adds to the score of a label; of a pair feature, ``label`` is (previous label, label).

    The constant feature is ``(constant)``.
    """

    feature: str
    label: Any
    weight: float

    def cells(self) -> tuple[str, ...]:
        label = ", ".join(map(str, self.label)) if isinstance(self.label, tuple) else str(self.label)
        return self.feature, label, f"{self.weight:.4f}"


@dataclass(frozen=True)
class TransitionWeight:
    """What a label after others adds to the score; ``before`` is empty at the start, ``after`` is None at the end."""

    before: tuple[Any, ...]
    after: Any
    weight: float

    def cells(self) -> tuple[str, ...]:
        before = ", ".join(map(str, self.before)) or "(start)"
        return before, "(end)" if self.after is None else str(self.after), f"{self.weight:.4f}"


Row = TypeVar("Row", FeatureWeight, TransitionWeight)


@dataclass(frozen=True, repr=False)
class WeightTable(Sequence[Row], Generic[Row]):
    """Rows, the strongest first; printed as a table."""

    rows: tuple[Row, ...]
    head: tuple[str, str, str]

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        return self.rows[place]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return aligned(self.head, [row.cells() for row in self.rows])


def strongest_features(
    chain: Chain, weights: Floats, names: ChainNames, n: int, code: int | None
) -> WeightTable[FeatureWeight]:
    """The ``n`` weights of features that differ most from the mean over labels, of one label or of all."""
    _check_count(n)
    parts = chain_parts(chain, weights)
    rows = [
        (strength, FeatureWeight(names.feature(j), names.label(k), float(parts.emissions[j, k])))
        for strength, (j, k) in _strongest(parts.emissions, n, code)
    ]
    rows += [
        (strength, FeatureWeight("(constant)", names.label(k), chain.constant * float(parts.constant[j, k])))
        for strength, (j, k) in _strongest(chain.constant * parts.constant, n, code)
    ]
    rows += [
        (strength, FeatureWeight(names.pair(j), (names.label(a), names.label(b)), float(parts.pairs[j, a, b])))
        for strength, (j, a, b) in _strongest(parts.pairs, n, code)
    ]
    return WeightTable(_best(rows, n), ("feature", "label", "weight"))


def strongest_transitions(chain: Chain, weights: Floats, names: ChainNames, n: int) -> WeightTable[TransitionWeight]:
    """The ``n`` weights of n-grams of labels, starts and ends that differ most from the mean over the newest label."""
    _check_count(n)
    parts = chain_parts(chain, weights)
    rows = []
    for table in parts.steps:
        steps = chain.eta * table
        for strength, (*before, after) in _strongest(steps, n, None):
            labels = tuple(names.label(code) for code in before)
            rows.append((strength, TransitionWeight(labels, names.label(after), float(steps[(*before, after)]))))
    if chain.ends:
        start, end = chain.eta * parts.start, chain.eta * parts.end
        for strength, (k,) in _strongest(start, n, None):
            rows.append((strength, TransitionWeight((), names.label(k), float(start[k]))))
        for strength, (k,) in _strongest(end, n, None):
            rows.append((strength, TransitionWeight((names.label(k),), None, float(end[k]))))
    return WeightTable(_best(rows, n), ("before", "after", "weight"))


def _strongest(weights: Floats, n: int, code: int | None) -> list[tuple[float, tuple[int, ...]]]:
    """Strength and place of the ``n`` weights farthest from the mean over labels, which moves all scores alike."""
    if not weights.size:
        return []
    labels = slice(None) if code is None else slice(code, code + 1)
    strength = np.abs(weights[..., labels] - weights.mean(axis=-1, keepdims=True))
    flat = strength.ravel()
    some = np.argpartition(-flat, n)[:n] if n < flat.size else np.arange(flat.size)
    some = some[flat[some] > 0.0]
    places = np.stack(np.unravel_index(some, strength.shape), axis=1)
    places[:, -1] += code or 0
    return [(float(flat[at]), tuple(place)) for at, place in zip(some, places.tolist())]


def _best(rows: list[tuple[float, Row]], n: int) -> tuple[Row, ...]:
    return tuple(row for _, row in sorted(rows, key=lambda pair: -pair[0])[:n])


def _check_count(n: Any) -> None:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"n must be a whole number of at least 1, not {n!r}.")

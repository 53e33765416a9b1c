"""What a fit may take over from the fit before it.

Dual variables that belong to outputs (a class, labels) are always safe: their planes are made anew from the data at
hand, so that they are feasible whatever has changed, and at worst of little use. Planes that are kept as rows, and sums
of them (cuts), hold for the examples that they were made from only; they are kept for examples that are still there.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.oracles.base import Oracle
from maxmargin.oracles.engine import DualState
from maxmargin.solvers.base import Solution

Indices = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class TrainedOn:
    """By what the data of a fit are recognised.

    Parameters
    ----------
    data : of everything together, None where it cannot be told
    keys : of each example, where planes are rows; None where they are outputs, or cannot be told
    classes : the labels that outputs are numbers of
    weights : of the examples; None where all are 1
    definitions : classes and functions that are told apart by their address, which is theirs as long as they are kept
    """

    data: str | None
    keys: list[str] | None
    classes: tuple[Any, ...] | None
    weights: tuple[float, ...] | None
    definitions: tuple[Any, ...] = ()

    @classmethod
    def of(cls, oracle: Oracle, classes: Any) -> TrainedOn:
        weight = oracle.sample_weight
        return cls(
            oracle.fingerprint(),
            oracle.keys(),
            None if classes is None else tuple(np.asarray(classes, dtype=object).tolist()),
            None if weight is None else tuple(weight.tolist()),
            oracle.definitions(),
        )

    def weight(self, i: int) -> float:
        return 1.0 if self.weights is None else self.weights[i]


def carried_over(previous: Solution | None, now: TrainedOn, oracle: Oracle) -> Solution | None:
    """The previous solution with the dual variables that hold for the present data; None where nothing does.

    ``w`` alone is a place to ask for a first cut at, if it has the right length.
    """
    before = None if previous is None else previous.details.get("trained_on")
    if previous is None or not isinstance(before, TrainedOn):
        return None
    state = previous.state
    if any(old is not new for old, new in zip_longest(before.definitions, now.definitions)):
        state = None  # a class of the same name, defined anew or read in another process
    elif before.data is None or before.data != now.data:
        states = (given for given in (previous.state, previous.blocks) if given is not None)
        state = next(filter(None, (_still_true(given, before, now, oracle) for given in states)), None)
    if state is None and not oracle.space.has(previous.w):
        return None
    return replace(previous, state=state)


def _still_true(state: DualState, before: TrainedOn, now: TrainedOn, oracle: Oracle) -> DualState | None:
    if state.cuts:
        return state if _covers(state, before, now, oracle) else None
    if state.planes is not None:
        found = _of_same_examples(state, before, now, oracle)
    else:
        codes = _renumbered(before, now)
        if codes is None:
            return None
        found = oracle.moved(state.take(np.flatnonzero(state.example < oracle.n)), codes)
    if found is not None and oracle.sample_weight is not None:
        found = found.take(np.flatnonzero(oracle.sample_weight[found.example] > 0.0))
    return found if found is not None and found.alpha.size else None


def _covers(state: DualState, before: TrainedOn, now: TrainedOn, oracle: Oracle) -> bool:
    """Whether all examples that cuts sum up are there, with their weights; further ones only add to the risk."""
    if before.keys is None or now.keys is None or not _fits(state, oracle):
        return False
    room: defaultdict[tuple[str, float], int] = defaultdict(int)
    for i, key in enumerate(now.keys):
        room[key, now.weight(i)] += 1
    for i, key in enumerate(before.keys):
        room[key, before.weight(i)] -= 1
    return min(room.values()) >= 0


def _of_same_examples(state: DualState, before: TrainedOn, now: TrainedOn, oracle: Oracle) -> DualState | None:
    """The planes of examples that are still there, with their present numbers."""
    if before.keys is None or now.keys is None or not _fits(state, oracle):
        return None
    places: defaultdict[str, list[int]] = defaultdict(list)
    for i, key in enumerate(now.keys):
        places[key].append(i)
    number = np.full(len(before.keys), -1, dtype=np.int32)
    for i, key in enumerate(before.keys):
        if places[key]:
            number[i] = places[key].pop(0)
    example = number[state.example]
    kept = np.flatnonzero(example >= 0)
    kept = kept[np.argsort(example[kept], kind="stable")]
    if not kept.size:
        return None
    some = state.take(kept)
    assert some.planes is not None
    return replace(some, example=example[kept], planes=replace(some.planes, example=example[kept]))


def _fits(state: DualState, oracle: Oracle) -> bool:
    return state.planes is not None and state.planes.a.shape[1] == oracle.dimension


def _renumbered(before: TrainedOn, now: TrainedOn) -> Indices | None:
    """The present number of each earlier class, -1 where it is gone; None where classes have no names to tell."""
    if before.classes is None or now.classes is None:
        return None
    place = {label: code for code, label in enumerate(now.classes)}
    return np.array([place.get(label, -1) for label in before.classes], dtype=np.int32)

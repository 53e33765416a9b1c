"""Small alignments to learn from, with all their outputs listed and features written out letter by letter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from all_alignments import Pairs, Shape, alignments, paid_runs
from reference import EveryPlane, plane_of

LETTERS = "ab"


class Example(NamedTuple):
    """A sequence, its candidates and the true alignment with the first of them."""

    x: str
    candidates: tuple[str, ...]
    truth: Pairs


def simple(x: str, y: str, pairs: Pairs, shape: Shape) -> np.ndarray:
    """``Simple()``: aa, ab or ba, bb; then the opening and the extension of a gap."""
    found = np.zeros(5)
    for i, j in pairs:
        found[(x[i] == "b") + (y[j] == "b")] += 1.0
    for _, run in paid_runs(pairs, len(x), len(y), shape):
        found[3] += 1.0
        found[4] += len(run) - 1
    return found


def share_missed(truth: Pairs, found: Pairs, shift: int = 0) -> float:
    partner = dict(found)
    hits = sum(i in partner and abs(partner[i] - j) <= shift for i, j in truth)
    return 1.0 - hits / len(truth)


def f1_loss(truth: Pairs, found: Pairs) -> float:
    return 1.0 - 2.0 * len(set(truth) & set(found)) / (len(truth) + len(found))


def zero_one(truth: Pairs, found: Pairs) -> float:
    return float(truth != found)


LOSSES: dict[str, Callable[[Pairs, Pairs], float]] = {"q": share_missed, "f1": f1_loss, "zero-one": zero_one}


def pairs_of_letters(seed: int = 0, n: int = 4, decoys: int = 0, separable: bool = False) -> list[Example]:
    """Short strings; ``separable``: the truth is the best alignment at some weights, and decoys score less."""
    rng = np.random.default_rng(seed)
    w = np.array([1.3, -0.7, 1.1, -1.0, -0.4])
    found: list[Example] = []
    while len(found) < n:
        x, *candidates = ("".join(rng.choice(list(LETTERS), rng.integers(2, 4))) for _ in range(2 + decoys))
        every = [pairs for pairs in alignments(len(x), len(candidates[0])) if pairs]
        truth = every[rng.integers(len(every))]
        if separable:
            every.sort(key=lambda pairs: -simple(x, candidates[0], pairs, Shape()) @ w)
            truth = every[0]
            values = [simple(x, candidates[0], pairs, Shape()) for pairs in every[:2]]
            values += [simple(x, y, pairs, Shape()) for y in candidates[1:] for pairs in alignments(len(x), len(y))]
            if len(values) < 2 or (values[0] - np.array(values[1:])).dot(w).min() < 0.05:
                continue
        found.append(Example(x, tuple(candidates), truth))
    return found


def every_plane(
    examples: Sequence[Example],
    shape: Shape,
    loss: Callable[[Pairs, Pairs], float],
    rescaling: str,
    slack: str,
    *,
    features: Callable[..., np.ndarray] = simple,
    candidates_only: bool = False,
) -> EveryPlane:
    """Every plane of the examples, output by output; another candidate than the first has a loss of 1."""
    rows: list[Any] = []
    heights, owner = [], []
    for i, (x, candidates, truth) in enumerate(examples):
        own = features(x, candidates[0], truth, shape)
        for k, y in enumerate(candidates):
            for pairs in alignments(len(x), len(y), shape.band):
                if k == 0 and (candidates_only or pairs == truth):
                    continue
                cost = 1.0 if k else loss(truth, pairs)
                a, b = plane_of(own - features(x, y, pairs, shape), cost, rescaling, slack)
                rows.append(a), heights.append(b), owner.append(i)
    return EveryPlane(np.array(rows), np.array(heights), np.array(owner), len(examples), slack)

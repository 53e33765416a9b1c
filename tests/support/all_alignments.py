"""All alignments of two short sequences, one by one, and what each is worth by the definition."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Pairs = tuple[tuple[int, int], ...]


class Scores(NamedTuple):
    match: Floats
    open_x: Floats
    extend_x: Floats
    open_y: Floats
    extend_y: Floats


class Shape(NamedTuple):
    mode: str = "global"
    free_ends: tuple[bool, bool, bool, bool] = (True, True, True, True)
    band: int = -1


def alignments(m: int, n: int, band: int = -1) -> Iterator[Pairs]:
    """Every strictly rising list of pairs whose pairs, and positions between two pairs, lie in the band."""
    for count in range(min(m, n) + 1):
        for rows in combinations(range(m), count):
            for columns in combinations(range(n), count):
                pairs = tuple(zip(rows, columns, strict=True))
                if all(band < 0 or abs(i * n - j * m) <= band * m for i, j in places(pairs)):
                    yield pairs


def places(pairs: Pairs) -> Iterator[tuple[int, int]]:
    """The pairs and all that the path between them passes: along x first, then along y."""
    yield from pairs
    for (i, j), (next_i, next_j) in pairwise(pairs):
        yield from ((k, j) for k in range(i + 1, next_i))
        yield from ((next_i - 1, k) for k in range(j + 1, next_j))


def paid_runs(pairs: Pairs, m: int, n: int, shape: Shape) -> Iterator[tuple[str, range]]:
    """The runs without partners that an alignment pays for, as ('x' or 'y', positions)."""
    x_begin, x_end, y_begin, y_end = shape.free_ends if shape.mode == "semi-global" else (shape.mode == "local",) * 4

    def paid(x: range, y: range, x_free: bool, y_free: bool) -> Iterator[tuple[str, range]]:
        if x_free and y_free:
            x_free, y_free = len(x) >= len(y), len(x) < len(y)
        yield from [("x", x)] * (not x_free) + [("y", y)] * (not y_free)

    if shape.mode == "local":
        ends: list[tuple[str, range]] = []
    elif not pairs:
        both = (x_begin and y_end) or (y_begin and x_end)
        ends = [] if both else list(paid(range(m), range(n), x_begin or x_end, y_begin or y_end))
    else:
        (i, j), (last_i, last_j) = pairs[0], pairs[-1]
        ends = [
            *paid(range(i), range(j), x_begin, y_begin),
            *paid(range(last_i + 1, m), range(last_j + 1, n), x_end, y_end),
        ]
    inner = [
        run
        for (i, j), (next_i, next_j) in pairwise(pairs)
        for run in (("x", range(i + 1, next_i)), ("y", range(j + 1, next_j)))
    ]
    yield from (run for run in ends + inner if len(run[1]))


def score(pairs: Pairs, scores: Scores, shape: Shape) -> float:
    m, n = scores.match.shape
    total = sum(scores.match[i, j] for i, j in pairs)
    for side, run in paid_runs(pairs, m, n, shape):
        opens, extends = (scores.open_x, scores.extend_x) if side == "x" else (scores.open_y, scores.extend_y)
        total += opens[run[0]] + extends[run[1:]].sum() if len(run) > 1 else opens[run[0]]
    return float(total)


def uses(pairs: Pairs, shape: Shape, m: int, n: int) -> Scores:
    """How often an alignment has each score: its features if every score is a weight of its own."""
    counts = Scores(np.zeros((m, n)), np.zeros(m), np.zeros(m), np.zeros(n), np.zeros(n))
    for pair in pairs:
        counts.match[pair] = 1.0
    for side, run in paid_runs(pairs, m, n, shape):
        opens, extends = (counts.open_x, counts.extend_x) if side == "x" else (counts.open_y, counts.extend_y)
        opens[run[0]] += 1.0
        extends[run[1:]] += 1.0
    return counts

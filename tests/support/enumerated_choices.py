"""All trees and all matchings of small inputs, in plain Python."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product

import numpy as np

from maxmargin.programs import MatchingProblem, TreeProblem


@cache
def all_trees(n: int, single_root: bool) -> list[tuple[int, ...]]:
    """Every choice of heads that leads each word to the root."""
    found = []
    for heads in product(range(n + 1), repeat=n):
        above = {d: heads[d - 1] for d in range(1, n + 1)}
        if (not single_root or heads.count(0) == 1) and all(reaches_root(above, d) for d in above):
            found.append(heads)
    return found


def reaches_root(above: dict[int, int], word: int) -> bool:
    for _ in above:
        word = above.get(word, 0)
    return word == 0


@cache
def all_matchings(rows: int, columns: int, partial: bool) -> list[tuple[int, ...]]:
    if not partial:
        return list(permutations(range(columns), rows))
    choices = product(range(-1, columns), repeat=rows)
    return [y for y in choices if len({j for j in y if j >= 0}) == sum(j >= 0 for j in y)]


CASES = [
    ("tree", TreeProblem(), lambda n: all_trees(n, True)),
    ("forest", TreeProblem(single_root=False), lambda n: all_trees(n, False)),
    ("matching", MatchingProblem(), lambda n: all_matchings(n, n + 1, False)),
    ("partial", MatchingProblem(partial=True), lambda n: all_matchings(n, n + 1, True)),
]


def table_value(table: np.ndarray, y: tuple[int, ...]) -> float:
    return float(sum(table[i, j] for i, j in enumerate(y) if j >= 0))

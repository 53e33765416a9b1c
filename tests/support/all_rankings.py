"""Every output of a small graded group with its coefficients and loss, from the definitions alone."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cache

import numpy as np


@dataclass(frozen=True, eq=False)
class Outputs:
    """``coefficients`` of the rows in ``psi``, shape (outputs, n), and losses, shape (outputs,)."""

    coefficients: np.ndarray
    loss: np.ndarray

    def values(self, scores: np.ndarray, rescaling: str, slack: str) -> np.ndarray:
        """``b - <a, w>`` of every output."""
        psi = self.coefficients @ scores
        if rescaling == "none" or slack == "hard":
            return 1.0 - psi
        height = np.sqrt(self.loss) if slack == "squared" else self.loss
        return height - (psi if rescaling == "margin" else height * psi)

    def same(self, coefficients: np.ndarray) -> np.ndarray:
        """The losses of the outputs with these coefficients."""
        return self.loss[np.abs(self.coefficients - coefficients).max(axis=1) < 1e-12]


@cache
def places(n: int) -> np.ndarray:
    """The position of every row in every ranking, shape (n!, n), counted from 0."""
    return np.array(list(itertools.permutations(range(n))))


def pairs_of(grades: np.ndarray) -> list[tuple[int, int]]:
    return [(i, j) for i in range(grades.size) for j in range(grades.size) if grades[i] > grades[j]]


def swaps(grades: np.ndarray, position: np.ndarray) -> np.ndarray:
    """``psi`` in coefficients of the rows, for every row of ``position``."""
    coefficients = np.zeros(position.shape)
    for i, j in pairs_of(grades):
        swapped = position[:, j] < position[:, i]
        coefficients[swapped, i] += 1.0 / len(pairs_of(grades))
        coefficients[swapped, j] -= 1.0 / len(pairs_of(grades))
    return coefficients


def dcg(grades: np.ndarray, position: np.ndarray, k: int | None, gain: str) -> np.ndarray:
    gains = 2.0**grades - 1.0 if gain == "exponential" else grades
    counted = position < (grades.size if k is None else k)
    return np.sum(counted * gains / np.log2(position + 2.0), axis=1)


def losses(name: str, grades: np.ndarray, position: np.ndarray, gain: str = "exponential") -> np.ndarray:
    """One minus the measure of every ranking."""
    if name.startswith("ndcg"):
        k = int(name[5:-1]) if "(" in name else None
        ideal = np.argsort(np.argsort(-grades, kind="stable"))[None]
        return 1.0 - dcg(grades, position, k, gain) / dcg(grades, ideal, k, gain)
    relevant = grades > 0
    if name == "mrr":
        return 1.0 - 1.0 / (1.0 + position[:, relevant].min(axis=1))
    if name == "average_precision":
        own = np.sort(position[:, relevant], axis=1)
        return 1.0 - np.mean(np.arange(1, relevant.sum() + 1) / (own + 1.0), axis=1)
    wrong = [position[:, j] < position[:, i] for i, j in pairs_of(grades)]
    return np.mean(wrong, axis=0)


def wrong_rankings(name: str, grades: np.ndarray, gain: str = "exponential") -> Outputs:
    """All rankings in which some pair is swapped."""
    position = places(grades.size)
    coefficients, loss = swaps(grades, position), losses(name, grades, position, gain)
    wrong = np.abs(coefficients).max(axis=1) > 0.0
    return Outputs(coefficients[wrong], np.maximum(0.0, loss[wrong]))


def wrong_pair_sets(grades: np.ndarray) -> Outputs:
    """All sets of swapped pairs, whether they make a ranking or not."""
    pairs = pairs_of(grades)
    rows = np.zeros((len(pairs), grades.size))
    for p, (i, j) in enumerate(pairs):
        rows[p, i], rows[p, j] = 1.0, -1.0
    sets = np.array(list(itertools.product((0.0, 1.0), repeat=len(pairs))))[1:]
    return Outputs(sets @ rows / len(pairs), sets.mean(axis=1))

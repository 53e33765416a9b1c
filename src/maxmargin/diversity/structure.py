"""Subsets of documents that cover much: ``Psi(x, y)`` sums the features of the words that the documents ``y`` cover."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.diversity.cover import greedy
from maxmargin.diversity.subtopics import Subtopics
from maxmargin.diversity.words import WordCover

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

_LOSS_WEIGHTS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)


@dataclass(frozen=True, eq=False)
class Judged:
    """The subtopics of a candidate set with the documents that training should choose, and their loss."""

    subtopics: Subtopics
    best: Indices
    least: float


@dataclass(frozen=True)
class Diversity:
    """Rankings of ``k`` documents out of a candidate set (paper 001, section 3.1).

    As a ``Problem`` it takes a ``WordCover`` as x, what ``judge`` makes of ``Subtopics`` as labels, and positions of
    documents in the order of their choice as outputs; the order does not affect the score ``<w, Psi(x, y)>``. The loss
    is the regret

        loss(T, y) = max(0, D(T, y) - D(T, target))

    with ``D`` the weighted share of subtopics that are not covered, and the target the greedy choice of ``k`` documents
    by subtopics. All searches are greedy, hence not exact. A word that is covered earns its benefit, which may be
    negative; in the search with a label a subtopic that is covered costs its weight.
    """

    k: int

    exact = False

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k must be at least 1, not {self.k}.")

    def judge(self, x: WordCover, subtopics: Subtopics) -> Judged:
        """The greedy choice by subtopics; between documents that add the same, the one that adds more words."""
        words = x.count * (0.5 * subtopics.step / (1.0 + x.count.sum()))
        best = greedy(self.k, x.cover, words, subtopics.cover, subtopics.weight)
        return Judged(subtopics, best, subtopics.loss(best))

    def joint_feature(self, x: WordCover, y: npt.ArrayLike) -> Any:
        return x.psi(y)

    def loss(self, label: Judged, y: npt.ArrayLike) -> float:
        return max(0.0, label.subtopics.loss(y) - label.least)

    def target(self, x: WordCover, label: Judged) -> Indices:
        return label.best

    def argmax(self, x: WordCover, w: Floats, label: Judged | None = None) -> Indices:
        return self._search(x, w, label, 1.0)

    def argmax_by_loss(self, x: WordCover, w: Floats, label: Judged) -> Iterator[tuple[float, Indices]]:
        """Good outputs of several losses: greedy with the loss weighed by several factors."""
        for factor in _LOSS_WEIGHTS:
            y = self._search(x, w, label, factor)
            yield self.loss(label, y), y

    def _search(self, x: WordCover, w: Floats, label: Judged | None, factor: float) -> Indices:
        if label is None:
            return greedy(self.k, x.cover, x.benefit(w))
        return greedy(self.k, x.cover, x.benefit(w), label.subtopics.cover, -factor * label.subtopics.weight)

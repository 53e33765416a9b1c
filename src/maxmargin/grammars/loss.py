"""The loss of predicted trees by their labelled brackets, in the form that a search needs.

A tree with g brackets, h of which are among the G of the true tree, has the F1 loss ``1 - 2 h / (g + G)`` and the
Hamming loss ``g + G - 2 h``, the number of brackets that only one of the trees has. The Hamming loss adds up, so with
margin rescaling and linear slack it becomes part of the scores. In all other cases one table per formulation says what
h and g are worth. Trees that are best at prices of h and g bound what any tree is worth; those with each h and g (a
*stratum*) are then found among the rules that can be in a better one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.formulation import Formulation, Search

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

LOSSES = ("f1", "hamming", "zero-one")


@dataclass(frozen=True, eq=False)
class TreeLoss:
    """A loss bound to true trees and a formulation.

    ``goal`` names the search. ``margin`` and ``scale`` are by hits h and guesses g: those of example i are at
    ``first[i] + h * guesses[i] + g``.
    """

    formulation: Formulation
    targets: _core.TreeTargets
    goal: str
    guess: float
    hit: float
    margin: Floats
    scale: Floats
    first: Numbers
    guesses: Numbers

    def oracle(self, room: int, beam: float | None) -> _core.TreeOracle:
        """Searches that would need more than ``room`` bytes give up with the best tree found so far."""
        tables = self.margin, self.scale, self.first, self.guesses
        return _core.TreeOracle(self.targets, self.goal, self.guess, self.hit, *tables, room, beam)

    def arrays(self) -> tuple[Any, ...]:
        """By what the loss is recognised in a later fit."""
        return self.goal, self.margin, self.scale, self.first, self.guesses, self.targets.fingerprint()


def bracket_loss(loss: str, hits: Floats, guesses: Floats, true: Floats) -> Floats:
    """The loss of trees with so many brackets right, predicted and true."""
    if loss == "hamming":
        return np.asarray(guesses + true - 2.0 * hits)
    total = guesses + true
    return np.asarray(1.0 - np.divide(2.0 * hits, total, out=np.ones_like(total), where=total > 0.0))


def bound_loss(loss: str, sentences: _core.Sentences, targets: _core.TreeTargets, formulation: Formulation) -> TreeLoss:
    """The loss ``'f1'``, ``'hamming'`` or ``'zero-one'`` on a training set."""
    true = targets.brackets()
    n = true.size
    none, one = np.zeros(n, np.int64), np.ones(1)
    if loss == "zero-one" or formulation.search in (Search.PREDICTION, Search.SECOND):
        goal = "prediction" if formulation.search is Search.PREDICTION else "second"
        tables = formulation.margin(one), formulation.scale(one)
        return TreeLoss(formulation, targets, goal, 0.0, 0.0, *tables, none, none)
    if loss == "hamming" and formulation.search is Search.AUGMENTED:
        return TreeLoss(formulation, targets, "augmented", 1.0, -2.0, np.zeros(1), one, none, none)
    most = sentences.best_by(np.ones((sentences.span_count, sentences.bracket_columns.size)), 1)[2].astype(np.int64)
    sizes = (true + 1) * (most + 1)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    parts = []
    for G, g in zip(true.tolist(), most.tolist()):
        hits, guesses = (axis.ravel().astype(np.float64) for axis in np.mgrid[0 : G + 1, 0 : g + 1])
        possible = np.minimum(hits, guesses)  # no tree has the others
        parts.append(bracket_loss(loss, possible, guesses, np.full(hits.size, float(G))))
    losses = np.concatenate(parts)
    numbers = formulation.margin(losses), formulation.scale(losses)
    return TreeLoss(formulation, targets, "totals", 0.0, 0.0, *numbers, first, most + 1)

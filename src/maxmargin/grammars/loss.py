"""The loss of predicted trees by their labelled brackets, in the form that a search needs.

A tree with g brackets, h of which are among the G of the true tree, has the F1 loss ``1 - 2 h / (g + G)`` and the
Hamming loss ``g + G - 2 h``, the number of brackets that only one of the trees has. The Hamming loss adds up, so with
margin rescaling and linear slack it becomes part of the scores. The F1 loss is linear in h where g is fixed, so in that
formulation the best tree with each g is found (a *stratum*), for a few prices of a hit. In all other cases it is the
best tree with each h and g. One table per formulation says what h and g are worth.
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
    strata: float = 1.0  # of an example, on average

    def oracle(self, beam: float | None) -> _core.TreeOracle:
        tables = self.margin, self.scale, self.first, self.guesses
        return _core.TreeOracle(self.targets, self.goal, self.guess, self.hit, *tables, beam)

    def arrays(self) -> tuple[Any, ...]:
        """By what the loss is recognised in a later fit."""
        return self.goal, self.margin, self.scale, self.first, self.guesses, self.targets.fingerprint()


def bracket_loss(loss: str, hits: Floats, guesses: Floats, true: Floats) -> Floats:
    """The loss of trees with so many brackets right, predicted and true."""
    if loss == "hamming":
        return np.asarray(guesses + true - 2.0 * hits)
    total = guesses + true
    return np.asarray(1.0 - np.divide(2.0 * hits, total, out=np.ones_like(total), where=total > 0.0))


def bound_loss(
    loss: str, sentences: _core.Sentences, targets: _core.TreeTargets, labels: int, formulation: Formulation
) -> TreeLoss:
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
    most = sentences.best_by(np.ones((sentences.span_count, labels)), 1)[2].astype(np.int64)
    sizes = (true + 1) * (most + 1)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    parts = []
    for G, g in zip(true.tolist(), most.tolist()):
        hits, guesses = (axis.ravel().astype(np.float64) for axis in np.mgrid[0 : G + 1, 0 : g + 1])
        possible = np.minimum(hits, guesses)  # no tree has the others
        parts.append(bracket_loss(loss, possible, guesses, np.full(hits.size, float(G))))
    losses = np.concatenate(parts)
    numbers = formulation.margin(losses), formulation.scale(losses)
    goal, strata = ("guesses", most + 1) if formulation.search is Search.AUGMENTED else ("totals", sizes)
    return TreeLoss(formulation, targets, goal, 0.0, 0.0, *numbers, first, most + 1, float(strata.mean()))

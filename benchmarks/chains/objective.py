"""Objectives of chains from the weights alone, in NumPy: the same function for every method.

The dynamic program runs over positions, all sequences that are long enough at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from maxmargin.chains.sequences import Sequences

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Weights:
    """``F(x, y) = sum_t (x_t state + intercept)_{y_t} + sum_t transition[y_{t-1}, y_t] + start_{y_1} + end_{y_T}``.

    ``state`` has shape (n_features, n_labels), ``transition`` (n_labels, n_labels), the others (n_labels,).
    """

    state: Floats
    transition: Floats
    intercept: Floats
    start: Floats
    end: Floats

    @property
    def squared_norm(self) -> float:
        return float(sum(np.square(part).sum() for part in vars(self).values()))


def likelihood_objective(w: Weights, X: Sequences, y: Codes, c2: float) -> float:
    """``c2 |w|^2 - sum_i log p(y_i | x_i)``: what CRFsuite calls its loss."""
    scores = token_scores(w, X)
    return c2 * w.squared_norm + float((_values(w, scores, X, total=True) - path_scores(w, scores, X, y)).sum())


def hinge_objective(w: Weights, X: Sequences, y: Codes, C: float) -> float:
    """``1/2 |w|^2 + C sum_i max_y (wrong labels of y) - F(x_i, y_i) + F(x_i, y)``."""
    scores = token_scores(w, X)
    right = path_scores(w, scores, X, y)
    scores += 1.0
    scores[np.arange(y.size), y] -= 1.0
    return 0.5 * w.squared_norm + C * float((_values(w, scores, X, total=False) - right).sum())


def token_scores(w: Weights, X: Sequences) -> Floats:
    """Score of every label of every token, shape (n_tokens, n_labels)."""
    return np.asarray(X.matrix() @ w.state) + w.intercept


def path_scores(w: Weights, scores: Floats, X: Sequences, y: Codes) -> Floats:
    """``F`` of every sequence with its labels."""
    first, last = X.offsets[:-1], X.offsets[1:] - 1
    steps = np.zeros(y.size)
    steps[1:] = w.transition[y[:-1], y[1:]]
    steps[first] = w.start[y[first]]
    steps += scores[np.arange(y.size), y]
    return np.add.reduceat(steps, first) + w.end[y[last]]


def _values(w: Weights, scores: Floats, X: Sequences, *, total: bool) -> Floats:
    """Of every sequence, the logarithm of the sum of ``exp F`` over all labellings, or the largest ``F``."""
    order = np.argsort(-X.lengths, kind="stable")
    lengths, first = X.lengths[order], X.offsets[:-1][order]
    state = scores[first] + w.start
    for t in range(1, int(lengths[0])):
        live = int(np.searchsorted(-lengths, -t, side="left"))
        reached = state[:live, :, None] + w.transition
        joined = logsumexp(reached, axis=1) if total else reached.max(axis=1)
        state[:live] = joined + scores[first[:live] + t]
    state += w.end
    value = np.empty(order.size)
    value[order] = logsumexp(state, axis=1) if total else state.max(axis=1)
    return value

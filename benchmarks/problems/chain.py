"""A user's Problem in plain NumPy: strings of symbols with first-order transitions, Hamming loss, calls counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


class Chain:
    """``x`` is an array (length, n_features), ``y`` an array (length,) of labels; ``calls`` counts the searches.

    ``Psi`` holds the sum of the symbols of each label, then the count of each pair of neighbouring labels.
    """

    def __init__(self, n_labels: int, n_features: int) -> None:
        self.n_labels, self.n_features = n_labels, n_features
        self.calls = 0

    def joint_feature(self, x: Floats, y: Labels) -> Any:
        emissions = np.zeros((self.n_labels, self.n_features))
        transitions = np.zeros((self.n_labels, self.n_labels))
        np.add.at(emissions, y, x)
        np.add.at(transitions, (y[:-1], y[1:]), 1.0)
        return sp.coo_array(np.concatenate([emissions.ravel(), transitions.ravel()]))

    def loss(self, y_true: Labels, y: Labels) -> float:
        return float(np.count_nonzero(y_true != y))

    def argmax(self, x: Floats, w: Floats, y_true: Labels | None = None) -> Labels:
        """Viterbi; with ``y_true`` every wrong label scores one more."""
        self.calls += 1
        size = self.n_labels * self.n_features
        scores = x @ w[:size].reshape(self.n_labels, self.n_features).T
        transitions = w[size:].reshape(self.n_labels, self.n_labels)
        length = len(scores)
        if y_true is not None:
            scores += 1.0
            scores[np.arange(length), y_true] -= 1.0
        before = np.zeros((length, self.n_labels), dtype=np.int64)
        best = scores[0]
        for t in range(1, length):
            reached = best[:, None] + transitions
            before[t] = reached.argmax(axis=0)
            best = reached.max(axis=0) + scores[t]
        y = np.zeros(length, dtype=np.int64)
        y[-1] = best.argmax()
        for t in range(length - 1, 0, -1):
            y[t - 1] = before[t, y[t]]
        return y

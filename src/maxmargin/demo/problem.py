"""The demo's data, and its own problem of reading strings of handwritten digits: what a user would write, in NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Digits:
    """Images scaled to [0, 1] and their labels, split at random."""

    X_train: Floats
    y_train: Labels
    X_test: Floats
    y_test: Labels

    @classmethod
    def split(cls, seed: int, n_train: int = 1198) -> Digits:
        images, labels = load_digits(return_X_y=True)
        order = np.random.default_rng(seed).permutation(len(labels))
        train, test = order[:n_train], order[n_train:]
        return cls(images[train] / 16.0, labels[train], images[test] / 16.0, labels[test])


@dataclass(frozen=True)
class DigitStrings:
    """A chain: ``x`` holds one row of features for each letter, ``y`` one label for each.

    The score is ``sum_t <W[y_t], x_t> + sum_t T[y_t, y_t+1]`` with ``w = (W, T)``, the loss counts wrong letters.
    ``transitions=False`` leaves ``T`` out, and training then is per-letter classification.
    """

    n_labels: int = 10
    transitions: bool = True

    def joint_feature(self, x: Floats, y: Labels) -> Floats:
        letters = np.zeros((self.n_labels, x.shape[1]))
        np.add.at(letters, y, x)
        if not self.transitions:
            return letters.ravel()
        pairs = np.zeros((self.n_labels, self.n_labels))
        np.add.at(pairs, (y[:-1], y[1:]), 1.0)
        return np.concatenate([letters.ravel(), pairs.ravel()])

    def loss(self, y_true: Labels, y: Labels) -> float:
        return float(np.count_nonzero(y_true != y))

    def argmax(self, x: Floats, w: Floats, y_true: Labels | None = None) -> Labels:
        """Viterbi; the loss is a sum over letters, so it joins the scores of the letters."""
        size = self.n_labels * x.shape[1]
        scores = x @ w[:size].reshape(self.n_labels, -1).T
        if y_true is not None:
            scores += 1.0
            scores[np.arange(len(x)), y_true] -= 1.0
        if not self.transitions:
            return np.asarray(scores.argmax(axis=1), dtype=np.int64)
        follow = w[size:].reshape(self.n_labels, self.n_labels)
        came_from = np.zeros((len(x), self.n_labels), dtype=np.int64)
        best = scores[0]
        for t in range(1, len(x)):
            reached = best[:, None] + follow
            came_from[t] = reached.argmax(axis=0)
            best = reached.max(axis=0) + scores[t]
        y = np.empty(len(x), dtype=np.int64)
        y[-1] = best.argmax()
        for t in range(len(x) - 1, 0, -1):
            y[t - 1] = came_from[t, y[t]]
        return y


def write_strings(
    images: Floats,
    digits: Labels,
    count: int,
    rng: np.random.Generator,
    *,
    length: int = 8,
    habit: float = 0.8,
    noise: float = 0.3,
) -> tuple[list[Floats], list[Labels]]:
    """Strings of ``length`` digits such as 3456, from a pool of images scaled to [0, 1].

    With probability ``habit`` a digit is the one after its left neighbour (0 follows 9), otherwise any. Each pixel
    gets Gaussian noise of standard deviation ``noise``; a constant feature is added.
    """
    pools = [np.flatnonzero(digits == digit) for digit in range(10)]
    X, Y = [], []
    for _ in range(count):
        y = rng.integers(10, size=length)
        for t in np.flatnonzero(rng.random(length - 1) < habit) + 1:
            y[t] = (y[t - 1] + 1) % 10
        x = images[[rng.choice(pools[digit]) for digit in y]]
        x = x + noise * rng.standard_normal(x.shape)
        X.append(np.hstack([x, np.ones((length, 1))]))
        Y.append(y)
    return X, Y

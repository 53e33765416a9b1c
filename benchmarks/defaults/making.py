"""Pieces of which the data of the tasks are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.model_selection import train_test_split

from defaults.task import Split

Floats = npt.NDArray[np.float64]
Load = Callable[[int], Split]


def parted(X: Any, y: Any, train: int | float, seed: int, *, test: int | None = None, stratify: bool = True) -> Split:
    """A random split: ``train`` rows (or that share of them) to train on, ``test`` rows or the rest to test on."""
    rare = not stratify or np.unique(y, return_counts=True)[1].min() < 2
    parts = train_test_split(X, y, train_size=train, test_size=test, random_state=seed, stratify=None if rare else y)
    return Split(parts[0], parts[2], parts[1], parts[3])


def first(X: Any, y: Any, train: int) -> Split:
    """The first ``train`` rows to train on, the others to test on."""
    return Split(X[:train], y[:train], X[train:], y[train:])


def mapped(load: Load, change: Callable[[Any], Any]) -> Load:
    """The same task with the same change of the rows of both parts."""

    def changed(seed: int) -> Split:
        split = load(seed)
        return Split(change(split.X), split.y, change(split.X_test), split.y_test, split.groups, split.groups_test)

    return changed


def scaled(load: Load, factor: float = 1.0, offset: float = 0.0) -> Load:
    return mapped(load, lambda X: X * factor + offset if offset else X * factor)


def one_column_scaled(load: Load, column: int, factor: float) -> Load:
    """The same rows with one column in another unit."""

    def change(X: Floats) -> Floats:
        changed = np.array(X, dtype=np.float64)
        changed[:, column] *= factor
        return changed

    return mapped(load, change)


def standardised(load: Load) -> Load:
    def changed(seed: int) -> Split:
        split = load(seed)
        centre, size = split.X.mean(axis=0), split.X.std(axis=0)
        size = np.where(size > 0.0, size, 1.0)
        return Split((split.X - centre) / size, split.y, (split.X_test - centre) / size, split.y_test)

    return changed


def linear_binary(
    n: int, d: int, seed: int, *, positive: float = 0.5, noise: float = 0.0, steep: float = 2.0, used: int | None = None
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Normal features and a linear rule with logistic overlap: the larger ``steep``, the less of it.

    ``positive`` is the share of the second class, ``noise`` the share of the labels drawn anew without looking at x,
    and the rule looks at the first ``used`` features only.
    """
    rng = np.random.default_rng(seed)
    direction = np.random.default_rng(d).standard_normal(used or d)
    X = rng.standard_normal((n, d))
    score = steep * X[:, : direction.size] @ direction / np.linalg.norm(direction) + rng.logistic(size=n)
    y = (score > np.quantile(score, 1.0 - positive)).astype(np.int64)
    turned = rng.random(n) < noise
    y[turned] = rng.random(int(turned.sum())) < positive
    return X, y


def one_hot(n: int, columns: int, levels: int, k: int, seed: int) -> tuple[Any, npt.NDArray[np.int64]]:
    """Categories as indicator columns: every level of every column has a random say in every class."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng(levels)
    effect = fixed.standard_normal((columns, levels, k))
    share = 1.0 / np.arange(1, levels + 1)
    value = rng.choice(levels, size=(n, columns), p=share / share.sum())
    score = effect[np.arange(columns), value].sum(axis=1) / np.sqrt(columns) + 0.6 * rng.gumbel(size=(n, k))
    indices = (value + levels * np.arange(columns)).astype(np.int32).ravel()
    ends = np.arange(0, n * columns + 1, columns, dtype=np.int32)
    X = sp.csr_array((np.ones(n * columns), indices, ends), shape=(n, columns * levels))
    return X, score.argmax(axis=1)


def clusters(n: int, d: int, k: int, seed: int, *, noise: float = 1.0, share: Any = None) -> tuple[Floats, Any]:
    """Normal clusters around centres that do not depend on the seed; ``share`` is that of each class."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng([d, k])
    centres = fixed.standard_normal((k, d)) * (2.0 / np.sqrt(d))
    y = rng.permutation(np.arange(n) % k) if share is None else rng.choice(k, size=n, p=share)
    return centres[y] + noise * rng.standard_normal((n, d)), y

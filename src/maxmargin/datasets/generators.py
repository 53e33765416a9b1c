"""Random data sets that need no file: same arguments, same data."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from maxmargin.datasets.sequences import LabelledMatrices


def make_multiclass(
    n: int, d: int, k: int, *, density: float = 1.0, noise: float = 1.0, seed: int = 0
) -> tuple[Any, npt.NDArray[np.int64]]:
    """Gaussian clusters, one per class: ``x`` is the centre of its class plus ``noise`` times a standard normal vector.

    Parameters
    ----------
    n : rows
    d : features
    k : classes, about equally frequent
    density : share of the features that are not zero in a row at most; below 1 X is a CSR array of positive values, in
        which each class has its own frequent features, like the words of a topic
    noise : standard deviation around the centre of a dense row; in a sparse row the weight of features frequent
        in all classes, against 1 for those of the class
    seed : of the random numbers

    Returns
    -------
    X of shape (n, d), array or CSR array, and y of shape (n,) in 0..k-1
    """
    if not 0.0 < density <= 1.0:
        raise ValueError(f"density must be above 0 and at most 1, not {density}.")
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    if density == 1.0:
        centres = rng.standard_normal((k, d)) * (2.0 / np.sqrt(d))
        return centres[y] + noise * rng.standard_normal((n, d)), y
    size = max(1, round(density * d))
    popularity = 1.0 / np.arange(1, d + 1)
    rows = np.empty((n, size), dtype=np.int32)
    for label in range(k):
        members = np.flatnonzero(y == label)
        topic = popularity[rng.permutation(d)]
        share = topic / topic.sum() + noise * popularity / popularity.sum()
        rows[members] = rng.choice(d, size=(members.size, size), p=share / share.sum())
    # scikit-learn's solvers take indices of 32 bits only
    ends = np.arange(0, n * size + 1, size, dtype=np.int32 if n * size < 2**31 else np.int64)
    X = sp.csr_array((rng.random(n * size) + 0.5, rows.ravel(), ends), shape=(n, d))
    X.sum_duplicates()
    return X, y


def make_chain(
    n: int,
    *,
    n_labels: int = 10,
    n_features: int = 64,
    lengths: tuple[int, int] = (4, 9),
    noise: float = 1.0,
    loyalty: float = 0.6,
    seed: int = 0,
) -> LabelledMatrices:
    """Strings of noisy symbols, as handwritten digits would be, in which some symbols tend to follow others.

    Each label has a prototype of zeros and ones; a symbol is its prototype plus noise. A label is followed with
    probability ``loyalty`` by its favourite successor, else by any label.

    Parameters
    ----------
    n : strings
    lengths : shortest and longest string
    noise : standard deviation around the prototype
    loyalty : how much the label before tells about a label, 0 to 1
    seed : of the random numbers

    Returns
    -------
    list of arrays (length, n_features) and list of arrays (length,) with labels 0..n_labels-1
    """
    rng = np.random.default_rng(seed)
    prototypes = (rng.random((n_labels, n_features)) < 0.5).astype(np.float64)
    favourite = rng.permutation(n_labels)
    X, Y = [], []
    for _ in range(n):
        length = int(rng.integers(lengths[0], lengths[1] + 1))
        y = rng.integers(n_labels, size=length)
        for t in range(1, length):
            if rng.random() < loyalty:
                y[t] = favourite[y[t - 1]]
        X.append(prototypes[y] + noise * rng.standard_normal((length, n_features)))
        Y.append(y)
    return X, Y

"""Random texts with classes in a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp


def make_taxonomy(
    n: int,
    *,
    branching: tuple[int, ...] = (4, 4, 4),
    n_features: int = 1000,
    n_words: int = 40,
    topic_words: int = 10,
    noise: float = 0.5,
    seed: int = 0,
) -> tuple[Any, npt.NDArray[np.str_]]:
    """Bags of words about the leaves of a tree.

    Every node has words of its own, and a text about a leaf has words of the leaf, of the nodes above it, and of none
    of them.

    Parameters
    ----------
    n : texts; every leaf has one before any has a second
    branching : children of the root, of each of these, and so on: ``(10, 10, 10, 10)`` has 10,000 leaves
    n_features : words in all
    n_words : words drawn for a text; the same word may be drawn again
    topic_words : words of a node
    noise : share of the words of a text that say nothing
    seed : of the random numbers; same arguments, same texts

    Returns
    -------
    CSR array (n, n_features) of counts scaled to length 1, and names of leaves such as ``'3.0.7.2'``, whose parts name
    the nodes above them
    """
    if n < 1 or not branching or min(branching) < 1 or n_words < 1 or not 1 <= topic_words <= n_features:
        raise ValueError("n, every number of children, n_words and topic_words must be at least 1.")
    if not 0.0 <= noise < 1.0:
        raise ValueError(f"noise must be at least 0 and below 1, not {noise}.")
    rng = np.random.default_rng(seed)
    leaves = int(np.prod(branching))
    leaf = rng.permutation(np.arange(n) % leaves)
    words = np.empty((n, n_words), dtype=np.int32)
    level = rng.integers(len(branching), size=(n, n_words))  # of the node that a word is about
    place = rng.integers(topic_words, size=(n, n_words))
    for depth in range(len(branching)):
        below = int(np.prod(branching[depth + 1 :]))
        topics = rng.integers(n_features, size=(leaves // below, topic_words), dtype=np.int32)
        chosen = level == depth
        words[chosen] = topics[(leaf // below)[np.nonzero(chosen)[0]], place[chosen]]
    empty = rng.random((n, n_words)) < noise
    words[empty] = rng.integers(n_features, size=int(empty.sum()), dtype=np.int32)
    # scikit-learn's solvers take indices of 32 bits only
    ends = np.arange(0, n * n_words + 1, n_words, dtype=np.int32 if n * n_words < 2**31 else np.int64)
    X = sp.csr_array((np.ones(n * n_words), words.ravel(), ends), shape=(n, n_features))
    X.sum_duplicates()
    X.data /= np.repeat(np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1])), np.diff(X.indptr))
    parts = np.stack(np.unravel_index(leaf, branching), axis=1).astype(str)
    return X, np.array([".".join(row) for row in parts])

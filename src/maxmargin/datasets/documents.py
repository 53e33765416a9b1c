"""Random texts as bags of words, of two kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp


def make_documents(
    n: int,
    n_words: int,
    *,
    positive: float = 0.5,
    length: float = 80.0,
    topical: float = 0.3,
    noise: float = 0.02,
    seed: int = 0,
) -> tuple[Any, npt.NDArray[np.bool_]]:
    """Texts that are about something or not, in the form that a text classifier gets: rows of unit length.

    Words are drawn from a Zipf distribution over the vocabulary; in a text about the topic a share of them,
    exponentially distributed with mean ``topical``, comes from the topic's own Zipf distribution, in which other words
    are frequent. A word that occurs ``f`` times and in ``m`` of the ``n`` texts has the value ``(1 + log f) * log(n /
    m)`` before the rows are scaled.

    Parameters
    ----------
    n : texts
    n_words : size of the vocabulary
    positive : share of the texts that are about the topic
    length : mean number of words of a text; lengths are log-normal
    topical : mean share of topical words in a text about the topic, at most 1
    noise : share of the texts whose label is turned round
    seed : of the random numbers

    Returns
    -------
    X : CSR array of shape (n, n_words)
    y : boolean array of shape (n,), true for texts about the topic
    """
    if not 0.0 < positive < 1.0:
        raise ValueError(f"positive must be between 0 and 1, not {positive}.")
    rng = np.random.default_rng(seed)
    about = rng.random(n) < positive
    lengths = np.maximum(3, rng.lognormal(np.log(length) - 0.18, 0.6, n)).astype(np.int64)
    popularity = np.cumsum(1.0 / (np.arange(n_words) + 3.0))
    share = np.where(about, np.minimum(1.0, rng.exponential(topical, n)), 0.0)
    text = np.repeat(np.arange(n), lengths)
    word = np.searchsorted(popularity, rng.random(text.size) * popularity[-1])
    of_topic = rng.random(text.size) < share[text]
    word[of_topic] = rng.permutation(n_words)[word[of_topic]]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)  # 32 bits as scikit-learn wants them
    X = sp.csr_array((np.ones(word.size), word.astype(np.int32), offsets), shape=(n, n_words))
    X.sum_duplicates()
    texts_with = np.bincount(X.indices, minlength=n_words)
    X.data = (1.0 + np.log(X.data)) * np.log(n / np.maximum(1, texts_with))[X.indices]
    norm = np.sqrt(X.multiply(X).sum(axis=1))
    X.data /= np.repeat(np.where(norm > 0.0, norm, 1.0), np.diff(X.indptr))
    return X, about ^ (rng.random(n) < noise)

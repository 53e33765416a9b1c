"""Processes that draw rows with classes, for the tasks of the second list: the seed draws rows of a fixed problem."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from defaults.making import Floats, Load, first
from defaults.task import Split

Integers = npt.NDArray[np.int64]
Rows = tuple[Any, Integers]


def drawn(make: Any, train: int, test: int, **options: Any) -> Load:
    """``make(n, seed, ...)`` gives rows, of which the first ``train`` are to train on."""

    def load(seed: int) -> Split:
        return first(*make(train + test, seed, **options), train)

    return load


def mixtures(n: int, seed: int, *, k: int = 4, d: int = 12, parts: int = 3, away: float = 2.5) -> Rows:
    """Each class is a mixture of normal clusters, each of which has axes of its own."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng([k, d, parts])
    centres = away * fixed.standard_normal((k * parts, d)) / np.sqrt(d) * 2.0
    axes = fixed.standard_normal((k * parts, d, d)) / np.sqrt(d)
    which = rng.integers(k * parts, size=n)
    noise = rng.standard_normal((n, d))
    X = centres[which] + np.einsum("nij,nj->ni", axes[which], noise)
    return X, which % k


def spectra(n: int, seed: int, *, k: int = 5, length: int = 128) -> Rows:
    """Sizes of the Fourier coefficients of noisy tones: each class has two pitches, which vary a little."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng([k, length])
    pitch = fixed.uniform(3.0, length / 4.0, size=(k, 2))
    y = rng.integers(k, size=n)
    time = np.arange(length) / length
    wave = np.zeros((n, length))
    for tone in range(2):
        heard = pitch[y, tone] * np.exp(0.08 * rng.standard_normal(n))
        wave += np.sin(2.0 * np.pi * (heard[:, None] * time + rng.random((n, 1))))
    return np.abs(np.fft.rfft(wave + 2.0 * rng.standard_normal((n, length)), axis=1)), y


def topics(n: int, seed: int, *, k: int = 12, words: int = 3000, per_class: int = 3, length: float = 60.0) -> Rows:
    """Counts of words: a text mixes many topics, and its class decides which of them are likely."""
    shares, y = topic_shares(n, seed, k=k, per_class=per_class)
    return count_words(shares, seed, words=words, length=length), y


def topic_shares(n: int, seed: int, *, k: int, per_class: int, sharpness: float = 0.4) -> tuple[Floats, Integers]:
    """For each text the shares of its topics (Dirichlet), more of them of those that its class likes."""
    rng, fixed = np.random.default_rng([seed, 1]), np.random.default_rng([k, per_class])
    taste = np.full((k, k * per_class), 0.03)
    taste[np.arange(k)[:, None], fixed.integers(k * per_class, size=(k, per_class + 1))] += sharpness
    y = rng.integers(k, size=n)
    weight = rng.standard_gamma(taste[y]) + 1e-12
    return weight / weight.sum(axis=1, keepdims=True), y


def count_words(shares: Floats, seed: int, *, words: int, length: float) -> Any:
    """CSR counts of texts: every word of a text is of one of its topics, each of which is a Zipf law of its own."""
    rng, fixed = np.random.default_rng([seed, 2]), np.random.default_rng([words, shares.shape[1]])
    n, k = shares.shape
    order = np.array([fixed.permutation(words) for _ in range(k)])
    popularity = np.cumsum(1.0 / (np.arange(words) + 2.0))
    lengths = np.maximum(2, rng.negative_binomial(3, 3.0 / (3.0 + length), size=n))
    text = np.repeat(np.arange(n), lengths)
    topic = (rng.random(text.size)[:, None] > np.cumsum(shares, axis=1)[text]).sum(axis=1).clip(max=k - 1)
    word = order[topic, np.searchsorted(popularity, rng.random(text.size) * popularity[-1])]
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)  # 32 bits as scikit-learn wants them
    X = sp.csr_array((np.ones(word.size), word.astype(np.int32), ends), shape=(n, words))
    X.sum_duplicates()
    return X


def with_gaps(n: int, seed: int, *, k: int = 4, d: int = 30, missing: float = 0.4, level: float = 3.0) -> Rows:
    """Linear classes of features around ``level``, of which a share was not measured and is zero."""
    X, y = linear(n, seed, k=k, d=d)
    rng = np.random.default_rng([seed, 3])
    return np.where(rng.random(X.shape) < missing, 0.0, X + level), y


def linear(n: int, seed: int, *, k: int, d: int, steep: float = 2.0) -> tuple[Floats, Integers]:
    """Normal features that are correlated with their neighbours, and classes by a linear rule with overlap."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng([k, d, 5])
    X = rng.standard_normal((n, d))
    X[:, 1:] = 0.8 * X[:, 1:] + 0.6 * X[:, :-1]
    rule = fixed.standard_normal((d, k)) / np.sqrt(d)
    return X, (steep * X @ rule + rng.gumbel(size=(n, k))).argmax(axis=1)


def outliers(n: int, seed: int, *, k: int = 3, d: int = 15, freedom: float = 1.5) -> Rows:
    """Linear classes, and cells whose errors of measurement have heavy tails (Student's t)."""
    X, y = linear(n, seed, k=k, d=d, steep=4.0)
    return X + 0.3 * np.random.default_rng([seed, 4]).standard_t(freedom, size=X.shape), y


def grades(n: int, seed: int, *, k: int = 6, d: int = 12, noise: float = 0.6) -> Rows:
    """Ordered classes: one linear trait, cut into grades of which the middle ones are frequent."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng([k, d, 7])
    X = rng.standard_normal((n, d))
    trait = X @ fixed.standard_normal(d) / np.sqrt(d) + noise * rng.standard_normal(n)
    return X, np.searchsorted(np.linspace(-1.3, 1.3, k - 1), trait)


def zipf_clusters(n: int, seed: int, *, k: int = 60, d: int = 40, noise: float = 1.0) -> Rows:
    """Clusters whose sizes fall as 1 / rank, each as wide as it likes."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng([k, d, 9])
    share = 1.0 / np.arange(1, k + 1)
    centres, width = fixed.standard_normal((k, d)), fixed.gamma(4.0, 0.25, size=k)
    y = rng.choice(k, size=n, p=share / share.sum())
    return centres[y] + noise * width[y, None] * rng.standard_normal((n, d)), y


def codewords(n: int, seed: int, *, k: int, d: int, turned: float) -> Rows:
    """Bits: every class has a code, and a share of the bits of a row is turned."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng([k, d, 11])
    code = fixed.random((k, d)) < 0.5
    y = rng.permutation(np.arange(n) % k)
    return (code[y] ^ (rng.random((n, d)) < turned)).astype(np.float64), y


def switches(n: int, seed: int, *, k: int = 3, d: int = 12) -> Rows:
    """Yes-or-no features of different frequency, and classes by a rule in which some pairs of them count."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng([k, d, 13])
    often = fixed.beta(1.5, 2.0, size=d)
    X = (rng.random((n, d)) < often).astype(np.float64)
    pairs = (X[:, : d // 2] - often[: d // 2]) * (X[:, d // 2 : 2 * (d // 2)] - often[d // 2 : 2 * (d // 2)])
    score = (X - often) @ fixed.standard_normal((d, k)) + 2.0 * pairs @ fixed.standard_normal((d // 2, k))
    return X, (1.5 * score + rng.gumbel(size=(n, k))).argmax(axis=1)


def low_rank(n: int, seed: int, *, k: int = 3, d: int = 3000, rank: int = 25) -> Rows:
    """Many features that are sums of a few, of which the large ones say little about the class."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng([k, d, 15])
    size = 0.85 ** np.arange(rank)
    hidden = rng.standard_normal((n, rank))
    y = (2.0 * hidden[:, rank // 3 :] @ fixed.standard_normal((rank - rank // 3, k)) / np.sqrt(rank)).argmax(axis=1)
    return hidden * size @ fixed.standard_normal((rank, d)) + 0.3 * rng.standard_normal((n, d)), y


def units(X: Floats, *, decades: float = 6.0, offset: float = 3.0) -> Floats:
    """The columns in units of their own: sizes over so many decades, and offsets of some standard deviations."""
    fixed = np.random.default_rng(X.shape[1])
    size = 10.0 ** fixed.uniform(-decades / 2.0, decades / 2.0, size=X.shape[1])
    return (X + offset * fixed.standard_normal(X.shape[1])) * size


def redrawn(rows: Any, n: int, seed: int, *, share: float, **options: Any) -> Rows:
    """Rows of another process of which a share of the labels is drawn anew from all of them."""
    X, y = rows(n, seed, **options)
    rng = np.random.default_rng([seed, 6])
    return X, np.where(rng.random(n) < share, rng.permutation(y), y)


def rarest(rows: Any, n: int, seed: int, *, share: float, **options: Any) -> Rows:
    """Two classes: the last of ``rows`` against the others, of which so many are left out that it has this share."""
    X, y = rows(4 * n, seed, **options)
    positive, negative = np.flatnonzero(y == y.max()), np.flatnonzero(y != y.max())
    wanted = max(2, round(share * n))
    chosen = np.concatenate([positive[:wanted], negative[: n - wanted]])
    chosen = np.random.default_rng([seed, 8]).permutation(chosen)
    return X[chosen], (y[chosen] == y.max()).astype(np.int64)

"""Processes that draw rows with classes, for the tasks of the third list: tables as people keep them."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from defaults.making import Floats

Integers = npt.NDArray[np.int64]
Rows = tuple[Any, Integers]


def _random(seed: int, *problem: int) -> tuple[Any, Any]:
    """What draws rows, and what draws the problem, which is the same for all seeds."""
    return np.random.default_rng([seed, *problem]), np.random.default_rng([*problem, 2])


def _drawn_class(rng: Any, score: Floats) -> Integers:
    """A class for each row, with probabilities that are proportional to the exponentials of the scores."""
    return np.asarray((score + rng.gumbel(size=score.shape)).argmax(axis=1))


def interactions(n: int, seed: int, *, k: int = 3, d: int = 10, pairs: int = 8, steep: float = 3.0) -> Rows:
    """Normal features that count for the class, and so do products of two of them."""
    rng, fixed = _random(seed, k, d, 31)
    X = rng.standard_normal((n, d))
    left, right = fixed.integers(d, size=(2, pairs))
    score = X @ fixed.standard_normal((d, k)) + (X[:, left] * X[:, right]) @ fixed.standard_normal((pairs, k))
    return X, _drawn_class(rng, steep * score / np.sqrt(d))


def table(n: int, seed: int, *, k: int = 4, regions: int = 25) -> Rows:
    """Years, sums of money, shares, counts, seconds since 1970, balances of which some are missing and zero, a rare
    flag, a number that means nothing, a constant, and regions as indicators."""
    rng, fixed = _random(seed, k, regions, 32)
    trait, error = rng.standard_normal((n, 5)), rng.standard_normal((n, 5))
    region = (fixed.standard_normal((regions, 5)) @ trait.T + 2.0 * rng.gumbel(size=(regions, n))).argmax(axis=0)
    columns = [
        np.clip(np.round(45.0 + 15.0 * trait[:, 0] + 5.0 * error[:, 0]), 18.0, 95.0),
        np.exp(10.0 + 0.8 * trait[:, 1] + 0.3 * error[:, 1]),
        1.0 / (1.0 + np.exp(-trait[:, 2] - 0.5 * error[:, 2])),
        rng.poisson(np.exp(0.8 * trait[:, 3] - 0.5)),
        np.round(1.6e9 + 2e7 * (trait[:, 4] + 0.5 * error[:, 4])),
        np.where(rng.random(n) < 0.3, 0.0, 3000.0 + 2000.0 * (trait[:, 1] - trait[:, 2] + 0.3 * error[:, 3])),
        rng.random(n) < 0.02,
        rng.integers(1_000_000, size=n),
        np.ones(n),
    ]
    X = np.column_stack([*columns, np.eye(regions)[region]])
    return X, _drawn_class(rng, 2.0 * trait @ fixed.standard_normal((5, k)))


def repeated(n: int, seed: int, *, k: int = 3, d: int = 8, distinct: int = 150, agree: float = 0.75) -> Rows:
    """A few rows again and again, some of them often, whose labels disagree."""
    rng, fixed = _random(seed, k, d, distinct, 33)
    kinds = np.round(2.0 * fixed.standard_normal((distinct, d)))
    usual = _drawn_class(fixed, 1.5 * kinds @ fixed.standard_normal((d, k)) / np.sqrt(d))
    share = 1.0 / np.arange(5, distinct + 5)
    which = rng.choice(distinct, size=n, p=share / share.sum())
    return kinds[which], np.where(rng.random(n) < agree, usual[which], rng.integers(k, size=n))


def nearly_constant(n: int, seed: int, *, k: int = 3, d: int = 120, often: float = 0.03) -> Rows:
    """Four features that vary, and many which nearly always have one value, each another one."""
    rng, fixed = _random(seed, k, d, 34)
    usual, size = fixed.choice([0.0, 1.0, 5.0, 100.0], size=d), fixed.gamma(2.0, 1.0, size=d)
    moved = np.where(rng.random((n, d)) < often, rng.standard_normal((n, d)), 0.0)
    varying = rng.standard_normal((n, 4))
    score = varying @ fixed.standard_normal((4, k)) + 2.0 * moved @ fixed.standard_normal((d, k))
    return np.column_stack([varying, usual + moved * size]), _drawn_class(rng, 1.5 * score)


def blocks(n: int, seed: int, *, k: int = 4, count: int = 12, width: int = 10, apart: float = 0.2) -> Rows:
    """Blocks of columns that are nearly the same; the class depends on the blocks, and on small differences in some."""
    rng, fixed = _random(seed, k, count, width, 35)
    whole, own = rng.standard_normal((n, count)), rng.standard_normal((n, count * width))
    inside = own[:, : 2 * width] @ fixed.standard_normal((2 * width, k)) / np.sqrt(width)
    score = 2.0 * whole @ fixed.standard_normal((count, k)) / np.sqrt(count) + inside
    return np.repeat(whole, width, axis=1) + apart * own, _drawn_class(rng, 2.0 * score)


def many_levels(n: int, seed: int, *, k: int = 3, levels: int = 3000, d: int = 4) -> Rows:
    """One column of very many levels, most of them rare, and a few numbers beside it, as a sparse matrix."""
    rng, fixed = _random(seed, k, levels, d, 36)
    share = 1.0 / np.arange(1, levels + 1) ** 0.8
    level = rng.choice(levels, size=n, p=share / share.sum())
    numbers = rng.standard_normal((n, d))
    score = 1.5 * fixed.standard_normal((levels, k))[level] + numbers @ fixed.standard_normal((d, k))
    indicator = sp.csr_array((np.ones(n), level.astype(np.int32), np.arange(n + 1, dtype=np.int32)), (n, levels))
    X = sp.csr_array(sp.hstack([indicator, sp.csr_array(30.0 + 10.0 * numbers)], format="csr"))
    return X, _drawn_class(rng, score)


def shares(n: int, seed: int, *, k: int = 6, d: int = 40, sharpness: float = 6.0) -> Rows:
    """Parts of a whole: rows of sum 1 (Dirichlet), in which many parts are close to nothing."""
    rng, fixed = _random(seed, k, d, 37)
    expected = fixed.gamma(0.5, size=(k, d)) + 0.3 * fixed.gamma(0.5, size=d) + 0.02
    y = rng.integers(k, size=n)
    parts = rng.standard_gamma(sharpness * expected[y] / expected[y].sum(axis=1, keepdims=True)) + 1e-12
    return parts / parts.sum(axis=1, keepdims=True), y


def monomials(n: int, seed: int, *, k: int = 3, d: int = 6, degree: int = 3, steep: float = 1.5) -> Rows:
    """All products of up to ``degree`` of a few features, and classes by a quadratic rule."""
    rng, fixed = _random(seed, k, d, degree, 38)
    base = 1.0 + rng.standard_normal((n, d))
    score = np.einsum("ni,nj,ijk->nk", base, base, fixed.standard_normal((d, d, k))) / d
    places = [some for size in range(1, degree + 1) for some in combinations_with_replacement(range(d), size)]
    return np.column_stack([base[:, some].prod(axis=1) for some in places]), _drawn_class(rng, steep * score)


def drifting(n: int, seed: int, *, k: int = 4, d: int = 12, drift: float = 1.5, level: float = 300.0) -> Rows:
    """Readings of sensors in the order of time: far from zero, and their zeros wander off."""
    rng, fixed = _random(seed, k, d, 39)
    y = rng.integers(k, size=n)
    wander = np.cumsum(rng.standard_normal((n, d)), axis=0) / np.sqrt(n)
    zero = level * fixed.random(d) + drift * (np.arange(n)[:, None] / n * fixed.standard_normal(d) + 0.5 * wander)
    return zero + fixed.standard_normal((k, d))[y] * 1.5 + rng.standard_normal((n, d)), y


def prototypes(n: int, seed: int, *, k: int, d: int, active: int = 6, noise: float = 0.5) -> Rows:
    """Each class has a few features, whose sizes vary by a factor from row to row, over a background of others."""
    rng, fixed = _random(seed, k, d, active, 40)
    features = np.array([fixed.permutation(d)[:active] for _ in range(k)])
    y = rng.permutation(np.arange(n) % k)
    X = np.where(rng.random((n, d)) < 0.1, rng.exponential(noise, size=(n, d)), 0.0)
    X[np.arange(n)[:, None], features[y]] += np.exp(noise * rng.standard_normal((n, active)))
    return X, y


def confused(n: int, seed: int, *, k: int = 5, d: int = 15, share: float = 0.35) -> Rows:
    """Linear classes of which every second one is called by the name of the next for a share of its rows."""
    rng, fixed = _random(seed, k, d, 41)
    X = rng.laplace(size=(n, d))
    y = _drawn_class(rng, 4.0 * X @ fixed.standard_normal((d, k)) / np.sqrt(d))
    return X, np.where((y % 2 == 0) & (rng.random(n) < share), (y + 1) % k, y)

"""Processes that draw label sequences for the tasks of the third list; each gives a function that draws one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.signal import lfilter

from defaults.making import Load
from defaults.task import Split
from defaults.third.strings import invented_words, misspelt

Draw = Callable[[Any], tuple[Any, Any]]


def sequences(train: int, test: int, draw: Draw) -> Load:
    def load(seed: int) -> Split:
        rng = np.random.default_rng([seed, train])
        X, Y = zip(*(draw(rng) for _ in range(train + test)))
        return Split(list(X[:train]), list(Y[:train]), list(X[train:]), list(Y[train:]))

    return load


def runs(rng: Any, length: int, labels: int, mean: float) -> Any:
    """Labels that change now and then: the lengths of the runs are geometric with this mean."""
    starts = rng.random(length) < 1.0 / mean
    starts[0] = True
    return rng.integers(labels, size=length)[np.maximum.accumulate(np.where(starts, np.arange(length), 0))]


def islands(lengths: tuple[int, int]) -> Draw:
    """Strands of four letters; in some stretches other letters follow each other. The attributes of a place are the
    letters around it."""
    fixed = np.random.default_rng(101)
    follow = np.cumsum(fixed.dirichlet(np.full(4, 3.0), size=(2, 4)), axis=2)

    def draw(rng: Any) -> tuple[Any, Any]:
        length = int(rng.integers(lengths[0], lengths[1] + 1))
        labels = runs(rng, length, 2, 40.0)
        letters = [int(rng.integers(4))]
        for place, chance in enumerate(rng.random(length - 1), 1):
            letters.append(min(int(np.searchsorted(follow[labels[place], letters[-1]], chance)), 3))
        strand = "--" + "".join("acgt"[letter] for letter in letters) + "--"
        tokens = [
            [f"{part}{strand[place + part]}" for part in range(5)] + [f"pair {strand[place + 1 : place + 3]}", "bias"]
            for place in range(length)
        ]
        return tokens, ["in" if label else "out" for label in labels]

    return draw


def drifting_sensors(length: int, *, labels: int = 4, d: int = 6, level: float = 0.0) -> Draw:
    """Readings whose zeros wander during a sequence and start elsewhere in each."""
    centres = np.random.default_rng([labels, d, 102]).standard_normal((labels, d))

    def draw(rng: Any) -> tuple[Any, Any]:
        y = runs(rng, length, labels, 25.0)
        wander = lfilter([0.05], [1.0, -0.999], rng.standard_normal((length, d)), axis=0)
        zero = level + 0.5 * rng.standard_normal(d) + wander
        return zero + 1.5 * centres[y] + rng.standard_normal((length, d)), y

    return draw


def marked_ends(length: int) -> Draw:
    """Segments of three kinds that can be told by their first and last tokens only, as chunks."""
    kinds = np.random.default_rng(103).standard_normal((2, 3, 9))

    def draw(rng: Any) -> tuple[Any, Any]:
        rows, labels, place = rng.standard_normal((length, 9)), ["O"] * length, int(rng.geometric(0.15))
        while place < length - 8:
            kind, size = int(rng.integers(3)), int(rng.integers(2, 8))
            labels[place : place + size] = [f"B-{kind}"] + [f"I-{kind}"] * (size - 1)
            rows[place] += 2.5 * kinds[0, kind]
            rows[place + size - 1] += 2.5 * kinds[1, kind]
            place += size + int(rng.geometric(0.15))
        return rows, labels

    return draw


def rarely_told(length: int, *, labels: int = 3, d: int = 5, often: float = 0.08) -> Draw:
    """Most rows are zero, as nothing was measured; labels last long."""
    centres = np.random.default_rng([labels, d, 104]).standard_normal((labels, d))

    def draw(rng: Any) -> tuple[Any, Any]:
        y = runs(rng, length, labels, 30.0)
        measured = rng.random((length, 1)) < often
        return np.where(measured, centres[y] + rng.standard_normal((length, d)), 0.0), y

    return draw


def few_successors(labels: int, d: int, length: int) -> Draw:
    """Each label is followed by one of four others; rows tell it badly."""
    fixed = np.random.default_rng([labels, d, 105])
    after = np.array([fixed.permutation(labels)[:4] for _ in range(labels)])
    centres = fixed.standard_normal((labels, d))

    def draw(rng: Any) -> tuple[Any, Any]:
        y = [int(rng.integers(labels))]
        for choice in rng.integers(4, size=length - 1):
            y.append(int(after[y[-1], choice]))
        return centres[y] + rng.standard_normal((length, d)), np.array(y)

    return draw


def counts_in_states(lengths: tuple[int, int], factor: float) -> Draw:
    """Events per minute in quiet, busy and bursting hours: the count, the one before and the sum of the last five."""

    def draw(rng: Any) -> tuple[Any, Any]:
        y = runs(rng, int(rng.integers(lengths[0], lengths[1] + 1)), 3, 12.0)
        count = rng.poisson(np.array([1.0, 4.0, 12.0])[y] * rng.gamma(3.0, 1.0 / 3.0, size=y.size)).astype(np.float64)
        sums = np.convolve(count, np.ones(5))[: y.size]
        return factor * np.column_stack([count, np.concatenate([[0.0], count[:-1]]), sums]), y

    return draw


def short_names(labels: int) -> Draw:
    """One to three invented words, some misspelt, each of a kind; a kind likes some kinds before it. The attributes are
    the ends of the word, its letters by two and its length."""
    fixed = np.random.default_rng([labels, 106])
    words = [invented_words(40, fixed) for _ in range(labels)]
    bounds = np.cumsum(fixed.dirichlet(np.full(labels, 0.4), size=labels), axis=1)

    def draw(rng: Any) -> tuple[Any, Any]:
        kinds = [int(rng.integers(labels))]
        for _ in range(int(rng.integers(3))):
            kinds.append(min(int(np.searchsorted(bounds[kinds[-1]], rng.random())), labels - 1))
        said = [str(rng.choice(words[kind])) for kind in kinds]
        said = [misspelt(word, rng) if rng.random() < 0.3 else word for word in said]
        return [_letters(word) for word in said], kinds

    return draw


def _letters(word: str) -> list[str]:
    pairs = sorted({word[place : place + 2] for place in range(len(word) - 1)})
    return [*pairs, f"start {word[:2]}", f"end {word[-2:]}", f"length {len(word)}"]


def taken_again(draw: Draw, labels: int, distinct: int, times: int, test: int, wrong: float) -> Load:
    """Few sequences to train on, each several times with a share of the labels drawn anew; others to test on."""

    def load(seed: int) -> Split:
        rng = np.random.default_rng([seed, distinct])
        X, Y = zip(*(draw(rng) for _ in range(distinct)))
        taken = [_redrawn(y, labels, rng, wrong) for _ in range(times) for y in Y]
        X_test, Y_test = zip(*(draw(rng) for _ in range(test)))
        return Split(list(X) * times, taken, list(X_test), list(Y_test))

    return load


def _redrawn(y: Any, labels: int, rng: Any, share: float) -> Any:
    return np.where(rng.random(y.size) < share, rng.integers(labels, size=y.size), y)

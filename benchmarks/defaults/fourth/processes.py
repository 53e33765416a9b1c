"""Processes that draw the data of the fourth list: baskets, curves, recipes, typing, walks, races and records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from defaults.making import Load, first
from defaults.task import Split
from defaults.third.signals import Draw
from defaults.third.strings import invented_words

Integers = npt.NDArray[np.int64]
Rows = tuple[Any, Integers]
KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def indicators(bags: Sequence[Any], columns: int) -> Any:
    """A sparse row per bag with a one for each of its members."""
    members = [np.unique(bag) for bag in bags]
    ends = np.concatenate([[0], np.cumsum([some.size for some in members])]).astype(np.int32)
    indices = np.concatenate(members).astype(np.int32)
    return sp.csr_array((np.ones(indices.size), indices, ends), shape=(len(members), columns))


def baskets(n: int, seed: int, *, k: int = 2, goods: int = 800, share: float | None = None) -> Rows:
    """What customers bought. A customer has some of 40 habits, each a few goods, and the habits decide the class."""
    rng, fixed = np.random.default_rng([seed, k, 201]), np.random.default_rng([k, goods, 201])
    habit = [fixed.integers(goods, size=12) for _ in range(40)]
    liking = fixed.standard_normal((40, k))
    has = rng.random((n, 40)) < fixed.beta(1.0, 6.0, size=40)
    score = 2.0 * has @ liking + rng.gumbel(size=(n, k))
    if share is not None:
        score[:, -1] -= np.quantile(score[:, -1] - score[:, :-1].max(axis=1), 1.0 - share)
    bought = [
        np.concatenate([rng.integers(goods, size=6), *(rng.choice(habit[h], 4) for h in np.flatnonzero(row))])
        for row in has
    ]
    return indicators(bought, goods), score.argmax(axis=1)


def waiting(n: int, seed: int, *, d: int = 14, share: float = 0.04, factor: float = 1.0) -> Rows:
    """Times of waiting (gamma laws). Of the rare class some take longer and all vary more."""
    rng, fixed = np.random.default_rng([seed, d, 202]), np.random.default_rng([d, 202])
    y = (rng.random(n) < share).astype(np.int64)
    shape, scale = fixed.uniform(1.0, 6.0, size=d), fixed.gamma(3.0, 1.0, size=d)
    longer = np.where(fixed.random(d) < 0.4, fixed.uniform(1.2, 2.2, size=d), 1.0)
    X = rng.gamma(np.where(y[:, None] == 1, 0.6 * shape, shape))
    return factor * scale * np.where(y[:, None] == 1, longer / 0.6, 1.0) * X, y


def curves(n: int, seed: int, *, k: int = 5, points: int = 400) -> Rows:
    """Smooth curves: each class has bumps at places of its own, over a random trend that is much larger."""
    rng, fixed = np.random.default_rng([seed, k, 203]), np.random.default_rng([k, points, 203])
    at = np.linspace(0.0, 1.0, points)
    y = rng.integers(k, size=n)
    centre, size = fixed.random((k, 4)), fixed.normal(0.0, 1.0, size=(k, 4))
    bumps = np.exp(-0.5 * ((at[None, None, :] - centre[:, :, None]) / 0.02) ** 2)
    wave = np.array([np.cos(np.pi * order * at) / order for order in range(1, 9)])
    trend = 4.0 * rng.standard_normal((n, 8)) @ wave
    return trend + (size[:, :, None] * bumps).sum(axis=1)[y] + 0.4 * rng.standard_normal((n, points)), y


def dialects(n: int, seed: int, *, k: int = 40, words: int = 30) -> tuple[list[str], Integers]:
    """Phrases of three to six words; a dialect has words of its own, and half of the words are common to all."""
    rng, fixed = np.random.default_rng([seed, k, 204]), np.random.default_rng([k, 204])
    own = [invented_words(words, fixed) for _ in range(k)]
    common = invented_words(3 * words, fixed)
    y = rng.permutation(np.arange(n) % k)
    texts = [
        " ".join(str(rng.choice(own[label] if rng.random() < 0.5 else common)) for _ in range(int(rng.integers(3, 7))))
        for label in y
    ]
    return texts, y


def recipes(train: int, test: int) -> Load:
    """Ingredients of dishes below their cuisine and course: every node likes some ingredients, salt is in all."""
    names = [f"{c}/{s}/{d}" for c in range(5) for s in range(3) for d in range(2 + (c + s) % 4)]
    fixed = np.random.default_rng(205)
    nodes = sorted({"/".join(name.split("/")[:depth]) for name in names for depth in (1, 2, 3)})
    likes = {node: fixed.integers(300, size=6) for node in nodes}
    share = fixed.gamma(1.0, size=len(names))

    def load(seed: int) -> Split:
        rng = np.random.default_rng([seed, 205])
        leaves = rng.choice(len(names), size=train + test, p=share / share.sum())
        bags = []
        for leaf in leaves:
            parts = names[leaf].split("/")
            liked = [rng.choice(likes["/".join(parts[:depth])], size=2) for depth in (1, 2, 3)]
            bags.append(np.concatenate([*liked, rng.integers(300, size=4), [0]]))
        return first(indicators(bags, 300), np.array(names)[leaves], train)

    return load


def _neighbours() -> dict[str, str]:
    place = {key: (row, column + 0.5 * row) for row, keys in enumerate(KEYS) for column, key in enumerate(keys)}
    return {
        key: "".join(
            other
            for other, (row, column) in place.items()
            if other != key and abs(row - place[key][0]) <= 1 and abs(column - place[key][1]) <= 1.0
        )
        for key in place
    }


def typed(words: list[str], wrong: float) -> Draw:
    """Words of a list, in which a neighbour of the right key was hit now and then; the labels are what was meant."""
    neighbours = _neighbours()

    def draw(rng: Any) -> tuple[Any, Any]:
        word = words[int(rng.integers(len(words)))]
        hit = [str(rng.choice(list(neighbours[key]))) if rng.random() < wrong else key for key in word]
        return [[f"key {key}"] for key in hit], list(word)

    return draw


def walk(places: int, symbols: int, length: tuple[int, int], wrong: float) -> Draw:
    """A walk on a ring, one or two places at a time; what is seen at a place is seen at others too, and often wrong."""
    seen = np.random.default_rng([places, symbols, 206]).integers(symbols, size=places)

    def draw(rng: Any) -> tuple[Any, Any]:
        steps = rng.choice([-1, 0, 1, 2], p=[0.15, 0.2, 0.45, 0.2], size=int(rng.integers(length[0], length[1] + 1)))
        at = (int(rng.integers(places)) + np.cumsum(steps)) % places
        sight = np.where(rng.random(at.size) < wrong, rng.integers(symbols, size=at.size), seen[at])
        return [[f"sees {symbol}"] for symbol in sight], [f"at {place}" for place in at]

    return draw


def races(train: int, test: int, runners: int) -> Load:
    """Runners by earlier times, which are alike, and by age and weight, which hardly count; the first three win."""

    def load(seed: int) -> Split:
        rng = np.random.default_rng([seed, runners, 207])
        n = (train + test) * runners
        form = rng.standard_normal(n)
        earlier = 3600.0 + 240.0 * (form[:, None] + 0.6 * rng.standard_normal((n, 5)))
        X = np.column_stack([earlier, rng.normal(30.0, 6.0, size=n), rng.normal(70.0, 9.0, size=n)])
        time = (form + 0.05 * (X[:, 6] - 70.0) / 9.0 + 0.5 * rng.standard_normal(n)).reshape(-1, runners)
        grade = np.clip(3 - time.argsort(axis=1).argsort(axis=1), 0, 3).ravel()
        cut, groups = train * runners, np.repeat(np.arange(train + test), runners)
        return Split(X[:cut], grade[:cut], X[cut:], grade[cut:], groups[:cut], groups[cut:])

    return load


def records(train: int, test: int, length: int) -> Load:
    """Records beside a wanted one, by how unlike each of 25 fields is: of a match some fields are wrong or empty."""

    def load(seed: int) -> Split:
        rng, fixed = np.random.default_rng([seed, 208]), np.random.default_rng(208)
        n, tells = (train + test) * length, fixed.beta(1.0, 2.0, size=25)
        alike = rng.integers(4, size=n)
        same = rng.random((n, 25)) < 0.15 + 0.25 * alike[:, None] * tells
        X = np.where(same, rng.exponential(0.1, size=(n, 25)), rng.exponential(1.0, size=(n, 25)))
        X = np.where(rng.random((n, 25)) < 0.2, 0.0, X)
        cut, groups = train * length, np.repeat(np.arange(train + test), length)
        return Split(X[:cut], alike[:cut], X[cut:], alike[cut:], groups[:cut], groups[cut:])

    return load


def tagged_baskets(train: int, test: int, labels: int) -> Load:
    """Baskets of goods with tags, each of which a few goods suggest; tags are seldom."""

    def load(seed: int) -> Split:
        rng, fixed = np.random.default_rng([seed, labels, 209]), np.random.default_rng([labels, 209])
        often = 3.0 * fixed.dirichlet(np.full(labels, 0.7))
        Y = rng.random((train + test, labels)) < often.clip(max=0.5)
        goods = fixed.integers(600, size=(labels, 5))
        bags = [
            np.concatenate([rng.integers(600, size=5), *(rng.choice(goods[t], 2) for t in np.flatnonzero(tags))])
            for tags in Y
        ]
        return first(indicators(bags, 600), Y.astype(np.int64), train)

    return load


def menus(n: int, seed: int, documents: int) -> tuple[list[Any], list[Any]]:
    """Sets of dishes as lists of ingredients. A dish serves up to four of 15 tastes, some of which are frequent."""
    rng, fixed = np.random.default_rng([seed, documents, 210]), np.random.default_rng(210)
    words = [invented_words(10, fixed) for _ in range(15)]
    common = invented_words(50, fixed)
    often = fixed.beta(1.0, 3.0, size=15)
    X, Y = [], []
    for _ in range(n):
        texts, tastes = [], []
        for _ in range(documents):
            served = np.flatnonzero(rng.random(15) < often * rng.random())[:4]
            said = [str(word) for taste in served for word in rng.choice(words[taste], size=2)]
            texts.append(" ".join([*said, *(str(word) for word in rng.choice(common, size=6))]))
            tastes.append({f"taste {taste}" for taste in served})
        X.append({"text": texts})
        Y.append(tastes)
    return X, Y

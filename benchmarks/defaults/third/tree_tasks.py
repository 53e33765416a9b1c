"""Tasks of the third list whose classes are the leaves of a tree: lopsided, misleading, evolved, of other depths."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_digits

from defaults.making import Floats, Load, first, parted, scaled
from defaults.task import Split
from defaults.taxonomy_tasks import tree_task
from defaults.third.sources import forests
from defaults.third.strings import hashed, invented_words, misspelt

_FEATURES = 40
# The codes of the forty soils of covertype: climatic zone, geologic zone, and the soil itself.
_SOILS = (
    "2702 2703 2704 2705 2706 2717 3501 3502 4201 4703 4704 4744 4758 5101 5151 6101 6102 6731 7101 7102 7103 7201 "
    "7202 7700 7701 7702 7709 7710 7745 7746 7755 7756 7757 7790 8703 8707 8708 8771 8772 8776"
)


def lopsided() -> list[str]:
    """One node has 30 leaves in five groups, one has four leaves, and three leaves hang from the root."""
    return [
        *(f"large/{group}/{leaf}" for group in range(5) for leaf in range(6)),
        *(f"small/{leaf}" for leaf in range(4)),
        *(f"alone {leaf}" for leaf in range(3)),
    ]


def only_children() -> list[str]:
    """Nodes of which many have a single child, so that depth says little."""
    return [
        f"{top}/{'/'.join(['same'] * (top % 4))}{'/' if top % 4 else ''}{leaf}" for top in range(7) for leaf in "ab"
    ]


def twins(pairs: int) -> list[str]:
    return [f"{pair}/{one}" for pair in range(pairs) for one in ("left", "right")]


def nodes_of(name: str) -> list[str]:
    """The nodes from below the root down to the leaf."""
    parts = name.split("/")
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts))]


def own_features(names: list[str], *, touched: int = 6, fade: float = 0.7) -> Floats:
    """A row per leaf: every node moves a few features, the deeper the less."""
    fixed = np.random.default_rng([len(names), 71])
    step: dict[str, Any] = {}
    centres = np.zeros((len(names), _FEATURES))
    for leaf, name in enumerate(names):
        for depth, node in enumerate(nodes_of(name)):
            if node not in step:
                step[node] = np.zeros(_FEATURES)
                step[node][fixed.permutation(_FEATURES)[:touched]] = fade**depth * 2.0 * fixed.standard_normal(touched)
            centres[leaf] += step[node]
    return centres


def popularity(leaves: int, spread: float) -> Floats:
    """Shares of the leaves, whose logarithms have this standard deviation."""
    share = np.exp(spread * np.random.default_rng([leaves, 72]).standard_normal(leaves))
    return np.asarray(share / share.sum())


def around(centres: Floats, names: list[str], train: int, test: int, *, noise: float, spread: float) -> Load:
    """Rows around the centre of their leaf, with Laplace's errors; leaves are of different popularity."""

    def load(seed: int) -> Split:
        rng = np.random.default_rng([seed, len(names)])
        leaf = rng.choice(len(names), size=train + test, p=popularity(len(names), spread))
        X = centres[leaf] + noise * rng.laplace(size=(train + test, centres.shape[1]))
        return first(X, np.array(names)[leaf], train)

    return load


def _misleading(train: int, test: int, groups: int, size: int) -> Load:
    """Leaves that are alike are in different branches: the tree was made by somebody who looked at other things."""
    names = [f"{leaf % size}/{leaf // size}" for leaf in range(groups * size)]
    fixed = np.random.default_rng([groups, size, 73])
    alike = np.repeat(fixed.standard_normal((groups, _FEATURES)), size, axis=0)
    centres = alike + 0.6 * fixed.standard_normal((groups * size, _FEATURES))
    return around(centres, names, train, test, noise=0.8, spread=0.3)


def _evolved(tips: int, train: int, test: int, *, length: int = 120, change: float = 0.08) -> Load:
    """Strands that branch into two and mutate on the way; a letter at a place is a column. Samples mutate further."""
    fixed = np.random.default_rng([tips, 74])
    strands = {"": fixed.integers(4, size=length)}
    while len(strands) < tips:
        parent = sorted(strands)[int(fixed.integers(len(strands)))]
        strand = strands.pop(parent)
        for child in "xy":
            moved = np.where(fixed.random(length) < change, fixed.integers(4, size=length), strand)
            strands[f"{parent}/{child}" if parent else child] = moved
    names = sorted(strands)
    letters = np.array([strands[name] for name in names])

    def load(seed: int) -> Split:
        rng = np.random.default_rng([seed, tips])
        n = train + test
        leaf = rng.choice(tips, size=n, p=popularity(tips, 0.8))
        sample = np.where(rng.random((n, length)) < 0.4, rng.integers(4, size=(n, length)), letters[leaf])
        indices = (sample + 4 * np.arange(length)).astype(np.int32).ravel()
        ends = np.arange(0, n * length + 1, length, dtype=np.int32)
        X = sp.csr_array((np.ones(n * length), indices, ends), shape=(n, 4 * length))
        return first(X, np.array(names)[leaf], train)

    return load


def _catalogue(train: int, test: int) -> Load:
    """Titles of goods: some words of each node on the way to the leaf, some misspelt, and words that all use."""
    names, fixed = lopsided(), np.random.default_rng(75)
    words = {node: invented_words(8, fixed) for name in names for node in nodes_of(name)}
    common = invented_words(60, fixed)

    def load(seed: int) -> Split:
        rng = np.random.default_rng([seed, 75])
        leaves = rng.choice(len(names), size=train + test, p=popularity(len(names), 1.0))
        titles = []
        for leaf in leaves:
            said = [str(rng.choice(words[node])) for node in nodes_of(names[leaf]) if rng.random() < 0.6]
            said += [str(word) for word in rng.choice(common, size=3)]
            titles.append(" ".join(misspelt(word, rng) if rng.random() < 0.15 else word for word in said))
        return first(hashed(titles, 2**11), np.array(names)[leaves], train)

    return load


def _loops(seed: int) -> Split:
    """Digits below the number of their loops, and the bent ones apart from the straight ones."""
    X, y = load_digits(return_X_y=True)
    names = ["one/0", "none/straight/1", "none/bent/2", "none/bent/3", "one/4"]
    names += ["none/bent/5", "one/6", "none/straight/7", "two/8", "one/9"]
    return parted(X, np.array(names)[y], 80, seed)


def _soils(seed: int) -> Split:
    """Soils below their geologic and climatic zones, by what was measured; the rarest are left out."""
    X, _, soil, _ = forests()
    kept = np.bincount(soil)[soil] >= 60
    names = np.array([f"{code[0]}/{code[1]}/{code}" for code in _SOILS.split()])
    return parted(X[kept], names[soil[kept]], 2000, seed, test=8000)


TAXONOMY_TASKS = (
    tree_task(
        "lopsided tree, leaves of all sizes",
        around(own_features(lopsided()), lopsided(), 700, 5000, noise=1.0, spread=1.5),
        "/",
        "rare classes",
        "width",
    ),
    tree_task(
        "only children, 60 rows",
        around(own_features(only_children()), only_children(), 60, 5000, noise=0.8, spread=0.5),
        "/",
        "n small",
        "depth",
        splits=6,
    ),
    tree_task(
        "30 pairs of twins, + 1e4",
        scaled(
            around(own_features(twins(30), touched=10, fade=0.4), twins(30), 500, 5000, noise=0.5, spread=0.3), 1.0, 1e4
        ),
        "/",
        "offset",
        "width",
        splits=2,
    ),
    tree_task("tree made for other things", _misleading(600, 5000, 6, 5), "/", "overlap"),
    tree_task("strands that evolved, 24 tips", _evolved(24, 500, 4000), "/", "depth", "one-hot"),
    tree_task("titles of a catalogue", _catalogue(500, 4000), "/", "d large", "rare classes", splits=2),
    tree_task("digits by their loops, 80 rows", _loops, "/", "bundled", "n small", splits=8),
    tree_task("soils by zone", _soils, "/", "data folder", "unscaled column", splits=2),
)

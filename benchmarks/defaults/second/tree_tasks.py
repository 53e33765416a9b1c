"""Tasks of the second list whose classes are the leaves of a tree: trees of all shapes, also such that say nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from defaults.local_data import letters, xrays
from defaults.making import Load, first, mapped, parted
from defaults.second.processes import units
from defaults.second.sources import spelling, subject_lines
from defaults.task import Split
from defaults.taxonomy_tasks import tree_task
from maxmargin.datasets import make_taxonomy

_FEATURES = 25


def random_tree(leaves: int, seed: int) -> list[str]:
    """Names of the leaves of a tree that grew by splitting leaves at random into two to four; they differ in depth."""
    rng = np.random.default_rng(seed)
    names = [f"n{child}" for child in range(3)]
    while len(names) < leaves:
        parent = names.pop(int(rng.integers(len(names))))
        names += [f"{parent}/{child}" for child in range(int(rng.integers(2, 5)))]
    return sorted(names)


def comb(depth: int) -> list[str]:
    """Leaves of a tree each of whose nodes has a leaf and a node below it."""
    return [*("/".join(["on"] * k + ["off"]) for k in range(depth)), "/".join(["on"] * depth)]


def full_tree(*branching: int) -> list[str]:
    names = [""]
    for children in branching:
        names = [f"{name}{child}/" for name in names for child in range(children)]
    return [name.rstrip("/") for name in names]


def rows_of(names: list[str], train: int, test: int, *, noise: float, fade: float = 0.8, seed_of_tree: int = 1) -> Load:
    """Normal rows around the sum of a vector for each node from the root to the leaf; ``fade=0`` leaves the leaf's
    alone, so that the tree says nothing of the rows."""

    def load(seed: int) -> Split:
        rng, fixed = np.random.default_rng(seed), np.random.default_rng([len(names), seed_of_tree])
        step: dict[str, Any] = {}
        centres = np.zeros((len(names), _FEATURES))
        for leaf, name in enumerate(names):
            parts = name.split("/")
            for depth in range(1, len(parts) + 1):
                node = "/".join(parts[:depth])
                if node not in step:
                    weight = fade ** (depth - 1) if fade else float(node == name)
                    step[node] = weight * fixed.standard_normal(_FEATURES)
                centres[leaf] += step[node]
        popularity = fixed.gamma(2.0, 1.0, size=len(names)) + 0.2
        leaf = rng.choice(len(names), size=train + test, p=popularity / popularity.sum())
        X = centres[leaf] + noise * rng.standard_normal((train + test, _FEATURES))
        return first(X, np.array(names)[leaf], train)

    return load


def _texts(train: int, branching: tuple[int, ...], **options: Any) -> Load:
    """``make_taxonomy`` with leaves that differ in popularity by Zipf's law."""

    def load(seed: int) -> Split:
        X, y = make_taxonomy(8 * (train + 3000), branching=branching, seed=47, **options)
        names, leaf = np.unique(y, return_inverse=True)
        rank = np.random.default_rng(3).permutation(names.size)
        weight = (1.0 / (rank[leaf] + 2.0)) / np.bincount(leaf)[leaf]
        rng = np.random.default_rng(seed)
        rows = rng.permutation(rng.choice(y.size, size=train + 3000, replace=False, p=weight / weight.sum()))
        return first(X[rows], y[rows], train)

    return load


def _parity(seed: int) -> Split:
    X, y = load_digits(return_X_y=True)
    names = np.array(
        [f"{'odd' if digit % 2 else 'even'}/{'low' if digit < 5 else 'high'}/{digit}" for digit in range(10)]
    )
    return parted(X, names[y], 300, seed)


def _alphabet(seed: int) -> Split:
    """Letters in a tree by their place in the alphabet: fives, and vowels apart."""
    X, y = letters()
    names = {
        letter: f"vowel/{letter}" if letter in "AEIOU" else f"consonant/{(ord(letter) - 65) // 5}/{letter}"
        for letter in np.unique(y).tolist()
    }
    return parted(X, np.array([names[letter] for letter in y.tolist()]), 1500, seed, test=6000)


def _frequent_xrays(seed: int) -> Split:
    """Few images of the twenty most frequent codes."""
    X, y = xrays("all")
    names, counts = np.unique(y, return_counts=True)
    rows = np.isin(y, names[np.argsort(-counts, kind="stable")[:20]])
    return parted(X[rows], y[rows], 250, seed)


def _tags(seed: int) -> Split:
    """Tags of the Penn Treebank below their first letter, by spelling."""
    split = spelling("xpos", 2000)(seed)
    y, y_test = (np.array([f"{tag[0]}/{tag}" for tag in part]) for part in (split.y, split.y_test))
    return Split(split.X, y, split.X_test, y_test)


TAXONOMY_TASKS = (
    tree_task("tree that grew at random, 40 leaves", rows_of(random_tree(40, 5), 500, 5000, noise=1.5), "/", "depth"),
    tree_task(
        "tree that grew at random, 12 leaves",
        rows_of(random_tree(12, 9), 80, 5000, noise=2.0),
        "/",
        "n small",
        splits=6,
    ),
    tree_task("comb of depth 10", rows_of(comb(10), 400, 5000, noise=1.5), "/", "depth"),
    tree_task("3 nodes of 60 leaves", rows_of(full_tree(3, 60), 1500, 5000, noise=0.9), "/", "width", splits=2),
    tree_task("binary tree of depth 7", rows_of(full_tree(*[2] * 7), 1500, 5000, noise=1.0), "/", "depth", splits=2),
    tree_task("tree that says nothing", rows_of(full_tree(3, 3, 3), 500, 5000, noise=1.5, fade=0.0), "/", "overlap"),
    tree_task(
        "tree over columns of all units",
        mapped(rows_of(random_tree(20, 11), 500, 5000, noise=1.5), units),
        "/",
        "unscaled column",
        "offset",
    ),
    tree_task("texts, leaves by Zipf's law", _texts(700, (6, 5, 4), noise=0.7), ".", "rare classes", "depth"),
    tree_task("digits, even and odd", _parity, "/", "bundled", splits=4),
    tree_task("letters by the alphabet", _alphabet, "/", "data folder", splits=2),
    tree_task("frequent X-rays, 250", _frequent_xrays, "/", "data folder", "n small"),
    tree_task("newsgroup tree, subject lines", subject_lines(2000), ".", "data folder", "d large", splits=2),
    tree_task("tags below their letter", _tags, "/", "data folder", "width", "d large", splits=2),
)

"""Tasks whose classes are the leaves of a tree: deep and wide ones, words and rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from defaults.local_data import newsgroups20, xrays
from defaults.making import Load, first, parted
from defaults.task import Split, Task
from maxmargin.datasets import make_taxonomy


def _tree(train: int, test: int, **options: Any) -> Load:
    """``make_taxonomy`` with one tree for all seeds, of which other texts are drawn."""

    def load(seed: int) -> Split:
        X, y = make_taxonomy(train + test, seed=23, **options)
        return parted(X, y, train, seed)

    return load


def _dense_tree(train: int, test: int, branching: tuple[int, ...], noise: float, factor: float = 1.0) -> Load:
    """Normal clusters whose centres are sums along the path from the root; children differ less the deeper they are."""

    def load(seed: int) -> Split:
        rng, fixed = np.random.default_rng(seed), np.random.default_rng(list(branching))
        leaves = int(np.prod(branching))
        centres, names = np.zeros((leaves, 30)), [""] * leaves
        for depth in range(len(branching)):
            below = int(np.prod(branching[depth + 1 :]))
            steps = fixed.standard_normal((leaves // below, 30)) * 0.8**depth
            centres += steps[np.arange(leaves) // below]
            names = [f"{name}{leaf // below % branching[depth]}/" for leaf, name in enumerate(names)]
        leaf = rng.integers(leaves, size=train + test)
        X = factor * (centres[leaf] + noise * rng.standard_normal((train + test, 30)))
        return first(X, np.array([name.rstrip("/") for name in names])[leaf], train)

    return load


def _xrays(train: int) -> Load:
    def load(seed: int) -> Split:
        X, y = xrays("all")
        return parted(X, y, train, seed, stratify=False)

    return load


def _news(train: int) -> Load:
    def load(seed: int) -> Split:
        (texts, groups), (test_texts, test_groups) = newsgroups20("train"), newsgroups20("test")
        rows = np.random.default_rng(seed).permutation(len(texts))[:train]
        words = TfidfVectorizer(sublinear_tf=True, stop_words="english", min_df=2)
        X = words.fit_transform([texts[row] for row in rows])
        return Split(X, np.array(groups)[rows], words.transform(test_texts), np.array(test_groups))

    return load


def tree_task(name: str, load: Load, divider: str, *tags: str, **options: Any) -> Task:
    return Task(name, "taxonomies", load, "tree_loss", tags, {"taxonomy": divider}, **options)


TAXONOMY_TASKS = (
    tree_task("tree 2 x 2 x 2", _tree(200, 4000, branching=(2, 2, 2), noise=0.7), ".", "tree small", splits=5),
    tree_task("tree 4 x 4 x 4", _tree(400, 4000, branching=(4, 4, 4), noise=0.6), ".", "depth"),
    tree_task("tree 10 x 10", _tree(500, 4000, branching=(10, 10), noise=0.6), ".", "width"),
    tree_task("tree of depth 6", _tree(600, 4000, branching=(2,) * 6, noise=0.6), ".", "depth"),
    tree_task("40 children of each of two nodes", _tree(600, 4000, branching=(2, 40), noise=0.7), ".", "width"),
    tree_task("tree 5 x 5 x 5 x 5", _tree(2500, 5000, branching=(5, 5, 5, 5), noise=0.5), ".", "depth", splits=1),
    tree_task("rows, tree 3 x 3 x 3", _dense_tree(500, 6000, (3, 3, 3), 1.5), "/", "depth", "overlap"),
    tree_task("rows, tree 8 x 4", _dense_tree(400, 6000, (8, 4), 1.2), "/", "width", "overlap"),
    tree_task("rows, tree of depth 5", _dense_tree(800, 6000, (2,) * 5, 1.5), "/", "depth", "overlap"),
    tree_task("rows, tree 4 x 5, x 1e4", _dense_tree(400, 6000, (4, 5), 1.2, 1e4), "/", "scale"),
    tree_task("X-rays, 1,000", _xrays(1000), "/", "data folder"),
    tree_task("X-rays, 4,000", _xrays(4000), "/", "data folder", splits=2),
    tree_task("newsgroup tree, 1,000", _news(1000), ".", "data folder", "d large"),
    tree_task("newsgroup tree, 3,000", _news(3000), ".", "data folder", "d large", splits=2),
)

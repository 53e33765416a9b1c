"""Trees by which the defaults of taxonomies are chosen: families of tasks, each with its own rows to train and to test.

Generated classes follow their tree, ignore it, or follow it with wrong labels among the rows; trees are balanced or
grown at random, and their leaves have equally many rows or a few most of them. Letters and digits get the tree of an
agglomerative clustering of the means of their classes. ImCLEF07A and newsgroups come with their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.cluster.hierarchy import linkage
from sklearn.datasets import load_digits

from maxmargin import Taxonomy
from maxmargin.datasets import load_uci_letter, make_taxonomy
from taxonomies.data import load, prepared, splits

Floats = npt.NDArray[np.float64]
TESTED = 1000


@dataclass(frozen=True, eq=False)
class Task:
    """Rows to train and to test with, whose labels are nodes of the tree."""

    family: str
    name: str
    X: Any
    y: npt.NDArray[Any]
    X_test: Any
    y_test: npt.NDArray[Any]
    taxonomy: Taxonomy


def tasks(quick: bool = False) -> Iterator[Task]:
    """All of them, or two of the families at a small size."""
    makers: dict[str, Callable[[], Iterator[Task]]] = {
        "texts": _texts,
        "gaussians": _gaussians,
        "grown": _grown,
        "unrelated": _unrelated,
        "wrong labels": _wrong_labels,
        "clustered": _clustered,
        "images": lambda: _real("images", "ImCLEF07A"),
        "newsgroups": lambda: _real("newsgroups", "newsgroups20"),
    }
    for family in ("texts", "grown") if quick else tuple(makers):
        made = makers[family]()
        yield from (next(made), next(made)) if quick else made


def _texts() -> Iterator[Task]:
    settings: list[tuple[tuple[int, ...], int, float]] = [
        ((3, 3), 4, 0.5),
        ((2, 2, 2, 2, 2), 6, 0.6),
        ((20, 4), 3, 0.4),
        ((4, 4, 4), 8, 0.8),
        ((2, 2, 2, 2, 2, 2, 2), 2, 0.3),
    ]
    for number, (branching, rows, noise) in enumerate(settings):
        leaves = int(np.prod(branching))
        X, y = make_taxonomy(
            rows * leaves + TESTED, branching=branching, n_features=600, noise=noise, seed=100 + number
        )
        name = f"texts {'x'.join(map(str, branching))}, {rows} rows per leaf, noise {noise:g}"
        yield _divided("texts", name, X, y, rows * leaves, Taxonomy.from_names(np.unique(y).tolist()))


def _gaussians() -> Iterator[Task]:
    settings: list[tuple[tuple[int, ...], int, int, float, float]] = [
        ((3, 3), 10, 10, 0.7, 1.0),
        ((2, 2, 2, 2), 5, 20, 0.9, 1.5),
        ((15, 3), 8, 30, 0.5, 1.0),
        ((5, 5, 2), 8, 10, 0.8, 0.8),
        ((2, 2, 2, 2, 2, 2), 3, 50, 1.0, 2.0),
        ((4, 4), 25, 6, 0.6, 1.0),
    ]
    for number, (branching, rows, features, decay, noise) in enumerate(settings):
        rng = np.random.default_rng(200 + number)
        tree = _balanced(branching)
        name = f"gaussians {'x'.join(map(str, branching))}, {rows} rows per leaf, {features} features"
        yield _drawn("gaussians", name, tree, tree, rng, rows, features, decay, noise)


def _grown() -> Iterator[Task]:
    settings = [(15, 10, 10, 0.8, 1.0), (40, 5, 30, 0.9, 1.5), (25, 15, 12, 0.7, 1.0), (50, 6, 40, 0.9, 1.5)]
    for number, (leaves, rows, features, decay, noise) in enumerate(settings):
        rng = np.random.default_rng(300 + number)
        tree = _grown_tree(leaves, rng)
        name = f"grown tree, {leaves} leaves, {rows} rows per leaf, skewed"
        yield _drawn("grown", name, tree, tree, rng, rows, features, decay, noise, skew=1.0)


def _unrelated() -> Iterator[Task]:
    for number, (branching, rows) in enumerate([((4, 4), 10), ((3, 3, 3), 6), ((10, 3), 15)]):
        rng = np.random.default_rng(400 + number)
        tree = _balanced(branching)
        flat = Taxonomy([("root", tree.nodes[leaf]) for leaf in tree.leaves])
        name = f"tree that says nothing {'x'.join(map(str, branching))}, {rows} rows per leaf"
        yield _drawn("unrelated", name, flat, tree, rng, rows, 15, 1.0, 0.7)


def _wrong_labels() -> Iterator[Task]:
    for number, (branching, rows, share) in enumerate([((3, 3), 30, 0.2), ((5, 5), 15, 0.3), ((2, 2, 2, 2), 20, 0.1)]):
        rng = np.random.default_rng(500 + number)
        tree = _balanced(branching)
        name = f"wrong labels {share:g}, {'x'.join(map(str, branching))}, {rows} rows per leaf"
        yield _drawn("wrong labels", name, tree, tree, rng, rows, 15, 0.8, 0.8, wrong=share)


def _clustered() -> Iterator[Task]:
    letters = load_uci_letter("train")
    digits = load_digits(return_X_y=True)
    for (source, (X, y)), rows in (
        (("letters", letters), 10),
        (("letters", letters), 20),
        (("digits", digits), 5),
        (("digits", digits), 40),
    ):
        rng = np.random.default_rng(600 + rows)
        names = np.array([str(label) for label in y])
        train, test = _chosen_rows(names, rows, rng)
        yield Task(
            "clustered",
            f"{source}, {rows} rows per class",
            X[train],
            names[train],
            X[test],
            names[test],
            _clustering(X[train], names[train]),
        )


def _real(family: str, data: str) -> Iterator[Task]:
    """The shapes of the paper's table, and a slice with the natural frequencies of the classes."""
    workload = load(data)
    for rows, folds in ((2, 5), (4, 3), (12, 3)):
        split = splits(workload.y, rows, folds, seed=70 + rows)[0]
        X, X_test = prepared(workload.X, split)
        test = np.random.default_rng(rows).permutation(split.test.size)[:TESTED]
        y, y_test = workload.y[split.train], workload.y[split.test[test]]
        yield Task(family, f"{data}, {rows} rows per class", X, y, X_test[test], y_test, workload.taxonomy)
    order = np.random.default_rng(7).permutation(workload.y.size)
    train, test = order[:600], order[600 : 600 + TESTED]
    X = workload.X
    yield Task(family, f"{data}, 600 rows", X[train], workload.y[train], X[test], workload.y[test], workload.taxonomy)


def _balanced(branching: tuple[int, ...]) -> Taxonomy:
    names = [".".join(map(str, place)) for place in np.ndindex(*branching)]
    return Taxonomy.from_names(names)


def _grown_tree(leaves: int, rng: np.random.Generator) -> Taxonomy:
    """A leaf is chosen and gets two to four children until there are enough: some branches become deep."""
    parent, free = [-1], [0]
    while len(free) < leaves:
        chosen = free.pop(int(rng.integers(len(free))))
        for _ in range(int(rng.integers(2, 5))):
            free.append(len(parent))
            parent.append(chosen)
    return Taxonomy.from_parents(np.array(parent))


def _drawn(
    family: str,
    name: str,
    drawn_by: Taxonomy,
    known: Taxonomy,
    rng: np.random.Generator,
    rows: int,
    features: int,
    decay: float,
    noise: float,
    *,
    skew: float = 0.0,
    wrong: float = 0.0,
) -> Task:
    """Every node has a vector, smaller at depth; a row is the sum of those above its leaf and noise. ``known`` is the
    tree to train with. The k-th leaf is drawn in proportion to ``k ** -skew``, and of the training labels a share
    ``wrong`` is replaced by any leaf."""
    leaves = [drawn_by.nodes[z] for z in drawn_by.leaves]
    centres = np.empty((len(leaves), features))
    vectors = rng.standard_normal((len(drawn_by), features)) * decay ** drawn_by.depths[:, None].astype(float)
    for at, leaf in enumerate(drawn_by.leaves.tolist()):
        centres[at] = vectors[drawn_by.above([leaf])].sum(axis=0)
    share = np.arange(1.0, len(leaves) + 1.0) ** -skew
    count = rows * len(leaves)
    code = rng.choice(len(leaves), count + TESTED, p=share / share.sum())
    code[: len(leaves)] = np.arange(len(leaves))
    X = centres[code] + noise * rng.standard_normal((code.size, features))
    changed = rng.random(code.size) < wrong
    changed[count:] = False
    code[changed] = rng.integers(len(leaves), size=int(changed.sum()))
    return _divided(family, name, X, np.array(leaves)[code], count, known)


def _divided(family: str, name: str, X: Any, y: npt.NDArray[Any], train: int, taxonomy: Taxonomy) -> Task:
    X = sp.csr_array(X) if sp.issparse(X) else X
    return Task(family, name, X[:train], y[:train], X[train:], y[train:], taxonomy)


def _chosen_rows(
    y: npt.NDArray[Any], rows: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    train = np.concatenate([rng.permutation(np.flatnonzero(y == label))[:rows] for label in np.unique(y)])
    return train, rng.permutation(np.setdiff1d(np.arange(y.size), train))[:TESTED]


def _clustering(X: Floats, y: npt.NDArray[Any]) -> Taxonomy:
    classes = np.unique(y)
    merges = linkage(np.array([X[y == label].mean(axis=0) for label in classes]), "ward")
    nodes: list[Any] = [str(label) for label in classes]
    edges = []
    for first, second, _, _ in merges:
        nodes.append(f"group {len(nodes)}")
        edges += [(nodes[-1], nodes[int(first)]), (nodes[-1], nodes[int(second)])]
    return Taxonomy(edges)

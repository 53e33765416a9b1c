"""Tasks of the third list with one class per row, with and without costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris

from defaults.class_tasks import alarm_costs, class_task, cost_task, ordinal_costs, random_costs
from defaults.making import Floats, parted, scaled
from defaults.second.processes import drawn
from defaults.task import Split
from defaults.third.rows import (
    blocks,
    confused,
    drifting,
    interactions,
    many_levels,
    monomials,
    nearly_constant,
    prototypes,
    repeated,
    shares,
    table,
)
from defaults.third.sources import forests, headline_topics
from defaults.third.strings import hashed_names, kmers

_TOPICS = ("earn", "acq", "crude", "money-fx", "interest", "sugar", "coffee", "gold", "copper", "cpi")


def profiles(X: Floats) -> Floats:
    """Sums of the rows and of the columns of 8 by 8 images."""
    images = X.reshape(-1, 8, 8)
    return np.hstack([images.sum(axis=1), images.sum(axis=2)])


def _petals(seed: int) -> Split:
    X, y = load_iris(return_X_y=True)
    return parted(X[:, 2:], y, 15, seed)


def _profiled_digits(seed: int) -> Split:
    X, y = load_digits(return_X_y=True)
    return parted(profiles(X), y, 600, seed)


def _sex(seed: int) -> Split:
    """The sex of a diabetes patient by the other measurements and by how far the illness went."""
    X, target = load_diabetes(return_X_y=True, scaled=False)
    return parted(np.column_stack([np.delete(X, 1, axis=1), target]), (X[:, 1] > 1.5).astype(int), 0.6, seed)


def _tumours(seed: int) -> Split:
    """Tumours by the standard errors of their measurements, which are small and of different sizes."""
    X, y = load_breast_cancer(return_X_y=True)
    return parted(1e-4 * X[:, 10:20], y, 0.5, seed)


def _areas(seed: int) -> Split:
    """In which of four areas a piece of forest is, by what was measured."""
    X, area, _, _ = forests()
    return parted(X, area, 2500, seed, test=15_000)


def synonym_costs(k: int, factor: float) -> Any:
    """Every class has another with which it may be confused for nothing; the rest cost 1, or a factor if far off."""
    cost = np.where(ordinal_costs(k) > k // 2, factor, 1.0)
    pairs = np.arange(k) // 2
    return np.where(pairs[:, None] == pairs, 0.0, cost)


def costs_of_all_sizes(k: int, spread: float) -> Any:
    """Costs whose logarithms are normal, with this standard deviation."""
    cost = np.exp(spread * np.random.default_rng([k, 61]).standard_normal((k, k)))
    np.fill_diagonal(cost, 0.0)
    return cost


CLASS_TASKS = (
    class_task("petals of 15 irises", _petals, "bundled", "n small", "d small", splits=20),
    class_task("digits by the sums of their rows and columns", _profiled_digits, "bundled", splits=4),
    class_task("sex of diabetes patients", _sex, "bundled", "n small", "unscaled column", splits=12),
    class_task("tumours by standard errors, x 1e-4", _tumours, "bundled", "scale", "unscaled column", splits=8),
    class_task(
        "120,000 rows, products of features",
        drawn(interactions, 120_000, 20_000, k=2, d=6, pairs=4),
        "n large",
        "overlap",
        splits=2,
    ),
    class_task("a table of all kinds of columns", drawn(table, 2000, 8000), "unscaled column", "offset", "heavy tails"),
    class_task(
        "a table of all kinds of columns, 70 rows",
        drawn(table, 70, 5000, k=2, regions=6),
        "n small",
        "unscaled column",
        "offset",
        splits=12,
    ),
    class_task("rows that repeat", drawn(repeated, 1500, 8000), "duplicates", "label noise"),
    class_task("columns that hardly vary", drawn(nearly_constant, 900, 6000), "offset", "unscaled column"),
    class_task("blocks of like columns", drawn(blocks, 800, 6000), "correlated"),
    class_task("one column of 3,000 levels", drawn(many_levels, 6000, 8000), "one-hot", "d large"),
    class_task("shares of a whole, x 1e8", scaled(drawn(shares, 500, 6000), 1e8), "scale", "heavy tails"),
    class_task("monomials of six features", drawn(monomials, 1500, 8000), "heavy tails", "correlated"),
    class_task("sensors that drift", drawn(drifting, 1500, 3000), "offset"),
    class_task(
        "4,000 sparse prototypes",
        drawn(prototypes, 12_000, 4000, k=4000, d=80, noise=0.4),
        "classes many",
        peers=("RidgeClassifier",),
        splits=1,
    ),
    class_task("classes called by the next one's name", drawn(confused, 2000, 8000), "label noise", splits=4),
    class_task("invented names, hashed", drawn(hashed_names, 1500, 4000), "d large"),
    class_task("areas of forests", _areas, "data folder", "unscaled column"),
    class_task("headlines of ten topics", headline_topics(_TOPICS, 1200), "data folder", "d large", "rare classes"),
    cost_task("a table, random costs x 1e4", drawn(table, 1500, 8000, k=5), random_costs(5, 1e4), "cost scale"),
    cost_task("shares of a whole, synonyms", drawn(shares, 1200, 8000, k=8, d=30), synonym_costs(8, 20.0), "overlap"),
    cost_task(
        "products of features, costs of all sizes",
        drawn(interactions, 1500, 8000, k=5, d=12),
        costs_of_all_sizes(5, 2.0),
        "overlap",
        "cost scale",
    ),
    cost_task(
        "strands with motifs, alarm x 300", drawn(kmers, 1000, 5000, k=4), alarm_costs(4, 300.0), "counts", "cost scale"
    ),
)

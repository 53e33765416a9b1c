"""Tasks of the second list with one class per row, with and without costs."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes, load_digits, load_iris, load_wine, make_blobs, make_friedman1

from defaults.class_tasks import alarm_costs, class_task, cost_task, ordinal_costs, random_costs
from defaults.making import Load, mapped, parted, scaled
from defaults.second.processes import (
    codewords,
    drawn,
    grades,
    low_rank,
    mixtures,
    outliers,
    redrawn,
    spectra,
    switches,
    topics,
    units,
    with_gaps,
    zipf_clusters,
)
from defaults.second.sources import families, news_topics, other_covtype, other_mnist, spelling, subject_lines, vowels
from defaults.task import Split

_TOPICS = ("earn", "acq", "crude", "grain", "money-fx", "trade", "interest", "ship")
_MEASURED_COLUMNS = 10  # of covertype; the others are indicators


def _sepals(seed: int) -> Split:
    X, y = load_iris(return_X_y=True)
    return parted(X[:, :2], y, 0.6, seed)


def _binary_digits(seed: int) -> Split:
    X, y = load_digits(return_X_y=True)
    return parted((X > 7).astype(np.float64), y, 200, seed)


def _half_digits(seed: int) -> Split:
    """The upper halves of the images, as far from zero as sums of money."""
    X, y = load_digits(return_X_y=True)
    return parted(1e5 + 1e3 * X[:, :32], y, 0.5, seed)


def _illness(seed: int) -> Split:
    """How far the illness of a diabetes patient went, in thirds."""
    X, target = load_diabetes(return_X_y=True)
    return parted(X, np.searchsorted(np.quantile(target, [1 / 3, 2 / 3]), target), 0.6, seed)


def _wine(seed: int) -> Split:
    return parted(*load_wine(return_X_y=True), 60, seed)


def _friedman(seed: int) -> Split:
    """Thirds of a function that is not linear, of features between 0 and 1."""
    X, target = make_friedman1(5800, 10, noise=2.0, random_state=seed)
    return parted(X, np.searchsorted([12.0, 16.5], target), 800, seed)


def _blobs(n: int, seed: int) -> tuple[Any, Any]:
    X, y = make_blobs(n, 8, centers=_CENTRES, cluster_std=1.5, random_state=seed)
    return X, y


_CENTRES = np.random.default_rng(21).uniform(-3.0, 3.0, size=(10, 8))


def _covertype(columns: slice, train: int) -> Load:
    def load(seed: int) -> Split:
        X, y = other_covtype()
        return parted(X[:, columns], y, train, seed, test=15_000)

    return load


def _digits_like(digits: tuple[int, ...], train: int) -> Load:
    return lambda seed: parted(*other_mnist(digits), train, seed)


def squared_costs(k: int, factor: float = 1.0) -> Any:
    return factor * (ordinal_costs(k) / (k - 1)) ** 2


def rarity_costs(share: Any) -> Any:
    """Missing a class costs the more the rarer it is."""
    cost = np.repeat(1.0 / np.asarray(share)[:, None], len(share), axis=1)
    np.fill_diagonal(cost, 0.0)
    return cost


_ZIPF = 1.0 / np.arange(1, 16)
CLASS_TASKS = (
    class_task("iris, sepals only", _sepals, "bundled", "n small", "d small", "overlap", splits=20),
    class_task("digits as bits, 200 rows", _binary_digits, "bundled", "n small", splits=8),
    class_task("upper halves of digits, 1e3 x + 1e5", _half_digits, "bundled", "offset", "scale", splits=4),
    class_task("diabetes in thirds", _illness, "bundled", "n small", "overlap", splits=15),
    class_task("Friedman's function in thirds, x 1e-4", scaled(_friedman, 1e-4), "scale", "overlap", splits=4),
    class_task("mixtures, 4 classes of 3 clusters", drawn(mixtures, 1500, 8000), "overlap"),
    class_task("mixtures in a plane, 50 rows", drawn(mixtures, 50, 5000, k=2, d=2), "n small", "d small", splits=20),
    class_task("spectra of tones", drawn(spectra, 400, 4000), "offset", "heavy tails"),
    class_task("topics, 12 classes", drawn(topics, 1500, 4000), "counts", "d large"),
    class_task("topics, 30 texts of 2 classes", drawn(topics, 30, 3000, k=2), "n small", "d large", splits=15),
    class_task(
        "topics, 80,000 words",
        drawn(topics, 1200, 3000, k=6, words=80_000, per_class=8, length=200.0),
        "counts",
        "d large",
        splits=2,
    ),
    class_task("missing as zero", drawn(with_gaps, 1500, 8000), "missing"),
    class_task("outliers in single cells", drawn(outliers, 1200, 8000), "heavy tails"),
    class_task("60 classes by Zipf's law", drawn(zipf_clusters, 2500, 8000), "rare classes", "classes many"),
    class_task("ordered grades as classes", drawn(grades, 1500, 8000), "ordinal", "overlap"),
    class_task("30 % of 10 labels redrawn", drawn(partial(redrawn, _blobs), 1500, 8000, share=0.3), "label noise"),
    class_task(
        "codewords of 2,000 classes",
        drawn(codewords, 10_000, 4000, k=2000, d=64, turned=0.12),
        "classes many",
        peers=("RidgeClassifier",),
        splits=1,
    ),
    class_task("80,000 rows of switches", drawn(switches, 80_000, 20_000), "n large", "one-hot", splits=2),
    class_task("3,000 features of rank 25, 120 rows", drawn(low_rank, 120, 1500), "n small", "d large", splits=5),
    class_task(
        "columns of all units", mapped(drawn(mixtures, 800, 6000, k=5, d=20), units), "unscaled column", "offset"
    ),
    class_task("handwritten 3, 5 and 8", _digits_like((3, 5, 8), 600), "data folder", "scale", splits=2),
    class_task(
        "covertype, indicators only", _covertype(slice(_MEASURED_COLUMNS, None), 3000), "data folder", "one-hot"
    ),
    class_task("vowels", lambda seed: parted(*vowels(), 500, seed), "data folder"),
    class_task("parts of speech by spelling", spelling("upos", 2500), "data folder", "d large", "rare classes"),
    class_task("subject lines, 3,000", subject_lines(3000), "data folder", "d large", splits=2),
    class_task("protein families", families(700), "data folder", "classes many", "d large", splits=2),
    cost_task("ordered grades, squared costs", drawn(grades, 1200, 8000), squared_costs(6), "ordinal"),
    cost_task(
        "ordered grades, squared costs x 1e5",
        drawn(grades, 1200, 8000, k=5, d=8, noise=0.9),
        squared_costs(5, 1e5),
        "ordinal",
        "cost scale",
    ),
    cost_task("mixtures, random costs x 1e-6", drawn(mixtures, 1200, 8000), random_costs(4, 1e-6), "cost scale"),
    cost_task(
        "15 classes by Zipf's law, costs by rarity",
        drawn(zipf_clusters, 2000, 8000, k=15, d=12, noise=1.5),
        rarity_costs(_ZIPF / _ZIPF.sum()),
        "rare classes",
    ),
    cost_task(
        "wine, 60 rows, alarm x 100", _wine, alarm_costs(3, 100.0), "bundled", "n small", "cost scale", splits=15
    ),
    cost_task("topics, random costs", drawn(topics, 800, 4000, k=8), random_costs(8), "counts", "d large"),
    cost_task(
        "news, costs of one topic x 30",
        news_topics(_TOPICS, 1000, single=True),
        alarm_costs(8, 30.0),
        "data folder",
        "d large",
        splits=2,
    ),
)

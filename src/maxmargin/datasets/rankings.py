"""Documents graded for queries."""

from __future__ import annotations

from os import PathLike
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from maxmargin.datasets.local import data_file
from maxmargin.rankings.letor import read_letor

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Graded: TypeAlias = tuple[Floats, Integers, Integers]

_SPLITS = {"train": (0, 1, 2), "vali": (3,), "test": (4,)}


def load_mq2008(split: str = "train", fold: int = 1, folder: str | PathLike[str] | None = None) -> Graded:
    """Web documents graded for queries (LETOR 4.0, MQ2008): X of shape (n, 46), grades 0 to 2, numbers of the queries.

    Reads ``letor_mq2008/S1.txt.gz`` to ``S5.txt.gz``, 15211 documents of 784 queries in all. Fold 1 trains on S1 to S3,
    validates on S4 and tests on S5; each fold starts one set later than the one before.

    Parameters
    ----------
    split : ``'train'``, ``'vali'``, ``'test'`` or ``'all'``, the five sets in a row
    fold : 1 to 5
    """
    if split not in (*_SPLITS, "all"):
        raise ValueError(f"split must be 'train', 'vali', 'test' or 'all', not {split!r}.")
    if fold not in range(1, 6):
        raise ValueError(f"fold must be 1 to 5, not {fold!r}.")
    numbers = range(1, 6) if split == "all" else [(fold - 1 + shift) % 5 + 1 for shift in _SPLITS[split]]
    parts = [read_letor(data_file(f"letor_mq2008/S{number}.txt.gz", folder), n_features=46) for number in numbers]
    return (
        np.vstack([part.X.toarray() for part in parts]),
        np.concatenate([part.grades for part in parts]),
        np.concatenate([part.queries for part in parts]),
    )


def make_ranking(
    n_queries: int,
    *,
    documents: tuple[int, int] = (5, 30),
    n_features: int = 20,
    grades: int = 3,
    noise: float = 1.0,
    spread: float = 1.0,
    seed: int = 0,
) -> Graded:
    """Documents with features and grades. A document's merit is linear in its features plus noise; the best few of each
    query have the highest grade, twice as many the next, and so on down to grade 0.

    Parameters
    ----------
    documents : fewest and most of a query
    grades : different grades at most; queries of few documents have fewer
    noise : standard deviation of what the features do not tell of the merit, whose linear part has about 1
    spread : standard deviation of the mean of each feature from query to query, in which there is nothing to learn
    seed : of the random numbers; same arguments, same data

    Returns
    -------
    X of shape (n, n_features), grades of shape (n,), and the query of each document, numbered from 0
    """
    if n_queries < 1 or n_features < 1 or grades < 2 or not 2 <= documents[0] <= documents[1]:
        raise ValueError(
            "n_queries and n_features must be at least 1, grades at least 2, documents at least 2 and ascending, not "
            f"{n_queries}, {n_features}, {grades} and {documents}."
        )
    rng = np.random.default_rng(seed)
    direction = rng.standard_normal(n_features) / np.sqrt(n_features)
    sizes = rng.integers(documents[0], documents[1] + 1, size=n_queries)
    queries = np.repeat(np.arange(n_queries), sizes)
    own = rng.standard_normal((queries.size, n_features))
    merit = own @ direction + noise * rng.standard_normal(queries.size)
    X = own + spread * rng.standard_normal((n_queries, n_features))[queries]
    order = np.lexsort((-merit, queries))
    place = np.arange(queries.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    share = (place + 0.5) / np.repeat(sizes, sizes)
    bounds = (2.0 ** np.arange(1, grades) - 1.0) / (2.0**grades - 1.0)
    y = np.empty(queries.size, dtype=np.int64)
    y[order] = np.maximum(grades - 1 - np.searchsorted(bounds, share), np.where(place == 0, 1, 0))
    return X, y, queries

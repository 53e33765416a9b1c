"""What is compared on MQ2008, and the settings from which the validation part of a fold chooses.

Every function trains on one part at one setting and gives the scores of other parts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import Ridge

from maxmargin import RankingSVM
from maxmargin.datasets.rankings import Graded

Floats = npt.NDArray[np.float64]
Model = Callable[[Floats], Floats]
Train = Callable[[Graded, Graded, dict[str, Any]], Model]


@dataclass(frozen=True)
class Method:
    """``train(train, vali, setting)`` gives a function from X to scores; ``needs`` is a package that may be missing."""

    train: Train
    grid: dict[str, list[Any]] = field(default_factory=dict)
    needs: str | None = None

    def settings(self, quick: bool) -> Iterator[dict[str, Any]]:
        values = [choices[:2] if quick else choices for choices in self.grid.values()]
        return (dict(zip(self.grid, chosen)) for chosen in product(*values))

    @property
    def missing(self) -> bool:
        return self.needs is not None and find_spec(self.needs) is None


def ranking_svm(measure: str) -> Train:
    def train(train: Graded, vali: Graded, setting: dict[str, Any]) -> Model:
        return RankingSVM(**setting, measure=measure, uninformative="skip").fit(*train[:2], groups=train[2]).predict

    return train


def ridge(train: Graded, vali: Graded, setting: dict[str, Any]) -> Model:
    """Regression of the grades of single documents."""
    X, y, _ = train
    return Ridge(**setting).fit(X, y).predict


def lambdamart(train: Graded, vali: Graded, setting: dict[str, Any]) -> Model:
    """Trees are added until NDCG@10 of the validation part has not risen for 50 of them."""
    from lightgbm import LGBMRanker, early_stopping

    def sizes(queries: npt.NDArray[np.int64]) -> list[int]:
        starts = np.flatnonzero(np.diff(queries, prepend=queries[0] - 1))
        return np.diff([*starts.tolist(), queries.size]).tolist()

    model = LGBMRanker(n_estimators=1000, n_jobs=1, random_state=0, verbose=-1, **setting)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(
            train[0],
            train[1],
            group=sizes(train[2]),
            eval_set=[(vali[0], vali[1])],
            eval_group=[sizes(vali[2])],
            eval_at=[10],
            callbacks=[early_stopping(50, verbose=False)],
        )
    booster = model.booster_
    return lambda X: np.asarray(booster.predict(X), dtype=np.float64)


_C = [float(f"{C:.1g}") for C in 10.0 ** np.arange(-4.0, 2.1, 0.5)]
METHODS: dict[str, Method] = {
    "RankingSVM, swapped pairs": Method(ranking_svm("swapped_pairs"), {"C": _C}),
    "RankingSVM, average precision": Method(ranking_svm("average_precision"), {"C": _C}),
    "RankingSVM, NDCG@10": Method(ranking_svm("ndcg(10)"), {"C": _C}),
    "RankingSVM, NDCG": Method(ranking_svm("ndcg"), {"C": _C}),
    "RankingSVM, MRR": Method(ranking_svm("mrr"), {"C": _C}),
    "RankingSVM, swapped pairs, default C": Method(ranking_svm("swapped_pairs")),
    "RankingSVM, NDCG@10, default C": Method(ranking_svm("ndcg(10)")),
    "LambdaMART (LightGBM)": Method(
        lambdamart,
        {
            "num_leaves": [4, 8, 16, 31],
            "learning_rate": [0.03, 0.1],
            "min_child_samples": [20, 60],
            "reg_lambda": [0.0, 10.0],
        },
        needs="lightgbm",
    ),
    "ridge regression of the grades": Method(ridge, {"alpha": (10.0 ** np.arange(-2.0, 4.1)).tolist()}),
}

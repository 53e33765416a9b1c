"""Estimators over rows with kernels: small data for each, and functions that are kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

import maxmargin as mm

N, D = 60, 4


def linear(A: Any, B: Any) -> np.ndarray:
    """The linear kernel as a function, which no estimator knows to be linear."""
    return np.asarray(safe_sparse_dot(A, B.T, dense_output=True))


def rows(n: int = N, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, D)) + 0.3


def classes(X: np.ndarray) -> np.ndarray:
    """Three rings around 0, with some noise: no linear function tells them apart."""
    radius = (X[:, :2] ** 2).sum(axis=1) + 0.3 * X[:, 2]
    return np.digitize(radius, np.quantile(radius, [0.33, 0.66]))


@dataclass(frozen=True, eq=False)
class KernelCase:
    """How to make an estimator that trains to the optimum, and its targets for rows.

    ``given`` are further arguments of ``fit``. ``chain``: rows are the tokens of sequences of five.
    """

    make: Callable[..., Any]
    target: Callable[[np.ndarray], Any]
    given: Mapping[str, Any] = field(default_factory=dict)
    chain: bool = False

    def lengths(self, X: Any) -> dict[str, Any]:
        return {"lengths": [5] * (X.shape[0] // 5)} if self.chain else {}

    def fit(self, X: Any, y: Any = None, **params: Any) -> Any:
        return self.refit(self.make(**params), X, self.target(rows()) if y is None else y)

    def refit(self, model: Any, X: Any, y: Any) -> Any:
        return model.fit(X, y, **self.given, **self.lengths(X))

    def scores(self, model: Any, X: Any) -> np.ndarray:
        """What decides about the answers; of chains the scores of three labellings of each sequence."""
        if self.chain:
            labellings = np.random.default_rng(0).integers(0, 3, (3, X.shape[0]))
            return np.array([model.decision_value(X, labels, **self.lengths(X)) for labels in labellings])
        return np.asarray(model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X))

    def predict(self, model: Any, X: Any) -> np.ndarray:
        return np.concatenate([np.ravel(part) for part in model.predict(X, **self.lengths(X))])


EXACT = {"C": 2.0, "tol": 1e-12, "max_iter": 20_000}
SCALED = {"intercept_scaling": 1.0}
TREE = {0: "inner", 1: "inner", 2: "root", "inner": "root"}
DESCRIBED = np.array([[1.0, 0.0, 0.5, 0.0], [0.0, 1.0, 0.5, 0.0], [0.0, 0.0, -0.5, 1.0]])
CASES = {
    "MulticlassSVC": KernelCase(partial(mm.MulticlassSVC, method="structural", **EXACT, **SCALED), classes),
    "MulticlassSVC(output_features)": KernelCase(
        partial(mm.MulticlassSVC, method="structural", output_features=DESCRIBED, **EXACT, **SCALED), classes
    ),
    "TaxonomySVC": KernelCase(partial(mm.TaxonomySVC, method="structural", taxonomy=TREE, **EXACT, **SCALED), classes),
    "MultilabelSVC": KernelCase(
        partial(mm.MultilabelSVC, method="structural", interaction_scaling=1.0, **EXACT, **SCALED),
        lambda X: np.c_[classes(X) == 0, classes(X) == 1, X[:, 3] > 0.0].astype(int),
    ),
    "MeasureSVC('error_rate')": KernelCase(
        partial(mm.MeasureSVC, "error_rate", method="structural", **EXACT, **SCALED), lambda X: classes(X) == 0
    ),
    "MeasureSVC('f1')": KernelCase(
        partial(mm.MeasureSVC, "f1", method="structural", **{**EXACT, "C": 10.0}, **SCALED), lambda X: classes(X) == 0
    ),
    "RankingSVM": KernelCase(partial(mm.RankingSVM, **{**EXACT, "tol": 1e-10}), classes, {"groups": np.arange(N) % 4}),
    "ChainSVC": KernelCase(partial(mm.ChainSVC, method="structural", **{**EXACT, "tol": 1e-9}), classes, chain=True),
    "ChainCRF": KernelCase(partial(mm.ChainCRF, **{**EXACT, "tol": 1e-11}), classes, chain=True),
}

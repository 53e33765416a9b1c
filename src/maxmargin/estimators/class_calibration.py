"""A temperature that makes the scores of classes probabilities, from held-out folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils import _safe_indexing

Floats = npt.NDArray[np.float64]


def held_out_class_temperature(estimator: Any, X: Any, y: npt.NDArray[Any], folds: int) -> float:
    """The temperature T of ``softmax(S / T)`` that maximises the likelihood of classes on folds not trained on.

    Examples whose class the other folds do not have are left out.
    """
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or not 2 <= folds <= len(y):
        raise ValueError(f"folds must be a whole number from 2 to the number of examples, {len(y)}, not {folds!r}.")
    parts: list[tuple[Floats, npt.NDArray[np.int64]]] = []
    for kept, left in KFold(folds, shuffle=True, random_state=0).split(y):
        model = clone(estimator).set_params(callback=None, verbose=0)
        model.fit(_safe_indexing(X, kept), y[kept])
        known = left[np.isin(y[left], model.classes_)]
        if known.size:
            parts.append((model._all_scores(_safe_indexing(X, known)), np.searchsorted(model.classes_, y[known])))
    if not parts:
        raise ValueError("No class has examples in two folds, so nothing can be calibrated; give more examples.")

    def loss(log_temperature: float) -> float:
        inverse = np.exp(-log_temperature)
        return sum(_negative_log_likelihood(inverse * scores, truth) for scores, truth in parts)

    found = minimize_scalar(loss, bounds=(-7.0, 7.0), method="bounded", options={"xatol": 1e-3})
    return float(np.exp(found.x))


def _negative_log_likelihood(scores: Floats, truth: npt.NDArray[np.int64]) -> float:
    return float((logsumexp(scores, axis=1) - scores[np.arange(truth.size), truth]).sum())

"""A temperature that makes scores probabilities, from held-out folds."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils import _safe_indexing

from maxmargin.sequences import pack_labels

Floats = npt.NDArray[np.float64]


class NotCalibratedWarning(UserWarning):
    """Probabilities come from scores that were not fitted to be probabilities."""


def say_not_calibrated(estimator: Any, stacklevel: int) -> None:
    """Warns that a softmax of scores is no more than that."""
    warnings.warn(
        f"These probabilities are a softmax of the scores of {type(estimator).__name__}, which were not fitted to "
        "be probabilities; call calibrate(X, Y) for a temperature from held-out folds.",
        NotCalibratedWarning,
        stacklevel=stacklevel,
    )


def held_out_temperature(estimator: Any, X: Any, Y: Any, folds: int) -> float:
    """The temperature T of ``softmax(F / T)`` that maximises the likelihood of labels on folds not trained on."""
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or not 2 <= folds <= len(X):
        raise ValueError(f"folds must be a whole number from 2 to the number of sequences, {len(X)}, not {folds!r}.")
    parts = []
    for kept, left in KFold(folds, shuffle=True, random_state=0).split(np.arange(len(X))):
        model = clone(estimator).set_params(callback=None, verbose=0)
        model.fit(_safe_indexing(X, kept), _safe_indexing(Y, kept))
        parts.append((model, *_known_only(model, _safe_indexing(X, left), _safe_indexing(Y, left))))

    def loss(log_temperature: float) -> float:
        temperature = float(np.exp(log_temperature))
        return sum(_negative_log_likelihood(model, given, codes, temperature) for model, given, codes in parts)

    found = minimize_scalar(loss, bounds=(-7.0, 7.0), method="bounded", options={"xatol": 1e-3})
    return float(np.exp(found.x))


def _known_only(model: Any, X: Any, Y: Any) -> tuple[Any, npt.NDArray[np.int32]]:
    """Sequences with labels that the model has seen: the others have no probability at any temperature."""
    known = set(model.classes_.tolist())
    kept = [i for i in range(len(X)) if all(label in known for label in np.asarray(Y[i]).tolist())]
    given = model._read(_safe_indexing(X, kept), None)
    return given, pack_labels(_safe_indexing(Y, kept), given.tokens, classes=model.classes_)[1]


def _negative_log_likelihood(model: Any, given: Any, codes: npt.NDArray[np.int32], temperature: float) -> float:
    core, native = model.chain_.core(given), model._native()
    log_sum = core.marginals(native, temperature, None, None, 1)[1]
    scores = core.path_scores(native, codes)
    return float((log_sum - scores / temperature).sum())

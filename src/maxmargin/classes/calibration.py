"""Probabilities of classes from scores, fitted to the scores of folds that were not trained on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp, softmax

from maxmargin.fitting.calibration import REACH, Labels, check_folds, models_without_folds
from maxmargin.fitting.likelihood_training import LIKELIHOOD_SOLVERS

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.integer[Any]]

FOLDS = 3
_NEWTON_STEPS = 50
_ACCURACY = 1e-3
_NEWTON_STEP = 0.02  # after a step of Newton's method that is no longer the error is about its square
_LARGEST_BIAS = 20.0
_LARGE = 10_000  # examples from which on one fold is enough


@dataclass(frozen=True, eq=False)
class Calibration:
    """``softmax(sharpness * scores + bias)``, with one bias per class."""

    sharpness: float
    bias: Floats

    def probabilities(self, scores: Floats) -> Floats:
        return np.asarray(softmax(self.sharpness * scores + self.bias, axis=1))

    def logarithms(self, scores: Floats) -> Floats:
        return np.asarray(log_softmax(self.sharpness * scores + self.bias, axis=1))


@dataclass(frozen=True, eq=False)
class HeldOutScores:
    """Scores of examples by a model that has not seen them, their classes and weights.

    ``known`` says of which classes the model had examples; the others have the score 0, which means nothing.
    """

    scores: Floats
    truth: Numbers
    weight: Floats
    known: npt.NDArray[np.bool_]


def has_probabilities(model: Any) -> bool:
    """Whether an estimator has a calibration, or will have one when it is fitted; raises AttributeError, with what to
    do, where it has none."""
    if not hasattr(model, "classes_"):
        plain = model.rescaling == "margin" and model.slack == "auto" and model.output_features is None
        named = isinstance(model.solver, str) and model.solver in LIKELIHOOD_SOLVERS
        return plain and named and model.method != "structural"
    if not hasattr(model, "calibration_"):
        raise AttributeError("This model has no probabilities yet: call calibrate(X, y) with its training data first.")
    return True


def held_out_scores(
    estimator: Any, X: Any, y: npt.NDArray[Any], folds: int, weight: Floats | None = None, most: int | None = None
) -> list[HeldOutScores]:
    """Trains a clone of the estimator without each fold (or without the first ``most``) and asks it about that fold.

    Every class is spread over the folds. Examples of weight 0, and those whose class the other folds do not have, are
    left out. ``estimator`` has a method ``_all_scores(X)`` with one column per class.
    """
    used = np.arange(len(y)) if weight is None else np.flatnonzero(weight > 0.0)
    classes, number = np.unique(y, return_inverse=True)
    labels = Labels(classes, number, np.arange(number.size), number.size)
    splits = ((used[kept], used[left]) for kept, left in _spread(number[used], folds, most))
    parts = []
    for part in models_without_folds(estimator, X, y, labels, splits, weight):
        scores = np.zeros((part.places.size, classes.size))
        scores[:, part.known] = part.model._all_scores(part.X)
        counts = np.ones(part.places.size) if weight is None else weight[part.places]
        parts.append(HeldOutScores(scores, number[part.places], counts, part.known))
    if not parts:
        raise ValueError("No class has examples in two folds, so nothing can be calibrated; give more examples.")
    return parts


def fitted_calibration(parts: list[HeldOutScores]) -> Calibration:
    """The sharpness and the biases of highest likelihood, with a penalty of half the square of each bias."""
    size = max(float(np.sqrt(np.mean([np.mean(part.scores**2) for part in parts]))), 1e-300)

    def loss(numbers: Floats) -> tuple[float, Floats]:
        sharpness, bias = np.exp(numbers[0]) / size, numbers[1:]
        total, slope = 0.5 * float(bias @ bias), np.concatenate([[0.0], bias])
        for part in parts:
            scores = np.where(part.known, sharpness * part.scores + bias, -np.inf)
            log_sum = logsumexp(scores, axis=1)
            row = np.arange(part.truth.size)
            total += float(part.weight @ (log_sum - scores[row, part.truth]))
            excess = np.exp(scores - log_sum[:, None])
            excess[row, part.truth] -= 1.0
            excess *= part.weight[:, None]
            slope[0] += sharpness * float((excess * part.scores).sum())
            slope[1:] += excess.sum(axis=0)
        return total, slope

    bounds = [(-REACH, REACH), *[(-_LARGEST_BIAS, _LARGEST_BIAS)] * parts[0].known.size]
    found = minimize(loss, np.zeros(len(bounds)), jac=True, method="L-BFGS-B", bounds=bounds).x
    return Calibration(float(np.exp(found[0]) / size), np.asarray(found[1:]))


def calibrated(estimator: Any, X: Any, y: npt.NDArray[Any], weight: Floats | None, folds: int = FOLDS) -> Calibration:
    """The calibration of an estimator, from three folds, or one of three where there are very many examples."""
    check_folds(folds, len(y), "examples")
    return fitted_calibration(held_out_scores(estimator, X, y, folds, weight, 1 if len(y) >= _LARGE else None))


def held_out_class_temperature(estimator: Any, X: Any, y: npt.NDArray[Any], folds: int, weight: Floats | None) -> float:
    """The temperature T of ``softmax(S / T)`` that maximises the likelihood of classes on folds not trained on."""
    check_folds(folds, len(y), "examples")
    return 1.0 / held_out_sharpness(held_out_scores(estimator, X, y, folds, weight))


def held_out_sharpness(parts: list[HeldOutScores]) -> float:
    """The factor on held-out scores at which their softmax has the highest likelihood, by Newton's method.

    The likelihood is concave in the factor. Where it grows for ever, because the true class has the highest score
    everywhere, the factor is some 1100 over the size of the scores; where every class has one example, so that no fold
    has one of a class that the others know, it is 1.
    """
    parts = [part for part in parts if part.truth.size]
    if not parts:
        return 1.0
    given = [_below_best(part) for part in parts]
    size = max(float(np.sqrt(np.mean([np.mean(squares) for _, squares, _, _ in given]))), 1e-300)
    low, high, factor = 0.0, np.exp(REACH) / size, 1.0 / size
    for _ in range(_NEWTON_STEPS):
        slope = curvature = 0.0
        for scores, squares, own, weight in given:
            share = np.exp(factor * scores)
            total = share.sum(axis=1)
            mean = np.einsum("ik,ik->i", share, scores) / total
            slope += float(weight @ (mean - own))
            curvature += float(weight @ (np.einsum("ik,ik->i", share, squares) / total - mean**2))
        low, high = (low, factor) if slope > 0.0 else (factor, high)
        step = factor - slope / curvature if curvature > 0.0 else high
        is_inside = low < step < high
        before, factor = factor, step if is_inside else 0.5 * (low + high)
        if abs(factor - before) <= (_NEWTON_STEP if is_inside else _ACCURACY) * before:
            break
    return factor


def _below_best(part: HeldOutScores) -> tuple[Floats, Floats, Floats, Floats]:
    """Scores of known classes less the best of them, the squares of these, those of the true classes, and weights."""
    scores = part.scores if part.known.all() else part.scores[:, part.known]
    truth = (np.cumsum(part.known) - 1)[part.truth]
    scores = scores - scores.max(axis=1, keepdims=True)
    return scores, scores**2, scores[np.arange(truth.size), truth], part.weight


def _spread(number: Numbers, folds: int, most: int | None) -> Iterator[tuple[Numbers, Numbers]]:
    """Positions outside and inside each fold."""
    order = np.random.default_rng(0).permutation(number.size)
    order = order[np.argsort(number[order], kind="stable")]
    fold = np.empty(number.size, dtype=np.intp)
    fold[order] = np.arange(number.size) % folds
    for k in range(folds if most is None else min(folds, most)):
        yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)

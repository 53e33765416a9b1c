"""What makes probabilities of scores: models that were trained without a fold, and what they say about it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.utils.metaestimators import _safe_split

from maxmargin.core.problem import as_examples
from maxmargin.fitting.warning import warn_caller
from maxmargin.oracles.bind import check_sample_weight

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.intp]
Numbers = npt.NDArray[np.integer[Any]]
Flags = npt.NDArray[np.bool_]

REACH = 7.0  # logarithm of how far from the size of the scores a temperature is looked for, a factor of 1100
_NEAR = 4.0  # logarithm of what a score may be to count as about 1


class NotCalibratedWarning(UserWarning):
    """Probabilities come from scores that were not fitted to be probabilities."""


def say_not_calibrated(estimator: Any, first: str = "") -> None:
    """Warns that a softmax of scores is no more than that; ``first`` is what to do before it can be calibrated."""
    warn_caller(
        f"These probabilities are a softmax of the scores of {type(estimator).__name__}, which were not fitted to "
        f"be probabilities; {first}call calibrate(X, y) for a temperature from held-out folds.",
        NotCalibratedWarning,
    )


def check_folds(folds: Any, n: int, what: str) -> None:
    """Raises unless there can be so many folds of ``n`` examples, which messages call ``what``."""
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or not 2 <= folds <= n:
        raise ValueError(f"folds must be a whole number from 2 to the number of {what}, {n}, not {folds!r}.")


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of examples that have one or more each: ``code[j]`` is that of the example ``owner[j]``."""

    classes: npt.NDArray[Any]
    code: Numbers
    owner: Numbers
    n: int

    def among(self, examples: Positions) -> Flags:
        """Which of the classes some of the examples have."""
        chosen = np.zeros(self.n, dtype=bool)
        chosen[examples] = True
        found = np.zeros(self.classes.size, dtype=bool)
        found[self.code[chosen[self.owner]]] = True
        return found

    def all_in(self, known: Flags) -> Flags:
        """Which of the examples have labels that are all known."""
        return np.asarray(np.bincount(self.owner, ~known[self.code], self.n) == 0)


@dataclass(frozen=True, eq=False)
class WithoutFold:
    """A model that was trained without a fold, and the examples of the fold that it can be asked about.

    Parameters
    ----------
    model : a fitted clone
    X, Y : the examples of the fold whose labels all occur outside of it; no model gives the others a probability
    places : their places among all examples
    known : for each class whether it occurs outside of the fold
    """

    model: Any
    X: Any
    Y: Any
    places: Positions
    known: Flags


def models_without_folds(
    estimator: Any,
    X: Any,
    Y: Any,
    labels: Labels,
    splits: Iterable[tuple[Positions, Positions]],
    weight: Floats | None,
) -> Iterator[WithoutFold]:
    """Trains a clone of the estimator for each pair of places outside and inside of a fold, with the weights of the
    examples; folds that leave nothing to learn from or to ask about are left out.

    ``estimator._settings_for(classes)`` are parameters for training data that have these classes only: costs without
    the others. The clones do not warn where they do not converge: the model itself is what is warned about.
    """
    for kept, left in splits:
        known = labels.among(kept)
        places = left[labels.all_in(known)[left]]
        if not places.size or np.count_nonzero(known) < min(2, known.size):
            continue
        quiet = {"callback": None, "verbose": 0, "warm_start": False}
        own = estimator.get_params(deep=False)
        changed = {name: value for name, value in quiet.items() if name in own}
        model = clone(estimator).set_params(**changed, **estimator._settings_for(labels.classes[known]))
        given = {} if weight is None else {"sample_weight": weight[kept]}
        model._in_fold = True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(*_safe_split(estimator, X, Y, kept), **given)
        asked_X, asked_Y = _safe_split(estimator, X, Y, places, kept)
        yield WithoutFold(model, asked_X, asked_Y, places, known)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Examples that a model was not trained on, with the ``scores`` of their outputs.

    ``log_sums(T)`` is ``log sum_y exp(F(x, y) / T)`` of each of them, shape (n,); ``pieces`` are the numbers of tokens
    or edges of the outputs, shape (n,), over which the scores are sums.
    """

    log_sums: Callable[[float], Floats]
    scores: Floats
    pieces: Numbers
    sample_weight: Floats

    def negative_log_likelihood(self, temperature: float) -> float:
        return float(self.sample_weight @ (self.log_sums(temperature) - self.scores / temperature))


def temperature_on_folds(
    estimator: Any,
    X: Sequence[Any],
    Y: Sequence[Any],
    folds: int,
    sample_weight: Any,
    held_out: Callable[[WithoutFold, Floats], HeldOut],
) -> float:
    """The temperature T of ``softmax(F / T)`` with the highest likelihood of outputs on folds not trained on.

    Any fold has all kinds of outputs. ``held_out(part, weight)`` asks a model, with the weights of all examples, about
    its fold; examples of weight 0 are left out.
    """
    X, Y = as_examples(X, Y)
    sample_weight = check_sample_weight(sample_weight, len(Y))
    weight = np.ones(len(Y)) if sample_weight is None else sample_weight
    used = np.flatnonzero(weight > 0.0)
    check_folds(folds, used.size, "examples")
    alike = Labels(np.zeros(1), np.zeros(len(Y), np.int64), np.arange(len(Y)), len(Y))
    splits = ((used[kept], used[left]) for kept, left in KFold(folds, shuffle=True, random_state=0).split(used))
    parts = models_without_folds(estimator, X, Y, alike, splits, weight)
    return best_temperature([held_out(part, weight) for part in parts])


def best_temperature(parts: Sequence[HeldOut]) -> float:
    """The temperature T of ``softmax(F / T)`` with the highest likelihood on held-out parts.

    It is searched for within a factor of 1000 or so of 1, or of the mean size of the score of a piece where that is far
    from 1: a perceptron has scores by the square of the size of the features.
    """
    total = sum(float(np.abs(part.scores).sum()) for part in parts)
    size = total / max(1, sum(int(part.pieces.sum()) for part in parts))
    middle = float(np.log(size)) if size > 0.0 else 0.0
    if abs(middle) < _NEAR:
        middle = 0.0

    def loss(log_temperature: float) -> float:
        return sum(part.negative_log_likelihood(float(np.exp(log_temperature))) for part in parts)

    found = minimize_scalar(loss, bounds=(middle - REACH, middle + REACH), method="bounded", options={"xatol": 1e-3})
    return float(np.exp(found.x))

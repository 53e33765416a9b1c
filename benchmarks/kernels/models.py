"""What the parts about Gaussian process sequence models share: kernels, the choice of C, what is measured."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kernels.sentences import folds
from maxmargin import Kernel
from maxmargin.metrics import AbstentionCurve

MULTIPLES = (0.3, 3.0, 10.0)  # of C='scale', to choose from beside it

Make = Callable[[Any], Any]


def power(degree: int) -> Kernel:
    """The polynomial kernel; with room for the matrix of some 20,000 tokens in single precision."""
    return Kernel("poly", degree=degree, cache=3 * 2**29)


def chosen_c(make: Make, X: Any, Y: Any) -> float:
    """The C with the fewest mistakes on the first of five folds; the smallest of equals."""
    X_kept, Y_kept, X_left, Y_left = next(folds(X, Y))
    first = make("scale").fit(X_kept, Y_kept)
    scores = {first.C_: first.score(X_left, Y_left)}
    for C in (first.C_ * multiple for multiple in MULTIPLES):
        scores[C] = make(C).fit(X_kept, Y_kept).score(X_left, Y_left)
    return max(scores, key=lambda C: (scores[C], -C))


def error(model: Any, X: Any, Y: Any) -> float:
    """Share of wrong tokens in per cent."""
    return 100.0 * (1.0 - model.score(X, Y))


def sparse_row(model: Any, X: Any, Y: Any, tokens: int) -> tuple[float, float, float]:
    """The share of the training tokens in the support in per cent, labels that each of them has, and the test error."""
    labels = sum(len(token.coefficients) for token in model.support_)
    return 100.0 * len(model.support_) / tokens, labels / len(model.support_), error(model, X, Y)


def by_sparseness(found: Mapping[float, list[tuple[float, float, float]]]) -> list[list[str]]:
    """Rows of a table: what ``sparse_row`` found for each share of the coordinates, means over the folds."""
    means = {share: np.mean(values, axis=0) for share, values in found.items()}
    return [[f"{100 * share:g} %", f"{t:.1f} %", f"{k:.2f}", f"{e:.2f}"] for share, (t, k, e) in means.items()]


def certainty(model: Any, X: Any, Y: Any) -> tuple[list[float], list[bool]]:
    """The probability of the most probable label of each token, and whether it is right."""
    confidence: list[float] = []
    right: list[bool] = []
    for probability, labels in zip(model.predict_marginals(X), Y):
        confidence += probability.max(axis=1).tolist()
        right += (model.classes_[probability.argmax(axis=1)] == np.asarray(labels)).tolist()
    return confidence, right


def abstained(curve: AbstentionCurve, answered: tuple[float, ...]) -> list[list[str]]:
    """Rows of a table: what is not answered, and the error of the rest."""
    return [[f"{100 * (1 - share):.0f} %", f"{100 * curve.at(share):.2f}"] for share in answered]


def say(text: str) -> None:
    """Progress, for those who wait."""
    print(text, file=sys.stderr, flush=True)

"""Tuning C on a held-out fifth of the training part; nothing here sees a test part."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from maxmargin import MulticlassSVC


@dataclass
class Fitter:
    """Fits with a limit of time; keeps the CPU seconds of the last fit and counts the fits that met the limit."""

    max_time: float
    unfinished: int = 0
    seconds: float = 0.0

    def __call__(self, C: float | str, X: Any, y: Any) -> MulticlassSVC:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            start = time.process_time()
            model = MulticlassSVC(C=C, max_time=self.max_time).fit(X, y)
            self.seconds = time.process_time() - start
        self.unfinished += any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
        return model


@dataclass
class HeldOut:
    """Training part without a fifth, and the accuracy on that fifth of what is trained on the rest."""

    fit: Fitter
    X: Any
    y: Any
    X_held: Any
    y_held: Any

    @classmethod
    def of(cls, fit: Fitter, X_train: Any, y_train: Any, *, rows: int | None = None, seed: int = 0) -> HeldOut:
        """With ``rows``, only so many of the remaining examples are trained on."""
        X, X_held, y, y_held = train_test_split(X_train, y_train, test_size=0.2, random_state=seed, stratify=y_train)
        if rows is not None:
            X, _, y, _ = train_test_split(X, y, train_size=rows, random_state=seed, stratify=y)
        return cls(fit, X, y, X_held, y_held)

    def accuracy(self, C: float | str) -> float:
        """In points."""
        return 100.0 * float(self.fit(C, self.X, self.y).score(self.X_held, self.y_held))

    def accuracies(self, grid: Iterable[float]) -> dict[float, float]:
        """Of the values of C, which grow, up to the first whose fit is not finished in time."""
        found: dict[float, float] = {}
        before = self.fit.unfinished
        for C in grid:
            found[C] = self.accuracy(C)
            if self.fit.unfinished > before:
                break
        return found

"""The demo's part on label sequences: every chain estimator on the same strings of digits."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console

from maxmargin.chains.crf import ChainCRF
from maxmargin.chains.hmm import ChainHMM
from maxmargin.chains.perceptron import ChainPerceptron
from maxmargin.chains.svc import ChainSVC
from maxmargin.classes.multiclass_svc import MulticlassSVC
from maxmargin.console import number, print_table
from maxmargin.demo.problem import Digits, write_strings

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

C = 0.1


def show_chains(console: Console, digits: Digits, count: int) -> dict[str, float]:
    """Trains every chain estimator on ``count`` strings; returns the rates of wrong test digits by name."""
    rng = np.random.default_rng(0)
    X, Y = _written(digits.X_train, digits.y_train, count, rng)
    X_test, Y_test = _written(digits.X_test, digits.y_test, count, rng)
    truth = np.concatenate(Y_test)
    letters = MulticlassSVC(C=C, fit_intercept=False).fit(np.vstack(X), np.concatenate(Y))
    errors = {"MulticlassSVC": float(np.mean(letters.predict(np.vstack(X_test)) != truth))}
    rows = [("MulticlassSVC", "each digit by itself", "-", "-", f"{errors['MulticlassSVC']:.2%}")]
    ways: dict[str, tuple[Any, str]] = {
        "ChainSVC": (ChainSVC(C=C), "large margin"),
        "ChainSVC, order 2": (ChainSVC(C=C, order=2), "pairs of digits before"),
        "ChainCRF": (ChainCRF(C=C), "likelihood"),
        "ChainPerceptron": (ChainPerceptron(passes=10), "mistakes, averaged"),
        "ChainHMM": (ChainHMM(), "counts"),
    }
    fitted = {}
    for name, (model, what) in ways.items():
        begin = time.perf_counter()
        fitted[name] = model.fit(X, Y)
        seconds = time.perf_counter() - begin
        errors[name] = float(np.mean(np.concatenate(model.predict(X_test)) != truth))
        gap = getattr(getattr(model, "solution_", None), "gap", None)
        rows.append((name, what, f"{seconds:.3f}", number(gap, 2), f"{errors[name]:.2%}"))
    console.print(f"2. {count} strings of digits as label sequences in the native core")
    head = ("estimator", "trained on", "seconds", "gap", "wrong digits")
    print_table(console, "", head, rows, text_columns=2)
    crf = fitted["ChainCRF"]
    probability = np.concatenate([marginals.max(axis=1) for marginals in crf.predict_marginals(X_test)])
    right = np.concatenate(crf.predict(X_test, decode="marginal")) == truth
    sure = probability >= 0.9
    if sure.any():
        console.print(
            f"ChainCRF gives {sure.mean():.0%} of the digits a probability of at least 0.9; "
            f"{1.0 - right[sure].mean():.2%} of those are wrong."
        )
    return errors


def _written(images: Floats, labels: Labels, count: int, rng: np.random.Generator) -> tuple[list[Floats], list[Labels]]:
    """Strings in which no pixel is below 0, where noise takes some: ChainHMM takes ink as counts."""
    X, Y = write_strings(images, labels, count, rng)
    return [np.maximum(x, 0.0) for x in X], Y

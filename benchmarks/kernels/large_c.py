"""A C that is very large, with an RBF kernel over rows: what steps of one row after the other do not solve.

The digits of scikit-learn, which the kernel separates, and 1,200 and 1,500 invented rows of two and four classes whose
labels have noise in them, which is then fitted as well.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from maxmargin import MulticlassSVC

LIMIT = 60.0  # seconds


def invented(n: int, classes: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    scores = X @ rng.normal(size=(5, classes)) + 0.7 * rng.normal(size=(n, classes))
    return X, scores.argmax(axis=1)


def run() -> dict[str, Any]:
    sets = {"digits": load_digits(return_X_y=True), "two classes": invented(1200, 2), "four classes": invented(1500, 4)}
    rows, ended = [], []
    for name, (X, y) in sets.items():
        for C in (1e4, 1e6):
            model = MulticlassSVC(C, kernel="rbf", method="structural", max_time=LIMIT)
            begin = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                solution = model.fit(X, y).solution_
            ended.append(solution.status.name)
            share = 100.0 * solution.gap / solution.primal
            rows.append([name, f"{C:g}", f"{time.process_time() - begin:.2f}", ended[-1], f"{share:.2f}"])
    return {
        "tables": [("A very large C", ["", "C", "fit, CPU s", "status", "gap, % of the objective"], rows)],
        "bars": [("all converge", f"{ended.count('CONVERGED')}", f"{len(ended)}", set(ended) == {"CONVERGED"})],
    }

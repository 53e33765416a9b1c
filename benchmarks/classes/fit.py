"""One fit of the multiclass benchmark, made in its own process by the harness."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from classes.data import objective, size_in_bytes, stored
from maxmargin import MulticlassSVC
from shared.harness import measure


def estimator(method: str, C: float, tol: float, max_time: float | None) -> Any:
    """LinearSVC with its default ``max_iter``, or ours with everything but the solver's name at its default.

    ``max_iter`` counts rounds of different cost in the different solvers, so ours are limited by time alone.
    """
    if method == "LinearSVC":
        return LinearSVC(C=C, tol=tol, multi_class="crammer_singer", fit_intercept=False, random_state=0)
    return MulticlassSVC(
        C=C, slack="linear", tol=tol, solver=method, fit_intercept=False, max_iter=None, max_time=max_time
    )


def fit(
    folder: str,
    method: str,
    C: float,
    tol: float,
    form: str = "given",
    rows: int | None = None,
    repeat: int = 1,
    max_time: float | None = None,
) -> dict[str, Any]:
    """Fits ``repeat`` times; returns the measurements, and what came out of the last fit."""
    X, y = stored(Path(folder), form, rows)
    labels = np.unique(y, return_inverse=True)[1]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator(method, C, 0.1, 1.0).fit(X[:500], y[:500])  # what is loaded at the first use is loaded here
        caught.clear()
        measurements = []
        for _ in range(repeat):
            model = None  # the previous one is not part of what is measured
            model, measured = measure(lambda: estimator(method, C, tol, max_time).fit(X, y))
            measurements.append(asdict(measured))
    assert model is not None
    answer = {
        "method": method,
        "C": C,
        "tol": tol,
        "form": form,
        "rows": int(labels.size),
        "measurements": measurements,
        "objective": objective(model.coef_, X, labels, C),
        "warned": any(issubclass(warning.category, ConvergenceWarning) for warning in caught),
        "n_iter": int(np.max(model.n_iter_)),
        "x_bytes": size_in_bytes(X),
        "coef_bytes": int(model.coef_.nbytes),
    }
    if method != "LinearSVC":
        solution = model.solution_
        answer |= {
            "gap": solution.gap,
            "dual": solution.dual,
            "status": solution.status.name,
            "planes": max(record.planes for record in solution.trace),
        }
    return answer

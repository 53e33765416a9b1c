"""Times of the benchmark of measures, each call in a process of its own with one thread."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from maxmargin import Formulation, MeasureSVC, OneSlack
from maxmargin.datasets import MissingDataError, load_covtype, make_documents
from maxmargin.groups.sample import Sample, SampleInput
from maxmargin.measures import as_measure
from maxmargin.rows.matrices import as_rows
from measures.data import unit_scaled
from shared.harness import measure

Floats = npt.NDArray[np.float64]


def rows_of(name: str, n: int | None, quick: bool) -> tuple[Any, npt.NDArray[np.bool_]]:
    """Covertype, class 1 against the rest, or generated texts: ``'texts <words>'`` or ``'texts <words> rare'``."""
    if name == "covertype":
        try:
            X, y = load_covtype()
        except MissingDataError:
            if not quick:
                raise
            X = np.random.default_rng(0).random((5_000, 54))
            y = 1 + (X[:, 0] > 0.5 * X[:, 1])
        order = np.random.default_rng(0).permutation(y.size)[:n]
        return unit_scaled(X[order]), y[order] == 1
    _, words, *rest = name.split()
    return make_documents(n or 1_000, int(words), positive=0.01 if rest else 0.5)


def hinge_objective(X: Any, y: npt.NDArray[np.bool_], coef: Floats, intercept: float, C: float) -> float:
    """``1/2 |w|^2 + 1/2 b^2 + C sum_i max(0, 1 - y_i s_i)``: the intercept is the weight of a constant feature 1."""
    hinge = np.maximum(0.0, 1.0 - np.where(y, 1.0, -1.0) * (X @ coef + intercept))
    return 0.5 * float(coef @ coef) + 0.5 * intercept**2 + C * float(hinge.sum())


def fit(
    name: str, method: str, C: float, tols: list[float], n: int | None = None, quick: bool = False, repeat: int = 1
) -> list[dict[str, Any]]:
    """One method at several tolerances: CPU seconds (the least of some fits) and the objective reached."""
    X, y = rows_of(name, n, quick)
    answers = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for tol in tols:
            fits = [measure(lambda tol=tol: _estimator(method, C, tol).fit(X, y)) for _ in range(repeat)]
            model = fits[-1][0]
            coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
            answer = {"method": method, "tol": tol, "cpu": min(cost.cpu for _, cost in fits), "rows": int(y.size)}
            if method == "SVC":
                intercept = float(model.intercept_[0])
                hinge = np.maximum(0.0, 1.0 - np.where(y, 1.0, -1.0) * (X @ coef[0] + intercept)).sum()
                answer["objective"] = 0.5 * float(coef[0] @ coef[0]) + C * float(hinge)
            else:
                answer["objective"] = hinge_objective(X, y, coef[0], float(model.intercept_[0]), C)
            if method not in ("SVC", "LinearSVC"):
                trace = model.solution_.trace
                answer |= {
                    "gap": model.solution_.gap,
                    "rounds": int(model.n_iter_),
                    "planes": max(record.planes for record in trace),
                    "status": model.solution_.status.name,
                }
            answers.append(answer)
    return answers


def _estimator(method: str, C: float, tol: float) -> Any:
    if method == "LinearSVC":
        return LinearSVC(loss="hinge", dual=True, C=C, tol=tol, max_iter=10_000, random_state=0)
    if method == "SVC":
        return SVC(kernel="linear", C=C, tol=tol, cache_size=500)
    solver: Any = OneSlack() if method == "one-slack" else "auto"
    return MeasureSVC(
        "error_rate", C, method="structural", tol=tol, solver=solver, intercept_scaling=1.0, max_iter=None
    )


def oracle_calls(n: int, words: int, measures: list[str], repeat: int) -> dict[str, float]:
    """CPU seconds of one call of each measure's oracle, product with the rows and summed plane included, on texts of
    which one in a hundred is positive, at weights from the middle of training."""
    X, y = make_documents(n, words, positive=0.01)
    given = SampleInput(as_rows(X, 1.0, True))
    w = MeasureSVC("roc_area", 1.0, method="structural", intercept_scaling=1.0, max_iter=5, threshold_for=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        weights = np.ascontiguousarray(w.fit(X, y).solution_.w)
    found = {}
    for name in measures:
        oracle = Sample(as_measure(name)).bind(given, y, Formulation())
        scale = as_measure(name).unit(as_measure(name).prepare(y, "the texts"))
        oracle.cut(scale * weights)
        spent = []
        for _ in range(repeat):
            begin = time.process_time()
            oracle.cut(scale * weights)
            spent.append(time.process_time() - begin)
        found[name] = min(spent)
    return found

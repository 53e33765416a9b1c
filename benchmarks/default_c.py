"""The default C of MulticlassSVC against a C tuned on a held-out fifth of the training part, by test accuracy.

The grid for tuning has powers of ten from 1e-3 to 1e3, absolute and as multiples of the default. Other rules for a
default are compared too, but only on the held-out part: a default chosen by test accuracy would be tuned on test data.
Small sets without a test part of their own are split several times, and the mean is shown.

    python benchmarks/default_c.py [--data iris --data mnist] [--max-time 20]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from default_c_data import SETS, Split, splits
from harness import save
from rich.console import Console
from rich.table import Table
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from maxmargin import MulticlassSVC

BAR = 0.5  # points
POWERS = [10.0**k for k in range(-3, 4)]
Floats = npt.NDArray[np.float64]


def moments(X: Any) -> tuple[Floats, Floats]:
    """Mean square and variance of every feature."""
    mean = np.asarray(X.mean(axis=0)).ravel()
    square = np.asarray(
        X.multiply(X).mean(axis=0) if sparse.issparse(X) else np.einsum("ij,ij->j", X, X) / len(X)
    ).ravel()
    return square, np.maximum(square - mean * mean, 0.0)


def mean_square(X: Any) -> float:
    """Mean of ``|x|^2 + 1``: the constant feature of the intercept counts."""
    return float(1.0 + moments(X)[0].sum())


def varying(X: Any) -> Floats:
    """Variances of the features that are not constant."""
    variance = moments(X)[1]
    kept: Floats = variance[variance > 1e-12 * variance.max()]
    return kept


def by_total(X: Any) -> float:
    """``sqrt(n / d)`` over the sum of the variances."""
    variance = varying(X)
    return float(np.sqrt(X.shape[0] / variance.size) / variance.sum())


def by_geometric_mean(X: Any) -> float:
    """``sqrt(n / d)`` over ``d`` times the geometric mean of the variances."""
    variance = varying(X)
    return float(np.sqrt(X.shape[0] / variance.size) / (variance.size * np.exp(np.log(variance).mean())))


RULES: dict[str, Callable[[Any], float | str]] = {
    "the default": lambda X: "scale",
    "1 / mean |x|²": lambda X: 1.0 / mean_square(X),
    "5 / mean |x|²": lambda X: 5.0 / mean_square(X),
    "√(n/d) / Σ var": by_total,
    "√(n/d) / (d gmean var)": by_geometric_mean,
    "1": lambda X: 1.0,
}


@dataclass
class Result:
    """Means over the splits of one set, accuracies in points; ``rules`` and ``best_held_out`` on the held-out part."""

    name: str
    splits: int
    default_c: float
    tuned_c: list[float]
    default: float
    tuned: float
    best_held_out: float
    rules: dict[str, float]
    unfinished: int

    @property
    def difference(self) -> float:
        """Points by which the default is better than the tuned C on test."""
        return self.default - self.tuned


class Judge:
    """Fits with a limit of time and remembers how many fits met it."""

    def __init__(self, max_time: float) -> None:
        self.max_time, self.unfinished = max_time, 0

    def fitted(self, C: Any, X: Any, y: Any) -> MulticlassSVC:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            model = MulticlassSVC(C=C, max_time=self.max_time).fit(X, y)
        self.unfinished += any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
        return model

    def tune(self, split: Split, default_c: float) -> tuple[float, float, dict[str, float]]:
        """The C that is best on a fifth of the training part (the middle of equals), its score, and the rules'."""
        X, X_held, y, y_held = train_test_split(
            split.X_train, split.y_train, test_size=0.2, random_state=0, stratify=split.y_train
        )

        def held_out(C: float | str) -> float:
            return 100.0 * float(self.fitted(C, X, y).score(X_held, y_held))

        scores = {C: held_out(C) for C in sorted({*POWERS, *(default_c * power for power in POWERS)})}
        best = [C for C, score in scores.items() if score == max(scores.values())]
        return best[len(best) // 2], max(scores.values()), {name: held_out(rule(X)) for name, rule in RULES.items()}

    def result(self, name: str, parts: list[Split]) -> Result:
        self.unfinished = 0
        rows: list[tuple[float, float, float, float, float]] = []
        rules: dict[str, list[float]] = {rule: [] for rule in RULES}
        for split in parts:
            model = self.fitted("scale", split.X_train, split.y_train)
            C, best, scores = self.tune(split, float(model.C_))
            tuned = self.fitted(C, split.X_train, split.y_train)
            accuracies = [100.0 * float(fitted.score(split.X_test, split.y_test)) for fitted in (model, tuned)]
            rows.append((float(model.C_), C, accuracies[0], accuracies[1], best))
            for rule, score in scores.items():
                rules[rule].append(score)
        default_c, _, default, tuned_score, best_held_out = np.mean(rows, axis=0).tolist()
        means = {rule: float(np.mean(scores)) for rule, scores in rules.items()}
        tuned_c = [row[1] for row in rows]
        return Result(name, len(parts), default_c, tuned_c, default, tuned_score, best_held_out, means, self.unfinished)


def _table(title: str, columns: list[str]) -> Table:
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left")
    return table


def show(results: list[Result]) -> None:
    columns = ["set", "splits", "default C", "tuned C", "default", "tuned", "difference", "holds", "unfinished fits"]
    table = _table("Test accuracy in points", columns)
    others = _table("Rules for C on the held-out part of train, less the best C of the grid there", ["set", *RULES])
    for result in results:
        table.add_row(
            result.name,
            str(result.splits),
            f"{result.default_c:.3g}",
            f"{np.median(result.tuned_c):.3g}",
            f"{result.default:.2f}",
            f"{result.tuned:.2f}",
            f"{result.difference:+.2f}",
            "yes" if result.difference >= -BAR else "[bold red]NO[/]",
            str(result.unfinished),
        )
        others.add_row(result.name, *[f"{score - result.best_held_out:+.2f}" for score in result.rules.values()])
    console = Console(width=150)
    console.print(table)
    console.print(others)
    failing = [result.name for result in results if result.difference < -BAR]
    print(f"The default is within {BAR} points of the tuned C on {len(results) - len(failing)} of {len(results)}.")
    if failing:
        print(f"It is not on: {'; '.join(failing)}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", action="append", choices=list(SETS), help="set, may be given again; default all")
    parser.add_argument("--max-time", type=float, default=20.0, help="seconds after which a fit is stopped")
    arguments = parser.parse_args()
    judge = Judge(arguments.max_time)
    results: list[Result] = []
    for name in arguments.data or SETS:
        for title, parts in splits(name):
            results.append(judge.result(title, parts))
            save("default_c", {"bar": BAR, "results": [asdict(result) for result in results]})
            print(f"{title}: default {results[-1].default:.2f}, tuned {results[-1].tuned:.2f}", flush=True)
    if results:
        show(results)


if __name__ == "__main__":
    main()

"""The default C of MulticlassSVC against a C tuned on a held-out fifth of the training part, by test accuracy.

The grid for tuning has powers of ten from 1e-3 to 1e3, absolute and as multiples of the default. Other rules for a
default are shown beside it. Small sets without a test part of their own are split several times, and the mean is shown.

    python benchmarks/default_c.py [--data iris --data mnist] [--max-time 20]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
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


def squared_norms(X: Any) -> Any:
    """``|x|^2 + 1``: the constant feature of the intercept counts."""
    return 1.0 + np.asarray(X.multiply(X).sum(axis=1) if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)).ravel()


def spread(X: Any) -> float:
    """Mean of ``|x - mean x|^2``."""
    centre = np.asarray(X.mean(axis=0)).ravel()
    return float(max(np.mean(squared_norms(X)) - 1.0 - centre @ centre, 1e-12))


RULES: dict[str, Callable[[Any], float]] = {
    "1/mean|x|²": lambda X: 1.0 / float(np.mean(squared_norms(X))),
    "3/mean|x|²": lambda X: 3.0 / float(np.mean(squared_norms(X))),
    "10/mean|x|²": lambda X: 10.0 / float(np.mean(squared_norms(X))),
    "1/median|x|²": lambda X: 1.0 / float(np.median(squared_norms(X))),
    "1/spread": lambda X: 1.0 / spread(X),
    "C = 1": lambda X: 1.0,
}


@dataclass
class Result:
    """Mean accuracies in points over the splits of one set."""

    name: str
    splits: int
    default_c: float
    tuned_c: list[float]
    default: float
    tuned: float
    rules: dict[str, float]
    unfinished: int
    best_rule: str = field(init=False)

    def __post_init__(self) -> None:
        self.best_rule = max(self.rules, key=lambda rule: self.rules[rule])

    @property
    def behind(self) -> float:
        """Points by which the tuned C is better than the default."""
        return self.tuned - self.default


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

    def tune(self, split: Split, default_C: float) -> float:
        """The C that is best on a fifth of the training part; the middle one of those that are equally good."""
        X, X_held, y, y_held = train_test_split(
            split.X_train, split.y_train, test_size=0.2, random_state=0, stratify=split.y_train
        )
        candidates = sorted({*POWERS, *(default_C * power for power in POWERS)})
        scores = [self.fitted(C, X, y).score(X_held, y_held) for C in candidates]
        best = [C for C, score in zip(candidates, scores) if score == max(scores)]
        return best[len(best) // 2]

    def accuracy(self, C: Any, split: Split) -> float:
        return 100.0 * float(self.fitted(C, split.X_train, split.y_train).score(split.X_test, split.y_test))

    def result(self, name: str, parts: list[Split]) -> Result:
        self.unfinished = 0
        default, tuned, tuned_C, default_C = [], [], [], []
        rules: dict[str, list[float]] = {rule: [] for rule in RULES}
        for split in parts:
            model = self.fitted("scale", split.X_train, split.y_train)
            default.append(100.0 * float(model.score(split.X_test, split.y_test)))
            default_C.append(float(model.C_))
            tuned_C.append(self.tune(split, float(model.C_)))
            tuned.append(self.accuracy(tuned_C[-1], split))
            for rule, chosen in RULES.items():
                rules[rule].append(self.accuracy(chosen(split.X_train), split))
        return Result(
            name,
            len(parts),
            float(np.median(default_C)),
            tuned_C,
            float(np.mean(default)),
            float(np.mean(tuned)),
            {rule: float(np.mean(values)) for rule, values in rules.items()},
            self.unfinished,
        )


def show(results: list[Result]) -> None:
    table = Table(title="Test accuracy in points; rules by their difference from the tuned C", title_justify="left")
    columns = ["set", "splits", "default C", "tuned C", "default", "tuned", "difference", "holds", *RULES, "unfinished"]
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left")
    for result in results:
        table.add_row(
            result.name,
            str(result.splits),
            f"{result.default_c:.3g}",
            f"{np.median(result.tuned_c):.3g}",
            f"{result.default:.2f}",
            f"{result.tuned:.2f}",
            f"{-result.behind:+.2f}",
            "yes" if result.behind <= BAR else "[bold red]NO[/]",
            *[f"{value - result.tuned:+.2f}" for value in result.rules.values()],
            str(result.unfinished),
        )
    console = Console(width=190)
    console.print(table)
    failing = [result.name for result in results if result.behind > BAR]
    console.print(
        f"The default is within {BAR} points on {len(results) - len(failing)} of {len(results)}.", highlight=False
    )
    if failing:
        console.print(f"Not on: {'; '.join(failing)}.", highlight=False)


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
            path = save("default_c", {"bar": BAR, "results": [asdict(result) for result in results]})
            print(f"{title}: default {results[-1].default:.2f}, tuned {results[-1].tuned:.2f}", flush=True)
    show(results)
    print(f"Saved as {path}.")


if __name__ == "__main__":
    main()

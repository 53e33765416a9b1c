"""Rules for a default C, compared on a held-out fifth of the training parts of many sets; no test part is looked at.

Every rule is ``C = r / S`` with ``S`` the size of an example (``FeatureScale.total``). Shown is the mean
accuracy on the held-out parts less that of the best r of a grid. That r is the same for all splits of a set, but it is
picked on the examples that judge it, so even a good rule may show a small loss: compare the rules with each other. Sets
with more than 5,000 examples for training are also taken with 1,000 of them.

    python benchmarks/defaults/studies/default_c/rules.py [--data iris --data mnist | --write docs/defaults.md]
        [--max-time 10]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[3])

import numpy as np

from defaults.studies.default_c.data import SETS, Split, splits
from defaults.studies.default_c.tuning import Fitter, HeldOut
from maxmargin.rows.columns import Columns
from maxmargin.rows.feature_scale import FeatureScale, packed
from shared.harness import save
from shared.tables import markdown_table, replace_section

SMALL, LARGE = 1000, 5000
GRID = [10.0 ** (k / 2) for k in range(-4, 6)]  # of r


@dataclass(frozen=True)
class Facts:
    """What a rule may know of a training part: numbers of examples, features of an example, columns and classes."""

    n: int
    d: float
    columns: int
    k: int
    total: float

    @classmethod
    def of(cls, X: Any, y: Any) -> Facts:
        scale = FeatureScale(packed(X), None)
        columns = Columns.of(scale, X.dtype)
        if columns is not None:
            scale = FeatureScale(packed(columns.apply(X)), None)
        return cls(X.shape[0], scale.active, int((scale.sizes > 0.0).sum()), np.unique(y).size, scale.total)

    def c(self, r: float) -> float:
        return float(r) / self.total


def clipped(r: float, least: float = 1.0, most: float = 32.0) -> float:
    return min(max(r, least), most)


RULES: dict[str, Callable[[Facts], float | str]] = {
    "the default": lambda facts: "scale",
    "2n/d², 2 to 64": lambda facts: facts.c(clipped(2 * facts.n / facts.d**2, 2, 64)),
    "2n/columns²": lambda facts: facts.c(clipped(2 * facts.n / facts.columns**2)),
    "√n/d, 1/2 to 32": lambda facts: facts.c(clipped(5 * np.sqrt(facts.n) / facts.d, 0.5)),
    "n/(dk)": lambda facts: facts.c(clipped(facts.n / (facts.d * facts.k))),
    "√(nk)/d": lambda facts: facts.c(clipped(np.sqrt(facts.n * facts.k) / facts.d)),
    "1": lambda facts: facts.c(1.0),
    "3": lambda facts: facts.c(3.0),
    "C = 1": lambda facts: 1.0,
}


@dataclass
class Losses:
    """Mean points that each rule loses to the best r of the grid on the held-out parts, and its mean CPU seconds."""

    name: str
    points: list[float]
    seconds: list[float]


def losses(name: str, parts: list[Split], rows: int | None, fit: Fitter) -> Losses:
    """Over all splits; over 3 held-out parts, or 10 of a small set, where there is one split only."""
    seeds = range(1 if len(parts) > 1 else 10 if parts[0].X_train.shape[0] < SMALL else 3)
    scores: list[list[float]] = []
    seconds: list[list[float]] = []
    curves: list[dict[float, float]] = []
    for split, seed in product(parts, seeds):
        held_out = HeldOut.of(fit, split.X_train, split.y_train, rows=rows, seed=seed)
        facts = Facts.of(held_out.X, held_out.y)
        scores.append([])
        seconds.append([])
        for rule in RULES.values():
            scores[-1].append(held_out.accuracy(rule(facts)))
            seconds[-1].append(fit.seconds)
        unit = facts.c(1.0)
        curve = held_out.accuracies(unit * multiple for multiple in GRID)
        curves.append(dict(zip(GRID, curve.values(), strict=False)))
    best = max(np.mean([curve[r] for curve in curves]) for r in GRID if all(r in curve for curve in curves))
    return Losses(name, (best - np.mean(scores, axis=0)).tolist(), np.mean(seconds, axis=0).tolist())


def all_losses(names: list[str], fit: Fitter) -> Iterator[Losses]:
    for name in names:
        for title, parts in splits(name):
            yield losses(title, parts, None, fit)
            if parts[0].X_train.shape[0] > LARGE:
                yield losses(f"{title}, {SMALL:,} examples", parts, SMALL, fit)


def report(found: list[Losses], max_time: float) -> str:
    rows = [[item.name, *[f"{points:.2f}" for points in item.points]] for item in found]
    mean = np.mean([item.points for item in found], axis=0)
    seconds = np.sum([item.seconds for item in found], axis=0)
    rows.append(["**mean**", *[f"**{points:.2f}**" for points in mean]])
    rows.append(["over 0.5 points", *[str(sum(item.points[k] > 0.5 for item in found)) for k in range(len(RULES))]])
    rows.append(["CPU s, all sets", *[f"{value:.1f}" for value in seconds]])
    return (
        "Points of accuracy that a rule for r loses to the best r of a grid on held-out fifths of the training parts. "
        "d is the mean number of features of an example and k the number of classes. 2n/d², clipped to 1 and 32 as the "
        "other rules are unless they say so, is the default; the last column is a fixed C.\n\n"
        f"{markdown_table(['set', *RULES], rows)}\n\n"
        f"`python benchmarks/defaults/studies/default_c/rules.py --max-time {max_time:g} --write docs/defaults.md` "
        "writes this table."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", action="append", choices=list(SETS), help="set, may be given again; default all")
    parser.add_argument("--max-time", type=float, default=10.0, help="seconds after which a fit is stopped")
    parser.add_argument("--write", type=Path, help="page with a section for the table")
    arguments = parser.parse_args()
    if arguments.write and arguments.data:
        parser.error("--write replaces the table of all sets, so it cannot be given with --data.")
    found: list[Losses] = []
    for item in all_losses(arguments.data or list(SETS), Fitter(arguments.max_time)):
        found.append(item)
        save("default_c_rules", {"rules": list(RULES), "results": found})
        print(f"{item.name}: {', '.join(f'{points:.2f}' for points in item.points)}", flush=True)
    text = report(found, arguments.max_time)
    print(f"\n{text}")
    if arguments.write:
        replace_section(arguments.write, "rules for C", text)


if __name__ == "__main__":
    main()

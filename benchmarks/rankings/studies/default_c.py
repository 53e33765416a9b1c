"""The default C of RankingSVM: rules for it beside the best C of a grid, on held-out queries.

A rule gives r, and C = r / v, where v is the variance of the features within queries, summed over features. Each set is
split at random into training and held-out queries several times; points are those of the measure on the latter.

    python benchmarks/rankings/studies/default_c.py [--quick] [--write docs/ranking.md]
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np
from sklearn.datasets import load_diabetes, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer

from maxmargin import RankingSVM
from maxmargin.datasets import load_mq2008, load_newsgroups20, make_ranking
from maxmargin.rankings.scale import Spread
from maxmargin.rows.feature_scale import packed
from maxmargin.rows.query_groups import read_groups
from shared.harness import save
from shared.tables import console, markdown_table, new_table, replace_section

MEASURES = ("swapped_pairs", "average_precision", "ndcg(10)")
GRID = [float(f"{r:.2g}") for r in 10.0 ** np.arange(-2.0, 3.1, 0.5)]
RULES: dict[str, Callable[[Spread], float]] = {
    "2√e, the default": lambda spread: 2.0 * spread.features**0.5,
    "√e": lambda spread: spread.features**0.5,
    "4√e": lambda spread: 4.0 * spread.features**0.5,
    "e / 3": lambda spread: spread.features / 3.0,
    "1": lambda spread: 1.0,
    "3": lambda spread: 3.0,
    "10": lambda spread: 10.0,
    "30": lambda spread: 30.0,
    "C = 1": lambda spread: spread.variance,
}
Set = tuple[str, Any, Any, Any, float]


def sets() -> Iterator[Set]:
    """Name, X, grades, queries, and the share of the queries to train on."""
    X, y, queries = load_mq2008("all")
    yield "MQ2008", X, y, queries, 0.6
    yield "MQ2008, 78 queries", X, y, queries, 0.1
    for n, d, noise in ((200, 20, 1.0), (40, 20, 1.0), (200, 100, 1.0), (40, 100, 0.3), (600, 10, 3.0), (40, 5, 0.3)):
        yield (
            f"generated, {n} queries, {d} features, noise {noise:g}",
            *make_ranking(2 * n, n_features=d, noise=noise),
            0.5,
        )
    X, y = load_diabetes(return_X_y=True)
    grades = np.searchsorted(np.quantile(y, [0.2, 0.4, 0.6, 0.8]), y)
    yield "diabetes, 5 grades, queries of 20", X, grades, np.arange(y.size) // 20, 0.6
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(y.size)
    yield "digits, the eights, queries of 30", X[order], (y[order] == 8).astype(int), np.arange(y.size) // 30, 0.6
    texts, groups = load_newsgroups20("train")
    order = np.random.default_rng(0).permutation(len(texts))[:3000]
    words = TfidfVectorizer(sublinear_tf=True, min_df=2).fit_transform([texts[i] for i in order]).tocsr()
    names = np.array(groups)[order]
    grades = np.char.startswith(names, "sci").astype(int) + (names == "sci.space")
    yield "20 newsgroups, sci and sci.space, queries of 40", words, grades, np.arange(3000) // 40, 0.6


def compare(item: Set, splits: int, max_time: float) -> dict[str, Any]:
    """Mean measures of every rule and of every r of the grid over the splits."""
    name, X, y, queries, share = item
    rules: dict[str, list[list[float]]] = {rule: [] for rule in RULES}
    grid: dict[float, list[list[float]]] = {r: [] for r in GRID}
    seconds = 0.0
    for seed in range(splits):
        different = np.unique(queries)
        chosen = np.random.default_rng(seed).permutation(different)[: round(share * different.size)]
        train = np.isin(queries, chosen)
        spread = Spread(packed(X[train]), read_groups(queries[train], int(train.sum())).rows, None)
        found: dict[float, list[float]] = {}

        def points(r: float, found=found, train=train, spread=spread) -> list[float]:
            if r not in found:
                found[r] = [fit(measure, r / spread.variance) for measure in MEASURES]
            return found[r]

        def fit(measure: str, C: float, train=train) -> float:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model = RankingSVM(C=C, measure=measure, uninformative="skip", max_time=max_time)
                model.fit(X[train], y[train], groups=queries[train])
            return 100.0 * model.score(X[~train], y[~train], groups=queries[~train])

        for rule, r in RULES.items():
            begin = time.process_time()
            rules[rule].append(points(r(spread)))
            seconds += time.process_time() - begin if rule == next(iter(RULES)) else 0.0
        for r in GRID:
            grid[r].append(points(r))
    best = np.max([np.mean(values, axis=0) for values in grid.values()], axis=0)
    lost = {rule: (best - np.mean(values, axis=0)).tolist() for rule, values in rules.items()}
    return {
        "name": name,
        "features": spread.features,
        "best": best.tolist(),
        "lost": lost,
        "grid": {str(r): np.mean(values, axis=0).tolist() for r, values in grid.items()},
        "seconds": seconds / (splits * len(MEASURES)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=8)
    parser.add_argument("--max-time", type=float, default=10.0, help="seconds of a fit")
    parser.add_argument("--quick", action="store_true", help="one split of one generated set: a smoke test")
    parser.add_argument("--write", type=Path, help="page of the documentation to write the table to")
    arguments = parser.parse_args()
    if arguments.quick:
        found = [compare(("generated", *make_ranking(30), 0.5), 1, arguments.max_time)]
    else:
        found = [compare(item, arguments.splits, arguments.max_time) for item in sets()]
    columns = ["set", "e", *RULES, "CPU s"]
    rows = [
        [
            one["name"],
            f"{one['features']:.0f}",
            *(f"{np.mean(lost):.2f}" for lost in one["lost"].values()),
            f"{one['seconds']:.3f}",
        ]
        for one in found
    ]
    means = [float(np.mean([one["lost"][rule] for one in found])) for rule in RULES]
    rows.append(["**mean**", "", *(f"**{mean:.2f}**" for mean in means), ""])
    shown = new_table("Points lost to the best r of the grid, mean of " + ", ".join(MEASURES), columns)
    for row in rows:
        shown.add_row(*row)
    console.print(shown)
    console.print(f"Saved as {save('ranking_default_c', {'sets': found})}.")
    if arguments.write is not None:
        options = f"--splits {arguments.splits} --max-time {arguments.max_time:g}"
        command = f"python benchmarks/rankings/studies/default_c.py {options} --write docs/ranking.md"
        note = f"`{command}` writes this table."
        replace_section(arguments.write, "default C of rankings", markdown_table(columns, rows) + "\n\n" + note)


if __name__ == "__main__":
    main()

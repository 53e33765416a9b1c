"""Which formulation and which weights of nodes: tree loss in cross validation within training rows, no test row seen.

For each machine the mean over the folds of some subsamples, at its best C, and the difference to the flat machine with
the zero-one loss, with its standard error over the folds. Data come from the folder that the environment variable
MAXMARGIN_DATA names.

    python benchmarks/taxonomies/studies/choice.py [--data newsgroups20] [--rows 4] [--subsamples 4] [--first 40]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold

from maxmargin import MulticlassSVC, Taxonomy, TaxonomySVC
from maxmargin.classes.taxonomies import taxonomy_losses
from shared.tables import console, new_table
from taxonomies.data import DATA, SIZES, load, prepared, splits
from taxonomies.fit import VALIDATIONS
from taxonomies.methods import FLAT
from taxonomies.methods import SETTINGS_OF_C as COSTS

FORMULATIONS = tuple(product(("margin", "slack"), ("linear", "squared")))
NODE_WEIGHTS = (0.05, 0.1, 0.25, 0.5, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="newsgroups20", choices=(*DATA, "generated"))
    parser.add_argument("--rows", type=int, default=4, choices=tuple(SIZES), help="training rows per class")
    parser.add_argument("--subsamples", type=int, default=4)
    parser.add_argument("--first", type=int, default=40, help="seed of the first subsample; the table has 0 to 9")
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + arguments.subsamples)
    losses = validated(arguments.data, arguments.rows, seeds)
    title = f"{arguments.data}, {arguments.rows} rows per class"
    table = new_table(title, ["machine", "C", "tree loss", "to flat 0/1"])
    flat = losses[FLAT][int(np.argmin(losses[FLAT].mean(axis=1)))]
    for name, found in losses.items():
        best = int(np.argmin(found.mean(axis=1)))
        change = found[best] - flat
        error = change.std(ddof=1) / np.sqrt(change.size)
        table.add_row(name, f"{COSTS[best]:g}", f"{found[best].mean():.3f}", f"{change.mean():+.3f} ({error:.3f})")
    console.print(table)


def validated(data: str, rows: int, seeds: range) -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    """Tree losses of each machine, shape (values of C, folds of all subsamples)."""
    workload, folds = load(data), SIZES[rows]
    makers = machines(workload.taxonomy)
    losses: dict[str, list[list[float]]] = {name: [[] for _ in COSTS] for name in makers}
    for seed in seeds:
        for split in splits(workload.y, rows, folds, seed):
            X, y = prepared(workload.X, split)[0], workload.y[split.train]
            parts = RepeatedStratifiedKFold(n_splits=rows, n_repeats=max(1, VALIDATIONS // rows), random_state=0)
            inner = list(parts.split(np.zeros(y.size), y))
            for name, (c, C) in product(makers, enumerate(COSTS)):
                own = [
                    taxonomy_losses(workload.taxonomy, y[left].tolist(), answers.tolist()).mean()
                    for kept, left in inner
                    for answers in [makers[name](C).fit(X[kept], y[kept]).predict(X[left])]
                ]
                losses[name][c].append(float(np.mean(own)))
    return {name: np.array(found) for name, found in losses.items()}


def machines(taxonomy: Taxonomy) -> dict[str, Callable[[float], Any]]:
    """From C to an estimator."""
    found: dict[str, Callable[[float], Any]] = {FLAT: lambda C: MulticlassSVC(C, slack="squared")}
    for (rescaling, slack), weight in product(FORMULATIONS, NODE_WEIGHTS):
        found[f"{rescaling}, {slack}, nodes {weight:g}"] = lambda C, r=rescaling, s=slack, q=weight: TaxonomySVC(
            C, taxonomy=taxonomy, node_weight=q, rescaling=r, slack=s
        )
    return found


if __name__ == "__main__":
    main()

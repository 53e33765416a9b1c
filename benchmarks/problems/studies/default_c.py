"""The factor of ``C="scale"`` where a problem is known by its planes only: mean test losses of several factors.

``C = factor * mean b / v``, see ``maxmargin.fitting.regularisation``. The factor is chosen on invented candidate sets
of documents and judged on invented dependency trees and on candidate sets of other sizes and seeds; nothing is read
from files.

    python benchmarks/problems/studies/default_c.py
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from maxmargin import DiversityRanker, ProgramSVM
from maxmargin.datasets import make_dependency_trees, make_subtopics
from maxmargin.fitting.regularisation import FACTOR
from maxmargin.programs import DependencyFeatures
from maxmargin.programs.spaces import ProjectiveTrees

FACTORS = (1.0, 2.0, 5.0, 12.0, 30.0)
CHOSEN_ON = ((10, 20, 5), (10, 40, 12), (25, 30, 8), (25, 40, 20), (50, 20, 12), (50, 30, 5))
JUDGED_ON = ((15, 25, 6), (15, 50, 25), (40, 15, 4), (40, 35, 15), (80, 25, 10))
TREES = ((20, 1), (60, 2), (200, 3))
TESTED = 60

Task = tuple[str, Any, Any, Any, int]


def candidate_sets(shapes: tuple[tuple[int, int, int], ...], seed: int) -> Iterator[Task]:
    """Name, estimator, X, y and the number of training examples."""
    for n, documents, subtopics in shapes:
        X, y = make_subtopics(n + TESTED, n_documents=documents, n_subtopics=subtopics, seed=seed + n)
        yield f"{n} sets, {documents} documents, {subtopics} subtopics", DiversityRanker(5), X, y, n


def trees() -> Iterator[Task]:
    for n, seed in TREES:
        sentences, heads = make_dependency_trees(n + TESTED, seed=seed)
        yield f"{n} sentences", ProgramSVM(ProjectiveTrees(DependencyFeatures(bits=16))), sentences, heads, n


def compare(title: str, tasks: Iterator[Task]) -> None:
    print(f"\n{title}\n{'':45}" + "".join(f"{factor:>9g}" for factor in FACTORS))
    rows = []
    for name, model, X, y, n in tasks:
        own = model.fit(X[:n], y[:n]).C_ / FACTOR
        losses = [-model.set_params(C=factor * own).fit(X[:n], y[:n]).score(X[n:], y[n:]) for factor in FACTORS]
        rows.append(losses)
        print(f"{name:45}" + "".join(f"{loss:9.4f}" for loss in losses), flush=True)
    print(f"{'mean':45}" + "".join(f"{loss:9.4f}" for loss in np.mean(rows, axis=0)))


if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    compare("Chosen on: candidate sets", candidate_sets(CHOSEN_ON, seed=1000))
    compare("Judged on: other candidate sets", candidate_sets(JUDGED_ON, seed=5000))
    compare("Judged on: dependency trees", trees())

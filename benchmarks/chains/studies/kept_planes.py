"""What planes kept are worth to ``OneSlack``: seconds, questions and cuts with and without them.

How much looks at planes kept may cost was chosen on sequences like those of the first four rows, and on the treebank
and alignments of length 200; the others judge it. Labellings of long sequences hardly ever come back, trees of short
sentences do.

python benchmarks/chains/studies/kept_planes.py
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from maxmargin import ChainSVC, OneSlack
from maxmargin.datasets import make_treebank
from maxmargin.grammars import GrammarSVM
from shared.tables import console, new_table

CHOSEN = ((13, 1000, 20, 3, 1.0), (100, 600, 20, 3, 1.0), (30, 3000, 20, 3, 1.0), (13, 1000, 20, 3, 0.01))
JUDGES = ((20, 1500, 5, 8, 0.05), (8, 4000, 40, 4, 0.05), (60, 800, 12, 6, 0.05))
NOISE = 3.0


def sequences(n: int, length: int, features: int, labels: int, seed: int) -> tuple[list[Any], list[Any]]:
    """Labels that mostly stay the same, and noisy means of them."""
    rng = np.random.default_rng(seed)
    means = rng.standard_normal((labels, features))
    X, Y = [], []
    for _ in range(n):
        y = rng.integers(labels, size=length)
        for t in np.flatnonzero(rng.random(length - 1) < 0.8) + 1:
            y[t] = y[t - 1]
        X.append(means[y] + NOISE * rng.standard_normal((length, features)))
        Y.append(y)
    return X, Y


def tasks() -> Iterator[tuple[str, Any, Any, Any]]:
    for seed, group in enumerate((CHOSEN, JUDGES)):
        for n, length, features, labels, C in group:
            name = f"{n} sequences of {length:,} tokens, {features} columns, {labels} labels, C = {C:g}"
            yield name, ChainSVC(C), *sequences(n, length, features, labels, seed)
    trees = make_treebank(250, seed=3)
    sentences = [tree.tokens() for tree in trees]
    for loss in ("zero-one", "hamming"):
        yield f"250 invented trees, {loss}", GrammarSVM(0.1, loss=loss, features=("first", "last")), sentences, trees


def main() -> None:
    warnings.simplefilter("ignore")
    table = new_table("OneSlack", ["", "planes kept", "CPU s", "questions per example", "cuts", "status"])
    for name, model, X, Y in tasks():
        for cache in (0, 10):
            begin = time.process_time()
            found = model.set_params(solver=OneSlack(cache=cache)).fit(X, Y).solution_
            seconds = time.process_time() - begin
            asked, cuts = found.oracle_calls / len(Y), found.details["cuts_added"]
            table.add_row(name, str(cache), f"{seconds:.2f}", f"{asked:.0f}", str(cuts), found.status.name)
    console.print(table)


if __name__ == "__main__":
    main()

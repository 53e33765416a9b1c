"""Defaults of RBF kernels with thousands of rows: C of margins, and the basis of a low rank.

C is r / v, with v the variance in the space of the kernel; the default is r = 4 where classes do not overlap. The basis
is 'random': on the first two sets it is better than 'cholesky' with low ranks and as good with 1,000. What the others
judge says ``NOTE``. Points are accuracies on a held-out third.

    python benchmarks/defaults/studies/kernel_many_rows.py [--write docs/kernels.md]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np

from maxmargin import Kernel, LowRank, MulticlassSVC
from maxmargin.datasets import load_covtype, load_mnist, load_optdigits, load_uci_letter
from maxmargin.rows.columns import Columns
from maxmargin.rows.feature_scale import FeatureScale, packed
from shared.tables import console, report_table

FACTORS = (1 / 3, 1.0, 4.0)  # times 4 / v
RANKS, BASES = (50, 200, 1000), ("cholesky", "random")
NOTE = (
    "Accuracy in points and CPU seconds. The first 2 sets chose the basis, the others judge it. They judge neither r "
    "nor the share of mistakes that tells overlap, a tenth: r = 4 was taken for its time after a trial on rows of all "
    "four, in which 16 was a little more accurate, and the tenth was set on letter, MNIST and invented clusters."
)


def sets() -> Iterator[tuple[str, Any, Any]]:
    """Name, X and y; the first two choose."""
    yield "optdigits, 3,600", *_some(*load_optdigits("train"), 3600)
    yield "covertype, 6,000", *_some(*load_covtype(), 6000)
    yield "letter, 6,000", *_some(*load_uci_letter("train"), 6000)
    X, y = load_mnist("train")
    yield "MNIST, 6,000", *_some(X.reshape(len(X), -1), y, 6000)


def _some(X: Any, y: Any, n: int) -> tuple[Any, Any]:
    chosen = np.random.default_rng(1).permutation(len(y))[:n]
    return np.ascontiguousarray(X[chosen], dtype=np.float64), y[chosen]


def variance(X: Any) -> float:
    """In the space of the RBF kernel with gamma of 'scale', columns being brought together."""
    brought = Columns.of(FeatureScale(packed(X), None), X.dtype)
    X = X if brought is None else brought.apply(X)
    return 1.0 - float(Kernel("rbf").resolved(X).block(X[:1000], X[:1000]).mean())


def measured(X: Any, y: Any) -> dict[str, str]:
    """Accuracy, and CPU seconds of the fit, of every candidate."""
    cut = 2 * len(y) // 3

    def found(model: Any) -> str:
        begin = time.process_time()
        model.fit(X[:cut], y[:cut])
        seconds = time.process_time() - begin
        return f"{100.0 * model.score(X[cut:], y[cut:]):.1f} ({seconds:.1f} s)"

    C = 4.0 / variance(X[:cut])
    points = {
        f"margins, r = {4.0 * factor:.3g}": found(MulticlassSVC(factor * C, kernel="rbf", method="structural"))
        for factor in FACTORS
    }
    for k in RANKS:
        for basis in BASES:
            model = MulticlassSVC(C, kernel="rbf", rank=LowRank(k, basis), method="structural")
            points[f"{basis}, {k}"] = found(model)
    return points


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the table into a page")
    arguments = parser.parse_args()
    rows = []
    for name, X, y in sets():
        rows.append((name, measured(X, y)))
        console.print(*rows[-1])
    head, body = ["", *(name for name, _ in rows)], []
    for candidate in rows[0][1]:
        body.append([candidate, *(points[candidate] for _, points in rows)])
    report_table("Accuracy in points (CPU seconds)", head, body, NOTE, arguments.write, "many rows")


if __name__ == "__main__":
    main()

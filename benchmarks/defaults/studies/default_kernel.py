"""Defaults of kernels: C, gamma and the basis of a low rank, chosen on some sets and judged on others.

C is r / v, with v the variance in the space of the kernel. The default is r = 4 for the likelihood, a third of that for
margins, which is best or next to it on the sets that chose, and gamma that of 'scale'. The basis of 'k-means' is better
than that of 'cholesky', the default up to 2,000 rows, which takes less time and serves sparse rows and precomputed
values, too. Points are accuracies on held-out thirds, with columns standardised.

    python benchmarks/defaults/studies/default_kernel.py [--quick] [--write docs/kernels.md]
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_circles,
    make_classification,
    make_gaussian_quantiles,
    make_moons,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from maxmargin import Kernel, LowRank, MulticlassSVC
from maxmargin.rows.kernel_basis import BASES
from shared.tables import console, report_table

GRID = (0.25, 1.0, 4.0, 16.0, 64.0, 256.0)  # r
GAMMAS = (0.1, 0.3, 1.0, 3.0, 10.0)  # times that of 'scale'
RANKS = (25, 100)
Set = tuple[str, bool, Any, Any]


def sets() -> Iterator[Set]:
    """Name, whether it chose the defaults, X and y."""
    yield "digits", True, *load_digits(return_X_y=True)
    yield "wine", True, *load_wine(return_X_y=True)
    yield "moons", True, *make_moons(500, noise=0.25, random_state=0)
    yield (
        "blobs, 4 classes",
        True,
        *make_classification(600, 10, n_informative=5, n_classes=4, n_clusters_per_class=2, random_state=0),
    )
    yield "quantiles", True, *make_gaussian_quantiles(n_samples=500, n_features=5, n_classes=3, random_state=0)
    yield "breast cancer", False, *load_breast_cancer(return_X_y=True)
    yield "iris", False, *load_iris(return_X_y=True)
    yield "circles", False, *make_circles(500, noise=0.15, factor=0.5, random_state=1)
    yield (
        "blobs, 8 classes",
        False,
        *make_classification(
            1000, 20, n_informative=8, n_classes=8, n_clusters_per_class=1, flip_y=0.1, random_state=1
        ),
    )
    X, y = load_digits(return_X_y=True)
    yield "digits, 200 of them", False, X[::9], y[::9]


def splits(X: Any, y: Any, count: int) -> Iterator[tuple[Any, Any, Any, Any]]:
    for train, test in StratifiedShuffleSplit(count, test_size=1 / 3, random_state=0).split(X, y):
        scale = StandardScaler().fit(X[train])
        yield scale.transform(X[train]), y[train], scale.transform(X[test]), y[test]


def accuracy(make: Any, X: Any, y: Any, count: int) -> float:
    """Mean over the splits, in points."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = [make(a).fit(a, b).score(c, d) for a, b, c, d in splits(X, y, count)]
    return 100.0 * float(np.mean(found))


def variance(X: Any) -> float:
    """In the space of the RBF kernel with gamma of 'scale'."""
    return 1.0 - float(Kernel("rbf").resolved(X).block(X, X).mean())


def candidates() -> dict[str, Any]:
    """Everything that is compared, each a function of the training rows."""
    found: dict[str, Any] = {"linear": lambda a: MulticlassSVC()}
    for r in GRID:
        for method, words in (("structural", "margins"), ("likelihood", "likelihood")):
            found[f"{words}, r = {r:g}"] = lambda a, r=r, method=method: MulticlassSVC(
                r / variance(a), kernel="rbf", method=method
            )
    for factor in GAMMAS:
        found[f"gamma x {factor:g}"] = lambda a, factor=factor: MulticlassSVC(
            kernel=Kernel("rbf", gamma=factor * Kernel("rbf").resolved(a).gamma)
        )
    found["default"] = lambda a: MulticlassSVC(kernel="rbf")
    for basis in BASES[1:]:  # all but "auto"
        for k in RANKS:
            found[f"{basis}, {k}"] = lambda a, basis=basis, k=k: MulticlassSVC(
                kernel="rbf", rank=LowRank(min(k, len(a)), basis)
            )
    found["SVC()"] = lambda a: SVC()
    found["SVC, best C"] = None
    return found


def measured(item: Set, count: int) -> dict[str, float]:
    _, _, X, y = item
    points = {name: accuracy(make, X, y, count) for name, make in candidates().items() if make is not None}
    points["SVC, best C"] = max(accuracy(lambda a, C=C: SVC(C=C), X, y, count) for C in (0.1, 1.0, 10.0, 100.0))
    return points


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one split in place of three")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the table into a page")
    arguments = parser.parse_args()
    rows = []
    for item in sets():
        points = measured(item, 1 if arguments.quick else 3)
        rows.append((item[0], "chose" if item[1] else "judges", points))
        console.print(item[0], {name: round(value, 1) for name, value in points.items()})
    names = list(candidates())
    head = ["", *(name for name, _, _ in rows), "mean of the 5 that chose", "of the 5 that judge"]
    body = []
    for name in names:
        means = [np.mean([p[name] for _, own, p in rows if own == role]) for role in ("chose", "judges")]
        body.append([name, *(f"{points[name]:.1f}" for _, _, points in rows), *(f"{mean:.2f}" for mean in means)])
    note = "The first 5 sets chose the defaults, the others judge them."
    report_table("Accuracy in points", head, body, note, arguments.write, "defaults of kernels")


if __name__ == "__main__":
    main()

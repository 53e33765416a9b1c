"""What C = 0.01 and eps = 0.1 may mean in table 4 and figure 2 of Tsochantaridis, Joachims, Hofmann and Altun (2005).

The algorithm of the paper to the letter, on its own sequences: a constraint of an example is added where it is violated
by more than its slack and eps, and the dual over all constraints is solved after each of them, or after each pass
over the examples, which is what programs that collect up to 100 constraints do. ``c`` is that of
``1/2 |w|^2 + c/2 sum_i xi_i^2``, so that the paper's text has c = C/n; without the half, and without the division by n,
C means 2 C/n, C and 2 C. Errors of training and test sets in percent, and numbers of constraints, with standard errors.

python benchmarks/alignments/studies/homology_paper.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls

if __name__ == "__main__":  # names of modules start at benchmarks/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from alignments.homology import FEATURES, LETTERS, sample
from maxmargin.alignments import HomologySVM
from shared.tables import console, new_table

C, EPS, TEST = 0.01, 0.1, 100
SAMPLES = {4: 40, 20: 20}
SEED = 720_000_000
READINGS = {"C/n": (1.0, True), "2 C/n": (2.0, True), "C": (1.0, False), "2 C": (2.0, False), "10 C": (10.0, False)}
PAPER = {4: "2.0 ± 2.0, 14.4 ± 1.4", 20: "1.0 ± 0.7, 5.2 ± 0.5"}
Floats = npt.NDArray[np.float64]


class CuttingPlanes:
    """Algorithm 1 with squared slack and the zero-one loss."""

    def __init__(self, X: list[Any], y: list[Any], c: float) -> None:
        self.X, self.y, self.c = X, y, c
        self.model = HomologySVM(1.0, features=FEATURES, alphabet=LETTERS, loss="zero-one", tol=10.0).fit(X[:1], y[:1])
        self.model.coef_ = np.zeros(len(LETTERS) ** 2 + 1)
        self.truths = [histogram(x, candidates[at], pairs.pairs) for (x, candidates), (at, pairs) in zip(X, y)]
        self.decoys = [(x, [own for k, own in enumerate(rows) if k != at]) for (x, rows), (at, _) in zip(X, y)]
        self.planes = np.zeros((0, len(self.model.coef_)))
        self.owners: list[int] = []

    def train(self, by_pass: bool) -> HomologySVM:
        added = True
        while added:
            added = False
            for i, (x, candidates) in enumerate(self.decoys):
                found = self.model.predict([(x, candidates)])[0]
                plane = self.truths[i] - histogram(x, candidates[found.candidate], found.alignment.pairs)
                own = self.planes[np.array(self.owners, dtype=np.int64) == i]
                slack = max(0.0, *(1.0 - own @ self.model.coef_)) if len(own) else 0.0
                if 1.0 - plane @ self.model.coef_ > slack + EPS:
                    self.planes = np.vstack([self.planes, plane])
                    self.owners.append(i)
                    added = True
                    if not by_pass:
                        self.solve()
            if by_pass and added:
                self.solve()
        return self.model

    def solve(self) -> None:
        """The dual ``max sum alpha - 1/2 alpha' G alpha`` over ``alpha >= 0``, as non-negative least squares."""
        same = np.equal.outer(self.owners, self.owners)
        gram = self.planes @ self.planes.T + same / self.c
        gram[np.diag_indices_from(gram)] *= 1.0 + 1e-9
        factor = np.linalg.cholesky(gram)
        alpha, _ = nnls(factor.T, np.linalg.solve(factor, np.ones(len(gram))), maxiter=100 * len(gram) + 1000)
        self.model.coef_ = self.planes.T @ alpha


def histogram(x: str, y: str, pairs: npt.NDArray[np.int32]) -> Floats:
    """How often each pair of letters is aligned, and how many positions between pairs are not."""
    found = np.zeros(len(LETTERS) ** 2 + 1)
    for i, j in pairs:
        found[LETTERS.index(x[i]) * len(LETTERS) + LETTERS.index(y[j])] += 1.0
    if len(pairs):
        found[-1] = (pairs[-1] - pairs[0] + 1).sum() - 2 * len(pairs)
    return found


def main() -> None:
    columns = ["n", "c", "solved", "train", "test", "constraints", "paper: train, test"]
    table = new_table(f"errors in percent, C = {C:g}, eps = {EPS:g}", columns)
    for n, samples in SAMPLES.items():
        for words, (factor, divided) in READINGS.items():
            for by_pass in (False, True):
                found = []
                for number in range(samples):
                    X, y = sample(n, SEED + 1000 * n + 2 * number)
                    planes = CuttingPlanes(X, y, factor * C / (n if divided else 1))
                    model = planes.train(by_pass)
                    unseen = sample(TEST, SEED + 500_000 + 1000 * n + 2 * number)
                    errors = (100.0 * (1.0 - model.score(*each)) for each in ((X, y), unseen))
                    found.append([*errors, len(planes.owners)])
                means, spreads = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / len(found) ** 0.5
                cells = [f"{mean:.1f} ± {spread:.1f}" for mean, spread in zip(means, spreads)]
                table.add_row(str(n), words, "by pass" if by_pass else "at once", *cells, PAPER[n])
    console.print(table)


if __name__ == "__main__":
    main()

"""Table 1.1 of Altun and Smola (2007): names in Spanish news by Gaussian process sequence models.

1,000 sentences of at most 45 words, which have 21,000 words as in the paper, in five folds. Every model has C chosen on
a fifth of its training part, from multiples of ``C='scale'``; SGPS2 takes that of DGPS2, and is trained on the first
two folds only, because it takes minutes.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from kernels.models import Make, abstained, certainty, chosen_c, error, power, say, sparse_row
from kernels.sentences import folds, sample, with_spread
from maxmargin import ChainCRF, SparseGreedy
from maxmargin.metrics import abstention_curve

SENTENCES, LONGEST, SEED = 1000, 45, 1
TOL = 1e-3
SHARE, SPARSE_FOLDS = 0.25, 2
ANSWERED = (1.0, 0.98, 0.95, 0.9, 0.85)
TABLE = {"DGPS1": 4.58, "DGPS2": 4.39, "SGPS2, 25 %": 4.48, "CRF, no regulariser": 4.92, "CRF": 4.56}
MODELS: Mapping[str, Make] = {
    "CRF": lambda C: ChainCRF(C, tol=TOL),
    "DGPS1": lambda C: ChainCRF(C, tol=TOL, kernel=power(1)),
    "DGPS2": lambda C: ChainCRF(C, tol=TOL, kernel=power(2)),
}


def run() -> dict[str, Any]:
    X, Y = sample(SENTENCES, LONGEST, SEED)
    errors: dict[str, list[float]] = {name: [] for name in TABLE}
    sparse: list[tuple[float, float, float]] = []
    sure: tuple[list[float], list[bool]] = ([], [])
    for fold, (X_train, Y_train, X_test, Y_test) in enumerate(folds(X, Y)):
        free = ChainCRF(1.0, l2=0.0, tol=TOL).fit(X_train, Y_train)
        errors["CRF, no regulariser"].append(error(free, X_test, Y_test))
        for name, make in MODELS.items():
            C = chosen_c(make, X_train, Y_train)
            model = make(C).fit(X_train, Y_train)
            errors[name].append(error(model, X_test, Y_test))
            say(f"fold {fold}, {name}: C {C:.3g}, error {errors[name][-1]:.2f}")
        for total, part in zip(sure, certainty(model, X_test, Y_test)):
            total += part
        if fold < SPARSE_FOLDS:
            model = ChainCRF(C, tol=TOL, kernel=power(2), rank=SparseGreedy(SHARE)).fit(X_train, Y_train)
            sparse.append(sparse_row(model, X_test, Y_test, sum(map(len, Y_train))))
            errors["SGPS2, 25 %"].append(sparse[-1][2])
            say(f"fold {fold}, SGPS2: error {sparse[-1][2]:.2f}")
    mean = {name: float(np.mean(values)) for name, values in errors.items()}
    tokens, labels, wrong = np.mean(sparse, axis=0)
    same_folds = float(np.mean(errors["DGPS2"][:SPARSE_FOLDS]))
    rows = [[f"{100 * SHARE:g} %", f"{tokens:.1f} %", f"{labels:.2f}", f"{wrong:.2f}"]]
    rows.append(["dense", "100 %", "9", f"{same_folds:.2f}"])
    curve = abstention_curve(*sure)
    falls = all(curve.at(more) > curve.at(less) for more, less in pairwise(ANSWERED))
    apart = mean["SGPS2, 25 %"] - same_folds
    return {
        "tables": [
            (
                "Table 1.1: test error in per cent",
                ["", "paper", "here"],
                [[name, f"{TABLE[name]:.2f}", with_spread(values)] for name, values in errors.items()],
            ),
            (
                f"Sparseness, first {SPARSE_FOLDS} folds",
                ["coordinates", "tokens", "labels per token", "error %"],
                rows,
            ),
            ("DGPS2, error of the rest", ["abstained", "error %"], abstained(curve, ANSWERED)),
        ],
        "bars": [
            (
                "DGPS2 errs no more than DGPS1",
                f"{mean['DGPS2']:.2f}",
                f"<= {mean['DGPS1']:.2f}",
                mean["DGPS2"] <= mean["DGPS1"],
            ),
            ("SGPS2 is within 0.3 points of DGPS2 on the same folds", f"{apart:+.2f}", "within 0.3", abs(apart) <= 0.3),
            ("the error falls as abstention grows", f"{falls}", "True", falls),
        ],
    }

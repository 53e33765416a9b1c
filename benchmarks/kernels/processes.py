"""Table 1.1 of Altun and Smola (2007): names in Spanish news by Gaussian process sequence models.

1,000 sentences of at most 45 words, which have 21,000 words as in the paper, in five folds. Every model has C chosen on
a fifth of its training part, from multiples of ``C='scale'``; SGPS2 takes that of DGPS2. Figure 1.3 is the error of
SGPS2 by the share of its coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from kernels.models import Make, abstained, by_sparseness, certainty, chosen_c, error, power, say, sparse_row
from kernels.sentences import folds, sample, with_spread
from maxmargin import ChainCRF, SparseGreedy
from maxmargin.metrics import abstention_curve

SENTENCES, LONGEST, SEED = 1000, 45, 1
TOL = 1e-3
SHARES, SHARE = (0.02, 0.05, 0.1, 0.25), 0.25
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
    by_share: dict[float, list[tuple[float, float, float]]] = {share: [] for share in SHARES}
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
        for share, found in by_share.items():
            model = ChainCRF(C, tol=TOL, kernel=power(2), rank=SparseGreedy(share)).fit(X_train, Y_train)
            found.append(sparse_row(model, X_test, Y_test, sum(map(len, Y_train))))
            say(f"fold {fold}, SGPS2, {100 * share:g} %: error {found[-1][2]:.2f}")
        errors["SGPS2, 25 %"].append(by_share[SHARE][-1][2])
    mean = {name: float(np.mean(values)) for name, values in errors.items()}
    rows = [*by_sparseness(by_share), ["dense", "100 %", "9", f"{mean['DGPS2']:.2f}"]]
    curve = abstention_curve(*sure)
    falls = all(curve.at(more) > curve.at(less) for more, less in pairwise(ANSWERED))
    apart = mean["SGPS2, 25 %"] - mean["DGPS2"]
    return {
        "tables": [
            (
                "Table 1.1: test error in per cent",
                ["", "paper", "here"],
                [[name, f"{TABLE[name]:.2f}", with_spread(values)] for name, values in errors.items()],
            ),
            (
                "Figure 1.3: SGPS2 by the share of the coordinates",
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
            ("SGPS2 is within 0.3 points of DGPS2", f"{apart:+.2f}", "within 0.3", abs(apart) <= 0.3),
            ("the error falls as abstention grows", f"{falls}", "True", falls),
        ],
    }

"""Figures 1.2 to 1.4 of Altun and Smola (2007) on generated sequences of two labels, in place of pitch accents.

The labels depend on products of features, so that a kernel of degree 2 has something to find. Every model has C chosen
on a fifth of its training part, from multiples of ``C='scale'``; sparse ones take that of DGPS2.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from kernels.models import Make, abstained, by_sparseness, certainty, chosen_c, error, power, say, sparse_row
from kernels.sentences import folds, with_spread
from maxmargin import ChainCRF, ChainSVC, SparseGreedy
from maxmargin.metrics import abstention_curve

Floats = npt.NDArray[np.float64]

SEQUENCES, SEED = 200, 0
SHARES = (0.01, 0.02, 0.05, 0.1, 0.25)
ANSWERED = (1.0, 0.95, 0.9, 0.85, 0.8, 0.7)
WINDOW = 2
MODELS: Mapping[str, Make] = {
    "CRF": lambda C: ChainCRF(C, window=WINDOW),
    "DGPS1": lambda C: ChainCRF(C, kernel=power(1), window=WINDOW),
    "DGPS2": lambda C: ChainCRF(C, kernel=power(2), window=WINDOW),
    "DGPS3": lambda C: ChainCRF(C, kernel=power(3), window=WINDOW),
    "SVM3": lambda C: ChainSVC(C, method="structural", kernel=power(3), window=WINDOW),
}

_STAY = 0.65  # probability of the same label again
_LINEAR, _PRODUCT = 0.35, 0.9  # sizes of what a feature, and the product of two of them, say of the label
_NOISE = 3  # features that say nothing


def accents(count: int, seed: int) -> tuple[list[Floats], list[list[int]]]:
    """So many sequences of 5 to 15 tokens; their features, shape (length, 6), and labels 0 and 1."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for _ in range(count):
        length = int(rng.integers(5, 16))
        changes = np.concatenate([rng.random(1) < 0.5, rng.random(length - 1) > _STAY])
        labels = np.cumsum(changes) % 2
        sign, hidden = 2.0 * labels - 1.0, rng.choice([-1.0, 1.0], length)
        said = np.stack([_PRODUCT * hidden, _PRODUCT * hidden * sign, _LINEAR * sign], axis=1)
        noise = rng.standard_normal((length, 3 + _NOISE))
        noise[:, :3] += said
        X.append(noise)
        Y.append(labels.tolist())
    return X, Y


def run() -> dict[str, Any]:
    X, Y = accents(SEQUENCES, SEED)
    errors: dict[str, list[float]] = {name: [] for name in MODELS}
    by_share: dict[float, list[tuple[float, float, float]]] = {share: [] for share in SHARES}
    sure: tuple[list[float], list[bool]] = ([], [])
    for fold, (X_train, Y_train, X_test, Y_test) in enumerate(folds(X, Y)):
        chosen = {}
        for name, make in MODELS.items():
            chosen[name] = chosen_c(make, X_train, Y_train)
            model = make(chosen[name]).fit(X_train, Y_train)
            errors[name].append(error(model, X_test, Y_test))
            if name == "DGPS2":
                for total, part in zip(sure, certainty(model, X_test, Y_test)):
                    total += part
        for share, found in by_share.items():
            sparse = ChainCRF(chosen["DGPS2"], kernel=power(2), rank=SparseGreedy(share), window=WINDOW)
            found.append(sparse_row(sparse.fit(X_train, Y_train), X_test, Y_test, sum(map(len, Y_train))))
        say(f"generated, fold {fold}: " + ", ".join(f"{name} {values[-1]:.2f}" for name, values in errors.items()))
    mean = {name: float(np.mean(values)) for name, values in errors.items()}
    rows = [*by_sparseness(by_share), ["dense", "", "", f"{mean['DGPS2']:.2f}"]]
    curve = abstention_curve(*sure)
    falls = all(curve.at(more) > curve.at(less) for more, less in pairwise(ANSWERED))
    return {
        "tables": [
            (
                "Figure 1.2: test accuracy in per cent",
                ["", "accuracy %"],
                [[name, with_spread([100.0 - value for value in values])] for name, values in errors.items()],
            ),
            (
                "Figure 1.3: SGPS2 by the share of the coordinates",
                ["coordinates", "tokens", "labels per token", "error %"],
                rows,
            ),
            ("Figure 1.4: DGPS2, error of the rest", ["abstained", "error %"], abstained(curve, ANSWERED)),
        ],
        "bars": [
            (
                "DGPS2 errs less than DGPS1",
                f"{mean['DGPS2']:.2f}",
                f"< {mean['DGPS1']:.2f}",
                mean["DGPS2"] < mean["DGPS1"],
            ),
            ("the error falls as abstention grows", f"{falls}", "True", falls),
        ],
    }

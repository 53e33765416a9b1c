"""Small graded groups, and every plane of them."""

from __future__ import annotations

import numpy as np

from all_rankings import wrong_pair_sets, wrong_rankings
from reference import EveryPlane, plane_of


def make(sizes=(4, 3, 5, 4), d: int = 3, grades: int = 3, noise: float = 0.0, seed: int = 0):
    """X, grades of which every group has two at least, and the number of each row's group; linear but for the noise."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.standard_normal((groups.size, d))
    merit = X @ rng.standard_normal(d) + noise * rng.standard_normal(groups.size)
    y = np.zeros(groups.size)
    for g in range(len(sizes)):
        rows = np.flatnonzero(groups == g)
        order = rows[np.argsort(-merit[rows])]
        y[order[: grades - 1]] = np.arange(grades - 1, 0, -1)
    return X, y, groups


def every_plane(X, y, groups, name: str, rescaling: str, slack: str) -> EveryPlane:
    """All planes, of sets of swapped pairs or of rankings; for MRR and average precision grades over 0 are relevant."""
    rows, heights, example = [], [], []
    for g, group in enumerate(dict.fromkeys(groups.tolist())):
        own = np.flatnonzero(groups == group)
        grades = (y[own] > 0).astype(float) if name in ("mrr", "average_precision") else y[own]
        outputs = wrong_pair_sets(grades) if name == "swapped_pairs" else wrong_rankings(name, grades)
        for coefficients, loss in zip(outputs.coefficients, outputs.loss):
            a, b = plane_of(coefficients @ X[own], loss, rescaling, slack)
            rows.append(a), heights.append(b), example.append(g)
    return EveryPlane(np.array(rows), np.array(heights), np.array(example), g + 1, slack)

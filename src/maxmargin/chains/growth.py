"""Weights of a chain that gets further features."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin.chains.chain import Chain

Floats = npt.NDArray[np.float64]


def grown(weights: Floats, before: Chain, after: Chain, window: int = 0) -> Floats:
    """Weights in the layout of ``before`` in that of ``after``, which has more features, each at the end of its kind.

    With a ``window`` the features of a token and of its neighbours are side by side, each part with its own end.
    """
    labels, parts = before.n_labels, 2 * window + 1
    old = weights.reshape(before.rows, labels)
    new = np.zeros((after.rows, labels))
    own, more = before.n_features // parts, after.n_features // parts
    for part in range(parts):
        new[part * more : part * more + own] = old[part * own : (part + 1) * own]
    new[after.n_features : after.columns] = old[before.n_features : before.columns]
    pairs = before.n_pair_features * labels
    new[after.columns : after.columns + pairs] = old[before.columns : before.columns + pairs]
    rest = before.rows - before.columns - pairs
    new[after.rows - rest :] = old[before.rows - rest :]
    return new.ravel()

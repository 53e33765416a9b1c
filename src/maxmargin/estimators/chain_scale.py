"""The default C of chain estimators, from the size and the number of their features."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.estimators.training import positive
from maxmargin.sequences import Sequences


def chosen_chain_c(C: Any, tokens: Sequences, fit_intercept: bool, ratio: float) -> float:
    """A number as it is; ``'scale'`` is the ratio over the mean squared length of a token's features."""
    if not isinstance(C, str):
        positive("C", C)
        return float(C)
    if C != "scale":
        raise ValueError(f"C must be a positive number or 'scale', not {C!r}.")
    squares = float(tokens.indices.size if tokens.values is None else np.square(tokens.values, dtype=float).sum())
    return ratio / max(squares / tokens.tokens + float(fit_intercept), 1e-300)


def likelihood_ratio(tokens: Sequences) -> float:
    """The ratio for conditional likelihood: ``max(5, 40 * sqrt(d / T))`` with d features that occur in T tokens.

    Where there are more features than tokens, as in text, each of them is seen a few times only, and its weight needs a
    large C to become as large as it should; the fewer they are, the more the data alone decide.
    """
    features = np.count_nonzero(np.bincount(tokens.indices, minlength=1))
    return max(5.0, 40.0 * float(np.sqrt(features / tokens.tokens)))

"""The conditional likelihood of trees."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.oracles.sum_likelihood import SumLikelihood

_RULES = 1000.0  # operations of both passes for each way to divide a span


def tree_likelihood(
    targets: _core.TreeTargets,
    dimension: int,
    lengths: npt.NDArray[np.int32],
    sample_weight: npt.NDArray[np.float64] | None,
    threads: int,
) -> SumLikelihood:
    """``SumLikelihood`` of the true trees of sentences of the given ``lengths``, with ``dimension`` weights."""
    work = _RULES * (1.0 + lengths.astype(np.float64) ** 3 / 6.0)
    return SumLikelihood(targets, dimension, work, targets.steepness, sample_weight, threads)

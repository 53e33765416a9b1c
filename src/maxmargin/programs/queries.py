"""Questions about the outputs of a dynamic program, given a score for every edge.

The score of an output is the sum of the scores of its edges. Scores are numbers of a size up to 1e300; -inf forbids
an edge. The probability of an output is ``exp(score) / Z``, where Z is the sum over all outputs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from maxmargin.core.ranked import Ranked
from maxmargin.programs.topology import Indices, Topology

Floats = npt.NDArray[np.float64]


class Sums(NamedTuple):
    """What sums over all outputs of a program tell."""

    log_partition: float
    """``log Z``, Z the sum of ``exp(score)`` over all outputs."""
    marginals: Floats
    """The expected number of times that an output has each edge, shape (E,): the probability of the edge, where no
    output can have it twice (always so with one tail)."""
    entropy: float
    """``-sum p log p`` over all outputs, in nats."""


def best(topology: Topology, scores: npt.ArrayLike) -> Ranked[Indices]:
    """The output with the largest score, as ``Ranked(score, edges)``: an edge stands before the edges of its tails."""
    score, edges = topology.core.best(edge_scores(scores))
    _check_possible(score)
    return Ranked(score, edges)


def sums(topology: Topology, scores: npt.ArrayLike) -> Sums:
    """Log partition, marginals and entropy in one pass up and one down."""
    log_partition, marginals, entropy = topology.core.sums(edge_scores(scores))
    _check_possible(log_partition)
    return Sums(log_partition, marginals, entropy)


def marginals(topology: Topology, scores: npt.ArrayLike) -> Floats:
    """The probability of every edge, shape (E,); see ``Sums.marginals``."""
    return sums(topology, scores).marginals


def log_partition(topology: Topology, scores: npt.ArrayLike) -> float:
    """The logarithm of the sum of ``exp(score)`` over all outputs."""
    return sums(topology, scores).log_partition


def edge_scores(scores: npt.ArrayLike) -> Floats:
    """Scores as the core reads them."""
    array = np.asarray(scores)
    if array.ndim != 1 or array.dtype.kind not in "fiu":
        raise ValueError(f"scores must be one number per edge, not an array of {array.dtype} of shape {array.shape}.")
    return np.ascontiguousarray(array, dtype=np.float64)


def _check_possible(score: float) -> None:
    if score == -np.inf:
        raise ValueError("Every output has a forbidden edge (a score of -inf): the program has no output left.")

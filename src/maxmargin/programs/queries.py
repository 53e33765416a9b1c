"""Questions about the outputs of a dynamic program, given a score for every edge.

The score of an output is the sum of the scores of its edges. Scores are numbers of a size up to 1e300; -inf forbids an
edge. The probability of an output is ``exp(score) / Z``, where Z is the sum over all outputs. An output is given as the
numbers of its edges; an edge stands before the edges of its tails.

A question takes a ``Program``, or its ``Topology``: features are ignored here, the scores of edges are given. Every
question can be restricted to outputs with none of the edges in ``forbidden`` and all of those in ``required``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.ranked import Ranked, checked_k
from maxmargin.programs.program import Program
from maxmargin.programs.topology import Indices, Topology, whole_numbers

Floats = npt.NDArray[np.float64]
EdgeList = Sequence[int] | npt.NDArray[np.integer]

MOST_OUTPUTS = 2**31 - 1
"""The core counts outputs with 32 bits."""


class Sums(NamedTuple):
    """What sums over all outputs of a program tell."""

    log_partition: float
    """``log Z``, Z the sum of ``exp(score)`` over all outputs."""
    marginals: Floats
    """The expected number of times that an output has each edge, shape (E,): the probability of the edge, where no
    output can have it twice (always so with one tail)."""


def best(
    program: Program | Topology,
    scores: npt.ArrayLike,
    *,
    forbidden: EdgeList | None = None,
    required: EdgeList | None = None,
) -> Ranked[Indices]:
    """The output with the largest score, as ``Ranked(score, edges)``."""
    score, edges = _topology(program).core.best(edge_scores(scores), *_limits(forbidden, required))
    check_possible(score, required)
    return Ranked(score, edges)


def k_best(
    program: Program | Topology,
    scores: npt.ArrayLike,
    k: int,
    *,
    forbidden: EdgeList | None = None,
    required: EdgeList | None = None,
) -> list[Ranked[Indices]]:
    """The ``k`` different outputs with the largest scores, best first; fewer where there are not so many.

    Found lazily (Huang and Chiang, 2005): after one pass over the edges only cells that the answers need are looked at.
    """
    values, offsets, edges = _topology(program).core.k_best(
        edge_scores(scores), min(checked_k(k), MOST_OUTPUTS), *_limits(forbidden, required)
    )
    check_possible(values[0] if values.size else -np.inf, required)
    return [Ranked(float(v), edges[a:b]) for v, (a, b) in zip(values, pairwise(offsets), strict=True)]


def sums(
    program: Program | Topology,
    scores: npt.ArrayLike,
    *,
    forbidden: EdgeList | None = None,
    required: EdgeList | None = None,
) -> Sums:
    """Log partition and marginals in one pass up and one down."""
    log_partition, marginals = _topology(program).core.sums(edge_scores(scores), *_limits(forbidden, required))
    check_possible(log_partition, required)
    return Sums(log_partition, marginals)


def marginals(
    program: Program | Topology,
    scores: npt.ArrayLike,
    *,
    forbidden: EdgeList | None = None,
    required: EdgeList | None = None,
) -> Floats:
    """The probability of every edge, shape (E,); see ``Sums.marginals``."""
    return sums(program, scores, forbidden=forbidden, required=required).marginals


def log_partition(
    program: Program | Topology,
    scores: npt.ArrayLike,
    *,
    forbidden: EdgeList | None = None,
    required: EdgeList | None = None,
) -> float:
    """The logarithm of the sum of ``exp(score)`` over all outputs."""
    return sums(program, scores, forbidden=forbidden, required=required).log_partition


def entropy(
    program: Program | Topology,
    scores: npt.ArrayLike,
    *,
    forbidden: EdgeList | None = None,
    required: EdgeList | None = None,
) -> float:
    """``-sum p log p`` over all outputs, in nats."""
    log_partition, found = _topology(program).core.entropy(edge_scores(scores), *_limits(forbidden, required))
    check_possible(log_partition, required)
    return float(found)


def expectation(
    program: Program | Topology,
    scores: npt.ArrayLike,
    values: npt.ArrayLike,
    *,
    forbidden: EdgeList | None = None,
    required: EdgeList | None = None,
) -> Floats:
    """The expected sum of the values of an output's edges: of shape () for values of shape (E,), (m,) for (E, m)."""
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim not in (1, 2) or len(numbers) != program.n_edges:
        raise ValueError(f"values must have one row per edge, {program.n_edges}, not shape {numbers.shape}.")
    found: Floats = np.asarray(marginals(program, scores, forbidden=forbidden, required=required) @ numbers)
    return found


def samples(
    program: Program | Topology,
    scores: npt.ArrayLike,
    n: int,
    *,
    seed: int = 0,
    forbidden: EdgeList | None = None,
    required: EdgeList | None = None,
) -> list[Indices]:
    """``n`` independent outputs at random, each with its probability; the same for the same seed."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**64:
        raise ValueError(f"seed must be a whole number from 0 to 2**64 - 1, not {seed!r}.")
    found = _topology(program).core.samples(
        edge_scores(scores), checked_k(n, "n"), int(seed), *_limits(forbidden, required)
    )
    log_sum, offsets, edges = found
    check_possible(log_sum, required)
    return [edges[a:b] for a, b in pairwise(offsets)]


def minimum_risk(
    program: Program | Topology,
    scores: npt.ArrayLike,
    *,
    extra: npt.ArrayLike = 1.0,
    missed: npt.ArrayLike = 0.0,
    forbidden: EdgeList | None = None,
    required: EdgeList | None = None,
) -> Ranked[Indices]:
    """The output with the smallest expected loss, as ``Ranked(-risk, edges)``.

    The loss of an output y where z is true is ``sum_{e in y, not in z} extra[e] + sum_{e in z, not in y} missed[e]``,
    and ``risk(y)`` its mean over the outputs z with their probabilities; both are numbers or have shape (E,). It is
    exact where no output can have an edge twice.
    """
    wrong, left_out = (np.broadcast_to(np.asarray(c, dtype=np.float64), program.n_edges) for c in (extra, missed))
    asked = edge_scores(scores)
    chance = marginals(program, asked, forbidden=forbidden, required=required)
    gain = np.where(asked == -np.inf, -np.inf, left_out * chance - wrong * (1.0 - chance))
    found = best(program, gain, forbidden=forbidden, required=required)
    return Ranked(found.score - float(left_out @ chance), found.output)


class Strata:
    """The best output at each vector of totals of what is counted along its edges.

    ``totals`` has shape (m, kinds): the vectors that outputs have, sorted by the last kind, then by the one before, and
    so on. ``scores``, shape (m,), has the best score at each of them.
    """

    def __init__(
        self,
        program: Program | Topology,
        scores: npt.ArrayLike,
        counts: npt.ArrayLike,
        *,
        forbidden: EdgeList | None = None,
        required: EdgeList | None = None,
    ) -> None:
        table = whole_numbers(counts, "counts")
        if table.ndim == 1:
            table = table[:, np.newaxis]
        if table.ndim != 2 or table.shape[1] == 0:
            raise ValueError(f"counts must have shape (E,) or (E, kinds), not {np.shape(counts)}.")
        self._core = _core.Strata(_topology(program).core, edge_scores(scores), table, *_limits(forbidden, required))
        values = self._core.values()
        self._indices = np.flatnonzero(values > -np.inf)
        check_possible(values.max(), required)
        self.scores: Floats = values[self._indices]
        self.totals: npt.NDArray[np.int64] = np.stack(
            np.unravel_index(self._indices, self._core.sizes(), order="F"), axis=1
        )

    def edges(self, i: int) -> Indices:
        """The best output with ``totals[i]``."""
        found: Indices = self._core.edges(int(self._indices[i]))
        return found


def best_by_cost(
    program: Program | Topology,
    scores: npt.ArrayLike,
    costs: npt.ArrayLike,
    *,
    forbidden: EdgeList | None = None,
    required: EdgeList | None = None,
) -> Strata:
    """The best output at each total of costs, which are whole numbers per edge, not negative: shape (E,) or (E, kinds).

    Time grows with the number of edges times the number of totals (with two tails, times its square). Where the values
    take more than 64 MiB, those of some cells only are kept, and the others computed again for an answer; more than
    2 GiB are refused.
    """
    return Strata(program, scores, costs, forbidden=forbidden, required=required)


def best_under(
    program: Program | Topology,
    scores: npt.ArrayLike,
    counts: npt.ArrayLike,
    value: Callable[[npt.NDArray[np.int64], Floats], npt.ArrayLike],
    *,
    forbidden: EdgeList | None = None,
    required: EdgeList | None = None,
) -> Ranked[Indices]:
    """The output that maximises a function of its totals and its score, as ``Ranked(value, edges)``.

    ``counts``: whole numbers of shape (E, kinds). ``value(totals, scores)`` takes totals of shape (m, kinds) and the
    best scores with them, shape (m,), and answers m numbers; it must not fall where a score rises. With hits and
    guesses as counts, it can be a score plus one minus F1.
    """
    strata = Strata(program, scores, counts, forbidden=forbidden, required=required)
    values = np.asarray(value(strata.totals, strata.scores), dtype=np.float64)
    if values.shape != strata.scores.shape:
        raise ValueError(f"value must answer one number per row of totals, {strata.scores.shape}, not {values.shape}.")
    if np.isnan(values).any():
        raise ValueError(f"value is not a number at the totals {strata.totals[np.flatnonzero(np.isnan(values))[0]]}.")
    chosen = int(np.argmax(values))
    return Ranked(float(values[chosen]), strata.edges(chosen))


def edge_scores(scores: npt.ArrayLike) -> Floats:
    """Scores as the core reads them."""
    array = np.asarray(scores)
    if array.ndim != 1 or array.dtype.kind not in "fiu":
        raise ValueError(f"scores must be one number per edge, not an array of {array.dtype} of shape {array.shape}.")
    return np.ascontiguousarray(array, dtype=np.float64)


def _topology(program: Program | Topology) -> Topology:
    return program.topology if isinstance(program, Program) else program


def _limits(forbidden: EdgeList | None, required: EdgeList | None) -> tuple[Indices | None, Indices | None]:
    def edges(given: EdgeList | None, name: str) -> Indices | None:
        if given is None or len(given) == 0:
            return None
        array = whole_numbers(given, name)
        if array.ndim != 1:
            raise ValueError(f"{name} must be a list of edges, not of shape {array.shape}.")
        return array

    return edges(forbidden, "forbidden"), edges(required, "required")


def check_possible(score: float, required: EdgeList | None = None) -> None:
    """Raises unless a program has an output with a finite score."""
    if score > -np.inf:
        return
    if required is not None and len(required):
        raise ValueError("No output has all required edges without a forbidden one (a score of -inf forbids, too).")
    raise ValueError("Every output has a forbidden edge (a score of -inf, too): the program has no output left.")

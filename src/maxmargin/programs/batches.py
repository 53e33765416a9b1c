"""Queries of many programs in one call, in threads."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.ranked import Ranked
from maxmargin.fitting.training import job_count
from maxmargin.programs.queries import Sums, edge_scores
from maxmargin.programs.topology import Indices, Topology


def best_of_all(
    topologies: Sequence[Topology], scores: npt.ArrayLike, *, n_jobs: int | None = None
) -> list[Ranked[Indices]]:
    """The best output of every program, as ``queries.best`` finds it.

    ``scores``: those of the edges of all programs, one program after the other. A topology may occur many times.
    ``n_jobs``: the number of threads; None is one, -1 is one per processor.
    """
    cores = [topology.core for topology in topologies]
    values, offsets, edges = _core.best_of_programs(cores, edge_scores(scores), job_count(n_jobs))
    _check_possible(values)
    return [
        Ranked(value, edges[a:b]) for value, (a, b) in zip(values.tolist(), pairwise(offsets.tolist()), strict=True)
    ]


def sums_of_all(topologies: Sequence[Topology], scores: npt.ArrayLike, *, n_jobs: int | None = None) -> list[Sums]:
    """Log partition and marginals of every program, as ``queries.sums`` finds them; see ``best_of_all``."""
    cores = [topology.core for topology in topologies]
    values, marginals = _core.sums_of_programs(cores, edge_scores(scores), job_count(n_jobs))
    _check_possible(values)
    ends = accumulate((topology.n_edges for topology in topologies), initial=0)
    return [Sums(value, marginals[a:b]) for value, (a, b) in zip(values.tolist(), pairwise(ends), strict=True)]


def _check_possible(values: npt.NDArray[np.float64]) -> None:
    none = np.flatnonzero(values == -np.inf)
    if none.size:
        raise ValueError(f"Every output of program {none[0]} has a forbidden edge (a score of -inf).")

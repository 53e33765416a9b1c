"""``check_space``: does a user's Space keep its promises on data?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.core.formulation import Formulation
from maxmargin.core.outputs import same_output, shown
from maxmargin.core.problem import as_examples, asked
from maxmargin.programs.loss import bound_loss
from maxmargin.programs.packed import PackedPrograms
from maxmargin.programs.queries import best, log_partition, samples
from maxmargin.programs.space import Space, check_methods, pack_programs
from maxmargin.programs.targets import edges_of

Indices = npt.NDArray[np.int32]

_SLACK = 1e-9  # relative; sums may be taken in another order


def check_space(
    space: Space, X: Sequence[Any], Y: Sequence[Any], *, trials: int = 3, seed: int = 0, most: int = 500
) -> None:
    """Raises ``ValueError`` or ``TypeError`` if a promise is broken, with a sentence that names example, cell and edge.

    Programs have no cycles and goals that can be reached; features have the same columns for all examples. The edges of
    every true output are a derivation, ``output`` makes the true output of them, and they cost nothing; no cost is
    negative. For some other derivations, drawn at random, and for all of them where there are at most ``most``,
    ``edges`` of their ``output`` are the same edges again, so that no two derivations are one output. Where all are
    listed, the best of them at ``trials`` random weights is the one that the search finds.
    """
    check_methods(space)
    X, Y = as_examples(X, Y)
    programs = pack_programs(space, X)
    bound_loss(space, programs, X, Y, Formulation())
    rng = np.random.default_rng(seed)
    weights = [rng.standard_normal(programs.n_weights) for _ in range(max(trials, 0))]
    for i, (x, y) in enumerate(zip(X, Y)):
        topology = programs.topologies[i]
        truth = topmost_first(topology, edges_of(space, topology.n_edges, x, y, i))
        found = asked(space, "output", i, x, truth)
        if not same_output(found, y):
            raise ValueError(
                f"{type(space).__name__}.output of example {i} makes {shown(found)} of the edges of its true output "
                f"{shown(y)}; it must make the same output again."
            )
        _check_derivations(space, x, topology, i, trials, seed, most)
        if _count(topology) <= most:
            _check_best(programs, i, weights)


def topmost_first(topology: Any, edges: Indices) -> Indices:
    """The edges of an output, each before those of its tails."""
    return edges[np.argsort(-topology.head[edges], kind="stable")]


def derivations(topology: Any) -> list[Indices]:
    """All of them, by the definition; each edge stands before those of its tails."""
    into: dict[int, list[int]] = {}
    for edge, cell in enumerate(topology.head.tolist()):
        into.setdefault(cell, []).append(edge)
    needed = {topology.goal}
    for cell in range(topology.goal, -1, -1):
        if cell in needed:
            needed.update(topology.tail[into.get(cell, [])].ravel().tolist())
    known: dict[int, list[list[int]]] = {}
    for cell in sorted(needed - {-1}):
        known[cell] = []
        for edge in into.get(cell, []):
            tails = [known[tail] for tail in topology.tail[edge].tolist() if tail >= 0]
            known[cell] += [[edge, *(e for part in parts for e in part)] for parts in product(*tails)]
    return [np.array(edges, dtype=np.int32) for edges in known[topology.goal]]


def _count(topology: Any) -> float:
    """The number of derivations of the goal."""
    return float(np.exp(min(log_partition(topology, np.zeros(topology.n_edges)), 700.0)))


def _check_derivations(space: Any, x: Any, topology: Any, example: int, trials: int, seed: int, most: int) -> None:
    """Edges, their output, and the edges of that."""
    small = _count(topology) <= most
    drawn = derivations(topology) if small else samples(topology, np.zeros(topology.n_edges), max(trials, 1), seed=seed)
    for edges in drawn:
        output = asked(space, "output", example, x, np.asarray(edges))
        again = edges_of(space, topology.n_edges, x, output, example)
        if not np.array_equal(np.sort(again), np.sort(edges)):
            raise ValueError(
                f"{type(space).__name__}.output of example {example} makes {shown(output)} of the edges "
                f"{np.sort(edges).tolist()}, and edges makes {np.sort(again).tolist()} of that: every derivation must "
                "be an output of its own."
            )


def _check_best(programs: PackedPrograms, example: int, weights: Sequence[npt.NDArray[np.float64]]) -> None:
    """The search finds the best of all derivations."""
    topology = programs.topologies[example]
    listed = derivations(topology)
    for w in weights:
        scores = programs.core.scores(w, example)
        highest = max(float(scores[edges].sum()) for edges in listed)
        found = best(topology, scores).score
        if abs(found - highest) > _SLACK * (1.0 + float(np.abs(scores).sum())):
            raise ValueError(
                f"The best output of example {example} has score {highest:.6g} in a list of all outputs, and "
                f"{found:.6g} in the search."
            )

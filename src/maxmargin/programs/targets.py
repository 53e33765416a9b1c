"""True outputs of programs as edges, and what the edges of other outputs cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.input_checks import quoted
from maxmargin.core.problem import asked, has_power
from maxmargin.programs.packed import PackedPrograms, joined, offsets

Indices = npt.NDArray[np.int32]
Units = tuple[Indices, Indices]
"""Edges, and what each of them costs or counts for: shapes (m,) and (m, kinds)."""

_MOST = 2**31 - 1


def true_edges(space: Any, topologies: Sequence[Any], X: Sequence[Any], Y: Sequence[Any]) -> list[Indices]:
    """The edges of every true output."""
    return [edges_of(space, topologies[i].n_edges, x, y, i) for i, (x, y) in enumerate(zip(X, Y))]


def edges_of(space: Any, n_edges: int, x: Any, y: Any, example: int) -> Indices:
    """The edges of an output as the space tells them; raises where they are no edges of its program."""
    what = f"{type(space).__name__}.edges of example {example}"
    edges = whole_numbers(asked(space, "edges", example, x, y), f"{what} must give a list of edge numbers")
    bad = np.flatnonzero((edges < 0) | (edges >= n_edges))
    if bad.size:
        raise ValueError(
            f"{what} names edge {edges[bad[0]]}, and the edges of its program are numbered from 0 to {n_edges - 1}."
        )
    return edges.astype(np.int32)


def whole_numbers(given: Any, must: str) -> npt.NDArray[Any]:
    """An array of one dimension of whole numbers; ``must`` starts the sentence where it is none."""
    try:
        array = np.asarray(given if hasattr(given, "__len__") else list(given))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{must}, not {quoted(given)}.") from error
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"{must}, not {quoted(given)}.")
    return array if array.size else np.zeros(0, np.int64)


def packed_targets(
    programs: PackedPrograms, truths: Sequence[Indices], units: Sequence[Units] | None = None, kinds: int = 1
) -> _core.ProgramTargets:
    """True outputs in the native core, with the costs of edges: 1 for those with features that are not true where
    ``units`` is None. Raises where a truth is no derivation."""
    given: tuple[Any, ...] = (None, None, None)
    if units is not None:
        lists = [edge for edge, _ in units]
        given = offsets([edge.size for edge in lists]), joined(lists), joined([own.ravel() for _, own in units])
    targets = _core.ProgramTargets(programs.core, offsets([y.size for y in truths]), joined(truths), kinds, *given)
    example, missing, cell, edge = targets.fault()
    if example >= 0:
        raise ValueError(f"The output of example {example} is not in its space: {fault_text(missing, cell, edge)}")
    return targets


def fault_text(missing: bool, cell: int, edge: int) -> str:
    """What is wrong with edges that are no derivation."""
    if not missing:
        return f"its edge {edge} leads into cell {cell}, which the rest of its edges do not need."
    if edge < 0:
        return f"none of its edges leads into cell {cell}, the goal."
    return f"its edge {edge} comes from cell {cell}, and none of its edges leads into that."


def costs_of(space: Any, n_edges: int, x: Any, y: Any, truth: Indices, example: int) -> Units:
    """What edges cost where ``y`` is true, in whole units; raises unless that is 0 at the truth."""
    what = f"{type(space).__name__}.costs of example {example}"
    given = asked(space, "costs", example, x, y)
    if isinstance(given, tuple):
        edge, units = _listed(given, n_edges, what)
    else:
        units = _units(given, what)
        if units.shape != (n_edges,):
            raise ValueError(f"{what} has shape {units.shape}; one number for each of the {n_edges} edges is needed.")
        edge = np.flatnonzero(units).astype(np.int32)
        units = units[edge]
    own = np.isin(truth, edge[units > 0])
    if own.any():
        first = int(truth[np.flatnonzero(own)[0]])
        cost = units[np.flatnonzero(edge == first)[0]]
        raise ValueError(f"{what} is {cost} for edge {first}, which is in the true output; it must be 0 there.")
    return edge, units[:, None]


def counts_of(space: Any, n_edges: int, x: Any, y: Any, example: int) -> Units:
    """What edges count for where ``y`` is true, shape (edges, kinds)."""
    what = f"{type(space).__name__}.counts of example {example}"
    given = asked(space, "counts", example, x, y)
    if not isinstance(given, tuple):
        raise ValueError(f"{what} must be a pair: edges, and their counts of each kind.")
    edge, units = _listed(given, n_edges, what)
    return edge, units[:, None] if units.ndim == 1 else units


def has_counts(space: Any) -> bool:
    """Whether the loss of a space is a function of counts; raises where only half of it is there."""
    found = [has_power(space, name) for name in ("counts", "count_loss")]
    if any(found) and not all(found):
        has, lacks = ("counts", "count_loss") if found[0] else ("count_loss", "counts")
        raise TypeError(f"{type(space).__name__} has the method {has} and lacks {lacks}; a loss of counts needs both.")
    return all(found)


def _listed(given: tuple[Any, ...], n_edges: int, what: str) -> tuple[Indices, Indices]:
    if len(given) != 2:
        raise ValueError(f"{what} must be a pair of edges and their units, not a tuple of {len(given)}.")
    edge = whole_numbers(given[0], f"{what} must have edge numbers first")
    units = _units(given[1], what)
    if units.ndim not in (1, 2) or len(units) != edge.size:
        raise ValueError(f"{what} has {edge.size} edges and units of shape {units.shape}; one per edge is needed.")
    if edge.size and not 0 <= int(edge.min()) <= int(edge.max()) < n_edges:
        bad = edge[(edge < 0) | (edge >= n_edges)][0]
        raise ValueError(f"{what} names edge {bad}, and edges are numbered from 0 to {n_edges - 1}.")
    if np.unique(edge).size < edge.size:
        number, times = np.unique(edge, return_counts=True)
        raise ValueError(f"{what} names edge {number[times > 1][0]} twice; give each edge once.")
    return edge.astype(np.int32), units


def _units(given: Any, what: str) -> Indices:
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise ValueError(f"{what} must be whole numbers, not {quoted(given)}.") from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{what} must be whole numbers, not {quoted(given)}.")
    bad = np.flatnonzero(~((array >= 0) & (array <= _MOST) & (array == np.round(array))).ravel())
    if bad.size:
        raise ValueError(
            f"{what} holds {array.ravel()[bad[0]]}; costs are whole numbers of at least 0, in units of cost_unit."
        )
    return array.astype(np.int32)

"""The loss of outputs of programs, in the form that a search needs.

The loss of an output is a function of what its edges add up to: ``cost_unit`` times the sum of their costs, or any
function of several counts (F1: hits and guesses). With linear slack and margin rescaling costs are added to the scores;
else the best output with each total is found (a *stratum*), and one table per formulation says what a total is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import _core
from maxmargin.core.formulation import Formulation, Search
from maxmargin.core.problem import asked, has_power
from maxmargin.oracles.search import Unsupported
from maxmargin.programs.packed import PackedPrograms, offsets
from maxmargin.programs.queries import best_by_cost
from maxmargin.programs.space import cost_unit
from maxmargin.programs.targets import Units, costs_of, counts_of, has_counts, packed_targets, true_edges

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Totals = npt.NDArray[np.int64]

LOSSES = ("cost", "zero-one")
_MOST_STRATA = 1_000_000  # of an example


@dataclass(frozen=True, eq=False)
class ProgramLoss:
    """A loss bound to true outputs and a formulation.

    ``goal`` names the search, ``margin`` and ``scale`` are by total: those of example i start at ``first[i]``, and kind
    k of a total counts ``strides[i, k]``.
    """

    formulation: Formulation
    targets: _core.ProgramTargets
    goal: str
    unit: float
    margin: Floats
    scale: Floats
    first: Totals
    strides: Totals
    strata: float = 1.0  # of an example, on average

    def oracle(self) -> _core.ProgramOracle:
        return _core.ProgramOracle(
            self.targets, self.goal, self.unit, self.margin, self.scale, self.first, np.ravel(self.strides)
        )

    def arrays(self) -> tuple[Any, ...]:
        """By what the loss is recognised in a later fit."""
        return self.unit, self.margin, self.scale, self.first, self.strides, self.targets.fingerprint()


def bound_loss(
    space: Any, programs: PackedPrograms, X: Sequence[Any], Y: Sequence[Any], formulation: Formulation
) -> ProgramLoss:
    """The loss of a space on a training set; raises where a truth is not in the space or has a cost."""
    targets, units = _targets(space, programs, X, Y)
    n = programs.n
    plain = (np.zeros(n, np.int64), np.ones((n, 1), np.int64))
    if formulation.search in (Search.PREDICTION, Search.SECOND):
        goal = "prediction" if formulation.search is Search.PREDICTION else "second"
        one = np.ones(1)
        kinds = np.ones((n, targets.kinds), np.int64)
        margin, scale = formulation.margin(one), formulation.scale(one)
        return ProgramLoss(formulation, targets, goal, 1.0, margin, scale, plain[0], kinds)
    counted = has_counts(space)
    unit = 1.0 if counted else cost_unit(space)
    if formulation.search is Search.AUGMENTED and not counted:
        return ProgramLoss(formulation, targets, "augmented", unit, np.zeros(1), np.ones(1), *plain)
    largest = targets.largest().reshape(n, -1)
    sizes = np.prod(largest + 1.0, axis=1)
    worst = int(np.argmax(sizes))
    if sizes[worst] > _MOST_STRATA:
        raise Unsupported(
            f"{formulation} looks at every value of the loss, and the outputs of example {worst} have "
            f"{sizes[worst]:,.0f} totals of their costs; use rescaling='margin' with slack='linear', larger units or "
            "smaller programs."
        )
    strides = np.concatenate([np.ones((n, 1)), np.cumprod(largest[:, :-1] + 1, axis=1)], axis=1).astype(np.int64)
    if counted:
        assert units is not None
        first = offsets(sizes.astype(np.int64).tolist())[:-1]
        losses = np.zeros(int(sizes.sum()))
        for i, (x, y) in enumerate(zip(X, Y)):
            totals = _possible_totals(programs.topologies[i], units[i])
            losses[first[i] + totals @ strides[i]] = _count_loss(space, x, y, totals, i)
        _check_zero(space, targets, losses, first, strides)
    else:
        losses, first = unit * np.arange(largest.max() + 1.0), plain[0]
    margin, scale = formulation.margin(losses), formulation.scale(losses)
    return ProgramLoss(formulation, targets, "totals", unit, margin, scale, first, strides, float(sizes.mean()))


def _targets(
    space: Any, programs: PackedPrograms, X: Sequence[Any], Y: Sequence[Any]
) -> tuple[_core.ProgramTargets, list[Units] | None]:
    """True outputs, and the costs or counts that the space gives edges."""
    truths = true_edges(space, programs.topologies, X, Y)
    sizes = [topology.n_edges for topology in programs.topologies]
    units: list[Units] | None = None
    if has_counts(space):
        units = [counts_of(space, sizes[i], x, y, i) for i, (x, y) in enumerate(zip(X, Y))]
        kinds = {own.shape[1] for _, own in units}
        if len(kinds) > 1 or 0 in kinds:
            raise ValueError(f"{type(space).__name__}.counts must have the same kinds for all examples, at least one.")
        return packed_targets(programs, truths, units, kinds.pop()), units
    if has_power(space, "costs"):
        given = zip(X, Y, truths)
        units = [costs_of(space, sizes[i], x, y, truth, i) for i, (x, y, truth) in enumerate(given)]
    return packed_targets(programs, truths, units), units


def _possible_totals(topology: Any, units: Units) -> Totals:
    """The totals that outputs have, shape (m, kinds)."""
    edge, own = units
    counts = np.zeros((topology.n_edges, own.shape[1]), dtype=np.int32)
    counts[edge] = own
    return np.asarray(best_by_cost(topology, np.zeros(topology.n_edges), counts).totals, dtype=np.int64)


def losses_of(
    space: Any, loss: str, programs: PackedPrograms, X: Sequence[Any], Y: Sequence[Any], found: Sequence[Indices]
) -> Floats:
    """The loss of outputs, given as edges, where ``Y`` is true; shape (n,)."""
    targets, _ = _targets(space, programs, X, Y)
    where, edges = offsets([own.size for own in found]), np.concatenate([np.zeros(0, np.int32), *found])
    if loss == "zero-one":
        return 1.0 - targets.hits(where, edges)
    totals = targets.totals(where, edges).reshape(programs.n, -1)
    if not has_counts(space):
        return np.asarray(cost_unit(space) * totals[:, 0])
    return np.array([_count_loss(space, X[i], Y[i], own[None, :], i)[0] for i, own in enumerate(totals)])


def _count_loss(space: Any, x: Any, y: Any, totals: Totals, example: int) -> Floats:
    what = f"{type(space).__name__}.count_loss of example {example}"
    losses = np.asarray(asked(space, "count_loss", example, x, y, totals), dtype=np.float64)
    if losses.shape != (len(totals),):
        raise ValueError(f"{what} has shape {losses.shape}; one number for each of the {len(totals)} totals is needed.")
    bad = np.flatnonzero(~((losses >= 0.0) & (losses < np.inf)))
    if bad.size:
        raise ValueError(
            f"{what} is {losses[bad[0]]} at the counts {totals[bad[0]].tolist()}; a loss must be finite and at least 0."
        )
    return losses


def _check_zero(space: Any, targets: _core.ProgramTargets, losses: Floats, first: Totals, strides: Totals) -> None:
    """The loss of a true output is 0."""
    own = losses[first + (targets.true_totals().reshape(strides.shape) * strides).sum(axis=1)]
    bad = np.flatnonzero(own != 0.0)
    if bad.size:
        raise ValueError(
            f"{type(space).__name__}.count_loss of example {bad[0]} is {own[bad[0]]} at the counts of its own true "
            "output; it must be 0 there."
        )

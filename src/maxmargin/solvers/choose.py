"""Solvers by name."""

from __future__ import annotations

from typing import Any

from maxmargin.core.formulation import Formulation
from maxmargin.oracles.base import Oracle
from maxmargin.oracles.search import Unsupported
from maxmargin.solvers.automatic import Automatic
from maxmargin.solvers.base import Solver
from maxmargin.solvers.block_coordinate import BlockCoordinate
from maxmargin.solvers.n_slack import NSlack
from maxmargin.solvers.one_slack import OneSlack
from maxmargin.solvers.online import Perceptron, Subgradient

BY_NAME: dict[str, type[Any]] = {
    solver.name: solver for solver in (OneSlack, NSlack, BlockCoordinate, Subgradient, Perceptron)
}


def choose_solver(solver: Any, formulation: Formulation) -> Solver:
    """The solver for a name or a configured object.

    ``'auto'`` is :class:`Automatic`.
    """
    if isinstance(solver, str):
        if solver == "auto":
            return Automatic()
        if solver not in BY_NAME:
            raise ValueError(
                f"solver must be one of {', '.join(map(repr, [*BY_NAME, 'auto']))} or a solver object, not {solver!r}."
            )
        named: Solver = BY_NAME[solver]()
    elif isinstance(solver, Solver):
        named = solver
    else:
        raise TypeError(f"solver must be a name or a solver object, not {type(solver).__name__}.")
    named.check(formulation)
    return named


def bound_formulation(solver: Solver, formulation: Formulation) -> Formulation:
    """What the oracle has to be bound with: the perceptron looks at mistakes only."""
    return Formulation(mistakes=True) if solver.mistakes_only else formulation


def check_bounds(solver: Solver, oracle: Oracle, problem: str) -> None:
    """Raises where the weights have bounds, which the solver cannot keep; ``problem`` is what the message names."""
    kept = solver.keeps_bounds and oracle.formulation.slack != "hard"
    if oracle.bounds is not None and not kept:
        raise Unsupported(
            f"{problem} has bounds of weights, which only the one-slack solver keeps, with linear or squared slack; "
            "use solver='auto'."
        )

"""Solvers: frozen dataclasses of settings, called on an oracle."""

from maxmargin.solvers.automatic import Automatic
from maxmargin.solvers.base import Record, Run, Solution, Status
from maxmargin.solvers.block_coordinate import BlockCoordinate
from maxmargin.solvers.n_slack import NSlack
from maxmargin.solvers.one_slack import OneSlack
from maxmargin.solvers.online import Perceptron, Subgradient

__all__ = [
    "Automatic",
    "BlockCoordinate",
    "NSlack",
    "OneSlack",
    "Perceptron",
    "Record",
    "Run",
    "Solution",
    "Status",
    "Subgradient",
]

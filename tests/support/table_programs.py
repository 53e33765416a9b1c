"""Outputs of programs in the table structure x formulation x solver."""

from __future__ import annotations

from functools import cache
from typing import Any

from maxmargin import ProgramSVM
from program_spaces import SPACES, every_plane, examples
from reference import Optimum, solve
from support_table import Structure


def is_program(structure: Structure) -> bool:
    return "ProgramSVM" in structure.name


def space_of(structure: Structure) -> Any:
    return SPACES["costly" if "costs" in structure.name else "counted" if "counts" in structure.name else "plain"]


def make() -> tuple[Any, Any]:
    return examples("trees", 0.0)


@cache
def optimum(structure: Structure, rescaling: str, slack: str, C: float) -> Optimum:
    return solve(every_plane(space_of(structure), *make(), rescaling, slack), C)


def fit(structure: Structure, C: float, **options: Any) -> ProgramSVM:
    return ProgramSVM(space_of(structure), C, **options).fit(*make())

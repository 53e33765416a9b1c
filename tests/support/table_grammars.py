"""Trees of grammars in the table structure x formulation x solver."""

from __future__ import annotations

from functools import cache
from typing import Any

import tree_planes
from maxmargin.grammars import GrammarSVM
from reference import Optimum, solve
from support_table import Structure


def is_grammar(structure: Structure) -> bool:
    return "Grammar" in structure.name


def loss_of(structure: Structure) -> str:
    return structure.name.split("'")[1] if "'" in structure.name else "f1"


def make() -> tuple[Any, Any]:
    return tree_planes.make()


@cache
def optimum(structure: Structure, rescaling: str, slack: str, C: float) -> Optimum:
    loss = loss_of(structure)
    rule = "none" if loss == "zero-one" or slack == "hard" else rescaling
    return solve(tree_planes.every_plane(loss, rule, slack), C)


def fit(structure: Structure, C: float, **options: Any) -> GrammarSVM:
    return GrammarSVM(C, grammar=tree_planes.grammar(), loss=loss_of(structure), **options).fit(*make())

"""Alignments in the table structure x formulation x solver."""

from __future__ import annotations

from functools import cache
from typing import Any

from alignment_cases import LETTERS, LOSSES, every_plane, pairs_of_letters
from all_alignments import Shape
from maxmargin import AlignmentSVM, HomologySVM
from maxmargin.alignments import Alignment
from reference import Optimum, solve
from support_table import Structure


def is_alignment(structure: Structure) -> bool:
    return "Alignment" in structure.name or is_homology(structure)


def is_homology(structure: Structure) -> bool:
    return "Homology" in structure.name


def loss_of(structure: Structure) -> str:
    return structure.name.split("'")[1] if "'" in structure.name else "q"


def make(structure: Structure) -> tuple[Any, Any]:
    examples = _examples(structure)
    if is_homology(structure):
        X = [(x, list(candidates)) for x, candidates, _ in examples]
        return X, [(0, list(truth)) for *_, truth in examples]
    X = [(x, candidates[0]) for x, candidates, _ in examples]
    return X, [Alignment(list(truth), (len(x), len(own[0]))) for x, own, truth in examples]


def _examples(structure: Structure) -> Any:
    return pairs_of_letters(seed=7, decoys=2 if is_homology(structure) else 0, separable=True)


@cache
def optimum(structure: Structure, rescaling: str, slack: str, C: float) -> Optimum:
    loss, only = loss_of(structure), is_homology(structure) and loss_of(structure) == "zero-one"
    rule = "none" if loss == "zero-one" else rescaling
    examples = _examples(structure)
    return solve(every_plane(examples, Shape(), LOSSES[loss], rule, slack, candidates_only=only), C)


def fit(structure: Structure, C: float, **options: Any) -> Any:
    kind = HomologySVM if is_homology(structure) else AlignmentSVM
    return kind(C, loss=loss_of(structure), alphabet=LETTERS, mode="global", **options).fit(*make(structure))

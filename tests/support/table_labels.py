"""The rows of ``MultilabelSVC`` in the table of what trains: data, optimum, fit."""

from __future__ import annotations

import re
from typing import Any
from unittest import mock

import numpy as np

from maxmargin import MultilabelSVC, _core
from maxmargin.labels.multilabel import Multilabel
from maxmargin.labels.pairs import choose_pairs
from reference import Optimum, enumerate_planes, solve
from support_table import Structure

LABELS = 3


def is_multilabel(structure: Structure) -> bool:
    return "Multilabel" in structure.name or is_branched(structure)


def is_branched(structure: Structure) -> bool:
    """Whether branch and bound is the search, as it is for all pairs of more labels than can be listed."""
    return structure.name.endswith("over 16 labels")


def options_of(structure: Structure) -> dict[str, str]:
    if is_branched(structure):
        return {"interactions": "full"}
    return dict(re.findall(r"(\w+)='([\w-]+)'", structure.name))


def make() -> tuple[np.ndarray, np.ndarray]:
    """X, and label vectors that a model with all pairs tells without a mistake."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12, 4))
    return X, (X @ rng.standard_normal((4, LABELS)) > 0).astype(int)


def optimum(structure: Structure, rescaling: str, slack: str, C: float) -> Optimum:
    X, Y = make()
    options = {"interactions": "tree", "loss": "hamming", **options_of(structure)}
    pairs = choose_pairs(options["interactions"], Y, np.arange(LABELS))
    problem = Multilabel(LABELS, pairs, options["loss"])
    return solve(enumerate_planes(problem, X, [tuple(y) for y in Y.tolist()], rescaling, slack), C)


def fit(structure: Structure, C: float, **options: Any) -> MultilabelSVC:
    settings = {"interactions": "tree", **options_of(structure), **options}
    model = MultilabelSVC(C, method="structural", fit_intercept=False, interaction_scaling=1.0, **settings)
    listed = 2 if is_branched(structure) else _core.MOST_LISTED  # three labels stand for many
    with mock.patch.object(_core, "MOST_LISTED", listed):
        return model.fit(*make())

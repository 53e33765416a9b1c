"""Coarse visits to dense rows of many columns, whose weights lie label by label, against visits in float64."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from maxmargin import Formulation, _core  # noqa: F401  (the name is used in another process)
from maxmargin._core import VisitSettings
from maxmargin.classes.multiclass import Multiclass
from maxmargin.oracles.engine import Engine
from maxmargin.rows.matrices import as_rows

N, SLACKS = 50, ("linear", "squared")


def engine(single: bool, bias: float, classes: int, columns: int, slack: str) -> Engine:
    rng = np.random.default_rng(classes)
    X = (rng.normal(size=(N, columns)) / np.sqrt(columns)).astype(np.float32 if single else np.float64)
    rows = as_rows(X, bias, True)
    assert rows.kind == "dense"
    weight = np.where(np.arange(N) % 7 == 3, 0.0, 1.0)  # examples without weight are left out of what is scored ahead
    y = rng.integers(0, classes, N).astype(np.int32)
    return Multiclass(classes).bind(rows, y, Formulation("margin", slack), sample_weight=weight).engine(5.0)


def orders() -> list[np.ndarray]:
    """Of lengths that no group divides, with an example that comes twice in a row."""
    rng = np.random.default_rng(0)
    return [
        *(rng.permutation(N).astype(np.int32)[:size] for size in (N, 7, 1, 30)),
        np.array([5, 5, 2, 2], dtype=np.int32),
    ]


def largest_difference() -> float:
    worst = 0.0
    for single, bias, classes, columns, slack in (
        (True, 0.5, 5, 130, "linear"),
        (False, 0.0, 26, 128, "squared"),
        (False, 1.0, 2, 300, "linear"),
        (True, 0.0, 60, 160, "squared"),
    ):
        fine, coarse = (engine(single, bias, classes, columns, slack) for _ in range(2))
        for order in orders():
            fine.visit(order, VisitSettings(max_steps=200, precision=1e-9))
            coarse.visit(order, VisitSettings(max_steps=200, precision=1e-9, coarse=True))
            assert coarse.rough_weights.dtype == np.float32
            worst = max(worst, float(np.abs(coarse.rough_weights - fine.weights).max()))
            worst = max(worst, abs(coarse.dual - fine.dual) / abs(fine.dual))
        worst = max(worst, float(np.abs(coarse.gaps - fine.gaps)[np.isfinite(fine.gaps)].max()))
        worst = max(worst, float(np.abs(coarse.weights - fine.weights).max()))  # computed anew from alpha
    return worst


def test_coarse_visits_are_those_in_float64() -> None:
    assert largest_difference() < 1e-5


def test_the_plain_instruction_set_gives_the_same() -> None:
    """In a process of its own: the choice is made once, at the first use."""
    here = os.path.dirname(os.path.abspath(__file__))
    program = (
        f"import sys; sys.path.insert(0, {here!r}); import test_multiclass_turned as t; "
        "assert t._core.isa() == 'baseline'; print(t.largest_difference())"
    )
    environment = {**os.environ, "MAXMARGIN_ISA": "baseline"}
    answer = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert float(answer.stdout) < 1e-5


@pytest.mark.parametrize("slack", SLACKS)
def test_extrapolation_moves_the_weights_as_the_dual_variables(slack: str) -> None:
    own = engine(True, 0.5, 5, 130, slack)
    everyone = np.arange(N, dtype=np.int32)
    own.visit(everyone, VisitSettings(coarse=True))
    own.mark()
    own.visit(everyone, VisitSettings(coarse=True))
    for factor in (0.5, 1e3):  # the second one is taken back
        before = own.dual
        gain = own.extrapolate(factor)
        assert gain >= 0.0
        assert own.dual == pytest.approx(before + gain, rel=1e-4)
    rough = np.array(own.rough_weights)
    assert rough == pytest.approx(own.weights, abs=1e-4)

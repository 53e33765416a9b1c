"""Extrapolation along the path of the dual variables: it saves visits, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from maxmargin import ChainSVC, MulticlassSVC
from maxmargin._core import VisitSettings
from maxmargin.classes.multiclass import Multiclass
from maxmargin.core.formulation import Formulation
from maxmargin.datasets import make_chain
from maxmargin.rows.matrices import as_rows
from maxmargin.solvers import BlockCoordinate


def digits() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    return X / 16.0, y


def test_fewer_visits_to_the_same_gap():
    X, y = digits()
    fits = [
        MulticlassSVC(1.0, slack="linear", tol=1e-4, solver=BlockCoordinate(extrapolate=used)).fit(X, y)
        for used in (False, True)
    ]
    without, with_leaps = (fit.solution_ for fit in fits)
    assert with_leaps.oracle_calls < 0.8 * without.oracle_calls
    assert with_leaps.primal == pytest.approx(without.primal, rel=1e-4)


def test_chains_come_to_the_same_optimum():
    X, Y = make_chain(60, seed=0)
    fits = [ChainSVC(C=1.0, tol=1e-6, solver=BlockCoordinate(extrapolate=used)).fit(X, Y) for used in (False, True)]
    assert fits[0].solution_.primal == pytest.approx(fits[1].solution_.primal, rel=1e-4)


@pytest.mark.parametrize("coarse", [False, True])
def test_the_weights_follow(coarse):
    """After extrapolations that were kept and others that were undone, w is still the sum of alpha a."""
    X, y = digits()
    oracle = Multiclass(10).bind(as_rows(X, 0.0, True), y.astype(np.int32), Formulation())
    engine = oracle.engine(0.1)
    everyone, kept, undone = np.arange(oracle.n, dtype=np.int32), 0, 0
    for factor in (0.2, 0.5, 100.0, 1.0, 300.0):
        engine.mark()
        for _ in range(2):
            engine.visit(everyone, VisitSettings(coarse=coarse))
        before = engine.dual
        gain = engine.extrapolate(factor)
        kept, undone = kept + (gain > 0.0), undone + (gain == 0.0)
        rough, dual = np.array(engine.rough_weights), engine.dual
        assert dual == pytest.approx(before + gain, rel=1e-5)
        engine.core.refresh()
        assert rough == pytest.approx(engine.weights, abs=1e-5)
        assert dual == pytest.approx(engine.dual, rel=1e-5)
    assert kept > 0
    assert undone > 0

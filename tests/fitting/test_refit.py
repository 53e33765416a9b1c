"""A warm start saves work and never changes what the optimum is, whatever was fitted before."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import MulticlassSVC, StructuralSVM
from maxmargin.classes.multiclass import Multiclass

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, 40)
X = RNG.standard_normal((40, 4)) + 2.0 * np.eye(4)[Y]
OTHER = RNG.standard_normal((40, 4)) + 2.0 * np.eye(4)[(Y + 1) % 3]
WEIGHT = RNG.random(40) * 0.5
COST = np.array([[0.0, 0.2, 1.0], [0.1, 0.0, 0.3], [0.5, 0.6, 0.0]])
TOL = 1e-4


class Loop:
    """``Multiclass`` as a user would have written it."""

    def __init__(self, cost=None):
        structure = Multiclass(3, cost)
        self.joint_feature, self.loss, self.argmax = structure.joint_feature, structure.loss, structure.argmax
        self.outputs = structure.outputs


def native(solver, warm_start, cost=None, **params):
    return MulticlassSVC(
        **{"C": 0.3, "cost": cost, "solver": solver, "fit_intercept": False, "tol": TOL, **params},
        warm_start=warm_start,
    )


def python(solver, warm_start, cost=None, **params):
    return StructuralSVM(Loop(cost), **{"C": 0.3, "solver": solver, "tol": TOL, **params}, warm_start=warm_start)


CHANGES = {
    "nothing": ({}, {}),
    "a smaller C": ({"C": 0.03}, {}),
    "a larger C": ({"C": 3.0}, {}),
    "a finer tol": ({"tol": 1e-6}, {}),
    "the slack": ({"slack": "squared"}, {}),
    "the rescaling": ({"rescaling": "none"}, {}),
    "the loss": ({"cost": COST}, {}),
    "the loss and the rescaling": ({"cost": COST, "rescaling": "slack"}, {}),
    "the weights": ({}, {"sample_weight": WEIGHT}),
    "the labels": ({}, {"Y": (Y + 1) % 3}),
    "the inputs": ({}, {"X": OTHER}),
    "the order": ({}, {"X": X[::-1], "Y": Y[::-1]}),
    "the number of examples": ({}, {"X": X[:30], "Y": Y[:30]}),
    "the number of features": ({}, {"X": X[:, :3]}),
}


@pytest.mark.parametrize("make", [native, python])
@pytest.mark.parametrize("solver", ["bcfw", "n-slack", "one-slack"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_second_fit_reaches_its_own_optimum(change, solver, make):
    params, data = CHANGES[change]
    inputs, labels = np.ascontiguousarray(data.get("X", X)), data.get("Y", Y).tolist()
    weight = data.get("sample_weight")
    model = make(solver, True).fit(X, Y.tolist())
    fresh = make(solver, False, **params).fit(inputs, labels, sample_weight=weight)
    second = dict(params)
    cost = second.pop("cost", None)
    if cost is not None:
        second.update({"cost": cost} if make is native else {"problem": Loop(cost)})
    model.set_params(**second).fit(inputs, labels, sample_weight=weight)
    allowed = 2.0 * model.C * (len(labels) if weight is None else weight.sum()) * model.tol
    assert -1e-9 <= model.solution_.gap <= allowed
    assert model.solution_.primal == pytest.approx(fresh.solution_.primal, abs=allowed)
    assert model.solution_.dual <= fresh.solution_.primal + 1e-9


@pytest.mark.parametrize("make", [native, python])
@pytest.mark.parametrize("solver", ["bcfw", "n-slack", "one-slack"])
def test_it_saves_work(solver, make):
    first = make(solver, False, tol=1e-5).fit(X, Y.tolist())
    again = make(solver, True, tol=1e-5).fit(X, Y.tolist())
    cold = first.solution_.oracle_calls
    again.fit(X, Y.tolist())
    assert again.solution_.oracle_calls < 0.7 * cold


def test_without_it_nothing_is_kept():
    model = native("bcfw", False).fit(OTHER, Y)
    model.fit(X, Y)
    np.testing.assert_array_equal(model.coef_, native("bcfw", False).fit(X, Y).coef_)

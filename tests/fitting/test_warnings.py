"""Warnings point at the user's line, whatever lies between it and the place where they arise."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline

from maxmargin import ChainCRF, ChainPerceptron, ChainSVC, MulticlassSVC, StructuralSVM
from maxmargin.chains.chain import Chain
from maxmargin.fitting.calibration import NotCalibratedWarning

RNG = np.random.default_rng(0)
X = [RNG.standard_normal((3, 2)) for _ in range(8)]
Y = [RNG.integers(0, 2, 3) for _ in range(8)]

MODEL = ChainPerceptron(passes=2).fit(X, Y)
ASKED = {
    "predict_confidence": lambda: MODEL.predict_confidence(X),
    "predict_marginals": lambda: MODEL.predict_marginals(X),
    "predict with marginals": lambda: MODEL.predict(X, decode="marginal"),
    "abstain": lambda: MODEL.predict(X, abstain=0.5),
    "expected_loss": lambda: MODEL.expected_loss(X),
}
ONCE = {"C": 1.0, "tol": 1e-9, "max_iter": 1}
TRAINED = {
    "chain": lambda: ChainSVC(**ONCE).fit(X, Y),
    "likelihood": lambda: ChainCRF(**ONCE).fit(X, Y),
    "classes": lambda: MulticlassSVC(**ONCE).fit(np.concatenate(X), np.concatenate(Y)),
    "problem": lambda: StructuralSVM(Chain(2, 2), **ONCE).fit(X, [tuple(y.tolist()) for y in Y]),
    "folds": lambda: ChainSVC(**ONCE).fit(X, Y).calibrate(X, Y),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_where_probabilities_are_asked_for(ask):
    with pytest.warns(NotCalibratedWarning) as caught:
        ask()
    assert_here(caught, ask)


@pytest.mark.parametrize("fit", TRAINED.values(), ids=TRAINED)
def test_where_training_is_asked_for(fit):
    with pytest.warns(ConvergenceWarning) as caught:
        fit()
    assert_here(caught, fit)


def assert_here(caught, function):
    line = inspect.getsourcelines(function)[1]
    assert {(warning.filename, warning.lineno) for warning in caught} == {(__file__, line)}


def test_a_caller_in_another_library_is_pointed_at():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make_pipeline(ChainSVC(**ONCE)).fit(X, Y)
    assert [warning.filename.endswith("pipeline.py") for warning in caught] == [True]

"""A fit that bounds the loss no better than weights of 0 do says so, and no other fit does."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import toy_problems as problems
from maxmargin import MulticlassSVC, StructuralSVM
from maxmargin.oracles.from_problem import ProblemOracle

RNG = np.random.default_rng(0)
CHAIN = problems.Chain()


def warned(fit):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    return [str(each.message) for each in caught if "bound the loss no better" in str(each.message)]


def test_random_labels_teach_nothing():
    X, y = RNG.standard_normal((200, 3)), RNG.integers(4, size=200)
    (text,) = warned(lambda: MulticlassSVC(0.01, slack="linear").fit(X, y))
    assert "(objectives 2 and 2)" in text
    assert "try another loss, rescaling or method." in text


@pytest.mark.parametrize("tol", ["auto", 1e-5])
def test_a_zero_one_loss_where_every_example_is_hard(tol):
    X, Y = problems.sample(CHAIN, 20, noise=1.0)
    assert len(warned(lambda: StructuralSVM(CHAIN, 0.5, rescaling="none", tol=tol).fit(X, Y))) == 1


@pytest.mark.parametrize("C", [1e-6, 1e-3, 1.0, 1e3])
def test_what_can_be_learned_comes_without_it(C):
    X = RNG.standard_normal((200, 3))
    assert warned(lambda: MulticlassSVC(C, slack="linear").fit(X, X.argmax(axis=1))) == []
    X, Y = problems.sample(CHAIN, 20, noise=0.1)
    assert warned(lambda: StructuralSVM(CHAIN, C).fit(X, Y)) == []


def test_it_costs_no_pass_where_weights_are_clear(monkeypatch):
    X, Y = problems.sample(CHAIN, 20, noise=0.1)
    asked = []
    slacks = ProblemOracle.slacks
    monkeypatch.setattr(
        ProblemOracle, "slacks", lambda self, w, stop=None: asked.append(np.any(w)) or slacks(self, w, stop)
    )
    StructuralSVM(CHAIN, 1.0).fit(X, Y)
    assert asked
    assert all(asked)

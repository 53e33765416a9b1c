"""The table of the formulations, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import Formulation
from maxmargin.core.formulation import RESCALINGS, SLACKS, Search

LOSS = np.array([0.25, 1.0, 4.0])
ROOT = np.array([0.5, 1.0, 2.0])
ONES = np.ones(3)

TABLE = [
    ("margin", "linear", LOSS, ONES, Search.AUGMENTED),
    ("slack", "linear", LOSS, LOSS, Search.BY_LOSS),
    ("none", "linear", ONES, ONES, Search.SECOND),
    ("margin", "squared", ROOT, ONES, Search.BY_LOSS),
    ("slack", "squared", ROOT, ROOT, Search.BY_LOSS),
    ("none", "squared", ONES, ONES, Search.SECOND),
    ("margin", "hard", ONES, ONES, Search.SECOND),
    ("slack", "hard", ONES, ONES, Search.SECOND),
    ("none", "hard", ONES, ONES, Search.SECOND),
]


def test_the_table_is_complete():
    assert {row[:2] for row in TABLE} == {(rescaling, slack) for rescaling in RESCALINGS for slack in SLACKS}


@pytest.mark.parametrize(("rescaling", "slack", "margin", "scale", "search"), TABLE)
def test_margin_scale_and_search(rescaling, slack, margin, scale, search):
    formulation = Formulation(rescaling, slack)
    np.testing.assert_array_equal(formulation.margin(LOSS), margin)
    np.testing.assert_array_equal(formulation.scale(LOSS), scale)
    assert formulation.search is search
    assert float(formulation.margin(4.0)) == margin[2]
    assert float(formulation.scale(4.0)) == scale[2]


@given(st.sampled_from(RESCALINGS), st.sampled_from(SLACKS), st.floats(0.0, 1e6), st.floats(-1e3, 1e3))
def test_the_bound_of_the_papers(rescaling, slack, loss, psi):
    """``margin - scale * psi`` is the inside of the maximum as the papers write it."""
    formulation = Formulation(rescaling, slack)
    delta = np.sqrt(loss) if slack == "squared" else loss
    papers = {"margin": delta - psi, "slack": delta * (1.0 - psi), "none": 1.0 - psi}
    expected = 1.0 - psi if slack == "hard" else papers[rescaling]
    value = float(formulation.margin(loss)) - float(formulation.scale(loss)) * psi
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_risk():
    slack = np.array([0.0, 1.0, 3.0])
    np.testing.assert_array_equal(Formulation("margin", "linear").risk(slack), slack)
    np.testing.assert_array_equal(Formulation("slack", "squared").risk(slack), [0.0, 0.5, 4.5])
    np.testing.assert_array_equal(Formulation("none", "hard").risk(slack), np.zeros(3))


def test_zero_one_losses_make_the_rescalings_equal():
    ones = np.ones(4)
    for slack in SLACKS:
        rows = [(f.margin(ones), f.scale(ones)) for f in (Formulation(r, slack) for r in RESCALINGS)]
        for margin, scale in rows:
            np.testing.assert_array_equal(margin, ones)
            np.testing.assert_array_equal(scale, ones)


def test_the_perceptron_sees_mistakes_only():
    formulation = Formulation(mistakes=True)
    np.testing.assert_array_equal(formulation.margin(LOSS), np.zeros(3))
    np.testing.assert_array_equal(formulation.scale(LOSS), ONES)
    assert formulation.search is Search.PREDICTION
    assert str(formulation) == "the perceptron"


def test_a_hard_margin_has_nothing_to_rescale():
    assert Formulation("slack", "hard") == Formulation("margin", "hard") == Formulation("none", "hard")


def test_names():
    assert str(Formulation()) == "margin rescaling with linear slack"
    assert str(Formulation("slack", "squared")) == "slack rescaling with squared slack"
    assert str(Formulation("none", "linear")) == "the zero-one loss with linear slack"
    assert str(Formulation("margin", "hard")) == "a hard margin"


@pytest.mark.parametrize("bad", ["Margin", "", None, 3])
def test_unknown_names(bad):
    with pytest.raises(ValueError, match=r"rescaling must be one of 'margin', 'slack', 'none', not"):
        Formulation(rescaling=bad)
    with pytest.raises(ValueError, match=r"slack must be one of 'linear', 'squared', 'hard', not"):
        Formulation(slack=bad)


def test_a_formulation_does_not_change():
    with pytest.raises(AttributeError):
        Formulation().slack = "hard"
    assert len({Formulation(), Formulation("margin", "linear"), Formulation("slack")}) == 2

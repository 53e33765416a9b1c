"""``check_problem`` on the powers of probabilities: right ones pass, wrong ones are named."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import Unsupported, check_problem
from maxmargin.programs import MatchingProblem, TreeProblem


class Digits:
    """One of three classes."""

    def joint_feature(self, x, y):
        return np.concatenate([x if y == k else np.zeros_like(x) for k in range(3)])

    def loss(self, y_true, y):
        return float(abs(y_true - y))

    def argmax(self, x, w, y_true=None):
        return int(np.argmax(self.scores(x, w) + (0.0 if y_true is None else np.abs(np.arange(3) - y_true))))

    def scores(self, x, w):
        return w.reshape(3, -1) @ x

    def p(self, x, w):
        return np.exp(self.scores(x, w) - self.log_partition(x, w))

    def log_partition(self, x, w):
        return float(np.logaddexp.reduce(self.scores(x, w)))

    def expected_loss(self, x, w, y):
        return float(self.p(x, w) @ np.abs(np.arange(3) - y))

    def minimum_risk(self, x, w):
        return min(range(3), key=lambda y: self.expected_loss(x, w, y))

    def sample(self, x, w, n, random_state=None):
        return np.random.default_rng(random_state).choice(3, n, p=self.p(x, w)).tolist()

    def restricted(self, x, forbidden, required):
        return x


class Listed(Digits):
    def outputs(self, x):
        return range(3)


X = list(np.random.default_rng(0).normal(size=(4, 2)))
Y = [0, 2, 1, 2]
WRONG = {
    "half a sum": ("log_partition", lambda self, x, w: 0.5 * float(np.logaddexp.reduce(self.scores(x, w)))),
    "no number": ("log_partition", lambda self, x, w: "much"),
    "a negative loss": ("expected_loss", lambda self, x, w, y: -1.0),
    "an infinite loss": ("expected_loss", lambda self, x, w, y: np.inf),
    "the largest risk": ("minimum_risk", lambda self, x, w: max(range(3), key=lambda y: self.expected_loss(x, w, y))),
    "one too many": ("sample", lambda self, x, w, n, random_state=None: [0] * (n + 1)),
    "another input": ("restricted", lambda self, x, forbidden, required: -x),
}
SEEN_BY_ALL = {
    "a little more": ("log_partition", lambda self, x, w: 1e-3 + float(np.logaddexp.reduce(self.scores(x, w)))),
    "zero-one": ("expected_loss", lambda self, x, w, y: 1.0 - float(self.p(x, w)[y])),
    "nobody's": ("sample", lambda self, x, w, n, random_state=None: [7] * n),
}


@pytest.mark.parametrize("kind", [Digits, Listed])
def test_right_powers_pass(kind):
    check_problem(kind(), X, Y)


@pytest.mark.parametrize("kind", [Digits, Listed])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_powers_are_named(kind, name):
    power, method = WRONG[name]
    with pytest.raises(ValueError, match=rf"Wrong\.{power} of example \d"):
        check_problem(type("Wrong", (kind,), {power: method})(), X, Y)


@pytest.mark.parametrize("name", SEEN_BY_ALL)
def test_enumeration_sees_more(name):
    power, method = SEEN_BY_ALL[name]
    with pytest.raises(ValueError, match=rf"Wrong\.{power} of example \d"):
        check_problem(type("Wrong", (Listed,), {power: method})(), X, Y)


def test_what_a_problem_refuses_is_not_asked_for():
    wide = MatchingProblem()
    with pytest.raises(Unsupported):
        wide.log_partition(np.zeros((2, 17, 1)), np.ones(1))
    check_problem(wide, [np.random.default_rng(0).normal(size=(2, 17, 3))], [[3, 5]])


def test_trees_pass():
    check_problem(TreeProblem(), [np.random.default_rng(0).normal(size=(3, 4, 2))], [[0, 1, 1]])

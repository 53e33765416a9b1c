"""The protocol: what counts as a problem, when outputs are the same, and the check of good problems."""

from __future__ import annotations

import copy
import itertools
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import Problem, check_problem
from maxmargin.classes.multiclass import Multiclass
from maxmargin.core.outputs import same_output
from maxmargin.core.problem import check_truths, has_power, joint_loss

QUICK = settings(max_examples=50)


@dataclass
class Node:
    label: str
    spans: np.ndarray


@dataclass(frozen=True)
class Plain:
    label: str
    children: tuple = ()


class Opaque:
    """Compared by identity, as objects are by default."""


SAME = [
    (1, 1),
    (1, np.int64(1)),
    ("a", np.str_("a")),
    ((1, 2), [1, 2]),
    ([1, [2, (3,)]], [1, [2, [3]]]),
    (np.array([1, 2]), np.array([1, 2])),
    (np.array([1, 2]), [1, 2]),
    ([np.array([1.0]), "x"], [np.array([1.0]), "x"]),
    ({"a": np.arange(3)}, {"a": np.arange(3)}),
    (OrderedDict(a=[1]), {"a": [1]}),
    ({1, 2}, frozenset({2, 1})),
    (Counter("aab"), Counter("aba")),
    (deque([1, 2]), deque([1, 2])),
    (Fraction(1, 2), 0.5),
    (Plain("S", (Plain("NP"),)), Plain("S", (Plain("NP"),))),
    (Node("S", np.array([0, 2])), Node("S", np.array([0, 2]))),
    (sp.csr_array(np.eye(2)), sp.csr_array(np.eye(2))),
    (pd.Series([1, 2]), pd.Series([1, 2])),
    (pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [1]})),
    (np.array(["a", None], dtype=object), np.array(["a", None], dtype=object)),
    ((), ()),
    (b"ab", b"ab"),
]
DIFFERENT = [
    (1, 2),
    ("a", "b"),
    ("1", 1),
    ([1, 2], [1, 2, 3]),
    ([1, 2], [2, 1]),
    (np.array([1, 2]), np.array([1, 3])),
    (np.array([1, 2]), np.array([1, 2, 3])),
    (np.array([[1, 2]]), np.array([1, 2])),
    (np.array([1, 2]), "ab"),
    (np.array([1, 2]), None),
    ({"a": 1}, {"b": 1}),
    ({"a": np.arange(3)}, {"a": np.arange(4)}),
    ({"a": 1}, [("a", 1)]),
    ({1}, {2}),
    (Plain("S"), Plain("NP")),
    (Node("S", np.array([0, 2])), Node("S", np.array([0, 3]))),
    (Node("S", np.array([0, 2])), Plain("S")),
    (sp.csr_array(np.eye(2)), sp.csr_array(2 * np.eye(2))),
    (sp.csr_array(np.eye(2)), sp.csr_array((2, 3))),
    (pd.Series([1, 2]), pd.Series([1, 3])),
    (pd.DataFrame({"a": [1]}), pd.DataFrame({"b": [1]})),
    (None, 0),
    ((), None),
    (Opaque(), Opaque()),
    ("", []),
]


@pytest.mark.parametrize("pair", SAME, ids=lambda pair: f"{type(pair[0]).__name__}-{type(pair[1]).__name__}")
def test_outputs_that_are_the_same(pair):
    first, second = pair
    for a, b in ((first, second), (second, first), (first, copy.deepcopy(first))):
        assert same_output(a, b) is True


@pytest.mark.parametrize("pair", DIFFERENT, ids=lambda pair: f"{type(pair[0]).__name__}-{type(pair[1]).__name__}")
def test_outputs_that_differ(pair):
    first, second = pair
    assert same_output(first, second) is False
    assert same_output(second, first) is False


ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.binary(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.tuples(inner, inner), st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(ANYTHING)
@QUICK
def test_an_output_is_the_same_as_itself(y):
    assert same_output(y, y) is True


@given(ANYTHING, ANYTHING)
@QUICK
def test_sameness_is_symmetric_and_a_bool(a, b):
    assert same_output(a, b) is same_output(b, a)


class Tags:
    """Two tags a token, all powers by brute force."""

    def joint_feature(self, x, y):
        emissions = np.zeros((2, x.shape[1]))
        np.add.at(emissions, list(y), x)
        return emissions.ravel()

    def loss(self, y_true, y):
        return float(sum(a != b for a, b in zip(y_true, y)))

    def outputs(self, x):
        return itertools.product((0, 1), repeat=len(x))

    def argmax(self, x, w, y_true=None):
        return max(
            self.outputs(x), key=lambda y: self.score(x, w, y) + (self.loss(y_true, y) if y_true is not None else 0)
        )

    def kbest(self, x, w, k):
        return sorted(self.outputs(x), key=lambda y: -self.score(x, w, y))[:k]

    def argmax_by_loss(self, x, w, y_true):
        best = {}
        for y in sorted(self.outputs(x), key=lambda y: self.score(x, w, y)):
            best[self.loss(y_true, y)] = y
        return list(best.items())

    def score(self, x, w, y):
        return float(self.joint_feature(x, y) @ w)


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 4))
@QUICK
def test_good_problems_pass_the_check(seed, length, n):
    rng = np.random.default_rng(seed)
    X = [rng.standard_normal((length, 2)) for _ in range(n)]
    Y = [tuple(rng.integers(0, 2, length).tolist()) for _ in range(n)]
    check_problem(Tags(), X, Y, trials=2, seed=seed)


@pytest.mark.parametrize("cost", [None, np.array([[0.0, 1.0, 4.0], [0.5, 0.0, 1.0], [2.0, 0.0, 0.0]])])
def test_the_multiclass_structure_keeps_its_promises(cost):
    rng = np.random.default_rng(0)
    structure = Multiclass(3, cost)
    assert isinstance(structure, Problem)
    check_problem(structure, rng.standard_normal((6, 2)), [0, 1, 2, 0, 1, 2])
    check_problem(structure, [sp.csr_array(row[None, :]) for row in rng.standard_normal((3, 2))], [0, 1, 2])


def test_what_is_a_problem():
    assert isinstance(Tags(), Problem)
    assert not isinstance(object(), Problem)
    assert has_power(Tags(), "kbest")
    assert not has_power(Tags(), "marginals")
    tags = Tags()
    tags.kbest = None
    assert not has_power(tags, "kbest")


def test_ties_are_no_error():
    """With equal scores any of the best is a maximum."""

    class Last(Tags):
        def argmax(self, x, w, y_true=None):
            bonus = 0.0 if y_true is None else 1.0
            last = reversed(list(self.outputs(x)))
            return max(last, key=lambda y: self.score(x, w, y) + bonus * self.loss(y_true or y, y))

    check_problem(Last(), [np.zeros((2, 2)), np.ones((2, 2))], [(0, 1), (1, 1)])


def test_losses():
    tags = Tags()
    assert joint_loss(tags, (0, 1), (1, 1), 5) == 1.0
    assert type(joint_loss(tags, (0, 1), (1, 1), 5)) is float
    check_truths(tags, [(0, 1), (1, 1)])


TAGS = Tags()
BAD_POWERS = {
    "outputs without the truth": (
        "outputs",
        lambda x: [(0, 0), (1, 0)],
        "outputs of example 0 does not contain its truth",
    ),
    "kbest backwards": (
        "kbest",
        lambda x, w, k: TAGS.kbest(x, w, k)[::-1],
        "kbest of example . is not in descending order",
    ),
    "kbest twice the same": (
        "kbest",
        lambda x, w, k: TAGS.kbest(x, w, 1) * k,
        "kbest of example . gave the same output twice",
    ),
    "kbest with a gap": ("kbest", lambda x, w, k: TAGS.kbest(x, w, 3)[::2], "kbest of example . misses .*two highest"),
    "kbest too short": (
        "kbest",
        lambda x, w, k: TAGS.kbest(x, w, 1),
        "kbest of example . gave 1 outputs where two exist",
    ),
    "a wrong loss": (
        "argmax_by_loss",
        lambda x, w, y: [(loss + 1.0, z) for loss, z in TAGS.argmax_by_loss(x, w, y)],
        "argmax_by_loss of example . .*but its loss is",
    ),
    "not the best of a loss": (
        "argmax_by_loss",
        lambda x, w, y: [(TAGS.loss(y, z), z) for z in {TAGS.loss(y, z): z for z in TAGS.outputs(x)}.values()],
        "argmax_by_loss of example . .*best",
    ),
    "a loss left out": (
        "argmax_by_loss",
        lambda x, w, y: [(loss, z) for loss, z in TAGS.argmax_by_loss(x, w, y) if loss != 1.0],
        "argmax_by_loss of example . .*loss 1",
    ),
}


@pytest.mark.parametrize("case", BAD_POWERS)
def test_powers_that_lie(case):
    """With an enumeration beside them, lies of the other searches come to light."""
    name, power, message = BAD_POWERS[case]
    problem = Tags()
    setattr(problem, name, power)
    rng = np.random.default_rng(0)
    X = [rng.standard_normal((2, 2)) for _ in range(4)]
    with pytest.raises(ValueError, match=f"Tags.{message}") as caught:
        check_problem(problem, X, [(0, 1), (1, 1), (1, 0), (0, 0)])
    assert str(caught.value).endswith(".")

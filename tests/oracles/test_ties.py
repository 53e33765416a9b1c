"""The perceptron makes a step where the prediction is not the truth, also where outputs have equal scores."""

from __future__ import annotations

import numpy as np
import pytest

import chain_cases
import label_cases
from maxmargin import Formulation
from maxmargin.classes.multiclass import Multiclass
from maxmargin.classes.output_features import OutputFeatures
from maxmargin.measures.binary_rows import BinaryRows
from maxmargin.oracles.base import OnlineWalk
from maxmargin.oracles.from_problem import ProblemOracle
from maxmargin.rows.matrices import as_rows

MISTAKES = Formulation(mistakes=True)


def whole_numbers(seed, n=12, d=2):
    """Rows of small whole numbers, some of them zero altogether, and a random generator."""
    rng = np.random.default_rng(seed)
    return rng.integers(-1, 2, (n, d)).astype(float), rng


def classes(seed, scale):
    X, rng = whole_numbers(seed)
    structure, y = Multiclass(9), rng.integers(0, 9, len(X))
    w = scale * rng.integers(-1, 2, (9, 2))
    wrong = [structure.argmax(x, w.ravel()) != truth for x, truth in zip(X, y)]
    return structure.bind(X, y, MISTAKES), structure.from_coef(w), wrong


def output_features(seed, scale):
    X, rng = whole_numbers(seed)
    structure, y = OutputFeatures(rng.integers(0, 2, (9, 3)).astype(float)), rng.integers(0, 9, len(X))
    w = scale * rng.integers(-1, 2, (3, 2))
    wrong = [structure.argmax(x, w.ravel()) != truth for x, truth in zip(X, y)]
    return structure.bind(X, y, MISTAKES), structure.from_coef(w), wrong


def binary_rows(seed, scale):
    X, rng = whole_numbers(seed)
    positive, w = rng.random(len(X)) < 0.5, scale * rng.integers(-1, 2, 2)
    return BinaryRows().bind(as_rows(X, 0.0, True), positive, MISTAKES), w, (X @ w > 0.0) != positive


def chains(seed, scale):
    case = chain_cases.make_case(labels=3, lengths=(1, 1, 2, 3), whole=True, scale=scale, seed=seed)
    predicted = [case.chain.argmax(case.problem_input(i), case.w.ravel()) for i in range(case.n)]
    return case.bind(MISTAKES), case.native, [tuple(y) != found for y, found in zip(case.Y, predicted)]


def label_vectors(kind, method):
    def make(seed, scale):
        case = label_cases.make_case(kind, 3, method=method, n=8, d=2, whole=True, scale=scale, seed=seed)
        best = case.structure.core(case.rows).decode(case.native, 1)[0].reshape(case.Y.shape)
        return case.bind(MISTAKES), case.native, (best != case.Y).any(axis=1)

    return make


class Signs:
    """A problem of the user's: a tie is predicted as ``'yes'``."""

    def joint_feature(self, x, y):
        return x if y == "yes" else -x

    def loss(self, y_true, y):
        return float(y != y_true)

    def argmax(self, x, w, y_true=None):
        return "yes" if x @ w >= 0.0 else "no"


def problem(seed, scale):
    X, rng = whole_numbers(seed)
    y, w = rng.choice(["yes", "no"], len(X)).tolist(), scale * rng.integers(-1, 2, 2)
    wrong = [Signs().argmax(x, w) != truth for x, truth in zip(X, y)]
    return ProblemOracle(Signs(), list(X), y, MISTAKES), w, wrong


STRUCTURES = {
    "classes": classes,
    "output features": output_features,
    "binary rows": binary_rows,
    "chains": chains,
    "label vectors, forest": label_vectors("forest", None),
    "label vectors, list": label_vectors("full", "list"),
    "label vectors, branch and bound": label_vectors("full", "branch"),
    "problem": problem,
}


@pytest.mark.parametrize("scale", [1.0, 0.0])
@pytest.mark.parametrize("name", STRUCTURES)
def test_a_step_is_made_where_the_prediction_is_wrong(name, scale):
    """With whole numbers many outputs tie, at ``w = 0`` all of them."""
    for seed in range(10):
        oracle, w, wrong = STRUCTURES[name](seed, scale)
        for i in range(oracle.n):
            walk = OnlineWalk(w.copy(), np.zeros_like(w))
            assert oracle.accumulate(walk, np.array([i], np.int32), 0.0) == int(wrong[i])

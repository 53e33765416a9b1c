"""StructuralSVM on problems as a user writes them."""

from __future__ import annotations

import copy
import itertools
import pickle
import warnings
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from maxmargin import BlockCoordinate, MulticlassSVC, Status, StructuralSVM, Unsupported
from maxmargin.classes.multiclass import Multiclass


class Tags:
    """Tag each of three tokens with 0 or 1; Hamming loss; emissions and one feature for equal neighbours."""

    def __init__(self, sparse=False):
        self.sparse = sparse

    def joint_feature(self, x, y):
        emissions = np.zeros((2, x.shape[1]))
        np.add.at(emissions, list(y), x)
        row = np.append(emissions.ravel(), float(sum(a == b for a, b in itertools.pairwise(y))))
        return sp.csr_array(row[None, :]) if self.sparse else row

    def loss(self, y_true, y):
        return float(sum(a != b for a, b in zip(y_true, y)))

    def argmax(self, x, w, y_true=None):
        return max(
            itertools.product((0, 1), repeat=len(x)),
            key=lambda y: self._score(x, y, w) + (0.0 if y_true is None else self.loss(y_true, y)),
        )

    def _score(self, x, y, w):
        return float((self.joint_feature(x, y) @ w).item())


class AllTags(Tags):
    """The same with every formulation, through an enumeration."""

    def outputs(self, x):
        return itertools.product((0, 1), repeat=len(x))


def sentences(n=12, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    X = [rng.standard_normal((3, 2)) for _ in range(n)]
    Y = [tuple(int(v) for v in (x[:, 0] + noise * rng.standard_normal(3) > 0)) for x in X]
    return X, Y


def objective(model, X, Y, C):
    """Linear margin rescaling over all outputs."""
    risks = []
    for x, y in zip(X, Y):
        truth = model.decision_value([x], [y])[0]
        rivals = itertools.product((0, 1), repeat=3)
        risks.append(max(model.problem.loss(y, z) - truth + model.decision_value([x], [z])[0] for z in rivals))
    return 0.5 * float(model.coef_ @ model.coef_) + C * sum(risks)


@pytest.mark.parametrize("solver", ["auto", "bcfw", "n-slack", "one-slack"])
@pytest.mark.parametrize("sparse", [False, True])
def test_fit_predict_score(sparse, solver):
    X, Y = sentences()
    model = StructuralSVM(Tags(sparse), C=0.3, solver=solver, tol=1e-5).fit(X, Y)
    assert model.coef_.shape == (5,)
    assert model.n_iter_ >= 1
    assert model.solution_.status is Status.CONVERGED
    assert model.solution_.primal == pytest.approx(objective(model, X, Y, 0.3), rel=1e-9)
    assert -1e-9 <= model.solution_.gap <= 0.3 * len(X) * 1e-5
    answers = model.predict(X)
    assert isinstance(answers[0], tuple)
    assert answers == [
        max(itertools.product((0, 1), repeat=3), key=lambda y, x=x: model.decision_value([x], [y])[0]) for x in X
    ]
    losses = [Tags().loss(y, z) for y, z in zip(Y, answers)]
    assert model.score(X, Y) == pytest.approx(-np.mean(losses))
    assert model.score(X, Y) > -0.8
    weight = np.arange(12.0)
    assert model.score(X, Y, sample_weight=weight) == pytest.approx(-np.average(losses, weights=weight))


def test_sample_weight_is_repetition():
    X, Y = sentences()
    times = [0, 1, 2, 3] * 3
    weighted = StructuralSVM(Tags(), C=0.3, tol=1e-7).fit(X, Y, sample_weight=times)
    repeated = StructuralSVM(Tags(), C=0.3, tol=1e-7).fit(
        [x for x, k in zip(X, times) for _ in range(k)], [y for y, k in zip(Y, times) for _ in range(k)]
    )
    assert weighted.solution_.primal == pytest.approx(repeated.solution_.primal, rel=1e-6)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-3)


@dataclass
class Tree:
    name: str
    heads: np.ndarray


Label = namedtuple("Label", "kind size")
OUTPUTS = {
    "strings": ["left", "right", ""],
    "tuples": [(1, (2, 3)), (1, (2, 4)), ()],
    "frozen sets": [frozenset({1}), frozenset({1, 2}), frozenset()],
    "sets": [{1}, {1, 2}, set()],
    "dictionaries": [{"a": [1]}, {"a": [2]}, {}],
    "arrays": [np.array([1, 2]), np.array([1, 3]), np.array([1, 2, 3])],
    "lists of arrays": [[np.array([1.0]), "a"], [np.array([2.0]), "a"], []],
    "named tuples": [Label("a", 1), Label("a", 2), Label("b", 1)],
    "data classes": [Tree("a", np.array([1, 2])), Tree("a", np.array([1, 3])), Tree("b", np.array([1]))],
    "sparse matrices": [sp.csr_array(np.eye(2)), sp.csr_array(2 * np.eye(2)), sp.csr_array((2, 2))],
    "data frames": [pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2]}), pd.DataFrame({"b": [1]})],
}


class Choice:
    """Any list of outputs, known by their place in it; copies are made so that identity does not help."""

    def __init__(self, options):
        self.options = options

    def place(self, y):
        return next(k for k, option in enumerate(self.options) if self.text(option) == self.text(y))

    def text(self, y):
        return repr(y.toarray() if sp.issparse(y) else y)

    def joint_feature(self, x, y):
        return np.kron(np.eye(len(self.options))[self.place(y)], x)

    def loss(self, y_true, y):
        return float(self.place(y_true) != self.place(y))

    def outputs(self, x):
        return [copy.deepcopy(option) for option in self.options]

    def argmax(self, x, w, y_true=None):
        scores = w.reshape(len(self.options), -1) @ x
        bonus = 0.0 if y_true is None else np.arange(len(self.options)) != self.place(y_true)
        return copy.deepcopy(self.options[int(np.argmax(scores + bonus))])


@pytest.mark.parametrize("formulation", [("margin", "linear"), ("none", "squared"), ("slack", "linear")])
@pytest.mark.parametrize("kind", OUTPUTS)
def test_outputs_of_any_type(kind, formulation):
    options = OUTPUTS[kind]
    rng = np.random.default_rng(0)
    which = np.arange(18) % len(options)
    X = list(rng.standard_normal((18, 4)) + 2.0 * np.eye(4)[which])
    Y = [copy.deepcopy(options[k]) for k in which]
    rescaling, slack = formulation
    model = StructuralSVM(Choice(options), C=0.5, rescaling=rescaling, slack=slack, tol=1e-6).fit(X, Y)
    judge = MulticlassSVC(C=0.5, slack=slack, fit_intercept=False, tol=1e-6).fit(np.array(X), which)
    assert model.solution_.primal == pytest.approx(judge.solution_.primal, rel=1e-4)
    assert [model.problem.place(y) for y in model.predict(X)] == judge.predict(np.array(X)).tolist()


def test_two_processes():
    X, Y = sentences(7)
    one = StructuralSVM(Tags(), C=0.3, solver="one-slack", tol=0.01).fit(X, Y)
    two = StructuralSVM(Tags(), C=0.3, solver="one-slack", tol=0.01, n_jobs=2).fit(X, Y)
    np.testing.assert_allclose(two.coef_, one.coef_, rtol=1e-9)
    assert two.solution_.primal == pytest.approx(one.solution_.primal, rel=1e-12)


def test_approximate_search_reports_no_gap():
    X, Y = sentences()
    for solver in ("bcfw", "n-slack", "one-slack"):
        model = StructuralSVM(Tags(), C=0.3, rescaling="slack", solver=solver, approximate=True).fit(X, Y)
        assert model.solution_.status is Status.INEXACT
        assert model.solution_.gap is None
        assert model.solution_.primal is None
        assert model.solution_.dual is None
        assert model.score(X, Y) > -1.0
    exact = StructuralSVM(AllTags(), C=0.3, rescaling="slack", approximate=True).fit(X, Y)
    assert exact.solution_.gap is not None  # an enumeration is exact, whatever is allowed


REFUSED = [
    ("slack", "linear", "argmax_by_loss"),
    ("slack", "squared", "argmax_by_loss"),
    ("margin", "squared", "argmax_by_loss"),
    ("none", "linear", "kbest"),
    ("none", "squared", "kbest"),
    ("margin", "hard", "kbest"),
]


@pytest.mark.parametrize(("rescaling", "slack", "method"), REFUSED)
def test_refusal_names_the_method_to_add(rescaling, slack, method):
    X, Y = sentences(6)
    with pytest.raises(Unsupported) as caught:
        StructuralSVM(Tags(), rescaling=rescaling, slack=slack).fit(X, Y)
    text = str(caught.value)
    assert f"add the method {method}(" in text
    assert "or outputs(x)" in text
    assert "Tags" in text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a hard margin may have no solution here
        StructuralSVM(AllTags(), C=0.1, rescaling=rescaling, slack=slack).fit(X, Y)


def test_solvers_refuse_what_they_cannot_do():
    X, Y = sentences(6)
    with pytest.raises(Unsupported, match=r"hard margin.*n-slack"):
        StructuralSVM(AllTags(), slack="hard", solver="one-slack").fit(X, Y)
    with pytest.raises(Unsupported, match=r"n-slack.*hard margin"):
        StructuralSVM(AllTags(), slack="hard", solver="subgradient").fit(X, Y)
    with pytest.raises(Unsupported, match=r"perceptron.*slack rescaling"):
        StructuralSVM(AllTags(), rescaling="slack", solver="perceptron").fit(X, Y)


def test_perceptron_separates():
    X, Y = sentences(noise=0.0)
    model = StructuralSVM(Tags(), solver="perceptron", max_iter=None).fit(X, Y)
    assert model.solution_.gap is None
    assert model.solution_.primal is None
    assert model.score(X, Y) > -0.2


def test_subgradient_comes_close():
    X, Y = sentences()
    best = StructuralSVM(Tags(), C=0.3, tol=1e-6).fit(X, Y).solution_.primal
    model = StructuralSVM(Tags(), C=0.3, solver="subgradient").fit(X, Y)
    assert model.solution_.dual is None
    assert model.solution_.gap is None
    assert model.solution_.primal == pytest.approx(objective(model, X, Y, 0.3))
    assert best <= model.solution_.primal <= 1.05 * best


def test_clone_and_parameters():
    X, Y = sentences(6)
    model = StructuralSVM(Tags(True), C=0.2, solver=BlockCoordinate(capacity=2), tol=0.01).fit(X, Y)
    twin = clone(model)
    assert not hasattr(twin, "coef_")
    assert twin.C == 0.2
    assert twin.problem.sparse is True
    assert twin.get_params(deep=False).keys() == model.get_params(deep=False).keys()
    assert twin.set_params(C=3.0).C == 3.0
    assert model.C == 0.2
    assert "Tags" in repr(model)


@pytest.mark.parametrize("solver", ["bcfw", "n-slack", "one-slack"])
def test_pickle(solver):
    X, Y = sentences(6)
    model = StructuralSVM(Tags(), C=0.2, solver=solver).fit(X, Y)
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.coef_, model.coef_)
    assert twin.predict(X) == model.predict(X)


def test_grid_search_over_lists():
    X, Y = sentences(24)
    search = GridSearchCV(StructuralSVM(Tags()), {"C": [1e-5, 0.3]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"C": 0.3}
    assert search.best_score_ > -1.0
    assert len(search.predict(X)) == 24
    assert cross_val_score(StructuralSVM(Tags(), C=0.3), X, Y, cv=3).shape == (3,)


def test_series_and_arrays_are_read_in_order():
    X, Y = sentences()
    expected = StructuralSVM(Tags(), C=0.3).fit(X, Y)
    order = list(range(12))[::-1]
    model = StructuralSVM(Tags(), C=0.3).fit(pd.Series(X, index=order), pd.Series(Y, index=order))
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    np.testing.assert_array_equal(StructuralSVM(Tags(), C=0.3).fit(np.array(X), np.array(Y)).coef_, expected.coef_)


def test_a_structure_of_the_library_as_problem():
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((30, 4)), np.arange(30) % 3
    X[:, :3] += 2.0 * np.eye(3)[Y]
    model = StructuralSVM(Multiclass(3), C=0.5, tol=1e-6).fit(X, Y)
    judge = MulticlassSVC(C=0.5, slack="linear", fit_intercept=False, tol=1e-6).fit(X, Y)
    assert model.solution_.primal == pytest.approx(judge.solution_.primal, rel=1e-4)
    assert list(model.predict(X)) == judge.predict(X).tolist()


def test_not_fitted():
    X, Y = sentences(2)
    for call in (lambda m: m.predict(X), lambda m: m.decision_value(X[:1], Y[:1]), lambda m: m.save("model.zip")):
        with pytest.raises(NotFittedError):
            call(StructuralSVM(Tags()))

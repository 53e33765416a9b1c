"""Problems that break their promises: caught before training, or at the first example that shows it."""

from __future__ import annotations

import re
import threading

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import StructuralSVM, check_problem

RNG = np.random.default_rng(0)
X = list(RNG.standard_normal((9, 2)))
Y = ["abc"[k % 3] for k in range(9)]


class Letters:
    """A good problem: three letters, a loss of 1 or 2."""

    def joint_feature(self, x, y):
        return np.kron(np.eye(3)["abc".index(y)], x)

    def loss(self, y_true, y):
        return float(abs("abc".index(y_true) - "abc".index(y)))

    def argmax(self, x, w, y_true=None):
        return max("abc", key=lambda y: self.value(x, w, y, y_true))

    def value(self, x, w, y, y_true=None):
        return self.joint_feature(x, y) @ w + (0.0 if y_true is None else self.loss(y_true, y))


class Enumerable(Letters):
    def outputs(self, x):
        return list("abc")


def began(*arguments):
    raise AssertionError("training began")


def complaint(call, *words, error=ValueError):
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    assert all(re.search(word, text) for word in words), text
    assert "\n" not in text
    assert len(text) < 300, text
    assert text.endswith((".", "?")), text
    assert len(re.findall(r"[.!?](?= [A-Z]|$)", text)) <= 2, text


def fit(problem, given=X, labels=Y, **params):
    """Fits with an observer that must never be called."""
    return StructuralSVM(problem, **params, callback=began).fit(given, labels)


def test_the_good_ones_pass():
    for problem in (Letters(), Enumerable()):
        check_problem(problem, X, Y)
        StructuralSVM(problem).fit(X, Y)


def test_lengths():
    class Silent(Letters):
        argmax = began

    complaint(lambda: fit(Silent(), X[:8]), "X has 8 examples and y has 9", "match")
    complaint(lambda: check_problem(Silent(), X[:8], Y), "X has 8 examples and y has 9", "match")
    complaint(lambda: fit(Silent(), [], []), "[Aa]t least one example")
    complaint(lambda: check_problem(Silent(), [], []), "[Aa]t least one example")
    model = StructuralSVM(Letters()).fit(X, Y)
    complaint(lambda: model.score(X[:8], Y), "8", "9", "match")


@pytest.mark.parametrize("method", ["joint_feature", "loss", "argmax"])
@pytest.mark.parametrize("missing", [None, "text"])
def test_a_missing_method(method, missing):
    problem = Letters()
    setattr(problem, method, missing)
    for call in (lambda: fit(problem), lambda: check_problem(problem, X, Y)):
        complaint(call, "Letters", f"lacks the method {method}", error=TypeError)


def test_no_problem_at_all():
    for problem in (None, 3, "multiclass"):
        complaint(lambda problem=problem: fit(problem), "not a Problem", "lacks the method", error=TypeError)
    complaint(lambda: fit(Letters), "Letters is a class", "pass an instance", error=TypeError)


class Breaks(Letters):
    """Something else for one example and one output."""

    def __init__(self, what, x=4, y=None):
        self.what, self.x, self.y = what, x, y

    def joint_feature(self, x, y):
        right = super().joint_feature(x, y)
        return self.what(right) if x is X[self.x] and self.y in (None, y) else right


FEATURES = {
    "longer": (lambda row: np.append(row, 0.0), ["example 4", "length 7", "6"]),
    "shorter and sparse": (lambda row: sp.csr_array(row[None, :5]), ["example 4", "length 5", "6"]),
    "a matrix": (
        lambda row: row.reshape(2, 3),
        ["joint_feature of example 4", r"one-dimensional, not of shape \(2, 3\)"],
    ),
    "a sparse matrix": (lambda row: sp.csr_array(row.reshape(2, 3)), ["joint_feature of example 4", r"shape \(2, 3\)"]),
    "NaN": (lambda row: row * np.nan, ["joint_feature of example 4", "NaN"]),
    "infinite": (lambda row: np.append(row[:-1], np.inf), ["joint_feature of example 4", "infinite"]),
    "sparse NaN": (lambda row: sp.csr_array(row[None, :] * np.nan), ["joint_feature of example 4", "NaN"]),
    "text": (lambda row: ["a"] * 6, ["joint_feature of example 4"]),
    "None": (lambda row: None, ["joint_feature of example 4"]),
    "ragged": (lambda row: [[1.0], [1.0, 2.0]], ["joint_feature of example 4"]),
    "complex": (lambda row: row * 1j, ["joint_feature of example 4"]),
    "sparse complex": (lambda row: sp.csr_array(row[None, :] * 1j), ["joint_feature of example 4"]),
}


@pytest.mark.parametrize("case", FEATURES)
def test_joint_features_of_the_truth(case):
    what, words = FEATURES[case]
    complaint(lambda: fit(Breaks(what)), *words, error=(TypeError, ValueError))
    complaint(lambda: check_problem(Breaks(what), X, Y), *words, error=(TypeError, ValueError))


@pytest.mark.parametrize("case", ["longer", "shorter and sparse", "a matrix", "NaN", "text"])
def test_joint_features_of_another_output(case):
    """Seen only once that output is asked for, so while training; check_problem sees it as well if it can enumerate."""

    class Listed(Breaks, Enumerable):
        def value(self, x, w, y, y_true=None):
            return Letters.joint_feature(self, x, y) @ w + (0.0 if y_true is None else self.loss(y_true, y))

    what, words = FEATURES[case]
    wrong = "ac"[Y[4] == "a"]
    problem = Listed(what, y=wrong)
    complaint(lambda: StructuralSVM(problem, C=10.0).fit(X, Y), *words, error=(TypeError, ValueError))
    complaint(
        lambda: StructuralSVM(problem, C=10.0, rescaling="slack").fit(X, Y), *words, error=(TypeError, ValueError)
    )
    complaint(lambda: check_problem(problem, X, Y), *words, error=(TypeError, ValueError))


class Loss(Letters):
    def __init__(self, wrong, at_truth=False):
        self.wrong, self.at_truth = wrong, at_truth

    def loss(self, y_true, y):
        return self.wrong if (y_true == y) == self.at_truth and y_true == "b" else Letters.loss(self, y_true, y)

    def argmax(self, x, w, y_true=None):
        added = {y: 0.0 if y_true is None else Letters.loss(self, y_true, y) for y in "abc"}
        return max("abc", key=lambda y: self.joint_feature(x, y) @ w + added[y])


@pytest.mark.parametrize("wrong", [1.0, 1e-9, -1.0, np.nan, np.inf])
def test_loss_at_the_truth(wrong):
    words = ["Loss.loss", "example 1", "must be 0|at least 0"]
    complaint(lambda: fit(Loss(wrong, at_truth=True)), *words)
    complaint(lambda: check_problem(Loss(wrong, at_truth=True), X, Y), *words)


@pytest.mark.parametrize("wrong", [-1.0, np.nan, np.inf])
def test_loss_of_another_output(wrong):
    words = ["Loss.loss gave", "example [147]", "finite and at least 0"]
    complaint(lambda: StructuralSVM(Loss(wrong)).fit(X, Y), *words)
    complaint(lambda: check_problem(Loss(wrong), X, Y), *words)


@pytest.mark.parametrize("wrong", ["high", None, [1.0, 2.0]], ids=repr)
def test_loss_that_is_no_number(wrong):
    complaint(lambda: fit(Loss(wrong, at_truth=True)), "Loss.loss", "example 1", error=(TypeError, ValueError))


class Worst(Letters):
    """Finds a minimum. (At ``w = 0`` that is the truth.)"""

    def argmax(self, x, w, y_true=None):
        return min("abc", key=lambda y: self.value(x, w, y, y_true))


class Plain(Letters):
    """Forgets the loss."""

    def argmax(self, x, w, y_true=None):
        return max("abc", key=lambda y: self.value(x, w, y))


class Lazy(Letters):
    """Never finds c."""

    def argmax(self, x, w, y_true=None):
        return max("ab", key=lambda y: self.value(x, w, y, y_true))


class Stubborn(Letters):
    """Says a whatever it is asked."""

    def argmax(self, x, w, y_true=None):
        return "a"


@pytest.mark.parametrize("problem", [Lazy(), Stubborn()], ids=["Lazy", "Stubborn"])
@pytest.mark.parametrize("solver", ["bcfw", "n-slack", "one-slack", "subgradient", "perceptron"])
def test_an_argmax_that_is_no_maximum_in_training(solver, problem):
    name = type(problem).__name__
    words = [f"{name}.argmax is not a maximum", "example \\d", "worse than the truth|but '[abc]' has .* exact = False"]
    complaint(lambda: StructuralSVM(problem, C=10.0, solver=solver).fit(X, Y), *words)


def test_an_argmax_that_is_no_maximum_in_the_check():
    for problem in (Worst(), Lazy(), Stubborn(), Plain()):
        name = type(problem).__name__
        complaint(
            lambda problem=problem: check_problem(problem, X, Y),
            f"{name}.argmax is not a maximum",
            "example \\d",
            "but '",
        )


def test_an_argmax_with_an_answer_of_another_kind():
    class Other(Letters):
        def argmax(self, x, w, y_true=None):
            return None

    for call in (lambda: fit(Other()), lambda: check_problem(Other(), X, Y)):
        complaint(call, "Other.argmax gave None", "example \\d")


def test_a_truth_that_is_none():
    """``argmax(x, w, None)`` asks for a prediction, so None cannot be an output to learn."""
    labels = [*Y[:8], None]

    class Optional(Letters):
        def joint_feature(self, x, y):
            return super().joint_feature(x, y or "c")

        def loss(self, y_true, y):
            return super().loss(y_true or "c", y or "c")

    for call in (lambda: fit(Optional(), X, labels), lambda: check_problem(Optional(), X, labels)):
        complaint(call, "example 8", "None")


def test_a_problem_that_other_processes_cannot_read():
    class Local(Letters):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.lock = threading.Lock()

    complaint(lambda: fit(Local(), n_jobs=2, solver="one-slack"), "Local", "n_jobs", "pickled", error=ValueError)

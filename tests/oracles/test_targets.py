"""Labels of another kind than outputs, and problems that say that their searches are heuristics."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import Status, StructuralSVM, Subgradient, Unsupported, check_problem

RNG = np.random.default_rng(0)
X = list(RNG.standard_normal((12, 3)))
Y = [int(np.argmax(x)) for x in X]


class Classes:
    """Three classes with a distance as loss."""

    def joint_feature(self, x, y):
        return np.kron(np.eye(3)[y], x)

    def loss(self, y_true, y):
        return float(abs(y_true - y))

    def argmax(self, x, w, y_true=None):
        return int(np.argmax(w.reshape(3, 3) @ x + (0 if y_true is None else np.abs(np.arange(3) - y_true))))

    def argmax_by_loss(self, x, w, y_true):
        return [(self.loss(y_true, y), y) for y in range(3)]

    def kbest(self, x, w, k):
        return [int(y) for y in np.argsort(-(w.reshape(3, 3) @ x), kind="stable")[:k]]


class Named(Classes):
    """The same with names of classes as labels; outputs stay numbers."""

    names = ("low", "middle", "high")

    def target(self, x, label):
        return self.names.index(label)

    def loss(self, label, y):
        return super().loss(self.names.index(label), y)

    def argmax(self, x, w, label=None):
        return super().argmax(x, w, None if label is None else self.names.index(label))

    def outputs(self, x):
        return range(3)


class Careless(Classes):
    """Looks at two of the three classes only, and says so."""

    exact = False

    def argmax(self, x, w, y_true=None):
        values = w.reshape(3, 3) @ x + (0 if y_true is None else np.abs(np.arange(3) - y_true))
        return int(np.argmax(values[:2]))


LABELS = [Named.names[y] for y in Y]


@pytest.mark.parametrize("solver", ["one-slack", "n-slack", "bcfw"])
@pytest.mark.parametrize(
    ("rescaling", "slack"), [("margin", "linear"), ("slack", "linear"), ("margin", "squared"), ("none", "linear")]
)
def test_labels_train_to_the_same_optimum_as_their_targets(solver, rescaling, slack):
    options = {"solver": solver, "rescaling": rescaling, "slack": slack, "tol": 1e-6}
    plain = StructuralSVM(Classes(), **options).fit(X, Y)
    named = StructuralSVM(Named(), **options).fit(X, LABELS)
    assert named.solution_.status is Status.CONVERGED
    assert named.solution_.primal == pytest.approx(plain.solution_.primal, rel=1e-9)
    assert named.predict(X) == plain.predict(X)
    assert named.score(X, LABELS) == plain.score(X, Y)


def test_labels_are_checked_at_their_targets():
    check_problem(Named(), X, LABELS)

    class Shifted(Named):
        def target(self, x, label):
            return (self.names.index(label) + 1) % 3

    with pytest.raises(ValueError, match="for example 0 at its own truth"):
        check_problem(Shifted(), X, LABELS)
    with pytest.raises(ValueError, match="for example 0 at its own truth"):
        StructuralSVM(Shifted()).fit(X, LABELS)

    class Nothing(Named):
        def target(self, x, label):
            return None

    with pytest.raises(ValueError, match="output of example 0 is None"):
        StructuralSVM(Nothing()).fit(X, LABELS)

    class Elsewhere(Named):
        def outputs(self, x):
            return [3]

    with pytest.raises(ValueError, match="does not contain its truth"):
        check_problem(Elsewhere(), X, LABELS)


def test_a_warm_start_sees_that_labels_changed():
    doubled = ["top" if label == "high" else label for label in LABELS]
    model = StructuralSVM(Lenient(), warm_start=True, solver="n-slack", tol=1e-6).fit(X, doubled)
    again = model.fit(X, LABELS).solution_.primal
    fresh = StructuralSVM(Lenient(), solver="n-slack", tol=1e-6).fit(X, LABELS).solution_.primal
    assert again == pytest.approx(fresh, rel=1e-5)


class Lenient(Named):
    """Two labels of one target: ``top`` costs twice what ``high`` does."""

    def target(self, x, label):
        return 2 if label == "top" else super().target(x, label)

    def loss(self, label, y):
        return 2.0 * super().loss("high", y) if label == "top" else super().loss(label, y)

    def argmax(self, x, w, label=None):
        losses = 0.0 if label is None else np.array([self.loss(label, y) for y in range(3)])
        return int(np.argmax(w.reshape(3, 3) @ x + losses))


@pytest.mark.parametrize("solver", ["auto", "one-slack", "n-slack", "bcfw", Subgradient(passes=5), "perceptron"])
def test_a_heuristic_reports_no_gap(solver):
    solution = StructuralSVM(Careless(), solver=solver).fit(X, Y).solution_
    assert solution.status in (Status.INEXACT, Status.FINISHED)
    assert (solution.primal, solution.dual, solution.gap) == (None, None, None)
    assert solution.planes is None or not solution.planes.exact


@pytest.mark.parametrize("rescaling", ["slack", "none"])
def test_a_heuristic_stays_one_whatever_the_formulation(rescaling):
    solution = StructuralSVM(Careless(), rescaling=rescaling, solver="n-slack").fit(X, Y).solution_
    assert solution.status is Status.INEXACT
    assert solution.gap is None


def test_a_heuristic_may_be_beaten_by_the_truth_but_not_by_promise():
    check_problem(Careless(), X, Y)

    class Wrong(Careless):
        exact = True

    with pytest.raises(ValueError, match="not a maximum"):
        check_problem(Wrong(), X, Y)
    with pytest.raises(ValueError, match="not a maximum"):
        StructuralSVM(Wrong(), solver="one-slack").fit(X, Y)


def test_a_heuristic_is_refused_what_it_has_no_method_for():
    class Bare:
        exact = False
        joint_feature, loss, argmax = Classes.joint_feature, Classes.loss, Classes.argmax

    with pytest.raises(Unsupported, match="argmax_by_loss"):
        StructuralSVM(Bare(), rescaling="slack").fit(X, Y)

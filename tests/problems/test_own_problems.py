"""What problems of one's own may have beyond three methods: many answers at once, latent variables, the best few."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import toy_problems as problems
from maxmargin import Status, StructuralSVM, Unsupported, check_problem, load
from maxmargin.oracles.late_outputs import LateOutputs
from reference import enumerate_planes, solve

RNG = np.random.default_rng(0)
ROWS = RNG.standard_normal((120, 4))
CLASSES = (ROWS[:, :3] + 0.6 * RNG.standard_normal((120, 3))).argmax(axis=1)
SOLVERS = ("auto", "bcfw", "n-slack", "one-slack")


class Vectorised(problems.Classes):
    """Counts its calls."""

    def __init__(self):
        self.single = self.many = 0

    def argmax(self, x, w, y_true=None):
        self.single += 1
        return int(self.scores(x[None], w, None if y_true is None else [y_true]).argmax())

    def argmax_many(self, X, w, Y=None):
        self.many += 1
        return self.scores(np.asarray(X), w, Y).argmax(axis=1).tolist()

    def scores(self, X, w, Y):
        scores = X @ w.reshape(3, -1).T
        return scores if Y is None else scores + (np.arange(3) != np.asarray(Y)[:, None])


@pytest.mark.parametrize("inputs", [ROWS, list(ROWS)], ids=["an array", "a list"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_many_answers_at_once(solver, inputs):
    problem = Vectorised()
    check_problem(problem, inputs[:10], CLASSES[:10].tolist())
    problem.single = problem.many = 0
    model = StructuralSVM(problem, 0.1, tol=1e-3, solver=solver).fit(inputs, CLASSES.tolist())
    best = solve(enumerate_planes(problems.Classes(), list(ROWS), CLASSES.tolist(), "margin", "linear"), 0.1)
    assert model.solution_.status is Status.CONVERGED
    assert best.low <= model.solution_.primal * (1 + 1e-9) <= best.value * (1 + 1e-9) + 0.1 * 120 * 1e-3
    assert problem.single <= model.solution_.details["checks"]
    assert problem.many < model.solution_.oracle_calls / 5
    assert model.predict(inputs) == [problem.argmax(x, model.coef_) for x in ROWS]


def test_many_answers_in_processes():
    one, two = (StructuralSVM(Vectorised(), 0.1, tol=1e-3, n_jobs=jobs).fit(ROWS, CLASSES.tolist()) for jobs in (1, 2))
    assert two.solution_.primal == pytest.approx(one.solution_.primal, abs=0.1 * 120 * 1e-3)


def test_many_wrong_answers():
    class Short(Vectorised):
        def argmax_many(self, X, w, Y=None):
            return super().argmax_many(X, w, Y)[1:]

    class Forgetful(Vectorised):
        def argmax_many(self, X, w, Y=None):
            return super().argmax_many(X, w)

    class Empty(Vectorised):
        def argmax_many(self, X, w, Y=None):
            return [None] * len(X)

    for problem, sentence in (
        (Short(), r"argmax_many gave \d+ outputs for \d+ inputs"),
        (Forgetful(), "is not a maximum: for example"),
        (Empty(), "argmax_many gave None for input 0"),
    ):
        for call in (check_problem, StructuralSVM(problem, tol=1e-3).fit):
            arguments = (ROWS, CLASSES.tolist())
            with pytest.raises(ValueError, match=sentence):
                call(problem, *arguments) if call is check_problem else call(*arguments)


class Bags:
    """A bag is positive if one of its rows is: ``y`` is (sign, the row that tells), and labels are signs.

    The score of a negative bag is 0, that of a positive one ``<w, row>``.
    """

    def joint_feature(self, x, y):
        return x[y[1]] if y[0] > 0 else np.zeros(x.shape[1])

    def loss(self, label, y):
        return float(label != y[0])

    def argmax(self, x, w, label=None):
        scores = x @ w
        row = int(scores.argmax())
        positive, negative = scores[row] + (label == -1), float(label == 1)
        return (1, row) if positive > negative else (-1, 0)

    def impute(self, x, label, w=None):
        """Without weights the longest row is the guess."""
        if label < 0:
            return (-1, 0)
        return (1, int(((x**2).sum(axis=1) if w is None else x @ w).argmax()))


def bags(n, seed):
    rng = np.random.default_rng(seed)
    X = [np.column_stack([rng.standard_normal((5, 6)) - 0.3, np.ones(5)]) for _ in range(n)]
    labels = [1 if k % 2 else -1 for k in range(n)]
    for x, label in zip(X, labels):
        if label > 0:
            x[rng.integers(1, 5), :3] += 2.5
    return X, labels


def true_objective(problem, X, labels, w, C):
    risk = 0.0
    for x, label in zip(X, labels):
        outputs = [(-1, 0), *((1, row) for row in range(len(x)))]
        best = max(problem.loss(label, y) + problem.joint_feature(x, y) @ w for y in outputs)
        risk += best - (max((x @ w).tolist()) if label > 0 else 0.0)
    return 0.5 * w @ w + C * risk


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("solver", SOLVERS)
def test_latent_variables(solver, n_jobs):
    X, labels = bags(80, 0)
    C = 0.5
    model = StructuralSVM(Bags(), C, tol=1e-3, solver=solver, n_jobs=n_jobs).fit(X, labels)
    solution = model.solution_
    assert solution.status is Status.LOCAL
    assert solution.gap is None
    assert solution.details["rounds"] > 1
    assert solution.primal == pytest.approx(true_objective(Bags(), X, labels, model.coef_, C), rel=1e-9)

    class Fixed(Bags):
        """The first guess stays."""

        impute = None

        def target(self, x, label):
            return Bags.impute(self, x, label)

    fixed = StructuralSVM(Fixed(), C, tol=1e-3, solver=solver).fit(X, labels)
    test, truth = bags(200, 1)
    assert np.mean([y[0] == label for y, label in zip(model.predict(test), truth)]) > 0.9
    assert solution.primal < true_objective(Bags(), X, labels, fixed.coef_, C)


def test_the_perceptron_has_no_latent_variables():
    with pytest.raises(Unsupported, match="latent"):
        StructuralSVM(Bags(), solver="perceptron").fit(*bags(10, 0))


class Matching:
    """Partners for four items."""

    def joint_feature(self, x, y):
        return x[np.arange(len(y)), list(y)].sum(axis=0)

    def loss(self, y_true, y):
        return float(np.sum(np.array(y_true) != np.array(y)))

    def argmax(self, x, w, y_true=None):
        scores = x @ w
        if y_true is not None:
            scores = scores + (np.arange(x.shape[1]) != np.array(y_true)[:, None])
        return tuple(linear_sum_assignment(scores, maximize=True)[1].tolist())


def test_the_best_few():
    chain = problems.Chain()
    X, Y = problems.sample(chain, 20)
    model = StructuralSVM(chain, 1.0).fit(X, Y)
    listed = StructuralSVM(problems.Only(chain, "outputs"), 1.0).fit(X, Y)
    for found in (
        model.predict_kbest(X, 4),
        listed.set_params(problem=problems.Only(chain, "outputs")).predict_kbest(X, 4),
    ):
        for x, best, few in zip(X, model.predict(X), found):
            scores = sorted((model.decision_value([x], [y])[0] for y in chain.outputs(x)), reverse=True)
            assert few[0].output == best
            np.testing.assert_allclose([entry.score for entry in few], scores[:4], atol=1e-9)
            np.testing.assert_allclose(model.decision_value([x] * 4, [y for _, y in few]), scores[:4], atol=1e-9)
    assert [len(few) for few in model.predict_kbest(X[:2], 100)] == [27, 27]
    with pytest.raises(ValueError, match="k must be a positive integer"):
        model.predict_kbest(X, 0)
    matchings = [RNG.normal(size=(4, 4, 3)) for _ in range(10)]
    model = StructuralSVM(Matching(), C=1.0).fit(matchings, [(0, 1, 2, 3)] * 10)
    with pytest.raises(Unsupported, match=r"Matching cannot list its best outputs: add the method kbest"):
        model.predict_kbest(matchings, 2)


def test_load_compares_the_problem(tmp_path):
    data = [RNG.normal(size=(4, 4, 3)) for _ in range(10)]
    model = StructuralSVM(Matching()).fit(data, [(0, 1, 2, 3)] * 10)
    path = tmp_path / "matching.model"
    model.save(path)

    class Special(Matching):
        """Derived from the class that was trained with."""

        dimension = 3

    class Longer(Matching):
        dimension = 4

    class Wide(Matching):
        """Looks at one feature more, and says nothing about it."""

        def joint_feature(self, x, y):
            return np.append(super().joint_feature(x, y), 1.0)

    assert load(path, problem=Special()).predict(data) == model.predict(data)
    with pytest.raises(ValueError, match=r"was trained with a problem of the class Matching, and a Bags was passed"):
        load(path, problem=Bags())
    with pytest.raises(ValueError, match=r"joint features of length 4, and there are 3 weights"):
        load(path, problem=Longer())
    with pytest.raises(TypeError, match="is a class"):
        load(path, problem=Matching)
    with pytest.raises(ValueError, match="joint_feature has length 4, but the model was trained with 3"):
        load(path, problem=Wide()).predict(data)


@pytest.mark.parametrize("solver", SOLVERS)
def test_features_are_computed_once_for_an_output_that_is_found_again(solver):
    chain = problems.Chain()
    X, Y = problems.sample(chain, 30, noise=1.0)
    counted = problems.Counted(chain)
    solution = StructuralSVM(counted, 0.5, solver=solver, tol=1e-3).fit(X, Y).solution_
    before = 30 + 9 * solution.details["checks"]  # of the truths, and of what is compared
    assert counted.calls["joint_feature"] - before < 0.5 * solution.oracle_calls
    best = solve(enumerate_planes(chain, X, Y, "margin", "linear"), 0.5)
    assert best.low <= solution.primal * (1 + 1e-9) <= best.value * (1 + 1e-9) + 0.5 * 30 * 1e-3


def test_an_output_that_changes_is_computed_again():
    """One array that is filled anew for each question."""

    class OneBuffer(Matching):
        buffer = np.zeros(4, dtype=int)

        def argmax(self, x, w, y_true=None):
            self.buffer[:] = super().argmax(x, w, y_true)
            return self.buffer

    data = [RNG.normal(size=(4, 4, 3)) for _ in range(30)]
    truth = [Matching().argmax(x + RNG.normal(size=x.shape), np.ones(3)) for x in data]
    plain = StructuralSVM(Matching(), tol=1e-3, solver="n-slack").fit(data, truth)
    once = StructuralSVM(OneBuffer(), tol=1e-3, solver="n-slack").fit(data, [np.array(y) for y in truth])
    assert once.solution_.primal == pytest.approx(plain.solution_.primal, abs=30 * 1e-3)


def test_what_cannot_change():
    kept = LateOutputs(1)
    for y in (3, "ab", (1, (2, "c")), frozenset({1})):
        kept.keep(0, y, (np.ones(2), 1.0))
        assert kept.plane(0, y) is not None
    for y in ([1], np.array([1]), (1, [2]), object()):
        kept.keep(0, y, (np.ones(2), 1.0))
        assert kept.plane(0, y) is None
    assert kept.of(0)[-2:] == [[1], np.array([1])]


class OneBuffer:
    """Every answer is written into the same array."""

    def __init__(self):
        self.answer = np.zeros(3, dtype=int)

    def joint_feature(self, x, y):
        return x * (2 * np.asarray(y) - 1)

    def loss(self, y_true, y):
        return float(np.sum(np.asarray(y_true) != np.asarray(y)))

    def argmax(self, x, w, y_true=None):
        extra = 0.0 if y_true is None else 0.5 - np.asarray(y_true)
        self.answer[:] = x * w + extra > 0.0
        return self.answer


def test_answers_in_one_buffer_stay_what_they_were():
    X = list(np.random.default_rng(0).standard_normal((20, 3)))
    Y = [(x > 0.0).astype(int) for x in X]
    model = StructuralSVM(OneBuffer()).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), Y)
    assert model.score(X, Y) == 0.0

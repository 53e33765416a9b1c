"""Problems with a kernel between pairs in place of joint features, against their explicit form and a QP solver."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import maxmargin as mm
import toy_problems as problems
from maxmargin import (
    BlockCoordinate,
    ChainSVC,
    DescribedClasses,
    Kernel,
    MulticlassSVC,
    NSlack,
    OneSlack,
    StructuralSVM,
    Unsupported,
    check_problem,
)
from maxmargin.core.joint_kernel import KernelWeights
from maxmargin.problems.pair_files import read_pairs, written_pairs
from reference import dense, enumerate_planes, solve

C = 0.8
FORMULATIONS = [(r, s) for r in ("margin", "slack", "none") for s in ("linear", "squared")] + [("none", "hard")]

CELLS = [
    (solver, *formulation)
    for solver in (NSlack(), BlockCoordinate(), OneSlack())
    for formulation in FORMULATIONS
    if formulation[1] != "hard" or solver != OneSlack()  # a hard margin has no slacks to sum
]


class Paired:
    """The inner products of a problem's joint features, and nothing else of these; outputs are listed."""

    def __init__(self, explicit):
        self.explicit = explicit

    def kernel(self, a, b):
        return float(dense(self.explicit.joint_feature(*a)) @ dense(self.explicit.joint_feature(*b)))

    def loss(self, y_true, y):
        return self.explicit.loss(y_true, y)

    def outputs(self, x):
        return self.explicit.outputs(x)


class Searched:
    """The same with a search of its own."""

    def __init__(self, explicit):
        self.paired = Paired(explicit)
        self.kernel, self.loss = self.paired.kernel, self.paired.loss

    def argmax(self, x, w, y_true=None):
        assert isinstance(w, KernelWeights)
        extra = (lambda y: 0.0) if y_true is None else (lambda y: self.loss(y_true, y))
        return max(self.paired.outputs(x), key=lambda y: w.score(x, y) + extra(y))


def data(explicit, n=8):
    return problems.sample(explicit, n, noise=0.5)


@pytest.mark.parametrize(("solver", "rescaling", "slack"), CELLS)
def test_every_formulation_reaches_the_optimum(solver, rescaling, slack):
    explicit = problems.Classes()
    X, Y = problems.sample(explicit, 8, noise=0.1)
    best = solve(enumerate_planes(explicit, X, Y, rescaling, slack), C).value
    options = {"rescaling": rescaling, "slack": slack, "solver": solver, "tol": 1e-7, "max_iter": 20_000}
    model = StructuralSVM(Paired(explicit), C, **options).fit(X, Y)
    assert model.solution_.primal == pytest.approx(best, rel=1e-5 if slack == "hard" else 1e-6)
    square = sum(
        a * b * Paired(explicit).kernel(p, q)
        for a, p in zip(model.coef_, model.support_)
        for b, q in zip(model.coef_, model.support_)
    )
    assert square == pytest.approx(float(model.solution_.w @ model.solution_.w), rel=1e-9)


@pytest.mark.parametrize("make", [Paired, Searched])
@pytest.mark.parametrize(
    "explicit", [problems.Chain(), problems.Subset(), problems.Words()], ids=lambda p: type(p).__name__
)
def test_scores_are_those_of_explicit_features(explicit, make):
    X, Y = data(explicit)
    options = {"C": C, "tol": 1e-8, "max_iter": 20_000, "solver": NSlack()}
    kernel, plain = StructuralSVM(make(explicit), **options).fit(X, Y), StructuralSVM(explicit, **options).fit(X, Y)
    assert kernel.solution_.primal == pytest.approx(plain.solution_.primal, rel=1e-6)
    np.testing.assert_allclose(kernel.decision_value(X, Y), plain.decision_value(X, Y), atol=2e-3)
    assert len(kernel.support_) == kernel.coef_.size
    new, _ = problems.sample(explicit, 6, noise=0.5, seed=1)
    assert sum(map(problems_same, kernel.predict(new), plain.predict(new))) >= 5  # ties may be broken otherwise


def problems_same(a, b):
    return bool(np.all(np.asarray(a, dtype=object) == np.asarray(b, dtype=object)))


class Tagged:
    """Equation 14 of Tsochantaridis et al. (2005): labelled sequences by a kernel between tokens."""

    def __init__(self, eta):
        self.eta = eta

    def kernel(self, a, b):
        (x, y), (other, labels) = a, b
        same = np.equal.outer(np.array(y), np.array(labels))
        tokens = ((x @ other.T + 1.0) ** 2 * same).sum()
        steps = np.multiply(same[:-1, :-1], same[1:, 1:]).sum()
        return tokens + self.eta**2 * steps

    def loss(self, y_true, y):
        return float(sum(a != b for a, b in zip(y_true, y)))

    def outputs(self, x):
        return product(range(2), repeat=len(x))


def test_the_kernel_of_sequences_is_that_of_chains():
    rng = np.random.default_rng(0)
    X = [rng.standard_normal((length, 2)) for length in (2, 3, 4, 3, 2)]
    Y = [tuple((x[:, 0] * x[:, 1] > 0).astype(int).tolist()) for x in X]
    pairs = StructuralSVM(Tagged(0.6), C, tol=1e-7, solver=NSlack()).fit(X, Y)
    square = Kernel("poly", degree=2, gamma=1.0, coef0=1.0)
    options = {"eta": 0.6, "ends": False, "fit_intercept": False, "method": "structural"}
    chain = ChainSVC(C, kernel=square, tol=1e-7, **options).fit(X, Y)
    assert pairs.solution_.primal == pytest.approx(chain.solution_.primal, rel=1e-6)
    np.testing.assert_allclose(pairs.decision_value(X, Y), chain.decision_value(X, Y), atol=1e-3)


class Product:
    """A kernel of inputs times a kernel of outputs."""

    def __init__(self, K):
        self.K = K

    def kernel(self, a, b):
        return float(np.exp(-((a[0] - b[0]) ** 2).sum()) * self.K[a[1], b[1]])

    def loss(self, y_true, y):
        return float(y_true != y)

    def outputs(self, x):
        return range(len(self.K))


def test_a_product_of_kernels_is_classes_with_output_features():
    rng = np.random.default_rng(0)
    X, Lambda = rng.standard_normal((20, 2)), rng.standard_normal((4, 3))
    y = rng.integers(0, 4, 20)
    K = Lambda @ Lambda.T
    joint = StructuralSVM(Product(K), C, tol=1e-7, solver=NSlack()).fit(X, y.tolist())
    described = DescribedClasses.from_similarity(K, range(4))
    options = {"method": "structural", "slack": "linear", "fit_intercept": False, "tol": 1e-7}
    classes = MulticlassSVC(C, output_features=described, kernel=Kernel("rbf", gamma=1.0), **options).fit(X, y)
    assert joint.solution_.primal == pytest.approx(classes.solution_.primal, rel=1e-6)
    new = rng.standard_normal((30, 2))
    scores = np.array([joint.decision_value(new, [label] * 30) for label in range(4)]).T
    np.testing.assert_allclose(scores, classes.decision_function(new), atol=2e-3)


def test_files_keep_the_pairs(tmp_path):
    explicit = problems.Chain()
    X, Y = data(explicit)
    model = StructuralSVM(Paired(explicit), C).fit(X, Y)
    model.save(tmp_path / "model")
    loaded = mm.load(tmp_path / "model", problem=Paired(explicit))
    np.testing.assert_array_equal(loaded.decision_value(X, Y), model.decision_value(X, Y))
    assert [tuple(y) for y in loaded.predict(X)] == [tuple(y) for y in model.predict(X)]
    best = model.predict_kbest(X[:2], 2)
    assert best[0][0].score == pytest.approx(model.decision_value(X[:1], [best[0][0].output])[0])
    with pytest.raises(mm.ModelFileError, match="needs pairs, and others have none"):
        mm.load(
            tmp_path / "model", problem=type("Paired", (), {"joint_feature": print, "loss": print, "argmax": print})()
        )


def test_pairs_come_back_as_they_were():
    array = np.array([["a", "bcd"]])
    pair = ({"x": [1, 2.5, None, (True, "é")], "y": array}, np.arange(3.0, dtype=np.float32))
    ((given, output),) = read_pairs(written_pairs([pair]), 1)
    assert given["x"] == [1, 2.5, None, (True, "é")]
    assert (given["y"].tolist(), given["y"].dtype) == (array.tolist(), array.dtype)
    assert (output.tolist(), output.dtype) == ([0.0, 1.0, 2.0], np.float32)


def test_a_changed_file_asks_for_no_memory():
    text = written_pairs([(np.array(["a"]), 0)]).replace(b'"type": "U"', b'"type": "<U400000000"')
    with pytest.raises(ValueError, match="strings of no given length"):
        read_pairs(text, 1)


def test_other_objects_are_not_written(tmp_path):
    class Odd(Product):
        def kernel(self, a, b):
            return float(a[0].real * b[0].real * (a[1] == b[1]))

    model = StructuralSVM(Odd(np.eye(2)), C).fit([1.0 + 0j, -1.0 + 0j], [0, 1])
    with pytest.raises(ValueError, match=r"these have \(1\+0j\) in them; .* pickle keeps everything"):
        model.save(tmp_path / "model")


class TestChecks:
    def test_a_good_problem(self):
        for explicit in (problems.Chain(), problems.Subset()):
            check_problem(Paired(explicit), *data(explicit, 3))
            check_problem(Searched(explicit), *data(explicit, 3))

    def test_not_symmetric(self):
        explicit = problems.Classes()
        X, Y = data(explicit)
        wrong = Paired(explicit)
        wrong.kernel = lambda a, b: Paired(explicit).kernel(a, b) + 0.5 * (a[1] < b[1])
        with pytest.raises(ValueError, match="kernel is not symmetric"):
            check_problem(wrong, X, Y)
        with pytest.raises(ValueError, match=r"Paired\.kernel is not symmetric: with .* one way round"):
            StructuralSVM(wrong, C).fit(X, Y)

    @pytest.mark.parametrize("approximate", [False, True])
    def test_not_positive_before_any_search(self, approximate):
        explicit = problems.Classes()
        wrong = Paired(explicit)
        wrong.kernel = lambda a, b: np.tanh(2.0 * Paired(explicit).kernel(a, b) - 1.0)
        with pytest.raises(Unsupported, match=r"not positive semi-definite: on .* pairs its smallest eigenvalue is -"):
            StructuralSVM(wrong, C, approximate=approximate).fit(*data(explicit))

    def test_several_processes(self):
        with pytest.raises(Unsupported, match="a kernel for joint_feature is asked in one process; use n_jobs=1"):
            StructuralSVM(Paired(problems.Classes()), C, n_jobs=2).fit(*data(problems.Classes()))

    def test_not_positive(self):
        wrong = Paired(problems.Classes())
        wrong.kernel = lambda a, b: -Paired(problems.Classes()).kernel(a, b)
        with pytest.raises(ValueError, match=r"not positive semi-definite: on .* pairs its smallest eigenvalue is -"):
            check_problem(wrong, *data(problems.Classes()))
        with pytest.raises(Unsupported, match="not positive semi-definite"):
            StructuralSVM(wrong, C).fit(*data(problems.Classes()))

    def test_a_search_without_the_loss(self):
        wrong = Searched(problems.Classes())
        wrong.argmax = lambda x, w, y_true=None: w.best(x, wrong.paired.outputs(x))
        with pytest.raises(ValueError, match="loss-augmented argmax of Searched is not a maximum"):
            check_problem(wrong, *data(problems.Classes()))

    def test_values_that_are_no_numbers(self):
        wrong = Paired(problems.Classes())
        wrong.kernel = lambda a, b: "one"
        with pytest.raises(TypeError, match=r"kernel gave 'one' for .* it must be a number"):
            StructuralSVM(wrong, C).fit(*data(problems.Classes()))
        wrong.kernel = lambda a, b: np.nan
        with pytest.raises(ValueError, match=r"kernel gave nan for .* it must be finite"):
            StructuralSVM(wrong, C).fit(*data(problems.Classes()))

    def test_errors_name_the_problem(self):
        wrong = Searched(problems.Classes())
        wrong.argmax = lambda x, w, y_true=None: min(wrong.paired.outputs(x), key=lambda y: w.score(x, y))
        with pytest.raises(ValueError, match=r"Searched\.argmax is not a maximum"):
            StructuralSVM(wrong, C).fit(*data(problems.Classes()))

    def test_neither_search_nor_outputs(self):
        class Short:
            kernel = loss = staticmethod(lambda *given: 0.0)

        with pytest.raises(TypeError, match="Short is not a Problem: it lacks the method argmax"):
            StructuralSVM(Short(), C).fit([1], [2])

    def test_a_warm_start(self):
        with pytest.raises(Unsupported, match="starts anew; use warm_start=False"):
            StructuralSVM(Paired(problems.Classes()), C, warm_start=True).fit(*data(problems.Classes()))

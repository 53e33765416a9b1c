"""Sparse greedy kernels of chains: the exact kernel where all coordinates are chosen, and what happens on the way."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

import maxmargin as mm
from maxmargin import ChainCRF, Kernel, SparseGreedy
from maxmargin.chains.sparse_likelihood import CoordinateLikelihood
from maxmargin.datasets import make_sentences
from maxmargin.solvers.base import Status

SQUARE = Kernel("poly", degree=2, gamma=0.3)
EXACT = {"C": 1.0, "tol": 1e-7, "templates": "tagging"}


@pytest.fixture(scope="module")
def sentences():
    return make_sentences(30)


def fitted(sentences, rank, kernel=SQUARE, **options):
    return ChainCRF(kernel=kernel, rank=rank, **{**EXACT, **options}).fit(*sentences)


def marginals(model, sentences):
    return np.concatenate(model.predict_marginals(sentences[0]))


@pytest.mark.parametrize("options", [{}, {"order": 2}, {"class_weight": "balanced"}, {"l2": 2.0, "ends": False}])
@pytest.mark.parametrize("kernel", [SQUARE, "rbf"])
def test_all_coordinates_are_the_exact_kernel(sentences, kernel, options):
    dense, sparse = (fitted(sentences, rank, kernel, tol=1e-9, **options) for rank in (None, SparseGreedy(1.0)))
    assert sparse.solution_.primal == pytest.approx(dense.solution_.primal, rel=1e-6)
    np.testing.assert_allclose(marginals(sparse, sentences), marginals(dense, sentences), atol=1e-4)


def test_weights_of_sequences(sentences):
    X, y = sentences
    weight = np.tile([1.0, 2.0, 0.0], 10)
    dense, sparse = (
        ChainCRF(kernel=SQUARE, rank=rank, **EXACT).fit(X, y, sample_weight=weight)
        for rank in (None, SparseGreedy(1.0))
    )
    assert sparse.solution_.primal == pytest.approx(dense.solution_.primal, rel=1e-6)
    part = ChainCRF(kernel=SQUARE, rank=SparseGreedy(0.1), **EXACT).fit(X, y, sample_weight=weight)
    assert not {token.sequence for token in part.support_} & set(range(2, 30, 3))  # they have nothing to explain


@pytest.mark.parametrize("selection", ["random", "steepest"])
def test_the_objective_falls_with_every_coordinate(sentences, selection):
    """A larger share contains a smaller one, because both begin with the same steps."""
    shares = (0.01, 0.03, 0.1, 0.3, 1.0)
    models = [fitted(sentences, SparseGreedy(share, step=4, selection=selection)) for share in shares]
    objectives = [model.solution_.primal for model in models]
    assert all(later < earlier for earlier, later in pairwise(objectives))
    supports = [
        {(token.sequence, token.position, label) for token in model.support_ for label in token.coefficients}
        for model in models[:-1]
    ]
    assert all(smaller <= larger for smaller, larger in pairwise(supports))
    count = sum(map(len, sentences[0])) * models[0].classes_.size
    assert all(len(support) <= round(share * count) for share, support in zip(shares, supports))


def test_few_coordinates_predict_nearly_as_well(sentences):
    X, y = make_sentences(60)
    dense, sparse = (fitted((X[:40], y[:40]), rank) for rank in (None, SparseGreedy(0.1)))
    assert sparse.score(X[40:], y[40:]) > dense.score(X[40:], y[40:]) - 0.03
    assert sparse.kernel_.width < 0.6 * dense.kernel_.width


def test_a_threshold_ends_the_choice(sentences):
    few, more = (fitted(sentences, SparseGreedy(0.9, threshold=threshold)) for threshold in (0.5, 0.05))
    count = sum(map(len, sentences[0])) * few.classes_.size
    sizes = [sum(len(token.coefficients) for token in model.support_) for model in (few, more)]
    assert 0 < sizes[0] < 0.1 * count < sizes[1] < 0.5 * count


@pytest.mark.parametrize("threshold", [0.5, 0.05])
def test_a_threshold_ends_the_choice_from_all_coordinates(sentences, threshold):
    most, all_of_them = (fitted(sentences, SparseGreedy(share, threshold=threshold)) for share in (0.9, 1.0))
    assert all_of_them.support_ == most.support_


def test_a_choice_that_the_time_cut_off_has_not_converged(sentences):
    with pytest.warns(
        ConvergenceWarning, match=r"Stopped at max_time\. .* The choice of coordinates, .* ended with \d"
    ):
        model = fitted(sentences, SparseGreedy(0.9, step=1), max_time=0.05)
    assert model.solution_.status is Status.MAX_TIME


def test_the_gradient_is_that_of_differences(sentences):
    found = []

    class Asked(Exception):
        pass

    def keep(problem, *_):
        found.append(problem)
        raise Asked

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("maxmargin.chains.sparse_fit.Objective", keep)
        with pytest.raises(Asked):
            fitted(sentences, SparseGreedy(0.05))
    problem = found[0]
    assert isinstance(problem, CoordinateLikelihood)
    rng = np.random.default_rng(0)
    w, direction = rng.standard_normal((2, problem.free.size))
    value, gradient = problem.gradient(w)
    assert problem.value(w) == pytest.approx(value, rel=1e-12)
    step = 1e-5
    slope = (problem.value(w + step * direction) - problem.value(w - step * direction)) / (2 * step)
    assert gradient @ direction == pytest.approx(slope, rel=1e-6)
    coefficients = problem.coefficients(w)
    np.testing.assert_allclose(problem.weights(coefficients, problem.beside(w)), w, atol=1e-6)
    squares = [part @ (problem.columns[:, problem.rows] @ part) for part in coefficients.T]
    assert sum(squares) == pytest.approx(w[: -problem.beside(w).size] @ w[: -problem.beside(w).size])


def test_the_support_is_what_scores_are_made_of(sentences, tmp_path):
    X, _ = sentences
    model = fitted(sentences, SparseGreedy(0.05))
    loaded_from = tmp_path / "model"
    model.save(loaded_from)
    loaded = mm.load(loaded_from)
    assert loaded.rank == SparseGreedy(0.05)
    assert loaded.support_ == model.support_
    assert loaded.predict(X) == model.predict(X)
    given = model.reader_.read(X, None, model.n_features_in_)
    tokens, starts = given.tokens.matrix(), given.tokens.offsets
    scores = np.zeros((tokens.shape[0], model.classes_.size))
    for token in model.support_:
        row = tokens[[starts[token.sequence] + token.position]]
        for label, coefficient in token.coefficients.items():
            column = model.classes_.tolist().index(label)
            scores[:, column] += coefficient * model.kernel_.kernel.block(tokens, row)[:, 0]
    np.testing.assert_allclose(model._scored_tokens(given).tokens.matrix().toarray(), scores, atol=1e-9)
    largest = [max(map(abs, token.coefficients.values())) for token in model.support_]
    assert largest == sorted(largest, reverse=True)


def test_single_precision_where_the_matrix_does_not_fit(sentences):
    """The cache holds the matrix of 214 tokens in float32, but not in float64."""
    n = sum(map(len, sentences[0]))
    exact, rough = (
        fitted(sentences, SparseGreedy(0.1), Kernel("poly", degree=2, gamma=0.3, cache=cache), tol=1e-4)
        for cache in (2**30, 6 * n * n)
    )
    assert rough.solution_.status is exact.solution_.status
    assert rough.solution_.primal == pytest.approx(exact.solution_.primal, rel=1e-2)


def test_empty_sequences_keep_their_numbers(sentences):
    X, y = sentences
    model = ChainCRF(kernel=SQUARE, rank=SparseGreedy(0.1), **EXACT).fit([[], *X], [[], *y])
    assert min(token.sequence for token in model.support_) >= 1
    assert max(token.sequence for token in model.support_) <= len(X)


def test_another_fit_has_another_support(sentences):
    model = fitted(sentences, SparseGreedy(0.05))
    few = len(model.support_)
    model.set_params(rank=None).fit(*sentences)
    assert few < len(model.support_) == model.kernel_.width
    assert model.set_params(kernel="linear").fit(*sentences).support_ is None


@pytest.mark.parametrize("form", ["function", "precomputed"])
def test_kernels_that_somebody_else_computes(form):
    rng = np.random.default_rng(0)
    X, y, lengths = rng.standard_normal((60, 3)), rng.integers(0, 2, 60), [6] * 10
    rank = SparseGreedy(0.3)
    known = ChainCRF(1.0, kernel=Kernel("rbf", gamma=0.5), rank=rank, tol=1e-7).fit(X, y, lengths=lengths)
    kernel, given = (
        (lambda A, B: rbf_kernel(A, B, gamma=0.5), X) if form == "function" else (form, rbf_kernel(X, X, 0.5))
    )
    other = ChainCRF(1.0, kernel=kernel, rank=rank, tol=1e-7).fit(given, y, lengths=lengths)
    assert other.solution_.primal == pytest.approx(known.solution_.primal, rel=1e-9)
    assert [token.position for token in other.support_] == [token.position for token in known.support_]
    assert other.score(given, y, lengths=lengths) == known.score(X, y, lengths=lengths)


def test_nothing_to_choose(sentences):
    model = fitted(sentences, SparseGreedy(0.5, threshold=1e9))
    assert model.support_ == []
    assert len(model.predict(sentences[0][:1])[0]) == len(sentences[0][0])


def test_rows_of_numbers():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    lengths = [10] * 20
    linear = ChainCRF().fit(X, y, lengths=lengths)
    sparse = ChainCRF(kernel="rbf", rank=SparseGreedy(0.3)).fit(X, y, lengths=lengths)
    assert sparse.score(X, y, lengths=lengths) > linear.score(X, y, lengths=lengths) + 0.2


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"share": 0.0}, "share of SparseGreedy must be above 0 and at most 1, not 0.0"),
            ({"share": 1.5}, "share of SparseGreedy must be above 0"),
            ({"step": 0}, "step of SparseGreedy must be a whole number of at least 1, not 0"),
            ({"selection": "best"}, "selection of SparseGreedy must be 'random' or 'steepest', not 'best'"),
            ({"threshold": -1.0}, "threshold of SparseGreedy must be None or a number of at least 0"),
            ({"seed": -1}, "seed of SparseGreedy must be a whole number of at least 0"),
        ],
    )
    def test_settings(self, options, words):
        with pytest.raises(ValueError, match=words):
            SparseGreedy(**options)

    def test_margins(self, sentences):
        with pytest.raises(ValueError, match="rank must be None, a positive integer or a LowRank"):
            mm.ChainSVC(kernel="rbf", rank=SparseGreedy(), templates="tagging").fit(*sentences)

    def test_an_indefinite_kernel(self, sentences):
        with pytest.raises(mm.Unsupported, match=r"needs a kernel without negative eigenvalues, .* smallest is -"):
            fitted(sentences, SparseGreedy(), Kernel("sigmoid", gamma=2.0, coef0=-1.0))

    def test_labels_known_in_part(self, sentences):
        X, y = sentences
        with pytest.raises(mm.Unsupported, match="SparseGreedy learns from tokens whose labels are known"):
            ChainCRF(kernel=SQUARE, rank=SparseGreedy(), **EXACT).fit(X, [[None, *y[0][1:]], *y[1:]])

    def test_observed(self, sentences):
        with pytest.raises(mm.Unsupported, match="observed=True"):
            fitted(sentences, SparseGreedy(), observed=True)

    def test_no_room(self, sentences):
        with pytest.raises(ValueError, match=r"cache allows: give Kernel\(..., cache="):
            fitted(sentences, SparseGreedy(0.9), Kernel("rbf", cache=100_000))
        with pytest.raises(ValueError, match=r"All coordinates of .* tokens need"):
            fitted(sentences, SparseGreedy(1.0), Kernel("rbf", cache=100_000))

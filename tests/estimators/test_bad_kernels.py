"""Kernels that cannot be trained with, or in part only: what is left out, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import maxmargin as mm
from kernel_cases import CASES, N, classes, linear, rows
from maxmargin import Kernel, LowRank
from maxmargin.datasets import make_sentences

cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


def minus_distance(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return -np.asarray(np.abs(A[:, None] - B[None]).sum(axis=-1))


def turned(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return (1.0 + 1.0j) * linear(A, B)


def lookup_in(values: np.ndarray) -> Any:
    def lookup(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        return values[np.ix_(A[:, 0].astype(int), B[:, 0].astype(int))]

    return lookup


def hidden_pair() -> tuple[np.ndarray, tuple[int, int]]:
    """A kernel matrix of 300 rows, and two rows that are not in an even sample of 200."""
    n = 300
    X = rows(n=n)
    sample = np.unique(np.linspace(0, n - 1, 200).astype(int))
    i, j = np.setdiff1d(np.arange(n), sample)[:2]
    return Kernel("rbf", gamma=0.5).block(X, X), (int(i), int(j))


class TestBadInput:
    def test_l1_of_a_kernel(self):
        X, y = make_sentences(5)
        with pytest.raises(mm.Unsupported, match="l1 picks single features"):
            mm.ChainCRF(kernel="rbf", l1=1.0, templates="tagging").fit(X, y)

    def test_other_columns_in_a_chain(self):
        case = CASES["ChainSVC"]
        model = case.fit(rows(), kernel="rbf", tol=1e-3)
        with pytest.raises(ValueError, match="X has 3 features, but ChainSVC is expecting 4 features"):
            model.predict(rows()[:, :3], **case.lengths(rows()))

    def test_rank_beyond_the_rows(self):
        with pytest.raises(ValueError, match="rank asks for 61 basis functions, and there are 60 rows to choose them"):
            CASES["MulticlassSVC"].fit(rows(), kernel="rbf", rank=61)

    @pytest.mark.parametrize("kernel", ["gaussian", 3, None])
    def test_no_kernel(self, kernel):
        with pytest.raises(ValueError, match="kernel must be the name of a kernel"):
            CASES["MulticlassSVC"].fit(rows(), kernel=kernel)

    @pytest.mark.parametrize("rank", [0, 2.5, "many", True])
    def test_no_rank(self, rank):
        with pytest.raises(ValueError, match="rank must be None, a positive integer or a LowRank"):
            CASES["MulticlassSVC"].fit(rows(), kernel="rbf", rank=rank)

    def test_precomputed_values_that_are_not_square(self):
        with pytest.raises(ValueError, match=r"needs the values of the kernel between all training rows, .* \(60, 4\)"):
            CASES["MulticlassSVC"].fit(rows(), kernel="precomputed")

    def test_precomputed_values_of_another_width(self):
        model = CASES["MulticlassSVC"].fit(np.eye(N), kernel="precomputed", tol=1e-3)
        with pytest.raises(ValueError, match=r"X has 59 columns; .* 60 training rows"):
            model.predict(np.eye(N)[:, 1:])

    def test_an_indefinite_kernel_is_trained_without_its_negative_part(self):
        kernel = Kernel("sigmoid", gamma=2.0, coef0=-1.0)
        with pytest.warns(UserWarning, match=r"The kernel is indefinite: .* smallest eigenvalue is -\d.*, the largest"):
            model = CASES["MulticlassSVC"].fit(rows(), kernel=kernel, tol=1e-3)
        assert model.score(rows(), CASES["MulticlassSVC"].target(rows())) > 0.5

    @pytest.mark.parametrize("rank", [20, mm.LowRank(20, "random"), mm.LowRank(20, "k-means")])
    def test_an_indefinite_kernel_by_rank_is_as_good(self, rank):
        """Rows by what is left of them come to an end after some rows, as soon as nothing positive is left."""
        X, new = rows(n=300), rows(n=300, seed=1)
        y, kernel = (X[:, 0] + 0.5 * X[:, 1] > 0.3).astype(int), Kernel("sigmoid", gamma=0.5, coef0=-1.0)
        with pytest.warns(UserWarning, match="The kernel is indefinite"):
            model = mm.MulticlassSVC(kernel=kernel, rank=rank, method="structural", tol=1e-3).fit(X, y)
        assert model.kernel_.width == 20
        assert model.score(new, (new[:, 0] + 0.5 * new[:, 1] > 0.3).astype(int)) > 0.95

    @pytest.mark.parametrize("basis", ["cholesky", "greedy"])
    @pytest.mark.filterwarnings("ignore:The kernel is indefinite")
    def test_an_indefinite_kernel_has_no_basis_by_what_is_left(self, basis):
        kernel, rank = Kernel("sigmoid", gamma=2.0, coef0=-1.0), mm.LowRank(20, basis)
        wanted = rf"basis='{basis}' chooses .* indefinite; use LowRank\(20, 'random'\)"
        with pytest.raises(mm.Unsupported, match=wanted):
            CASES["MulticlassSVC"].fit(rows(), kernel=kernel, rank=rank)

    @pytest.mark.filterwarnings("ignore:The kernel is indefinite")
    def test_an_indefinite_kernel_beyond_the_cache(self):
        with pytest.raises(
            mm.Unsupported, match=r"eigenvalues .* 28,800 bytes .* cache=28800\), .* rank=LowRank\(30, 'random'"
        ):
            CASES["MulticlassSVC"].fit(rows(), kernel=Kernel("sigmoid", gamma=2.0, coef0=-1.0, cache=20_000))

    def test_a_diagonal_of_zeros(self):
        """Distances with a minus sign: all but one of the eigenvalues are positive."""
        X, new = rows(n=200), rows(n=200, seed=1)
        with pytest.warns(UserWarning, match="The kernel is indefinite"):
            model = mm.MulticlassSVC(kernel=minus_distance, tol=1e-3).fit(X, (X[:, 0] > 0.3).astype(int))
        assert model.score(new, (new[:, 0] > 0.3).astype(int)) > 0.9

    @pytest.mark.parametrize("name", sorted(set(CASES) - {"RankingSVM"}))  # whose groups have 60 rows
    def test_one_value_that_is_not_symmetric(self, name):
        values, (i, j) = hidden_pair()
        values[i, j] += 5.0
        X = rows(n=len(values))
        with pytest.raises(ValueError, match=rf"'precomputed' is not symmetric: between rows {i} and {j} it is"):
            CASES[name].fit(values, CASES[name].target(X), kernel="precomputed")
        with pytest.raises(ValueError, match=rf"lookup is not symmetric: between rows {i} and {j} it is"):
            mm.MulticlassSVC(kernel=lookup_in(values)).fit(np.arange(len(values))[:, None], classes(X))

    @pytest.mark.parametrize("rank", [None, 100])
    def test_one_pair_that_makes_the_kernel_indefinite(self, rank):
        """No sample of 200 rows shows it; the factor of such a matrix is that of another one."""
        values, (i, j) = hidden_pair()
        y = (rows(n=len(values))[:, 0] > 0.3).astype(int)
        clean = mm.MulticlassSVC(kernel="precomputed", rank=rank, tol=1e-4).fit(values, y)
        bad = values.copy()
        bad[i, j] += 3.0
        bad[j, i] += 3.0
        with pytest.warns(UserWarning, match=r"indefinite: its smallest eigenvalue is -2\.\d+, the largest"):
            model = mm.MulticlassSVC(kernel="precomputed", rank=rank, tol=1e-4).fit(bad, y)
        assert model.score(values, y) > clean.score(values, y) - 0.02

    @pytest.mark.parametrize("rank", [None, 2, LowRank(2, "random"), LowRank(2, "greedy")])
    @pytest.mark.parametrize("kernel", ["cosine", Kernel("poly", gamma=1.0, coef0=0.0)])
    @cases
    def test_rows_of_zeros(self, case, kernel, rank):
        with pytest.raises(ValueError, match="The kernel is 0 between all rows, and nothing can be learned with it"):
            case.fit(np.zeros((N, 3)), kernel=kernel, rank=rank)

    @pytest.mark.parametrize("rank", [10, LowRank(10, "random"), LowRank(10, "k-means")])
    @pytest.mark.parametrize("kernel", ["additive_chi2", minus_distance])
    def test_a_rank_of_a_kernel_with_a_diagonal_of_zeros(self, kernel, rank):
        with pytest.warns(UserWarning, match="The kernel is indefinite"):
            model = CASES["MulticlassSVC"].fit(np.abs(rows()), kernel=kernel, rank=rank, tol=1e-3)
        assert model.kernel_.width == 10

    @pytest.mark.parametrize("degree", [20, 50])
    @pytest.mark.parametrize("rank", [None, 10])
    @cases
    def test_values_that_overflow(self, case, rank, degree):
        with pytest.raises(ValueError, match=r"'poly' of row 0 with itself is .*, too large to train with; rescale"):
            case.fit(1e4 * rows(), kernel=Kernel("poly", degree=degree, gamma=1.0), rank=rank)

    def test_complex_numbers(self):
        with pytest.raises(ValueError, match=r"The kernel turned returned complex numbers; it must return real ones\."):
            CASES["MulticlassSVC"].fit(rows(), kernel=turned)
        with pytest.raises(ValueError, match=r"Complex data not supported: X must hold real numbers\."):
            CASES["MulticlassSVC"].fit(1j * np.eye(N), kernel="precomputed")

    def test_a_kernel_without_positive_eigenvalues(self):
        with pytest.raises(
            mm.Unsupported, match="The kernel has no positive eigenvalue on a sample of the rows, the smallest is -6e"
        ):
            CASES["MulticlassSVC"].fit(rows(), kernel=lambda A, B: -1e3 - linear(A, B))

    def test_a_refused_fit_changes_nothing(self):
        model = CASES["MulticlassSVC"].fit(rows(), kernel="rbf", tol=1e-3)
        before = model.coef_
        with pytest.raises(ValueError, match="rank asks for"):
            model.set_params(rank=1000).fit(rows(), CASES["MulticlassSVC"].target(rows()))
        assert model.coef_ is before

    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_values_that_are_not_finite(self, value):
        X = rows()
        X[7, 2] = value
        with pytest.raises(ValueError, match="row 7, column 2"):
            CASES["MulticlassSVC"].fit(X, kernel="rbf")

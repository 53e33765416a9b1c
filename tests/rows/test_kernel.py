"""Values of kernels against scikit-learn's pairwise functions, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC

from maxmargin import MulticlassSVC
from maxmargin.rows.kernel import Kernel, as_kernel

NUMBERS = {"gamma": 0.3, "degree": 2, "coef0": 0.7}
NAMES = ("linear", "poly", "polynomial", "rbf", "sigmoid", "cosine", "laplacian", "chi2", "additive_chi2")


def two_matrices(seed=0, n=23, m=11, d=5):
    rng = np.random.default_rng(seed)
    A, B = rng.random((n, d)), rng.random((m, d))
    A[rng.random(A.shape) < 0.4] = 0.0
    B[3] = 0.0
    return A, B


@pytest.mark.parametrize(
    ("name", "form"),
    [
        (name, form)
        for name in NAMES
        for form in ("dense", "csr", "float32", "mixed")
        if "chi2" not in name or form in ("dense", "float32")  # scikit-learn has no chi2 of sparse rows
    ],
)
def test_values_are_those_of_scikit_learn(name, form):
    A, B = two_matrices()
    kernel = Kernel(name, **NUMBERS)
    expected = pairwise_kernels(A, B, metric=name, filter_params=True, **NUMBERS)
    if form == "csr":
        A, B = sp.csr_array(A), sp.csr_array(B)
    elif form == "float32":
        A, B = A.astype(np.float32), B.astype(np.float32)
    elif form == "mixed":
        A = sp.csr_array(A)
    found = kernel.block(A, B)
    assert found.dtype == np.float64
    assert found.shape == (23, 11)
    np.testing.assert_allclose(found, expected, rtol=1e-10 if form != "float32" else 1e-5, atol=1e-12)


@pytest.mark.parametrize("name", ["linear", "poly", "rbf", "sigmoid", "cosine", "laplacian"])
def test_indices_of_sparse_rows_may_have_64_bits(name):
    A, B = two_matrices()
    kernel, rows = Kernel(name, **NUMBERS), sp.csr_array(A)
    long = sp.csr_array(A)
    long.indices, long.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    np.testing.assert_allclose(kernel.block(long, sp.csr_array(B)), kernel.block(A, B), atol=1e-12)
    assert long.indices.dtype == np.int64


@pytest.mark.parametrize("name", NAMES)
def test_the_diagonal_is_that_of_the_matrix(name):
    A, _ = two_matrices(n=150)
    kernel = Kernel(name, **NUMBERS)
    np.testing.assert_allclose(kernel.diagonal(A), np.diagonal(kernel.block(A, A)), atol=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.booleans())
def test_polynomials_are_powers(seed, degree, sparse):
    A, B = two_matrices(seed)
    expected = (0.3 * A @ B.T + 0.7) ** degree
    rows = (sp.csr_array(A), sp.csr_array(B)) if sparse else (A, B)
    np.testing.assert_allclose(Kernel("poly", gamma=0.3, degree=degree, coef0=0.7).block(*rows), expected, rtol=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
def test_gamma_of_scale_is_that_of_svc(sparse):
    A, _ = two_matrices()
    X = sp.csr_array(A) if sparse else A
    fitted = SVC(kernel="rbf").fit(X, np.arange(len(A)) % 2)
    assert Kernel("rbf").resolved(X).gamma == pytest.approx(fitted._gamma)
    assert Kernel("rbf", gamma=2.0).resolved(X).gamma == 2.0
    assert Kernel("linear").resolved(X).gamma == "scale"


def test_gamma_of_scale_counts_rows_by_weight():
    A, _ = two_matrices()
    weight = np.arange(len(A)) % 3
    repeated = np.repeat(A, weight, axis=0)
    found = Kernel("rbf").resolved(A, weight.astype(np.float64)).gamma
    assert found == pytest.approx(Kernel("rbf").resolved(repeated).gamma)


def test_gamma_is_one_where_nothing_varies():
    assert Kernel("rbf").resolved(np.full((4, 3), 0.1)).gamma == 1.0


def test_functions_are_called_with_the_rows():
    A, B = two_matrices()
    kernel = as_kernel(lambda a, b: np.minimum(a[:, None, :], b[None, :, :]).sum(axis=2))
    np.testing.assert_allclose(kernel.block(A, B)[2, 4], np.minimum(A[2], B[4]).sum())
    np.testing.assert_allclose(kernel.diagonal(A), A.sum(axis=1))


def test_precomputed_values_are_looked_up():
    values = np.arange(20.0).reshape(4, 5)
    np.testing.assert_array_equal(Kernel("precomputed").block(values, np.array([3, 0])), values[:, [3, 0]])


def wrong_shape(A, B):
    return np.zeros((len(A), len(B) + 1))


def text(A, B):
    return [["a"] * len(B)] * len(A)


def one_sided(A, B):
    return A.sum(axis=1)[:, None] + 2.0 * B.sum(axis=1)


def not_a_number(A, B):
    values = A @ B.T
    values[1, 2] = np.nan
    return values


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (wrong_shape, r"wrong_shape returned an array of shape \(23, 12\) for 23 and 11 rows"),
        (text, "text must return an array of numbers"),
        (not_a_number, "not_a_number of two rows is nan, the first time at row 1 of one matrix and row 2 of the other"),
    ],
)
def test_functions_that_return_something_else_are_refused(function, message):
    with pytest.raises(ValueError, match=message):
        Kernel(function).block(*two_matrices())


def test_a_kernel_that_is_not_symmetric_is_refused():
    with pytest.raises(ValueError, match=r"one_sided is not symmetric: between rows \d+ and \d+ it is"):
        Kernel(one_sided).smallest_eigenvalue(two_matrices()[0])


def test_overflow_is_refused():
    with pytest.raises(ValueError, match="'poly' of two rows is inf"):
        Kernel("poly", gamma=1.0, degree=7).block(np.full((2, 2), 1e60), np.full((2, 2), 1e60))


def test_eigenvalues_tell_indefinite_kernels():
    A, _ = two_matrices(n=60)
    low, high = Kernel("sigmoid", gamma=2.0, coef0=-1.0).smallest_eigenvalue(A)
    assert low < -1e-3 * high
    low, high = Kernel("rbf", gamma=0.5).smallest_eigenvalue(A)
    assert low > -1e-10 * high


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": "gaussian"}, "There is no kernel 'gaussian'; choose one of additive_chi2"),
        ({"name": 3}, "A kernel is a name or a function"),
        ({"gamma": 0.0}, "gamma of a kernel must be a positive number or 'scale', not 0.0"),
        ({"gamma": "auto"}, "gamma of a kernel"),
        ({"degree": 1.5}, "degree of a kernel must be a whole number"),
        ({"coef0": np.nan}, "coef0 of a kernel must be a finite number"),
        ({"cache": 0}, "cache of a kernel is a number of bytes"),
    ],
)
def test_numbers_that_no_kernel_has_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Kernel(**settings)


class TestOutliers:
    """``gamma='scale'`` is that of the other rows where a few outliers would decide it."""

    def test_one_row_does_not_decide(self) -> None:
        X = np.random.default_rng(0).normal(size=(200, 5))
        usual = Kernel("rbf").resolved(X).gamma
        for size in (1e3, 1e6):
            far = X.copy()
            far[7] = size * np.array([1.0, -1.0, 1.0, 1.0, -2.0])
            assert Kernel("rbf").resolved(far).gamma == pytest.approx(usual, rel=0.1)
            assert Kernel("laplacian").resolved(sp.csr_array(far)).gamma == pytest.approx(np.sqrt(usual / 5), rel=0.1)
            weight = np.where(np.arange(200) == 7, 0.0, 1.0)
            assert Kernel("rbf").resolved(far, weight).gamma == pytest.approx(usual, rel=0.1)

    def test_rows_that_vary_as_usual_are_all_counted(self) -> None:
        rng = np.random.default_rng(1)
        for X in (rng.normal(size=(50, 3)), rng.lognormal(size=(500, 4)), rng.standard_t(2, size=(300, 8))):
            assert Kernel("rbf").resolved(X).gamma == pytest.approx(1.0 / (X.shape[1] * X.var()))

    def test_a_few_rows_that_are_all_there_is(self) -> None:
        X = np.zeros((1000, 2))
        X[:3] = 1.0
        assert Kernel("rbf").resolved(X).gamma == pytest.approx(1.0 / (2 * X.var()))

    def test_a_model_learns_beside_an_outlier(self) -> None:
        X, y = load_iris(return_X_y=True)
        far = X.copy()
        far[0] = 1e6 * np.array([1.0, -1.0, 2.0, 1.0])
        assert MulticlassSVC(kernel="rbf").fit(far, y).score(X[1:], y[1:]) >= 0.9

    def test_weights_are_repetitions_and_rows_of_weight_0_are_not_there(self) -> None:
        rng = np.random.default_rng(2)
        X, far = rng.normal(size=(301, 3)), 1e4 * rng.normal(size=(60, 3))
        X[0] = 300.0
        gone = np.repeat([1.0, 0.0], [301, 60])
        alone = Kernel("rbf").resolved(X).gamma
        assert Kernel("rbf").resolved(np.r_[X, far], gone).gamma == pytest.approx(alone)
        repeated, weight = np.r_[X, np.tile(X[:1], (9, 1))], np.r_[10.0, np.ones(300)]
        assert Kernel("rbf").resolved(X, weight).gamma == pytest.approx(Kernel("rbf").resolved(repeated).gamma)
        few = np.array([[0.1, -0.1], [10.0, -10.0]])
        assert Kernel("rbf").resolved(few).gamma == pytest.approx(1.0 / (2 * few.var()))


def test_a_kernel_that_is_0_everywhere_is_refused() -> None:
    with pytest.raises(ValueError, match="The kernel is 0 between all rows"):
        MulticlassSVC(kernel="cosine").fit(np.zeros((40, 3)), np.arange(40) % 2)


def test_large_weights_are_as_a_large_c() -> None:
    """float32 is too short for either, and its dual is no lower bound."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1100, 2))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=1100) > 0).astype(int)
    settings = {"kernel": "rbf", "method": "structural", "slack": "linear"}
    heavy = MulticlassSVC(1.0, **settings).fit(X, y, sample_weight=np.full(1100, 1e4))
    large = MulticlassSVC(1e4, **settings).fit(X, y)
    assert heavy.solution_.primal == pytest.approx(large.solution_.primal, rel=1e-3)
    assert heavy.solution_.dual <= large.solution_.primal

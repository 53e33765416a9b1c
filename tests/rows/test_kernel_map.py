"""Kernels as explicit features: inner products are the kernel where the basis spans all rows, and near it where not."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.rows.kernel import Kernel
from maxmargin.rows.kernel_basis import LowRank, as_low_rank, basis_rows, partial_cholesky
from maxmargin.rows.kernel_map import FourierMap, KernelMap, low_rank_map

RBF = Kernel("rbf", gamma=0.4)
ROW_BASES = ("cholesky", "random", "k-means", "greedy")


def rows(n=120, d=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) + 2.0 * rng.standard_normal((5, d))[rng.integers(0, 5, n)]


def forms(X):
    sparse = X * (np.abs(X) > 1.0)
    return {"dense": X, "csr": sp.csr_array(sparse), "float32": X.astype(np.float32)}


@pytest.mark.parametrize("form", ["dense", "csr", "float32"])
@pytest.mark.parametrize(
    "kernel",
    [RBF, Kernel("poly", gamma=0.2, degree=2), Kernel("linear"), Kernel("laplacian", gamma=0.2), Kernel("cosine")],
    ids=lambda kernel: kernel.kind,
)
def test_products_of_exact_features_are_the_kernel(kernel, form):
    X, new = forms(rows())[form], forms(rows(seed=1, n=30))[form]
    found, features = KernelMap.exact(kernel, X)
    values = kernel.block(X, X)
    scale = np.abs(values).max()
    np.testing.assert_allclose(features @ features.T, values, atol=1e-10 * scale)
    np.testing.assert_allclose(found.features(X), features, atol=1e-7 * np.sqrt(scale))
    weights = np.random.default_rng(3).standard_normal((2, features.shape[0])) @ features  # in the span of the rows
    kept, coef = found.concluded(weights)
    expected = found.features(new) @ weights.T
    np.testing.assert_allclose(kept.scores(new, coef), expected, atol=1e-6 * np.abs(expected).max())
    assert kept.width == coef.shape[1] <= len(values)


def test_the_rank_of_a_linear_kernel_is_the_number_of_columns():
    X = rows(d=4)
    found, features = KernelMap.exact(Kernel("linear"), X)
    assert found.rows.shape == (4, 4)
    assert features.shape == (120, 4)


def test_rows_without_coefficients_are_dropped():
    X = rows(n=60)
    found, features = KernelMap.exact(RBF, X)
    used = np.zeros(60)
    used[[3, 17, 40]] = 1.0, -2.0, 0.5
    kept, coef = found.concluded((used @ features)[None])
    assert kept.width == 3
    np.testing.assert_allclose(kept.scores(X, coef)[:, 0], RBF.block(X, X) @ used, atol=1e-9)


@pytest.mark.parametrize("gamma", [0.4, 1e-3])  # with the second, large coefficients of either sign cancel out
def test_rows_that_hardly_change_the_weights_are_dropped(gamma):
    X = rows(n=100)
    kernel = Kernel("rbf", gamma=gamma)
    found, features = KernelMap.exact(kernel, X)
    used = np.random.default_rng(0).standard_normal((2, 100)) * 10.0 ** -np.linspace(0.0, 12.0, 100)
    weights = used @ features
    all_of_them, few = (found.concluded(weights, change) for change in (0.0, 1e-4))
    assert few[0].width < 60 or (gamma < 0.1 and few[0].width <= all_of_them[0].width)
    assert set(few[0].places) <= set(all_of_them[0].places)
    moved = few[1] @ features[few[0].places] - weights
    assert np.linalg.norm(moved, axis=1).max() <= 1.001e-4 * np.linalg.norm(weights, axis=1).max()


def test_a_small_cache_still_holds_a_kernel_of_low_rank():
    X = rows(n=300)
    kernel = Kernel("poly", gamma=0.5, degree=2, cache=8 * 300 * 20)  # 15 products and powers of 4 columns
    found, features = KernelMap.exact(kernel, X)
    assert found.rows.shape[0] == 15
    np.testing.assert_allclose(features @ features.T, kernel.block(X, X), rtol=1e-8, atol=1e-8)


def test_a_kernel_that_does_not_fit_the_cache_is_refused():
    with pytest.raises(ValueError, match=r"needs up to 720,000 bytes.*cache=720000\), or .* such as rank=300"):
        KernelMap.exact(Kernel("rbf", gamma=1.0, cache=100_000), rows(n=300))


@pytest.mark.parametrize("basis", ROW_BASES)
@pytest.mark.parametrize("form", ["dense", "csr"])
def test_a_basis_of_all_rows_is_exact(basis, form):
    X = forms(rows(n=80))[form]
    found = low_rank_map(RBF, X, LowRank(80, basis))
    features = found.features(X)
    np.testing.assert_allclose(features @ features.T, RBF.block(X, X), atol=1e-6)


@pytest.mark.parametrize("basis", [*ROW_BASES, "fourier"])
def test_more_basis_functions_come_nearer(basis):
    X = rows(n=300)
    values = RBF.block(X, X)
    errors = []
    for k in (10, 40, 160):
        features = low_rank_map(RBF, X, LowRank(k, basis)).features(X)
        assert features.shape[0] == 300
        assert features.shape[1] <= k
        errors.append(float(np.abs(values - features @ features.T).mean()))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < (0.1 if basis == "fourier" else 5e-3)


@pytest.mark.parametrize("basis", ["cholesky", "greedy", "k-means"])
def test_a_chosen_basis_is_better_than_a_random_one(basis):
    X = rows(n=400, seed=4)
    values = RBF.block(X, X)

    def error(rank):
        features = low_rank_map(RBF, X, rank).features(X)
        return float(np.trace(values) - np.einsum("ij,ij->", features, features))

    random = np.mean([error(LowRank(60, "random", seed)) for seed in range(5)])
    assert error(LowRank(60, basis)) < random


def test_the_factor_by_blocks_is_exact_where_it_has_all_rows():
    X = rows(n=200)
    places, factor = partial_cholesky(RBF, X, 200)
    np.testing.assert_allclose(factor @ factor.T, RBF.block(X, X), atol=1e-9)
    assert len(set(places.tolist())) == places.size


def test_repeated_rows_join_a_basis_once():
    X = np.repeat(rows(n=20), 10, axis=0)
    for basis in ("cholesky", "greedy"):
        chosen = basis_rows(RBF, X, LowRank(100, basis))[0]
        assert chosen.shape == (20, 4)
    found = low_rank_map(RBF, X, LowRank(200, "random"))
    assert found.rows.shape == (20, 4)


def test_bases_of_a_precomputed_kernel_are_columns():
    X = rows(n=100)
    values = RBF.block(X, X)
    for basis in ("cholesky", "random", "greedy"):
        found = low_rank_map(Kernel("precomputed"), values, LowRank(30, basis))
        same = low_rank_map(RBF, X, LowRank(30, basis))
        np.testing.assert_allclose(X[found.rows], same.rows)
        np.testing.assert_allclose(found.features(values), same.features(X), atol=1e-7)
    with pytest.raises(ValueError, match="'k-means' needs the features of rows"):
        low_rank_map(Kernel("precomputed"), values, LowRank(30, "k-means"))


def test_fourier_features_are_of_two_kernels():
    X = rows(n=50, seed=2)
    for name in ("rbf", "laplacian"):
        kernel = Kernel(name, gamma=0.1)
        features = FourierMap.of(kernel, 4, LowRank(20_000, "fourier")).features(X)
        np.testing.assert_allclose(features @ features.T, kernel.block(X, X), atol=0.05)
    with pytest.raises(ValueError, match="'fourier' is for the kernels 'rbf' and 'laplacian', not for 'poly'"):
        FourierMap.of(Kernel("poly", gamma=1.0), 4, LowRank(10, "fourier"))


@pytest.mark.parametrize("low_rank", [False, True])
def test_negative_eigenvalues_are_left_out(low_rank):
    rng = np.random.default_rng(0)
    vectors = np.linalg.qr(rng.standard_normal((40, 40)))[0]
    eigenvalues = np.linspace(-3.0, 10.0, 40)
    values = (vectors * eigenvalues) @ vectors.T
    kernel = Kernel("precomputed")
    if low_rank:
        features = low_rank_map(kernel, values, LowRank(40, "random"), positive=False).features(values)
    else:
        found, features = KernelMap.exact(kernel, values, positive=False)
        np.testing.assert_allclose(found.features(values), features, atol=1e-8)
    expected = (vectors * np.maximum(eigenvalues, 0.0)) @ vectors.T
    np.testing.assert_allclose(features @ features.T, expected, atol=1e-8)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ((0,), "k of LowRank must be a whole number of at least 1, not 0"),
        ((2.5,), "k of LowRank"),
        ((3, "svd"), "basis of LowRank must be one of auto, cholesky, random, k-means, greedy, fourier, not 'svd'"),
        ((3, "random", -1), "seed of LowRank must be"),
    ],
)
def test_what_is_no_rank_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        LowRank(*settings)


def test_a_number_is_a_rank():
    assert as_low_rank(None) is None
    assert as_low_rank(5) == LowRank(5) == as_low_rank(LowRank(5))


def test_coefficients_go_over_to_another_basis():
    X = rows(n=100)
    first, features = KernelMap.exact(RBF, X)
    weights = np.random.default_rng(0).standard_normal((3, 100)) @ features
    before = first.concluded(weights)
    second = KernelMap.of(RBF, X[::-1], X[::-1])
    moved = second.weights(*before)
    np.testing.assert_allclose(second.features(X) @ moved.T, features @ weights.T, atol=1e-5)
    assert KernelMap.of(Kernel("rbf", gamma=1.0), X, X).weights(*before) is None

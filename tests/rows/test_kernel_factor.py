"""Factors of kernel matrices: in the memory of the matrix, and of no matrix that has none."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import Kernel
from maxmargin.rows.kernel_factor import factored, farthest_from_symmetric, inverse, positive_part, transpose, verified
from maxmargin.rows.kernel_map import KernelMap


def products(n: int, rank: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((n, rank))
    return rows @ rows.T


@pytest.mark.parametrize("n", [1, 5, 256, 300, 700])
def test_a_matrix_is_transposed_in_place(n: int) -> None:
    values = np.random.default_rng(0).standard_normal((n, n))
    expected = values.T.copy()
    transpose(values)
    assert np.array_equal(values, expected)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("n", "rank"), [(1, 1), (40, 40), (40, 30), (40, 7), (600, 600), (600, 400)])
def test_features_have_the_values_as_products(n: int, rank: int, order: Any) -> None:
    values = products(n, rank)
    features, places = factored(np.array(values, order=order))
    assert features.shape == (n, rank)
    assert features.flags.c_contiguous
    np.testing.assert_allclose(features @ features.T, values, atol=1e-9 * n)
    chosen = features[places[:rank]]
    assert not np.triu(chosen, 1).any()
    np.testing.assert_allclose(inverse(chosen.copy(order=order)), np.linalg.inv(chosen).T, rtol=1e-6, atol=1e-6)


def test_only_a_matrix_without_negative_eigenvalues_has_a_factor() -> None:
    values = products(120, 60)
    assert verified(values.copy()) is not None
    one = values.copy()
    one[3, 80] += 3.0
    one[80, 3] += 3.0
    assert verified(one) is None
    assert verified(-values) is None
    hollow = np.zeros((6, 6))
    hollow[2, 4] = hollow[4, 2] = 1.0
    assert verified(hollow) is None
    tiny = values - 1e-11 * np.linalg.eigvalsh(values)[-1] * np.eye(120)
    assert verified(tiny) is not None


def test_the_place_that_is_not_symmetric() -> None:
    values = products(500, 20)
    values[3, 410] += 2.0
    for form in (np.asarray, sp.csr_array):
        apart, i, j = farthest_from_symmetric(form(values))
        assert apart == pytest.approx(2.0)
        assert {i, j} == {3, 410}


def peak_of(action: Callable[[], Any]) -> float:
    tracemalloc.start()
    action()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return float(peak)


def test_the_memory_of_features_is_that_of_two_matrices() -> None:
    """The features, and the factor that turns weights into coefficients; six matrices where every step copies."""
    X, n = np.random.default_rng(0).standard_normal((1000, 30)), 1000
    kernel = Kernel("rbf").resolved(X)
    assert peak_of(lambda: KernelMap.exact(kernel, X)) < 2.2 * 8 * n * n
    values = kernel.block(X, X)
    assert peak_of(lambda: KernelMap.exact(Kernel("precomputed"), values)) < 2.2 * 8 * n * n
    assert peak_of(lambda: positive_part(values)) < 4.2 * 8 * n * n

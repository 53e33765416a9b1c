"""Kernels in float32 against float64, and when they are refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.rows.kernel import Kernel
from maxmargin.rows.kernel_basis import LowRank
from maxmargin.rows.kernel_map import low_rank_map
from maxmargin.rows.kernel_rough import rough_features, rough_values

X = np.random.default_rng(0).normal(size=(40, 6)) + 300.0
SOME = np.array([3, 1, 17], dtype=np.int32)


@pytest.mark.parametrize(
    ("kernel", "rows"), [(Kernel("rbf", gamma=0.2), X), (Kernel("poly", gamma=0.2, degree=2), X - 300.0)]
)
def test_values_are_those_of_float64(kernel: Kernel, rows: np.ndarray) -> None:
    values = rough_values(kernel, rows)
    assert values is not None
    exact = kernel.block(rows[SOME], rows)
    assert values(SOME, slice(None)) == pytest.approx(exact, rel=2e-5, abs=2e-6)
    assert values(SOME, SOME).dtype == np.float32
    assert values(SOME, SOME) == pytest.approx(exact[:, SOME], rel=2e-5, abs=2e-6)


def test_features_of_a_rank() -> None:
    kernel = Kernel("rbf", gamma=0.2)
    found = low_rank_map(kernel, X, LowRank(20, "random"))
    assert rough_features(found, X) == pytest.approx(found.features(X), abs=1e-4)
    near = np.repeat(X[:2], 20, axis=0) + 1e-4 * X  # rows that say nearly the same
    assert rough_features(low_rank_map(kernel, near, LowRank(20, "random")), near) is None


def test_what_would_lose_digits_is_left_to_float64() -> None:
    assert rough_values(Kernel("rbf", gamma=1e3), X) is None
    assert rough_values(Kernel("poly", gamma=1.0), X) is None
    assert rough_values(Kernel("laplacian", gamma=1.0), X) is None
    assert rough_values(Kernel("rbf", gamma=0.2), sp.csr_array(X)) is None
    assert rough_values(Kernel("rbf", gamma=1e-7), X) is None  # 1 to seven digits
    assert rough_values(Kernel("poly", gamma=1e-6, degree=2), X) is None  # columns with a mean far from 0
    assert rough_values(Kernel("poly", gamma=0.2, degree=13, coef0=1e3), X - 300.0) is None  # beyond float32

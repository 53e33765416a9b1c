"""Products of kernel matrices that are never stored, against NumPy, with every instruction set of this machine."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import numpy.typing as npt
import pytest

from maxmargin import _core

Rough = npt.NDArray[np.float32]


def battery() -> float:
    """The largest error of products of several sizes, relative to the largest product."""
    rng, worst = np.random.default_rng(0), 0.0
    for rows, columns, depth, labels, power in (
        (1, 1, 1, 1, 0),
        (700, 130, 18, 28, 0),
        (193, 33, 5, 4, 3),
        (40, 500, 40, 3, 1),
    ):
        left = rng.normal(size=(rows, depth)).astype(np.float32)
        right = rng.normal(size=(columns, depth)).astype(np.float32)
        if power == 0:  # exponents from -200 to 2: values that float32 holds, and some that are nearly 0
            left, right = np.abs(left), -np.abs(right)
            left[0] *= -0.1
            left[-1] *= 50.0
        chosen = rng.permutation(rows)[: max(1, rows - 3)].astype(np.int32)
        coefficients = rng.normal(size=(chosen.size, labels)) * (rng.random((chosen.size, labels)) < 0.3)
        sums = left[chosen].astype(np.float64) @ right.astype(np.float64).T
        expected = (np.exp(sums) if power == 0 else sums**power).T @ coefficients
        before = rng.normal(size=expected.shape)
        found = before.copy()
        _core.KernelProducts(left, right, power).add(chosen, coefficients, found)
        worst = max(worst, float(np.abs(found - before - expected).max() / max(1.0, np.abs(expected).max())))
        worst = max(worst, _error_of_features(left, right, power, rng))
    return worst


def _error_of_features(left: Rough, right: Rough, power: int, rng: np.random.Generator) -> float:
    """The largest, relative to the largest feature."""
    sums, worst, columns = left.astype(np.float64) @ right.astype(np.float64).T, 0.0, len(right)
    values = np.exp(sums) if power == 0 else sums**power
    for width, upper in ((columns, True), (columns, False), (columns + 5, False), (max(1, columns // 2), True)):
        factor = rng.normal(size=(columns, width)).astype(np.float32)
        factor = np.triu(factor) if upper else factor
        found = np.full((len(left), width), np.nan, dtype=np.float32)
        _core.kernel_features(left, right, power, factor, upper, found)
        expected = values @ factor.astype(np.float64)
        worst = max(worst, float(np.abs(found - expected).max() / max(1.0, np.abs(expected).max())))
    return worst


def test_products_are_those_of_the_values() -> None:
    assert battery() < 2e-6


@pytest.mark.parametrize("isa", ["baseline", "avx2"])
def test_other_instruction_sets_give_the_same(isa: str) -> None:
    """In a process of its own: the choice is made once, at the first use."""
    here = os.path.dirname(os.path.abspath(__file__))
    program = (
        f"import sys; sys.path.insert(0, {here!r}); import test_kernel_products as t; print(t._core.isa(), t.battery())"
    )
    environment = {**os.environ, "MAXMARGIN_ISA": isa}
    answer = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    used, worst = answer.stdout.split()
    assert used in (isa, "baseline")  # a processor without AVX2 has the plain one
    assert float(worst) < 2e-6


def test_what_does_not_fit_is_refused() -> None:
    ones = np.ones((3, 2), dtype=np.float32)
    with pytest.raises(ValueError, match="same number of products"):
        _core.KernelProducts(ones, ones[:, :1].copy(), 0)
    with pytest.raises(ValueError, match="power"):
        _core.KernelProducts(ones, ones, -1)
    products, rows = _core.KernelProducts(ones, ones, 0), np.array([0, 2], dtype=np.int32)
    with pytest.raises(ValueError, match="one coefficient"):
        products.add(rows, np.ones((1, 2)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="one row of sums"):
        products.add(rows, np.ones((2, 2)), np.ones((2, 2)))
    with pytest.raises(IndexError, match="no such row"):
        products.add(rows + 1, np.ones((2, 2)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="same number of products"):
        _core.kernel_features(ones, ones[:, :1].copy(), 0, ones, False, ones.copy())
    with pytest.raises(ValueError, match="power"):
        _core.kernel_features(ones, ones, -1, ones, False, ones.copy())
    with pytest.raises(ValueError, match="one row per column"):
        _core.kernel_features(ones, ones, 0, ones[:2].copy(), False, ones.copy())
    with pytest.raises(ValueError, match="one row of features"):
        _core.kernel_features(ones, ones, 0, ones, False, ones[:2].copy())

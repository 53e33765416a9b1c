"""The native choice among planes in working sets beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin._core import best_plane
from maxmargin.core.vectors import SparseVector, dot


def test_the_largest_value_of_dense_and_sparse_planes() -> None:
    rng = np.random.default_rng(0)
    w = rng.standard_normal(30)
    for _ in range(50):
        index = np.sort(rng.choice(30, 7, replace=False)).astype(np.int32)
        planes = [
            (rng.standard_normal(30), float(rng.standard_normal())),
            (SparseVector(index, rng.standard_normal(7)), float(rng.standard_normal())),
            (rng.standard_normal(30), np.float64(rng.standard_normal())),
        ]
        values = [b - dot(a, w) for a, b in planes]
        value, place = best_plane(planes, w)
        assert place == int(np.argmax(values))
        assert value == pytest.approx(max(values))


def test_none_and_equals() -> None:
    assert best_plane([], np.zeros(2)) == (0.0, -1)
    plane = (np.ones(2), 1.0)
    assert best_plane([plane, plane], np.zeros(2)) == (1.0, 1)


def test_lengths_are_checked() -> None:
    with pytest.raises(ValueError, match="length of w"):
        best_plane([(np.ones(3), 1.0)], np.zeros(2))
    with pytest.raises(IndexError, match="length of w"):
        best_plane([(SparseVector(np.array([5], dtype=np.int32), np.ones(1)), 1.0)], np.zeros(2))
    with pytest.raises(ValueError, match="one value"):
        best_plane([(SparseVector(np.array([1], dtype=np.int32), np.ones(2)), 1.0)], np.zeros(2))

"""Planes kept of a Python problem, and their sum."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import _core
from maxmargin.core.vectors import SparseVector, dot
from maxmargin.oracles.cached import PlaneCache
from maxmargin.oracles.plane_sums import PlaneSum


def invented(rng: Any, examples: int, dimension: int) -> list[list[Any]]:
    """Planes of each example, of both forms."""

    def plane() -> Any:
        a = rng.standard_normal(dimension) * (rng.random(dimension) < 0.5)
        index = np.flatnonzero(a).astype(np.int32)
        return (a if rng.random() < 0.5 else SparseVector(index, a[index])), float(rng.standard_normal())

    return [[plane() for _ in range(rng.integers(0, 4))] for _ in range(examples)]


@given(seed=st.integers(0, 2**16), squared=st.booleans(), weighted=st.booleans())
def test_the_sum_is_that_of_the_highest_planes(seed: int, squared: bool, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    n, dimension = int(rng.integers(1, 8)), int(rng.integers(1, 6))
    planes, w = invented(rng, n, dimension), rng.standard_normal(dimension)
    weight = rng.integers(0, 3, n).astype(float) if weighted else None
    oracle: Any = SimpleNamespace(
        sample_weight=weight, formulation=SimpleNamespace(slack="squared" if squared else "linear"), n=n,
        dimension=dimension,
    )  # fmt: skip
    total = PlaneSum(oracle, w)
    half = n // 2
    best = np.concatenate([total.add(list(range(half)), planes[:half]), total.add(list(range(half, n)), planes[half:])])
    cut = total.cut()
    a, b = np.zeros(dimension), 0.0
    for i, held in enumerate(planes):
        values = [height - dot(row, w) for row, height in held]
        slack = max([0.0, *values])
        assert cut.slack[i] == pytest.approx(slack)
        assert best[i] == (np.argmax(values) if slack > 0.0 else -1)
        if slack > 0.0:
            row, height = held[best[i]]
            share = 1.0 if weight is None else weight[i]
            factor = share * slack if squared else share
            dense = np.zeros(dimension)
            dense[row.index if isinstance(row, SparseVector) else slice(None)] = getattr(row, "value", row)
            a += factor * dense
            b += factor * height - (0.5 * share * slack**2 if squared else 0.0)
    found = cut.a if isinstance(cut.a, np.ndarray) else np.bincount(cut.a.index, cut.a.value, dimension)
    np.testing.assert_allclose(found, a, atol=1e-12)
    assert cut.b == pytest.approx(b)


def test_the_planes_used_last_are_kept() -> None:
    rows = [np.eye(4)[k] for k in range(4)]
    asked = iter([[(rows[0], 1.0)], [(rows[1], 2.0)], [(rows[0], 1.0)], [(rows[2], 3.0)]])
    oracle: Any = SimpleNamespace(
        sample_weight=None, formulation=SimpleNamespace(slack="linear"), n=1, dimension=4,
        ask_all=lambda w: enumerate(next(asked)),
    )  # fmt: skip
    cache, zero = PlaneCache(oracle, 2), np.zeros(4)
    assert cache.best_cut(zero).b == 0.0
    for _ in range(4):
        cache.cut(zero)
    # Of the first three, the first was used after the second, which the fourth has pushed out.
    assert cache.best_cut(zero).b == 3.0
    assert cache.best_cut(-10.0 * rows[1]).b == 3.0
    assert cache.best_cut(-10.0 * rows[0]).b == 1.0


def test_of_equal_planes_the_last_counts() -> None:
    plane = (np.ones(2), 1.0)
    assert _core.add_best_planes([[plane, plane], []], np.zeros(2), None, False, np.zeros(2))[2].tolist() == [1, -1]


def test_planes_of_another_length_are_rejected() -> None:
    total, w = np.zeros(3), np.zeros(3)
    with pytest.raises(ValueError, match="the length of w"):
        _core.add_best_planes([[(np.zeros(2), 1.0)]], w, None, False, total)
    beyond = SparseVector(np.array([3], np.int32), np.array([1.0]))
    with pytest.raises(IndexError, match="the length of w"):
        _core.add_best_planes([[(beyond, 1.0)]], w, None, False, total)
    uneven = SparseVector(np.array([1], np.int32), np.ones(2))
    with pytest.raises(ValueError, match="one value per index"):
        _core.add_best_planes([[(uneven, 1.0)]], w, None, False, total)
    with pytest.raises(ValueError, match="one weight per example"):
        _core.add_best_planes([[]], w, np.ones(2), False, total)


def test_items_of_documents_are_marked_within_bounds() -> None:
    offsets, items = np.array([0, 2, 2, 3]), np.array([0, 3, 1], np.int32)
    there = np.zeros(4, np.bool_)
    _core.mark_covered(offsets, items, np.array([0, 1]), there)
    assert there.tolist() == [True, False, False, True]
    for document, size in ((3, 4), (-1, 4), (0, 2)):
        with pytest.raises(IndexError, match="no such"):
            _core.mark_covered(offsets, items, np.array([document]), np.zeros(size, np.bool_))

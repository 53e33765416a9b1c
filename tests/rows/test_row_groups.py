"""Groups of rows: the one form of them, and the native sums over them beside NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import _core
from maxmargin.rows.feature_scale import packed
from maxmargin.rows.groups import RowGroups
from maxmargin.rows.query_groups import read_groups

GROUPS = [np.array([4, 0], dtype=np.int32), np.array([2], dtype=np.int32), np.array([1, 3, 3], dtype=np.int32)]


def test_groups_come_back_as_they_were_given() -> None:
    found = RowGroups.of(GROUPS)
    assert [list(group) for group in found] == [list(group) for group in GROUPS]
    assert RowGroups.of(found) is found
    assert list(found.sizes) == [2, 1, 3]
    assert [list(group) for group in found.take(np.array([True, False, True]))] == [[4, 0], [1, 3, 3]]
    with pytest.raises(IndexError, match="3 groups"):
        found[3]
    assert not found.all_in_order(6)
    assert RowGroups(np.arange(3, dtype=np.int32), np.array([0, 1, 3])).all_in_order(3)
    assert not RowGroups(np.arange(3, dtype=np.int32), np.array([0, 1, 3])).all_in_order(4)


@pytest.mark.parametrize("given", [[7, 7, 3, 3, 3, 5], [7, 3, 7, 5, 3, 3], ["b", "a", "b", "c", "a", "a"]])
def test_names_in_the_order_of_first_sight(given) -> None:
    found = read_groups(np.array(given), 6)
    wanted = {name: [row for row, other in enumerate(given) if other == name] for name in dict.fromkeys(given)}
    assert [list(rows) for rows in found.rows] == list(wanted.values())
    assert list(found.names) == [f"group {name}" for name in wanted]
    some = found.take(np.array([False, True, True]))
    assert list(some.names) == [f"group {name}" for name in wanted][1:]
    assert [list(rows) for rows in some.rows] == list(wanted.values())[1:]


def test_ranks_of_grades() -> None:
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 30, 40)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    grades = rng.choice([0.0, 0.5, 1.0, 7.0, 1e9], offsets[-1])
    rank, pairs = _core.rank_grades(grades, offsets)
    for g, (first, last) in enumerate(itertools.pairwise(offsets)):
        own = grades[first:last]
        assert np.array_equal(rank[first:last], np.unique(own, return_inverse=True)[1])
        assert pairs[g] == (own[:, None] > own[None, :]).sum()


@pytest.mark.parametrize("kind", [np.float64, np.float32, sp.csr_array])
@pytest.mark.parametrize("in_order", [True, False])
def test_moments_within_groups(kind, in_order) -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 5)) * (rng.random((60, 5)) < 0.4)
    offsets = np.array([0, 20, 21, 60], dtype=np.int64)
    members = np.arange(60, dtype=np.int32) if in_order else rng.integers(0, 60, 60).astype(np.int32)
    share = np.array([0.2, 0.5, 0.3])
    given = X.astype(kind) if kind is np.float32 else kind(X)
    square, centre = packed(given).group_moments(None if in_order else members, offsets, share)
    parts = [X[members[first:last]] for first, last in itertools.pairwise(offsets)]
    assert np.allclose(square, sum(s * (part**2).mean(axis=0) for s, part in zip(share, parts, strict=True)), atol=1e-6)
    assert np.allclose(centre, sum(s * part.mean(axis=0) ** 2 for s, part in zip(share, parts, strict=True)), atol=1e-6)
    with pytest.raises(ValueError, match="ascend"):
        packed(given).group_moments(members, offsets[:-1], share)

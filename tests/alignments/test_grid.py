"""The grid of alignments against the list of all of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from all_alignments import Scores, Shape, alignments, score, uses
from maxmargin import _core
from maxmargin.programs import Topology

MODES = ("global", "local", "semi-global")


def grid_of(scores: Scores, shape: Shape) -> _core.AlignmentGrid:
    return _core.AlignmentGrid(
        scores.match, None, *scores[1:], mode=shape.mode, free_ends=shape.free_ends, band=shape.band
    )


def random_scores(rng: np.random.Generator, m: int, n: int, whole: bool = False) -> Scores:
    """Gaps cost something, and pairs are good or bad; whole numbers give ties."""
    match = rng.normal(size=(m, n)) * 2
    gaps = [-rng.exponential(size=count) for count in (m, m, n, n)]
    if whole:
        match, gaps = np.rint(match), [np.rint(gap) + 0.0 for gap in gaps]
    return Scores(match, *gaps)


@st.composite
def grids(draw: st.DrawFn) -> tuple[Scores, Shape]:
    m, n = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scores = random_scores(rng, m, n, draw(st.booleans()))
    if draw(st.booleans()):  # gaps that are worth something, and what must not be
        for gap in scores[1:]:
            gap += rng.normal(size=gap.size)
        scores.match[rng.random((m, n)) < 0.2] = -np.inf
        scores.extend_y[rng.random(n) < 0.2] = -np.inf
    free = tuple(draw(st.lists(st.booleans(), min_size=4, max_size=4)))
    band = draw(st.one_of(st.just(-1), st.integers(0, 3)))
    return scores, Shape(draw(st.sampled_from(MODES)), (free[0], free[1], free[2], free[3]), band)


def pairs_of(array: np.ndarray) -> tuple[tuple[int, int], ...]:
    return tuple((int(i), int(j)) for i, j in array)


@settings(max_examples=300, deadline=None)
@given(grids())
def test_best_and_k_best_are_those_of_the_list(case):
    scores, shape = case
    grid = grid_of(scores, shape)
    listed = {pairs: score(pairs, scores, shape) for pairs in alignments(*scores.match.shape, shape.band)}
    possible = {pairs: value for pairs, value in listed.items() if value > -np.inf}
    value, best = grid.best()
    assert value == pytest.approx(max(listed.values()))
    if possible:
        assert possible[pairs_of(best)] == pytest.approx(value)
    values, offsets, pairs = grid.k_best(40)
    found = [pairs_of(pairs[begin:end]) for begin, end in itertools.pairwise(offsets)]
    assert len(set(found)) == len(found)
    np.testing.assert_allclose(values, sorted(possible.values(), reverse=True)[:40], atol=1e-12)
    np.testing.assert_allclose(values, [possible[one] for one in found], atol=1e-12)
    for one in found[:5]:
        assert grid.score(np.array(one, dtype=np.int32).reshape(-1, 2)) == pytest.approx(possible[one])


@settings(max_examples=200, deadline=None)
@given(grids())
def test_sums_are_those_of_the_list(case):
    scores, shape = case
    m, n = scores.match.shape
    listed = list(alignments(m, n, shape.band))
    values = np.array([score(pairs, scores, shape) for pairs in listed])
    log_sum, match, *gaps = grid_of(scores, shape).sums()
    if values.max() == -np.inf:
        assert log_sum == -np.inf
        assert not any(part.any() for part in (match, *gaps))
        return
    weights = np.exp(values - values.max())
    assert log_sum == pytest.approx(np.log(weights.sum()) + values.max())
    counts = [uses(pairs, shape, m, n) for pairs in listed]
    for part, found in enumerate((match.reshape(m, n), *gaps)):
        expected = sum(weight * count[part] for weight, count in zip(weights, counts)) / weights.sum()
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_samples_have_the_frequencies_of_the_list(mode):
    scores, shape = random_scores(np.random.default_rng(5), 3, 4), Shape(mode)
    listed = list(alignments(3, 4))
    values = np.array([score(pairs, scores, shape) for pairs in listed])
    chances = np.exp(values - values.max())
    chances /= chances.sum()
    count = 20_000
    found, offsets, pairs = grid_of(scores, shape).samples(count, 3)
    drawn = [pairs_of(pairs[begin:end]) for begin, end in itertools.pairwise(offsets)]
    np.testing.assert_allclose(found[:50], [score(one, scores, shape) for one in drawn[:50]])
    frequency = np.array([drawn.count(one) for one in listed]) / count
    assert np.abs(frequency - chances).max() < 5 * np.sqrt(0.25 / count)
    again = grid_of(scores, shape).samples(count, 3)[2]
    np.testing.assert_array_equal(again, pairs)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("band", [-1, 0, 4, 30])
@pytest.mark.parametrize(("m", "n"), [(1, 37), (61, 1), (40, 47), (83, 29), (64, 64)])
def test_long_sequences_agree_with_the_common_queries(m, n, band, mode):
    """Listed edges in a program of the library, whose queries know nothing of alignments."""
    rng = np.random.default_rng(m * n + band)
    scores = random_scores(rng, m, n)
    shape = Shape(mode, (True, bool(rng.integers(2)), bool(rng.integers(2)), True), band)
    grid = grid_of(scores, shape)
    heads, tails, worth = grid.edges()
    program = Topology(heads, tails).core
    value, pairs = grid.best()
    assert value == pytest.approx(program.best(worth)[0], abs=1e-9)
    assert grid.score(pairs) == pytest.approx(value, abs=1e-9)
    log_sum, match, *gaps = grid.sums()
    whole, used = program.sums(worth)
    assert log_sum == pytest.approx(whole, abs=1e-8)
    block = used[: 9 * m * n].reshape(m, n, 9)
    np.testing.assert_allclose(match.reshape(m, n), block[:, :, :4].sum(axis=2), atol=1e-9)
    assert all(part.min() >= -1e-12 for part in gaps)


def test_positions_with_one_letter_share_a_row():
    rng = np.random.default_rng(2)
    scores = random_scores(rng, 20, 30)
    table, row = scores.match[:4].copy(), rng.integers(4, size=20).astype(np.int32)
    shared = _core.AlignmentGrid(table, row, *scores[1:], mode="local", free_ends=(True, True, True, True), band=-1)
    plain = grid_of(scores._replace(match=np.ascontiguousarray(table[row])), Shape("local"))
    assert shared.best()[0] == plain.best()[0]
    np.testing.assert_array_equal(shared.best()[1], plain.best()[1])
    np.testing.assert_array_equal(shared.sums()[1], plain.sums()[1])


@pytest.mark.parametrize(("good", "bad", "gap"), [(50.0, -900.0, -400.0), (20.0, -25.0, -25.0)])
def test_large_scores_are_summed_without_overflow(good, bad, gap):
    """Two ways that exclude each other, each far better than all else: half of the probability each."""
    half = 90
    match = np.full((2 * half, 2 * half), bad)
    at = np.arange(half)
    match[at, at + half] = match[at + half, at] = good
    gaps = np.full(2 * half, gap)
    log_sum, pairs, *_ = grid_of(Scores(match, gaps, gaps, gaps, gaps), Shape("local")).sums()
    assert log_sum == pytest.approx(good * half + np.log(2))
    np.testing.assert_allclose(pairs.reshape(match.shape), np.where(match > 0, 0.5, 0.0), atol=1e-6)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("size", "band"), [(0.5, -1), (4.0, -1), (8.0, -1), (4.0, 40)])
def test_sums_of_strong_scores_agree_with_the_common_query(size, band, mode):
    """Scores of whole alignments are far outside the range of float64; gaps are expensive, and some are forbidden."""
    rng = np.random.default_rng(7)
    m, n = 190, 171
    scores = Scores(
        np.clip(size * rng.normal(size=(m, n)), -25, 25),
        *(np.clip(-size * rng.exponential(size=k), -25, 0) for k in (m, m, n, n)),
    )
    scores.match[rng.random((m, n)) < 0.05] = -np.inf
    scores.open_x[rng.random(m) < 0.05] = -np.inf
    scores.extend_y[rng.random(n) < 0.05] = -np.inf
    shape = Shape(mode, (True, True, True, bool(size < 5)), band)
    grid = grid_of(scores, shape)
    heads, tails, worth = grid.edges()
    whole, used = Topology(heads, tails).core.sums(worth)
    log_sum, match, open_x, extend_x, open_y, extend_y = grid.sums()
    assert log_sum == pytest.approx(whole, rel=1e-12, abs=1e-9)
    block = used[: 9 * m * n].reshape(m, n, 9)
    np.testing.assert_allclose(match.reshape(m, n), block[:, :, :4].sum(axis=2), atol=1e-9)
    if mode == "local":  # no ends are paid for
        np.testing.assert_allclose(open_x, block[:, :, 4].sum(axis=1), atol=1e-9)
        np.testing.assert_allclose(extend_x, block[:, :, 5].sum(axis=1), atol=1e-9)
        np.testing.assert_allclose(open_y, block[:, :, 6:8].sum(axis=(0, 2)), atol=1e-9)
        np.testing.assert_allclose(extend_y, block[:, :, 8].sum(axis=0), atol=1e-9)
    if mode == "global":  # every position is aligned, opens a gap or extends one
        np.testing.assert_allclose(match.reshape(m, n).sum(axis=1) + open_x + extend_x, 1.0, atol=1e-9)
        np.testing.assert_allclose(match.reshape(m, n).sum(axis=0) + open_y + extend_y, 1.0, atol=1e-9)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.floats(-1, 8), st.integers(0, 2**32 - 1), st.sampled_from(MODES))
def test_sums_of_scores_of_any_size_agree_with_the_common_query(m, n, exponent, seed, mode):
    rng = np.random.default_rng(seed)
    size = 10.0**exponent
    match = size * rng.normal(size=(m, n))
    gaps = [size * (rng.normal(size=k) * rng.integers(2) - rng.exponential(size=k)) for k in (m, m, n, n)]
    if rng.integers(2):
        match[rng.random((m, n)) < 0.3] = -np.inf
    for gap in gaps:
        if rng.integers(3) == 0:
            gap[rng.random(gap.size) < 0.3] = -np.inf
    free = rng.integers(2, size=4).astype(bool).tolist()
    shape = Shape(mode, (free[0], free[1], free[2], free[3]), int(rng.choice([-1, 0, 3, 20])))
    grid = grid_of(Scores(match, *gaps), shape)
    heads, tails, worth = grid.edges()
    whole, used = Topology(heads, tails).core.sums(worth)
    log_sum, found, *_ = grid.sums()
    if whole == -np.inf:
        assert log_sum == -np.inf
        return
    assert log_sum == pytest.approx(whole, rel=1e-12, abs=1e-9)
    rounding = 1e-9 + (m + n) * size * 1e-14  # of sums of such scores in float64
    np.testing.assert_allclose(
        found.reshape(m, n), used[: 9 * m * n].reshape(m, n, 9)[:, :, :4].sum(axis=2), atol=rounding
    )


@pytest.mark.parametrize("size", [20.0, 400.0, 1e6, 1e9])
def test_a_diagonal_that_pays_late_is_not_lost_beside_one_that_pays_early(size):
    """Gaps are forbidden, so two diagonals next to each other never meet; both have the same score in the end."""
    m = 300
    match = np.full((m, m + 1), -np.inf)
    at = np.arange(m)
    match[at, at] = np.where(at < m // 2, size, 0.0)
    match[at, at + 1] = np.where(at < m // 2, 0.0, size)
    never = np.full(m + 1, -np.inf)
    log_sum, pairs, *_ = grid_of(Scores(match, never[1:], never[1:], never, never), Shape("local")).sums()
    assert log_sum >= m // 2 * size
    np.testing.assert_allclose(pairs.reshape(match.shape)[[0, -1], [0, m]], 0.5, rtol=0.35)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([[0, 0], [1, 0]], r"Pair \(1, 0\) follows \(0, 0\): both positions must rise"),
        ([[2, 1], [1, 2]], r"Pair \(1, 2\) follows \(2, 1\)"),
        ([[0, 4]], r"Pair \(0, 4\) lies outside sequences of 3 and 4 positions"),
    ],
)
def test_what_is_no_alignment_is_rejected(pairs, message):
    grid = grid_of(random_scores(np.random.default_rng(0), 3, 4), Shape())
    with pytest.raises(ValueError, match=message):
        grid.score(np.array(pairs, dtype=np.int32))

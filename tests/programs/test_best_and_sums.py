"""The best output and sums over all outputs, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin.programs import Topology, queries
from program_cases import program_cases, size_of

TOLERANCE = 1e-12
"""Relative to the size of the scores: sums of a dozen numbers in another order."""


@given(program_cases())
def test_best_is_the_best_of_all_outputs(case):
    if not case.possible:
        with pytest.raises(ValueError, match="no output left"):
            queries.best(case.topology, case.scores)
        return
    found = queries.best(case.topology, case.scores)
    assert tuple(sorted(found.output.tolist())) in set(case.outputs)
    assert found.score == pytest.approx(case.values.max(), rel=TOLERANCE, abs=TOLERANCE * size_of(case))
    assert case.scores[found.output].sum() == pytest.approx(found.score, rel=TOLERANCE, abs=TOLERANCE * size_of(case))


@given(program_cases())
def test_edges_stand_before_those_of_their_tails(case):
    if not case.possible:
        return
    topology = case.topology
    waiting = [topology.goal]
    for edge in queries.best(topology, case.scores).output:
        cell = waiting.pop()
        assert topology.head[edge] == cell
        waiting += [int(t) for t in topology.tail[edge][::-1] if t >= 0]
    assert not waiting


@given(program_cases(extremes=False))
def test_sums_over_all_outputs(case):
    if not case.possible:
        with pytest.raises(ValueError, match="no output left"):
            queries.sums(case.topology, case.scores)
        return
    found = queries.sums(case.topology, case.scores)
    values, p = case.values, case.probabilities()
    expected = values.max() + np.log(np.exp(values - values.max()).sum())
    assert found.log_partition == pytest.approx(expected, rel=1e-11, abs=1e-11 * size_of(case))
    np.testing.assert_allclose(found.marginals, p @ case.uses(), rtol=1e-9, atol=1e-12 * size_of(case))
    entropy = queries.entropy(case.topology, case.scores)
    assert entropy == pytest.approx(-(p[p > 0] * np.log(p[p > 0])).sum(), rel=1e-9, abs=1e-10 * size_of(case))


@given(program_cases())
def test_sums_of_huge_scores_are_finite_and_flow(case):
    """Whatever the scores, what flows into a cell flows out of it."""
    if not case.possible:
        return
    topology = case.topology
    found = queries.sums(topology, case.scores)
    assert np.isfinite(found.log_partition)
    assert np.isfinite(queries.entropy(topology, case.scores))
    into = np.bincount(topology.head, weights=found.marginals, minlength=topology.n_cells)
    out = np.zeros(topology.n_cells)
    for column in topology.tail.T:
        np.add.at(out, column[column >= 0], found.marginals[column >= 0])
    out[topology.goal] += 1.0
    np.testing.assert_allclose(into, out, rtol=1e-12, atol=1e-12)
    assert not found.marginals[case.scores == -np.inf].any()


@settings(max_examples=30)
@given(program_cases(extremes=False, forbidden=False), st.integers(0, 1000))
def test_marginals_are_the_slopes_of_the_log_partition(case, pick):
    edge, step = pick % case.topology.n_edges, 1e-4
    shifted = [case.scores + sign * step * (np.arange(case.topology.n_edges) == edge) for sign in (1, -1)]
    slope = np.subtract(*(queries.log_partition(case.topology, s) for s in shifted)) / (2 * step)
    # the error of a central difference: rounding of log Z over the step, and the third derivative times its square
    rounding = 1e-15 * max(1.0, abs(queries.log_partition(case.topology, case.scores))) / step
    most = case.uses().max() if case.outputs else 1.0
    assert queries.marginals(case.topology, case.scores)[edge] == pytest.approx(
        slope, abs=10 * rounding + most**3 * step**2
    )


def test_a_long_path_needs_no_deep_stack():
    n = 300_000
    topology = Topology(np.arange(n), np.arange(n) - 1)
    found = queries.best(topology, np.ones(n))
    assert found.score == n
    assert found.output[:2].tolist() == [n - 1, n - 2]
    assert queries.sums(topology, np.ones(n)).log_partition == n
